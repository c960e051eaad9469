"""What rows are grouped by, as an item says it."""

from typing import Any

from harness.standin.brain.moments import never
from harness.standin.brain.schema import Column
from harness.standin.brain.sentence import Noun, Sentence
from harness.standin.brain.settling import path_to
from harness.standin.brain.tree import Field, Group, Problem
from harness.standin.brain.ways import end_of, nearest, plain, short
from harness.standin.brain.words import key, playbook


def group_of(s: Sentence, i: int, source: str) -> Group | None:
    """What an item says to group by, seen from a source."""
    item, world = s.items[i], s.world
    if "unit_of_time" in item:
        times = [c for c in world.schema.columns if c.is_time]
        if any(
            c.kind == "val" and set(c.data) & set(never(c.data[0][0].table, world)) and not c.no
            for c in s.claims
        ):
            times = [c for c in times if not c.nullable]  # what never began has no such time
        found = nearest(world.schema, source, times)
        if found is None:
            return None
        if "event" not in {k for i in s.items for k in i.senses}:
            s.notes.append(f"The time is that of {found[1].column.name}.")
        return Group(plain(found[1], world), item["unit_of_time"], item["unit_of_time"])
    if "role" in item:
        reference = item["role"][0]
        column = _column_after(s, i, reference.target)
        if column is not None:  # "by destination country"
            path = path_to(s, source, Noun(-1, reference.target, end_of(world.schema, reference)))
            name = f"{role_name(reference)}_{column.name}"
            return Group(plain(Field(column, path), world), name)
        return _labelled(
            s, source, reference.target, end_of(world.schema, reference), role_name(reference)
        )
    if "col" in item and "noun" not in item:
        columns = [c for c in item["col"] if not world.schema.is_link(c)]
        role = _role_before(s, i)
        found = nearest(world.schema, source, columns, role)
        return Group(plain(found[1], world), found[1].column.name) if found else None
    if "noun" in item:
        noun = next((n for n in s.nouns if n.at == i), Noun(i, item["noun"]))
        return _labelled(s, source, noun.table, noun.role or _end_by_event(s, i), "")
    return None


def _column_after(s: Sentence, i: int, table: str) -> Column | None:
    """The column of a table that is named right after an item, which is then used."""
    after = s.items[i + 1].senses.get("col", ()) if i + 1 < len(s.items) else ()
    found = next((c for c in after if c.table == table and c.is_text), None)
    if found is not None and "noun" not in s.items[i + 1]:
        s.used.add(i + 1)
        return found
    return None


def role_name(reference: Any) -> str:
    """The name of a reference without "id"."""
    return "_".join(p for p in reference.column.split("_") if p != "id")


def _role_before(s: Sentence, i: int) -> str:
    before = s.items[i - 1] if i else None
    return (
        ("from" if "from" in before else "to" if "to" in before else "")
        if before is not None
        else ""
    )


def _end_by_event(s: Sentence, i: int) -> str:
    """ "which port receives the most voyages": the verb tells the end."""
    for j in s.all("event"):
        end = playbook()["events"][s.items[j]["event"]]["end"]
        if end and "val" not in s.items[j]:
            return str(end)
    return ""


def _labelled(s: Sentence, source: str, table: str, role: str, name: str) -> Group:
    path = path_to(s, source, Noun(-1, table, role))
    label = s.world.schema.tables[table].label
    if label is None:
        raise Problem("need", [short(table)], f"what {short(table)} are called")
    key_column = s.world.schema.tables[table].key
    singular = (
        key(short(table).replace("_", " ").split()[-1]) if "_" not in short(table) else short(table)
    )
    if not s.world.schema.tables[table].named and key_column and label.name in key_column:
        singular = label.name
    end = (
        "_".join(p for p in path[-1].reference[1].split("_") if p != "id") if role and path else ""
    )
    return Group(plain(Field(label, path), s.world), name or end or singular)
