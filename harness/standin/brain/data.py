"""A question about the data: search, read, look names up, draft, run, compute, answer."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from harness.standin.brain.answer import Answer
from harness.standin.brain.arguments import (
    Call,
    call,
    content_words,
    query_text,
    search_call,
    sql_call,
)
from harness.standin.brain.compute import (
    Need,
    code_from,
    conversion,
    conversion_code,
    needed,
    skill_for,
)
from harness.standin.brain.corrections import Corrections, read_corrections
from harness.standin.brain.facts import today_in
from harness.standin.brain.followup import read_in_thread
from harness.standin.brain.intent import Intent, Measure, Problem
from harness.standin.brain.lexicon import lexicon_of
from harness.standin.brain.lookups import exact_first, looked_up, lookup_sql
from harness.standin.brain.narrow import narrow_reply
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import refuse, refuse_problem, said
from harness.standin.brain.repair import repaired
from harness.standin.brain.schema import Schema, schema_of
from harness.standin.brain.sql import Draft, compose
from harness.standin.brain.words import playbook, tidy, word_set

_WIDE = (["table"], ["relationship"], ["column", "correction"])


def act(*calls: Call) -> dict[str, Any]:
    """A reply that calls tools."""
    return {"content": None, "tool_calls": list(calls)}


@dataclass
class Knowing:
    """What the facts so far add up to."""

    schema: Schema
    lexicon: Any
    corrections: Corrections
    today: date | None
    searched: set[tuple[str, ...]] = field(default_factory=set)


def know(situation: Situation) -> Knowing:
    """Schema, names, corrections and the data's own today, from what was seen."""
    schema = schema_of(tuple(situation.facts))
    found, searched = looked_up(situation, schema)
    lexicon = lexicon_of(schema, exact_first(found), frozenset(searched))
    corrections = read_corrections(situation.correction_texts, schema, lexicon)
    stated = today_in([fact.body for fact in situation.facts])
    return Knowing(
        schema, lexicon, corrections, date.fromisoformat(stated) if stated else None, searched
    )


def answer_data(situation: Situation, text: str, lead: str = "") -> dict[str, Any]:
    """The next step towards an answer, or the answer. `lead` goes before it."""
    first = _search_first(situation, text)
    if first is not None:
        return first
    known = know(situation)
    try:
        intent = read_in_thread(text, situation, known)
        draft = compose(intent, known.schema, known.corrections.groups)
    except Problem as problem:
        return _stuck(situation, text, known, problem)
    except LookupError as error:
        return _stuck(
            situation, text, known, Problem("need", [str(error)], "how to join those tables")
        )
    if not _seen_enough(situation, known, intent):
        wider = _wider(situation, text)
        if wider is not None:
            return wider
    return _work(situation, known, intent, draft, lead)


# -- knowing more -----------------------------------------------------------------------------------


def _search_first(situation: Situation, text: str) -> dict[str, Any] | None:
    """The first rule of the job: search before anything else."""
    if not situation.offered("search_knowledge") or situation.calls("search_knowledge"):
        return None
    query = query_text(situation, "search_knowledge", "query", _whole(situation, text))
    return act(search_call(situation, query, 8))


def _whole(situation: Situation, text: str) -> str:
    """A follow-up is searched with the question that it follows."""
    if len(content_words(text)) < 4:
        before = [t for role, t in situation.recent if role == "user"]
        return f"{before[-1]} {text}" if before else text
    return text


def _wider(situation: Situation, text: str) -> dict[str, Any] | None:
    """One search for each kind of fact, together; None when that was done."""
    done = [s for s in situation.calls("search_knowledge") if s.arguments.get("kinds")]
    if done or not situation.offered("search_knowledge"):
        return None
    if "kinds" not in situation.parameters("search_knowledge"):
        again = [s for s in situation.calls("search_knowledge") if s.round]
        words = " ".join(content_words(_whole(situation, text)))
        return None if again else act(search_call(situation, f"tables and joins: {words}", 25))
    words = _whole(situation, text)
    words = " ".join([*content_words(words), *_hints(situation, text)])
    return act(
        *(
            search_call(situation, words, k, kinds)
            for kinds, k in zip(_WIDE, (10, 20, 20), strict=True)
        )
    )


def _hints(situation: Situation, text: str) -> list[str]:
    """Plain words for the superlatives and adjectives of a question: oldest is about "built"."""
    low = tidy(text).lower()
    found: list[str] = []
    for section in ("superlatives", "comparatives"):
        for each in playbook()[section].values():
            if any(f" {word} " in f" {low} " for word in map(str, each["words"])):
                found += each.get("of", [])
    for word, options in playbook()["senses"].items():
        found += options if f" {word} " in f" {low} " else []
    for verb in playbook()["dates"].values():
        if any(f" {word} " in f" {low} " for word in map(str, verb["words"])):
            found += verb["of"]
    if re.search(r"\b(19|20)\d\d\b|\b(today|yesterday|week|month|year|days)\b", low):
        found += ["date", "time", "snapshot"]
    if re.search(r"\bfar\b|\bdistance\b|\bwhere\b", low):
        found += ["latitude", "longitude", "position"]
    return list(dict.fromkeys(word for word in found if word != "when"))


