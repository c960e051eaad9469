"""What a request costs in tokens before the model has said anything, with retrieval and without.

    python benchmarks/tokens.py

Over the questions of `recall_questions.yaml`: the tools and the skills that are found for each,
against all of them. Without retrieval a skill's body would be in every request; with it the
manifest names three, and `load_skill` brings the body that is needed.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.recall import questions


def main() -> None:
    """Print one line each for tools, skills, and both."""
    from harness import TOOLS, retrieve_tools
    from harness.context import SYSTEM_PROMPT, build_layers
    from harness.knowledge.skillbox import skills
    from harness.model.tokens import count_tokens

    def tools(schemas: Iterable[dict[str, Any]]) -> int:
        return count_tokens(json.dumps(list(schemas), ensure_ascii=False))

    asked = [question for question, _ in questions()]
    some = fmean(tools(retrieve_tools(question)) for question in asked)
    layers = [{layer.name: layer.tokens for layer in build_layers("t", q)} for q in asked]
    found = {name: fmean(each[name] for each in layers) for name in layers[0]}
    every = tools(schema for _, schema in TOOLS.values())
    bodies = sum(count_tokens(f"{skill.line}\n{skill.body}") for skill in skills())
    rest = count_tokens(SYSTEM_PROMPT) + sum(n for name, n in found.items() if name != "skills")
    print(f"tokens of a request, mean of {len(asked)} questions{'found':>16}{'all':>9}")
    for title, here, there in (
        (f"tools, of {len(TOOLS)}", some, every),
        (f"skills, of {len(skills())}", found["skills"], bodies),
        ("the whole request", some + found["skills"] + rest, every + bodies + rest),
    ):
        print(f"  {title:<43}{here:>13,.0f}{there:>9,.0f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ |= {"WORKSHOP_HOME": home, "WORKSHOP_OFFLINE": "1"}
        main()
