"""What an order goes by: a figure, an adjective, a number of rows; and what is ranked."""

from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain.bounds import Rank
from harness.standin.brain.measures import figure_for
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.tree import Measure


def _of_adjective(s: Sentence, at: int, rank: Rank) -> Rank:
    """ "the most delayed voyage" is one; "the most delayed voyages" of a carrier are a number."""
    scale = s.items[at + 1].senses.get("scale") if at + 1 < len(s.items) else None
    noun = s.items[at + 2] if at + 2 < len(s.items) else None
    if (
        not scale
        or rank.of
        or rank.plain
        or scale[2]
        or s.words(at).lower() not in ("most", "least")
    ):
        return rank
    if (
        noun is not None
        and noun.words.lower().endswith("s")
        and any("noun" in i or "col" in i or "role" in i for i in s.items[:at])
    ):
        return rank
    s.claims = [c for c in s.claims if c.start != at + 1]
    s.used.add(at + 1)
    return replace(rank, of=scale[0], years=scale[3], down=(scale[1] == "more") == rank.down)


def _by(s: Sentence, at: int, rank: Rank) -> tuple[fig.Figure | None, set[int]]:
    """What the order goes by: an aggregate, a named figure, an adjective, or a number of rows."""
    found = fig.figures(s)
    if found:
        return found[0], set(found[0].items)
    named = [i for i in range(len(s.items)) if fig._is_figure(s, i) and i != at]
    if named:
        i = min(named, key=lambda j: (j < at, abs(j - at)))
        value = fig.figure_at(s, i, fig.asked_unit(s))
        if value is not None:
            extra = {j for j in s.all("each") if j == i - 1}
            return fig.Figure(Measure("", value), value.field.column.table, ()), {i} | extra
    if rank.of:
        tables = [n.table for n in s.nouns] or _claimed(s) or sorted(s.world.schema.tables)
        near = _beside(s, at)
        for table in [*([near] if near else []), *tables]:
            value_found = figure_for(rank.of, (), table, s.world, each=_each_unit(s))
            if value_found is not None:
                value = value_found[1]
                own = replace(value, fields=tuple(replace(f, path=()) for f in value.fields))
                return fig.Figure(Measure("", own), value.field.column.table, ()), set()
        return None, set()
    return _counting(s, at, rank)


def _each_unit(s: Sentence) -> bool:
    """ "per unit"."""
    return any("per_unit" in i for i in s.items)


def _claimed(s: Sentence) -> list[str]:
    return [c.data[0][0].table for c in s.claims if c.kind == "val"]


def _beside(s: Sentence, at: int) -> str:
    """The table of the noun right after a superlative."""
    claimed = {c.start for c in s.claims}
    for j in range(at + 1, len(s.items)):
        if "noun" in s.items[j]:
            return str(s.items[j]["noun"])
        if j not in claimed and "light" not in s.items[j]:
            break
    return ""


def _counting(s: Sentence, at: int, rank: Rank) -> tuple[fig.Figure | None, set[int]]:
    """ "the most ships", "top 5 destinations by number of voyages", "the most departures"."""
    claimed = {c.start for c in s.claims}
    counts = s.asks("count")
    by = next((i for i in s.all("each") if "by" in s.items[i] and i > at), -1)
    start = counts if counts > at else by if rank.plain and by >= 0 else at
    if s.words(at).lower().endswith(
        ("common", "popular", "frequent", "busiest", "often", "rarest", "quietest")
    ) or (rank.plain and start == at):
        return None, set()
    for j in range(start + 1, len(s.items)):
        item = s.items[j]
        if "null" in item and not any("noun" in x for x in s.items[j + 1 : j + 2]):
            return fig.Figure(Measure("count"), item["null"][0].table, (j,), j), set()
        if j in claimed or ("light" in item and "noun" not in item):
            continue
        if "noun" in item and "col" not in item:
            others = [
                i
                for i in range(len(s.items))
                if i != j
                and i not in claimed
                and set(s.items[i].senses) & {"noun", "col", "role", "unit_of_time"}
            ]
            return (
                (
                    fig.Figure(Measure("count"), item["noun"], (j,), j),
                    {j} | ({by} if by >= 0 else set()),
                )
                if others
                else (None, set())
            )
        if "event" in item and fig.event_table(s, j):
            return fig.Figure(
                Measure("count"), fig.event_table(s, j) or "", (j,), j
            ), set() if item.words.lower() in ("arrivals", "departures") else {j}
        if not set(item.senses) & {"agg", "from", "to"}:
            break
    return None, set()


def _dim(s: Sentence, at: int, items: set[int]) -> int:
    """The item of what is ranked."""
    claimed = {c.start for c in s.claims}
    options = [
        i
        for i, item in enumerate(s.items)
        if i not in items
        and i not in claimed
        and i != at
        and (
            set(item.senses) & {"noun", "role", "unit_of_time"}
            or ("col" in item and "event" not in item and not fig._is_figure(s, i))
        )
    ]
    asked = s.asks("list", "who")
    after = [i for i in options if i > at]
    if asked >= 0 and options and options[0] < at:
        return options[0]
    each = {j + 1 for j in s.all("each")}
    free = [i for i in after if i not in each]
    return (free or [i for i in options if i not in each] or options or [-1])[0]
