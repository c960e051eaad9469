"""What comes between every module of the harness and the functions that a stage watches."""

import functools
import sys
import zlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

import harness
from harness import context
from harness.model import chat as model_chat
from harness.retrieval import embedding
from harness.retrieval.embedding import pack
from harness.tools import toolbox

Current = Callable[[], Any]  # the stage that is set, or None


@functools.lru_cache(maxsize=1)
def install(current: Current) -> None:
    """Let `chat`, `build_context` and `retrieve_tools` ask the stage, where there is one.

    Once and for good, because a module that is imported later takes what it finds. Vectors are
    made up on a stage: loading the embedding model would take longer than a step may.
    """

    real_vectors = embedding.compute
    embedding.compute = lambda texts: (made_up_vectors if current() else real_vectors)(texts)
    real: dict[str, Callable[..., Any]] = {
        "chat": model_chat.chat,
        "build_context": context.build_context,
        "retrieve_tools": toolbox.retrieve_tools,
    }
    vars(harness).update(real)
    doubles = {id(fn): _double(name, fn, current) for name, fn in real.items()}
    for key, module in list(sys.modules.items()):
        if key.split(".")[0] == "harness" and isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if id(value) in doubles:
                    setattr(module, name, doubles[id(value)])


def _double(name: str, real: Callable[..., Any], current: Current) -> Callable[..., Any]:
    """The function that asks the stage where there is one, and else the real one."""

    @functools.wraps(real)
    def double(*arguments: Any, **named: Any) -> Any:
        stage = current()
        if stage is None:
            return real(*arguments, **named)
        if name == "chat":
            return stage.chat(real, *arguments, **named)
        return getattr(stage, name)(*arguments, **named)

    return double


def made_up_vectors(texts: list[str]) -> list[bytes]:
    """A unit vector for each text, packed as the cache has it; it means nothing."""

    seeds = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
    made = [np.random.default_rng(seed).standard_normal(384) for seed in seeds]
    return pack([each / np.linalg.norm(each) for each in made])