def _seen_enough(situation: Situation, known: Knowing, intent: Intent) -> bool:
    """Whether every table in play was described, and every reference of theirs was shown."""
    tables = {
        intent.root,
        *(f.column.table for f in (*intent.filters, *intent.target, *intent.places)),
    }
    tables |= {g.table for g in intent.groups} | {r.table for r in intent.related}
    if any(not known.schema.tables[t].described for t in tables):
        return False
    linked = {(r.table, r.column) for r in known.schema.references}
    for table in tables if len(tables) > 1 or intent.shape in ("distance", "locate") else ():
        for column in known.schema.tables[table].columns.values():
            loose = (
                column.parts[-1:] == ("id",) and column.name not in known.schema.tables[table].key
            )
            if loose and (table, column.name) not in linked:
                return False
    needs_comment = [c for c in (intent.measure.column, intent.order_by) if c is not None]
    return all(column.comment for column in needs_comment)


def _stuck(situation: Situation, text: str, known: Knowing, problem: Problem) -> dict[str, Any]:
    """What to do about a question that can't be read yet: search, look up, or say so."""
    if problem.kind == "refuse":
        return refuse_problem(problem)
    if not known.schema.tables and situation.offered("scan_database", "search_knowledge"):
        if not situation.calls("scan_database") and situation.calls("search_knowledge"):
            owner = owner_named(situation)
            if owner:
                return act(call("scan_database", owner=owner))
        elif not [
            s
            for s in situation.calls("search_knowledge")
            if s.round > situation.calls("scan_database")[0].round
        ]:
            return act(
                search_call(situation, query_text(situation, "search_knowledge", "query", text), 8)
            )
    wider = _wider(situation, text)
    if wider is not None:
        return wider
    if problem.kind in ("unknown", "need", "today"):
        calls = _focused(situation, known, problem)
        if calls:
            return act(*calls)
    if not known.schema.tables:
        return refuse(playbook()["reasons"]["blank"])
    if problem.kind == "unknown" and _all_searched(problem, known):
        words = ", ".join(f'"{word}"' for word in problem.words)
        return refuse(playbook()["reasons"]["notfound"].format(words=words))
    if problem.kind == "unit":
        return _unit_trap(known, problem)
    return refuse_problem(problem)


