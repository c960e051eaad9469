"""Pictures for the notebooks."""

from harness.ui.plots import draw_conversation

__all__ = ["draw_conversation"]
