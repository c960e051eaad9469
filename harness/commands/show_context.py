"""`python -m harness context "..."`: the context of a question, with its cost a layer."""

import json

from harness.commands.fitting import say
from harness.context import build_layers, system_prompt
from harness.model.tokens import count_tokens
from harness.tools.lint import lint_budget
from harness.tools.toolbox import retrieve_tools


def main(question: str) -> int:
    """Print the context, the tokens of each layer, and what is over its budget."""
    layers = build_layers("context-preview", question)
    say("\n".join(layer.text for layer in layers if layer.text))
    prompt = count_tokens(system_prompt())
    schemas = retrieve_tools(question)
    tools = sum(count_tokens(json.dumps(schema, ensure_ascii=False)) for schema in schemas)
    say("\ntokens")
    for name, tokens in [(layer.name, layer.tokens) for layer in layers]:
        say(f"  {name:<14} {tokens:>6}")
    say(f"  {'system prompt':<14} {prompt:>6}\n  {'tools':<14} {tools:>6}")
    total = sum(layer.tokens for layer in layers) + prompt + tools
    say(f"  {'together':<14} {total:>6}")
    for finding in lint_budget(system_prompt(), schemas):
        say(f"{finding.message} {finding.hint}")
    return 0
