"""The picture of the agent as it grows, and the desk of part 10 that its first line is from."""

from harness.course.labs.growth import GAINS, now_it_can
from harness.course.labs.two_notices import (
    COLLEAGUE,
    NEWSPAPER,
    at_the_desk,
    request_to_send,
    rights_of,
)
from harness.course.parts import PARTS


def test_the_picture_ends_with_this_part_and_says_what_changed(capsys):
    now_it_can("09", before=("400", False), now=("600 voyages", True))
    *earlier, line, before, now = capsys.readouterr().out.splitlines()
    assert line.startswith("▣ 09") and all(each.startswith("■ ") for each in earlier)
    assert "BAD  400" in before and "good 600 voyages" in now
    assert GAINS.keys() <= PARTS.keys() and list(GAINS) == sorted(GAINS)


def test_the_desk_sends_what_its_judge_allows_and_nothing_else(capsys):
    inside = at_the_desk(
        lambda tool, request: ("allow" if request["destination"] == "inside" else "deny", "")
    )
    assert inside == {COLLEAGUE: "sent", NEWSPAPER: "deny"}
    assert at_the_desk(lambda tool, request: "ask") == {COLLEAGUE: "ask", NEWSPAPER: "ask"}
    assert capsys.readouterr().out.count("in the outbox: draft") == 3


def test_a_request_has_what_a_grant_speaks_of():
    grants = [each for each in rights_of("dispatcher")["grants"] if "send" in each["action"]]
    request = request_to_send(NEWSPAPER)
    assert {grant["approval"] for grant in grants} == {"none", "user"}
    axes = set(grants[0]) - {"time", "quantity", "approval"}
    assert axes < request.keys() and request["destination"] == "outside/elsewhere.example"
