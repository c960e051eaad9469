"""Widgets that get every key that is pressed in them."""

from typing import Any

import ipywidgets as widgets

# JupyterLab takes arrow keys and letters for commands of the notebook (the next cell, a new one,
# away with this one) wherever nobody types text, except where what has the focus is marked. A
# widget can't be given an attribute, so a picture that can't be loaded has it given by the page.
_MARK = (
    "<img src='data:,' alt='' hidden onerror=\"const box = this.closest('.workshop-keys');"
    " if (box) box.addEventListener('focusin',"
    " event => { event.target.dataset.lmSuppressShortcuts = 'true'; })\">"
)


def with_own_keys(box: Any) -> Any:
    """A box of widgets whose keys are its own; the box itself."""
    box.add_class("workshop-keys")
    box.children = (*box.children, widgets.HTML(_MARK))
    return box
