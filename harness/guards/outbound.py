"""What leaves is looked at: secrets never go, personal data by where it would go.

Beside the envelope, which decides whether something may leave at all (C24).
"""

from typing import Any

from harness.guards import personal_data, secrets
from harness.guards.effect import Effect
from harness.guards.personal_data import ACCOUNT, CARD, EMAIL, PHONE, POSTAL

# Destination -> the personal data that doesn't go there. What the table lacks gets nothing of it.
KEPT_BACK: dict[str, tuple[str, ...]] = {
    "model": (),
    "agent": (),
    "user": (CARD, ACCOUNT),  # an answer; who asks may see whom to call
    "inside": (CARD, ACCOUNT),
    "undeclared": (CARD, ACCOUNT),
    "outside": (CARD, ACCOUNT, EMAIL, PHONE, POSTAL),
}


def looked_at(text: str, destination: str, known: tuple[str, ...] = ()) -> str:
    """The text as it may go to a destination: what is kept back became a mark with its kind.

    `known` are domains whose addresses may go there, such as the recipient's own.
    """
    plain, places = secrets.seen(text)
    kept_back = KEPT_BACK.get(destination.split("/")[0], KEPT_BACK["outside"])
    found = [
        (places[start], places[end], kind)
        for start, end, kind in personal_data.spans(plain)
        if kind in kept_back
        and not (kind == EMAIL and plain[start:end].lower().rpartition("@")[2] in known)
    ]
    spans = secrets.in_order([*secrets.found(text), *found])
    return secrets.replaced(text, spans) if spans else text


def arguments(values: dict[str, Any], kinds: tuple[Effect, ...]) -> dict[str, Any]:
    """The arguments of a call that reaches the world, each text as it may go there.

    A text that is nothing but an address or a number is where the call goes, which is for the
    envelope to judge; it stays.
    """
    leaving = [kind.destination for kind in kinds if kind.leaves]
    if not leaving:
        return values
    strictest = max(leaving, key=lambda name: len(KEPT_BACK.get(name, KEPT_BACK["outside"])))
    return {name: _looked_at(value, strictest) for name, value in values.items()}


def _looked_at(value: Any, destination: str) -> Any:
    if isinstance(value, str):
        alone = any((0, len(value)) == span[:2] for span in personal_data.spans(value))
        return secrets.redact(value) if alone else looked_at(value, destination)
    if isinstance(value, dict):
        return {key: _looked_at(each, destination) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_looked_at(each, destination) for each in value)
    return value
