"""Which TODOs there are, and the part of each: generated from the sources in authoring/."""

PART_OF = {
    "answer_tool_calls": "01",
    "tiny_loop": "01",
    "helpdesk_contract": "02",
    "dispatch_one": "02",
    "scan_tables": "03",
    "rrf_fuse": "03",
    "admit": "04",
    "retire": "04",
    "run_sql": "05",
    "late_arrivals": "05",
    "retrieve_tools": "06",
    "agent_turn": "07",
    "LoopGuard": "08",
    "finish": "08",
    "fit_window": "09",
    "offload": "09",
    "authorize": "10",
    "decision_path": "11",
    "alerts": "11",
    "delegate": "13",
}
