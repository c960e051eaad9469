"""Our client has the names, parameters and fields of `oracleagentmemory`, so that moving is easy.

What they are is recorded in oamp_signatures.yaml. Where the package is installed, the record is
compared with it too, so that we notice when they part.
"""

import asyncio
import importlib
import inspect
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from harness import session
from harness.memory import memory as home_memory
from harness.memory import shapes
from harness.memory.client import MemoryClient
from harness.memory.thread import Thread

RECORDED = yaml.safe_load(
    (Path(__file__).parent / "oamp_signatures.yaml").read_text(encoding="utf-8")
)
# What they have and we leave out, with the reason.
LEFT_OUT = {
    "add_image": "images",
    "delete_image": "images",
    "list_images": "images",
    "update_image": "images",
    "include_image_bytes": "images",
    "included_image_ids": "images",
    "store_kwargs": "ours take what the store needs by name",
    "kwargs": "likewise",
}
OURS = {"client": MemoryClient, "thread": Thread}


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize("which", ["client", "thread"])
def test_methods_and_parameters(which):
    for name, wanted in RECORDED[which].items():
        if name in LEFT_OUT:
            continue
        ours = getattr(OURS[which], name, None)
        assert ours is not None, f"{which}.{name} is missing"
        if wanted is None:
            continue  # a property
        given = parameters(ours)
        missing = [p for p in wanted if p not in given and p not in LEFT_OUT]
        assert not missing, f"{which}.{name} lacks {missing}"
        shared = [p for p in wanted if p in given]
        assert [p for p in given if p in shared] == shared, f"{which}.{name} has another order"


@pytest.mark.parametrize("which", ["client", "thread"])
def test_every_call_has_an_awaitable_twin(which):
    for name, wanted in RECORDED[which].items():
        if name in LEFT_OUT or wanted is None:
            continue
        twin = getattr(OURS[which], f"{name}_async")
        assert inspect.iscoroutinefunction(twin)
        assert parameters(twin) == parameters(getattr(OURS[which], name))


def test_the_twins_do_the_same_work_for_the_same_user(home):
    async def told():
        with session(user="ana"):
            thread = await home_memory.create_thread_async(thread_id="t", agent_id="bot")
            await thread.add_messages_async([{"role": "user", "content": "Lagos is closed."}])
            made = await thread.add_memory_async("the port of Lagos is closed")
            found = await thread.search_async("Lagos", exact_thread_match=True)
            return made, [result.id for result in found]

    made, found = asyncio.run(told())
    assert found == [made] and home_memory.get_memory(made, user_id="ana").user_id == "ana"


def test_a_search_over_messages(home):
    with session(user="ana"):
        thread = home_memory.create_thread(thread_id="t")
        thread.add_messages([{"role": "user", "content": "Lagos is closed, and Oslo?"}])
        home_memory.create_thread(thread_id="u").add_messages(
            [{"role": "user", "content": "Lagos"}]
        )
        home_memory.add_memory("Lagos has a memory")
        found = home_memory.search("is Lagos closed?", record_types=["message"])
        assert [r.content for r in found] == ["Lagos is closed, and Oslo?", "Lagos"]
        assert {r.record.record_type for r in found} == {"message"}
        here = thread.search("Lagos", record_types=["message"], exact_thread_match=True)
        assert [r.content for r in here] == ["Lagos is closed, and Oslo?"]
        both = home_memory.search("Lagos", record_types=["memory", "message"])
        assert {r.record.record_type for r in both} == {"message", "memory"}
    with session(user="ben"):
        assert home_memory.search("Lagos", record_types=["message"]) == []


@pytest.mark.parametrize("name", sorted(RECORDED["shapes"]))
def test_shapes(name):
    ours = getattr(shapes, name)
    has = {field.name for field in fields(ours)} if hasattr(ours, "__dataclass_fields__") else set()
    missing = [f for f in RECORDED["shapes"][name] if f not in has and not hasattr(ours, f)]
    assert missing == []


def test_the_record_agrees_with_the_package():
    try:
        theirs = importlib.import_module("oracleagentmemory.apis.agentmemory")
        thread = importlib.import_module("oracleagentmemory.apis.thread")
    except ImportError:
        pytest.skip("oracleagentmemory is not installed (requirements-oracle.txt)")
    for which, there in (("client", theirs.IAgentMemory), ("thread", thread.IThread)):
        methods = {
            name: None if isinstance(member, property) else parameters(member)
            for name, member in vars(there).items()
            if not name.startswith("_")
            and not name.endswith("_async")
            and (callable(member) or isinstance(member, property))
        }
        assert methods == RECORDED[which]
