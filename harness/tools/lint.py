"""The linter of tool contracts: what a model would stumble over, found before a model does.

A contract is text, and a text can't be proved good; each rule here catches one fault that is known
to cost runs, and stays quiet otherwise.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from harness.context import system_prompt
from harness.excerpt import excerpt
from harness.model.tokens import count_tokens
from harness.model.tool_calls import canonical
from harness.retrieval.embedding import embed
from harness.tools.contract import ToolContract
from harness.tools.toolbox import contracts

MAX_SCHEMA_BYTES = 2_048  # some clients cut a tool's description beyond this
WARN_TOKENS, REDESIGN_TOKENS = 3_000, 25_000  # of the prompt and the tools that go with it

# Cosine of what two tools say they do and when. Measured on nine pairs that do the same in other
# words (seven are at 0.73 or above) and on our own tools (the nearest two are at 0.66).
ALIKE = 0.70
ALIKE_BUT_FOR_THE_ACTION = 0.90  # drafting and sending a notice are near, and two things

_LEAD_WORDS = 12  # words at the start of a description
_WORD = re.compile(r"[^\W_]+")
_TRIGGER = re.compile(
    r"\b(?:when|whenever|use (?:this|it)?\s*(?:to|for|if|after|before)|only (?:if|after)|"
    r"(?:after|before) (?:the|a|you|any))\b",
    re.IGNORECASE,
)
_REPEATING = re.compile(
    r"idempoten|safe to (?:repeat|retry)|(?:call|run)s? (?:it )?(?:only )?once|one call (?:per|a)|"
    r"twice|repeat",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:only|not|never)?\s*(?:after|once|unless|until|provided that|requires?|must have)\b",
    re.IGNORECASE,
)

_SMALL = frozenset(
    """a about all an and any are as at be been by can do does for from has have if in into is it
    its of on one or so some such that the their them then these they this those to up use used
    user's uses using via was what when where which who will with you your""".split()
)
# Words that fit any tool at all, and so tell no two tools apart.
_VERBS = frozenset(
    """access add allow call check compute create delete do edit enable execute fetch find get
    handle help insert invoke list load look make manage modify obtain operate perform post process
    provide put query read receive remove retrieve return run save search select send set show
    store submit take update work write""".split()
)
_NOUNS = frozenset(
    """action agent answer api app backend content data database db detail entity entry field file
    function general helper info information input item json llm method misc model name object
    operation param parameter query record request resource response result row service
    something stuff system table task text thing tool useful user utility value various""".split()
)
_FILLER = frozenset(
    """also always appropriate attention basically caution currently deprecated generic important
    just kindly legacy must necessary need needed never new not note old only please required
    should simple simply very whenever version warning""".split()
)
_GENERIC = _VERBS | _NOUNS | _FILLER

_ACTIONS = {
    "read": "browse display download fetch find get list load look lookup query read retrieve"
    " search see show view",
    "create": "add create file insert make raise register submit",
    "change": "adjust alter change correct edit modify rename replace save store update write",
    "remove": "archive cancel clear close delete drop erase remove revoke undo withdraw",
    "send": "alert email mail message notify post publish send",
    "draft": "compose draft plan prepare preview propose",
    "run": "calculate compute evaluate execute run",
    "pay": "charge pay refund transfer",
}
_ACTION_OF = {verb: kind for kind, verbs in _ACTIONS.items() for verb in verbs.split()}


@dataclass(frozen=True)
class Violation:
    """A fault of a contract: a stable code, what is wrong, and what to do about it."""

    tool: str
    code: str
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.code}: {self.message} {self.hint}"


def lint(contract: ToolContract, others: Sequence[ToolContract] | None = None) -> list[Violation]:
    """The faults of one contract. `others` is what it must differ from: by default all registered.

    Codes: vague_name, vague_description, buried_lead, no_trigger, no_parameter_description,
    no_output_contract, no_precondition, no_idempotency, invalid_example, too_large,
    near_duplicate.
    """
    among = contracts() if others is None else others
    found = [*_wording(contract), *_arguments(contract), *_effects(contract), *_size(contract)]
    found += _duplicates(contract, [other for other in among if other.name != contract.name])
    return [Violation(contract.name, *each) for each in found]


def lint_all() -> list[Violation]:
    """The faults of every registered tool, and of the prompt that they make together."""
    everything = contracts()
    # Each against those before it: a pair is one fault, and the later of the two has it.
    found = [f for i, each in enumerate(everything) for f in lint(each, everything[:i])]
    return found + lint_budget(system_prompt(), sent_at_most(everything))


def lint_budget(prompt: str, schemas: Sequence[dict[str, Any]]) -> list[Violation]:
    """Whether a prompt and the tools sent with it leave the model room to think."""
    tools = sum(count_tokens(json.dumps(schema, ensure_ascii=False)) for schema in schemas)
    total = count_tokens(prompt) + tools
    if total <= WARN_TOKENS:
        return []
    code, limit = ("over_budget", WARN_TOKENS)
    hint = "Shorten descriptions, move rules into instructions, or send fewer tools."
    if total > REDESIGN_TOKENS:
        code, limit = "redesign", REDESIGN_TOKENS
        hint = "Split the agent: fewer tools each, or a selector before them."
    message = f"Prompt and {len(schemas)} tools take {total:,} tokens, more than {limit:,}."
    return [Violation("(all tools)", code, message, hint)]


