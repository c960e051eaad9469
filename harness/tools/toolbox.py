"""The toolbox: registering tools, and finding the few that a question needs."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from harness.errors import ToolError, WorkshopError
from harness.model.tool_calls import ToolCall
from harness.retrieval.embedding import embed_if_possible
from harness.retrieval.lexical_search import rank_by_words
from harness.tools.authority import offered
from harness.tools.contract import ToolContract, contract_of
from harness.tools.guard import guarded_call

F = TypeVar("F", bound=Callable[..., Any])


class GuardedTool:
    """What `@register` gives back and `TOOLS` holds: call it like the function, get text.

    It returns a JSON string with "status": "ok", or raises ToolError. The function itself is
    `__wrapped__`.
    """

    def __init__(self, contract: ToolContract) -> None:
        self.contract = contract
        functools.update_wrapper(self, contract.fn)
        self._signature = inspect.signature(contract.fn)

    def __call__(self, /, *args: Any, **kwargs: Any) -> str:
        """The guarded call, with the arguments of the function itself."""
        names = list(self._signature.parameters)
        if len(args) > len(names):
            raise ToolError(
                "bad_arguments", f"{self.contract.name} takes at most {len(names)} arguments."
            )
        given = dict(zip(names, args, strict=False))
        twice = sorted(given.keys() & kwargs.keys())
        if twice:
            raise ToolError("bad_arguments", f"{self.contract.name} got {twice[0]!r} twice.")
        return self.run({**given, **kwargs})

    def run(self, arguments: dict[str, Any], call: ToolCall | None = None) -> str:
        """The call with its arguments in a dict, and the model's call where it is known."""
        return guarded_call(self.contract, arguments, call)


class Toolbox(dict[str, tuple[Any, dict[str, Any]]]):
    """name -> (guarded callable, schema). What is put in by hand is guarded as it goes in.

    Nothing is known of such a function, so it is taken for one that writes.
    """

    def __setitem__(self, name: str, entry: Any) -> None:
        """Put a tool in: (callable, schema), or a callable alone."""
        super().__setitem__(name, _guarded(name, entry))

    def __getitem__(self, name: str) -> tuple[Any, dict[str, Any]]:
        """The guarded tool, also where it came in past `__setitem__`."""
        entry = super().__getitem__(name)
        if not (isinstance(entry, tuple) and isinstance(entry[0], GuardedTool | UnusableTool)):
            self[name] = entry
            entry = super().__getitem__(name)
        return entry

    def get(self, name: str, default: Any = None) -> Any:
        """The guarded tool, or `default`."""
        if name not in self:
            return default
        return self[name]

    def update(self, *others: Any, **named: Any) -> None:
        """Put several tools in."""
        for name, entry in dict(*others, **named).items():
            self[name] = entry

    def setdefault(self, name: str, default: Any = None) -> Any:
        """The tool of this name; `default`, put in and guarded, where there is none."""
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, others: Any) -> "Toolbox":  # type: ignore[override, misc]
        self.update(others)
        return self


class UnusableTool:
    """In the place of what was put into TOOLS and can't be guarded: it only says why."""

    def __init__(self, name: str, why: str) -> None:
        self.__name__, self._why = name, why

    def __call__(self, /, *args: Any, **kwargs: Any) -> str:
        """Raises ToolError."""
        raise ToolError("failed", f"{self.__name__}: {self._why}", "Use another tool.")

    def run(self, arguments: dict[str, Any], call: ToolCall | None = None) -> str:
        """Raises ToolError."""
        return self()


def _guarded(name: str, entry: Any) -> tuple[Any, dict[str, Any]]:
    held = entry if isinstance(entry, tuple | list) and entry else (entry,)
    tool, schema = held[0], held[1] if len(held) > 1 else None
    if not isinstance(tool, GuardedTool | UnusableTool):
        try:
            tool = GuardedTool(contract_of(tool, name=name))
        except WorkshopError as error:
            tool = UnusableTool(name, error.message)
    if schema is None:
        empty = {"type": "function", "function": {"name": name}}
        schema = tool.contract.schema if isinstance(tool, GuardedTool) else empty
    return tool, schema


