"""A stream in which a proxy asked its server again: the reply comes twice, under two ids.

Some servers give each chunk an id of its own, and some gateways the first chunks another one. So
an id tells nothing by itself: a reply is said again only where it begins anew, behind more than one
chunk of another id, and begins with all that was said before.
"""

from typing import Any

Said = tuple[str, list[tuple[str, str]]]  # text, and of each call its name and arguments


class Retries:
    """Keeps apart what may be said again: the pieces that come under later ids."""

    def __init__(self) -> None:
        self.found: list[list[dict[str, Any]]] = []
        self._id: Any = None
        self._chunks = 0  # under this id

    def takes(self, chunk_id: Any, pieces: list[dict[str, Any]], ended: bool) -> bool:
        """Whether the pieces of a chunk belong to a later try; then it keeps them."""
        if chunk_id and chunk_id != self._id:
            anew = ended or any(_names_its_role(piece) for piece in pieces)
            if self._chunks > 1 and anew and pieces:
                self.found.append([])
            self._id, self._chunks = chunk_id, 0
        self._chunks += 1
        if self.found:
            self.found[-1] += pieces
        return bool(self.found)


def says_again(earlier: Said, later: Said) -> bool:
    """Whether the later reply begins with all of the earlier one, which said something."""
    (text, calls), (new_text, new_calls) = earlier, later
    same = all(
        name == new_name and new_arguments.startswith(arguments)
        for (name, arguments), (new_name, new_arguments) in zip(calls, new_calls, strict=False)
    )
    something = bool(text or calls) and len(calls) <= len(new_calls)
    return something and same and new_text.startswith(text)


def _names_its_role(piece: dict[str, Any]) -> bool:
    delta = piece.get("delta")
    return isinstance(delta, dict) and bool(delta.get("role"))
