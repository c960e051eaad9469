"""Honest work is never stopped, sick loops always are: under our loop and under anybody's."""

from pathlib import Path

import pytest
import yaml

from tests.corpus import calls_of, play
from tests.memory_homes import home_at
from tests.slices import in_part

_HERE = Path(__file__).parent
HONEST = yaml.safe_load((_HERE / "honest_work.yaml").read_text(encoding="utf-8"))
SICK = yaml.safe_load((_HERE / "sick_loops.yaml").read_text(encoding="utf-8"))
LOOPS = ("ours", "theirs")


@pytest.fixture(autouse=True, scope="module")
def home(tmp_path_factory):
    with home_at(tmp_path_factory.mktemp("corpora")):
        yield


def unrolled(case, repeat):
    """The rounds of a case, `{n}` counted up."""
    rounds = [line.format(n=n) for n in range(repeat) for line in case["rounds"]]
    return [*case.get("first", []), *rounds]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("case", in_part(HONEST, 20), ids=lambda case: case["name"])
def test_honest_work_is_not_stopped_and_every_call_runs(case, loop):
    rounds = unrolled(case, case.get("repeat", 1))
    done = play(rounds, loop, max_iterations=len(rounds) + 2)
    assert (done["trip"], done["answer"]) == (None, "That is the answer.")
    made = [
        " ".join([name, *map(str, given.values())])
        for line in rounds
        for name, given in calls_of(line)
    ]
    assert len(done["statuses"]) == len(made)
    assert done["statuses"].count("repeated") == case.get("again", 0)
    ours = [line for line in made if not line.startswith(("scratch", "remember", "search"))]
    if "ran" in case:
        assert done["ran"] == case["ran"]
    else:
        assert len(done["ran"]) == len(ours) - case.get("again", 0)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("case", in_part(SICK, 14), ids=lambda case: case["name"])
def test_a_sick_loop_is_stopped_by_its_name(case, loop):
    done = play(unrolled(case, 40), loop, max_iterations=60)
    names = case["trip"] if isinstance(case["trip"], list) else [case["trip"]]
    assert done["trip"] in names
    assert done["rounds"] <= case["within"]
    assert done["answer"] == "That is the answer."
