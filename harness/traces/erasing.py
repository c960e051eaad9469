"""Taking events out of the trace files, in place: other processes may be appending to them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.traces.record_format import from_record, references
from harness.traces.trace_reader import files, parsed

_COUNT = (
    "erased"  # a file beside the traces, a byte longer with each time that something was erased
)


def erase_events(where: Path, mark: str, wanted: Callable[[dict[str, Any]], bool]) -> int:
    """Overwrite the wanted events of a folder, and the long texts that no other event refers to.

    `mark` stands in each of them: a file without it is not read further. Returns how many events.
    """
    if where.is_dir():
        with (where / _COUNT).open("ab") as count:  # before: who writes meanwhile stores texts anew
            count.write(b".")
    return sum(_erase_in(path, mark.encode("utf-8", "replace"), wanted) for path in files(where))


def times_erased(where: Path) -> int:
    """How often something was erased in a folder: after that, long texts may be missing there."""
    try:
        return (where / _COUNT).stat().st_size
    except OSError:
        return 0


def _erase_in(path: Path, mark: bytes, wanted: Callable[[dict[str, Any]], bool]) -> int:
    texts: dict[str, tuple[int, int]] = {}  # where each long text stands
    gone: list[tuple[int, int]] = []
    theirs: set[str] = set()
    others: set[str] = set()
    with path.open("r+b") as file:
        if mark not in file.read():
            return 0
        file.seek(0)
        start = 0
        for line in file:
            place, start = (start, start + len(line)), start + len(line)
            record = parsed(line)
            if record is None:
                continue
            if "payload" in record:
                texts[record["payload"]] = place
            elif wanted(from_record(record)):
                gone.append(place)
                theirs |= references(record)
            else:
                others |= references(record)
        lost = [texts[name] for name in theirs - others if name in texts]
        for first, end in (*gone, *lost):
            file.seek(first)
            file.write(b" " * (end - first - 1))
    return len(gone)
