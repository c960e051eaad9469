"""The support package of the agent-loop workshop. Read `harness/loop.py` first.

Names load when they are first used: `import harness` brings in neither torch nor DuckDB.
"""

import importlib
from typing import Any

_WHERE = {
    "agent_turn": "loop",
    "run_turn": "loop",
    "TurnResult": "outcome",
    "TurnStatus": "outcome",
    "repair_history": "window",
    "ProviderError": "receive",
    "TurnConfig": "config",
    "chat": "llm",
    "SYSTEM_PROMPT": "context",
    "build_context": "context",
    "retrieve_tools": "tools.toolbox",
    "TOOLS": "tools.toolbox",
    "register": "tools.toolbox",
    "dispatch": "tools.dispatch",
    "ToolResult": "tools.dispatch",
    "log_message": "memory",
    "memory": "memory",
    "retrieve_knowledge": "knowledge",
    "session": "session",
    "mine": "checks",
    "check": "checks",
    "evaluate": "checks",
    "hint": "checks",
    "reset": "checks",
    "start_part": "notebook",
    "scoreboard": "evals",
    "WorkshopError": "errors",
    "ToolError": "errors",
    "standin": "standin",
    "run_sql": "tools.sql",
    "exec_js": "tools.compute",
    "search_knowledge": "tools.knowledge",
    "scan_database": "tools.knowledge",
    "scratch_write": "tools.scratchpad",
    "scratch_append": "tools.scratchpad",
    "scratch_read": "tools.scratchpad",
    "remember": "tools.memory",
    "load_skill": "tools.skills",
    "list_skills": "tools.skills",
    "fetch_tool_output": "tools.outputs",
    "query_internal_kb": "tools.helpdesk",
    "submit_support_ticket": "tools.helpdesk",
    "find_voyages": "tools.voyages",
    "voyage_status": "tools.voyages",
}

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    module = importlib.import_module(f"harness.{_WHERE[name]}")
    value = module if _WHERE[name] == name == "standin" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
