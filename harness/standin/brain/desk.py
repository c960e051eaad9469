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
    fitted,
    made_before,
    query_text,
    readable,
    refuse,
    said,
)
from harness.standin.brain.words import keys, pattern, phrase, playbook, tidy, tokenise, word_set


def ordered(situation: Situation) -> Reply | None:
    """The next step of an order ("rebook ...", "draft ..."); None for other messages."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    words = list(itertools.dropwhile(word_set("polite_words").__contains__, words))
    if not words or words[0] not in word_set("writes") | word_set("acts"):
        return None
    known = {key for word in words for key in keys(word)}
    fitting = [n for n in sorted(situation.tools) if n.lower().split("_")[0] == words[0]]
    name = max(fitting, key=lambda n: len(known & set(keys(n.replace("_", " ")))), default="")
    return _order(situation, name, situation.question) if name else refuse(phrase("readonly"))


def ticket(situation: Situation) -> Reply | None:
    """The next step of an order to open a ticket, also where its missing parts were asked for."""
    text, tool = f"{_pending(situation)}\n{situation.question}".strip(), "submit_support_ticket"
    if not pattern("ticket").search(tidy(text)):
        return None
    done = situation.offered(tool) or situation.calls(tool)
    return _order(situation, tool, text) if done else said(phrase("noticket"))


def _pending(situation: Situation) -> str:
    """The order whose missing parts we asked for last."""
    role, text = situation.recent[-1] if len(situation.recent) > 1 else ("", "")
    if role != "assistant" or str(playbook()["orderneeds"]).split("{")[0] not in text:
        return ""
    return "\n".join(t for r, t in situation.recent[-5:] if r == "user")


def _order(situation: Situation, name: str, text: str) -> Reply:
    """Call the tool with what the text says for its parameters; tell what came of it."""
    for step in situation.calls(name)[-1:]:
        hidden = ("status", "contract", "instructions")
        data = {k: v for k, v in readable(step).items() if k not in hidden and v is not None}
        shown = ", ".join(f"{k} {v}" for k, v in data.items()) or "done"
        ticket = {"ticket_status": "open", "link": "", **data}
        return said(phrase("ticketdone", **ticket) if "ticket_id" in data else f"{name}: {shown}.")
    found, properties = dict[str, Any](), situation.parameters(name)
    required = (situation.tools.get(name, {}).get("parameters") or {}).get("required") or []
    for parameter in required or properties:
        schema = properties.get(parameter)
        value = _value(text, parameter, schema if isinstance(schema, dict) else {})
        if value is not None and value not in found.values():
            found[parameter] = value
    missing = [_asked(each, properties.get(each)) for each in required if each not in found]
    if missing:
        return said(phrase("orderneeds", missing=" and ".join(missing)))
    return act(call(name, **found))


def _asked(name: str, schema: Any) -> str:
    options = schema.get("enum") if isinstance(schema, dict) else None
    return f"{name} ({', '.join(map(str, options))})" if options else name


def _value(text: str, name: str, schema: dict[str, Any]) -> Any:
    """What the order says for one parameter; None where it says nothing."""
    parts = set(keys(name.replace("_", " "))) - {"id", "no", "number", "new"}
    if schema.get("enum"):
        return _option(text, schema["enum"])
    if schema.get("type") in ("integer", "number"):
        return _number_after(text, parts)
    if schema.get("type") == "boolean":
        return None
    if "title" in parts:
        return _title(text)
    if parts & {"message", "body", "text", "reason", "subject", "note", "content"}:
        match = pattern("saying").search(text)
        return " ".join(match.group(1).split()).strip(" .\"'") if match else None
    if (mail := pattern("mail").search(text)) and parts & {
        "to",
        "recipient",
        "address",
        "mail",
        "email",
    }:
        return mail.group()
    if parts & {"to", "recipient", "carrier"}:
        match = pattern("recipient").search(text)
        return match.group(1).strip(" .") if match else None
    return next(iter(pattern("code").findall(text)), None)


def _option(text: str, options: list[Any]) -> Any:
    """The option that the text names, or of which alone it has a word."""
    low, said_by = tidy(text).lower().replace("_", " "), playbook()["options"]
    named = [each for each in options if re.search(rf"\b{_words(each)}\b", low)]
    meant = [
        each
        for each in options
        if any(re.search(rf"\b{_words(word)}\b", low) for word in said_by.get(each, ()))
    ]
    return next((found[0] for found in (named, meant) if len(found) == 1), None)


def _words(option: Any) -> str:
    return re.escape(str(option).lower().replace("_", " "))


def _number_after(text: str, parts: set[str]) -> int | None:
    """The number that follows a word of the parameter's name."""
    pairs = itertools.pairwise(tokenise(tidy(text)))
    numbers = (t.number for before, t in pairs if t.number is not None and before.key in parts)
    found = next(numbers, None)
    return None if found is None else int(found)


