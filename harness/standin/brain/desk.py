"""Orders to act, support tickets, and questions for the company's documentation."""

import itertools
import re
from typing import Any

from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.replies import (
    Reply,
    act,
    call,
    content_words,
    failed,
    query_text,
    refuse,
    said,
    step_or_call,
)
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z][\w-]{2,}\b")
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+\w")
_SAYING = re.compile(
    r"(?:\b(?:saying|that|because|about|stating)\b|:)\s*(.+)", re.IGNORECASE | re.DOTALL
)
_TO = re.compile(r"\bto\s+((?:[A-Z][\w&.-]*\s?)+)")


def ordered(situation: Situation) -> Reply | None:
    """The next step of an order ("rebook ...", "draft ..."); None for other messages."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    words = list(itertools.dropwhile(word_set("polite_words").__contains__, words))
    if not words or words[0] not in word_set("writes") | word_set("acts"):
        return None
    name = _tool(situation, words)
    if not name:
        return refuse(str(playbook()["readonly"]))
    for step in situation.calls(name)[-1:]:
        hidden = ("status", "contract", "instructions")
        shown = [f"{k} {v}" for k, v in step.data.items() if k not in hidden and v is not None]
        told = f"{name}: {', '.join(shown) or 'done'}."
        return failed(step.error) if step.error else said(told)
    required = (situation.tools[name].get("parameters") or {}).get("required") or []
    found = _arguments(situation.question, situation.parameters(name))
    missing = [each for each in required if each not in found]
    if missing:
        return said(str(playbook()["orderneeds"]).format(missing=" and ".join(missing)))
    return act(call(name, **found))


def _tool(situation: Situation, words: list[str]) -> str:
    """The tool that is named by the verb, and by most other words of the order."""
    known = {key for word in words for key in keys(word)}
    fitting = [n for n in sorted(situation.tools) if n.lower().split("_")[0] == words[0]]
    return max(fitting, key=lambda n: len(known & set(keys(n.replace("_", " ")))), default="")


def _arguments(text: str, properties: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        value = _value(text, name, schema if isinstance(schema, dict) else {})
        if value is not None and value not in found.values():
            found[name] = value
    return found


def _value(text: str, name: str, schema: dict[str, Any]) -> Any:
    """What the order says for one parameter; None where it says nothing."""
    parts = set(keys(name.replace("_", " "))) - {"id", "no", "number", "new"}
    if schema.get("enum"):
        return next((each for each in schema["enum"] if str(each).lower() in text.lower()), None)
    if schema.get("type") in ("integer", "number"):
        return _number_after(text, parts)
    if schema.get("type") == "boolean":
        return None
    if parts & {"message", "body", "text", "reason", "subject", "note", "content"}:
        match = _SAYING.search(text)
        return " ".join(match.group(1).split()).strip(" .\"'") if match else None
    if (mail := _MAIL.search(text)) and parts & {"to", "recipient", "address", "mail", "email"}:
        return mail.group()
    if parts & {"to", "recipient", "carrier"}:
        match = _TO.search(text)
        return match.group(1).strip(" .") if match else None
    return next(iter(_CODE.findall(text)), None)


def _number_after(text: str, parts: set[str]) -> int | None:
    """The number that follows a word of the parameter's name."""
    pairs = itertools.pairwise(tokenise(tidy(text)))
    numbers = (t.number for before, t in pairs if t.number is not None and before.key in parts)
    found = next(numbers, None)
    return None if found is None else int(found)


_KB = "query_internal_kb"
_VERSION = re.compile(r"\bv?(\d+\.\d+)\b")
_VERSIONED = re.compile(r"\bv\d+(?:\.\d+)?\b|\bversion \d+(?:\.\d+)?\b", re.IGNORECASE)
_TITLED = re.compile(r"\btitled?\s*[:=]?\s*[\"']?([^\n\"']+)", re.IGNORECASE)
_TICKET = re.compile(
    r"\b(?:open|create|file|submit|raise|log|make|write)\b.*\bticket\b|\b(?:report|file) a bug\b|"
    r"\brequest a feature\b|\bescalate\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|for|titled|saying that|saying|because|that|:)\s+(.+)", re.IGNORECASE | re.DOTALL
)


def documentation(situation: Situation) -> Reply | None:
    """Search the documentation, once more with other words where it is unsure, then cite.

    None where the question is not about procedures, versions or rules.
    """
    if not _asks_documentation(situation):
        return None
    done = situation.calls(_KB)
    if not done and not situation.offered(_KB):
        return said(str(playbook()["nokb"]))
    if not done:
        return _ask(situation, query_text(situation, _KB, _term(situation), _bare(situation)))
    last = done[-1]
    if situation.tools and last.error and len(done) == 1:
        return _ask(situation, " ".join(content_words(_bare(situation))[:5]))
    unsure = not last.error and last.data.get("confident") is False
    once = len([s for s in done if not s.error]) == 1
    if (
        situation.tools
        and unsure
        and once
        and "retry" in str(last.data.get("next", "retry")).lower()
    ):
        return _ask(situation, _rewritten(str(last.arguments.get(_term(situation), ""))))
    return _cited(situation)


