"""The check of late_arrivals, against wrong versions and differently written right ones."""

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_05 import late_arrivals
from harness.course.practice_engine import engine
from harness.databases.sql_errors import nearest
from harness.errors import ToolError
from harness.tools.contract import contract_of
from harness.tools.lint import lint
from harness.tools.toolbox import GuardedTool

SELECT = """SELECT voyage_id, delay_hours, arrived_at FROM voyages
    WHERE carrier_id = ? AND status = 'ARRIVED'
    AND delay_hours >= ? AND ocean_region = COALESCE(?, ocean_region)
    ORDER BY delay_hours DESC, voyage_id"""


def look_up(carrier):
    rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    known = {name.lower(): (number, name) for number, name in rows}
    if carrier.strip().lower() not in known:
        close = nearest(carrier, [name for _, name in rows])
        raise ToolError("bad_arguments", "no such carrier", f"Did you mean {close}?")
    return known[carrier.strip().lower()]


def make(sql=SELECT, *, cap=20, values=None, find=look_up, **changes):
    def version(carrier, min_hours=24, ocean_region=None):
        number, name = find(carrier)
        given = (values or (lambda *v: list(v)))(number, min_hours, ocean_region)
        rows = engine.execute(sql, given).fetchall()
        listed = [
            {"voyage_id": row[0], "delay_hours": row[1], "arrived_at": row[2]} for row in rows
        ]
        value = {"carrier": name, "total": len(listed), "voyages": listed[:cap]}
        worked = {k: v(carrier, value) if callable(v) else v for k, v in changes.items()}
        return {**value, **worked}

    return version


def stub(carrier, min_hours=24, ocean_region=None):
    raise NotImplementedError("late_arrivals is yours to write")


def pasted(carrier, min_hours=24, ocean_region=None):
    number = engine.execute(f"SELECT carrier_id FROM carriers WHERE name = '{carrier}'").fetchall()
    rows = engine.execute(SELECT, [number[0][0], min_hours, ocean_region]).fetchall()
    return {"carrier": carrier, "total": len(rows), "voyages": rows}


def escaped(carrier, min_hours=24, ocean_region=None):
    name = carrier.strip().replace("'", "''")
    found = engine.execute(
        f"SELECT carrier_id, name FROM carriers WHERE name ILIKE '{name}'"
    ).fetchall()
    return make(find=lambda _: found[0])(carrier, min_hours, ocean_region)


def no_region(carrier, min_hours=24):
    return make()(carrier, min_hours)


def a_list(carrier, min_hours=24, ocean_region=None):
    return make()(carrier, min_hours, ocean_region)["voyages"]


def no_total(carrier, min_hours=24, ocean_region=None):
    value = make()(carrier, min_hours, ocean_region)
    del value["total"]
    return value


def elsewhere(carrier, min_hours=24, ocean_region=None):
    return {"carrier": carrier, "total": 0, "voyages": []}


def none_is_error(carrier, min_hours=24, ocean_region=None):
    value = make()(carrier, min_hours, ocean_region)
    if not value["total"]:
        raise ToolError("failed", "there are no such voyages", "ask for fewer hours")
    return value


def exact(carrier):
    if carrier.strip().lower() == "otter line" and carrier != "Otter Line":
        raise ToolError("bad_arguments", "no such carrier", "")
    return look_up(carrier)


def silent(carrier):
    try:
        return look_up(carrier)
    except ToolError:
        return 0, carrier


def like(carrier):
    rows = engine.execute(
        "SELECT carrier_id, name FROM carriers WHERE name ILIKE ? ORDER BY 1", [carrier.strip()]
    ).fetchall()
    return rows[0] if rows else look_up(carrier)


def key_error(carrier):
    rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    return {name.lower(): (number, name) for number, name in rows}[carrier.strip().lower()]


def no_help(carrier):
    try:
        return look_up(carrier)
    except ToolError as error:
        raise ToolError("bad_arguments", "There is no such carrier.", "Try another.") from error


def quote_stripped(carrier):
    return look_up(carrier.replace("'", ""))


def numbers_in_the_text(carrier, min_hours=24, ocean_region=None):
    number, name = look_up(carrier)
    where = f"carrier_id = {number:d} AND status = 'ARRIVED' AND delay_hours >= {min_hours:d}"
    values = []
    if ocean_region:
        where, values = where + " AND ocean_region = ?", [ocean_region]
    total = engine.execute(f"SELECT COUNT(*) FROM voyages WHERE {where}", values).fetchall()[0][0]
    found = engine.execute(
        f"SELECT * FROM voyages WHERE {where} ORDER BY delay_hours DESC, voyage_id LIMIT 20", values
    )
    voyages = [dict(zip(found.columns, row, strict=True)) for row in found.fetchmany(20)]
    return {"carrier": name, "total": total, "voyages": voyages}


