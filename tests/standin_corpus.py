"""Questions with their SQL, asked of the stand-in in one warm process, and what came of each.

python -m tests.standin_corpus                    a table by kind, for the questions of the tests
python -m tests.standin_corpus FILE.jsonl ...     and for more, a JSON object a line: question,
                                                  truth_sql ("" where no figure answers), thread
"""

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.context import build_context, system_prompt
from harness.course.notebook import forget_user
from harness.databases.business import business
from harness.run.conversation import log_message
from harness.session import current_session
from harness.standin.brain import reply
from harness.tools.dispatch import dispatch
from harness.tools.toolbox import retrieve_tools
from tests.homes import home_at
from tests.standin_asked import as_floats, has

_HERE = Path(__file__).parent
_FILES = (
    "standin_questions",
    "standin_newcomer",
    "standin_asked",
    "standin_newcomer_refused",
    "standin_further",
    "standin_fresh",
)
_ROUNDS = 24
_MARK = "(offline stand-in)"
_REFUSING = re.compile(
    r"set OPENAI_API_KEY|I found nothing called|can't read that safely|Do you mean where it begins|"
    r"^That can't be given in|I have no tool|I can't work|^None: there is no such"
)


@dataclass(frozen=True)
class Case:
    """A question, what was asked before it in its thread, and the SQL or the words of its answer.

    `parts`: the values of a row may stand on several lines. `refused`: it is not to be answered.
    """

    ask: str
    sql: str = ""
    before: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    parts: bool = False
    refused: bool = False
    loose: bool = False  # the SQL says more than the question asks: one of its rows will do

    @property
    def kind(self) -> str:
        """What sort of question it is, as its SQL says."""
        text = self.sql.upper()
        if self.before:
            return "follow-up"
        if self.refused:
            return "can't be answered"
        for name, pattern in _KINDS:
            if re.search(pattern, text):
                return name
        return "list" if text else "talk"


_KINDS = (
    ("ranked", r"LIMIT [1-9]\b|QUALIFY|RANK\(\)|ORDER BY .* DESC"),
    ("by group", r"GROUP BY"),
    ("in time", r"DATE|TIMESTAMP|_AT\b|\bETA\b"),
    ("figure", r"AVG|SUM\(|MIN\(|MAX\(|MEDIAN|QUANTILE|STDDEV|PERCENTILE"),
    ("count", r"COUNT\("),
)


def cases() -> list[Case]:
    """Every question of the YAML files, in order, each once."""
    made: list[Case] = []
    for name in _FILES:
        found = yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))
        groups = found if isinstance(found, dict) else {"answered": found}
        for group, entries in groups.items():
            made += [_case(entry, refused=group == "refused") for entry in entries]
    return list(dict.fromkeys(made))


def _case(entry: dict[str, Any], *, refused: bool) -> Case:
    says = entry.get("says", ())
    return Case(
        entry["ask"],
        entry.get("sql", ""),
        tuple(entry.get("before", ())),
        (says,) if isinstance(says, str) else tuple(says),
        tuple(entry.get("tools", ())),
        bool(entry.get("parts")),
        refused,
    )


@dataclass
class Asked:
    """An answer, and the tools that were called for it."""

    answer: str
    tools: list[str] = field(default_factory=list)


def ask(question: str, thread: str) -> Asked:
    """One turn of the brain itself: context, tools and stores are the real ones, no server is."""
    messages = [
        {"role": "system", "content": system_prompt()},
        {"role": "user", "content": _context(thread, question)},
    ]
    tools, made = retrieve_tools(question), Asked("")
    for _ in range(_ROUNDS):
        said = reply({"messages": messages, "tools": tools})
        if not said["tool_calls"]:
            break
        calls = [_call(f"c{len(messages)}{n}", each) for n, each in enumerate(said["tool_calls"])]
        made.tools += [call["function"]["name"] for call in calls]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [dispatch(call).message for call in calls]
    made.answer = str(said["content"])
    log_message(thread, "assistant", made.answer)
    return made


def _context(thread: str, question: str) -> str:
    log_message(thread, "user", question)
    return build_context(thread, question)


def _call(id: str, each: dict[str, Any]) -> dict[str, Any]:
    function = {"name": each["name"], "arguments": json.dumps(each["arguments"])}
    return {"id": id, "type": "function", "function": function}


