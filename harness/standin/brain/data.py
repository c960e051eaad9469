"""A question about the data: search, read, look names up, draft, run, compute, answer."""

from typing import Any

from harness.standin.brain.arguments import Call, call, sql_call
from harness.standin.brain.compute import (
    Need,
    needed,
    skill_for,
)
from harness.standin.brain.finish import act, finish, is_cut, loaded
from harness.standin.brain.followup import read_in_thread
from harness.standin.brain.intent import Intent, Measure, Problem
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
from harness.standin.brain.narrow import narrow_reply
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import refuse, refuse_problem, said
from harness.standin.brain.repair import repaired
from harness.standin.brain.sql import Draft, compose
from harness.standin.brain.words import playbook


def answer_data(situation: Situation, text: str, lead: str = "") -> dict[str, Any]:
    """The next step towards an answer, or the answer. `lead` goes before it."""
    first = first_search(situation, text)
    if first:
        return act(*first)
    known = know(situation)
    try:
        intent = read_in_thread(text, situation, known)
        draft = compose(intent, known.schema, known.corrections.groups)
    except Problem as problem:
        return _stuck(situation, text, known, problem)
    except LookupError as error:
        return _stuck(situation, text, known, Problem("need", [str(error)], f"{error}"))
    missing = lacking(known, intent)
    if missing:
        more = wider_search(situation, text) or targeted_search(situation, missing)
        if more:
            return act(*more)
        unsafe = unsafe_link(known, intent)
        if unsafe:
            return refuse(playbook()["reasons"]["need"].format(why=f"where {unsafe} leads"))
    return _work(situation, known, intent, draft, lead)


def _stuck(situation: Situation, text: str, known: Knowing, problem: Problem) -> dict[str, Any]:
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
    if problem.kind == "unknown" and was_searched(problem, known):
        words = ", ".join(f'"{word}"' for word in problem.words)
        return refuse(reasons["notfound"].format(words=words))
    if problem.kind == "unknown" and not situation.offered("run_sql"):
        words = ", ".join(f'"{word}"' for word in problem.words)
        return refuse(reasons["nolookup"].format(words=words))
    return _unit_trap(known, problem) if problem.kind == "unit" else refuse_problem(problem)


def _join_search(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """The references of the tables that a problem names."""
    tables = [t for t in sorted(known.schema.tables) if t.rsplit(".", 1)[-1] in problem.words]
    missing = [("relationship", t) for t in tables] + [("column", t) for t in tables]
    return targeted_search(situation, missing)


def _unit_trap(known: Knowing, problem: Problem) -> dict[str, Any]:
    """ "How many tons does it carry?" of a column that is not in tons: say what the column says."""
    if len(problem.words) == 4:
        column = known.schema.column(problem.words[3], problem.words[2])
        if column is not None and column.comment:
            return said(
                playbook()["reasons"]["trap"].format(
                    asked=playbook()["shown_units"].get(problem.words[1], problem.words[1]),
                    column=f"{column.table}.{column.name}",
                    comment=column.comment.rstrip("."),
                )
            )
    return refuse_problem(problem)


def _work(
    situation: Situation, known: Knowing, intent: Intent, draft: Draft, lead: str
) -> dict[str, Any]:
    need = needed(intent, draft.groups)
    if need is not None and not situation.offered("exec_js"):
        intent, draft = _cruder(intent, known, need, "exec_js was not offered")
        need = None
    if not situation.offered("run_sql"):
        return narrow_reply(situation, intent, lead)
    skill = ""
    if need is not None:
        skill = skill_for(need, situation)
        if not skill and situation.offered("list_skills") and not situation.calls("list_skills"):
            return act(call("list_skills", query=" ".join(need.words)))
        if not skill and situation.offered("load_skill") and not situation.calls("load_skill"):
            return act(call("load_skill", name=need.words[0]))
        if not skill or not situation.offered("load_skill"):
            intent, draft = _cruder(
                intent, known, need, f"no playbook for {need.purpose} was at hand"
            )
            need = None
    run, note = _run(situation, draft)
    if isinstance(run, dict):
        if need is not None and not loaded(situation, skill):
            run["tool_calls"].insert(0, call("load_skill", name=skill))
        return run
    intent.notes += [note] if note else []
    if draft.shape == "rows" and is_cut(run):
        intent, draft = _in_sql(intent, known, situation)
        run, note = _run(situation, draft)
        if isinstance(run, dict):
            return run
        need = None
    return finish(situation, known, intent, draft, run, need, skill, lead)


def _run(situation: Situation, draft: Draft) -> tuple[dict[str, Any] | Step, str]:
    """The step that ran the draft and a note; or the calls that get there."""
    steps = [
        s for s in situation.calls("run_sql") if "matched_column" not in str(s.arguments.get("sql"))
    ]
    mine = [s for s in steps if s.arguments.get("sql") == draft.sql]
    if not mine:
        drafting = _drafting(situation, draft)
        return (drafting or act(sql_call(situation, draft.sql, draft.max_rows))), ""
    step = mine[-1]
    if not step.error:
        return step, ""
    fixed, note = repaired(draft.sql, step.error)
    again = [s for s in steps if s.arguments.get("sql") == fixed]
    if fixed and not again:
        return act(sql_call(situation, fixed, draft.max_rows)), ""
    if again and not again[-1].error:
        return again[-1], note
    reason = again[-1].error if again else step.error
    return refuse(playbook()["reasons"]["failed"].format(error=" ".join(reason.split())[:400])), ""


def _drafting(situation: Situation, draft: Draft) -> dict[str, Any] | None:
    """Non-trivial SQL goes through the scratchpad: written, read back, then run."""
    if draft.plain or not situation.offered("scratch_write", "scratch_read"):
        return None
    path = playbook()["draft_path"]
    written = [
        s for s in situation.calls("scratch_write") if s.arguments.get("content") == draft.sql
    ]
    write = call("scratch_write", path=path, content=draft.sql)
    read = call("scratch_read", path=path)
    if not written:
        return act(write, read) if situation.rounds > 2 else act(write)
    reads = [s for s in situation.calls("scratch_read") if s.round >= written[0].round]
    if not reads and not written[0].error:
        return act(read)
    return None


def _cruder(intent: Intent, known: Knowing, need: Need, why: str) -> tuple[Intent, Draft]:
    """Without the means: something simpler, and the answer says so."""
    if intent.shape == "distance":
        intent.notes.append(f"I can't work the distance out: {why}. These are the coordinates.")
        draft = compose(intent, known.schema, known.corrections.groups)
        draft.shape = "coordinates"
        return intent, draft
    old = intent.measure
    intent.measure = Measure("avg", old.column, None, None, 50.0, old.unit)
    intent.notes.append(f"This is the plain average, not {need.purpose}: {why}.")
    return intent, compose(intent, known.schema, known.corrections.groups)


def _in_sql(intent: Intent, known: Knowing, situation: Situation) -> tuple[Intent, Draft]:
    """Too many rows to fetch: the database works the figure out."""
    intent.notes.append("Too many rows to fetch, so the database worked it out.")
    return intent, compose(intent, known.schema, known.corrections.groups, in_sql=True)


__all__ = ["act", "answer_data"]
