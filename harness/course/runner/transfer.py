"""Sending a function to the worker's child, and keeping it on disk.

Functions of a notebook go by value, with the helpers and values that they use. What belongs to the
harness goes by name, so that over there it is the child's own: its TOOLS, its chat, its memory.
"""

import functools
import importlib
import io
import pickle
import sys
import threading
from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, ClassVar

import cloudpickle

# These go by name or by value as they are: a number is a number everywhere.
_AS_THEY_ARE = (int, float, complex, bytes, str, tuple, frozenset, type(None))
_LOCKS = {type(threading.Lock()): "Lock", type(threading.RLock()): "RLock"}
_Cached = type(functools.lru_cache(abs))
_BY_NAME = (FunctionType, BuiltinFunctionType, ModuleType, type)


class CannotSend(Exception):
    """Something that the function uses can't leave this process; the text says what."""


def dumps(fn: Any) -> bytes:
    """The function as bytes. Raises CannotSend, naming the global that is to blame."""

    known = _harness_objects()

    class Pickler(cloudpickle.Pickler):
        dispatch_table: ClassVar[Any] = ChainMap(
            {CodeType: _code_with_file, _Cached: _with_its_cache},
            cloudpickle.Pickler.dispatch_table,
        )

        def persistent_id(self, value: Any) -> Any:
            return known.get(id(value)) or _remade(value)

    buffer = io.BytesIO()
    try:
        with _by_value(fn):
            Pickler(buffer, protocol=4).dump(fn)
    except Exception as error:
        raise CannotSend(_blame(fn, error)) from error
    return buffer.getvalue()


def _with_its_cache(cached: Any) -> tuple[Any, ...]:
    """A function under functools.lru_cache: over there its cache begins empty."""
    return cached_anew, (cached.__wrapped__, cached.cache_parameters())


def cached_anew(fn: Any, parameters: dict[str, Any]) -> Any:
    """The function under a cache of its own."""
    return functools.lru_cache(**parameters)(fn)


def _code_with_file(code: CodeType) -> tuple[Any, ...]:
    """As cloudpickle has it, but with the file's name, so that an error can tell its line."""

    make, parts = cloudpickle.Pickler.dispatch_table[CodeType](code)
    return make, tuple(code.co_filename if part == "<dynamic-code>" else part for part in parts)


def loads(data: bytes) -> Any:
    """The function that `dumps` wrote. Raises whatever is missing here."""
    return _Unpickler(io.BytesIO(data)).load()


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        module, name, *made = pid
        found = getattr(importlib.import_module(module), name)
        return found() if made else found


def _remade(value: Any) -> tuple[str, str, str] | None:
    """What belongs to one process and is as good in the other when it is made there anew."""
    if type(value) in _LOCKS:
        return "threading", _LOCKS[type(value)], "made anew"
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and isinstance(value, asyncio.AbstractEventLoop):
        return "asyncio", "new_event_loop", "made anew"
    return None


