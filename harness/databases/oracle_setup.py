"""Making both schemas in Oracle AI Database: every statement, in order, where it is missing.

A second run changes nothing. Data that somebody has changed is left alone, and that is said.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import oracledb
import yaml

from harness.databases import oracle_schema
from harness.databases.catalogue import TableInfo
from harness.databases.oracle_accounts import Accounts
from harness.databases.oracle_catalogue import stored
from harness.databases.oracle_connection import code_of, too_old_for_vectors, trouble
from harness.databases.row_policy import OWNER, RowPolicy, conditions, policy_key
from harness.databases.state_tables import OF_THE_MACHINE, state_tables
from harness.errors import WorkshopError

COLUMNS = "SELECT table_name, column_name FROM all_tab_columns WHERE owner = :owner"
TABLE_THERE = "SELECT 1 FROM all_tables WHERE owner = :owner AND table_name = :name"
_STATEMENTS = Path(__file__).with_name("oracle_statements.yaml")
_THERE_ALREADY = ("ORA-00955", "ORA-01920", "ORA-28101", "ORA-01430", "ORA-29879", "ORA-01408")
_NO_RIGHT = ("ORA-01031", "ORA-01917", "ORA-06550", "ORA-00942", "ORA-41900")
_SECRET = re.compile(r'IDENTIFIED BY "([^"]+)"')
_BATCH = 1_000


@dataclass(frozen=True)
class Step:
    """One statement. With `unless`, it is left out where that query finds a row."""

    about: str
    sql: str
    unless: str = ""
    binds: tuple[str, ...] = ()
    needs: str = ""
    optional: bool = False


def statement(key: str) -> str:
    """A statement that is sent while the agent works."""
    return next(row["sql"] for row in _written()["run"] if row["key"] == key).format(data=OWNER)


def all_steps(accounts: Accounts, policies: Sequence[RowPolicy]) -> Iterator[Step]:
    """Every statement of the setup but those that carry rows, in order."""
    masked = _masked(policies)
    yield from _steps("accounts", accounts)
    for name, sql in (oracle_schema.business_ddl() | _policy_ddl(accounts)).items():
        there = (accounts.data, name)
        yield Step(f"table {name}", sql, TABLE_THERE, there, "CREATE ANY TABLE")
    for sql in oracle_schema.business_comments():
        yield Step("a comment", sql, needs="COMMENT ANY TABLE")
    yield from _steps("grants", accounts)
    yield from _steps("policies", accounts, masked)
    if accounts.agent:
        for table in state_tables().values():
            there = (accounts.agent, table.name.upper())
            sql = oracle_schema.state_ddl(table, accounts.agent)
            yield Step(f"table {table.name}", sql, TABLE_THERE, there, "CREATE ANY TABLE")
        for name, sql in oracle_schema.sync_tables(accounts.agent).items():
            there = (accounts.agent, name)
            yield Step(f"table {name}", sql, TABLE_THERE, there, "CREATE ANY TABLE")
        yield from _steps("search", accounts)
    yield from _steps("javascript", accounts)


def set_up(
    pool: Any, accounts: Accounts, policies: Sequence[RowPolicy], say: Callable[[str], None]
) -> None:
    """Run what is missing. Raises WorkshopError for a right that is missing, a database that is too
    old, and trouble on the way.
    """
    with pool.connection() as connection, connection.cursor() as cursor:
        if accounts.agent and (old := too_old_for_vectors(connection.version)):
            raise old
        made = 0
        for step in all_steps(accounts, policies):
            made += _run(cursor, step, pool, say)
        with pool.told():
            older = list(_of_an_older_version(cursor, accounts))
        for step in older:
            made += _run(cursor, step, pool, say)
            say(f"  {step.about}")
        say(f"  {made} statements were run")
        for table in oracle_schema.business_ddl():
            with pool.told():
                say(_load(connection, cursor, table))
        with pool.told():
            _load_policies(cursor, policies)
            connection.commit()
        say(f"  {len(policies)} row policies are known to the database")


def _of_an_older_version(cursor: Any, accounts: Accounts) -> Iterator[Step]:
    """What brings the agent's tables up to date; nothing, where they were made just now."""
    if not accounts.agent:
        return
    cursor.execute(COLUMNS, [accounts.agent])
    there: dict[str, set[str]] = {}
    for name, column in cursor.fetchall():
        there.setdefault(name, set()).add(column)
    new, own = _written()["columns"]
    for table in state_tables().values():
        name = table.name.upper()
        present = there.get(name, {each.upper() for each in table.columns})
        for column in table.columns:
            if column.upper() not in present:
                if column in table.required and column not in table.defaults:
                    raise _too_old(accounts.agent, f"{name}.{column.upper()}")
                words = {"table": name, "column": oracle_schema.column_definition(table, column)}
                yield replace(_step(new, accounts, words), about=f"added {name}.{column.upper()}")
        for column in OF_THE_MACHINE.get(table.name, (frozenset(), ()))[0]:
            if column.upper() in present:
                words = {"table": name, "column": oracle_schema.oracle_name(column)}
                yield replace(_step(own, accounts, words), about=f"dropped {name}.{column.upper()}")


