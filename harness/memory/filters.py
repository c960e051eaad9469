"""Scope, status, time and metadata as conditions of a query: filtered in it, never after it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.errors import WorkshopError
from harness.memory import times
from harness.memory.shapes import UNSET
from harness.memory.storable_text import owner_token, storable
from harness.memory.visibility import visible_records

_STEP = "\x1f"  # between the keys of a path
_ELEMENT = "\x1e"  # after a path: an element of the list there


@dataclass
class Where:
    """Conditions on `memories m`, their parameters, and what helps to answer them quickly."""

    conditions: list[str] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)
    owner: str | None = None  # the user's word in the word index
    leads: list[tuple[str, list[Any]]] = field(
        default_factory=list
    )  # queries for rows, by an index

    def add(self, condition: str, *params: Any) -> None:
        """One more condition, joined by AND."""
        self.conditions.append(condition)
        self.params.extend(params)

    @property
    def sql(self) -> str:
        """The conditions as one expression."""
        return " AND ".join(self.conditions) or "1"


def where(
    *,
    user_id: Any = UNSET,
    agent_id: Any = UNSET,
    thread_id: Any = UNSET,
    metadata_filter: Any = UNSET,
    record_types: list[str] | None = None,
    kinds: list[str] | None = None,
    statuses: tuple[str, ...] | None = ("active",),
    reader: str | None = None,
    uses: tuple[str, ...] | None = None,
) -> Where:
    """The conditions of a search. An UNSET scope is not looked at; None matches "belongs to none".

    `reader` is the agent that reads: records that only a user may read are left out for it.
    `uses` leaves out the inferred profiles that were stated for something else. Under a row policy,
    what a tool returned, or the model made of it, without that policy is left out.
    Raises WorkshopError for a filter that can't be.
    """
    found = Where()
    for column, wanted in (("user_id", user_id), ("agent_id", agent_id), ("thread_id", thread_id)):
        if wanted is None:
            found.add(f"m.{column} IS NULL")
        elif wanted is not UNSET:
            found.add(f"m.{column} = ?", storable(wanted))
            _lead(found, f"memories WHERE {column} = ?", storable(wanted))
    if user_id not in (UNSET, None) and kinds and len(kinds) == 1:
        _lead(found, "memories WHERE user_id = ? AND kind = ?", storable(user_id), kinds[0])
    if user_id is not UNSET:
        found.owner = owner_token(None if user_id is None else storable(user_id))
    _one_of(found, "m.status", statuses)
    _one_of(found, "m.memory_type", record_types)
    _one_of(found, "m.kind", kinds)
    now = times.utc_now()
    if statuses == ("active",):
        found.add("(m.expires_at IS NULL OR m.expires_at > ?)", now)
        found.add("(m.valid_from IS NULL OR m.valid_from <= ?)", now)
    elif statuses and "active" not in statuses:
        found.add("m.status != 'active'")  # as the index has it
    if reader is not None:
        found.add("m.readable_by IN ('approved_agents', ?)", f"agent:{reader}")
    here, limited = visible_records()
    if limited:
        found.add(here, *limited)
    if uses is not None:
        marks = ", ".join("?" * len(uses))
        found.add(f"(m.kind != 'profile' OR m.metadata ->> 'purpose' IN ({marks}))", *uses)
    if metadata_filter is not UNSET and metadata_filter is not None:
        _metadata(found, metadata_filter)
    return found


def _lead(found: Where, source: str, *params: Any) -> None:
    found.leads.append((f"SELECT row FROM {source}", list(params)))


def _one_of(found: Where, column: str, wanted: Any) -> None:
    if wanted is not None:
        found.add(f"{column} IN ({', '.join('?' * len(wanted))})", *wanted)


def leaves(metadata: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, value) for everything in the metadata that a filter can ask for."""
    if isinstance(metadata, dict):
        if path:
            yield path, "{}"
        for key, value in metadata.items():
            yield from leaves(value, f"{path}{_STEP}{storable(str(key))}")
        return
    yield path, _canonical(metadata)
    if isinstance(metadata, list):
        for element in metadata:
            yield path + _ELEMENT, _canonical(element)


def _metadata(found: Where, wanted: Any) -> None:
    if not isinstance(wanted, dict):
        raise WorkshopError(
            f"metadata_filter must be a dict, not {type(wanted).__name__}.",
            'Write it as {"kind": "correction"}.',
        )
    for condition, params, positive in _conditions(wanted, ""):
        found.add(condition, *params)
        if positive:
            _lead(found, "memory_metadata WHERE path = ? AND value = ?", *positive)


_HELD = "EXISTS (SELECT 1 FROM memory_metadata x WHERE x.row = m.row AND x.path = ? AND {})"
_Condition = tuple[str, list[Any], tuple[str, str] | None]


def _conditions(wanted: Any, path: str) -> Iterator[_Condition]:
    """Conditions that together say: the metadata at `path` is `wanted`."""
    if isinstance(wanted, dict) and any(str(key).startswith("$") for key in wanted):
        for operator, operand in wanted.items():
            yield from _operator(str(operator), operand, path)
    elif isinstance(wanted, dict):
        if path:
            yield _HELD.format("x.value = ?"), [path, "{}"], None
        for key, value in wanted.items():
            yield from _conditions(value, f"{path}{_STEP}{storable(str(key))}")
    else:
        pair = (path, _canonical(wanted))
        yield _HELD.format("x.value = ?"), list(pair), pair


def _operator(operator: str, operand: Any, path: str) -> Iterator[_Condition]:
    if operator == "$not":
        parts = list(_conditions(operand, path))
        params = [param for _, values, _ in parts for param in values]
        yield f"NOT ({' AND '.join(sql for sql, _, _ in parts) or '1'})", params, None
    elif operator == "$array_contains":
        for element in operand if isinstance(operand, list) else [operand]:
            pair = (path + _ELEMENT, _canonical(element))
            yield _HELD.format("x.value = ?"), list(pair), pair
    elif operator == "$array_contains_any" and isinstance(operand, list):
        marks = ", ".join("?" * len(operand))
        held = _HELD.format(f"x.value IN ({marks})")
        yield held, [path + _ELEMENT, *map(_canonical, operand)], None
    else:
        raise WorkshopError(
            f"metadata_filter can't do {operator!r}.",
            "It knows $array_contains, $array_contains_any (with a list) and $not.",
        )


def _canonical(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return storable(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))
