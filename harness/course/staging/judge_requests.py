"""Judging what was sent: the first request, each that follows a reply, the tools on offer."""

import json
from typing import Any

from harness.context import SYSTEM_PROMPT
from harness.course.staging.notes import Notes
from harness.course.staging.round_protocol import round_fault
from harness.course.staging.stage import Seen, token
from harness.excerpt import short_repr


class Requests(Notes):
    """Judgements on the requests of one run."""

    def first_request(self, seen: Seen, context: bool = True) -> None:
        """System prompt, question and tools, and the context where that is asked for."""

        first = seen.requests[0]
        system = _texts(first.messages, "system", "developer")
        user = _texts(first.messages, "user")
        self._offers(seen, context)
        if SYSTEM_PROMPT not in system:
            self.add(
                "system_prompt_missing",
                "The system prompt is missing: the model does not know its rules.",
                'The first message is {"role": "system", "content": SYSTEM_PROMPT}.',
            )
        elif system != SYSTEM_PROMPT:
            self.add(
                "system_prompt_changed",
                f"The system message is SYSTEM_PROMPT and {len(system) - len(SYSTEM_PROMPT)} "
                f"characters more: {short_repr(_beside(system, SYSTEM_PROMPT), 80)}.",
                "SYSTEM_PROMPT as it is. What is added in one turn is there in the next one too.",
            )
        elif _texts(first.messages[:1], "user"):
            self.add(
                "system_prompt_late",
                "The system prompt comes after the question.",
                'The first message is {"role": "system", "content": SYSTEM_PROMPT}.',
            )
        if seen.question not in user:
            self.add(
                "question_missing",
                "The user's question is not in what the model was sent.",
                "build_context(thread_id, user_query) ends with it."
                if context
                else 'The second message is {"role": "user", "content": question}.',
            )
        elif context:
            self._context(seen, user)
            self._nothing_more(first.messages)
        elif user != seen.question and not any(mark in user for mark in seen.contexts):
            self.add(
                "question_changed",
                f"The user's message is not the question as it was asked: {short_repr(user, 80)}.",
                '{"role": "user", "content": question}',
            )

    def _nothing_more(self, messages: list[Any]) -> None:
        roles = [str(each.get("role")) for each in messages if isinstance(each, dict)]
        if len(roles) > 2 and not self.found:
            self.add(
                "message_added",
                f"The first request has {len(roles)} messages ({', '.join(roles)}).",
                "Two: SYSTEM_PROMPT, and the context as the user's; the question is in it.",
            )

    def _offers(self, seen: Seen, context: bool) -> None:
        """Tools are on offer; and, where they were retrieved, for this question and k = 6."""
        first = seen.requests[0]
        if not first.offers_tools:
            unrun = " It does? Then no round was run: is time.monotonic() the clock, both times?"
            self.add(
                "no_tools",
                "The request offers no tools, so the model can't call any.",
                "Get the tools, then chat(messages, tools)." + unrun * context,
            )
            self.hopeless = True
            return
        right = f"tool_{token(seen.question, 6)}"
        here = [seen.offers[name] for name in first.tools if name in seen.offers]
        if not context:  # any k will do, and so will all of TOOLS
            if here and here[0][0] != seen.question:
                self.add(
                    "tools_of_another",
                    f"The tools on offer were retrieved for {here[0][0]!r}, not for this question.",
                    "retrieve_tools(question): the question as it was asked.",
                )
            return
        if right in first.tools:
            return
        if here and here[0][0] == seen.question:
            self.add(
                "other_k",
                f"The tools were retrieved with k={here[0][1]!r}.",
                "retrieve_tools(user_query, k=6): six beside those that are always on.",
            )
        else:
            whose = f"for {here[0][0]!r}" if here else "for another turn, or not at all"
            self.add(
                "tools_of_another",
                f"The tools on offer were retrieved {whose}, not for this question.",
                "Call retrieve_tools(user_query, k=6) inside the function, in every turn.",
            )

    def _context(self, seen: Seen, user: str) -> None:
        if seen.context in user:
            whole = next(text for text in _each(seen.requests[0].messages) if seen.context in text)
            if whole == seen.built:
                return
            what = (
                "The user message is the context and more: "
                f"{short_repr(_beside(whole, seen.built), 80)}."
            )
        elif other := [where for mark, where in seen.contexts.items() if mark in user]:
            thread, query = other[0]
            wrong = f"the thread {thread!r}" if thread != seen.thread_id else f"{query!r}"
            what = f"The context was built for {wrong}, not for this thread and question."
        else:
            what = "The context is missing: only the bare question was sent."
        self.add(
            "context_missing" if seen.context not in user else "context_changed",
            what,
            'The user message is {"role": "user", "content": build_context(thread_id, '
            "user_query)}.",
        )

    def protocol(self, seen: Seen) -> bool:
        """Each request must carry on from the reply before; says whether one does not."""
        for index in range(1, len(seen.requests)):
            forced = not seen.requests[index].offers_tools
            ran = seen.runs_after(index - 1)
            if forced and not ran and not _mentions(seen, index):
                continue  # over budget: the reply was not acted on, so there is nothing to echo
            fault = round_fault(seen, index)
            if fault:
                self.note(fault)
                return True
        return False

    def fresh(self, seen: Seen) -> bool:
        """A turn must begin with a list of its own; says whether an earlier turn is still in it."""
        text = json.dumps(seen.requests[0].messages) if seen.requests else ""
        if not any(question.strip() in text for question in seen.earlier):
            return False
        self.add(
            "history_leaks",
            "The first request of a turn still holds the messages of the turn before, perhaps of "
            "another thread.",
            "Make the list of messages inside the function, anew in every turn.",
        )
        self.hopeless = True
        return True

    def offers_kept(self, seen: Seen) -> None:
        """Tools must be offered in every round, not only in the first."""
        if seen.requests[0].offers_tools and not all(s.offers_tools for s in seen.requests):
            self.add(
                "no_tools",
                "Only the first request offers tools; after one round the model can't call any.",
                "Pass the tools to chat in every round.",
            )
            self.hopeless = True
        elif any(s.tools != seen.requests[0].tools for s in seen.requests if s.offers_tools):
            self.add(
                "tools_changed",
                "A later request offers other tools than the first.",
                "Retrieve the tools once, for the question, and pass the same list in every round.",
            )


def _beside(whole: str, part: str) -> str:
    """What a text has beside the part that it should be."""
    return whole.replace(part, "", 1) or whole[:40]


def _each(messages: list[Any]) -> list[str]:
    return [_texts([message], "user") for message in messages]


def _texts(messages: list[Any], *roles: str) -> str:
    """The contents of the messages of these roles, one under the other."""
    parts = []
    for message in messages:
        if isinstance(message, dict) and message.get("role") in roles:
            content = message.get("content")
            inner = content if isinstance(content, list) else [content]
            parts += [p.get("text", "") if isinstance(p, dict) else str(p) for p in inner]
    return "\n".join(parts)


def _mentions(seen: Seen, index: int) -> bool:
    """Whether request `index` echoes or answers any call of the reply before it."""
    ids = [call["id"] for call in seen.requests[index - 1].calls]
    text = json.dumps(seen.requests[index].messages)
    return any(json.dumps(each)[1:-1] in text for each in ids)
