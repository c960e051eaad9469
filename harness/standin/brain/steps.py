"""A question about the data: search, read, look names up, draft, run, compute, answer."""

from dataclasses import replace

from harness.standin.brain.compose import Draft
from harness.standin.brain.dialect import in_dialect, repaired
from harness.standin.brain.factlines import short
from harness.standin.brain.finishing import Need, Work, finish, loaded, needed, skill_for
from harness.standin.brain.followup import read_in_thread
from harness.standin.brain.knowing import MARK, Knowing, know, lacking, unsafe_link
from harness.standin.brain.lapses import estimated, guessed, heeds, invented, spoiled
from harness.standin.brain.narrow import narrow_reply
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.replies import (
    Call,
    Reply,
    Settled,
    act,
    ask,
    because,
    call,
    failed,
    query_text,
    quoted,
    readable,
    refuse_problem,
    search_call,
    sql_call,
)
from harness.standin.brain.searching import (
    first_search,
    join_search,
    missing_words,
    near_question,
    rescan,
    targeted_search,
    wider_search,
)
from harness.standin.brain.selects import draft
from harness.standin.brain.tree import Measure, Problem, Query
from harness.standin.brain.words import phrase, playbook


def answer_data(situation: Situation, text: str) -> Reply:
    """The next step towards an answer, or the answer."""
    if not heeds(situation, "search") and (guess := guessed(situation)):
        return guess
    if first := first_search(situation, text):
        return act(*first)
    known = know(situation)
    try:
        query = by_corrections(read_in_thread(text, situation, known), known)
        work = Work(situation, known, query, Draft(""))
        _redraft(work)
    except Problem as problem:
        return _stuck(situation, text, known, problem)
    except KeyError as error:  # a reference leads to a table of which no fact was seen yet
        name = str(error.args[0])
        if "." not in name:
            raise
        table = short(name)
        return _stuck(situation, text, known, Problem("need", [table], f"what {table} are"))
    missing = lacking(known, query)
    if missing and (more := wider_search(situation, text) or targeted_search(situation, missing)):
        return act(*more)
    if missing and (unsafe := unsafe_link(known, query)):
        return because("need", why=f"where {unsafe} leads")
    return _work(work)


def _redraft(work: Work, in_sql: bool = False) -> None:
    """The SQL of the tree as it is now."""
    made = draft(work.query, work.known.schema, work.known.corrections.groups, in_sql)
    work.draft = in_dialect(made, work.situation)


def by_corrections(query: Query, known: Knowing) -> Query:
    """The tree with what corrections changed: units, and the words that they define."""
    grouped = {g.value.field.column for g in query.groups}
    said_of = [g.said.strip(" .") for g in known.corrections.groups if g.column in grouped]
    notes = [*query.notes, *(f'By the correction: "{text}".' for text in said_of)]
    measures = tuple(_corrected(m, known.corrections.units) for m in query.measures)
    return replace(query, measures=measures, notes=tuple(notes))


def _corrected(measure: Measure, units: dict[tuple[str, str], str]) -> Measure:
    fields = measure.value.fields if measure.value else ()
    own = [units.get((f.column.table, f.column.name), "") for f in fields]
    unit = next(filter(None, own), "")
    value = replace(measure.value, unit=unit) if unit and measure.value else measure.value
    return replace(measure, value=value)


def _stuck(situation: Situation, text: str, known: Knowing, problem: Problem) -> Reply:
    """What to do about a question that can't be read yet: search, look up, or say so."""
    kind, tables = problem.kind, sorted(known.schema.tables)
    if kind == "refuse":
        return refuse_problem(problem)
    again = search_call(situation, query_text(situation, "search_knowledge", "query", text), 8)
    calls = [] if tables else rescan(situation, again)
    calls = calls or wider_search(situation, text)
    if kind == "need":
        calls = calls or join_search(situation, known, problem)
    if kind in ("unknown", "need", "today"):
        calls = calls or missing_words(situation, known, problem)
    if calls or not tables:
        return act(*calls) if calls else because("blank")
    if kind in ("unknown", "unused") and not heeds(situation, "invent"):
        named = [t for t in tables if short(t) in text.lower()]
        if made_up := invented(situation, problem.words, [*named, *tables]):
            return made_up
    near = near_question(text, problem, known)
    if kind == "unknown" and known.was_searched(problem):
        return because("notfound", near, words=quoted(problem.words))
    if kind == "unknown" and not situation.offered("run_sql"):
        return because("nolookup", near, words=quoted(problem.words))
    return refuse_problem(problem, near)


