"""A question about the data: search, read, look names up, draft, run, compute, answer."""

from collections.abc import Mapping
from dataclasses import replace

from harness.standin.brain.callforms import Call, Reply, act, call, sql_call
from harness.standin.brain.compose import Draft
from harness.standin.brain.compute import Need, needed, skill_for
from harness.standin.brain.dialect import in_dialect
from harness.standin.brain.drafts import draft
from harness.standin.brain.finishing import Work, _finish, loaded
from harness.standin.brain.followup import read_in_thread
from harness.standin.brain.knowing import (
    Knowing,
    first_search,
    know,
    lacking,
    missing_words,
    rescan,
    targeted_search,
    unsafe_link,
    was_searched,
    wider_search,
)
from harness.standin.brain.lapses import estimated, guessed, heeds, invented, spoiled
from harness.standin.brain.narrow import narrow_reply
from harness.standin.brain.nearby import near_question
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import quoted, refuse, refuse_problem
from harness.standin.brain.repair import repaired
from harness.standin.brain.tree import Measure, Problem, Query
from harness.standin.brain.words import playbook


def answer_data(situation: Situation, text: str, lead: str = "") -> Reply:
    """The next step towards an answer, or the answer. `lead` goes before it."""
    if not heeds(situation, "search") and (guess := guessed(situation)):
        return guess
    first = first_search(situation, text)
    if first:
        return act(*first)
    known = know(situation)
    try:
        query = by_corrections(read_in_thread(text, situation, known), known)
        made = in_dialect(draft(query, known.schema, known.corrections.groups), situation)
    except Problem as problem:
        return _stuck(situation, text, known, problem)
    except LookupError as error:
        return _stuck(situation, text, known, Problem("need", [str(error)], f"{error}"))
    missing = lacking(known, query)
    if missing:
        more = wider_search(situation, text) or targeted_search(situation, missing)
        if more:
            return act(*more)
        unsafe = unsafe_link(known, query)
        if unsafe:
            return refuse(playbook()["reasons"]["need"].format(why=f"where {unsafe} leads"))
    return _work(Work(situation, known, query, made, lead))


def by_corrections(query: Query, known: Knowing) -> Query:
    """The tree with what corrections changed: units, and the words that they define."""
    units = known.corrections.units
    grouped = {g.value.field.column for g in query.groups}
    said_of = [g.said.strip(" .") for g in known.corrections.groups if g.column in grouped]
    notes = [*query.notes, *(f'By the correction: "{text}".' for text in said_of)]
    if units:
        query = replace(query, measures=tuple(_corrected(m, units) for m in query.measures))
    return replace(query, notes=tuple(notes))


def _corrected(measure: Measure, units: Mapping[tuple[str, str], str]) -> Measure:
    if measure.value is None:
        return measure
    own = next(
        (
            units[(f.column.table, f.column.name)]
            for f in measure.value.fields
            if (f.column.table, f.column.name) in units
        ),
        "",
    )
    return replace(measure, value=replace(measure.value, unit=own)) if own else measure


def _stuck(situation: Situation, text: str, known: Knowing, problem: Problem) -> Reply:
    """What to do about a question that can't be read yet: search, look up, or say so."""
    reasons = playbook()["reasons"]
    if problem.kind == "refuse":
        return refuse_problem(problem)
    if not known.schema.tables and (scan := rescan(situation, text)):
        return act(*scan)
    if wider := wider_search(situation, text):
        return act(*wider)
    if problem.kind == "need" and (more := _join_search(situation, known, problem)):
        return act(*more)
    if problem.kind in ("unknown", "need", "today"):
        calls = missing_words(situation, known, problem)
        if calls:
            return act(*calls)
    if not known.schema.tables:
        return refuse(reasons["blank"])
    if problem.kind in ("unknown", "unused") and not heeds(situation, "invent"):
        made_up = invented(
            situation,
            problem.words,
            sorted(known.schema.tables, key=lambda t: t.rsplit(".", 1)[-1] not in text.lower()),
        )
        if made_up:
            return made_up
    near = near_question(text, problem, known)
    words = quoted(problem.words)
    if problem.kind == "unknown" and was_searched(problem, known):
        return refuse(reasons["notfound"].format(words=words), near)
    if problem.kind == "unknown" and not situation.offered("run_sql"):
        return refuse(reasons["nolookup"].format(words=words), near)
    return refuse_problem(problem, near)


