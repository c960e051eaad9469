"""Coordinates of places and of what moves."""

from harness.standin.brain.intent import Filter
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.write.conditions import is_in
from harness.standin.brain.write.draft import Draft
from harness.standin.brain.write.joins import Joins, flat
from harness.standin.brain.write.rows import Rows


class Places(Rows):
    """Two ends of a distance, or where something is."""

    def _distance(self) -> Draft:
        parts = [flat(self._point(place)) for place in self.i.places]
        return Draft("\nUNION ALL\n".join(parts), "places")

    def _locate(self) -> Draft:
        return Draft(self._point(self.i.places[0], more=True), "places")

    def _point(self, place: Filter, more: bool = False) -> str:
        """Name, latitude, longitude of a place, or of the latest position of what moves."""
        home = place.column.table
        table = next((t for t in [home, *self._referring(home)] if coordinates(self.schema, t)), "")
        pair = coordinates(self.schema, table)
        if pair is None:
            raise LookupError("latitude and longitude")
        joins = Joins(self.schema, table)
        named = joins.column(place.column)
        lat, lon = (f"{joins.base}.{c.name}" for c in pair)
        wheres = [is_in(named, place.values)]
        seen = next((c for c in self.schema.tables[table].columns.values() if c.is_time), None)
        extra = ""
        if table != home and seen is not None:
            link = next(r for r in self.schema.references if r.table == table and r.target == home)
            inner = Joins(self.schema, table, joins.taken)
            wheres.append(
                f"{joins.base}.{seen.name} = "
                f"(SELECT MAX({inner.base}.{seen.name}) {flat(inner.text())} "
                f"WHERE {inner.base}.{link.column} = {joins.base}.{link.column})"
            )
            extra = f", {joins.base}.{seen.name}" if more else ""
            if more:
                extra += "".join(
                    f", {joins.base}.{c.name}"
                    for c in self.schema.tables[table].columns.values()
                    if c.is_number and c not in pair and not self.schema.is_link(c)
                )
        return (
            f"SELECT {named} AS place, {lat} AS latitude, {lon} AS longitude{extra}\n"
            f"{joins.text()}\n"
            f"WHERE {' AND '.join(wheres)}"
        )

    def _referring(self, home: str) -> list[str]:
        return [r.table for r in self.schema.references if r.target == home]


def coordinates(schema: Schema, table: str) -> tuple[Column, Column] | None:
    """The columns of latitude and longitude, by what their comments call them."""
    columns = schema.tables[table].columns.values() if table in schema.tables else ()
    lat = next((c for c in columns if "latitude" in (*c.head, *c.parts)), None)
    lon = next((c for c in columns if "longitude" in (*c.head, *c.parts)), None)
    return (lat, lon) if lat and lon else None
