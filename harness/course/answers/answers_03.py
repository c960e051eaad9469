"""Our solutions of part 03."""

from typing import Any

OWNER = "SUPPLYCHAIN"


def scan_tables(catalogue: list[Any]) -> list[dict[str, str]]:
    """One fact for each table, column and foreign key."""
    facts = []
    for table in catalogue:
        path = f"{OWNER}.{table.name}"
        key = ", ".join(table.primary_key) or "none"
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        comment = " ".join(table.comment.split())
        body = f"Table {path}, {table.row_count} rows. {comment} Key: {key}. Columns: {columns}."
        facts.append({"kind": "table", "subject": path, "body": body})
        for column in table.columns:
            subject = f"{path}.{column.name}"
            comment = " ".join(column.comment.split())
            body = f"Column {subject} {column.type}. {comment}"
            facts.append({"kind": "column", "subject": subject, "body": body})
        for reference in table.foreign_keys:
            subject = f"{path}.{reference.column}"
            target = f"{OWNER}.{reference.ref_table}.{reference.ref_column}"
            body = f"{subject} references {target}."
            facts.append({"kind": "relationship", "subject": subject, "body": body})
    return facts


def rrf_fuse(rankings: list[list], k: int = 60) -> list:
    """Fuse rankings of ids, best first, into one; an id scores 1 / (k + rank) in each."""
    scores: dict[Any, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0) + 1 / (k + rank)
    return sorted(scores, key=lambda item: -scores[item])
