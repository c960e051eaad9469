"""What each role may do: an envelope and permissions, read from data/roles/NAME.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.errors import WorkshopError
from harness.guards.envelope import Envelope
from harness.guards.envelope_file import envelope_of, read_yaml
from harness.settings import root


@dataclass(frozen=True)
class Role:
    """A role's rights. `permissions` are the ones that tools ask for by name."""

    name: str
    permissions: frozenset[str]
    envelope: Envelope


def role_files() -> dict[str, Path]:
    """The roles that there are, by name."""
    return {path.stem: path for path in sorted((root() / "data" / "roles").glob("*.yaml"))}


@lru_cache(maxsize=64)
def role(name: str) -> Role:
    """The role of this name. Raises WorkshopError where there is none or its file is faulty."""
    path = role_files().get(name)
    if path is None:
        raise WorkshopError(
            f"There is no role {name!r:.60}.", f"The roles are: {', '.join(role_files())}."
        )
    data = read_yaml(path)
    if not isinstance(data, Mapping):
        raise WorkshopError(f"{path.name} holds no mapping.", "It has includes, grants, denials.")
    return _role(name, data)


def _role(name: str, data: Mapping[str, Any]) -> Role:
    """A role, with the grants, denials and permissions of the roles that it includes."""
    own = {key: value for key, value in data.items() if key not in ("permissions", "includes")}
    envelope = envelope_of(own, f"The role {name}", name)
    included = [role(other) for other in data.get("includes") or ()]
    for other in included:
        envelope = envelope.model_copy(
            update={
                "grants": (*other.envelope.grants, *envelope.grants),
                "denials": (*other.envelope.denials, *envelope.denials),
            }
        )
    permissions = frozenset(data.get("permissions") or ()).union(*(r.permissions for r in included))
    return Role(name, permissions, envelope)
