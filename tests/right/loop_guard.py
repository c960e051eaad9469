# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `LoopGuard`."""

RIGHT = {
    "a tuple a call, and match": """
class LoopGuard:
    def __init__(self):
        self.calls = []

    def _key(self, name, arguments):
        return name, json.dumps(arguments, sort_keys=True)

    def before(self, name, arguments):
        key = self._key(name, arguments)
        return next((seen + AGAIN for k, seen, _ in reversed(self.calls[-3:]) if k == key), None)

    def after(self, name, arguments, observation):
        text = observation[: -len(AGAIN)] if observation.endswith(AGAIN) else observation
        fresh = all(text != seen for _, seen, _ in self.calls)
        self.calls.append((self._key(name, arguments), text, fresh))

    @property
    def tripped(self):
        match [k for k, _, _ in self.calls[-3:]]:
            case [a, b, c] if a == b == c:
                return "repeated_call"
        if [t.startswith("ERROR") for _, t, _ in self.calls[-5:]].count(True) > 2:
            return "error_rate"
        last = self.calls[-4:]
        return "no_progress" if len(last) == 4 and True not in [f for *_, f in last] else None
""",
    "a deque and a dataclass": """
from collections import deque
from dataclasses import dataclass


@dataclass
class _Made:
    call: str
    text: str
    new: bool

    @property
    def failed(self):
        return self.text.startswith("ERROR")


class LoopGuard:
    def __init__(self):
        self.last, self.seen = deque(maxlen=5), set()

    def before(self, name: str, arguments: dict):
        for made in list(self.last)[-3:]:
            if made.call == self._text(name, arguments):
                return made.text + AGAIN

    def after(self, name: str, arguments: dict, observation: str):
        text = observation.removesuffix(AGAIN)
        self.last.append(_Made(self._text(name, arguments), text, text not in self.seen))
        self.seen.add(text)

    @staticmethod
    def _text(name, arguments):
        return json.dumps({"tool": name, "with": arguments}, sort_keys=True)

    tripped = property(lambda self: self._why())

    def _why(self):
        made = list(self.last)
        if len(made) > 2 and made[-1].call == made[-2].call == made[-3].call:
            return "repeated_call"
        if sum(m.failed for m in made) > 2:
            return "error_rate"
        if len(made) > 3 and not any(m.new for m in made[-4:]):
            return "no_progress"
        return None
""",
    "numbers for texts, Counter": """
from collections import Counter


class LoopGuard:
    def __init__(self):
        self.numbers, self.brought, self.log = {}, Counter(), []

    def number(self, name, arguments):
        text = json.dumps({"n": name, "a": arguments}, sort_keys=True, ensure_ascii=False)
        return self.numbers.setdefault(text, len(self.numbers))

    def before(self, name, arguments):
        wanted = self.number(name, arguments)
        for which, text, _, _ in self.log[:-4:-1]:
            if which == wanted:
                return text + AGAIN
        return None

    def after(self, name, arguments, observation):
        text = observation.removesuffix(AGAIN)
        self.brought[text] += 1
        self.log.append((self.number(name, arguments), text, text[:5] == "ERROR", self.brought[text] == 1))

    @property
    def tripped(self):
        if len(self.log) >= 3 and self.log[-1][0] == self.log[-2][0] == self.log[-3][0]:
            return "repeated_call"
        if [failed for _, _, failed, _ in self.log[-5:]].count(True) >= 3:
            return "error_rate"
        if len(self.log) >= 4 and all(not new for *_, new in self.log[-4:]):
            return "no_progress"
""",
    "lists side by side": """
class LoopGuard:
    def __init__(self):
        self.made, self.got = [], []

    def _as_text(self, name, arguments):
        return name + json.dumps(arguments, sort_keys=True)

    def before(self, name: str, arguments: dict):
        pairs = list(zip(self.made, self.got))[-3:]
        same = [text for made, text in pairs if made == self._as_text(name, arguments)]
        return f"{same[-1]}{AGAIN}" if same else None

    def after(self, name: str, arguments: dict, observation: str):
        self.made.append(self._as_text(name, arguments))
        self.got.append(observation[: -len(AGAIN)] if observation.endswith(AGAIN) else observation)

    @property
    def tripped(self):
        n = len(self.made)
        if n > 2 and len(set(self.made[-3:])) == 1:
            return "repeated_call"
        if sum(text.startswith("ERROR") for text in self.got[-5:]) > 2:
            return "error_rate"
        if n > 3 and all(self.got[i] in self.got[:i] for i in range(n - 4, n)):
            return "no_progress"
        return None
""",
    "rules in a table, a namedtuple a call": """
from collections import namedtuple

_Call = namedtuple("_Call", "key text news")


def _failed(call):
    return call.text.startswith("ERROR")


_RULES = (
    ("repeated_call", lambda made: len(made) >= 3 and len({call.key for call in made[-3:]}) == 1),
    ("error_rate", lambda made: len([*filter(_failed, made[-5:])]) >= 3),
    ("no_progress", lambda made: len(made) >= 4 and not sum(call.news for call in made[-4:])),
)


class LoopGuard:
    def __init__(self):
        self._made = []

    @staticmethod
    def _key(name, arguments):
        return json.dumps([name, arguments], sort_keys=True)

    def before(self, name, arguments):
        key = self._key(name, arguments)
        if found := [call for call in self._made[-3:] if call.key == key]:
            return found[-1].text + AGAIN

    def after(self, name, arguments, observation):
        text = observation.removesuffix(AGAIN)
        news = text not in {call.text for call in self._made}
        self._made.append(_Call(self._key(name, arguments), text, news))

    @property
    def tripped(self):
        return next((reason for reason, broken in _RULES if broken(self._made)), None)
""",
}
