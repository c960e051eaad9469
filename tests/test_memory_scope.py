"""Every call asks for the same user: the session's, or the one who is named."""

import pytest

from harness import WorkshopError, log_message, session
from harness.memory import EVERY_USER, memory

OTHERS = {  # call -> what somebody else gets from it, with ids of ana's
    "get_memory": lambda r, t, link: memory.get_memory(r),
    "update_memory": lambda r, t, link: memory.update_memory(r, "forged"),
    "retract": lambda r, t, link: memory.retract(r),
    "archive": lambda r, t, link: memory.archive(r),
    "reinstate": lambda r, t, link: memory.reinstate(r),
    "rescope": lambda r, t, link: memory.rescope(r, "elsewhere"),
    "reclassify": lambda r, t, link: memory.reclassify(r, sensitive=True),
    "get_thread": lambda r, t, link: memory.get_thread(t),
    "update_thread": lambda r, t, link: memory.update_thread(t, {"a": 1}),
    "link_records": lambda r, t, link: memory.link_records(r, "memory", r, "memory", "refines"),
    "link_to": lambda r, t, link: memory.add_memory(
        "mine", memory_id_to_link=r, link_type="supersedes"
    ),
}
NOTHING = {  # calls that count or list, and find nothing
    "delete_memory": lambda r, t, link: memory.delete_memory(r),
    "delete_thread": lambda r, t, link: memory.delete_thread(t),
    "update_record_link": lambda r, t, link: memory.update_record_link(link, "supersedes"),
    "delete_record_link": lambda r, t, link: memory.delete_record_link(relation_id=link),
    "delete_agent": lambda r, t, link: memory.delete_agent("bot"),
    "end_scope": lambda r, t, link: memory.end_scope("user_account"),
    "get_history": lambda r, t, link: memory.get_history(r),
    "audit": lambda r, t, link: memory.audit(r),
    "list_memories": lambda r, t, link: memory.list_memories(),
    "list_memories of its thread": lambda r, t, link: memory.list_memories(thread_id=t),
    "list_messages": lambda r, t, link: memory.list_messages(),
    "list_messages of its thread": lambda r, t, link: memory.list_messages(thread_id=t),
    "list_threads": lambda r, t, link: memory.list_threads(),
    "list_users": lambda r, t, link: memory.list_users(),
    "quarantined": lambda r, t, link: memory.quarantined(),
    "profile": lambda r, t, link: memory.profile(),
}


@pytest.fixture
def of_ana(home):
    """(record, thread, link) of ana's, and the session is ben's."""
    with session(user="ana"):
        log_message("private", "user", "The vault opens at nine.")
        made = memory.add_memory("the vault opens at nine", agent_id="bot")
        other = memory.add_memory("the vault is in Oslo", thread_id="private")
        link = memory.link_records(made, "memory", other, "memory", "refines")
        memory.add_user("ana", "keeper of the vault")
        memory.add_memory("perhaps", source="model_inference")
    with session(user="ben"):
        yield made, "private", link
    with session(user="ana"):  # whatever was tried, all of it is still there
        assert memory.get_memory(made).governed.value == "the vault opens at nine"
        assert memory.get_memory(made).governed.status == "active"
        assert len(memory.get_thread("private").get_messages()) == 1
        assert memory.get_thread("private").metadata is None
        assert memory.update_record_link(link, "refines") == 1
        assert [one.id for one in memory.list_users()] == ["ana"]


@pytest.mark.parametrize("call", OTHERS)
def test_an_id_of_somebody_else_is_not_found(of_ana, call):
    with pytest.raises(WorkshopError, match="There is no "):
        OTHERS[call](*of_ana)


@pytest.mark.parametrize("call", NOTHING)
def test_nothing_of_somebody_else_is_counted_listed_or_deleted(of_ana, call):
    assert not NOTHING[call](*of_ana)


def test_a_claim_on_the_message_of_somebody_else_is_no_source(of_ana):
    with session(user="ana"):
        source = memory.get_thread("private").get_messages()[0].id
    mine = memory.add_memory("the vault opens at ten", source="document", source_id=source)
    with session(user="ana"):
        memory.add_memory("a thread that goes", thread_id="gone")
        memory.create_thread(thread_id="gone")
        memory.get_thread("gone").add_messages([{"role": "user", "content": "x", "id": "m1"}])
        memory.delete_thread("gone")
    assert memory.get_memory(mine).governed.status == "active"


def test_who_is_named_is_asked_for(of_ana):
    made, thread, link = of_ana
    assert memory.get_memory(made, user_id="ana").user_id == "ana"
    assert memory.get_thread(thread, user_id="ana").user_id == "ana"
    assert len(memory.list_memories("ana")) == 2 and len(memory.list_messages("ana")) == 1
    assert memory.audit(made, user_id="ana")[0]["action"] == "store"
    assert memory.update_record_link(link, "refines", user_id="ana") == 1
    extra = memory.add_memory("a brief note", user_id="ana")
    assert memory.delete_memory(extra, user_id="ana") == 1


def test_an_administrator_says_so(of_ana):
    made, _, _ = of_ana
    own = memory.add_memory("the berth is free")
    assert {one.id for one in memory.list_memories(EVERY_USER)} > {made, own}
    assert memory.get_memory(made, user_id=EVERY_USER).user_id == "ana"
    assert [one.user_id for one in memory.list_messages(EVERY_USER)] == ["ana"]
    assert [one.user_id for one in memory.list_threads(EVERY_USER)] == ["ana"]
    assert [one.id for one in memory.list_users(user_id=EVERY_USER)] == ["ana"]
    assert len(memory.quarantined(EVERY_USER)) == 1
    with pytest.raises(WorkshopError, match="user_id must be a text"):
        memory.search("vault", user_id=EVERY_USER)  # a search is of one user, always


def test_a_thread_keeps_its_user_where_somebody_else_holds_it(of_ana):
    _, thread, _ = of_ana
    held = memory.get_thread(thread, user_id="ana")
    extra = held.add_memory("a note of the thread")
    assert held.update_memory(extra, "another note") == extra
    assert memory.get_memory(extra, user_id="ana").content == "another note"
    assert held.delete_memory(extra) == 1


def test_an_id_that_somebody_else_has_is_taken(of_ana):
    made, _, _ = of_ana
    with pytest.raises(WorkshopError, match="is taken"):
        memory.add_memory("mine", memory_id=made)
    with session(user="ana"):
        message = memory.get_thread("private").get_messages()[0].id
    mine = memory.create_thread(thread_id="private")
    with pytest.raises(WorkshopError, match="is taken"):
        mine.add_messages([{"role": "user", "content": "mine", "id": message}])


def test_a_name_that_no_store_takes_is_refused_in_words(home, monkeypatch):
    with pytest.raises(WorkshopError, match="is not UTF-8 text"), session(user="J\udcfcrgen"):
        pass
    monkeypatch.setenv("WORKSHOP_USER", "J\udcfcrgen")  # from a shell that writes Latin-1
    with pytest.raises(WorkshopError, match="WORKSHOP_USER"):
        log_message("thread", "user", "Hello.")
