"""Questions for the company's documentation, and support tickets."""

import re
from typing import Any

from harness.standin.brain.callforms import call, content_words, query_text
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import said
from harness.standin.brain.words import playbook, tidy, word_set

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


def asks_documentation(situation: Situation) -> bool:
    """Whether the question is about procedures, versions or rules rather than shipping data."""
    low = f" {tidy(situation.question).lower()} "
    if _VERSIONED.search(low):
        return True
    hits = [w for w in word_set("helpdesk") if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", low)]
    return (bool(hits) and situation.offered("query_internal_kb")) or len(hits) > 1


def asks_ticket(situation: Situation) -> bool:
    """Whether a ticket is wanted, now or in the message before that we asked back about."""
    return bool(_TICKET.search(tidy(situation.question)) or _pending(situation))


def _pending(situation: Situation) -> str:
    """The request whose missing parts we asked for last."""
    if len(situation.recent) < 2 or situation.recent[-1][0] != "assistant":
        return ""
    begin = str(playbook()["askticket"]).split("{")[0]
    if begin not in situation.recent[-1][1]:
        return ""
    return "\n".join(t for r, t in situation.recent[-5:] if r == "user")


def documentation(situation: Situation) -> dict[str, Any]:
    """Search the documentation, once more with other words where it is unsure, then cite."""
    book = playbook()
    done = situation.calls("query_internal_kb")
    if not situation.offered("query_internal_kb") and not done:
        return said(str(book["nokb"]))
    if not done:
        return _ask(
            situation,
            query_text(situation, "query_internal_kb", _term(situation), _bare(situation)),
        )
    last = done[-1]
    if not situation.tools:
        return _cited(situation)
    if last.error and len(done) == 1:
        return _ask(situation, " ".join(content_words(_bare(situation))[:5]))
    if (
        not last.error
        and last.data.get("confident") is False
        and len([s for s in done if not s.error]) == 1
    ) and "retry" in str(last.data.get("next", "retry")).lower():
        return _ask(situation, _rewritten(str(last.arguments.get(_term(situation), ""))))
    return _cited(situation)


def _bare(situation: Situation) -> str:
    """The question without its version: that goes into its own argument."""
    if "version_filter" not in situation.parameters("query_internal_kb"):
        return situation.question
    return re.sub(
        r"\s+",
        " ",
        re.sub(r"\b(?:in|for|of)?\s*(?:version\s+)?v?\d+\.\d+\b", " ", situation.question),
    ).strip()


def _term(situation: Situation) -> str:
    names = [n for n in situation.parameters("query_internal_kb") if "version" not in n]
    return names[0] if names else "search_terms"


def _ask(situation: Situation, text: str) -> dict[str, Any]:
    made = call("query_internal_kb")
    made["arguments"][_term(situation)] = text
    version = _VERSION.search(situation.question)
    if version and "version_filter" in situation.parameters("query_internal_kb"):
        made["arguments"]["version_filter"] = f"v{version.group(1)}"
    if any(s.arguments == made["arguments"] for s in situation.calls("query_internal_kb")):
        return _cited(situation)
    return {"content": None, "tool_calls": [made]}


def _rewritten(terms: str) -> str:
    other = playbook()["other_words"]
    words = [str(other.get(w.lower(), w)) for w in terms.split()]
    if words == terms.split():
        words = words[:-1] if len(words) > 2 else [*words, "guide"]
    return " ".join(words[:5])


def _cited(situation: Situation) -> dict[str, Any]:
    """source | excerpt | confidence, the surest first."""
    book = playbook()
    good = [s for s in situation.calls("query_internal_kb") if not s.error]
    if not good:
        error = situation.calls("query_internal_kb")[-1].error
        return said(str(book["reasons"]["failed"]).format(error=" ".join(error.split())[:400]))
    best = max(good, key=_confidence)
    lines = [str(line) for line in best.data.get("lines") or []]
    if not lines:
        lines = [
            f"{s.get('source')} | {s.get('excerpt')} | {s.get('confidence')}"
            for s in best.data.get("snippets") or []
            if isinstance(s, dict)
        ]
    if not lines:
        return said(str(book["kbnone"]))
    notes = []
    if best.data.get("confident") is False:
        notes.append(str(book["kbunsure"]).format(best=_confidence(best)))
        if "Not documented for" in str(best.data.get("next", "")):
            notes.append(str(best.data["next"]))
    return said("\n".join([*lines[:3], *notes]))


def _confidence(step: Any) -> float:
    return max(
        (float(s.get("confidence") or 0) for s in step.data.get("snippets") or []), default=0.0
    )


def ticket(situation: Situation) -> dict[str, Any]:
    """Open a ticket when title, category and priority were said; ask for what is missing."""
    book = playbook()
    done = situation.calls("submit_support_ticket")
    if done:
        step = done[-1]
        if step.error:
            return said(
                str(book["reasons"]["failed"]).format(error=" ".join(step.error.split())[:500])
            )
        return said(
            str(book["ticketdone"]).format(
                id=step.data.get("ticket_id", "?"),
                now=step.data.get("ticket_status", "open"),
                link=step.data.get("link", ""),
            )
        )
    if not situation.offered("submit_support_ticket"):
        return said(str(book["noticket"]))
    text = f"{_pending(situation)}\n{situation.question}".strip()
    found = {
        "title": _title(text),
        "category": _one(text, "categories"),
        "priority": _one(text, "priorities"),
    }
    missing = [_described(name, situation) for name, value in found.items() if not value]
    if missing:
        return said(str(book["askticket"]).format(missing=" and ".join(missing)))
    made = call("submit_support_ticket", **found)
    return {"content": None, "tool_calls": [made]}


def _described(name: str, situation: Situation) -> str:
    options = situation.parameters("submit_support_ticket").get(name, {}).get("enum")
    return f"a {name} ({', '.join(options)})" if options else f"a {name}"


def _one(text: str, section: str) -> str:
    """The value whose word is in the text, where only one kind is."""
    low = f" {tidy(text).lower().replace('_', ' ')} "
    hits = {
        name: min(low.find(f" {w}") for w in words if re.search(rf"\b{re.escape(str(w))}\b", low))
        for name, words in playbook()[section].items()
        if any(re.search(rf"\b{re.escape(str(w))}\b", low) for w in words)
    }
    exact = [name for name in hits if name.replace("_", " ") in low]
    if len(exact) == 1:
        return exact[0]
    return next(iter(hits)) if len(hits) == 1 else ""


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
