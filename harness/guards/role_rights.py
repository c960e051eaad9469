"""What each role may do: an envelope and permissions, read from data/roles/NAME.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.databases.row_policy import RowPolicy
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.envelope import Envelope
from harness.guards.envelope_file import envelope_of, read_yaml
from harness.settings import root

_OTHER = ("permissions", "includes", "rows", "masks")  # keys of a role beside its envelope's


@dataclass(frozen=True)
class Role:
    """A role's rights. `permissions` are the ones that tools ask for by name.

    `policy` says what it sees of the business data; an empty one leaves everything.
    """

    name: str
    permissions: frozenset[str]
    envelope: Envelope
    policy: RowPolicy


def role_files() -> dict[str, Path]:
    """The roles that there are, by name."""
    return {path.stem: path for path in sorted((root() / "data" / "roles").glob("*.yaml"))}


@lru_cache(maxsize=64)
def role(name: str) -> Role:
    """The role of this name. Raises WorkshopError where there is none or its file is faulty."""
    path = role_files().get(name)
    if path is None:
        raise WorkshopError(
            f"There is no role {short_repr(name)}.", f"The roles are: {', '.join(role_files())}."
        )
    data = read_yaml(path)
    if not isinstance(data, Mapping):
        raise WorkshopError(f"{path.name} holds no mapping.", "It has includes, grants, denials.")
    return _role(name, data)


def _role(name: str, data: Mapping[str, Any]) -> Role:
    """A role, with the grants, denials and permissions of the roles that it includes."""
    own = {key: value for key, value in data.items() if key not in _OTHER}
    envelope = envelope_of(own, f"The role {name}", name)
    included = [role(other) for other in data.get("includes") or ()]
    for other in included:
        envelope = envelope.model_copy(
            update={
                "grants": (*other.envelope.grants, *envelope.grants),
                "denials": (*other.envelope.denials, *envelope.denials),
            }
        )
    rows, masks = ({**_policy(name, data, part)} for part in ("rows", "masks"))
    for other in included:
        theirs = dict(other.policy.rows), dict(other.policy.masks)
        if set(rows) & set(theirs[0]) or set(masks) & set(theirs[1]):
            raise WorkshopError(
                f"The role {name} and {other.name} both say what is seen of one table.",
                "Say it in one of them.",
            )
        rows, masks = {**theirs[0], **rows}, {**theirs[1], **masks}
    permissions = frozenset(data.get("permissions") or ()).union(*(r.permissions for r in included))
    policy = RowPolicy(tuple(rows.items()), tuple(masks.items()))
    return Role(name, permissions, envelope, policy)


def _policy(name: str, data: Mapping[str, Any], part: str) -> dict[str, str]:
    """A part of the row policy: names and SQL, nothing else."""
    found = data.get(part) or {}
    if not isinstance(found, Mapping) or not all(
        isinstance(word, str) for pair in found.items() for word in pair
    ):
        raise WorkshopError(
            f"The role {name}: {part} holds something that is not text.",
            'Put the SQL in quotes, such as "0".',
        )
    return dict(found)
