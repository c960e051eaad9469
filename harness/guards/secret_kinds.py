"""What a secret looks like: the detectors of `detect-secrets`, and our own for what they miss.

Theirs read source code and know the tokens of many services. Ours know how people write a
password into a sentence, take a credential out whole, and keep the words around it. Each is a
plugin of theirs: a kind (`secret_type`) and its expressions (`denylist`). A group called `secret`
is what goes, where the whole match would take a word too many.
"""

import re
from collections.abc import Iterator

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

# Left out: Artifactory (its passwords look like container numbers), public IP addresses (no
# secret), and what is random between quotes (ids and hashes of ours are).
_THEIRS: tuple[type[RegexBasedDetector], ...] = (
    AWSKeyDetector,
    AzureStorageKeyDetector,
    CloudantDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    IbmCloudIamDetector,
    IbmCosHmacDetector,
    JwtTokenDetector,
    MailchimpDetector,
    NpmDetector,
    OpenAIDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    SoftlayerDetector,
    SquareOAuthDetector,
    StripeDetector,
    TelegramBotTokenDetector,
    TwilioKeyDetector,
)

# What people call a secret, and what may come between that word and the secret itself.
_PASSWORD = (
    r"pass ?words?|passwd|pwd|pass ?phrase|passcode|passwort|kennwort|contraseña|contrasena"
    r"|mot de passe|senha|wachtwoord|hasło|şifre|parola|пароль|пароля|пароли"
)
_KEY = (
    r"(?:api|access|auth|account|client|service|private|encryption|signing|deploy|bot|refresh"
    r"|bearer|session|db|database)[ _-]?(?:key|token|secret)|secret[ _-]?(?:access)?[ _-]?key"
    r"|api ?schlüssel|clave (?:de )?api|clé api"
)
_DENSE = r"密码|口令|密钥|パスワード|비밀번호|암호"  # of languages that put no space between words
_LINK = r"(?:is|was|are|now|set to|equals|ist|war|lautet|es|era|est|était|é|to|jest|это)"
_MARKS = r"[.,;:!?)\]}>]*"  # the sentence's own marks stay
_VALUE = r"[^\s\"'\\\[]{%s,400}?"
_TELLING = r"(?=[^\s\"'\\]{0,400}[0-9!@#$%^&*_+=~|])"  # no plain word has that


def _plugin(kind: str, *patterns: str) -> type[RegexBasedDetector]:
    body = {"secret_type": kind, "denylist": [re.compile(p, re.IGNORECASE) for p in patterns]}
    return type(kind.title().replace(" ", ""), (RegexBasedDetector,), body)


def _named(kind: str, names: str, plain: bool = True) -> type[RegexBasedDetector]:
    """A secret that is called one: in quotes, after a sign, or in a sentence where it isn't a word.

    `plain` takes a word of letters as well: after "=", or after ":" where no other word follows.
    """
    name = rf"(?<![^\W\d_])(?:{names})(?![^\W\d_])[\w-]{{0,20}}[\\\"'`]{{0,2}}"
    link, sign = rf"(?:\s+{_LINK}){{0,2}}", r"\s*(?:[:=]|=>|→)\s*"
    ends = rf"(?={_MARKS}(?:[\s\"'\\]|$))"
    ways = [
        rf"(?:{sign}|\s+)\\?([\"'`])(?P<secret>[^\"'`\\\[\n][^\"'`\\\n]{{3,200}})(?=\\?\1)",
        rf"{sign}{_TELLING}(?P<secret2>{_VALUE % 4}){ends}",
        rf"\s+{_TELLING}(?P<secret3>{_VALUE % 6}){ends}",
        rf"(?:\s+[^\W\d_]{{1,12}}){{1,3}}(?:\s+{_LINK}){{1,2}}\s+{_TELLING}"
        rf"(?=[^\s\"'\\]{{0,400}}[^\W\d_])(?P<secret6>{_VALUE % 6}){ends}",
    ]
    if plain:
        last = rf"(?={_MARKS}(?:[\"'\\]|\s*[\n,;]|\s*$))"
        ways.append(rf"\s*=\s*(?P<secret4>{_VALUE % 8}){ends}")
        ways.append(rf"{sign}(?P<secret5>{_VALUE % 8}){last}")
    return _plugin(kind, f"{name}{link}(?:{'|'.join(ways)})")


_OURS: tuple[type[RegexBasedDetector], ...] = (
    _plugin(
        "Private Key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----"
        r"[\s\S]*?(?:-----END [A-Z0-9 ]*KEY[A-Z ]*-----|\Z)",
        r"PuTTY-User-Key-File-[23][\s\S]*?(?:Private-MAC:\s*\w+|\Z)",
    ),
    _plugin("Basic Auth Credentials", r"://[^\s/:@]{0,200}:(?P<secret>[^\s/\[@][^\s/@]*)@"),
    _plugin(
        "Authorization Header",
        r"authorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token|apikey)\s+(?P<secret>[^\s\"'\[]{6,})",
        r"\bbearer\s+(?=[^\s\"']{0,400}\d)(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
    ),
    _plugin("JSON Web Token", r"\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]+)?"),
    _plugin(
        "API Key", r"\b[sr]k[-_][A-Za-z0-9_-]{16,}", r"\bAIza[\w-]{30,}", r"\bya29\.[\w-]{20,}"
    ),
    _plugin("GitHub Token", r"\b(?:gh[pousr]|github_pat)_\w{20,}"),
    _plugin("Access Token", r"\b(?:glpat-|hf_|npm_|pypi-|xox[abeprs]-|dop_v1_|shpat_)[\w-]{16,}"),
    _plugin(
        "Connection String",
        r"\b(?:AccountKey|SharedAccessKey|SharedSecret)=(?P<secret>[A-Za-z0-9+/=]{16,})",
    ),
    _named("password", _PASSWORD),
    _named("secret key", _KEY),
    _named("secret", "secret", plain=False),
    _plugin("password", rf"(?:{_DENSE})\s*(?:是|为|は|:|=|은|는)?\s*(?P<secret>[!-Z\\^-~]{{6,}})"),
)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of everything in a text that is a secret; ours come first."""
    for detector, kind in _DETECTORS:
        for pattern in detector:
            for match in pattern.finditer(text):
                named = [name for name, found in match.groupdict().items() if found is not None]
                yield *match.span(named[0] if named else 0), kind


_DETECTORS = [
    (list(plugin.denylist), str(plugin.secret_type))  # type: ignore[call-overload]
    for plugin in (*_OURS, *_THEIRS)
]
