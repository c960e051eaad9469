# ruff: noqa: E501  (the versions stand as learners write them)
"""The checks of parts 08 and 08b: LoopGuard and finish, wrong versions and right ones."""

import collections
import dataclasses
import inspect
import json
import re
from pathlib import Path

import pydantic
import pytest

from authoring.builder.source import read_source, sources
from harness.checks import evaluate
from harness.course import progress
from harness.course.answers import answers_08
from harness.course.evaluation import is_ours
from harness.course.runner import source, transfer
from harness.course.todos import todo
from harness.settings import root

PARTS = {part.part: part for part in map(read_source, sources(root() / "authoring"))}
GLOBALS = {
    "__name__": "__main__",
    "AGAIN": answers_08.AGAIN,
    "BaseModel": pydantic.BaseModel,
    "ValidationError": pydantic.ValidationError,
    "collections": collections,
    "dataclasses": dataclasses,
    "json": json,
}
GUARD = """
class LoopGuard:
    def __init__(self):
        self.calls = []

    def before(self, name, arguments):
        same = json.dumps([name, arguments], sort_keys=True)
        for earlier in self.calls[-3:]:
            if earlier["call"] == same:
                return earlier["observation"] + AGAIN
        return None

    def after(self, name, arguments, observation):
        observation = observation.removesuffix(AGAIN)
        self.calls.append({
            "call": json.dumps([name, arguments], sort_keys=True),
            "observation": observation,
            "failed": observation.startswith("ERROR"),
            "new": all(each["observation"] != observation for each in self.calls),
        })

    @property
    def tripped(self):
        last = self.calls[-3:]
        if len(last) == 3 and last[0]["call"] == last[1]["call"] == last[2]["call"]:
            return "repeated_call"
        if sum(each["failed"] for each in self.calls[-5:]) >= 3:
            return "error_rate"
        if len(self.calls) >= 4 and not any(each["new"] for each in self.calls[-4:]):
            return "no_progress"
        return None
"""
PLAIN_DICTS = '''
class LoopGuard:
    """Compares the arguments themselves, and sets `tripped` as it goes."""

    def __init__(self, window=3):
        self.window, self.history, self.known, self.tripped = window, [], set(), None

    def before(self, name, arguments):
        recent = list(reversed(self.history))[: self.window]
        return next((f"{o} -- you have seen this" for n, a, o, _ in recent
                     if (n, a) == (name, arguments)), None)

    def after(self, name, arguments, observation):
        new = self.before(name, arguments) is None and observation not in self.known
        observation = observation.removesuffix(" -- you have seen this")
        self.known.add(observation)
        self.history.append((name, arguments, observation, new))
        self.tripped = self._why()

    def _why(self):
        calls = [(n, a) for n, a, _, _ in self.history[-3:]]
        if len(calls) == 3 and calls[0] == calls[1] and calls[1] == calls[2]:
            return "repeated_call"
        failed = [o for _, _, o, _ in self.history[-5:] if o[:6] == "ERROR:"]
        if len(failed) > 2:
            return "error_rate"
        if len(self.history) > 3 and {new for *_, new in self.history[-4:]} == {False}:
            return "no_progress"
'''
DATACLASSES = """
@dataclasses.dataclass
class Call:
    key: str
    text: str
    new: bool = True

    @property
    def failed(self):
        return self.text.lstrip().startswith("ERROR:")


class LoopGuard:
    def __init__(self):
        self.calls = collections.deque(maxlen=5)
        self.seen = {}

    @staticmethod
    def key(name, arguments):
        return f"{name}({json.dumps(arguments, sort_keys=True, default=str)})"

    def before(self, name: str, arguments: dict) -> str | None:
        key = self.key(name, arguments)
        if key in [call.key for call in list(self.calls)[-3:]]:
            return f"{self.seen[key]}{AGAIN}"

    def after(self, name: str, arguments: dict, observation: str) -> None:
        key, repeated = self.key(name, arguments), self.before(name, arguments) is not None
        new = not repeated and observation not in self.seen.values()
        self.calls.append(Call(key, observation, new))
        if not repeated:
            self.seen[key] = observation

    @property
    def tripped(self):
        calls = list(self.calls)
        if len(calls) >= 3 and len({call.key for call in calls[-3:]}) == 1:
            return "repeated_call"
        if [call.failed for call in calls].count(True) >= 3:
            return "error_rate"
        if len(calls) >= 4 and not sum(call.new for call in calls[-4:]):
            return "no_progress"
        return None
"""
FINISH = """
def finish(text, model):
    text = text or ""
    inner = text[text.find("{") : text.rfind("}") + 1]
    try:
        return model.model_validate_json(inner)
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            faults.append(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}")
        return f"ERROR: {'; '.join(faults)}. Again, as JSON."
"""


