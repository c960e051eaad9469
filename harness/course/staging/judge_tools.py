"""Judging what was run: each call once, with its arguments, and its result told to the model."""

import json
import re
from typing import Any

from harness.course.staging import probes
from harness.course.staging.notes import Notes
from harness.course.staging.round_protocol import results_of
from harness.course.staging.stage import Seen
from harness.excerpt import short_repr
from harness.tools.dispatch import dispatch

_ERROR_WORDS = re.compile(
    r"error|fail|exception|unknown|not found|no such|no tool|not a tool|invalid|not valid|cannot"
    r"|can't|could not|couldn't|unable|not available|unavailable|does not exist|doesn't exist"
    r"|not exist|malformed|not json|parse|must be|refused|offline",
    re.IGNORECASE,
)


def says_error(text: str) -> bool:
    """Whether a result tells the model that something went wrong."""
    return bool(_ERROR_WORDS.search(text))


def _dispatched(call: dict[str, Any]) -> str:
    """What dispatch makes of a call of a tool that does not exist; "" for any other."""
    if call["function"]["name"] != probes.UNKNOWN:
        return ""
    return dispatch(call).content


class Tools(Notes):
    """Judgements on the tools of one run."""

    def ran(self, seen: Seen) -> None:
        """Each call must have run its tool with its arguments, and its result must be sent."""
        for index, sent in enumerate(seen.requests[:-1]):
            results = results_of(seen.requests[index + 1], sent.calls)
            for call, result in zip(sent.calls, results, strict=True):
                self._one_run(seen, index, call, result)

    def calls_decide(self, seen: Seen) -> None:
        """Calls are run though the reply's finish_reason was "stop"."""
        if seen.runs or self.found:
            self.ran(seen)
            return
        count = len(seen.requests[0].calls)
        self.add(
            "finish_reason",
            f'A reply made {count} calls, its finish_reason was "stop", and no tool was run.',
            "The calls decide, not finish_reason, which servers fill in as they like: "
            "if not message.tool_calls.",
        )

    def _one_run(self, seen: Seen, index: int, call: dict[str, Any], result: str) -> None:
        name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        tried = [run.arguments for run in seen.runs_after(index) if run.name == name]
        if not tried:
            self.add(
                "tool_not_run",
                f"The model called {name}, and the tool was not run.",
                "Run it: dispatch(call), or TOOLS[name][0](**arguments).",
            )
        elif arguments not in tried:
            self.add(
                "arguments_lost",
                f"The model called {name} with {arguments}, and it was run with {tried[0]}.",
                "arguments = json.loads(call.function.arguments), then fn(**arguments).",
            )
        elif tried.count(arguments) > 1:
            self.add(
                "tool_run_twice",
                f"The model called {name} once, and the tool was run {tried.count(arguments)} "
                "times.",
                "Run each call once and keep the result.",
            )
        else:
            run = next(
                r for r in seen.runs_after(index) if (r.name, r.arguments) == (name, arguments)
            )
            if result != run.text:
                self._lost(run, result, seen, index)

    def _lost(self, run: probes.Run, result: str, seen: Seen, index: int) -> None:
        others = {each.text for each in seen.runs_after(index)} - {run.text}
        mark = probes.mark(run.name, **run.arguments)
        if mark not in result and any(text and text in result for text in others):
            self.add(
                "ids_wrong",
                f"The result under the id of {run.name} belongs to another call.",
                "Answer each call under its own id: tool_call_id=call.id.",
            )
        elif run.text and run.text in result:
            self._changed(run, result, "wrapped in something else")
        elif mark in result or result[:20] == run.text[:20]:
            self._changed(run, result, "cut or rewritten")
        else:
            self.add(
                "result_lost",
                f"What {run.name} returned did not reach the model; it reads {short_repr(result)}.",
                "The content of the tool message is what the tool returned, whole.",
            )

    def _changed(self, run: probes.Run, result: str, how: str) -> None:
        at = next(
            (i for i, (a, b) in enumerate(zip(result, run.text, strict=False)) if a != b),
            min(len(result), len(run.text)),
        )
        start = max(at - 10, 0)
        hint = "The content of the tool message is the text that the tool returned, as it is."
        if "ToolResult(" in result:
            hint = "str(...) of a ToolResult shows the whole object; its .content is the text."
        self.add(
            "result_changed",
            f"What {run.name} returned is {how}: it has {run.text[start : at + 25]!r} where the "
            f"model reads {result[start : at + 25]!r} ({len(run.text)} and {len(result)} "
            "characters).",
            hint,
        )

    def ran_bad_json(self, seen: Seen) -> bool:
        """Arguments that aren't JSON must not become {}; says whether they did."""
        if not seen.runs:
            return False
        self.add(
            "bad_json_run",
            "A call's arguments were not valid JSON, and you ran the tool all the same, with "
            f"{seen.runs[0].arguments}. The model asked for something else and never learns of it.",
            "Don't run it. Send a result instead: ERROR: the arguments are not valid JSON.",
        )
        return True

    def told_of_error(self, seen: Seen) -> None:
        """An error must reach the model as text, and the model must get another chance."""
        if len(seen.requests) < 2:
            self.add(
                "gives_up",
                f"It stopped when {seen.situation}; the model never got to react.",
                "Send the error as the call's result and go on with the loop.",
            )
            return
        result = results_of(seen.requests[1], seen.requests[0].calls)[0]
        if not says_error(result):
            self.add(
                "error_hidden",
                f"When {seen.situation}, the model is not told: its result is "
                f"{short_repr(result, 80)}.",
                "Say that it failed and why: ERROR: and the exception's text.",
            )
        elif _dispatched(seen.requests[0].calls[0]) == f"ERROR: {result}":
            self.add(
                "result_changed",
                f"When {seen.situation}, the result has lost its beginning, 'ERROR: '.",
                "dispatch(call).content as it is: it begins with what tells a failed call.",
            )
        elif any(run.name == probes.GAUGE for run in seen.runs) and probes.CAUSE not in result:
            self.add(
                "cause_lost",
                f"When {seen.situation}, the model reads {short_repr(result, 80)}: not "
                "what went wrong, "
                f"which was {probes.CAUSE!r}.",
                "The exception's own text belongs into the result: ERROR: and str(error).",
            )
