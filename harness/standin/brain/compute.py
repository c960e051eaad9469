"""What SQL should not compute: JavaScript over an observation's rows, by a skill's function."""

import json
import re
from dataclasses import dataclass

from harness.standin.brain.reading import Situation
from harness.standin.brain.tree import Query
from harness.standin.brain.words import playbook

_BLOCK = re.compile(r"```(?:js|javascript)\s*\n(.*?)```", re.DOTALL)
_FUNCTION = re.compile(r"function\s+(\w+)\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Need:
    """A computation: its purpose, the words of a playbook for it, and how its function is used.

    `use` is JavaScript with {f} for the function; `pattern` is what its parameters look like.
    """

    purpose: str
    words: tuple[str, ...]
    pattern: str
    use: str


def needed(query: Query, groups: int) -> Need | None:
    """The computation that a tree needs a playbook for; None if it needs none."""
    measure = query.measures[0] if query.measures else None
    kind = measure.kind if measure and query.shape == "value" and query.per is None else ""
    if query.shape == "distance":
        use = "const [a, b] = input.rows;\nreturn {f}(a[1], a[2], b[1], b[2]);"
        return Need("a distance", ("distance", "haversine"), r"lat", use)
    if query.shape == "nearest":
        name, sign = (
            json.dumps(query.places[0]),
            "b, a" if query.order and query.order.down else "a, b",
        )
        use = (
            f"const from = input.rows.find((row) => row[0] === {name});\n"
            "const far = (row) => ({ ...{f}(from[1], from[2], row[1], row[2]), place: row[0] });\n"
            "const all = input.rows.filter((row) => row !== from).map(far);\n"
            f"all.sort(({sign}) => a.km - b.km);\n"
            f"return all.slice(0, {query.limit}).map((each) => [each]);"
        )
        return Need("a distance", ("distance", "haversine"), r"lat", use)
    if measure is not None and kind in ("percentile", "median"):
        words = ("percentile", "median", "quantile")
        use = f"return all.map(([k, v]) => [...k, {{f}}(v, {measure.percent / 100:g}), v.length]);"
        return Need("a percentile", words, r"values?", _lists(groups) + use)
    if kind == "weighted":
        use = "return all.map(([k, v, w]) => [...k, {f}(v, w), v.length]);"
        return Need("a weighted mean", ("weighted",), r"weights?", _lists(groups, True) + use)
    return None


def _lists(groups: int, weights: bool = False) -> str:
    """Collect the values (and weights) of each group; the last column: how often."""
    extra = "\n  if (!lists.has(key + 'w')) lists.set(key + 'w', []);" if weights else ""
    push = f"\n    lists.get(key + 'w').push(row[{groups + 1}]);" if weights else ""
    pick = "[JSON.parse(key), lists.get(key)"
    pick += ", lists.get(key + 'w')]" if weights else "]"
    return (
        "const lists = new Map(), order = [];\n"
        "for (const row of input.rows) {\n"
        f"  const key = JSON.stringify(row.slice(0, {groups}));\n"
        f"  if (!lists.has(key)) {{ lists.set(key, []); order.push(key); }}{extra}\n"
        "  for (let i = 0; i < Number(row[row.length - 1]); i++) {\n"
        f"    lists.get(key).push(row[{groups}]);{push}\n"
        "  }\n}\n"
        f"const all = order.map((key) => {pick});\n"
    )


def skill_for(need: Need, situation: Situation) -> str:
    """The name of a playbook that fits, from the manifest or from list_skills; or ""."""
    known = situation.known_skills
    for step in situation.calls("load_skill"):  # an unknown name is answered with the nearest ones
        near = re.search(r"Nearest: ([\w, -]+)", step.error)
        known += [(name.strip(), "") for name in near.group(1).split(",")] if near else []
    by_name = [name for word in need.words for name, _ in known if word in name.lower()]
    by_text = [name for word in need.words for name, text in known if word in text.lower()]
    return next(iter([*by_name, *by_text]), "")


def code_from(body: str, need: Need) -> str:
    """The playbook's function with the lines that use it; "" where it has none that fits."""
    for block in _BLOCK.findall(body):
        for match in _FUNCTION.finditer(block):
            if re.search(need.pattern, match.group(2)):
                return block.strip() + "\n\n" + need.use.replace("{f}", match.group(1))
    return ""


def conversion(own: str, wanted: str) -> tuple[str, str]:
    """(JavaScript for a figure x, the unit to show); "" where there is nothing to convert."""
    wanted = wanted or ("dollar" if own == "cent" else own)
    if not own or wanted == own:
        return "", own
    if wanted == "fahrenheit":
        return "x * 9 / 5 + 32", wanted
    up, down = (float(playbook()["units"][unit]["factor"]) for unit in (own, wanted))
    exact = up == 1.0 and down >= 1
    return f"x / {down:g}" if exact else f"x * {up / down:.9g}", wanted


def conversion_code(expression: str, at: int) -> str:
    """JavaScript that converts one column of every row."""
    return (
        "return input.rows.map((row) => {\n"
        f"  const x = row[{at}] === null ? null : Number(row[{at}]);\n"
        f"  return [...row.slice(0, {at}), x === null ? null : {expression}, "
        f"...row.slice({at + 1})];\n}});"
    )