def made(source_text, *changes):
    """What a source text defines last, with pieces replaced, each of which must be there."""
    for old, new in changes:
        assert old in source_text, old
        source_text = source_text.replace(old, new)
    namespace = dict(GLOBALS)
    exec(source_text, namespace)
    return namespace["finish" if "def finish" in source_text else "LoopGuard"]


def guard(*changes, text=GUARD):
    return made(text, *changes)


def final(*changes, text=FINISH):
    return made(text, *changes)


WRONG = [
    ("not_a_class", made("def LoopGuard():\n    return None\n")),
    ("not_written", guard(("        same = json", "        raise NotImplementedError\n        same = json"))),
    ("not_written", guard(("        last = self", "        raise NotImplementedError\n        last = self"))),
    ("signature", guard(("(self, name, arguments):", "(self, name):"), ("[name, arguments], sort_keys=True)\n        for", "name)\n        for"))),
    ("signature", guard(("def after", "def note"))),
    ("signature", guard(("__init__(self)", "__init__(self, thread_id)"))),
    ("crash", guard(("self.calls = []", "pass"))),
    ("crash", guard(("        last = self.calls[-3:]", "        self.calls[-3]\n        last = self.calls[-3:]"))),
    ("first_call_refused", guard(("        return None\n\n    def after", '        return ""\n\n    def after'))),
    ("tripped_is_a_method", guard(("    @property\n", ""))),
    ("trips_at_once", guard(("len(self.calls) >= 4 and not any", "all"))),
    ("trips_at_once", guard(("        return None\n", "        return 'fine'\n"), ("'fine'\n\n    def after", "None\n\n    def after"))),
    ("repeat_runs", guard(('                return earlier["observation"] + AGAIN', "                pass"))),
    ("not_text", guard(('return earlier["observation"] + AGAIN', "return earlier"))),
    ("observation_lost", guard(('earlier["observation"] + AGAIN', "AGAIN"))),
    ("observation_lost", guard(('earlier["observation"] + AGAIN', 'self.calls[-1]["observation"] + AGAIN'))),
    ("no_word", guard(('earlier["observation"] + AGAIN', 'earlier["observation"]'))),
    ("window_short", guard(("in self.calls[-3:]", "in self.calls[-1:]"))),
    ("window_short", guard(("in self.calls[-3:]", "in self.calls[-2:]"))),
    ("window_long", guard(("in self.calls[-3:]", "in self.calls"))),
    ("window_long", guard(("in self.calls[-3:]", "in self.calls[-4:]"))),
    ("key_order", guard((", sort_keys=True", ""))),
    ("key_order", guard(("json.dumps([name, arguments], sort_keys=True)", "name + str(sorted(arguments.items()))"))),
    ("arguments_ignored", guard(("[name, arguments], sort_keys=True", "[name, sorted(arguments)]"), )),
    ("arguments_ignored", guard(("json.dumps([name, arguments], sort_keys=True)", "name + ''.join(sorted(str(arguments)))"))),
    ("name_ignored", guard(("[name, arguments]", "arguments"))),
    ("shared_state", guard(("        self.calls = []", "        pass"), ("    def __init__", "    calls = []\n\n    def __init__"))),
    ("never_trips", guard(('"repeated_call"', "None"), ('"error_rate"', "None"), ('"no_progress"', "None"))),
    ("wrong_reason", guard(('"error_rate"', '"too many errors"'))),
    ("wrong_reason", guard(('"no_progress"', "True"))),
    ("repeated_call_missed", guard(("len(last) == 3", "len(last) == 4"))),
    ("error_rate_missed", guard(('startswith("ERROR")', 'startswith("Traceback")'))),
    ("error_rate_missed", guard((">= 3", "> 3"))),
    ("no_progress_missed", guard(("len(self.calls) >= 4", "len(self.calls) > 99"))),
    ("no_progress_missed", guard(('each["observation"] != observation', 'each["call"] != name'))),
    ("repeat_too_soon", guard(("len(last) == 3 and last[0]", "len(last) >= 2 and last[0]"), (' == last[2]["call"]', ""), ("[-3:]\n        if", "[-2:]\n        if"))),
    ("not_in_a_row", guard(('len(last) == 3 and last[0]["call"] == last[1]["call"] == last[2]["call"]', 'last and [c["call"] for c in self.calls].count(last[-1]["call"]) >= 3'))),
    ("errors_too_soon", guard((">= 3", ">= 2"))),
    ("old_errors_count", guard(("in self.calls[-5:])", "in self.calls)"))),
    ("error_anywhere", guard(('observation.startswith("ERROR")', '"ERROR" in observation'))),
    ("progress_too_soon", guard((">= 4", ">= 3"), ("self.calls[-4:])", "self.calls[-3:])"))),
    ("progress_ignored", guard(('not any(each["new"] for each in self.calls[-4:])', 'sum(not each["new"] for each in self.calls) >= 4'))),
    ("repeats_are_news", guard(('all(each["observation"] != observation for each in self.calls)', 'self.before(name, arguments) is not None or all(each["observation"] != observation for each in self.calls)'))),
    ("endless_loop", guard(("        for earlier in self.calls[-3:]:", "        while self.calls: pass\n        for earlier in self.calls[-3:]:"))),
    ("not_written", final(("    text = text or", "    raise NotImplementedError\n    text = text or"))),
    ("signature", final(("(text, model)", "(text)"), ("    text = text or", "    model = BaseModel\n    text = text or"))),
    ("valid_refused", final(("return model.model_validate_json(inner)", 'return "ERROR: no"'))),
    ("not_the_object", final(("model.model_validate_json(inner)", "model.model_validate_json(inner).model_dump()"))),
    ("not_the_object", final(("return model", "model"))),
    ("not_validated", final(("model.model_validate_json(inner)", "model.model_construct(**json.loads(inner))"))),
    ("fence_refused", final(("inner = text[text.find(\"{\") : text.rfind(\"}\") + 1]", "inner = text"))),
    ("only_one_fault", final(("in error.errors():", "in error.errors()[:1]:"), (" Again, as JSON.", " Again, as JSON with {', '.join(model.model_fields)}."))),
    ("crash_fenced", final(("inner = text[text.find(\"{\") : text.rfind(\"}\") + 1]", "inner = json.dumps(json.loads(text))"))),
    ("raises_invalid", final(("except ValidationError", "except KeyError"), ("error.errors()", "[]"))),
    ("invalid_accepted", final(("        faults = []\n", "        if error.errors()[0]['type'] != 'json_invalid':\n            return model.model_construct()\n        faults = []\n"))),
    ("not_an_observation", final(("        faults = []\n", "        return None\n        faults = []\n"))),
    ("not_an_observation", final(("        return f\"ERROR: {'; '.join(faults)}. Again, as JSON.\"", "        return error"))),
    ("no_error_prefix", final(("ERROR: ", "Error: "))),
    ("raises_no_text", final(("text = text or \"\"", "text = text[0] + text[1:]"))),
    ("raises_no_json", final(("model.model_validate_json(inner)", "model.model_validate(json.loads(inner or '{}'))"))),
    ("fault_not_named", final(("'.'.join(map(str, fault['loc']))", "''"))),
    ("only_one_fault", final(("in error.errors():", "in error.errors()[:1]:"))),
    ("reason_lost", final(("{fault['msg']}", "wrong"))),
    ("path_lost", final(("'.'.join(map(str, fault['loc']))", "fault['loc'][-1] if fault['loc'] else ''"))),
]  # fmt: skip
RIGHT = [
    guard(),
    guard(text=PLAIN_DICTS),
    guard(text=DATACLASSES),
    guard(('earlier["observation"] + AGAIN', 'earlier["observation"] + " (again)"'),
          ("observation.removesuffix(AGAIN)", 'observation.removesuffix(" (again)")')),
    final(),
    final(text='''
def finish(text: str | None, model: type[BaseModel]) -> BaseModel | str:
    try:
        start, end = (text or "").index("{"), text.rindex("}")
        return model(**json.loads(text[start:end + 1]))
    except ValidationError as error:
        return f"ERROR: {error}\\nCorrect that and send the JSON again."
    except ValueError as error:
        return f"ERROR: this is not JSON ({error})"
'''),
    final(text='''
import re


def finish(text, model):
    found = re.search(r"\\{.*\\}", text or "", re.DOTALL)
    try:
        answer = model.model_validate_json(found[0] if found else "")
    except Exception as error:
        faults = json.dumps([{k: e[k] for k in ("loc", "msg")} for e in error.errors()])
        return "ERROR: " + faults + " Answer again, as JSON."
    return answer
'''),
]  # fmt: skip


