"""Pictures for the notebooks."""

from harness.ui.plots import draw_conversation
from harness.ui.red_map import draw_red_map

__all__ = ["draw_conversation", "draw_red_map"]
