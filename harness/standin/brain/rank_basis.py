"""What rows are ranked by: a figure, an adjective, a number of rows; and what is ranked."""

from dataclasses import replace

from harness.standin.brain.bounds import Rank
from harness.standin.brain.figures import Figure, asked_unit, figure_at, figures
from harness.standin.brain.measures import figure_for
from harness.standin.brain.sentence import Sentence, event_table
from harness.standin.brain.tree import Measure
from harness.standin.brain.words import word_set

Basis = tuple[Figure | None, set[int]]  # a figure, and the items that say it


def with_adjective(s: Sentence, at: int, rank: Rank) -> Rank:
    """ "the most delayed voyage" is one; "the most delayed voyages" of a carrier are a number."""
    scale = s.get(at + 1, "scale")
    if not scale or rank.of or rank.plain or scale[2] or s.low(at) not in ("most", "least"):
        return rank
    several = at + 2 < len(s.items) and s.low(at + 2).endswith("s")
    if several and any(s.has(i, "noun", "col", "role") for i in range(at)):
        return rank
    s.claims = [c for c in s.claims if c.start != at + 1]
    s.use(at + 1)
    return replace(rank, of=scale[0], years=scale[3], down=(scale[1] == "more") == rank.down)


def basis(s: Sentence, at: int, rank: Rank) -> Basis:
    """What they are ranked by: an aggregate, a named figure, an adjective, or a number of rows."""
    found = figures(s)
    if found:
        return found[0], set(found[0].items)
    named = [i for i in range(len(s.items)) if i != at and s.is_figure(i)]
    if named:
        i = min(named, key=lambda j: (j < at, abs(j - at)))
        value = figure_at(s, i, asked_unit(s))
        if value is not None:
            each = {i - 1} if s.has(i - 1, "each") else set()
            return Figure(Measure("", value), value.table), {i} | each
    if not rank.of:
        return _counting(s, at, rank)
    tables = [n.table for n in s.nouns] or [c.data[0][0].table for c in s.of("val")]
    for table in [beside(s, at), *(tables or sorted(s.world.schema.tables))]:
        each_unit = bool(s.all("per_unit"))
        known = figure_for(rank.of, (), table, s.world, each=each_unit) if table else None
        if known is not None:
            kind = "avg" if s.all("agg", "avg") else ""  # "the oldest fleet on average"
            return Figure(Measure(kind, known[1].own), known[1].table), set(s.all("agg", "avg"))
    return None, set()


def beside(s: Sentence, at: int) -> str:
    """The table of the noun right after a superlative; "" for none."""
    after = range(at + 1, len(s.items))
    stops = (j for j in after if j not in s.claimed and not s.has(j, "light"))
    end = next(stops, len(s.items))
    return next((s.items[j]["noun"] for j in after if s.has(j, "noun") and j <= end), "")


def _counting(s: Sentence, at: int, rank: Rank) -> Basis:
    """ "the most ships", "top 5 destinations by number of voyages", "the most departures"."""
    counts, by = s.asks("count"), next((i for i in s.all("by") if i > at and s.has(i, "each")), -1)
    start = counts if counts > at else by if rank.plain and by >= 0 else at
    if s.low(at).split()[-1] in word_set("by_rows") or (rank.plain and start == at):
        return None, set()
    for j in range(start + 1, len(s.items)):
        if s.has(j, "null") and not s.has(j + 1, "noun"):
            return Figure(Measure("count"), s.items[j]["null"][0].table, (j,), j), set()
        if j in s.claimed or (s.has(j, "light") and not s.has(j, "noun")):
            continue
        if s.has(j, "noun") and not s.has(j, "col"):
            others = [i for i in range(len(s.items)) if i != j and i not in s.claimed]
            if not any(s.has(i, "noun", "col", "role", "unit_of_time") for i in others):
                return None, set()
            return Figure(Measure("count"), s.items[j]["noun"], (j,), j), {j, by} - {-1}
        if s.has(j, "event") and (table := event_table(s, j)):
            items = set() if s.is_move(j) else {j}
            return Figure(Measure("count"), table, (j,), j), items
        if not s.has(j, "agg", "from", "to"):
            break
    return None, set()


def ranked_item(s: Sentence, at: int, items: set[int]) -> int:
    """The item of what is ranked; -1 for none."""
    options = [
        i
        for i in range(len(s.items))
        if i not in items | s.claimed | {at}
        and (
            s.has(i, "noun", "role", "unit_of_time")
            or (s.has(i, "col") and not s.has(i, "event") and not s.is_figure(i))
        )
    ]
    if s.asks("list", "who") >= 0 and options and options[0] < at:
        return options[0]
    free = [i for i in options if not s.has(i - 1, "each")]
    return next(iter([*(i for i in free if i > at), *free, *options]), -1)