def asked(case: Case) -> Asked:
    """The last answer of a case, on a thread of its own."""
    thread = " / ".join([*case.before, case.ask])
    made = [ask(question, thread) for question in (*case.before, case.ask)]
    if any("remember" in each.tools for each in made):
        forget_user(current_session().user)  # the next case knows nothing of it
    return made[-1]


def faults(case: Case, made: Asked) -> list[str]:
    """What is wrong with an answer; [] where every row and every word is in it."""
    if case.refused:
        lacks = [text for text in case.says if text not in made.answer]
        lacks += ["a figure"] if re.match(r"\d|Yes|No:", made.answer) else []
        return lacks or ([] if _MARK in made.answer else ["no mark of who speaks"])
    rows = business().query(case.sql, 100).rows if case.sql else []
    if not (rows or case.says):
        return ["the case says nothing"]
    answer = re.sub(r"(?<=\d),(?=\d{3})|\$", "", made.answer) if case.loose else made.answer
    lines = [answer] if case.parts or case.loose else answer.splitlines()
    lacks = [
        str(row) for row in rows if not any(all(has(x, v) for v in _told(row, case)) for x in lines)
    ]
    lacks = [] if case.loose and len(lacks) < len(rows) else lacks
    lacks += [text for text in case.says if text not in made.answer]
    return lacks + [f"no call of {tool}" for tool in case.tools if tool not in made.tools]


def _told(row: list[Any], case: Case) -> list[Any]:
    """The values of a row that an answer has to have, as answers write them."""
    values = [_written(value) for value in as_floats(row)]
    if case.loose:  # labels of rows, and what is not given
        values = [v for v in values if v is not None and not re.match(r"[a-z]\d+\b", str(v))]
    return values


def _written(value: Any) -> Any:
    """Times without seconds, and a month that SQL put into one number."""
    text = str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ][\d:]+", text):
        return text[:16].replace("T", " ")
    return f"{text[:4]}-{text[4:]}" if re.fullmatch(r"20\d\d(0[1-9]|1[0-2])", text) else value


def verdict(case: Case, made: Asked) -> str:
    """right, refused or wrong."""
    if not faults(case, made):
        return "right"
    return "refused" if _REFUSING.search(made.answer) else "wrong"


def handed(path: Path) -> Iterator[tuple[Case, Callable[[], Asked]]]:
    """The questions of a file with a JSON object a line; follow-ups share a thread."""
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        case = Case(entry["question"], entry.get("truth_sql") or "", loose=not entry.get("exact"))
        thread = f"{path.name} {entry.get('thread') or n}"
        yield case, lambda case=case, thread=thread: ask(case.ask, thread)


def table(found: list[tuple[str, str]]) -> str:
    """How many of each kind were right, refused, wrong."""
    counted = Counter(found)
    kinds = [*dict.fromkeys(kind for kind, _ in found)]
    lines = [f"{'kind':<20}{'asked':>7}{'right':>7}{'refused':>9}{'wrong':>7}"]
    for kind in [*sorted(kinds), "together"]:
        of = [counted[k, v] for v in ("right", "refused", "wrong") for k in [kind]]
        if kind == "together":
            of = [sum(counted[k, v] for k in kinds) for v in ("right", "refused", "wrong")]
        lines.append(f"{kind:<20}{sum(of):>7}{of[0]:>7}{of[1]:>9}{of[2]:>7}")
    return "\n".join(lines)


def main(paths: list[str]) -> int:
    """Ask everything; print the table, and what was not right. Returns 1 where one is wrong."""
    found: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder, home_at(Path(folder)):
        mine: list[tuple[Case, Callable[[], Asked]]] = [
            (case, lambda case=case: asked(case)) for case in cases()
        ]
        for case, put in [*mine, *(each for path in paths for each in handed(Path(path)))]:
            made = put()
            result = verdict(case, made) if case.sql or case.says or case.tools else "right"
            found.append((case.kind, result))
            if result != "right":
                print(
                    f"{result}: {case.ask}\n    {made.answer[:300]!r}\n    {faults(case, made)[:3]}"
                )
    print(table(found))
    return int(any(result == "wrong" for _, result in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
