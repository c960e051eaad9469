"""Personal data in a text: addresses, phone numbers, payment cards, bank accounts.

What is checked can be: a card by its issuer's digits and Luhn's sum, an account by its remainder, a
phone number by `phonenumbers`. Postal addresses are known by how the common ones are written.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

EMAIL, PHONE, CARD, ACCOUNT, POSTAL = (
    "e-mail address",
    "phone number",
    "card number",
    "bank account",
    "postal address",
)
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}(?![\w-])")
_CARD = re.compile(
    r"(?<![\w.,-])(?:4|5[1-5]|2[2-7]|3[47]|6[05])\d*(?:[ -]?\d){11,17}(?![\w]|[.,]\d)"
)
_ACCOUNT = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_MAYBE_PHONE = re.compile(r"\+\d|(?<![\w.,-])[(0]?\d[\d ()./-]{6,16}\d(?![\w.,-]*\d)")
_REGIONS = ("US", "GB", "DE", "FR", "NL", "SG")  # whose numbers are known without a country code
_POSTAL = re.compile(
    r"\b\d{1,5}[a-z]? (?:[A-Z][\w'’-]+ ){1,3}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Boulevard|Blvd|Square|Court|Terrace)\b\.?"
    r"|\b[A-ZÄÖÜ][\w-]+(?:straße|strasse|str\.|weg|platz|allee) \d{1,4}[a-z]?\b"
    r"|\b\d{1,4},? (?:rue|avenue|boulevard|quai) (?:de |du |des |la |le )*[A-ZÉ][\w'’-]+"
)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of the personal data in a text."""
    for kind, pattern, holds in (
        (EMAIL, _EMAIL, None),
        (CARD, _CARD, _is_card),
        (ACCOUNT, _ACCOUNT, _is_account),
        (POSTAL, _POSTAL, None),
    ):
        for match in pattern.finditer(text):
            if holds is None or holds(re.sub(r"[ -]", "", match.group())):
                yield *match.span(), kind
    if _MAYBE_PHONE.search(text):
        yield from _phones(text)


def _is_card(digits: str) -> bool:
    """Luhn's sum: every second digit from the right is doubled."""
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def _is_account(account: str) -> bool:
    """An IBAN: moved four places, letters as numbers, it leaves 1 when divided by 97."""
    moved = account[4:] + account[:4]
    return len(account) >= 15 and int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def _phones(text: str) -> Iterator[tuple[int, int, str]]:
    library = _phonenumbers()
    strict = library.Leniency.STRICT_GROUPING
    looks = [(None, library.Leniency.VALID), *((region, strict) for region in _REGIONS)]
    for region, leniency in looks:
        for match in library.PhoneNumberMatcher(text, region, leniency=leniency):
            yield match.start, match.end, PHONE


@lru_cache(maxsize=1)
def _phonenumbers() -> Any:
    """The library, loaded with the first text that may hold a number."""
    import phonenumbers  # its tables take a moment

    return phonenumbers