def _work(work: Work) -> Reply:
    """Run the draft, compute what SQL should not, and answer."""
    situation = work.situation
    need = needed(work.query, work.draft.groups)
    if need is not None and not situation.offered("exec_js"):
        _cruder(work, need, "exec_js was not offered")
        need = None
    if not situation.offered("run_sql"):
        return narrow_reply(situation, work.query)
    if need is not None and not heeds(situation, "compute"):
        return estimated(work.query, _run(work))
    skill = _skill(situation, need) if need is not None else ""
    if need is not None and not (skill and situation.offered("load_skill")):
        _cruder(work, need, f"no playbook for {need.purpose} was at hand")
        need = None
    beside = [call("load_skill", name=skill)] if need and not loaded(situation, skill) else []
    run = _run(work, *beside)
    if work.draft.shape == "values" and _is_cut(run):
        work.noted(phrase("toomany"))
        _redraft(work, in_sql=True)
        need, run = None, _run(work)
    return finish(work, run, need, skill)


def _skill(situation: Situation, need: Need) -> str:
    """The playbook for a computation; "" for none. Raises Settled to look for one."""
    skill = skill_for(need, situation)
    if not skill and situation.offered("list_skills") and not situation.calls("list_skills"):
        ask(call("list_skills", query=" ".join(need.skills)))
    if not skill and situation.offered("load_skill") and not situation.calls("load_skill"):
        ask(call("load_skill", name=need.skills[0]))
    return skill


def _run(work: Work, *beside: Call) -> Step:
    """The step that ran the draft. Raises Settled with the calls that get there."""
    situation, sql = work.situation, work.draft.sql
    queries = [(str(s.arguments.get("sql")), s) for s in situation.calls("run_sql")]
    steps = {text: step for text, step in queries if MARK not in text}  # the newest of each
    if sql not in steps and not work.draft.plain and not heeds(situation, "draft"):
        sql = spoiled(work.draft)  # SQL that nobody read again
    elif sql not in steps:
        _drafting(work, *beside)
    if sql not in steps:
        ask(*beside, sql_call(situation, sql, work.draft.max_rows))
    step = steps[sql]
    if sql != work.draft.sql:
        raise Settled(failed(step.error or "it brought nothing that I can use"))
    fixed, note = repaired(sql, step.error)
    if fixed and fixed not in steps:
        ask(sql_call(situation, fixed, work.draft.max_rows))
    if fixed:
        step = steps[fixed]
        work.noted(note)
    readable(step)
    return step


def _drafting(work: Work, *beside: Call) -> None:
    """Non-trivial SQL goes through the scratchpad: written, read back, then run."""
    situation, sql, path = work.situation, work.draft.sql, playbook()["draft_path"]
    if work.draft.plain or not situation.offered("scratch_write", "scratch_read"):
        return
    write, read = call("scratch_write", path=path, content=sql), call("scratch_read", path=path)
    written = [s for s in situation.calls("scratch_write") if s.arguments.get("content") == sql]
    if not written:
        ask(*beside, write, *([read] if situation.rounds > 2 else []))
    reads = [s for s in situation.calls("scratch_read") if s.round >= written[0].round]
    if not reads and not written[0].error:
        ask(*beside, read)


def _cruder(work: Work, need: Need, why: str) -> None:
    """Without the means: something simpler, and the answer says so."""
    if work.query.places:
        note = phrase("nodistance", why=why)
        work.query = replace(work.query, word="coordinates", notes=(note,))
        return
    first = replace(work.query.measures[0], kind="avg", weight=None)
    work.noted(phrase("cruder", purpose=need.purpose, why=why), measures=(first,))
    _redraft(work)


def _is_cut(run: Step) -> bool:
    """Whether there were more rows than came back, also where the result was stored aside."""
    ends = f"{run.data.get('head', '')}{run.data.get('tail', '')}"
    return bool(run.data.get("truncated")) or '"truncated": true' in ends
