"""Parts of a package that load when a name in them is first asked for, not with the package.

`import openai` brings in the types of every API that OpenAI has: 400 modules and half a second of
the processor, in each kernel and each process that runs a check. We call one of those APIs.
"""

import sys
import threading
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

# What is below them, such as openai.types.chat, loads by itself.
LATER = ("openai.types", "openai.types.responses")


class _WhenAsked:
    """Makes an empty module, and fills it when it is asked for a name that it doesn't have."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._lock = threading.RLock()  # the modules that fill it may ask it for names themselves
        self._filled = False

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        def __getattr__(name: str) -> Any:
            with self._lock:
                if not self._filled:
                    self._filled = True
                    self._loader.exec_module(module)
            if name in vars(module):
                return vars(module)[name]
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        vars(module)["__getattr__"] = __getattr__


class _Finder:
    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        spec: Any = PathFinder.find_spec(name, path, target) if name in LATER else None
        if spec is not None:
            spec.loader = _WhenAsked(spec.loader)
        return spec


def load_later() -> None:
    """From now on, what `LATER` names loads when it is used. Once is enough, twice does no harm."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
