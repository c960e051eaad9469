"""Judging how a turn ends: the budgets, the forced answer, what is returned and logged."""

from typing import Any

from harness.course.staging.notes import Notes
from harness.course.staging.situations import ANSWER, FORCED, MANY
from harness.course.staging.stage import Seen
from harness.excerpt import short_repr

_STILL_NEAR = 5  # rounds, where three are allowed: beyond that the limit is not off, but ignored


class Ending(Notes):
    """Judgements on the end of one run."""

    def forced(self, seen: Seen, situation: str) -> bool:
        """When a budget is used up, one more request without tools; says whether to look on."""
        if seen.overran:
            self.stopped(seen)
            return False
        last = seen.requests[-1] if seen.requests else None
        with_tools = [s for s in seen.requests if s.offers_tools]
        if last is None or not last.offers_tools:
            return last is not None and not self.stopped(seen)
        if len(with_tools) > _STILL_NEAR:
            return True  # it went on and on: that is the finding, not how it ended
        unused = not seen.runs_after(len(seen.requests) - 1)
        if unused and len(seen.requests) > 1:
            self.add(
                "forced_offers_tools",
                "The final request, after the budget, still offers tools, so the model called one "
                "instead of answering.",
                "chat(messages) without tools: then it can only answer.",
            )
        else:
            raised = f" It raised {type(seen.error).__name__}." if seen.error else ""
            self.add(
                "no_forced_final",
                f"The budget was used up and nobody asked for an answer: the caller gets "
                f"{short_repr(seen.returned)}.{raised}",
                "After the rounds, call chat(messages) once more, without tools, and answer with "
                "its content.",
            )
        return True

    def rounds(self, seen: Seen, allowed: int, name: str = "max_iterations") -> None:
        """As many rounds as allowed, no more and no fewer."""
        used = sum(sent.offers_tools for sent in seen.requests)
        if "forced_offers_tools" in self.codes:
            used -= 1
        if used == allowed:
            return
        near = abs(used - allowed) == 1
        calls = sum(len(sent.calls) for sent in seen.requests if sent.offers_tools)
        if used < allowed - 1 and calls >= allowed:
            self.add(
                "calls_counted",
                f"{allowed} rounds were allowed ({name}), and after {used} rounds with {calls} "
                "calls it stopped.",
                f"A round is one chat with tools, however many calls its reply makes: "
                f"for step in range({name}).",
            )
            return
        if used < allowed and not near:
            self.add(
                "rounds_clipped",
                f"{allowed} rounds were allowed ({name}), and it took only {used}.",
                f"{name} is the caller's to choose: for step in range({name}).",
            )
            return
        self.add(
            "rounds_off_by_one" if near else "rounds_ignored",
            f"{allowed} rounds were allowed ({name}), and it took "
            f"{'all that it could get' if used > MANY else used}.",
            f"One round is one chat with tools: for step in range({name}).",
        )

    def no_answer_yet(self, seen: Seen) -> None:
        """What stood beside calls, or came of them, is not the answer when the rounds are over."""
        results = [m.get("content") for s in seen.requests for m in s.messages if _is_result(m)]
        said = [(s.reply or {}).get("content") for s in seen.requests if s.calls]
        last = seen.requests[-1] if seen.requests else None
        if last is None or not last.offers_tools or seen.returned == FORCED:
            return
        if seen.returned and seen.returned in said:
            self.add(
                "text_taken_for_answer",
                f"When {seen.situation}, the caller gets {_shown(seen.returned)}, which the model "
                "wrote beside its calls.",
                "A reply with tool calls is not the answer, whatever text it has.",
            )
        else:
            what = "a tool's result" if seen.returned in results else _shown(seen.returned)
            self.add(
                "no_forced_final",
                f"When {seen.situation}, nobody asked for an answer: the caller gets {what}.",
                "Whatever came of the calls: no answer after the rounds, so ask without tools.",
            )

    def forced_asks(self, seen: Seen) -> None:
        """The request for a last answer must tell the model that it is one."""
        last = seen.requests[-1]
        said = [m for m in last.messages if isinstance(m, dict) and m.get("role") != "assistant"]
        newest = said[-1] if said else {}
        before = seen.requests[0].messages
        asks = newest.get("role") == "user" and newest not in before
        says = str(newest.get("content") or "").strip()
        asks = asks and says != seen.question.strip()
        if not last.offers_tools and not (asks and says):
            role = newest.get("role")
            what = f"a message of the role {role!r}"
            if role == "user":
                what = "an empty message" if not says else "the question once more"
            why = "" if role in ("system", "developer") else " and does not say why"
            self.add(
                "forced_says_nothing",
                f"The final request takes the tools away{why}: the last thing that the model reads "
                f"is {what}.",
                'Append {"role": "user", "content": ...} first: the budget is used up, answer now.',
            )

    def verbosity(self, loud: int, quiet: int) -> None:
        """With verbose it prints what happens, without it nothing: characters of two runs."""
        if not loud:
            self.add(
                "verbose_silent",
                "With verbose=True it printed nothing.",
                "if verbose: print(...), in each round what was called, and the end.",
            )
        elif quiet:
            self.add(
                "verbose_ignored",
                f"With verbose=False it printed {quiet} characters.",
                "if verbose: print(...).",
            )

    def forced_answer(self, seen: Seen) -> None:
        """The text of the forced request must be what is returned and logged."""
        unusual = {"no_forced_final", "forced_offers_tools", "rounds_ignored"}
        if not unusual & set(self.codes):
            self.returned(seen, FORCED)
            self.logged(seen)

    def clock(self, seen: Seen, budget: float, fewest: int = 3) -> None:
        """No round may begin when the time is up, and none be given away."""
        rounds = [sent.at for sent in seen.requests if sent.offers_tools]
        if "forced_offers_tools" in self.codes:
            rounds = rounds[:-1]
        late = sum(at > budget for at in rounds)
        if late and len(rounds) >= MANY:
            self.add(
                "clock_ignored",
                f"The budget was {budget:g} seconds, and it went on for {rounds[-1]:.0f}.",
                "In every round compare the time since the start with budget_seconds.",
            )
        elif late:
            self.add(
                "clock_late",
                f"The budget was {budget:g} seconds, and a round began after {rounds[-1]:.0f}.",
                "Look at the clock in every round, and read it anew each time.",
            )
        elif len(rounds) < fewest:
            self.add(
                "clock_early",
                f"The budget was {budget:g} seconds, and the last round began after "
                f"{max(rounds, default=0):.0f}: time was given away.",
                "budget_seconds is in seconds, from the start of the turn.",
            )

    def returned(self, seen: Seen, text: str) -> None:
        """The answer's text and nothing else."""
        if seen.returned == text:
            return
        if "ignores_final" in self.codes:
            return
        if seen.returned == "":
            self.said_something(seen)
            return
        self.add(
            "wrong_return",
            f"The model answered {text!r}, and the caller gets {_shown(seen.returned)}.",
            "Return the text of the model's answer: message.content.",
        )

    def said_something(self, seen: Seen) -> None:
        """Never nothing, never an empty string."""
        if not isinstance(seen.returned, str) or not seen.returned.strip():
            self.add(
                "empty_answer",
                f"When {seen.situation}, the caller gets {_shown(seen.returned)}.",
                "Never return nothing: force a final answer, and have a plain sentence ready.",
            )

    def logged(self, seen: Seen) -> None:
        """The question and the answer, on this thread, under their roles, once."""
        answer = seen.returned if isinstance(seen.returned, str) and seen.returned else ANSWER
        self._logged(seen, "question", "user", seen.question)
        spoken = next((s.reply for s in reversed(seen.requests) if s.reply), None) or {}
        texts = {answer, str(spoken.get("content") or "")} - {""}
        self._logged(seen, "answer", "assistant", *sorted(texts))
        more = [row for row in seen.rows if row[2] not in {seen.question, *texts}]
        if more and not self.found:
            self.add(
                "logged_more",
                f"Beside question and answer the thread has {short_repr(more[0][2])}, logged as "
                f"{more[0][1]!r}: the next turn would read it as something that was said.",
                "log_message twice in a turn: the question at its start, the answer at its end.",
            )

    def _logged(self, seen: Seen, what: str, role: str, *texts: str) -> None:
        rows = [row for row in seen.rows if row[2] in texts]
        right = [row for row in rows if row[:2] == (seen.thread_id, role)]
        hint = f'log_message(thread_id, "{role}", {"user_query" if role == "user" else "final"})'
        if len(right) == 1:
            if role == "user" and seen.rows.index(right[0]) >= seen.rows_before:
                self.add(
                    "question_logged_late",
                    "The question is logged only after the model was asked: a turn that is stopped "
                    "in between leaves no trace of it.",
                    f"The first thing of all: {hint}",
                )
        elif len(right) > 1:
            self.add("logged_twice", f"The {what} is logged {len(right)} times.", f"Once: {hint}")
        elif not rows:
            self._not_logged(seen, what, role, hint)
        elif all(thread != seen.thread_id for thread, _, _ in rows):
            self.add(
                "wrong_thread",
                f"The {what} was logged on the thread {rows[0][0]!r}, not on {seen.thread_id!r}.",
                hint,
            )
        else:
            self.add("wrong_role", f"The {what} was logged as {rows[0][1]!r}, not {role!r}.", hint)

    def _not_logged(self, seen: Seen, what: str, role: str, hint: str) -> None:
        other = [row[2] for row in seen.rows if row[1] == role]
        if other:
            self.add(
                "log_changed",
                f"The {what} is logged, but not as it was: {short_repr(other[0])}, "
                f"{len(other[0])} characters.",
                f"The whole of it: {hint}",
            )
        else:
            self.add(
                f"{what}_not_logged",
                f"The {what} is not in the thread afterwards, when {seen.situation}: the next "
                "turn will not know of it.",
                hint,
            )

    def defaults(self, seen: Seen, rounds: int) -> None:
        """What it does when it is given a question and nothing else."""
        used = sum(sent.offers_tools for sent in seen.requests)
        threads = sorted({thread for thread, _, _ in seen.rows})
        if used == rounds and threads == ["default"]:
            return
        what = (
            f"it took {used} rounds instead of {rounds}"
            if used != rounds
            else f"it logged on {', '.join(map(repr, threads))} instead of 'default'"
        )
        self.add(
            "defaults",
            f"When {seen.situation}, {what}.",
            "The defaults are thread_id='default', max_iterations=8, budget_seconds=360.0.",
        )


def _is_result(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "tool"


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return short_repr(value, 100)
    return f"{type(value).__name__} ({short_repr(value)})"
