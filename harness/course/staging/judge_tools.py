"""Judging what was run: each call once, with its arguments, and its result told to the model."""

import json
import re
from typing import Any

from harness.course.staging import probes
from harness.course.staging.notes import Notes
from harness.course.staging.round_protocol import results_of
from harness.course.staging.stage import Seen

_ERROR_WORDS = re.compile(
    r"error|fail|exception|unknown|not found|no such|no tool|not a tool|invalid|not valid|cannot"
    r"|can't|could not|couldn't|unable|not available|unavailable|does not exist|doesn't exist"
    r"|not exist|malformed|not json|parse|must be|refused|offline",
    re.IGNORECASE,
)


def says_error(text: str) -> bool:
    """Whether a result tells the model that something went wrong."""
    return bool(_ERROR_WORDS.search(text))


class Tools(Notes):
    """Judgements on the tools of one run."""

    def ran(self, seen: Seen) -> None:
        """Each call must have run its tool with its arguments, and its result must be sent."""
        for index, sent in enumerate(seen.requests[:-1]):
            results = results_of(seen.requests[index + 1], sent.calls)
            for call, result in zip(sent.calls, results, strict=True):
                self._one_run(seen, index, call, result)

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
        elif probes.mark(name, **arguments) not in result:
            self._lost(name, result, seen, index)

    def _lost(self, name: str, result: str, seen: Seen, index: int) -> None:
        others = [
            probes.mark(c["function"]["name"], **json.loads(c["function"]["arguments"]))
            for c in seen.requests[index].calls
        ]
        if any(mark in result for mark in others):
            self.add(
                "ids_wrong",
                f"The result under the id of {name} belongs to another call.",
                "Answer each call under its own id: tool_call_id=call.id.",
            )
        else:
            self.add(
                "result_lost",
                f"What {name} returned did not reach the model.",
                "The content of the tool message is what the tool returned.",
            )

    def ran_bad_json(self, seen: Seen) -> bool:
        """Arguments that are no JSON must not become {}; says whether they did."""
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
                f"When {seen.situation}, the model is not told: its result is {result[:80]!r}.",
                "Say that it failed and why: ERROR: and the exception's text.",
            )
