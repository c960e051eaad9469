"""The check of scan_tables, against wrong versions and differently written right ones."""

import dataclasses
import json
import re

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_03 import scan_tables
from harness.course.exercises.scan_tables import catalogue as harbour
from harness.knowledge.schema_introspection import relationship_facts, table_fact

OWNER = "SUPPLYCHAIN"


def fold(text):
    return " ".join(text.split())


def make(fold=fold, **changes):
    """A right version with one of its bodies, or its facts, replaced."""

    def table_body(t):
        path = f"{OWNER}.{t.name}"
        columns = ", ".join(f"{c.name} {c.type}" for c in t.columns)
        key = ", ".join(t.primary_key)
        return f"Table {path}, {t.row_count} rows. {fold(t.comment)} Key: {key}. Columns: {columns}"

    def column_body(t, c):
        return f"Column {OWNER}.{t.name}.{c.name} {c.type}. {fold(c.comment)}"

    def reference_body(t, r):
        return f"{OWNER}.{t.name}.{r.column} references {OWNER}.{r.ref_table}.{r.ref_column}."

    write = {"table": table_body, "column": column_body, "relationship": reference_body, **changes}

    def version(catalogue):
        facts = []
        for t in catalogue:
            facts.append(fact("table", t.name, write["table"](t)))
            facts += [
                fact("column", f"{t.name}.{c.name}", write["column"](t, c)) for c in t.columns
            ]
            facts += [
                fact("relationship", f"{t.name}.{r.column}", write["relationship"](t, r))
                for r in t.foreign_keys
            ]
        return write["facts"](facts) if "facts" in write else facts

    return version


def fact(kind, path, body):
    return {"kind": kind, "subject": f"{OWNER}.{path}", "body": body}


def of(kind):
    return lambda facts: [each for each in facts if each["kind"] == kind]


def stub(catalogue):
    raise NotImplementedError("scan_tables is yours to write")


def a_generator(catalogue):
    yield from make()(catalogue)


def the_shipped_tables(catalogue):
    from harness.databases.business import business

    return make()(business().catalogue())


def first_key(t):
    columns = ", ".join(f"{c.name} {c.type}" for c in t.columns)
    return f"{t.row_count} rows. {fold(t.comment)} Key: {t.primary_key[0]}. Columns: {columns}"


def sorts_in_place(catalogue):
    for table in catalogue:
        table.columns.sort(key=lambda column: column.name)
    return make()(catalogue)


def remembers(catalogue, facts=[]):  # noqa: B006
    facts += make()(catalogue)
    return facts


def drops_what_looks_dangerous(text):
    return "" if "ignore" in text else fold(text)


WRONG = {
    "not_written": stub,
    "not_a_list": lambda catalogue: None,
    "not_a_list generator": a_generator,
    "not_dicts": make(facts=lambda facts: [fact["body"] for fact in facts]),
    "field_missing": make(facts=lambda facts: [{"kind": f["kind"], "body": ""} for f in facts]),
    "field_missing no text": make(table=lambda t: t.columns),
    "kind_wrong": make(facts=lambda facts: [{**f, "kind": f["kind"].title()} for f in facts]),
    "facts_missing tables only": make(facts=of("table")),
    "facts_missing no references": make(facts=lambda fs: of("table")(fs) + of("column")(fs)),
    "facts_missing first table": lambda catalogue: make()(catalogue[:1]),
    "facts_invented": make(facts=lambda fs: [*fs, fact("column", "berths.owner", "A column.")]),
    "duplicates": make(facts=lambda facts: [*facts, facts[0]]),
    "other_tables": the_shipped_tables,
    "subject_wrong": make(facts=lambda fs: [{**f, "subject": f["subject"][12:]} for f in fs]),
    "several_lines": make(fold=str),
    "several_lines newline only": make(fold=lambda text: text.replace("\n", " ")),
    "comment_missing": make(column=lambda t, c: f"Column {t.name}.{c.name} {c.type}."),
    "comment_lost": make(fold=drops_what_looks_dangerous),
    "type_missing": make(column=lambda t, c: f"Column {t.name}.{c.name}. {fold(c.comment)}"),
    "size_missing": make(
        table=lambda t: (
            f"{fold(t.comment)} {t.primary_key} "
            + ", ".join(f"{c.name} {c.type}" for c in t.columns)
        )
    ),
    "key_missing": make(
        table=lambda t: (
            f"{t.row_count} rows. {fold(t.comment)} "
            + ", ".join(f"{c.name} {c.type}" for c in t.columns)
        )
    ),
    "columns_missing": make(
        table=lambda t: f"{t.row_count} rows. {fold(t.comment)} Key: {t.primary_key}"
    ),
    "columns_missing no types": make(
        table=lambda t: (
            f"{t.row_count} rows. {fold(t.comment)} Key: {t.primary_key} "
            + ", ".join(c.name for c in t.columns)
        )
    ),
    "target_missing": make(
        relationship=lambda t, r: f"{t.name}.{r.column} refers to {r.ref_table}"
    ),
    "target_missing same name": make(
        relationship=lambda t, r: f"{t.name}.{r.column} references {r.ref_table}.{r.column}"
    ),
    "direction_reversed": make(
        relationship=lambda t, r: f"{r.ref_table}.{r.ref_column} references {t.name}.{r.column}"
    ),
    "input_changed": sorts_in_place,
    "remembers": remembers,
    "crash": make(table=first_key),
}