TOOLS = Toolbox()
_contracts: dict[str, ToolContract] = {}


@overload
def register(fn: F) -> GuardedTool: ...
@overload
def register(*, replace: bool = False, **words: Any) -> Callable[[F], GuardedTool]: ...


def register(fn: Any = None, *, replace: bool = False, **words: Any) -> Any:
    """Put a function into the toolbox: `@register`, or `@register(when=..., returns=..., ...)`.

    The words are fields of ToolContract: name, when, returns, instructions, tier, cost,
    permission, preconditions, idempotent, missing, example, repeatable, timeout, always, effects.
    Running a cell again replaces its own tool; another tool's name raises WorkshopError unless
    `replace=True`.
    """
    if fn is None:
        return lambda function: _register(function, replace, words)
    return _register(fn, replace, words)


def _register(fn: Callable[..., Any], replace: bool, words: dict[str, Any]) -> GuardedTool:
    tool = GuardedTool(contract_of(fn, **words))
    name = tool.contract.name
    before = _contracts.get(name)
    if before and name in TOOLS and not replace and _origin(before.fn) != _origin(fn):
        raise WorkshopError(
            f"There is already a tool named {name!r}, from {before.fn.__module__}.",
            "Choose another name, or say @register(replace=True).",
        )
    include(tool)
    return tool


def include(*tools: GuardedTool) -> None:
    """Put tools that were registered before into the toolbox, if they are no longer in it."""
    for tool in tools:
        _contracts[tool.contract.name] = tool.contract
        TOOLS[tool.contract.name] = (tool, tool.contract.schema)


def contract(name: str) -> ToolContract | None:
    """The contract of a registered tool; None for a function put into TOOLS by hand."""
    return _contracts.get(name)


def contracts() -> list[ToolContract]:
    """Every contract, in the order of the toolbox."""
    return [_contracts[name] for name in TOOLS if name in _contracts]


def _origin(fn: Callable[..., Any]) -> tuple[str, str]:
    return fn.__module__, fn.__qualname__


@contextmanager
def spare_toolbox() -> Iterator[None]:
    """What a block registers, or takes out of TOOLS, is as before after it."""
    tools, kept = dict(TOOLS), dict(_contracts)
    try:
        yield
    finally:
        TOOLS.clear()
        TOOLS.update(tools)
        _contracts.clear()
        _contracts.update(kept)


def retrieve_tools(
    user_query: str, k: int = 6, only: tuple[str, ...] | None = None
) -> list[dict[str, Any]]:
    """The schemas of the always-on tools and of the `k` others nearest in meaning to the question.

    The order is that of the toolbox, whatever the ranking was, so that the same set of tools is
    the same prefix for a server's prompt cache. `only` limits the toolbox by name; tools that the
    session's role or envelope rules out are left out.

    Raises WorkshopError when k is negative.
    """
    if k < 0:
        raise WorkshopError(f"retrieve_tools: k must not be negative, got {k}.")
    names = [name for name in TOOLS if (only is None or name in only) and _may_be_offered(name)]
    always = {each.name for each in contracts() if each.always and each.name in names}
    others = [name for name in names if name not in always]
    chosen = always.union(others if len(others) <= k else _nearest(user_query, others, k))
    return [TOOLS[name][1] for name in names if name in chosen]


def _may_be_offered(name: str) -> bool:
    tool = TOOLS[name][0]
    return not isinstance(tool, GuardedTool) or offered(tool.contract)


def _nearest(query: str, names: list[str], k: int) -> list[str]:
    texts = [f"{n}: {TOOLS[n][1]['function'].get('description', '')}" for n in names]
    vectors = embed_if_possible([query, *texts])
    if vectors is None:
        worded = rank_by_words(query, dict(zip(names, texts, strict=True)))
        return list(dict.fromkeys([*worded, *names]))[:k]
    scores = vectors[1:] @ vectors[0]
    ranked = sorted(range(len(names)), key=lambda i: (-round(float(scores[i]), 6), names[i]))
    return [names[i] for i in ranked[:k]]
