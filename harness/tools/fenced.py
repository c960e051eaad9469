"""Code out of the block that models show it in to people."""

import re

_FENCE = re.compile(
    r"^[ \t]*(?P<f>```+|~~~+)[ \t]*[\w+.-]*[ \t]*\r?\n(?P<code>.*?)\s*(?P=f)[ \t\r]*$",
    re.DOTALL | re.MULTILINE,
)


def unfenced(text: str) -> str:
    """The code of a text's only fenced block; a text with none, or several, as it is."""
    text = text.removeprefix("\ufeff")
    blocks = list(_FENCE.finditer(text)) if "```" in text or "~~~" in text else []
    return blocks[0]["code"] if len(blocks) == 1 else text
