"""Who looks at the check instead of the task, or hands over our answer, is found out.

However it is written: a name may be put together while the function runs, a helper may be held by
anything.
"""

import pytest

from harness.checks import evaluate
from tests.slices import in_part
from tests.wrong import made

TASK = """
def answer_tool_calls(message):
    {look}
    return [{{"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content}}
            for call in message.tool_calls]
"""
LOOKS = {
    "the words": ("import sys", "sys._getframe(1)"),
    "joined while it runs": ("import sys\nHALF = '_get'", "getattr(sys, HALF + 'frame')(1)"),
    "by the library": ("import inspect", "inspect.stack()"),
    "by a traceback": ("import traceback", "traceback.extract_stack()"),
    "by an object": (
        "import sys\nclass Peek:\n    def __call__(self):\n        return sys._getframe(1)\n"
        "peek = Peek()",
        "peek()",
    ),
    "under a cache": (
        "import functools, sys\n@functools.lru_cache\ndef peek():\n    return sys._getframe(1)",
        "peek()",
    ),
    "by a profiler": ("import sys", "getattr(sys, 'set' + 'profile')(None)"),
    "in our modules": ("import sys", "sys.modules['harness.course.staging.stage']"),
    "in eval": ("", "eval('__import__(\"sys\")._getframe(1)')"),
}
HONEST = {
    "a logger": ("import logging", "logging.getLogger('a').warning('called')"),
    "a namedtuple": ("from collections import namedtuple", "namedtuple('Pair', 'a b')(1, 2)"),
    "an error's text": (
        "import traceback",
        "try:\n        1 / 0\n    except ZeroDivisionError:\n        traceback.format_exc()",
    ),
    "a file": ("import tempfile", "tempfile.TemporaryFile().close()"),
    "a setting": ("import os", "os.environ.get('HOME')"),
    "a cached helper": ("import functools\n@functools.cache\ndef two():\n    return 2", "two()"),
}
OURS = {
    "in a dict": "from harness.course.answers import answers_01\n"
    "KEPT = {1: answers_01.answer_tool_calls}\n"
    "def answer_tool_calls(message):\n    return KEPT[1](message)",
    "in a partial": "import functools\n"
    "from harness.course.answers.answers_01 import answer_tool_calls as kept\n"
    "answer_tool_calls = functools.partial(kept)",
    "imported while it runs": "import importlib\nHALF = 'harness.course.'\n"
    "def answer_tool_calls(message):\n"
    "    found = importlib.import_module(HALF + 'answers.answers_01')\n"
    "    return found.answer_tool_calls(message)",
    "asked of the course": "def answer_tool_calls(message):\n"
    "    from harness.course import todos\n"
    "    return todos.todo('answer_tool_calls').solution()(message)",
}


@pytest.mark.parametrize("how", in_part(LOOKS, 4))
def test_a_look_at_the_check_is_noticed(how):
    before, look = LOOKS[how]
    report = evaluate(
        "answer_tool_calls", made("answer_tool_calls", before + TASK.format(look=look))
    )
    assert report.codes == ["looks_around"], str(report)


@pytest.mark.parametrize("what", in_part(HONEST, 3))
def test_what_anybody_may_use_is_no_look(what):
    before, use = HONEST[what]
    report = evaluate(
        "answer_tool_calls", made("answer_tool_calls", before + TASK.format(look=use))
    )
    assert report.passed and report.owner == "yours", str(report)


@pytest.mark.parametrize("how", in_part(OURS, 2))
def test_our_answer_is_ours_however_it_is_reached(how):
    report = evaluate("answer_tool_calls", made("answer_tool_calls", OURS[how]))
    assert report.passed and report.owner == "ours", str(report)
