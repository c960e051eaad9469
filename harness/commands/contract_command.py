"""`python -m harness contract`: does the configured endpoint speak as the stand-in does?"""

import argparse
from pathlib import Path

import openai

from harness.commands.fitting import say
from harness.errors import WorkshopError
from harness.evals.server_contract import (
    Outcome,
    beyond,
    differences,
    exchanges,
    record,
    recorded,
    run_exchange,
)
from harness.model.adaptations import in_words
from harness.model.clients import client_for
from harness.model.endpoint_memory import endpoint_of
from harness.model.endpoint_profiles import profile_of
from harness.settings import settings


def main(options: argparse.Namespace) -> int:
    """Every exchange once, a line each; 1 if one of them is nothing that the loop can work with."""
    now = settings()
    client = client_for(now.model)
    profile = profile_of(str(client.base_url), now.endpoint)
    kind = profile.words if profile else "an endpoint of no known kind"
    learnt = endpoint_of(client, now.model).learnt
    say(f"{now.model} at {kind}, beside what is recorded of the stand-in:")
    if learnt:
        say(f"{'':8}asked as it is known to need: {'; '.join(map(in_words, learnt))}")
    expected, found, broken = recorded("standin"), {}, 0
    for exchange in exchanges():
        name = exchange["name"]
        try:
            outcome = found[name] = run_exchange(client, now.model, exchange, learnt)
        except WorkshopError as error:
            if not isinstance(error.__cause__, openai.APITimeoutError):
                raise
            broken += 1  # the others may get their answer
            say(f"broken  {name}: {error.message}")
            continue
        fault = fault_of(outcome, exchange["status"])
        broken += bool(fault)
        say(f"{'broken' if fault else 'ok':<8}{name}: {fault or _in_words(outcome)}")
        if outcome.status == 200 and 200 not in exchange["status"]:
            say(f"{'':8}differs: it takes what the API refuses")
            continue
        differs = differences(expected[name].shape, outcome.shape)
        for line in differs if bool(expected[name].calls) == bool(outcome.calls) else ():
            say(f"{'':8}differs: {line}")
        more = beyond(expected[name].shape, outcome.shape)
        if more and not fault:
            say(f"{'':8}also has: {', '.join(more[:6])}{', ...' if more[6:] else ''}")
    if options.record:
        _record(Path(options.record), {"endpoint": kind, "model": now.model}, found)
    due = len(expected)
    say(f"\n{due - broken} of {due} exchanges are as the loop needs them.")
    return 1 if broken else 0


def fault_of(outcome: Outcome, allowed: list[int]) -> str:
    """Why the loop could not work with an answer, "" if it can. A refusal may take other words."""
    if 200 in allowed and outcome.status != 200:
        return f"refused with status {outcome.status}"
    if 200 in allowed and outcome.read != "understood":
        return outcome.read
    if outcome.status >= 500:
        return f"the server fell over (status {outcome.status})"
    return ""


def _in_words(outcome: Outcome) -> str:
    if outcome.status != 200:
        return f"refused with status {outcome.status}"
    return f"calls {', '.join(outcome.calls)}" if outcome.calls else "answers in words"


def _record(path: Path, about: dict[str, str], found: dict[str, Outcome]) -> None:
    try:
        record(path, about, found)
    except OSError as error:
        raise WorkshopError(
            f"{path} can't be written ({error.strerror or error}).",
            "Name a file in a folder of yours.",
        ) from None
    say(f"Recorded in {path}: shapes only, nothing that was said.")
