# ruff: noqa: E501  (a line a version)
"""Wrong versions of `scan_tables`."""

from tests.wrong import Wrong

_TABLE = 'facts.append({"kind": "table", "subject": name, "body": body})'
_COLUMN = 'facts.append({"kind": "column", "subject": subject, "body": body})'
_RELATION = 'facts.append({"kind": "relationship", "subject": subject, "body": body})'

WRONG = [
    Wrong("One fact for each table", "facts_missing", {_TABLE: "pass"}),
    Wrong("One fact for each table", "facts_missing", {_COLUMN: "pass"}),
    Wrong("One fact for each table", "facts_missing", {_RELATION: "pass"}),
    Wrong("One fact for each table", "duplicates", {_TABLE: f"{_TABLE}\n        {_TABLE}"}),
    Wrong(
        "dicts with kind, subject and body",
        "not_dicts",
        {_TABLE: "facts.append(('table', name, body))"},
    ),
    Wrong("table SUPPLYCHAIN.vessels", "size_missing", {", {table.row_count} rows": ""}),
    Wrong(
        "column SUPPLYCHAIN.vessels.imo",
        "subject_wrong",
        {'subject = f"{name}.{column.name}"': 'subject = f"{table.name}.{column.name}"'},
    ),
    Wrong(
        "relationship SUPPLYCHAIN",
        "subject_wrong",
        {'subject = f"{name}.{key.column}"': 'subject = f"{name}.{key.column} -> {key.ref_table}"'},
    ),
    Wrong(
        "Kinds and subjects are exactly these",
        "kind_wrong",
        {'"kind": "relationship"': '"kind": "reference"'},
    ),
    Wrong(
        "Kinds and subjects are exactly these",
        "subject_wrong",
        {'name = f"{OWNER}.{table.name}"': 'name = f"{OWNER}.{table.name}".lower()'},
    ),
    Wrong(
        "A body is one line", "several_lines", {"' '.join(table.comment.split())": "table.comment"}
    ),
    Wrong(
        "A body is one line",
        "several_lines",
        {"' '.join(column.comment.split())": "column.comment"},
    ),
    Wrong("TODO 1", "comment_missing", {"{' '.join(table.comment.split())} ": ""}),
    Wrong("TODO 1", "key_missing", {" Key: {', '.join(table.primary_key)}.": ""}),
    Wrong("TODO 1", "key_missing", {"', '.join(table.primary_key)": "table.columns[0].name"}),
    Wrong("TODO 1", "columns_missing", {'f"{column.name} {column.type}" for': "column.name for"}),
    Wrong("TODO 1", "columns_missing", {" Columns: {columns}.": ""}),
    Wrong("TODO 2", "type_missing", {"{subject} {column.type}.": "{subject}."}),
    Wrong("TODO 2", "comment_missing", {" {' '.join(column.comment.split())}": ""}),
    Wrong(
        "TODO 3",
        "direction_reversed",
        {
            'f"{subject} references {OWNER}.{key.ref_table}.{key.ref_column}."': 'f"{OWNER}.{key.ref_table}.{key.ref_column} is referenced by {subject}."'
        },
    ),
    Wrong(
        "TODO 3",
        "direction_reversed",
        {
            'f"{subject} references {OWNER}.{key.ref_table}.{key.ref_column}."': 'f"{OWNER}.{key.ref_table}.{key.ref_column} references {subject}."'
        },
    ),
    Wrong("TODO 3", "target_missing", {".{key.ref_column}.": "."}),
    Wrong(
        "TODO 4",
        "not_folded",
        {
            "' '.join(table.comment.split())": "''.join(c if c.isprintable() else ' ' for c in table.comment)"
        },
    ),
    Wrong(
        "TODO 4",
        "comment_lost",
        {
            "' '.join(column.comment.split())": "' '.join((column.comment.splitlines() or [''])[0].split())"
        },
    ),
    Wrong(
        "key, and each column with its type",
        "key_missing",
        {"', '.join(table.primary_key)": "table.primary_key[0] if table.primary_key else ''"},
    ),
    Wrong(
        "TODO 4",
        "comment_lost",
        {"' '.join(column.comment.split())": "' '.join(column.comment.split())[:80]"},
    ),
    # Types with values in them, many columns, foreign keys of every kind, comments as they are.
    Wrong(
        "each column with its type",
        "type_changed",
        {"{subject} {column.type}.": "{subject} {column.type.lower()}."},
    ),
    Wrong(
        "each column with its type",
        "type_changed",
        {"{subject} {column.type}.": "{subject} {column.type.split('(')[0]}."},
    ),
    Wrong(
        "each column with its type",
        "columns_missing",
        {'f"{column.name} {column.type}" for': 'f"{column.name} {column.type.lower()}" for'},
    ),
    Wrong(
        "each column with its type",
        "columns_missing",
        {"for column in table.columns)": "for column in table.columns[:8])"},
    ),
    Wrong(
        "For each of its foreign_keys",
        "facts_missing",
        {"in table.foreign_keys:": "in {k.column: k for k in table.foreign_keys}.values():"},
    ),
    Wrong(
        "For each of its foreign_keys",
        "facts_missing",
        {
            "in table.foreign_keys:": "in [k for k in table.foreign_keys if k.ref_table != table.name]:"
        },
    ),
    Wrong(
        "Fold every comment",
        "comment_lost",
        {"{' '.join(table.comment.split())}": "{' '.join(table.comment.replace('#', '').split())}"},
    ),
    # Written from the text alone, and what passed before.
    Wrong("TODO 1", "key_missing", {"{', '.join(table.primary_key)}": "{', '.join(table.primary_key) if len(table.primary_key) < 2 else 'none'}"}),
]  # fmt: skip
