"""Tools that exist only in a check: each marks its result and notes that it was called."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from harness.tools.toolbox import TOOLS, GuardedTool, register, spare_toolbox

LOOKUP, PAGE, LANES, GAUGE = "lookup_berth", "read_page", "list_lanes", "read_gauge"
UNKNOWN = "find_tugboat"
CAUSE = "gauge 7731 is offline"


@dataclass(frozen=True)
class Run:
    """A call of a probe tool, made after so many requests to the model.

    `text` is what the guarded call returned; "" when it raised.
    """

    name: str
    arguments: dict[str, Any]
    after: int
    text: str = ""


def mark(tool: str, /, **arguments: Any) -> str:
    """The word that a probe's result carries for these arguments."""
    text = f"{tool}{sorted(arguments.items())}"
    return f"RX{zlib.crc32(text.encode()):08x}"


def lookup_berth(name: str) -> dict[str, Any]:
    """Look a berth up by its name."""
    return {"berth": name, "result": mark(LOOKUP, name=name)}


def read_page(page: int) -> dict[str, Any]:
    """Read one page of the harbour log. Some pages are long, and end with what matters."""
    entries = [f"{hour:02d}:{page % 60:02d} berth {hour} clear" for hour in range(page % 7 * 45)]
    return {"page": page, "entries": entries, "result": mark(PAGE, page=page)}


def list_lanes() -> dict[str, Any]:
    """List the lanes of the harbour."""
    return {"lanes": ["north", "south"], "result": mark(LANES)}


def read_gauge(station: str) -> dict[str, Any]:
    """Read the water gauge of a station."""
    raise RuntimeError(CAUSE)


_PROBES: tuple[Callable[..., Any], ...] = (lookup_berth, read_page, list_lanes, read_gauge)


@contextmanager
def only_probes(ran: Callable[[str, dict[str, Any], str], None]) -> Iterator[None]:
    """Fill TOOLS with the probe tools alone, each telling `ran` its name, arguments and result."""

    class Probe(GuardedTool):
        def run(self, arguments: dict[str, Any], call: Any = None) -> str:
            text = ""
            try:
                text = super().run(arguments, call)
            finally:
                ran(self.contract.name, arguments, text)
            return text

    with spare_toolbox():
        TOOLS.clear()
        for fn in _PROBES:
            probe = Probe(register(when="during a check", replace=True)(fn).contract)
            TOOLS[probe.contract.name] = (probe, probe.contract.schema)
        yield
