"""What callers of the memory client get wrong is said in words, by the name of the argument."""

import math

import pytest

from harness import WorkshopError, approvals, scratch_write, session, standin
from harness.databases.state import state
from harness.errors import ToolError
from harness.memory import memory

KEY = "sk-proj-" + "aB3dE5fG7h" * 5


def added(**wrong):
    return lambda: memory.add_memory("Lagos is closed.", **wrong)


def said(**wrong):
    return lambda: memory.create_thread(thread_id="t").add_messages(
        [{"role": "user", "content": "x"}], **wrong
    )


@pytest.mark.parametrize(
    "call, named",
    [
        *((added(ttl_days=each), "ttl_days") for each in (math.nan, math.inf, "tomorrow", True)),
        *((said(ttl_days=each), "ttl_days") for each in (math.nan, "tomorrow", True)),
        *((given(ttl_days=1, ttl_anchor="now"), "ttl_anchor") for given in (added, said)),
        (added(timestamp="tomorrow"), "timestamp"),
        (added(status="alive"), "status"),
        (said(metadata=[{}, {}]), "metadata"),
        *(
            (lambda call=call, limit=limit: call(limit=limit), "limit")
            for call in (
                memory.list_memories,
                memory.list_messages,
                memory.list_threads,
                memory.list_users,
                memory.list_agents,
            )
            for limit in ("many", -1, True, 1.5)
        ),
        *(
            (lambda types=types: memory.search("q", record_types=types), "record_types")
            for types in (["memories"], "memory", [None])
        ),
    ],
)
def test_the_argument_is_named_and_nothing_is_stored(home, call, named):
    with pytest.raises(WorkshopError, match=named):
        call()
    assert memory.list_memories() == [] and memory.list_messages() == []


def test_what_ends_at_once_is_a_message_that_has_ended(home):
    said(ttl_days=0)()
    assert memory.list_messages() == []


def test_a_time_of_a_link_is_a_time(home):
    one, other = memory.add_memory("Lagos is closed."), memory.add_memory("Oslo is closed.")
    link = memory.link_records(one, "memory", other, "memory", "supports", timestamp="2026-01-01")
    with pytest.raises(WorkshopError, match="timestamp"):
        memory.update_record_link(link, timestamp="tomorrow")


def test_no_field_lets_a_secret_in(home):
    one, other = memory.add_memory("Lagos is closed."), memory.add_memory("Oslo is closed.")
    memory.archive(one, f"because {KEY}")
    memory.reinstate(one, f"because {KEY}")
    link = memory.link_records(one, "memory", other, "memory", "about", metadata={KEY: [KEY]})
    memory.retract(other, f"because {KEY}")
    for call in (
        lambda: memory.update_record_link(link, relation_type=KEY),
        lambda: memory.link_records(one, "memory", other, "memory", KEY),
        lambda: memory.set_source_version("guide", KEY),
        lambda: memory.set_source_version(KEY, "2"),
        lambda: memory.create_thread(thread_id="t").add_messages([{"role": KEY, "content": "x"}]),
        lambda: scratch_write(f"{KEY}.md", "x"),
    ):
        with pytest.raises((WorkshopError, ToolError), match="secret"):
            call()
    standin_says_it()
    state().read("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = {path.name for path in home.rglob("*") if path.is_file() and KEY in _text(path)}
    assert kept == set()


def standin_says_it():
    """A model that puts a secret of its own into a call."""
    from harness import run_turn

    with standin.script([standin.call("run_sql", sql=f"SELECT '{KEY}' AS a"), standin.say(KEY)]):
        run_turn("Which key is it?", "t")


def _text(path):
    return path.read_text(encoding="utf-8", errors="replace")


def test_what_is_asked_of_the_user_shows_no_secret(home):
    from harness.guards import approval
    from harness.guards.effect import Effect

    with session(user="ana"):
        effect = Effect("notice", "send", "inside", "irreversible")
        approval.request("send", f'{{"text": "{KEY}"}}', effect, f"Send {KEY}", "t")
        (asked,) = approvals.waiting()
    assert KEY not in str(asked) and "text" in asked.arguments
