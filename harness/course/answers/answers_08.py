"""Our solutions of part 08, generated from authoring/08_when_loops_go_wrong.py."""

# mypy: ignore-errors
import json

AGAIN = "\nYou already made this call; this is what it returned. Use it, or do something else."


class LoopGuard:
    """Watches the tool calls of one turn, and says when the loop should stop."""

    def __init__(self):
        self.calls = []  # a dict for each call, the newest last

    def before(self, name: str, arguments: dict) -> str | None:
        """What to give the model instead of running this call; None when it may run."""
        same = json.dumps([name, arguments], sort_keys=True)
        for earlier in self.calls[-3:]:
            if earlier["call"] == same:
                return earlier["observation"] + AGAIN
        return None

    def after(self, name: str, arguments: dict, observation: str) -> None:
        """Note what a call came to, whether it was run or answered by `before`."""
        observation = observation.removesuffix(AGAIN)
        known = [earlier["observation"] for earlier in self.calls]
        self.calls.append(
            {
                "call": json.dumps([name, arguments], sort_keys=True),
                "observation": observation,
                "failed": observation.startswith("ERROR"),
                "new": observation not in known,
            }
        )

    @property
    def tripped(self) -> str | None:
        """Why the loop should stop here: one of three names; None while it may go on."""
        three, four, five = (self.calls[-count:] for count in (3, 4, 5))
        if len(three) == 3 and len({each["call"] for each in three}) == 1:
            return "repeated_call"
        if sum(each["failed"] for each in five) >= 3:
            return "error_rate"
        if len(four) == 4 and not any(each["new"] for each in four):
            return "no_progress"
        return None
