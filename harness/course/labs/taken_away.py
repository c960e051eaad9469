"""The laboratory of part 06: a turn that lacks layers or tools, and what a request costs."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count
from typing import Any

from harness import SYSTEM_PROMPT, chat, dispatch, log_message
from harness.context import build_context, build_layers
from harness.course.labs.many_tools import large_office, small_office
from harness.knowledge.skillbox import skills
from harness.model.tokens import count_tokens
from harness.tools.toolbox import TOOLS

_threads = count(1)
_ROUNDS = 12


@dataclass(frozen=True)
class Agent:
    """A small loop over the tools that `choose(question)` picks; called, it answers a question.

    Without the layers, tools and rules that are named, so that one sees what they buy.
    """

    choose: Callable[..., list[dict[str, Any]]]
    without: Collection[str] = ()  # layers of the context
    not_offered: Collection[str] = ()  # tools
    rules: str = SYSTEM_PROMPT

    def __call__(self, question: str, thread_id: str = "default") -> str:
        """The answer."""
        return self.turn(question, thread_id)[0]

    def turn(self, question: str, thread_id: str) -> tuple[str, int]:
        """The answer, and how many tools were called for it."""
        log_message(thread_id, "user", question)
        layers = [e for e in build_layers(thread_id, question) if e.name not in self.without]
        context = "\n".join(each.text for each in layers if each.text)
        talk: list[Any] = [{"role": "system", "content": self.rules}]
        talk += [{"role": "user", "content": context}]
        schemas = self.choose(question)
        offered = [e for e in schemas if e["function"]["name"] not in self.not_offered]
        for _ in range(_ROUNDS):
            said = chat(talk, offered).choices[0].message
            if not said.tool_calls:
                break
            talk += [said.model_dump(exclude_none=True)]
            talk += [dispatch(call).message for call in said.tool_calls]
        answer = said.content or "(it went on calling tools)"
        log_message(thread_id, "assistant", answer)
        return answer, sum(each["role"] == "tool" for each in talk)


def compare(question: str, variants: dict[str, Agent]) -> None:
    """Ask each variant on a thread on which two sentences have been said, and print the answers."""
    print(question)
    for label, agent in variants.items():
        thread = f"thread {next(_threads)}"
        log_message(thread, "user", "How many voyages are delayed?")
        log_message(thread, "assistant", "11 voyages are delayed.")
        answer, calls = agent.turn(question, thread)
        said = answer.partition("\n(offline stand-in)")[0].partition("\nI am the offline")[0]
        print(f"   {label:<20}{calls:>2} calls   {' '.join(said.splitlines())}")


QUESTIONS = (
    "How many voyages are delayed?",
    "Which vessel has the largest capacity?",
    "What is the 90th percentile of delay hours?",
    "Where is the vessel Winter Marigold now?",
)


def small_and_large(choose: Callable[..., list[dict[str, Any]]], k: int = 5) -> None:
    """Print what a first request costs in an office of a dozen tools, and of a hundred."""

    def cost(question: str) -> int:
        tools = sum(count_tokens(str(schema)) for schema in choose(question, k=k))
        context = count_tokens(build_context("an empty thread", question))
        return count_tokens(SYSTEM_PROMPT) + tools + context

    def costs() -> tuple[str, list[int]]:
        return f"{len(TOOLS)} tools, {len(skills())} skills", [cost(each) for each in QUESTIONS]

    with small_office():
        small, before = costs()
    with large_office():
        large, after = costs()
        all_in = sum(count_tokens(str(schema)) for _, schema in TOOLS.values())
        all_in += sum(count_tokens(skill.line) for skill in skills())
    print(f"{'':<46}{small:>22}{large:>24}")
    for question, one, other in zip(QUESTIONS, before, after, strict=True):
        print(f"{question:<46}{one:>15,} tokens{other:>17,} tokens")
    print(f"\nall of the large office in the prompt, skills a line each: {all_in:,} tokens")
    print(f"afterwards the toolbox has {len(TOOLS)} tools again")
