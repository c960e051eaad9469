"""From an Intent to one SELECT in the SQL that DuckDB and Oracle share."""

from typing import Any

from harness.standin.brain.intent import Intent
from harness.standin.brain.schema import Schema
from harness.standin.brain.write.draft import MAX_LIST, TIES, Draft
from harness.standin.brain.write.places import Places, coordinates


def compose(
    intent: Intent, schema: Schema, groups_of_names: list[Any], in_sql: bool = False
) -> Draft:
    """The query of an intent. `groups_of_names` are corrections that count names as one.

    `in_sql` lets the database work out percentiles and weighted means.
    """
    return _Composer(intent, schema, groups_of_names, in_sql).draft()


class _Composer(Places):
    """One query, by the shape of the question."""

    def draft(self) -> Draft:
        """One query, by the shape of the question."""
        shape, measure = self.i.shape, self.i.measure
        if shape == "distance":
            return self._distance()
        if shape == "locate":
            return self._locate()
        if shape == "share":
            return self._share()
        if measure.per:
            return self._average_count()
        if shape == "values":
            return self._values()
        if measure.kind in ("median", "percentile", "weighted") and not self.in_sql:
            return self._raw_rows()
        if shape == "list" or (shape == "top" and not self.i.groups):
            return self._list()
        if self.i.groups:
            return self._grouped()
        return self._single()


__all__ = ["MAX_LIST", "TIES", "Draft", "compose", "coordinates"]
