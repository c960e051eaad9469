"""Our solutions of part 03, generated from authoring/03_knowledge.py."""

# mypy: ignore-errors
OWNER = "SUPPLYCHAIN"


def scan_tables(catalogue) -> list[dict]:
    """One fact for each table, column and foreign key: dicts with kind, subject and body.

    table         SUPPLYCHAIN.vessels
        Table SUPPLYCHAIN.vessels, 60 rows. Container ships. Key: vessel_id.
        Columns: vessel_id INTEGER, imo INTEGER, ...                        (all on one line)
    column        SUPPLYCHAIN.vessels.imo
        Column SUPPLYCHAIN.vessels.imo INTEGER. <its comment>
    relationship  SUPPLYCHAIN.vessels.carrier_id
        SUPPLYCHAIN.vessels.carrier_id references SUPPLYCHAIN.carriers.carrier_id.

    Kinds and subjects are exactly these. A body is one line, whatever a comment holds.
    """
    facts = []
    for table in catalogue:
        name = f"{OWNER}.{table.name}"
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        told = f"{' '.join(table.comment.split())} Key: {', '.join(table.primary_key)}."
        body = f"Table {name}, {table.row_count} rows. {told} Columns: {columns}."
        facts.append({"kind": "table", "subject": name, "body": body})
        for column in table.columns:
            subject = f"{name}.{column.name}"
            body = f"Column {subject} {column.type}. {' '.join(column.comment.split())}"
            facts.append({"kind": "column", "subject": subject, "body": body})
        for key in table.foreign_keys:
            subject = f"{name}.{key.column}"
            body = f"{subject} references {OWNER}.{key.ref_table}.{key.ref_column}."
            facts.append({"kind": "relationship", "subject": subject, "body": body})
    return facts


def rrf_fuse(rankings: list[list], k: int = 60) -> list:
    """Fuse rankings of ids, best first, into one list of ids, best first.

    An id need not be in every ranking. One that a ranking holds several times counts there once, at
    its best place. Equal scores come out in the same order every time; the input stays as it is.
    """
    total = {}
    for ranking in rankings:
        unique = list(dict.fromkeys(ranking))
        for rank, found in enumerate(unique, start=1):
            total[found] = total.get(found, 0.0) + 1 / (k + rank)
    return sorted(total, key=total.get, reverse=True)
