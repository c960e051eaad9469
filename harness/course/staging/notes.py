"""The findings of a check so far, and how a function came to its end."""

from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.staging.stage import MAX_REQUESTS, Seen
from harness.excerpt import short_repr


class Notes:
    """The findings so far, one for each code, and whether it makes sense to look any further."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self.found: list[Finding] = []
        self.hopeless = False

    @property
    def codes(self) -> list[str]:
        """The codes found so far."""
        return [finding.code for finding in self.found]

    def add(self, code: str, message: str, hint: str = "") -> None:
        """Note a finding; a code is told once, where it was first seen."""
        self.note(Finding(code, message, hint))

    def note(self, finding: Finding) -> None:
        """Note a finding that is there already."""
        if finding.code not in self.codes:
            self.found.append(finding)

    def asked(self, seen: Seen) -> None:
        """The model must be asked at all."""
        if seen.requests or seen.error or seen.overran:
            return
        self.add(
            "never_asks",
            "It returned without ever asking the model.",
            "Call chat(messages, tools) in each round.",
        )
        self.hopeless = True

    def stopped(self, seen: Seen, code: str = "crash", hint: str = "") -> bool:
        """It must come to an end, without an exception, and at the final answer.

        Says whether something was wrong.
        """
        if seen.overran:
            if not self._ignores_final(seen):
                self.add(
                    "endless_loop",
                    f"An endless loop: stopped after {MAX_REQUESTS} requests, when "
                    f"{seen.situation}.",
                    "A reply without tool calls is the answer: leave the loop. And count the "
                    "rounds.",
                )
            self.hopeless = True
            return True
        if seen.error is not None:
            refusal = next((s.refusal for s in seen.requests if s.refusal), "")
            if refusal:
                self.add(
                    "refused",
                    f"The API refused a request, when {seen.situation}: {refusal}",
                    "Look at what you append to messages in a round.",
                )
            else:
                self.note(crash(seen.error, self._fn, seen.situation, code, hint))
            self.hopeless = self.hopeless or code == "crash"
            return True
        return self._ignores_final(seen)

    def _ignores_final(self, seen: Seen) -> bool:
        final = [i for i, s in enumerate(seen.requests) if s.reply and not s.calls]
        spoken = [i for i in final if (seen.requests[i].reply or {}).get("content")]
        if not spoken or spoken[0] == len(seen.requests) - 1:
            return False
        more = len(seen.requests) - 1 - spoken[0]
        said = (seen.requests[spoken[0]].reply or {}).get("content")
        again = "for ever" if seen.overran else f"{more} more time{'s' if more > 1 else ''}"
        self.add(
            "ignores_final",
            f"The model gave its final answer ({short_repr(said)}, no tool calls), and "
            "you went on and "
            f"asked it {again}.",
            "A reply without tool calls is the answer: break out of the loop there, or return it.",
        )
        return True

    def looped(self, seen: Seen, requests: int) -> None:
        """After tools, the model must be asked again, as often as it takes."""
        if len(seen.requests) >= requests:
            return
        last = seen.requests[-1]
        said = str((last.reply or {}).get("content") or "")
        self.hopeless = True
        if said and said == seen.returned:
            self.add(
                "text_taken_for_answer",
                f"A reply had text ({said!r}) and tool calls, and the text was returned.",
                "The calls decide: as long as a reply has tool calls, it is not the answer.",
            )
            return
        ran = len(seen.runs_after(len(seen.requests) - 1))
        what = "ran the tool" if ran else "did not run the tool"
        times = "once" if len(seen.requests) == 1 else "twice"
        self.add(
            "never_loops",
            f"It asked the model {times}, {what} that the reply asked for, and returned "
            f"{short_repr(seen.returned)}.",
            "The results must go back to the model in a next round. Is there a loop? Is a "
            "return or break indented too far, or on the wrong side of the condition?",
        )
