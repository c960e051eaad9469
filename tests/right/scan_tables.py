# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `scan_tables`."""

RIGHT = {
    "comprehensions": """
def scan_tables(catalogue):
    one = lambda text: " ".join(text.split())
    return [fact for t in catalogue for fact in (
        {"kind": "table", "subject": f"{OWNER}.{t.name}", "body":
            f"Table {OWNER}.{t.name}, {t.row_count} rows. {one(t.comment)} Key: {', '.join(t.primary_key)}. "
            f"Columns: {', '.join(f'{c.name} {c.type}' for c in t.columns)}."},
        *({"kind": "column", "subject": f"{OWNER}.{t.name}.{c.name}", "body":
            f"Column {OWNER}.{t.name}.{c.name} {c.type}. {one(c.comment)}"} for c in t.columns),
        *({"kind": "relationship", "subject": f"{OWNER}.{t.name}.{k.column}", "body":
            f"{OWNER}.{t.name}.{k.column} references {OWNER}.{k.ref_table}.{k.ref_column}."} for k in t.foreign_keys),
    )]
""",
    "a class and a generator": """
class _Scan:
    def __call__(self, catalogue):
        return list(self.facts(catalogue))

    def facts(self, catalogue):
        for table in catalogue:
            name = ".".join((OWNER, table.name))
            yield self.fact("table", name, f"Table {name}, {table.row_count} rows.", table.comment,
                            f"Key: {', '.join(table.primary_key)}.",
                            "Columns: " + ", ".join(" ".join((c.name, c.type)) for c in table.columns) + ".")
            for c in table.columns:
                yield self.fact("column", f"{name}.{c.name}", f"Column {name}.{c.name} {c.type}.", c.comment)
            for k in table.foreign_keys:
                yield self.fact("relationship", f"{name}.{k.column}",
                                f"{name}.{k.column} references {OWNER}.{k.ref_table}.{k.ref_column}.")

    def fact(self, kind, subject, *words):
        return dict(kind=kind, subject=subject, body=" ".join(" ".join(words).split()))


scan_tables = _Scan()
""",
    "templates": '''
def scan_tables(catalogue):
    facts = []

    def add(kind, subject, text):
        facts.append({"kind": kind, "subject": subject, "body": " ".join(text.split())})

    for t in catalogue:
        name = OWNER + "." + t.name
        columns = ", ".join(map("{0.name} {0.type}".format, t.columns))
        add("table", name, """Table {}, {} rows.
            {}
            Key: {}. Columns: {}.""".format(name, t.row_count, t.comment, ", ".join(t.primary_key), columns))
        for c in t.columns:
            add("column", name + "." + c.name, "Column {}.{} {}. {}".format(name, c.name, c.type, c.comment))
        for k in t.foreign_keys:
            add("relationship", name + "." + k.column,
                "{}.{} references {}.{}.{}.".format(name, k.column, OWNER, k.ref_table, k.ref_column))
    return facts
''',
    "kind after kind": """
def scan_tables(catalogue):
    def fold(text):
        return re.sub(r"\\s+", " ", text).strip()

    import re
    paths = {t.name: f"{OWNER}.{t.name}" for t in catalogue}
    tables = [dict(kind="table", subject=paths[t.name], body=fold(
        f"{paths[t.name]}: {t.comment} {t.row_count} rows, key ({' + '.join(t.primary_key)}), "
        + "; ".join(f"{c.name}: {c.type}" for c in t.columns))) for t in catalogue]
    columns = [dict(kind="column", subject=f"{paths[t.name]}.{c.name}", body=f"{c.type}, {fold(c.comment)}")
               for t in catalogue for c in t.columns]
    keys = [(f"{paths[t.name]}.{k.column}", f"{OWNER}.{k.ref_table}.{k.ref_column}") for t in catalogue for k in t.foreign_keys]
    return tables + columns + [dict(kind="relationship", subject=a, body=f"{a} = {b}") for a, b in keys]
""",
    "itertools and a dataclass": """
from dataclasses import asdict, dataclass
from itertools import chain


@dataclass
class _Fact:
    kind: str
    subject: str
    body: str

    def __post_init__(self):
        self.body = " ".join(self.body.split())


def _of_table(t):
    path = f"{OWNER}.{t.name}"
    columns = ", ".join(map(" ".join, ((c.name, c.type) for c in t.columns)))
    yield _Fact("table", path, f"Table {path}, {t.row_count} rows. {t.comment} Key: {', '.join(t.primary_key)}. Columns: {columns}.")
    yield from (_Fact("column", f"{path}.{c.name}", f"Column {path}.{c.name} {c.type}. {c.comment}") for c in t.columns)
    yield from (_Fact("relationship", here := f"{path}.{k.column}", f"{here} references {OWNER}.{k.ref_table}.{k.ref_column}.") for k in t.foreign_keys)


def scan_tables(catalogue) -> list[dict]:
    return list(map(asdict, chain.from_iterable(map(_of_table, catalogue))))
""",
}
