"""The support package of the agent-loop workshop. Read `harness/loop.py` first.

Names load when they are first used: `import harness` brings in neither torch nor DuckDB.
"""

import importlib
from typing import Any

from harness.later import load_later

_WHERE = {
    "agent_turn": "loop",
    "run_turn": "loop",
    "TurnResult": "run.outcome",
    "TurnStatus": "run.outcome",
    "repair_history": "run.compaction",
    "ProviderError": "model.response_parsing",
    "TurnConfig": "config",
    "chat": "model.chat",
    "SYSTEM_PROMPT": "context",
    "build_context": "context",
    "retrieve_tools": "tools.toolbox",
    "TOOLS": "tools.toolbox",
    "register": "tools.toolbox",
    "dispatch": "tools.dispatch",
    "ToolResult": "tools.dispatch",
    "log_message": "run.conversation",
    "memory": "memory",
    "retrieve_knowledge": "knowledge.fact_search",
    "session": "session",
    "mine": "checks",
    "check": "checks",
    "evaluate": "checks",
    "hint": "checks",
    "reset": "checks",
    "start_part": "course.notebook",
    "scoreboard": "evals",
    "WorkshopError": "errors",
    "ToolError": "errors",
    "standin": "standin",
    "run_sql": "tools.sql",
    "exec_js": "tools.javascript",
    "search_knowledge": "tools.knowledge",
    "scan_database": "tools.knowledge",
    "scratch_write": "tools.scratchpad",
    "scratch_append": "tools.scratchpad",
    "scratch_read": "tools.scratchpad",
    "forget": "tools.memory",
    "remember": "tools.memory",
    "load_skill": "tools.skills",
    "list_skills": "tools.skills",
    "fetch_tool_output": "tools.outputs",
    "query_internal_kb": "tools.support",
    "submit_support_ticket": "tools.support",
    "draft_notice": "tools.operations",
    "send_notice": "tools.operations",
    "rebook_container": "tools.operations",
    "cancel_rebooking": "tools.operations",
    "find_voyages": "tools.voyages",
    "voyage_status": "tools.voyages",
}

__all__ = list(_WHERE)

load_later()


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    module = importlib.import_module(f"harness.{_WHERE[name]}")
    value = module if _WHERE[name] == name == "standin" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
