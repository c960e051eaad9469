"""A tool's contract: what the model is told before it calls, and what a call is held to.

Everything comes from the function itself: its name, its signature, its docstring, and the words
given to `@register`. The schema that is sent with every request stays light; the output contract
goes with each observation and the heavy instructions with the first one of a turn (progressive
disclosure).
"""

import difflib
import inspect
import json
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.effect import Effect, Reversibility
from harness.tools.signature_schema import FIELD, arguments_model, parameters_of

Tier = Literal["read", "write"]
Cost = Literal["low", "medium", "high"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what the chat completions API accepts
UNDECLARED = "undeclared"  # the resource of a tool that doesn't say what it touches


@dataclass(frozen=True)
class ToolContract:
    """One tool. `timeout` is in seconds; `returns` is the output contract.

    `tier` and `idempotent` are None where nobody said; a tool without a tier is taken to write.
    The tier also says what the same call brings in a later round: a read is answered from the store
    while nothing may have changed, a write happens once, and without a tier it runs again.
    `missing` is what to do about a parameter left out.
    `effects` are the kinds of effect that a call can have, for the authority envelope; where there
    are several, `effect_of` tells from the arguments which one a call has; `preview` says in words
    what a call would do, for the person who approves it.
    """

    name: str
    fn: Callable[..., Any]
    description: str
    arguments: type[BaseModel]
    parameters: dict[str, Any]
    when: str = ""
    returns: str = ""
    instructions: str = ""
    tier: Tier | None = None
    cost: Cost = "low"
    permission: str = ""
    preconditions: str = ""
    idempotent: bool | None = None
    missing: str = ""
    example: dict[str, Any] | None = None
    repeatable: bool = False
    timeout: float = 30.0
    always: bool = False
    effects: tuple[Effect, ...] = ()
    effect_of: Callable[..., Effect] | None = None
    preview: Callable[..., str] | None = None

    @cached_property
    def kinds(self) -> tuple[Effect, ...]:
        """The kinds of effect: what was declared, else the worst that the tier allows."""
        if self.effects:
            return self.effects
        writes = self.tier != "read"
        destination = UNDECLARED if writes else "model"
        worst: Reversibility = "irreversible" if writes else "unchanged"
        return (Effect(UNDECLARED, self.tier or "write", destination, worst),)

    @cached_property
    def fields(self) -> dict[str, FieldInfo]:
        """The parameters by the name that the model uses."""
        return {info.alias or key: info for key, info in self.arguments.model_fields.items()}

    @cached_property
    def parameter_fields(self) -> dict[str, str]:
        """The function's own parameters, and under which attribute the arguments hold each."""
        return {key.removeprefix(FIELD): key for key in self.arguments.model_fields}

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as the chat completions API wants it: the light part of the contract."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.summary,
                "parameters": self.parameters,
            },
        }

    @property
    def summary(self) -> str:
        """What, when, and what it costs: the part that matters for choosing comes first."""
        parts = [self.description]
        if self.when:
            parts.append(f"Use when: {self.when}")
        if self.preconditions:
            parts.append(f"Before: {self.preconditions}")
        if self.tier == "write":
            said = {True: ", safe to repeat", False: ", not safe to repeat", None: ""}
            parts.append(f"Writes ({self.cost} cost{said[self.idempotent]}).")
        if self.permission:
            parts.append(f"Needs permission: {self.permission}.")
        if self.example:
            parts.append(f"Example: {json.dumps(self.example, ensure_ascii=False, default=str)}")
        return " ".join(parts)


def contract_of(fn: Callable[..., Any], **words: Any) -> ToolContract:
    """Read the contract off a function. Raises WorkshopError for what no schema can carry."""
    name: Any = words.pop("name", None) or getattr(fn, "__name__", None)
    _check_function(fn, name)
    _check_words(name, words)
    doc = inspect.getdoc(fn) or ""
    model = arguments_model(name, fn, doc)
    given: dict[str, Any] = {
        k: " ".join(v.split()) if k in ("when", "returns") else v for k, v in words.items()
    }
    contract = ToolContract(
        name=name,
        fn=fn,
        description=" ".join(doc.split("\n\n")[0].split()),
        arguments=model,
        parameters=parameters_of(name, model),
        **given,
    )
    _check_effects(contract)
    return contract


def _check_function(fn: Any, name: Any) -> None:
    if not callable(fn) or name is None:
        raise WorkshopError(
            f"@register takes a named function, not {short_repr(fn)}.",
            "Write @register above a def, or @register(when=..., returns=...).",
        )
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise WorkshopError(
            f"The API refuses the tool name {short_repr(name, 100)}.",
            "Use 1 to 64 letters, digits, underscores and hyphens.",
        )
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise WorkshopError(
            f"{name}: a tool returns its result; this function is async or yields.",
            "Make it a plain function with a return.",
        )


def _check_words(name: str, words: dict[str, Any]) -> None:
    """Refuse words that `@register` has not: a misspelt tier must not pass for read."""
    for word, value in words.items():
        if word not in _WORDS:
            near = difflib.get_close_matches(word, _WORDS, n=1) or [", ".join(_WORDS)]
            raise WorkshopError(f"{name}: @register has no {word}=.", f"Did you mean: {near[0]}?")
        if not _WORDS[word](value):
            raise WorkshopError(
                f"{name}: @register can't take {word}={short_repr(value)}.",
                "harness/tools/contract.py says what each word takes (ToolContract).",
            )


def _check_effects(contract: ToolContract) -> None:
    """The tier and the effects must say the same, and a call must have one of them."""
    if contract.effects and (contract.tier == "write") != any(e.changes for e in contract.effects):
        raise WorkshopError(
            f"{contract.name}: its tier is {contract.tier!r} and its effects say otherwise.",
            'A tool that changes something has tier="write" and an effect that is not unchanged.',
        )
    if len(contract.effects) > 1 and contract.effect_of is None:
        raise WorkshopError(
            f"{contract.name}: it has several effects, and nothing tells which one a call has.",
            "Give @register effect_of=, a function of the same arguments that returns an Effect.",
        )


def _are_effects(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Effect) for each in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


_WORDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("when", "returns", "instructions", "missing"), _is_text),
    **dict.fromkeys(("permission", "preconditions"), _is_text),
    "tier": lambda value: value in typing.get_args(Tier),
    "cost": lambda value: value in typing.get_args(Cost),
    "idempotent": lambda value: value is None or isinstance(value, bool),
    "example": lambda value: value is None or isinstance(value, dict),
    "timeout": _is_seconds,
    "effects": _are_effects,
    **dict.fromkeys(("effect_of", "preview"), lambda value: value is None or callable(value)),
    **dict.fromkeys(("repeatable", "always"), _is_flag),
}
