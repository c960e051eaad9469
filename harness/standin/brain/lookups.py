"""Names that no sample shows: looked up in the text columns, whatever their case."""

import re
from typing import Any

from harness.standin.brain.factlines import Column
from harness.standin.brain.lexicon import Keys, Names
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Schema
from harness.standin.brain.words import keys, stem, tidy, tokenise

MARK = "matched_column"  # what tells a look-up from other queries
_MOST = 6  # names in one query
_PHRASE = re.compile(r"(?:LIKE '% |= ')(.+?)(?: %)?'")


def lookup_sql(schema: Schema, words: list[str]) -> str:
    """A query for these names; "" where no column could hold them."""
    parts = []
    for column in schema.columns:
        tests = [test for word in words[:_MOST] for test in _tests(column, word, schema)]
        if tests:
            parts.append(
                f"SELECT '{column.table}.{column.name}' AS {MARK}, "
                f"CAST({column.name} AS VARCHAR(200)) AS matched_value FROM {column.table} "
                f"WHERE {' OR '.join(tests)}"
            )
    return "\nUNION ".join(parts)


def _tests(column: Column, word: str, schema: Schema) -> list[str]:
    """Conditions under which a column holds a name: as it is, or as whole words in it."""
    tokens = [t.low for t in tokenise(tidy(word))]
    phrase = " ".join(tokens)
    if not phrase or schema.is_link(column) or not (column.is_number or column.is_text):
        return []
    if column.is_number:
        coded = {"number", "code", "digit", "digits"} & set(keys(column.comment))
        test = f"CAST({column.name} AS VARCHAR(40)) = '{phrase}'"
        return [test] if coded and phrase.isdigit() else []
    last = tokens[-1]
    variants = {phrase, " ".join([*tokens[:-1], stem(last)]), " ".join([*tokens[:-1], last + "s"])}
    if 1 < len(tokens) < 4:  # "frozen fish" is kept as "Fish, frozen"
        variants.add(" ".join([last, *tokens[:-1]]))
    plain = f"REPLACE(REPLACE({column.name}, ', ', ' '), ',', ' ')"
    padded = f"' ' || LOWER(REPLACE({plain}, '-', ' ')) || ' '"
    return [f"{padded} LIKE '% {each} %'" for each in sorted(variants)]


def looked_up(situation: Situation, schema: Schema) -> tuple[Names, set[Keys]]:
    """Names that look-ups of this turn found, and the phrases that were looked for.

    A phrase that is the whole of one name is not taken as a part of others.
    """
    found: Names = {}
    searched: set[Keys] = set()
    for step in situation.calls("run_sql"):
        sql = str(step.arguments.get("sql", ""))
        if MARK in sql and not step.error:
            phrases = {keys(word) for word in _PHRASE.findall(sql)}
            searched |= phrases
            for row in step.data.get("rows") or []:
                _take(row, schema, phrases, found)
    made = {}
    for phrase, pairs in found.items():
        exact = [pair for pair in pairs if keys(str(pair[1])) == phrase]
        made[phrase] = list(dict.fromkeys(exact or pairs))
    return made, searched


def _take(row: Any, schema: Schema, phrases: set[Keys], found: Names) -> None:
    pair = row if isinstance(row, list) and len(row) == 2 else ("", "")
    table, _, name = str(pair[0]).rpartition(".")
    column = schema.column(table, name)
    if column is None:
        return
    value: Any = int(row[1]) if column.is_number else str(row[1])
    whole = keys(str(row[1]))
    for phrase in {whole: 0, **dict.fromkeys(phrases)}:
        size = len(phrase)
        inside = any(whole[i : i + size] == phrase for i in range(len(whole) - size + 1))
        if inside or (1 < size < 4 and set(phrase) <= set(whole)):
            found.setdefault(phrase, []).append((column, value))
