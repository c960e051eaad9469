"""Recall at 5 of knowledge retrieval: by meaning alone, by word alone, and fused.

    python benchmarks/recall.py             the figures
    python benchmarks/recall.py --misses    and what each way of looking did not find

recall@5 of a question is the share of its right facts among the first five results; the figure is
the mean over all questions. The facts are those of a fresh scan of SUPPLYCHAIN.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

K = 5
FILE = Path(__file__).with_name("recall_questions.yaml")
Key = tuple[str, str]
Search = Callable[[str], list[Key]]


def questions() -> list[tuple[str, list[Key]]]:
    """Each question with the (kind, subject) of its right facts."""
    entries = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return [(entry["q"], [_key(right) for right in entry["right"]]) for entry in entries]


def _key(right: str) -> Key:
    kind, space, subject = right.partition(" ")
    if kind == "query_pattern":
        return kind, subject
    if space:
        return kind, f"SUPPLYCHAIN.{subject}"
    return "column" if "." in right else "table", f"SUPPLYCHAIN.{right}"


def searches() -> dict[str, Search]:
    """The three ways of looking, each over the same facts."""
    from harness.knowledge.fact_search import retrieve_knowledge, search_by_meaning, search_by_word

    def keys(found: list[dict]) -> list[Key]:
        return [(fact["kind"], fact["subject"]) for fact in found]

    return {
        "meaning": lambda q: keys(search_by_meaning(q, K)),
        "words": lambda q: keys(search_by_word(q, K)),
        "fused": lambda q: keys(retrieve_knowledge(q, K)),
    }


def recall(found: list[Key], right: list[Key]) -> float:
    """The share of the right facts that was found."""
    return sum(key in found for key in right) / len(right)


def measure() -> dict[str, list[float]]:
    """Recall of every question, for each way of looking."""
    asked = questions()
    return {
        name: [recall(search(q), right) for q, right in asked]
        for name, search in searches().items()
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--misses", action="store_true", help="list what was not found")
    misses = parser.parse_args().misses
    results = measure()
    print(f"recall@{K} over {len(questions())} questions")
    for name, values in results.items():
        print(f"  {name:<8} {fmean(values):.3f}   all found: {sum(v == 1 for v in values)}")
    if misses:
        for i, (question, right) in enumerate(questions()):
            low = [name for name, values in results.items() if values[i] < 1]
            if low:
                print(
                    f"  {question!r}: {', '.join(s for _, s in right)} missed by {', '.join(low)}"
                )


if __name__ == "__main__":
    import os

    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"WORKSHOP_HOME": home, "WORKSHOP_OFFLINE": "1"}
        main()
