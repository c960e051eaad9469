"""Wall-clock times of records: UTC, ISO 8601, one width, so that text order is time order."""

from datetime import UTC, datetime, timedelta

from harness.errors import WorkshopError
from harness.excerpt import short_repr

_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def utc_now() -> str:
    """The time now, as stored."""
    moment = datetime.now(UTC).replace(tzinfo=None)  # `strftime` asks the system for its zone
    return f"{moment.isoformat(timespec='microseconds')}Z"


def stored(moment: str | datetime, name: str = "timestamp") -> str:
    """A time as stored, UTC where no zone is given. Raises WorkshopError, with the name of the
    argument, for anything else.
    """
    try:
        parsed = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    except (TypeError, ValueError):
        raise WorkshopError(
            f"{name}: {short_repr(moment)} is not a time.",
            "Write it as 2026-08-17 or 2026-08-17T12:00:00Z.",
        ) from None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).strftime(_FORMAT)
    except OverflowError:
        raise WorkshopError(
            f"{name}: {short_repr(moment)} is not a time of this calendar."
        ) from None


def days_after(moment: str, days: float) -> str:
    """The time so many days after a stored one, as stored; no later than the year 9999."""
    try:
        return stored(datetime.fromisoformat(moment) + timedelta(days=days))
    except OverflowError:
        return stored(datetime(9999, 12, 31, tzinfo=UTC))
