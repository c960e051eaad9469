"""Prints the table: each statement of the notebook, what breaks it, and what is said of that."""

import sys

from harness.checks import evaluate
from harness.course.todos import TODOS
from tests.wrong import build, statements, wrong_versions

for todo in sys.argv[1:] or TODOS:
    versions = [(each, evaluate(todo, build(todo, each.changes))) for each in wrong_versions(todo)]
    print(f"\n## {todo}\n\n| it says | a version that breaks it | finding |\n| --- | --- | --- |")
    for statement in statements(todo):
        said = statement.strip("| ").replace("|", "/")
        for wrong, report in versions:
            if any(phrase in statement for phrase in wrong.phrases):
                old, new = (" ".join(t.split())[:60] for t in next(iter(wrong.changes.items())))
                first = report.findings[0] if report.findings else None
                told = f"{first.code}: {first.message[:90]}" if first else "PASSED"
                print(f"| {said[:90]} | `{old}` -> `{new}` | {told} |".replace("\n", " "))
                said = ""
        if said:
            print(f"| {said[:90]} | | NOTHING BREAKS IT |")
