"""Fixtures that several test files share."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from harness.settings import root
from tests.homes import home_at


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty WORKSHOP_HOME of the test's own, in force in this process and its children."""
    with home_at(tmp_path):
        yield tmp_path


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home for all tests of a module, which must not mind each other."""
    with home_at(tmp_path_factory.mktemp("shared")) as folder:
        yield folder


@pytest.fixture(scope="session")
def template_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WORKSHOP_HOME with the databases made, the schema scanned, and nothing else in it."""
    home = tmp_path_factory.mktemp("template")
    subprocess.run(
        [sys.executable, "-m", "harness", "prepare"],
        env={**os.environ, "WORKSHOP_HOME": str(home)},
        cwd=root(),
        capture_output=True,
        check=True,
    )
    with closing(sqlite3.connect(home / "agent.sqlite")) as state:  # all of it in the one file
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home


@pytest.fixture
def prepared_home(template_home: Path, tmp_path: Path) -> Iterator[Path]:
    """A prepared WORKSHOP_HOME of the test's own, in force in this process and its children."""
    with home_at(shutil.copytree(template_home, tmp_path / "home")) as home:
        yield home


@pytest.fixture(autouse=True)
def environment_as_it_was() -> Iterator[None]:
    """What a test sets, such as the user of a part that it begins, is gone for the next one."""
    before = dict(os.environ)
    yield
    for name in (os.environ.keys() | before.keys()) - {"PYTEST_CURRENT_TEST"}:
        if name not in before:
            del os.environ[name]
        elif os.environ.get(name) != before[name]:
            os.environ[name] = before[name]


@pytest.fixture(autouse=True)
def no_turn_left_open() -> Iterator[None]:
    """A test that logs a question and no answer leaves a turn; the next test starts without."""
    yield
    if "harness.run.recorder" in sys.modules:
        sys.modules["harness.run.recorder"].forget_turns()


# The fixtures below import what they need themselves: most test files need none of it.


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Any]:
    """A memory client on a store of the test's own, with made-up vectors; user "a" asks."""
    from harness import session
    from tests.memory_homes import store_at

    with session(user="a"):
        yield store_at(tmp_path)


@pytest.fixture
def toolbox_kept() -> Iterator[None]:
    """What the test registers is gone after it."""
    from harness.tools.toolbox import spare_toolbox

    with spare_toolbox():
        yield


@pytest.fixture
def shipped_tools_only(toolbox_kept: None) -> None:
    """As in a fresh process: the operations, which other test files import, are not there."""
    from harness.tools import FAMILIES
    from harness.tools.toolbox import TOOLS, contracts

    shipped = {f"harness.tools.{family}" for family in FAMILIES}
    for each in contracts():
        if each.fn.__module__ not in shipped:
            del TOOLS[each.name]


@pytest.fixture
def ran() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """The tools of tests/loop_tools.py are registered; this lists the calls that really ran."""
    from tests.loop_tools import probe_tools

    with probe_tools() as calls:
        yield calls


@pytest.fixture(scope="module")
def warm_turn() -> None:
    """What a first turn loads is loaded, so that it is no part of a turn's time."""
    from harness import standin
    from tests.loop_tools import probe_tools, turn_with

    with probe_tools():
        turn_with([standin.say("ready")])


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The shipped business data as a database of the module's own, in force."""
    from harness.databases import embedded
    from harness.databases.business import BusinessDatabase, use_business

    opened = BusinessDatabase(embedded.business_file(tmp_path_factory.mktemp("home")))
    with use_business(opened):
        yield opened
    opened.close()


@pytest.fixture(scope="session")
def lived_in_once(template_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a conversation and a memory in it, made and left by another process."""
    from tests.said_in_terminal import ANSWER, QUESTION, REMEMBER, also, terminal

    home = tmp_path_factory.mktemp("lived-in") / "home"
    shutil.copytree(template_home, home)
    told = also("ask", REMEMBER, "--thread", "monday")
    asked = terminal(home, "ask", QUESTION, first=told)  # loads the model: its texts are cached
    assert ANSWER in asked.stdout, asked.stderr
    return home


@pytest.fixture
def lived_in(lived_in_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it for each test, in force."""
    with home_at(shutil.copytree(lived_in_once, tmp_path / "home")) as home:
        yield home


@pytest.fixture
def order(toolbox_kept: None) -> list[str]:
    """A tool to order things with; this lists what was really ordered."""
    from harness import register

    ran: list[str] = []

    @register(when="ordering.", returns="'n'.", tier="write", replace=True)
    def order(
        item: Annotated[str, Field(min_length=2)],
        n: Annotated[int, Field(ge=1, le=9)] = 1,
        mode: Literal["air", "sea"] = "sea",
        tags: list[str] | None = None,
        price: float = 1.0,
    ) -> dict[str, Any]:
        """Order something."""
        ran.append(item)
        return {"n": n, "mode": mode, "tags": tags, "price": price}

    return ran