def _join_search(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """The references of the tables that a problem names."""
    tables = [t for t in sorted(known.schema.tables) if t.rsplit(".", 1)[-1] in problem.words]
    missing = [("relationship", t) for t in tables] + [("column", t) for t in tables]
    return targeted_search(situation, missing)


def _work(work: Work) -> Reply:
    """Run the draft, compute what SQL should not, and answer."""
    situation = work.situation
    need = needed(work.query, work.draft.groups)
    if need is not None and not situation.offered("exec_js"):
        _cruder(work, need, "exec_js was not offered")
        need = None
    if not situation.offered("run_sql"):
        return narrow_reply(situation, work.query, work.lead)
    skill = ""
    if need is not None and not heeds(situation, "compute"):
        run = _run(work)
        return run if isinstance(run, dict) else estimated(work.query, run)
    if need is not None:
        skill = skill_for(need, situation)
        if not skill and situation.offered("list_skills") and not situation.calls("list_skills"):
            return act(call("list_skills", query=" ".join(need.words)))
        if not skill and situation.offered("load_skill") and not situation.calls("load_skill"):
            return act(call("load_skill", name=need.words[0]))
        if not skill or not situation.offered("load_skill"):
            _cruder(work, need, f"no playbook for {need.purpose} was at hand")
            need = None
    run = _run(work)
    if isinstance(run, dict):
        if need is not None and not loaded(situation, skill):
            run["tool_calls"].insert(0, call("load_skill", name=skill))
        return run
    if work.draft.shape == "values" and _is_cut(run):
        note = "Too many rows to fetch, so the database worked it out."
        work.query = replace(work.query, notes=(*work.query.notes, note))
        made = draft(work.query, work.known.schema, work.known.corrections.groups, in_sql=True)
        work.draft = in_dialect(made, situation)
        run = _run(work)
        if isinstance(run, dict):
            return run
        need = None
    return _finish(work, run, need, skill)


def _run(work: Work) -> Reply | Step:
    """The step that ran the draft; or the calls that get there."""
    situation, sql = work.situation, work.draft.sql
    steps = [
        s for s in situation.calls("run_sql") if "matched_column" not in str(s.arguments.get("sql"))
    ]
    mine = [s for s in steps if s.arguments.get("sql") == sql]
    if not mine and not work.draft.plain and not heeds(situation, "draft"):
        return _undrafted(work, steps)
    if not mine:
        return _drafting(situation, work.draft) or act(
            sql_call(situation, sql, work.draft.max_rows)
        )
    step = mine[-1]
    if not step.error:
        return step
    fixed, note = repaired(sql, step.error)
    again = [s for s in steps if s.arguments.get("sql") == fixed]
    if fixed and not again:
        return act(sql_call(situation, fixed, work.draft.max_rows))
    if again and not again[-1].error:
        work.query = replace(work.query, notes=(*work.query.notes, note))
        return again[-1]
    reason = again[-1].error if again else step.error
    return refuse(playbook()["reasons"]["failed"].format(error=" ".join(reason.split())[:400]))


def _undrafted(work: Work, steps: list[Step]) -> Reply:
    """SQL that nobody read again."""
    sql = spoiled(work.draft)
    mine = [s for s in steps if s.arguments.get("sql") == sql]
    if not mine:
        return act(sql_call(work.situation, sql, work.draft.max_rows))
    error = mine[-1].error or "it brought nothing that I can use"
    return refuse(playbook()["reasons"]["failed"].format(error=" ".join(error.split())[:400]))


def _drafting(situation: Situation, made: Draft) -> Reply | None:
    """Non-trivial SQL goes through the scratchpad: written, read back, then run."""
    if made.plain or not situation.offered("scratch_write", "scratch_read"):
        return None
    path = playbook()["draft_path"]
    written = [
        s for s in situation.calls("scratch_write") if s.arguments.get("content") == made.sql
    ]
    write, read = (
        call("scratch_write", path=path, content=made.sql),
        call("scratch_read", path=path),
    )
    if not written:
        return act(write, read) if situation.rounds > 2 else act(write)
    reads = [s for s in situation.calls("scratch_read") if s.round >= written[0].round]
    return act(read) if not reads and not written[0].error else None


def _cruder(work: Work, need: Need, why: str) -> None:
    """Without the means: something simpler, and the answer says so."""
    if work.query.shape == "distance":
        work.query = replace(
            work.query,
            word="coordinates",
            notes=(f"I can't work the distance out: {why}. These are the coordinates.",),
        )
        return
    note = f"This is the plain average, not {need.purpose}: {why}."
    first = replace(work.query.measures[0], kind="avg", weight=None)
    work.query = replace(work.query, measures=(first,), notes=(*work.query.notes, note))
    made = draft(work.query, work.known.schema, work.known.corrections.groups)
    work.draft = in_dialect(made, work.situation)


def _is_cut(run: Step) -> bool:
    """Whether there were more rows than came back, also where the result was stored aside."""
    ends = f"{run.data.get('head', '')}{run.data.get('tail', '')}"
    return bool(run.data.get("truncated")) or '"truncated": true' in ends
