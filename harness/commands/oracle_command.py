"""`python -m harness oracle ...`: make both schemas, look at the statements, check the rights."""

import argparse
from typing import Any

from harness.commands.fitting import say
from harness.databases import oracle_setup
from harness.databases.change_log import stop_noting
from harness.databases.oracle import OracleBusiness
from harness.databases.oracle_connection import OraclePool, too_old_for_vectors
from harness.databases.oracle_schema import business_ddl
from harness.databases.row_policy import OWNER, RowPolicy
from harness.databases.state import state
from harness.errors import WorkshopError
from harness.guards.role_rights import role, role_files
from harness.memory import state_sync
from harness.settings import Settings, settings

RIGHTS = "SELECT privilege FROM session_privs ORDER BY privilege"
READABLE = "SELECT table_name FROM all_tables WHERE owner = :owner"
_ENOUGH = {"CREATE SESSION", "EXECUTE DYNAMIC MLE"}


def main(options: argparse.Namespace) -> int:
    """Run what was asked for. Raises WorkshopError for expected trouble."""
    ways = (setup, statements, check, sync, leave)
    return {way.__name__: way for way in ways}[options.what]()


def setup(pool: Any = None) -> int:
    """Make what is missing in the database of the settings, with the administrator's rights."""
    now = _configured()
    accounts = oracle_setup.Accounts.of(now)
    if not now.oracle_admin_user or not now.oracle_admin_password:
        raise WorkshopError(
            "The setup needs a user who may make accounts (SYSTEM, or ADMIN in the cloud).",
            "Put ORACLE_ADMIN_USER and ORACLE_ADMIN_PASSWORD into .env for the setup, or hand "
            "`python -m harness oracle statements` to somebody who may.",
        )
    pool = pool or OraclePool(now, now.oracle_admin_user, now.oracle_admin_password)
    oracle_setup.set_up(pool, accounts, role_policies(), say)
    say("Ready. Take the ORACLE_ADMIN_ lines out of .env; nothing else needs them.")
    return 0


def statements() -> int:
    """Print every statement, for somebody who runs them by hand. No password is shown."""
    accounts = oracle_setup.Accounts.of(_configured())
    hidden = oracle_setup.Accounts(
        accounts.reader, '"the reader\'s password"', accounts.agent, '"the agent\'s password"'
    )
    for step in oracle_setup.all_steps(hidden, role_policies()):
        end = ";\n/" if step.sql.rstrip().endswith(";") else ";"
        print(f"-- {step.about}\n{step.sql.rstrip().rstrip(';')}{end}\n")
    print("-- Then come the rows: data/supplychain/*.csv, and what each role may see.")
    return 0


def check(pool: Any = None) -> int:
    """What the reading user may do: enough, and not too much. 1 where something is to be done."""
    now = _configured()
    pool = pool or OraclePool(now, now.oracle_user, now.oracle_password, OWNER)
    with pool.connection() as connection, connection.cursor() as cursor, pool.told():
        cursor.execute(RIGHTS)
        rights = {row[0] for row in cursor.fetchall()}
        cursor.execute(READABLE, [OWNER])
        readable = {row[0] for row in cursor.fetchall()}
        version = connection.version
    missing = [table for table in business_ddl() if table not in readable]
    for table in missing:
        say(f"  missing: GRANT READ ON {OWNER}.{table} TO {pool.user.upper()};")
    more = sorted(rights - _ENOUGH)
    if more:
        say(f"  {pool.user} may do more than read: {', '.join(more[:6])}. Take it away.")
    old = too_old_for_vectors(version)
    if old is not None:
        say(f"  note: {old.message}")
    if not missing:
        tables = OracleBusiness(now, pool).catalogue()
        say(f"  {len(tables)} tables can be read; Oracle Database {version}")
    return 1 if missing or more else 0


def sync() -> int:
    """Take over what other machines have written, and write what is new here, now."""
    now = _configured()
    if not now.shares_state:
        raise WorkshopError(
            "The agent's state is kept in this home only.",
            "Set ORACLE_AGENT_USER and ORACLE_AGENT_PASSWORD, and leave ORACLE_STATE out.",
        )
    shared = state_sync.sync_of(now)
    say(f"{shared.pull()} rows taken over, {shared.push()} rows handed on.")
    return 0


def leave() -> int:
    """This home shares its state no more: it stops to note what is changed in it."""
    if settings().shares_state:
        raise WorkshopError(
            "The settings still share this home's state.",
            "Take ORACLE_AGENT_USER out of .env, or set ORACLE_STATE=0, then run this again.",
        )
    noted = stop_noting(state())
    say("Changes are noted no more." if noted else "Nothing was noted here: this home is alone.")
    return 0


def role_policies() -> list[RowPolicy]:
    """What the roles see, of those who don't see everything."""
    found = (role(name).policy for name in role_files())
    return [policy for policy in found if policy.rows or policy.masks]


def _configured() -> Settings:
    now = settings()
    if now.offline:
        raise WorkshopError(
            "WORKSHOP_OFFLINE=1 leaves every database but the embedded one out.",
            "Unset it, then run this again.",
        )
    if now.database != "oracle":
        raise WorkshopError(
            "Oracle AI Database is not what this workshop is set to use.",
            "Put WORKSHOP_DATABASE=oracle and the ORACLE_ lines into .env (see .env.example).",
        )
    return now
