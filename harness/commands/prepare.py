"""`python -m harness prepare`: what a first question would otherwise wait for."""

from harness.commands.fitting import say
from harness.databases.business import business
from harness.databases.state import state
from harness.knowledge.fact_search import scan_schema

SCHEMA = "SUPPLYCHAIN"


def main() -> int:
    """Open the agent's state, build the business database and scan its schema. Safe to repeat."""
    state()
    say("  agent state: ready")
    tables = business().catalogue(SCHEMA)
    rows = sum(table.row_count or 0 for table in tables)
    say(f"  {SCHEMA}: {len(tables)} tables, {rows:,} rows")
    counts = scan_schema(SCHEMA)
    facts = sum(counts.get(kind, 0) for kind in ("tables", "columns", "relationships", "patterns"))
    say(f"  knowledge: {facts} facts about it")
    return 0