def _focused(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """One more search with the words that are missing, and the names looked up beside it."""
    calls: list[Call] = []
    words = " ".join(problem.words)
    queries = {str(s.arguments.get("query")) for s in situation.calls("search_knowledge")}
    if situation.offered("search_knowledge") and words and len(queries) < 4:
        query = "snapshot today is" if problem.kind == "today" else words
        if query not in queries:
            calls.append(search_call(situation, query, 8))
    if (
        problem.kind == "unknown"
        and situation.offered("run_sql")
        and not _all_searched(problem, known)
    ):
        sql = lookup_sql(known.schema, [w for w in problem.words if not _dull(w)])
        tried = {str(s.arguments.get("sql")) for s in situation.calls("run_sql")}
        if sql and sql not in tried:
            calls.append(sql_call(situation, sql))
    return calls


def _dull(word: str) -> bool:
    return set(word.lower().split()) <= word_set("dull") | word_set("stop")


def _all_searched(problem: Problem, known: Knowing) -> bool:
    from harness.standin.brain.words import keys

    return all(keys(word) in known.searched for word in problem.words)


def owner_named(situation: Situation) -> str:
    """The schema that the question, the system prompt or a contract names."""
    for text in (
        situation.question,
        situation.system,
        str(situation.tools.get("scan_database", {})),
    ):
        for match in re.finditer(
            r"\b([A-Z][A-Z_]{4,})\b(?=\s+schema|\.\w)|schema\s+([A-Z][A-Z_]{4,})\b", text
        ):
            return match.group(1) or match.group(2)
    found = re.search(
        r'"owner": "(\w+)"|\'owner\': \'(\w+)\'', str(situation.tools.get("scan_database", {}))
    )
    return (found.group(1) or found.group(2)) if found else ""


def _unit_trap(known: Knowing, problem: Problem) -> dict[str, Any]:
    """ "How many tons does it carry?" of a column that is not in tons: say what the column says."""
    if len(problem.words) == 4:
        column = known.schema.column(problem.words[3], problem.words[2])
        if column is not None:
            return said(
                playbook()["reasons"]["trap"].format(
                    asked=problem.words[1],
                    column=f"{column.table}.{column.name}",
                    comment=column.comment.rstrip("."),
                )
            )
    return refuse_problem(problem)


# -- working ----------------------------------------------------------------------------------------


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
        if not skill or not situation.offered("load_skill"):
            intent, draft = _cruder(
                intent, known, need, f"no playbook for {need.purpose} was at hand"
            )
            need = None
    run, note = _run(situation, draft)
    if isinstance(run, dict):
        if need is not None and not _loaded(situation, skill):
            run["tool_calls"].insert(0, call("load_skill", name=skill))
        return run
    intent.notes += [note] if note else []
    if run.data.get("truncated") and draft.shape == "rows":
        intent, draft = _in_sql(intent, known, situation)
        run, note = _run(situation, draft)
        if isinstance(run, dict):
            return run
        need = None
    return _finish(situation, known, intent, draft, run, need, skill, lead)


def _loaded(situation: Situation, skill: str) -> Step | None:
    return next(
        (s for s in situation.calls("load_skill") if s.arguments.get("name") == skill), None
    )


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


def _finish(
    situation: Situation,
    known: Knowing,
    intent: Intent,
    draft: Draft,
    run: Step,
    need: Need | None,
    skill: str,
    lead: str,
) -> dict[str, Any]:
    columns = [str(c) for c in run.data.get("columns") or []]
    rows = [list(r) for r in run.data.get("rows") or []]
    truncated = bool(run.data.get("truncated"))
    if run.data.get("offloaded") and not rows:
        return refuse(playbook()["reasons"]["toolong"])
    expression, own, shown = conversion(intent, known.corrections)
    if intent.shape == "distance" and len(rows) < 2:
        missing = [p.said for p in intent.places if p.said not in [r[0] for r in rows]]
        return said(f"{lead}No position of {' and '.join(missing)} is known.")
    if draft.shape == "coordinates":
        lines = [f"{r[0]}: latitude {r[1]}, longitude {r[2]}" for r in rows]
        return said("\n".join([lead + "; ".join(lines) + ".", *intent.notes]))
    if need is not None and rows:
        body = _loaded(situation, skill)
        code = code_from(str(body.data.get("body") or ""), need) if body and not body.error else ""
        if not code:
            return refuse(playbook()["reasons"]["nocode"].format(skill=skill))
        result = _javascript(situation, code, run)
        if isinstance(result, dict):
            return result
        columns, rows = _computed(result, columns, intent, draft)
    if expression and rows and intent.shape not in ("list",):
        if (
            situation.offered("exec_js")
            and need is None
            and not draft.groups
            or draft.groups
            and situation.offered("exec_js")
            and need is None
        ):
            result = _javascript(situation, conversion_code(expression), run)
            if isinstance(result, dict):
                return result
            rows = [list(r) for r in result if isinstance(r, list)]
            intent.notes.append(_converted_note(intent, own, shown))
        else:
            shown = own
    text = Answer(
        intent,
        draft,
        known.schema,
        columns,
        rows,
        shown if intent.measure.kind not in ("count", "distinct") else _order_unit(intent, known),
        truncated,
    ).text()
    return said(lead + text)


def _order_unit(intent: Intent, known: Knowing) -> str:
    from harness.standin.brain.corrections import units_said

    return units_said(intent.order_by, known.corrections) if intent.order_by is not None else ""


def _converted_note(intent: Intent, own: str, shown: str) -> str:
    names = playbook()["shown_units"]
    column = intent.measure.column
    assert column is not None
    return f"{column.name} is in {names.get(own, own)}; converted to {names.get(shown, shown)}."


def _javascript(situation: Situation, code: str, run: Step) -> list[Any] | dict[str, Any]:
    """The value that the code returned, as rows; or the call; or why it failed."""
    done = [s for s in situation.calls("exec_js") if s.arguments.get("code") == code]
    if not done:
        made = call("exec_js", code=code)
        if "input_from" in situation.parameters("exec_js"):
            made["arguments"]["input_from"] = run.id
        else:
            made["arguments"]["code"] = f"const input = {run.text};\n{code}"
        return act(made)
    step = done[-1]
    if step.error or step.data.get("ok") is False:
        reason = step.error or str(step.data.get("stderr") or "it did not run")
        return refuse(playbook()["reasons"]["failed"].format(error=" ".join(reason.split())[:400]))
    value = step.data.get("value")
    return value if isinstance(value, list) else [[value]]


def _computed(
    result: list[Any], columns: list[str], intent: Intent, draft: Draft
) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a computation: groups, the figure, how many values it rests on."""
    rows = [list(r) for r in result if isinstance(r, list)]
    if intent.shape == "distance":
        return ["distance"], rows
    m = intent.measure
    assert m.column is not None
    word = {"percentile": f"p{m.percent:g}", "median": "median", "weighted": "weighted_mean"}[
        m.kind
    ]
    return [*columns[: draft.groups], f"{word}_{m.column.name}", "values"], rows
