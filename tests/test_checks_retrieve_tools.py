"""The check of retrieve_tools, against wrong versions and differently written right ones."""

import copy
import json

import numpy as np
import pytest

from harness import TOOLS
from harness.checks import evaluate
from harness.course.answers.answers_06 import retrieve_tools as ours
from harness.retrieval.embedding import embed, embed_one
from harness.tools.toolbox import contract, contracts
from harness.tools.toolbox import retrieve_tools as the_harness_s


def text_of(name):
    return f"{name}: {TOOLS[name][1]['function']['description']}"


def always_on():
    return {each.name for each in contracts() if each.always}


def ranked(query, names, text=text_of, sign=-1.0):
    vectors = embed([query, *map(text, names)])
    scores = dict(zip(names, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    return sorted(names, key=lambda name: (sign * scores[name], name))


def others():
    return [name for name in TOOLS if name not in always_on()]


def in_order(chosen):
    return [schema for name, (_, schema) in TOOLS.items() if name in chosen]


def stub(user_query, k=6):
    raise NotImplementedError("retrieve_tools is yours to write")


def names_only(user_query, k=6):
    return [*always_on(), *ranked(user_query, others())[:k]]


def functions(user_query, k=6):
    chosen = always_on() | set(ranked(user_query, others())[:k])
    return [schema["function"] for schema in in_order(chosen)]


def entries(user_query, k=6):
    chosen = always_on() | set(ranked(user_query, others())[:k])
    return [TOOLS[name] for name in TOOLS if name in chosen]


def best_first(user_query, k=6):
    chosen = [*sorted(always_on()), *ranked(user_query, others())[:k]]
    return [TOOLS[name][1] for name in chosen]


def alphabetical(user_query, k=6):
    chosen = always_on() | set(ranked(user_query, others())[:k])
    return [TOOLS[name][1] for name in sorted(chosen)]


def nothing_always(user_query, k=6):
    return in_order(ranked(user_query, others())[:k])


def always_in_k(user_query, k=6):
    room = max(0, k - len(always_on()))
    return in_order(always_on() | set(ranked(user_query, others())[:room]))


def by_meaning_alone(user_query, k=6):
    return in_order(ranked(user_query, list(TOOLS))[:k])


def ranked_among_all(user_query, k=6):
    return in_order(always_on() | set(ranked(user_query, list(TOOLS))[:k]))


def always_six(user_query, k=6):
    return in_order(always_on() | set(ranked(user_query, others())[:6]))


def everything(user_query, k=6):
    return [schema for _, schema in TOOLS.values()]


def last_k(user_query, k=6):
    return in_order(always_on() | set(ranked(user_query, others(), sign=1.0)[-k:]))


def one_by_default(user_query, k=1):
    return in_order(always_on() | set(ranked(user_query, others())[:k]))


def farthest(user_query, k=6):
    return in_order(always_on() | set(ranked(user_query, others(), sign=1.0)[:k]))


def the_first_in_the_toolbox(user_query, k=6):
    return in_order(always_on() | set(others()[:k]))


def name_alone(user_query, k=6):
    nearest = ranked(user_query, others(), text=lambda name: name.replace("_", " "))
    return in_order(always_on() | set(nearest[:k]))


def description_alone(user_query, k=6):
    def text(name):
        return TOOLS[name][1]["function"]["description"]

    return in_order(always_on() | set(ranked(user_query, others(), text=text)[:k]))


def twice(user_query, k=6):
    chosen = ranked(user_query, others())[:k]
    return [*in_order(always_on() | set(chosen)), *in_order(always_on())]


def with_scores(user_query, k=6):
    found = copy.deepcopy(in_order(always_on() | set(ranked(user_query, others())[:k])))
    for schema in found:
        schema["function"]["score"] = 1.0
    return found


def shortens_the_real_ones(user_query, k=6):
    found = in_order(always_on() | set(ranked(user_query, others())[:k]))
    for schema in found:
        schema["function"]["description"] = schema["function"]["description"][:10]
    return found


def sorts_the_toolbox(user_query, k=6):
    chosen = always_on() | set(ranked(user_query, others())[:k])
    for name in sorted(TOOLS):
        TOOLS[name] = TOOLS.pop(name)
    return in_order(chosen)


KNOWN = []


def looks_once(user_query, k=6):
    if not KNOWN:
        KNOWN.extend(others())
    known = [name for name in KNOWN if name in TOOLS]
    return in_order(always_on() | set(ranked(user_query, known)[:k]))


def together_with_the_question(user_query, k=6):
    texts = [f"{user_query} {text_of(name)}" for name in others()]
    scores = dict(zip(others(), (embed(texts) @ embed_one(user_query)).tolist(), strict=True))
    nearest = ranked(user_query, others())[:k] if scores else []
    return in_order(always_on() | set(nearest))


def keeps_nothing(user_query, k=6):
    names = others()
    vectors = embed([text_of(name) for name in names], keep=False)
    scores = dict(zip(names, (vectors @ embed_one(user_query)).tolist(), strict=True))
    nearest = sorted(names, key=lambda name: -scores[name])[:k]
    return in_order(always_on() | set(nearest))


def needs_an_always(user_query, k=6):
    first = next(each.name for each in contracts() if each.always)
    return in_order({first} | always_on() | set(ranked(user_query, others())[:k]))


def whole_schemas(user_query, k=6):
    names = others()
    scores = embed([json.dumps(TOOLS[n][1]["function"]) for n in names]) @ embed_one(user_query)
    near = {names[i] for i in np.argsort(-scores, kind="stable")[:k]}
    return in_order(always_on() | near)


WRONG = {
    "not_written": stub,
    "text_changed whole schemas": whole_schemas,
    "not_a_list": lambda user_query, k=6: None,
    "names": names_only,
    "not_schemas functions": functions,
    "not_schemas entries": entries,
    "order_wrong": best_first,
    "order_wrong alphabetical": alphabetical,
    "always_missing": nothing_always,
    "always_missing by meaning alone": by_meaning_alone,
    "always_counted": always_in_k,
    "always_counted ranked among all": ranked_among_all,
    "k_ignored": always_six,
    "k_ignored zero": last_k,
    "returns_all": everything,
    "default_k": one_by_default,
    "farthest": farthest,
    "wrong_tools": the_first_in_the_toolbox,
    "description_ignored": name_alone,
    "name_ignored": description_alone,
    "duplicates": twice,
    "schema_changed": with_scores,
    "toolbox_changed": shortens_the_real_ones,
    "toolbox_changed order": sorts_the_toolbox,
    "stale": looks_once,
    "embeds_again": together_with_the_question,
    "embeds_again keeps nothing": keeps_nothing,
    "crash": needs_an_always,
}


def right_one_by_one(user_query, k=6):
    question = embed_one(user_query)
    scored = []
    for name, (_, schema) in TOOLS.items():
        found = contract(name)
        if not (found and found.always):
            text = f"{name.replace('_', ' ')} {schema['function']['description']}"
            scored.append((float(embed_one(text) @ question), name))
    scored.sort(reverse=True)
    best = {name for _, name in scored[:k]}
    return [copy.deepcopy(TOOLS[n][1]) for n in TOOLS if n in best or n in always_on()]


def right_with_argsort(user_query, k=6):
    names = others()
    chosen = always_on()
    if names:
        described = [f"{n} | {TOOLS[n][1]['function']['description']}" for n in names]
        scores = embed(described) @ embed_one(user_query)
        chosen |= {names[i] for i in np.argsort(-scores, kind="stable")[:k]}
    return in_order(chosen)


def right_sorted_back(user_query, k=6):
    places = {name: place for place, name in enumerate(TOOLS)}
    chosen = [*always_on(), *ranked(user_query, others())[:k]]
    return [TOOLS[name][1] for name in sorted(chosen, key=places.__getitem__)]


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("retrieve_tools", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn", [right_one_by_one, right_with_argsort, right_sorted_back, the_harness_s]
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("retrieve_tools", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("retrieve_tools", ours)
    assert report.passed and report.owner == "ours", str(report)


@pytest.mark.usefixtures("shipped_tools_only")  # the others ask for a permission
@pytest.mark.parametrize("k", [0, 1, 6, 50])
def test_the_solution_of_part_06_chooses_as_the_harness_does(k):
    for question in ("How many voyages are delayed?", "Which vessel has the largest capacity?"):
        assert ours(question, k) == the_harness_s(question, k)
