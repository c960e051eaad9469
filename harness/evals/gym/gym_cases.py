"""The cases of the gym: the stand-in's misbehaviours, and what each asks of an agent."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from harness.errors import WorkshopError
from harness.settings import root
from harness.standin.faults.registry import catalogue

PLAIN = "plain"  # the case without a fault: it must go well before the others mean anything


@dataclass(frozen=True)
class Case:
    """One misbehaviour. `answerable`: whether a good loop gets to the answer.

    `by_name`: it is run only where it is asked for.
    """

    name: str
    about: str
    answerable: bool = True
    option: str = ""
    streams_only: bool = False
    by_name: bool = False

    @property
    def model(self) -> str:
        """The stand-in's name for it; "" for the model that behaves."""
        if self.name == PLAIN:
            return ""
        return f"standin/{self.name}{'=' if self.option else ''}{self.option}"


def plain_case() -> Case:
    """The model as it should be."""
    return Case(PLAIN, "the model that behaves")


def cases(names: Iterable[str] = (), quick: bool = False) -> list[Case]:
    """The cases of an ordinary run, a dozen of them with `quick`, or those that are named.

    Raises WorkshopError for a name that is not a case.
    """
    known = {case.name: case for case in every_case()}
    ordinary = [name for name, case in known.items() if not case.by_name]
    wanted = list(dict.fromkeys(names)) or (_table()["quick"] if quick else ordinary)
    for name in wanted:
        if name not in known:
            raise WorkshopError(
                f"The gym has no case called {name!r}.", f"There are: {', '.join(known)}."
            )
    return [known[name] for name in wanted]


def every_case() -> list[Case]:
    """All the cases, also those that are run by name only."""
    table = _table()
    return [
        Case(
            name,
            about,
            answerable=name not in table["no_answer"],
            option=table["options"].get(name, ""),
            streams_only="(streams only)" in about,
            by_name=name in table["by_name"],
        )
        for name, about in catalogue()
        if name not in table["left_out"]
    ]


@functools.lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    path = root() / "data" / "gym" / "cases.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))
