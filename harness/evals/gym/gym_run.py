"""A run of the gym: the plain case first, then each misbehaviour, several at a time."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from harness.errors import WorkshopError
from harness.evals.gym import contestant
from harness.evals.gym.gym_cases import Case, plain_case
from harness.evals.gym.gym_verdict import Verdict, judge
from harness.evals.gym.referee import Referee

MOST_REQUESTS = 25
SECONDS = 30.0


@dataclass
class Result:
    """What an agent did in all of the cases."""

    name: str
    verdicts: list[Verdict]
    plain: Verdict

    @property
    def survived(self) -> int:
        """How many cases it survived."""
        return sum(verdict.survived for verdict in self.verdicts)

    def count(self, code: str) -> int:
        """In how many cases it did this wrong."""
        return sum(any(f.code == code for f in v.findings) for v in self.verdicts)

    def records(self) -> list[dict[str, Any]]:
        """A record a case, for JSONL."""
        head = {"agent": self.name}
        return [{**head, **verdict.record()} for verdict in [self.plain, *self.verdicts]]


def run_gym(
    target: Sequence[str],
    chosen: Iterable[Case],
    *,
    name: str = "",
    seconds: float = SECONDS,
    most_requests: int = MOST_REQUESTS,
    jobs: int = 2,
    question: str = contestant.QUESTION,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
) -> Result:
    """Run an agent (a command, or ["module:function"]) through cases; see `command_for`.

    seconds, most_requests: of one case; then the agent and all that it started is ended.
    Raises WorkshopError when it can't be started, or fails where the model behaves.
    """
    command = contestant.command_for(target, question)
    referee = Referee(most_requests)

    def one(case: Case, within: float = seconds) -> Verdict:
        exchange = referee.open(case)
        environ = contestant.environment(referee.url(case), question)
        outcome = contestant.run(command, environ, within, lambda: exchange.flooded)
        return judge(exchange, outcome)

    with referee.serving():
        plain = one(plain_case(), max(seconds, SECONDS))
        on_verdict(plain)
        if not plain.survived:
            said = " ".join(finding.message for finding in plain.findings)
            raise WorkshopError(
                f"With a model that behaves, your agent fails too. {said}",
                "Make that run first; the misbehaviours would tell nothing.",
            )
        streams = referee.exchanges[plain.case].streams
        referee.good = referee.exchanges[plain.case].first_result()
        wanted = [case for case in chosen if streams or not case.streams_only]
        verdicts = []
        with ThreadPoolExecutor(max(jobs, 1)) as pool:
            for verdict in pool.map(one, wanted):
                on_verdict(verdict)
                verdicts.append(verdict)
    return Result(name or " ".join(target), verdicts, plain)


def serve_gym(
    chosen: Iterable[Case],
    port: int,
    say: Callable[[str], None] = print,
    until: Callable[[], bool] = lambda: False,
) -> list[Verdict]:
    """Serve the cases, for a client that is run by hand, until Ctrl-C; verdicts of those used."""
    referee = Referee(MOST_REQUESTS)
    with referee.serving(port):
        say("Point your client at one of these, with any key, and ask something. Ctrl-C ends it.")
        for case in [plain_case(), *chosen]:
            referee.open(case)
            say(f"  {referee.url(case)}")
        try:
            while not until():
                time.sleep(0.1)
        except KeyboardInterrupt:
            pass
    return [judge(exchange, None) for exchange in referee.exchanges.values() if exchange.count]