def _asks_documentation(situation: Situation) -> bool:
    low = f" {tidy(situation.question).lower()} "
    hits = [w for w in word_set("helpdesk") if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", low)]
    known = bool(hits) and situation.offered(_KB)
    return known or len(hits) > 1 or _VERSIONED.search(low) is not None


def _bare(situation: Situation) -> str:
    """The question without its version: that has an argument of its own."""
    if "version_filter" not in situation.parameters(_KB):
        return situation.question
    pattern = r"\b(?:in|for|of)?\s*(?:version\s+)?v?\d+\.\d+\b"
    return " ".join(re.sub(pattern, " ", situation.question).split())


def _term(situation: Situation) -> str:
    names = [n for n in situation.parameters(_KB) if "version" not in n]
    return names[0] if names else "search_terms"


def _ask(situation: Situation, text: str) -> Reply:
    made = call(_KB, **{_term(situation): text})
    version = _VERSION.search(situation.question)
    if version and "version_filter" in situation.parameters(_KB):
        made["arguments"]["version_filter"] = f"v{version.group(1)}"
    asked = step_or_call(situation, made)
    return asked if isinstance(asked, dict) else _cited(situation)


def _rewritten(terms: str) -> str:
    other = playbook()["other_words"]
    words = [str(other.get(w.lower(), w)) for w in terms.split()]
    if words == terms.split():
        words = words[:-1] if len(words) > 2 else [*words, "guide"]
    return " ".join(words[:5])


def _cited(situation: Situation) -> Reply:
    """source | excerpt | confidence, the surest first."""
    book, steps = playbook(), situation.calls(_KB)
    good = [s for s in steps if not s.error]
    if not good:
        return failed(steps[-1].error)
    best = max(good, key=_confidence)
    snippets = [s for s in best.data.get("snippets") or [] if isinstance(s, dict)]
    cited = [f"{s.get('source')} | {s.get('excerpt')} | {s.get('confidence')}" for s in snippets]
    lines = [str(line) for line in best.data.get("lines") or []] or cited
    if lines and best.data.get("confident") is False:
        lines = [*lines[:3], str(book["kbunsure"]).format(best=_confidence(best))]
        after = str(best.data.get("next", ""))
        return said("\n".join([*lines, *([after] if "Not documented for" in after else [])]))
    return said("\n".join(lines[:3]) if lines else str(book["kbnone"]))


def _confidence(step: Step) -> float:
    snippets = step.data.get("snippets") or []
    return max((float(s.get("confidence") or 0) for s in snippets), default=0.0)


def ticket(situation: Situation) -> Reply | None:
    """Open a ticket when title, category and priority were said; ask for what is missing.

    None where no ticket is wanted, now or in the message before that we asked back about.
    """
    pending = _pending(situation)
    if not pending and not _TICKET.search(tidy(situation.question)):
        return None
    book, tool = playbook(), "submit_support_ticket"
    for step in situation.calls(tool)[-1:]:
        if step.error:
            return failed(step.error)
        told = {"id": step.data.get("ticket_id", "?"), "link": step.data.get("link", "")}
        return said(
            str(book["ticketdone"]).format(now=step.data.get("ticket_status", "open"), **told)
        )
    if not situation.offered(tool):
        return said(str(book["noticket"]))
    text = f"{pending}\n{situation.question}".strip()
    category, priority = _one(text, "categories"), _one(text, "priorities")
    found = {"title": _title(text), "category": category, "priority": priority}
    missing = [_described(name, situation) for name, value in found.items() if not value]
    if missing:
        return said(str(book["askticket"]).format(missing=" and ".join(missing)))
    return act(call(tool, **found))


def _pending(situation: Situation) -> str:
    """The request whose missing parts we asked for last."""
    begin = str(playbook()["askticket"]).split("{")[0]
    role, text = situation.recent[-1] if len(situation.recent) > 1 else ("", "")
    if role != "assistant" or begin not in text:
        return ""
    return "\n".join(t for r, t in situation.recent[-5:] if r == "user")


def _described(name: str, situation: Situation) -> str:
    options = situation.parameters("submit_support_ticket").get(name, {}).get("enum")
    return f"a {name} ({', '.join(options)})" if options else f"a {name}"


def _one(text: str, section: str) -> str:
    """The value whose word is in the text, where only one kind is."""
    low = f" {tidy(text).lower().replace('_', ' ')} "
    hits = [
        name
        for name, words in playbook()[section].items()
        if any(re.search(rf"\b{re.escape(str(w))}\b", low) for w in words)
    ]
    exact = [name for name in hits if name.replace("_", " ") in low]
    return exact[0] if len(exact) == 1 else hits[0] if len(hits) == 1 else ""


def _title(text: str) -> str:
    """The issue in one line: after "title:", or what the ticket is about."""
    match = _TITLED.search(text) or next(
        (m for line in text.splitlines() if (m := _ABOUT.search(line))), None
    )
    if not match:
        return ""
    title = re.split(
        r"[,;.]?\s*(?:\b(?:category|priority|it is|it's)\b|"
        r"\b(?:low|medium|high|critical) priority)",
        match.group(1),
        flags=re.IGNORECASE,
    )[0]
    title = " ".join(title.split()).strip(" .,;:?!")
    return title[:1].upper() + title[1:80] if len(title) > 4 else ""
