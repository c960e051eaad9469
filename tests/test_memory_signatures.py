"""Our client has the names, parameters and fields of `oracleagentmemory`, so that moving is easy.

What they are is recorded in oamp_signatures.yaml. Where the package is installed, the record is
compared with it too, so that we notice when they part.
"""

import importlib
import inspect
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

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
        takes_any = any(
            p.kind is p.VAR_KEYWORD for p in inspect.signature(ours).parameters.values()
        )
        missing = [p for p in wanted if p not in given and p not in LEFT_OUT and not takes_any]
        assert not missing, f"{which}.{name} lacks {missing}"
        shared = [p for p in wanted if p in given]
        assert [p for p in given if p in shared] == shared, f"{which}.{name} has another order"


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
