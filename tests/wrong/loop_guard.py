# ruff: noqa: E501  (a line a version)
"""Wrong versions of `LoopGuard`."""

from tests.wrong import Wrong

_SAME = "same = json.dumps([name, arguments], sort_keys=True)"
_CALL = '"call": json.dumps([name, arguments], sort_keys=True)'
_SUFFIX = "observation = observation.removesuffix(AGAIN)"
_KNOWN = 'known = [earlier["observation"] for earlier in self.calls]'

WRONG = [
    Wrong(
        "Watches the tool calls of one turn",
        "shared_state",
        {
            "    def __init__(self):\n        self.calls = []": "    calls = []\n\n    def __init__(self):\n        pass"
        },
    ),
    Wrong(
        "What to give the model instead of running",
        "first_call_refused",
        {"        return None\n\n    def after": '        return ""\n\n    def after'},
    ),
    Wrong(
        "Note what a call came to",
        "repeat_runs",
        {"        self.calls.append(": "        if False: self.calls.append("},
    ),
    Wrong(
        "one of three names; None while", "wrong_reason", {'return "error_rate"': 'return "errors"'}
    ),
    Wrong(
        "one of three names; None while",
        "trips_at_once",
        {
            '            return "no_progress"\n        return None': '            return "no_progress"\n        return "fine"'
        },
    ),
    Wrong(
        ("TODO 1. Write the call as one text", "*The same*"),
        "key_order",
        {
            _SAME: "same = json.dumps([name, arguments])",
            _CALL: '"call": json.dumps([name, arguments])',
        },
    ),
    Wrong(
        "TODO 1. Write the call as one text",
        "arguments_ignored",
        {_SAME: "same = name", _CALL: '"call": name'},
    ),
    Wrong(
        "TODO 1. Write the call as one text",
        "name_ignored",
        {
            _SAME: "same = json.dumps(arguments, sort_keys=True)",
            _CALL: '"call": json.dumps(arguments, sort_keys=True)',
        },
    ),
    Wrong(
        "TODO 2. Look for it among the last three",
        "window_short",
        {"self.calls[-3:]:": "self.calls[-2:]:"},
    ),
    Wrong(
        "TODO 2. Look for it among the last three",
        "window_long",
        {"self.calls[-3:]:": "self.calls[-4:]:"},
    ),
    Wrong(
        "TODO 3. There: return what it brought, and AGAIN",
        "no_word",
        {'return earlier["observation"] + AGAIN': 'return earlier["observation"]'},
    ),
    Wrong(
        "TODO 3. There: return what it brought, and AGAIN",
        "observation_lost",
        {'return earlier["observation"] + AGAIN': "return AGAIN"},
    ),
    Wrong(
        "TODO 3. There: return what it brought, and AGAIN",
        "observation_lost",
        {'return earlier["observation"] + AGAIN': 'return earlier["observation"][:20] + AGAIN'},
    ),
    Wrong(
        "TODO 1. Take AGAIN off the end",
        "observation_changed",
        {_SUFFIX: "observation = observation.rstrip(AGAIN)"},
    ),
    Wrong("TODO 1. Take AGAIN off the end", "word_piles_up", {_SUFFIX: "pass"}),
    Wrong(
        "TODO 2. Append a dict to self.calls",
        "memory_short",
        {_KNOWN: 'known = [earlier["observation"] for earlier in self.calls[-5:]]'},
    ),
    Wrong(
        "*Failed* means",
        "error_anywhere",
        {'observation.startswith("ERROR")': '"ERROR" in observation'},
    ),
    Wrong(
        "*Failed* means",
        "error_rate_missed",
        {'observation.startswith("ERROR")': 'observation.startswith("ERROR!")'},
    ),
    Wrong(
        "*New* means",
        "repeats_are_news",
        {
            '"new": observation not in known': '"new": self.before(name, arguments) is not None or observation not in known'
        },
    ),
    Wrong(
        "*New* means",
        "no_progress_missed",
        {
            '"new": observation not in known': '"new": json.dumps([name, arguments]) not in [c["call"] for c in self.calls]'
        },
    ),
    Wrong(
        ("TODO 1. Three calls or more", '`"repeated_call"`'),
        "repeat_too_soon",
        {"len(three) == 3 and len({": "len(three) >= 2 and len({"},
    ),
    Wrong(
        "TODO 1. Three calls or more",
        "not_in_a_row",
        {
            'if len(three) == 3 and len({each["call"] for each in three}) == 1:': 'if any(sum(c["call"] == d["call"] for d in self.calls) >= 3 for c in self.calls):'
        },
    ),
    Wrong(
        "TODO 1. Three calls or more",
        "repeated_call_missed",
        {"len(three) == 3": "len(three) == 4"},
    ),
    Wrong(
        ("TODO 2. Three failed ones", '`"error_rate"`'),
        "errors_too_soon",
        {"for each in five) >= 3": "for each in five) >= 2"},
    ),
    Wrong(
        "TODO 2. Three failed ones",
        "error_rate_missed",
        {"for each in five) >= 3": "for each in five) > 3"},
    ),
    Wrong(
        "TODO 2. Three failed ones",
        "old_errors_count",
        {"for each in five) >= 3": "for each in self.calls) >= 3"},
    ),
    Wrong(
        "TODO 2. Three failed ones",
        "errors_too_late",
        {"        if sum(": "        if len(five) == 5 and sum("},
    ),
    Wrong(
        "TODO 2. Three failed ones",
        "replayed_errors",
        {
            '"failed": observation.startswith("ERROR")': '"failed": observation.startswith("ERROR") and observation not in known'
        },
    ),
    Wrong(
        ("TODO 3. Four calls or more", '`"no_progress"`'),
        "progress_too_soon",
        {"(3, 4, 5))": "(3, 3, 5))", "len(four) == 4": "len(four) == 3"},
    ),
    Wrong(
        "TODO 3. Four calls or more",
        "progress_ignored",
        {'not any(each["new"] for each in four)': 'not (four[0]["new"] or four[-1]["new"])'},
    ),
    Wrong(
        "TODO 3. Four calls or more",
        "no_progress_missed",
        {"(3, 4, 5))": "(3, 9, 5))", "len(four) == 4": "len(four) == 9"},
    ),
    Wrong(
        "*Failed* means",
        "error_anywhere",
        {'observation.startswith("ERROR")': 'observation.upper().startswith("ERROR")'},
    ),
    # To the letter.
    Wrong("*Failed* means", "error_anywhere", {'observation.startswith("ERROR")': '"ERROR" in observation'}),
    Wrong("*New* means", "observation_compared_loosely", {'"new": observation not in known': '"new": observation.lower() not in [each.lower() for each in known]'}),
    Wrong("*New* means", "observation_compared_loosely", {'"new": observation not in known': '"new": observation.strip() not in [each.strip() for each in known]'}),
    Wrong("*The same* means", "arguments_ignored", {"sort_keys=True)": "sort_keys=True).lower()"}),
    Wrong("return what it brought", "observation_changed", {'return earlier["observation"] + AGAIN': 'return earlier["observation"].strip() + AGAIN'}),
    # What the text says and no version above breaks.
    Wrong('*The same* means', 'arguments_ignored', {'json.dumps([name, arguments], sort_keys=True)': '"".join(json.dumps([name, arguments], sort_keys=True).split())'}),
    Wrong('*The same* means', 'arguments_ignored', {'json.dumps([name, arguments], sort_keys=True)': 'json.dumps([name, {k: sorted(map(str, v)) if isinstance(v, list) else v for k, v in arguments.items()}], sort_keys=True)'}),
    Wrong('TODO 3. There', 'repeat_runs', {'if earlier["call"] == same:': 'if earlier["call"] == same and earlier["observation"]:'}),
    Wrong('TODO 3. There', 'repeat_runs', {'if earlier["call"] == same:': 'if earlier["call"] == same and not earlier["failed"]:'}),
    Wrong('*New* means', 'no_progress_missed', {'known = [earlier["observation"] for earlier in self.calls]': 'known = [e["observation"] for e in self.calls if json.loads(e["call"])[0] == name]'}),
    Wrong('*New* means', 'progress_ignored', {'"new": observation not in known': '"new": observation not in known and not observation.startswith("ERROR")'}),
    Wrong('*New* means', 'progress_ignored', {'"new": observation not in known': '"new": bool(observation) and observation not in known'}),
    Wrong('*New* means', 'progress_ignored', {'"new": observation not in known': '"new": observation[:100] not in [k[:100] for k in known]'}),
    Wrong('`"repeated_call"`', 'repeated_call_missed', {'len({each["call"] for each in three}) == 1': 'len({(each["call"], each["observation"]) for each in three}) == 1'}),
    Wrong('`"error_rate"`', 'errors_in_places', {'sum(each["failed"] for each in five) >= 3': 'five and five[-1]["failed"] and sum(each["failed"] for each in five) >= 3'}),
    Wrong('Why the loop should stop here', 'reason_kept', {'        three, four, five': '        if getattr(self, "_why", None):\n            return self._why\n        three, four, five', '            return "repeated_call"': '            self._why = "repeated_call"\n            return "repeated_call"', '            return "error_rate"': '            self._why = "error_rate"\n            return "error_rate"', '            return "no_progress"': '            self._why = "no_progress"\n            return "no_progress"'}),
    Wrong('Why the loop should stop here', 'reading_changes_it', {'            return "repeated_call"': '            self.calls.clear()\n            return "repeated_call"'}),
    Wrong('None while it may go on', 'not_none', {'"no_progress"\n        return None': '"no_progress"\n        return False'}),
    Wrong('Note what a call came to', 'input_changed', {'        observation = observation.removesuffix(AGAIN)\n': '        observation = observation.removesuffix(AGAIN)\n        text = json.dumps([name, arguments], sort_keys=True)\n        arguments.clear()\n', '"call": json.dumps([name, arguments], sort_keys=True),': '"call": text,'}),
]  # fmt: skip
