"""What shows itself in a notebook: cards, views, panels, pictures."""

from harness.ui.conversation_view import show_conversation, show_layers
from harness.ui.plots import draw_conversation
from harness.ui.red_map import draw_red_map

__all__ = ["draw_conversation", "draw_red_map", "show_conversation", "show_layers"]
