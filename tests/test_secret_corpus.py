"""Secrets, personal data and look-alikes: what is caught, what is missed, what is a false alarm.

The misses are known and named here; README states the counts.
"""

from pathlib import Path

import pytest
import yaml

from harness import TOOLS, build_context, log_message, run_turn, session, standin
from harness.databases.state import state
from harness.guards.outbound import looked_at
from harness.guards.secrets import redact
from harness.memory.journal import find_output
from harness.tools.toolbox import include, spare_toolbox
from tests.seed_loop import seed_turn

CORPUS = yaml.safe_load((Path(__file__).parent / "secret_corpus.yaml").read_text(encoding="utf-8"))
MISSED = {  # nothing beside it that says what it is, a plain word, or written so as to hide
    "my password is swordfish, all letters",
    "the code word is Open-Sesame-77",
    "password ... well, it is the name of my dog: Rex2015",
    "p a s s w o r d : h u n t e r 2",
    "aHVudGVyMi1IdW50ZXIy is the password in base64",
    "ring four one five, five five five, two six seven one",
    "she lives above the bakery in Elm Close 3",
}


def test_secrets_are_caught_and_the_words_around_them_kept():
    missed = set()
    for case in CORPUS["secrets"]:
        text, secret = case["text"], case["secret"]
        left = redact(text)
        assert redact(left) == left
        if not secret or secret in left:
            missed.add(text)
        else:
            head, _, tail = text.partition(secret)
            assert "[removed: " in left
            assert left.split()[0] == text.split()[0] or not head.strip() or len(head.split()) == 1
            assert not tail.split()[1:] or left.endswith(tail.split()[-1])
    unnamed = {text for text in missed if "nothing beside it" in text}
    assert missed - unnamed == {text for text in MISSED if text in missed}
    assert (len(CORPUS["secrets"]), len(missed)) == (59, 6)


def test_personal_data_stays_inside():
    missed = {c["text"] for c in CORPUS["personal"] if c["data"] in looked_at(c["text"], "outside")}
    assert missed <= MISSED and (len(CORPUS["personal"]), len(missed)) == (17, 2)
    for case in CORPUS["personal"]:
        told = looked_at(case["text"], "user")
        kept_back = any(word in told for word in ("card number", "bank account"))
        assert kept_back == (told != case["text"])  # who asks may see whom to call


def test_what_only_looks_like_it_stays():
    changed = [t for t in CORPUS["look_alikes"] if looked_at(t, "outside") != t]
    assert changed == [] and len(CORPUS["look_alikes"]) == 42


def test_markers_and_long_texts_are_cheap_and_safe():
    for text in ("password is " * 2_000, "secret: " + "a" * 50_000, "://a:" * 5_000, "@" * 20_000):
        redact(text)
        looked_at(text, "outside")


SECRET = "sk-live4f9a8b7c6d5e4f3a2b1c"
ASKED = f"How many voyages are delayed? My key is {SECRET}, and the berth is 4."
KEPT = "How many voyages are delayed? My key is [removed: API Key], and the berth is 4."


@pytest.mark.parametrize("loop", ["run_turn", "a learner's", "one that passes the question on"])
def test_a_secret_in_the_question_reaches_neither_model_nor_thread_nor_trace(home, loop):
    with session(user="ana"), standin.script([standin.say("Two are delayed.")] * 2) as seen:
        if loop == "run_turn":
            run_turn(ASKED, "t")
        elif loop == "a learner's":
            seed_turn(ASKED, "t")
        else:
            from harness import chat

            log_message("t", "user", ASKED)
            answer = chat([{"role": "user", "content": ASKED}]).choices[0].message.content
            log_message("t", "assistant", answer)
        assert KEPT in str(seen.requests[0]["messages"]) and SECRET not in str(seen.requests)
        if loop == "a learner's":
            assert KEPT in build_context("t2", ASKED)
    left = [p.name for p in home.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert left == []
    said = state().read("SELECT content FROM messages WHERE role = 'user'")
    assert {row[0] for row in said} == {KEPT}


def test_a_secret_in_an_output_or_an_answer_goes_no_further(home):
    with spare_toolbox(), session(user="ana"):
        from harness.tools.toolbox import register

        @register(name="leaky", tier="read", when="w", returns="r", example={})
        def leaky() -> dict:
            """Return what nobody should see."""
            return {"note": f"the key is {SECRET}", "card": "4111 1111 1111 1111"}

        told = f"The key is {SECRET}, the card 4111 1111 1111 1111, call +49 30 901820."
        with standin.script([standin.call("leaky"), standin.say(told)]) as seen:
            result = run_turn("what is it?", "t")
        assert SECRET not in str(seen.requests)
        assert "[removed: API Key]" in str(seen.requests[1]["messages"])
        assert result.answer == (
            "The key is [removed: API Key], the card [removed: card number], call +49 30 901820."
        )
        call = next(m for m in result.messages if m["role"] == "tool")
        assert SECRET not in (find_output(call["tool_call_id"], "t") or "")


def test_what_a_notice_may_not_carry_is_marked_in_the_draft(home):
    with spare_toolbox(), session(user="ana", role="dispatcher"):
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        body = f"Key {SECRET}. Ask ana@corp.example or ops@acme.example, +49 30 901820."
        outside = TOOLS["draft_notice"][0](to="ops@acme.example", subject="Late", body=body)
        marks = "Key [removed: API Key]. Ask [removed: e-mail address] or ops@acme.example, "
        assert f"{marks}[removed: phone number]." in outside and "taken out" in outside
        inside = TOOLS["draft_notice"][0](
            to="ops@harbourline.example", subject="Late", body=f"Key {SECRET}, +49 30 901820."
        )
        assert "Key [removed: API Key], +49 30 901820." in inside