def name_of(fn):
    return "LoopGuard" if fn.__name__ == "LoopGuard" else "finish"


@pytest.mark.parametrize(("code", "fn"), WRONG)
def test_a_wrong_version_gets_its_finding_and_no_other(code, fn):
    report = evaluate(name_of(fn), fn)
    assert report.codes == [code], str(report)
    assert not report.passed and report.owner == "yours"


@pytest.mark.parametrize("fn", RIGHT)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate(name_of(fn), fn)
    assert report.passed and report.owner == "yours", str(report)
    assert "your" not in report.output


@pytest.mark.parametrize("name", ["LoopGuard", "finish"])
def test_ours_passes_and_is_what_the_notebook_says(name):
    ours = todo(name).written()
    assert evaluate(name, ours).passed and evaluate(name, ours).owner == "ours"
    assert is_ours(name, from_the_notebook(name, PARTS[todo(name).part].solution_text()))


@pytest.mark.parametrize("name", ["LoopGuard", "finish"])
def test_what_ships_is_not_written_yet(name):
    stub = from_the_notebook(name, PARTS[todo(name).part].learner_text())
    assert evaluate(name, stub).codes == ["not_written"]


def from_the_notebook(name, text):
    """Execute the cell that defines it, and nothing else."""
    kind = "class LoopGuard" if name == "LoopGuard" else "def finish"
    (cell,) = [cell for cell in re.split(r"^# %%.*$", text, flags=re.M) if f"\n{kind}" in cell]
    namespace = dict(GLOBALS)
    exec(compile(cell, f"<cell of {name}>", "exec"), namespace)
    return namespace[name]


def test_a_class_of_a_cell_is_kept_as_text_too_and_quoted(tmp_path, monkeypatch):
    file = str(tmp_path / "cell.py")
    Path(file).write_text(GUARD, encoding="utf-8")
    namespace = dict(GLOBALS)
    exec(compile(GUARD, file, "exec"), namespace)
    text = source.standalone("LoopGuard", namespace["LoopGuard"])
    assert "@property" in text and "AGAIN = " in text and "import json" in text
    assert evaluate("LoopGuard", source.rebuild("LoopGuard", text)).passed
    broken = GUARD.replace("self.calls = []", "self.calls = None")
    Path(file).write_text(broken, encoding="utf-8")
    exec(compile(broken, file, "exec"), namespace)
    inspect.linecache.checkcache(file)
    found = evaluate("LoopGuard", namespace["LoopGuard"]).findings[0]
    assert "(`for earlier in self.calls[-3:]:`)" in found.message


def test_a_class_comes_back_from_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "folder", lambda: tmp_path)
    progress.save("LoopGuard", guard())
    again, _ = progress.load("LoopGuard")
    assert evaluate("LoopGuard", again).passed
    assert transfer.loads(transfer.dumps(guard()))().before("a", {}) is None