def _harness_objects() -> dict[int, tuple[str, str]]:
    """Where the harness keeps the objects that a notebook may hold, by their id."""
    found: dict[int, tuple[str, str]] = {}
    for module_name in sorted(sys.modules):
        module = sys.modules[module_name]
        if module_name.split(".")[0] != "harness" or not isinstance(module, ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if not name.startswith("__") and not isinstance(value, _AS_THEY_ARE + _BY_NAME):
                found.setdefault(id(value), (module_name, name))
    return found


@contextmanager
def _by_value(fn: Any) -> Iterator[None]:
    """Send what comes from the learner's own modules by value: the child may hold an older one."""

    modules = [m for m in _own_modules(fn) if m.__name__ not in _registered()]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _registered() -> set[str]:
    return set(cloudpickle.list_registry_pickle_by_value())


def _own_modules(fn: Any) -> list[ModuleType]:
    names = {getattr(fn, "__module__", None)}
    for value in used_globals(fn).values():
        names.add(value.__name__ if isinstance(value, ModuleType) else value_module(value))
    modules = (sys.modules.get(name) for name in sorted(name for name in names if name))
    return [module for module in modules if module is not None and _is_own(module)]


def value_module(value: Any) -> str | None:
    """The module that a function or class comes from."""
    return getattr(value, "__module__", None) if isinstance(value, (FunctionType, type)) else None


def _is_own(module: ModuleType) -> bool:
    """Whether a module is the learner's: a file of theirs, and not installed or part of this."""
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__" or file is None:
        return False
    path = Path(file).resolve()
    harness = Path(__file__).resolve().parents[2]
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    standard = Path(io.__file__).resolve().parent
    return not installed and standard not in path.parents and harness not in path.parents


def used_globals(fn: Any) -> dict[str, Any]:
    """The globals that a function and its helpers refer to, sorted by name."""
    found: dict[str, Any] = {}
    todo, seen = [fn], set()
    while todo:
        function = todo.pop()
        if isinstance(function, type) and not is_harness(function):
            todo += methods(function)
        if not isinstance(function, FunctionType) or id(function) in seen or is_harness(function):
            continue
        seen.add(id(function))
        for name in _names(function.__code__):
            if name in function.__globals__:
                found[name] = function.__globals__[name]
                todo.append(found[name])
        todo += [getattr(function, "__wrapped__", None), *enclosed(function)]
    return dict(sorted(found.items()))


def methods(value: type) -> list[FunctionType]:
    """The functions that a class defines itself, those of properties too, sorted by name."""
    members = [getattr(member, "fget", member) for _, member in sorted(vars(value).items())]
    return [member for member in members if isinstance(member, FunctionType)]


def codes(value: Any) -> list[CodeType]:
    """The code of a function, of a class's methods, or of the class of an object."""
    if isinstance(value, FunctionType):
        return [value.__code__]
    return [f.__code__ for f in methods(value if isinstance(value, type) else type(value))]


def file_of(value: Any) -> str:
    """The file, or the notebook's cell, in which a function or class was written; "" if unknown."""
    return next((code.co_filename for code in codes(value)), "")


def is_harness(value: Any) -> bool:
    """Whether a function or class belongs to this package."""
    return str(getattr(value, "__module__", "")).split(".")[0] == "harness"


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def held(value: Any, *, by_name: bool = True) -> list[Any]:
    """What a function, an object or a container holds: helpers may be anywhere in it.

    With `by_name` also the globals that a function names.
    """
    parts = [*used_globals(value).values()] if by_name else []
    parts += [*(getattr(value, "__defaults__", None) or ()), *enclosed(value)]
    parts += [
        getattr(value, name, None) for name in ("func", "__wrapped__", "__func__", "__self__")
    ]
    if isinstance(value, dict | list | tuple | set):
        parts += value.values() if isinstance(value, dict) else value
    elif not isinstance(value, FunctionType | ModuleType):
        parts += methods(value if isinstance(value, type) else type(value))
        parts += vars(value).values() if hasattr(value, "__dict__") else ()
    return parts


def is_written(value: Any) -> bool:
    """Whether it may hold code of the learner's: a function, or an object that leads to one."""
    if isinstance(value, functools.partial | MethodType | _Cached | dict | list | tuple | set):
        return True
    is_code = isinstance(value, FunctionType | type)
    if value is None or not (is_code or hasattr(value, "__dict__")):
        return False
    name = getattr(value if is_code else type(value), "__module__", None)
    module = sys.modules.get(str(name))
    if module is None or name == "__main__":  # whatever it says that it comes from
        return True
    return _is_own(module)


def enclosed(function: Any) -> list[Any]:
    """What a function holds in its closure."""
    cells = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    return cells


def _blame(fn: Any, error: Exception) -> str:
    """Which of the values that the function uses can't be sent, and why."""

    for name, value in used_globals(fn).items():
        if isinstance(value, FunctionType | ModuleType | type) or id(value) in _harness_objects():
            continue
        try:
            cloudpickle.dumps(value)
        except Exception as fault:
            return f"it uses `{name}` ({type(value).__name__}), which can't be sent: {fault}"
    return f"it can't be sent: {type(error).__name__}: {error}"