@dataclasses.dataclass
class OneFact:
    kind: str
    subject: str
    body: str


def right_with_a_dataclass(catalogue):
    found = []
    for t in catalogue:
        path = ".".join([OWNER, t.name])
        parts = [f"{c.name} ({c.type})" for c in t.columns]
        said = f"{path} has {t.row_count:,} rows; {fold(t.comment)}; it holds {', '.join(parts)}"
        if t.primary_key:
            said += f"; primary key {' + '.join(t.primary_key)}"
        found.append(OneFact("table", path, said))
        found += [
            OneFact("column", f"{path}.{c.name}", f"{c.type}: {fold(c.comment)}") for c in t.columns
        ]
        for r in t.foreign_keys:
            said = f"join {path}.{r.column} = {OWNER}.{r.ref_table}.{r.ref_column}"
            found.append(OneFact("relationship", f"{path}.{r.column}", said))
    return [dataclasses.asdict(each) for each in found]


def right_kind_after_kind(catalogue):
    """The key marked at its column, white space folded by a pattern, values as JSON."""

    def told(t, c):
        return f"{c.name} {c.type}{' PRIMARY KEY' if c.name in t.primary_key else ''}"

    def clean(text):
        return re.sub(r"\s+", " ", text).strip()

    tables = [
        {
            "kind": "table",
            "subject": f"{OWNER}.{t.name}",
            "body": json.dumps([t.row_count, clean(t.comment), [told(t, c) for c in t.columns]]),
            "metadata": {"table": t.name},
        }
        for t in catalogue
    ]
    columns = [
        fact("column", f"{t.name}.{c.name}", f"{c.type} {clean(c.comment)}".strip())
        for t in catalogue
        for c in t.columns
    ]
    references = [
        fact(
            "relationship",
            f"{t.name}.{r.column}",
            f"{t.name}.{r.column} points to {r.ref_table}.{r.ref_column}",
        )
        for t in catalogue
        for r in t.foreign_keys
    ]
    return references + columns + tables


def right_with_the_harness(catalogue):
    facts = make()(catalogue)
    for table in catalogue:
        for each in (table_fact(OWNER, table), *relationship_facts(OWNER, table)):
            old = next(f for f in facts if (f["kind"], f["subject"]) == (each.kind, each.subject))
            old["body"] = each.body
    return facts


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("scan_tables", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn",
    [
        make(),
        make(fold=lambda text: re.sub(r"[\n\r\t\v\f\u2028\u2029]+", " ", text)),
        right_with_a_dataclass,
        right_kind_after_kind,
        right_with_the_harness,
    ],
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("scan_tables", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("scan_tables", scan_tables)
    assert report.passed and report.owner == "ours", str(report)


def test_ours_says_what_the_harness_s_own_scan_says():
    keyed = [table for table in harbour() if table.primary_key and table.comment]
    ours = {(f["kind"], f["subject"]): f["body"] for f in scan_tables(keyed)}
    for table in keyed:
        for theirs in (table_fact(OWNER, table), *relationship_facts(OWNER, table)):
            assert ours[theirs.kind, theirs.subject] == theirs.body
