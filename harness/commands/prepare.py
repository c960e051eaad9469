"""`python -m harness prepare`: what a first question would otherwise wait for."""

from harness.databases.business import business
from harness.databases.state import state
from harness.knowledge.fact_search import scan_schema

SCHEMA = "SUPPLYCHAIN"


def main() -> int:
    """Open the agent's state, build the business database and scan its schema. Safe to repeat."""
    state()
    print("  agent state: ready", flush=True)
    tables = business().catalogue(SCHEMA)
    rows = sum(table.row_count or 0 for table in tables)
    print(f"  {SCHEMA}: {len(tables)} tables, {rows:,} rows", flush=True)
    counts = scan_schema(SCHEMA)
    facts = sum(counts.get(kind, 0) for kind in ("tables", "columns", "relationships", "patterns"))
    print(f"  knowledge: {facts} facts about it", flush=True)
    return 0
