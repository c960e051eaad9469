"""Measuring a contract: the same function and the same questions under other words.

What changes between two runs is only what the model is told about the tool. A task is reached when
the answer cites the article that answers the question, in the version that was asked about.
"""

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from harness import standin
from harness.course.notebook import fresh_user
from harness.errors import WorkshopError
from harness.knowledge import helpdesk
from harness.model.chat import chat
from harness.retrieval.lexical_search import fold, stem
from harness.run import recorder
from harness.settings import settings
from harness.standin.literal import literal
from harness.tools.contract import ToolContract, contract_of
from harness.tools.dispatch import dispatch
from harness.tools.toolbox import TOOLS, GuardedTool, spare_toolbox

PROMPT = "You are the helpdesk of a shipping company. Answer from its documentation only."
VAGUE: dict[str, Any] = {"description": "Search database"}
MAX_ROUNDS = 6


def search_docs(search_terms: str, version_filter: str | None = None) -> dict[str, Any]:
    """Find the articles that hold every word of search_terms, of a version or the latest."""
    wanted = _words(search_terms)
    version = version_filter or helpdesk.versions()[-1]
    found = [
        article
        for article in helpdesk.articles()
        if (version in article.versions or not article.versions) and wanted <= _held(article)
    ]
    return {"snippets": [_snippet(article, version) for article in found[:3]]}


@dataclass(frozen=True)
class DeskTask:
    """A question, and the end of the source that must be cited; "" where no tool is needed."""

    name: str
    question: str
    source: str


TASKS = (
    DeskTask("key", "How do I reset my API key?", "api/v2.1/api-keys"),
    DeskTask("limit", "What is the rate limit in version 1.4?", "api/v1.4/rate-limits"),
    DeskTask("fee", "Can I cancel a booking without a fee?", "procedures/booking-cancellation"),
    DeskTask("signed", "Are webhook deliveries signed in version 2.0?", "api/v2.0/webhooks"),
    DeskTask(
        "alarm",
        "Who checks a reefer temperature alarm on weekends?",
        "procedures/reefer-alarms",
    ),
    DeskTask("thanks", "Thanks, that was all.", ""),
)


@dataclass(frozen=True)
class DeskRow:
    """One task: the arguments that the tool was called with, and what came of it."""

    task: DeskTask
    calls: tuple[dict[str, Any], ...]
    answer: str
    tokens: int
    reached: bool


@dataclass(frozen=True)
class DeskBoard:
    """The rows of one contract; `str()` is the table that a notebook prints."""

    rows: tuple[DeskRow, ...]

    @property
    def reached(self) -> int:
        """How many goals were reached."""
        return sum(row.reached for row in self.rows)

    @property
    def tokens(self) -> int:
        """Tokens a task, in and out, on average."""
        return round(sum(row.tokens for row in self.rows) / len(self.rows))

    @property
    def calls(self) -> int:
        """Calls of the tool, all together."""
        return sum(len(row.calls) for row in self.rows)

    def __str__(self) -> str:
        lines = [f"{'task':<9}{'goal':<6}{'calls':>5}{'tokens':>8}   first call"]
        for row in self.rows:
            first = ", ".join(map(repr, row.calls[0].values())) if row.calls else "-"
            goal = "yes" if row.reached else "no"
            lines.append(f"{row.task.name:<9}{goal:<6}{len(row.calls):>5}{row.tokens:>8}   {first}")
        total = f"{self.reached} of {len(self.rows)} goals, {self.calls} calls"
        return "\n".join([*lines, f"{total}, {self.tokens} tokens a task"])


_TEXTS = ("description", "when", "returns", "instructions")
_KNOWN = (*_TEXTS, "parameters", "example")


def contract_from(
    words: Mapping[str, Any], fn: Callable[..., Any] = search_docs, name: str | None = None
) -> ToolContract:
    """The contract of a plain function in these words, which replace those of the function itself.

    `words` may have description, when, returns, instructions (texts), parameters (a text for each
    parameter) and example (the arguments of a call). Raises WorkshopError for any other.
    """
    for word in words:
        if word not in _KNOWN:
            raise WorkshopError(f"A contract has no {word!r}.", f"It has: {', '.join(_KNOWN)}.")
    given = {key: words[key] for key in ("when", "returns", "instructions") if key in words}
    base = contract_of(fn, name=name or fn.__name__, example=words.get("example"), **given)
    parameters = copy.deepcopy(base.parameters)
    for parameter, text in (words.get("parameters") or {}).items():
        if parameter not in parameters["properties"]:
            known = ", ".join(parameters["properties"])
            raise WorkshopError(f"{base.name} has no parameter {parameter!r}.", f"It has: {known}.")
        parameters["properties"][parameter]["description"] = str(text)
    description = " ".join(str(words.get("description", "")).split())
    return replace(base, description=description, parameters=parameters)


@contextmanager
def only_tool(contract: ToolContract) -> Iterator[GuardedTool]:
    """TOOLS with this tool and no other, until the block ends."""
    tool = GuardedTool(contract)
    with spare_toolbox():
        TOOLS.clear()
        TOOLS[contract.name] = (tool, contract.schema)
        yield tool


def measure(words: Mapping[str, Any], tasks: tuple[DeskTask, ...] = TASKS) -> DeskBoard:
    """Ask the questions with `search_docs` under these words, and judge the answers.

    Offline the model is standin/literal.py, which takes the words as they are; with a key it is
    the real one. Raises WorkshopError for words that no contract has.
    """
    contract = contract_from(words)
    with only_tool(contract), fresh_user("contracts"), _model():
        return DeskBoard(tuple(_ask(contract, task) for task in tasks))


def _ask(contract: ToolContract, task: DeskTask) -> DeskRow:
    """One task, in the smallest loop that does it."""
    turn = recorder.open_turn(f"contracts {task.name}", task.question)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": PROMPT},
        {"role": "user", "content": task.question},
    ]
    answer = ""
    for step in range(MAX_ROUNDS + 1):
        reply = chat(messages, [contract.schema] if step < MAX_ROUNDS else None)
        message = reply.choices[0].message
        if not message.tool_calls:
            answer = message.content or ""
            break
        messages.append(message.model_dump(exclude_none=True))
        messages += [dispatch(call).message for call in message.tool_calls]
    calls = tuple(call.arguments or {} for call in turn.calls)
    tokens = turn.prompt_tokens + turn.completion_tokens
    recorder.end(turn)
    return DeskRow(task, calls, answer, tokens, _reached(task, answer, calls))


def _reached(task: DeskTask, answer: str, calls: tuple[dict[str, Any], ...]) -> bool:
    return task.source in answer if task.source else not calls


def _model() -> AbstractContextManager[Any]:
    real = settings().base_url is not None or not settings().model.startswith("standin")
    return nullcontext() if real else standin.script(literal)


def _held(article: helpdesk.Article) -> set[str]:
    return _words(f"{article.topic} {article.title} {article.keywords} {article.text}")


def _words(text: str) -> set[str]:
    """The stems of a text's words, the small ones too: every word must be held."""
    return {stem(word) for word in re.findall(r"[^\W_]+", fold(text))}


def _snippet(article: helpdesk.Article, version: str) -> dict[str, str]:
    return {"source": helpdesk.source_of(article, version), "excerpt": article.text}
