"""What loads when it is asked for, in a fresh process: a module is loaded only once."""

from tests.homes import printed

ASKED = """
import sys
import harness.loop
import openai

def loaded():
    return {name for name in sys.modules if name.startswith("openai")}

first = loaded()
print("openai.types.chat" in first, "openai.types.responses.response" in first)
from openai.types import CreateEmbeddingResponse
import openai.types.responses as responses
print(CreateEmbeddingResponse.__name__, responses.Response.__name__, loaded() > first)
print(hasattr(responses, "NoSuchName"), openai.types.Batch is sys.modules["openai.types"].Batch)
"""
AFTER_A_STAR = """
import harness
from openai.types import *
print(Embedding.__module__)
"""


def test_types_of_other_apis_load_when_they_are_used():
    assert printed(ASKED).splitlines() == [
        "True False",
        "CreateEmbeddingResponse Response True",
        "False True",
    ]


def test_everything_is_there_for_a_star():
    assert printed(AFTER_A_STAR) == "openai.types.embedding"