WRONG = {
    "not_written": stub,
    "signature": no_region,
    "pasted": pasted,
    "pasted though escaped": escaped,
    "pasted though numbers": numbers_in_the_text,
    "not_a_dict": a_list,
    "not_dicts": make(voyages=lambda _, value: [v["voyage_id"] for v in value["voyages"]]),
    "key_missing": no_total,
    "key_missing inside": make(
        voyages=lambda _, v: [{"id": one["voyage_id"]} for one in v["voyages"]]
    ),
    "other_database": elsewhere,
    "other_carriers": make(SELECT.replace("carrier_id = ?", "? > 0")),
    "not_arrived": make(SELECT.replace("status = 'ARRIVED'", "status <> 'CANCELLED'")),
    "min_hours_ignored": make(SELECT.replace("delay_hours >= ?", "delay_hours + ? > 0")),
    "boundary": make(SELECT.replace(">= ?", "> ?")),
    "region_ignored": make(
        SELECT.replace("ocean_region = COALESCE(?, ocean_region)", "? IS NULL OR TRUE")
        .replace("AND ? IS", "AND (? IS")
        .replace("OR TRUE", "OR TRUE)")
    ),
    "order_wrong": make(
        SELECT.replace("delay_hours DESC, ", "") + " DESC", cap=20, values=lambda c, h, r: [c, h, r]
    ),
    "not_capped": make(cap=None),
    "total_wrong": make(total=lambda _, value: len(value["voyages"])),
    "none_is_error": none_is_error,
    "case_matters": make(find=exact),
    "name_not_looked_up": make(carrier=lambda carrier, _: carrier),
    "quote_breaks": make(find=quote_stripped),
    "unknown_silent": make(find=silent),
    "unknown_silent like": make(find=like),
    "wrong_error": make(find=key_error),
    "no_nearest": make(find=no_help),
}


def right_in_one_query(carrier, min_hours=24, ocean_region=None):
    sql = """SELECT c.name, v.voyage_id, v.delay_hours, v.arrived_at FROM carriers c
        LEFT JOIN voyages v ON v.carrier_id = c.carrier_id AND v.status = 'ARRIVED'
            AND v.delay_hours >= ? AND (? IS NULL OR v.ocean_region = ?)
        WHERE LOWER(c.name) = LOWER(TRIM(?)) ORDER BY 3 DESC, 2"""
    rows = engine.execute(sql, [min_hours, ocean_region, ocean_region, carrier]).fetchall()
    if not rows:
        names = [row[0] for row in engine.execute("SELECT name FROM carriers").fetchall()]
        raise ToolError(
            "bad_arguments", f"unknown carrier {carrier}", f"Is it {nearest(carrier, names)}?"
        )
    late = [
        {"voyage_id": i, "delay_hours": h, "arrived_at": t} for _, i, h, t in rows if i is not None
    ]
    return {"carrier": rows[0][0], "total": len(late), "voyages": late[:20], "status": "ok"}


def right_in_python(carrier, min_hours=24, ocean_region=None):
    number, name = look_up(carrier)
    rows = engine.execute(
        "SELECT voyage_id, delay_hours, status, ocean_region, arrived_at FROM voyages"
        " WHERE carrier_id = $1",
        [number],
    ).fetchall()
    late = [
        {"voyage_id": r[0], "delay_hours": r[1], "arrived_at": r[4]}
        for r in rows
        if r[2] == "ARRIVED"
        and r[1] is not None
        and r[1] >= min_hours
        and ocean_region in (None, r[3])
    ]
    late.sort(key=lambda v: (-v["delay_hours"], v["voyage_id"]))
    return {"carrier": name, "voyages": late[:20], "total": len(late)}


def right_with_a_count(carrier, min_hours=24, ocean_region=None):
    number, name = look_up(carrier)
    where = "FROM voyages WHERE carrier_id = $1 AND status = $2 AND delay_hours >= $3"
    values = [number, "ARRIVED", min_hours]
    if ocean_region:
        where, values = where + " AND ocean_region = $4", [*values, ocean_region]
    total = engine.execute(f"SELECT COUNT(*) {where}", values).fetchall()[0][0]
    order = "ORDER BY delay_hours DESC, voyage_id FETCH FIRST 20 ROWS ONLY"
    found = engine.execute(f"SELECT * {where} {order}", values)
    voyages = [dict(zip(found.columns, row, strict=True)) for row in found.fetchmany(20)]
    return {"carrier": name, "total": total, "voyages": voyages}


class Late:
    def __call__(self, carrier, min_hours=24, ocean_region=None):
        return make()(carrier, min_hours, ocean_region)


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("late_arrivals", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn", [make(), right_in_one_query, right_in_python, right_with_a_count, Late()]
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("late_arrivals", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("late_arrivals", late_arrivals)
    assert report.passed and report.owner == "ours", str(report)


def test_ours_makes_a_contract_that_the_linter_accepts():
    contract = contract_of(
        late_arrivals,
        when="someone asks which voyages of one carrier came late; simpler than run_sql for that.",
        returns="'total' counts every match, 'voyages' lists the latest 20; delay_hours in hours.",
        example={"carrier": "Kestrel Ocean", "min_hours": 48},
    )
    assert lint(contract, []) == []
    with pytest.raises(ToolError, match="ocean_region"):
        GuardedTool(contract)(carrier="Kestrel Ocean", ocean_region="ARCTIC")
