"""What `late_arrivals` is asked, and what is right."""

from harness.course.staging.sql_bench import voyages

CAP = 20
OTTER, CARGO, OBRIEN, ON_TIME = "Otter Line", "100% Cargo", "O'Brien Line", "Quiet Water"
# situation, carrier and its id, min_hours (None: left out), ocean_region
ASKED: tuple[tuple[str, str, int, int | None, str | None], ...] = (
    ("92 hours are asked for", OTTER, 41, 92, None),
    ("a region is given as well", OTTER, 41, 40, "ATLANTIC"),
    ("no hours are given", CARGO, 44, None, None),
    ("more than 20 voyages were late", OTTER, 41, 24, None),
    ("no voyage was late", ON_TIME, 45, 24, None),
    ("fewer hours than usual are asked for", CARGO, 44, 13, None),
)


def late(
    carrier_id: int, least: int, region: str | None = None, status: str = "ARRIVED"
) -> list[int]:
    """The ids that should come back, the longest delay first."""
    found = [
        (-row[4], row[0])
        for row in voyages()
        if row[1] == carrier_id
        and row[3] == status
        and row[4] is not None
        and row[4] >= least
        and region in (None, row[2])
    ]
    return [voyage_id for _, voyage_id in sorted(found)]
