"""Secrets taken out of a text before it is stored or shown."""

import re

# The shapes of common credentials; the value goes, the kind stays readable.
_PATTERNS = [
    (re.compile(r"\bsk-[A-Za-z0-9_-]{16,}"), "sk-[removed]"),
    (re.compile(r"\b(?:ghp|gho|github_pat)_[A-Za-z0-9_]{20,}"), "gh-[removed]"),
    (re.compile(r"\bAKIA[0-9A-Z]{16}\b"), "AKIA[removed]"),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"), "jwt-[removed]"),
    (
        re.compile(r"(?i)\b(bearer|password|passwd|api[_-]?key|secret)(\s*[:=]\s*|\s+)\S{8,}"),
        r"\1\2[removed]",
    ),
]
_HINTS = (
    "sk-",
    "gh",
    "AKIA",
    "eyJ",
    "earer",
    "EARER",
    "assw",
    "ASSW",
    "key",
    "KEY",
    "ecret",
    "ECRET",
)


def redact(text: str) -> str:
    """`text` with what looks like a key, token or password replaced."""
    if not any(hint in text for hint in _HINTS):
        return text
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text
