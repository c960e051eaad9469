"""The laboratory of part 05: statements that write or spy, statements that don't, and walls."""

from collections.abc import Callable
from typing import Any

from harness.errors import ToolError

HOSTILE = (
    "DROP TABLE voyages",
    "/* tidy up */ DELETE FROM voyages",
    "WITH x AS (SELECT 1) DELETE FROM voyages",
    "WITH x AS (DELETE FROM voyages RETURNING *) SELECT * FROM x",
    "SELECT 1; DROP TABLE voyages",
    "SELECT * INTO mine FROM voyages",
    "SELECT * FROM voyages FOR UPDATE",
    "EXPLAIN ANALYZE DELETE FROM voyages",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM voyages",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "PRAGMA database_list",
    "COPY voyages TO 'mine.csv'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT current_setting('temp_directory')",
)
HARMLESS = (
    "SELECT 'DROP TABLE voyages' AS words",
    "SELECT MAX(arrived_at) AS update_ts FROM voyages; -- done",
    "SELECT REPLACE(name, 'Line', '') AS name FROM carriers",
    "WITH a AS (WITH b AS (SELECT 1 AS x) SELECT * FROM b) SELECT * FROM a",
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY delay_hours) FROM voyages",
    "SELECT name FROM carriers UNION SELECT name FROM ports",
)
Wall = Callable[[str], Any]  # raises ToolError for what it refuses


def refuses(wall: Wall, sql: str) -> bool:
    """Whether a wall refuses a statement."""
    try:
        wall(sql)
    except ToolError:
        return True
    return False


def try_walls(**walls: Wall) -> None:
    """Print what each wall makes of every statement, asked alone."""
    for title, statements in (("hostile", HOSTILE), ("harmless", HARMLESS)):
        print(f"{title:<62}{''.join(f'{name:<10}' for name in walls)}".rstrip())
        for sql in statements:
            said = ["refused" if refuses(wall, sql) else "-" for wall in walls.values()]
            print(f"  {sql[:59]:<60}{''.join(f'{each:<10}' for each in said)}".rstrip())


def past_the_wall(wall: Wall) -> None:
    """Print how many statements of each kind a wall gets right, and what gets past it."""
    past = [sql for sql in HOSTILE if not refuses(wall, sql)]
    allowed = sum(not refuses(wall, sql) for sql in HARMLESS)
    print(f"{len(HOSTILE) - len(past)} of {len(HOSTILE)} hostile statements refused")
    print(f"{allowed} of {len(HARMLESS)} harmless ones allowed")
    print("past your wall:", past)