def _run(cursor: Any, step: Step, pool: Any, say: Callable[[str], None]) -> bool:
    try:
        if step.unless:
            cursor.execute(step.unless, list(step.binds))
            if cursor.fetchone():
                return False
        cursor.execute(step.sql)
        if getattr(cursor, "warning", None):  # PL/SQL is stored, but can't be run
            raise WorkshopError(
                f"The database could not compile this: {step.about}.",
                "SELECT line, text FROM all_errors WHERE name = 'WORKSHOP_ROWS' says why.",
            )
    except oracledb.Error as error:
        code = code_of(error)
        if code in _THERE_ALREADY:
            return False
        if step.optional:
            say(f"  left out: {step.about} ({str(error).splitlines()[0]})")
            return False
        if code in _NO_RIGHT and step.needs:
            raise WorkshopError(
                f"{pool.user} may not do this: {step.about}.",
                f"Somebody with the right to has to run: GRANT {step.needs} TO {pool.user};",
            ) from error
        raise trouble(error, pool.dsn, pool.user) or _refused(step, error) from error
    return True


def _too_old(agent: str, column: str) -> WorkshopError:
    return WorkshopError(
        f"The schema {agent} is too old to go on with: its rows have no {column}.",
        "Name another ORACLE_AGENT_USER, run the setup again, and `python -m harness move --to "
        "oracle` from the home that has the state.",
    )


def _refused(step: Step, error: oracledb.Error) -> WorkshopError:
    """What nobody expected, in the database's own words, which may quote the statement."""
    words = " ".join(str(error).split())
    for secret in _SECRET.findall(step.sql):
        words = words.replace(secret, "...")
    return WorkshopError(f"The database refused this: {step.about}.", words)


def _load(connection: Any, cursor: Any, table: str) -> str:
    """The shipped rows into an empty table, all or none."""
    names, rows = oracle_schema.business_rows(table)
    shipped = list(rows)
    cursor.execute(f"SELECT COUNT(*) FROM {OWNER}.{table}")
    (there,) = cursor.fetchone()
    if there == len(shipped):
        return f"  {table}: {there} rows, as shipped"
    if there:
        return f"  {table}: has {there} rows, not the {len(shipped)} shipped; left as it is"
    marks = ", ".join(f":b{number}" for number in range(1, len(names) + 1))
    sql = f"INSERT INTO {OWNER}.{table} ({', '.join(names)}) VALUES ({marks})"
    for start in range(0, len(shipped), _BATCH):
        cursor.executemany(sql, shipped[start : start + _BATCH])
    connection.commit()
    return f"  {table}: {len(shipped)} rows loaded"


def _load_policies(cursor: Any, policies: Sequence[RowPolicy]) -> None:
    """What every role may see; the caller commits."""
    tables = shipped_tables()
    for name in _policy_ddl_names():
        cursor.execute(f"DELETE FROM {OWNER}.{name}")
    for policy in policies:
        key = policy_key(policy)
        cursor.execute(f"INSERT INTO {OWNER}.WORKSHOP_POLICIES (policy_key) VALUES (:b1)", [key])
        for table, predicate in conditions(policy, tables).items():
            cursor.execute(
                f"INSERT INTO {OWNER}.WORKSHOP_ROW_RULES (policy_key, table_name, predicate) "
                "VALUES (:b1, :b2, :b3)",
                [key, stored(table), predicate],
            )
        for place, _ in policy.masks:
            table, _, column = place.partition(".")
            cursor.execute(
                f"INSERT INTO {OWNER}.WORKSHOP_MASKS (policy_key, table_name, column_name) "
                "VALUES (:b1, :b2, :b3)",
                [key, stored(table), stored(column)],
            )


@lru_cache(maxsize=1)
def shipped_tables() -> dict[str, TableInfo]:
    """The shipped tables with their references, as far as row policies need them."""
    return oracle_schema.references()


def _steps(group: str, accounts: Accounts, masked: dict[str, str] | None = None) -> Iterator[Step]:
    for row in _written()[group]:
        if row.get("agent") and not accounts.agent:
            continue
        places: list[dict[str, str]] = [{}]
        if row.get("each") == "table":
            places = [{"table": name} for name in oracle_schema.business_ddl()]
        elif row.get("each") == "masked table":
            places = [{"table": name, "columns": each} for name, each in (masked or {}).items()]
        for place in places:
            yield _step(row, accounts, place)


def _step(row: dict[str, Any], accounts: Accounts, place: dict[str, str]) -> Step:
    words = {**accounts.__dict__, **place}
    about = f"{row['name']} ({place['table']})" if place else row["name"]
    return Step(
        about,
        row["sql"].format(**words),
        row.get("unless", ""),
        tuple(bind.format(**words) for bind in row.get("binds", ())),
        row.get("needs", ""),
        bool(row.get("optional")),
    )


def _masked(policies: Sequence[RowPolicy]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for place in sorted({place for policy in policies for place, _ in policy.masks}):
        table, _, column = place.partition(".")
        found.setdefault(stored(table), []).append(stored(column))
    return {table: ",".join(columns) for table, columns in found.items()}


def _policy_ddl(accounts: Accounts) -> dict[str, str]:
    return oracle_schema.policy_tables(accounts.data)


def _policy_ddl_names() -> list[str]:
    return list(oracle_schema.policy_tables(OWNER))


@lru_cache(maxsize=1)
def _written() -> dict[str, list[dict[str, Any]]]:
    return yaml.safe_load(_STATEMENTS.read_text(encoding="utf-8"))
