"""Names that no sample shows: looked up in the text columns, whatever their case."""

from typing import Any

from harness.standin.brain.lexicon import Keys
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.words import keys, stem, tidy, tokenise

_MARK = "matched_column"
_MOST = 6  # names in one query


def lookup_sql(schema: Schema, words: list[str]) -> str:
    """A query for these names; "" where no column could hold them."""
    parts = []
    for column in schema.columns:
        tests = [test for word in words[:_MOST] for test in _tests(column, word, schema)]
        if tests:
            parts.append(
                f"SELECT '{column.table}.{column.name}' AS {_MARK}, "
                f"CAST({column.name} AS VARCHAR(200)) AS matched_value FROM {column.table} "
                f"WHERE {' OR '.join(tests)}"
            )
    return "\nUNION ".join(parts)


def _tests(column: Column, word: str, schema: Schema) -> list[str]:
    """Conditions under which a column holds a name: as it is, or as whole words in it."""
    tokens = [t.low for t in tokenise(tidy(word))]
    phrase = " ".join(tokens)
    if not phrase or schema.is_link(column):
        return []
    if column.is_number:
        coded = {"number", "code", "digit", "digits"} & set(keys(column.comment))
        return (
            [f"CAST({column.name} AS VARCHAR(40)) = '{phrase}'"]
            if coded and phrase.isdigit()
            else []
        )
    if not column.is_text:
        return []
    last = tokens[-1]
    variants = {phrase, " ".join([*tokens[:-1], stem(last)]), " ".join([*tokens[:-1], last + "s"])}
    if 1 < len(tokens) < 4:  # "frozen fish" is kept as "Fish, frozen"
        variants.add(" ".join([tokens[-1], *tokens[:-1]]))
    plain = f"REPLACE(REPLACE({column.name}, ', ', ' '), ',', ' ')"
    padded = f"' ' || LOWER(REPLACE({plain}, '-', ' ')) || ' '"
    return [f"{padded} LIKE '% {each} %'" for each in sorted(variants)]


def looked_up(
    situation: Situation, schema: Schema
) -> tuple[dict[Keys, list[tuple[Column, str]]], set[Keys]]:
    """Names that look-ups of this turn found, and the phrases that were looked for."""
    found: dict[Keys, list[tuple[Column, str]]] = {}
    searched: set[Keys] = set()
    for step in situation.calls("run_sql"):
        sql = str(step.arguments.get("sql", ""))
        if _MARK not in sql or step.error:
            continue
        phrases = {keys(word) for word in _phrases(sql)}
        searched |= phrases
        for row in step.data.get("rows") or []:
            _take(row, schema, phrases, found)
    return found, searched


def _phrases(sql: str) -> list[str]:
    import re

    return [*re.findall(r"LIKE '% (.+?) %'", sql), *re.findall(r"= '(\d+)'", sql)]


def _take(
    row: Any, schema: Schema, phrases: set[Keys], found: dict[Keys, list[tuple[Column, str]]]
) -> None:
    if not isinstance(row, list) or len(row) != 2:
        return
    table, _, name = str(row[0]).rpartition(".")
    column = schema.column(table, name)
    if column is None:
        return
    value: Any = str(row[1])
    if column.is_number:
        value = int(value)
    whole = keys(str(row[1]))
    found.setdefault(whole, []).append((column, value))
    for phrase in phrases:
        size = len(phrase)
        inside = any(whole[i : i + size] == phrase for i in range(len(whole) - size + 1))
        inside = inside or (1 < size < 4 and set(phrase) <= set(whole))
        if inside and phrase != whole:
            found.setdefault(phrase, []).append((column, value))


def exact_first(
    found: dict[Keys, list[tuple[Column, str]]],
) -> dict[Keys, list[tuple[Column, str]]]:
    """Where a phrase is the whole of one name, it is no part of another."""
    made = {}
    for phrase, pairs in found.items():
        exact = [pair for pair in pairs if keys(str(pair[1])) == phrase]
        made[phrase] = list(dict.fromkeys(exact or pairs))
    return made
