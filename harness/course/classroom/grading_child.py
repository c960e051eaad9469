"""The process that checks one notebook, so that nothing in it can stop or spoil the class.

python -m harness.course.classroom.grading_child    sources on stdin, results on stdout, as JSON
"""

import ast
import contextlib
import io
import json
import linecache
import sys
from typing import Any

from harness.course.evaluation import evaluate


def verdict(name: str, source: str) -> dict[str, Any]:
    """What the check of a TODO says of the function that this source defines."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        for statement in ast.parse(source, file).body:  # definitions alone: see handed_in.py
            with contextlib.suppress(Exception):  # where one is missing, the check says so
                exec(compile(ast.Module([statement], []), file, "exec"), namespace)
        report = evaluate(name, namespace[name])
    except BaseException as error:  # also SystemExit, raised while it is being defined
        why = f"{type(error).__name__}: {error}"[:200]
        found = [{"code": "undefined", "message": f"It could not be defined: {why}", "hint": ""}]
        return {"passed": False, "owner": "yours", "findings": found}
    findings = [finding.as_dict() for finding in report.findings]
    return {"passed": report.passed, "owner": report.owner, "findings": findings}


def main() -> None:
    """Check everything that was handed over; a line of JSON for each, as soon as it is known."""
    answers = sys.stdout
    for name, source in json.load(sys.stdin).items():
        with contextlib.redirect_stdout(io.StringIO()):
            result = verdict(name, source)
        answers.write(json.dumps({"name": name, **result}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