def sent_at_most(everything: Sequence[ToolContract], k: int = 6) -> list[dict[str, Any]]:
    """The largest request that retrieve_tools can make: the always-on tools, and `k` others."""
    others = [each.schema for each in everything if not each.always]
    largest = sorted(others, key=lambda schema: -len(json.dumps(schema)))[:k]
    return [each.schema for each in everything if each.always] + largest


# The rules. Each yields (code, message, hint).

Fault = tuple[str, str, str]


def _wording(contract: ToolContract) -> Iterator[Fault]:
    if not _specific(re.sub(r"[_\-\d]+", " ", contract.name)):
        yield (
            "vague_name",
            f"The name {contract.name!r} would fit any tool.",
            "Name the action and what it is done to: submit_expense_report, not post_data.",
        )
    description = excerpt(contract.description)
    if not _specific(contract.description) or len(_content(contract.description)) < 3:
        yield (
            "vague_description",
            f"The description says too little: {description!r}.",
            "Say what it does to what, in words that fit no other tool.",
        )
    elif not _specific(" ".join(contract.description.split()[:_LEAD_WORDS])):
        yield (
            "buried_lead",
            f"What it does comes late in the description: {description!r}.",
            "Begin with the action and its object; a client may cut the end off.",
        )
    says_when = _specific(contract.when) and len(_content(contract.when)) > 1
    if not says_when and not _TRIGGER.search(contract.description):
        yield (
            "no_trigger",
            "Nothing says when to use it.",
            "Add when=, the situation in which the model should reach for this tool.",
        )
    if len(_content(contract.returns)) < 2:
        yield (
            "no_output_contract",
            "Nothing says what it returns.",
            "Add returns=, the fields of the result and what the answer must do with them.",
        )


def _arguments(contract: ToolContract) -> Iterator[Fault]:
    for path, said in _parameters(contract.parameters):
        if not set(_content(said)) - set(_content(re.sub(r"[_.]+", " ", path))):
            yield (
                "no_parameter_description",
                f"The parameter {path!r} is not described.",
                'Use Annotated[type, "what it is, with unit and format"].',
            )
    if contract.example is None:
        return
    try:
        contract.arguments.model_validate_json(canonical(contract.example), strict=True)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the whole"
        yield (
            "invalid_example",
            f"The example breaks its own schema at {where!r}.",
            "A model copies examples: make it a call that would run.",
        )


def _effects(contract: ToolContract) -> Iterator[Fault]:
    if contract.tier != "write":
        return
    said = f"{contract.description} {contract.when} {contract.instructions}"
    if not _content(contract.preconditions) and not _CONDITION.search(said):
        yield (
            "no_precondition",
            "It writes, and nothing says what must hold before.",
            "Add preconditions=, such as: the user has confirmed the amounts.",
        )
    if contract.idempotent is None and not _REPEATING.search(f"{said} {contract.preconditions}"):
        yield (
            "no_idempotency",
            "It writes, and nothing says whether it may be repeated.",
            "Add idempotent=True or idempotent=False.",
        )


def _size(contract: ToolContract) -> Iterator[Fault]:
    size = len(json.dumps(contract.schema, ensure_ascii=False).encode("utf-8", "replace"))
    if size > MAX_SCHEMA_BYTES:
        yield (
            "too_large",
            f"The schema is {size:,} bytes, more than {MAX_SCHEMA_BYTES:,}.",
            "Move rules into instructions=, which are sent once the tool is used.",
        )


def _duplicates(contract: ToolContract, others: Sequence[ToolContract]) -> Iterator[Fault]:
    alike = {contract.tier, None} if contract.tier else {"read", "write", None}
    comparable = [other for other in others if other.tier in alike]
    if not comparable:
        return
    vectors = embed([_meaning(contract), *map(_meaning, comparable)])
    for other, near in zip(comparable, (vectors[1:] @ vectors[0]).tolist(), strict=True):
        actions = {_action(contract), _action(other)} - {None}
        if near >= (ALIKE_BUT_FOR_THE_ACTION if len(actions) == 2 else ALIKE):
            yield (
                "near_duplicate",
                f"It says nearly the same as {other.name}.",
                "Merge the two, or say in when= what only this one is for.",
            )


def _parameters(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and description of every parameter, those of nested models included."""
    models = schema.get("$defs", {})
    for path, each in [("", schema), *((f"{name}.", model) for name, model in models.items())]:
        for name, parameter in each.get("properties", {}).items():
            model = models.get(parameter.get("$ref", "").rpartition("/")[2], {})
            said = parameter.get("description") or model.get("description") or ""
            yield f"{path}{name}", said


def _meaning(contract: ToolContract) -> str:
    return f"{contract.description} {contract.when}".strip() or contract.name


def _action(contract: ToolContract) -> str | None:
    """The kind of action that the description begins with, None for a verb that we don't know."""
    first = _WORD.findall(contract.description.lower())[:1]
    verb = first[0] if first else ""
    return _ACTION_OF.get(verb) or _ACTION_OF.get(verb.removesuffix("s"))


def _content(text: str) -> list[str]:
    """The words of a text that carry meaning."""
    return [word for word in _WORD.findall(text.lower()) if word not in _SMALL]


def _specific(text: str) -> set[str]:
    """Those that would not fit just any tool; singular and plural are one word."""
    bare = {re.sub(r"(?<=[^s])s$", "", word) for word in _content(text)}
    return {w for w in bare if w not in _GENERIC and f"{w}s" not in _GENERIC and len(w) > 1}
