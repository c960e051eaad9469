"""Make data/embeddings.npz: the vectors of the texts that the workshop itself uses.

    python data/make_embeddings.py                 after a change of data, skills or tools
    python data/make_embeddings.py LOG [LOG ...]   and ship what these logs hold as well

What the harness embeds by itself (facts, skills, tools) is found by letting it work in an empty
home. What is asked in notebooks, demo and tasks is in data/embedding_texts.jsonl, one JSON string a
line; to add to it, run them with WORKSHOP_EMBEDDING_LOG=LOG in the environment, and pass LOG here.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT / "data" / "embedding_texts.jsonl"
sys.path.insert(0, str(ROOT))


def read_log(path: Path) -> set[str]:
    """The texts of a log; a torn last line is passed over."""
    texts = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            texts.add(json.loads(line))
        except json.JSONDecodeError:
            print(f"passed over in {path.name}: {line[:60]}")
    return {text for text in texts if isinstance(text, str)}


def write_texts(texts: set[str]) -> None:
    """Keep the texts sorted, so that a rebuild changes only what is new."""
    lines = [json.dumps(text, ensure_ascii=False) + "\n" for text in sorted(texts)]
    TEXTS.write_text("".join(lines), encoding="utf-8", newline="\n")


def texts_of_the_harness(home: Path) -> set[str]:
    """What scanning and retrieving embed, whatever the question."""
    log = home / "log.jsonl"
    os.environ |= {
        "WORKSHOP_HOME": str(home),
        "WORKSHOP_OFFLINE": "1",
        "WORKSHOP_EMBEDDING_LOG": str(log),
    }
    import harness.tools
    from harness.knowledge import helpdesk
    from harness.knowledge.fact_search import retrieve_knowledge, scan_schema
    from harness.knowledge.skillbox import find_skills
    from harness.session import session
    from harness.tools.lint import lint_all
    from harness.tools.toolbox import retrieve_tools

    scan_schema()
    with session(role="pacific_analyst"):  # what is left of the facts for who sees a part
        retrieve_knowledge("any question")
    find_skills("any question")
    retrieve_tools("any question", k=1)
    for version in (None, *helpdesk.versions()):
        helpdesk.search(["any", "question"], version)
    lint_all()
    import harness.tools.operations  # noqa: F401  the last, for it stays in the toolbox

    with session(role="dispatcher"):
        retrieve_tools("any question", k=1)
    del os.environ["WORKSHOP_EMBEDDING_LOG"]
    return read_log(log) - {"any question"}


def benchmark_questions() -> set[str]:
    """The questions of the recall benchmark, which runs in the tests."""
    import yaml

    path = ROOT / "benchmarks" / "recall_questions.yaml"
    return {entry["q"] for entry in yaml.safe_load(path.read_text(encoding="utf-8"))}


def main(logs: list[str]) -> None:
    """Collect the texts, write both files, say how many there are."""
    asked = read_log(TEXTS) if TEXTS.exists() else set()
    asked = asked.union(*(read_log(Path(log)) for log in logs))
    with tempfile.TemporaryDirectory() as home:
        own = texts_of_the_harness(Path(home)) | benchmark_questions()
        write_texts(asked - own)
        from harness.retrieval.embedding import build_shipped_cache

        count = build_shipped_cache(own | asked)
    print(f"{count} texts in data/embeddings.npz")


if __name__ == "__main__":
    main(sys.argv[1:])
