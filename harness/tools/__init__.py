"""The agent's tools, one file a family. Importing this package fills `TOOLS`, in this order.

The operations come only to who imports them: `from harness import send_notice`.
"""

import importlib

# The order is the one in which the model sees them: what it should reach for first comes first.
FAMILIES = (
    "knowledge",
    "sql",
    "voyages",
    "javascript",
    "scratchpad",
    "memory",
    "skills",
    "outputs",
    "support",
)

for _family in FAMILIES:
    importlib.import_module(f"harness.tools.{_family}")
