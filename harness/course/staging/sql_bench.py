"""The surroundings of part 05's checks: a small database of their own under `engine`."""

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from harness.course.practice_engine import engine
from harness.course.runner.explain import crash
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging.notes import Notes
from harness.course.staging.stage import Seen, Stage
from harness.excerpt import short_repr

CARRIERS = ("Otter Line", "HERON of Lagos", "O'Brien Line", "100% Cargo", "Quiet Water")
_REGIONS = ("PACIFIC", "ATLANTIC", "INDIAN", "MEDITERRANEAN")
_STATUSES = ("ARRIVED", "ARRIVED", "ARRIVED", "DELAYED", "IN_TRANSIT", "CANCELLED")


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage with `engine` on a database of 5 carriers and 120 voyages."""

    with engine.on(database()):
        yield Stage(clock, watch, restore)


def voyages() -> list[tuple[Any, ...]]:
    """voyage_id, carrier_id, ocean_region, status, delay_hours, arrived_at; the last is on time.

    Otter Line has late arrivals of exactly 24 and of 23 hours, and 34 of 24 or more.
    """
    made: list[tuple[Any, ...]] = []
    for number in range(120):
        carrier = 41 if number < 60 else 42 + number % 4
        status = "ARRIVED" if number < 40 else _STATUSES[number % 6]
        hours = (number * 7) % 5 if carrier == 45 else 20 + (number * 37) % 90
        hours = {3: 24, 4: 23, 5: 24, 12: 109, 21: 109, 30: 109}.get(number, hours)
        late = None if number == 7 else hours
        day = 1 + number % 28
        # Some have a time of arrival and did not arrive: it is when they should.
        known = status == "ARRIVED" or number % 2
        arrived = f"2026-03-{day:02d} 06:00:00" if known else None
        made.append((9000 + number, carrier, _REGIONS[number % 4], status, late, arrived))
    return made


def database() -> "duckdb.DuckDBPyConnection":
    """A new one, in memory, that can be written to."""

    made = duckdb.connect(":memory:", config={"threads": "1"})
    made.execute("SET enable_external_access = false")
    _fill(made)
    return made


def _fill(made: "duckdb.DuckDBPyConnection") -> None:
    made.execute("""
        CREATE SCHEMA SUPPLYCHAIN;
        CREATE TABLE SUPPLYCHAIN.carriers (carrier_id INTEGER, name VARCHAR);
        CREATE TABLE SUPPLYCHAIN.voyages (voyage_id INTEGER, carrier_id INTEGER,
            ocean_region VARCHAR, status VARCHAR, delay_hours INTEGER, arrived_at TIMESTAMP,
            update_ts INTEGER DEFAULT 0);
        SET search_path = 'SUPPLYCHAIN,main';
    """)
    made.executemany("INSERT INTO carriers VALUES (?, ?)", list(enumerate(CARRIERS, 41)))
    values = ", ".join(
        "(" + ", ".join("NULL" if v is None else repr(v) for v in row) + ", 0)"
        for row in reversed(voyages())
    )  # backwards, so that no order comes by itself
    made.execute(f"INSERT INTO voyages VALUES {values}")


class EngineCalls(Notes):
    """The findings of a function that works on `engine`, and what it did there."""

    def __init__(self, fn: Callable[..., Any], stage: Stage) -> None:
        super().__init__(fn)
        self._stage = stage
        self.database = engine.connection
        self._state = _state(self.database)
        self.ran: list[str] = []  # by the last call
        self.read = 0  # rows that the last call fetched

    def run(self, situation: str, *arguments: Any, **named: Any) -> Seen:
        """Call the function on a database as it was, and see what happened."""

        with engine.on(self.database):
            call = functools.partial(self._fn, **named) if named else self._fn
            seen = self._stage.call(call, situation, *arguments)
            self.ran = list(engine.ran)
            self.read = sum(result.read for result in engine.results)
        return seen

    @property
    def changed(self) -> bool:
        """Whether something that was run has changed the database."""
        return _state(self.database) != self._state

    def renew(self) -> None:
        """Make the database as it was."""
        try:
            self.database.execute(_EMPTY)
            _fill(self.database)
        except duckdb.Error:  # closed, or worse
            self.database = database()
        if self.changed:
            self.database = database()

    def expected(self, sql: str) -> tuple[list[str], list[list[Any]]]:
        """Columns and rows as they should come back."""
        cursor = self.database.cursor()
        cursor.execute("SET search_path = 'SUPPLYCHAIN,main'")
        cursor.execute(sql)
        return [c[0] for c in cursor.description or []], [list(r) for r in cursor.fetchall()]

    def crashed(self, seen: Seen, code: str = "crash", hint: str = "") -> None:
        """Note that it raised, and that nothing more can be learnt."""
        assert seen.error is not None
        self.note(crash(seen.error, self._fn, seen.situation, code, hint))
        self.hopeless = True

    def other_database(self) -> bool:
        """Whether the last call ran nothing on `engine`; noted if so."""
        if self.ran:
            return False
        self.add(
            "other_database",
            "It answered, but nothing was run on `engine`.",
            "engine.execute(sql) gives the result; run the SQL there and nowhere else.",
        )
        self.hopeless = True
        return True


def first_difference(answer: dict[str, Any], columns: list[str], rows: list[Any]) -> str:
    """Where columns or rows of an answer are not those of the engine, in words; "" if nowhere."""
    pairs: list[tuple[str, Any, Any]] = [("columns", answer["columns"], columns)]
    try:
        given = list(answer["rows"])
    except TypeError:
        pairs.append(("rows", answer["rows"], rows))
    else:
        both = itertools.zip_longest(given, rows, fillvalue="nothing")
        pairs += [(f"rows[{number}]", here, there) for number, (here, there) in enumerate(both)]
    for what, here, there in pairs:
        listed = list(here) if isinstance(here, list | tuple) else here
        if listed != there:
            return f"{what} = {short_repr(here)}, and the engine has {short_repr(there)}"
    return ""


_EMPTY = "SET search_path = 'main'; DROP SCHEMA IF EXISTS SUPPLYCHAIN CASCADE"
_COUNTED = " UNION ALL ".join(
    f"SELECT COUNT(*), SUM(HASH(t)) FROM SUPPLYCHAIN.{name} t" for name in ("carriers", "voyages")
)


def _state(connection: "duckdb.DuckDBPyConnection") -> Any:
    """Everything that a statement could have changed and that is worth keeping."""
    try:
        tables = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() ORDER BY ALL"
        ).fetchall()
        return tables, connection.execute(_COUNTED).fetchall()
    except Exception as error:  # closed, or a table is gone
        return type(error).__name__
