"""Secrets taken out of a text before it is stored or shown."""

import re

_NAMES = (  # what people call a secret
    r"bearer|password|passwd|passphrase|passwort|contraseña|mot de passe|senha|пароль"
    r"|api[_ -]?key|access[_ -]?token|secret(?:[_ -]?key)?"
)
_IS = r"is|was|ist|es|est|é"
# The shapes of common credentials; the value goes, the kind stays readable. A row a kind.
_PATTERNS = [
    (re.compile(r"\b([sr]k[-_])[A-Za-z0-9_-]{16,}"), r"\1[removed]"),
    (re.compile(r"\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}"), "gh-[removed]"),
    (re.compile(r"\b(glpat-|hf_|npm_|pypi-|xox[abprs]-)[A-Za-z0-9_-]{16,}"), r"\1[removed]"),
    (re.compile(r"\b(A[KS]IA)[0-9A-Z]{16}\b"), r"\1[removed]"),
    (re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"), "AIza[removed]"),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"), "jwt-[removed]"),
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*KEY-----|$)", re.S),
        "[private key removed]",
    ),
    (re.compile(r"(://[^\s/:@]+:)[^\s/@]+(@)"), r"\1[removed]\2"),
    (re.compile(rf"(?i)\b({_NAMES})(\s*(?:{_IS})?\s*[:=]\s*)\S{{8,}}"), r"\1\2[removed]"),
    # Without a sign between, the value has a digit or a symbol: "the password policy" has none.
    (
        re.compile(rf"(?i)\b({_NAMES})(\s+(?:(?:{_IS})\s+)?)(?=\S*[0-9!@#$%^&*_+=])\S{{8,}}"),
        r"\1\2[removed]",
    ),
    (
        re.compile(r"((?:密码|口令|密钥|パスワード)\s*(?:是|为|は)?\s*[:：=]?\s*)[!-~]{8,}"),
        r"\1[removed]",
    ),
]
# Every text with a secret has one of these; most texts have none and are not searched further.
_HINTS = re.compile(
    r"[sr]k[-_]|gh[pousr]_|github_pat|glpat-|hf_|npm_|pypi-|xox|A[KS]IA|AIza|eyJ|-----BEGIN|://"
    r"|earer|EARER|ass(?:w|ph)|ASS(?:W|PH)|contrase|mot de|enha|арол|key|KEY|Key|oken|TOKEN"
    r"|ecret|ECRET|密|口令|パス"
)


def redact(text: str) -> str:
    """`text` with what looks like a key, token or password replaced."""
    if not _HINTS.search(text):
        return text
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text
