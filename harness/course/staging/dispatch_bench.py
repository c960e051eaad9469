"""The surroundings of `dispatch_one`: a desk with tools that note how they were called."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging.probes import mark
from harness.course.staging.stage import Stage
from harness.errors import ToolError
from harness.tools.toolbox import TOOLS, GuardedTool, register

LOOKUP, LANES, GAUGE, CLOSE = "lookup_berth", "list_lanes", "read_gauge", "close_berth"
STOP, UNKNOWN, CAUSE = "watch_quay", "find_tugboat", "gauge 7731 is offline"
SONAR, LOG = "read_sonar", "read_log"
SAID = "Silt at the Quay:\n  'the north basin' is 4.5 m deep, and it was dredged last in March 2019"
ADVICE = "Ask the Harbour Master, who knows of every Wreck, before you try once more."
PAGES = ("", "  two\n\nlines \n", "ERROR is a word: no error here.", "berth clear, " * 900 + "end")


class Desk(Stage):
    """A stage that notes which tools ran, through the guard and past it."""

    guarded: list[tuple[str, dict[str, Any]]]
    texts: list[str]  # what the guarded calls returned
    errors: list[tuple[str, str]]  # what they raised: message and hint
    ran: list[str]  # type: ignore[assignment]


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Desk]:
    """A stage with the probe tools in TOOLS and no other."""

    desk = Desk(clock, watch, restore)
    desk.guarded, desk.ran, desk.texts, desk.errors = [], [], [], []

    class Probe(GuardedTool):
        def run(self, arguments: dict[str, Any], call: Any = None) -> str:
            desk.guarded.append((self.contract.name, dict(arguments)))
            try:
                text = super().run(arguments, call)
            except ToolError as error:
                desk.errors.append((error.message, error.hint))
                raise
            if self.contract.name == LOG:  # any text can come out of a tool
                text = PAGES[arguments["page"]]
            desk.texts.append(text)
            return text

    before = dict(TOOLS)
    TOOLS.clear()
    try:
        for fn, tier in _tools(desk.ran):
            probe = Probe(register(when="during a check", tier=tier, replace=True)(fn).contract)
            TOOLS[probe.contract.name] = (probe, probe.contract.schema)
        yield desk
    finally:
        TOOLS.clear()
        TOOLS.update(before)


def _tools(ran: list[str]) -> list[tuple[Callable[..., Any], str]]:
    def lookup_berth(name: Annotated[str, "The berth."]) -> dict[str, Any]:
        """Look a berth up by its name."""
        ran.append(LOOKUP)
        return {"berth": name, "result": mark(LOOKUP, name=name)}

    def list_lanes() -> dict[str, Any]:
        """List the lanes of the harbour."""
        ran.append(LANES)
        return {"lanes": ["north", "south"], "result": mark(LANES)}

    def read_gauge(station: Annotated[str, "The station."]) -> dict[str, Any]:
        """Read the water gauge of a station."""
        ran.append(GAUGE)
        raise RuntimeError(CAUSE)

    def read_sonar() -> dict[str, Any]:
        """Read the sonar."""
        raise ToolError("failed", SAID, ADVICE)

    def read_log(page: Annotated[int, "Number of the page."]) -> dict[str, Any]:
        """Read a page of the log."""
        ran.append(LOG)
        return {"page": page}

    def close_berth(name: Annotated[str, "The berth."]) -> dict[str, Any]:
        """Close a berth to all vessels."""
        ran.append(CLOSE)
        return {"closed": name}

    def watch_quay() -> dict[str, Any]:
        """Watch the quay until somebody presses Ctrl-C."""
        raise KeyboardInterrupt

    reading: list[Callable[..., Any]] = [lookup_berth, list_lanes, read_gauge, watch_quay]
    reading += [read_sonar, read_log]
    for fn in (*reading, close_berth):  # Python names them so in its own errors
        fn.__module__, fn.__qualname__ = "harbour", fn.__name__
    return [*[(fn, "read") for fn in reading], (close_berth, "write")]