def _title(text: str) -> str | None:
    """The issue in one line: after "title:", or what it is about."""
    match = pattern("titled").search(text) or pattern("about").search(text)
    title = (
        " ".join(pattern("title_ends").split(match[1])[0].split()).strip(" .,;:?!") if match else ""
    )
    return title[:1].upper() + title[1:80] if len(title) > 4 else None


_KB = "query_internal_kb"


def documentation(situation: Situation) -> Reply | None:
    """Search the documentation, once more with other words where it is unsure, then cite.

    None where the question is not about procedures, versions or rules.
    """
    if not _asks_documentation(situation):
        return None
    known, done = situation.parameters(_KB), situation.calls(_KB)
    if not done and not situation.offered(_KB):
        return said(phrase("nokb"))
    filtered = "version_filter" in known  # the version has an argument of its own
    bare = pattern("of_version").sub(" ", situation.question) if filtered else situation.question
    bare = " ".join(bare.split()) if filtered else bare
    term = next((n for n in known if "version" not in n), "search_terms")
    text, good = "", [s for s in done if not s.error]
    if not done:
        text = query_text(situation, _KB, term, bare)
    elif situation.tools and done[-1].error and len(done) == 1:
        text = " ".join(content_words(bare)[:5])
    elif situation.tools and len(good) == 1 and _may_retry(done[-1]):
        text = _rewritten(str(done[-1].arguments.get(term, "")))
    version = pattern("version").search(situation.question)
    filter_ = f"v{version[1]}" if version else ""
    made = fitted(situation, call(_KB, **{term: text}), version_filter=filter_)
    return act(made) if text and not made_before(situation, made) else _cited(done, good)


def _asks_documentation(situation: Situation) -> bool:
    low = f" {tidy(situation.question).lower()} "
    hits = [w for w in word_set("helpdesk") if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", low)]
    known = bool(hits) and situation.offered(_KB)
    return known or len(hits) > 1 or pattern("versioned").search(low) is not None


def _may_retry(step: Step) -> bool:
    unsure = not step.error and step.data.get("confident") is False
    return unsure and "retry" in str(step.data.get("next", "retry")).lower()


def _rewritten(terms: str) -> str:
    other, before = playbook()["other_words"], terms.split()
    words = [str(other.get(w.lower(), w)) for w in before]
    if words == before:
        words = words[:-1] if len(words) > 2 else [*words, "guide"]
    return " ".join(words[:5])


def _cited(done: list[Step], good: list[Step]) -> Reply:
    """source | excerpt | confidence, the surest first."""
    if not good:
        return failed(done[-1].error)
    best = max(good, key=_confidence)
    snippets = [s for s in best.data.get("snippets") or [] if isinstance(s, dict)]
    cited = [f"{s.get('source')} | {s.get('excerpt')} | {s.get('confidence')}" for s in snippets]
    lines = [*(best.data.get("lines") or cited)][:3]
    if lines and best.data.get("confident") is False:
        after = str(best.data.get("next", ""))
        lines.append(phrase("kbunsure", best=_confidence(best)))
        lines += [after] if "Not documented for" in after else []
    return said("\n".join(map(str, lines)) or phrase("kbnone"))


def _confidence(step: Step) -> float:
    snippets = step.data.get("snippets") or []
    return max((float(s.get("confidence") or 0) for s in snippets), default=0.0)
