"""What a server says when it refuses, in its own words, and the two lines that a person reads."""

import codecs
import json
import re
from http import HTTPStatus
from typing import Any

import openai

from harness.excerpt import excerpt
from harness.guards.secrets import redact
from harness.model.error_words import loaded, without_tags, words_in
from harness.model.response_parsing import ProviderError
from harness.settings import settings

_SHOWN = 300  # characters of what a server said
_RAW = 4_000  # characters of a refusal that are read for what it is about
_SAYS_NOTHING = re.compile(r"(?:invalid|bad)[_ ]?request(?:[_ ]?error)?", re.IGNORECASE)


def refusal_of(error: openai.APIError) -> str:
    """The whole text of a refusal, for recognising what it is about, less what it quotes of us."""
    try:
        raw = error.response.content  # type: ignore[attr-defined]
        wide = raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        text = raw.decode("utf-16", "replace") if wide else error.response.text  # type: ignore[attr-defined]
    except Exception:  # no response, or a stream that was closed before it was read
        text = error.body if isinstance(error.body, str) else json.dumps(error.body, default=str)
    value = loaded(text)
    text = text if value is None else json.dumps(_unquoted(value), ensure_ascii=False)
    return text[:_RAW]


def _unquoted(value: Any) -> Any:
    """An error body without the request that some servers put into it."""
    if isinstance(value, list):
        return [_unquoted(each) for each in value]
    if not isinstance(value, dict):
        return value
    said = {k: v for k, v in value.items() if k not in ("input", "url", "request")}
    return {k: _unquoted(v) for k, v in said.items() if not _SAYS_NOTHING.fullmatch(str(v))}


def words_of(error: openai.APIError) -> str:
    """The sentence of an error body of any form, without secrets; "" where it holds none."""
    text = refusal_of(error).strip()
    value = loaded(text)
    words = without_tags(text) if value is None else words_in(value) or text
    if words in ("null", "{}", "[]", '""'):
        words = ""
    key = settings().api_key
    words = redact(" ".join(words.split()))
    words = words.replace(key, "[the key]") if key and len(key) > 6 else words
    return excerpt(words, _SHOWN)


def shown_short(error: openai.BadRequestError) -> openai.BadRequestError:
    """The API's own 400 with the server's sentence, whatever form its body has.

    A notebook shows it as one line instead of a traceback.
    """
    words = words_of(error)
    if words and words not in str(error):
        error.args = (f"Error code: {error.status_code} - {words}",)
    line = f"openai.BadRequestError: {words or error.message}"
    error._render_traceback_ = lambda: [line]  # type: ignore[attr-defined]
    return error


def explained(error: openai.APIError, model: str) -> ProviderError:
    """What the server or the network said, in two lines for a person."""
    where = settings().base_url or "the OpenAI API"
    if isinstance(error, openai.APITimeoutError):
        return ProviderError(f"{where} did not answer in time.", "Try again, or raise the budget.")
    if isinstance(error, openai.APIConnectionError):
        cause = str(error.__cause__ or "").strip()
        return ProviderError(
            f"{where} can't be reached{f' ({cause[:120]})' if cause else ''}.",
            "Check the network and OPENAI_BASE_URL; without a key the offline stand-in answers.",
        )
    status = getattr(error, "status_code", None)
    words = words_of(error) or _phrase(status) or str(error.message)[:_SHOWN]
    what, hint = _kind(status, words, model)
    said = f"{what} (status {status})" if status else what
    return ProviderError(f"{where} {said}: {words}", hint)


def _kind(status: int | None, words: str, model: str) -> tuple[str, str]:
    """(what the server did, what to do), no more of it than the status says."""
    if status == 401:
        return "refused the key", "Check OPENAI_API_KEY in .env (and OPENAI_BASE_URL)."
    if status == 403:
        return (
            "refused the key, or what it was used for",
            "Its words say which: the key, its rights, the model, the region or the network.",
        )
    if status == 404 and model in words:
        return f"knows no model {model!r}", "Set WORKSHOP_MODEL in .env to one that it has."
    if status == 404:
        return (
            f"knows no model {model!r}, or no such address",
            "Check OPENAI_BASE_URL (most end with /v1) and WORKSHOP_MODEL in .env.",
        )
    if status == 402:
        return "wants to be paid", "Look at the account's balance, or use WORKSHOP_MODEL=standin."
    if status == 429:
        return (
            "is limiting requests, or the quota is used up",
            "Wait a minute, or use another key or WORKSHOP_MODEL=standin.",
        )
    if status is not None and 400 <= status < 500:
        return "refused the request", "Its words say why; the settings are in .env."
    return "answered with an error", "Try again; if it stays, look at the server's log."


def _phrase(status: int | None) -> str:
    """The standard's word for a status, where a body says nothing."""
    try:
        return HTTPStatus(status or 0).phrase
    except ValueError:
        return ""
