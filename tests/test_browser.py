"""What a learner sees: JupyterLab in a real browser, on a copy of the notebooks."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.commands import doctor, lab
from harness.settings import root

CHROMIUM = doctor.chromium()
TOKEN = "for-the-test"
MINUTE = 60_000  # milliseconds, as Playwright counts

pytestmark = [
    pytest.mark.browser,
    pytest.mark.kernels,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no Chromium, Chrome or Edge on this machine (Debian: apt install chromium)",
    ),
]


@pytest.fixture(scope="module")
def served(template_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab as `workshop.py lab` starts it, on copies of the notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(root() / "notebooks", folder / "notebooks")
    shutil.copytree(template_home, folder / "home")
    port = lab.free_port(28_888)
    command = lab.command(Path(sys.executable), folder / "notebooks", port, no_browser=True)
    own = {
        "WORKSHOP_HOME": str(folder / "home"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [*command, f"--IdentityProvider.token={TOKEN}"],
            env={**os.environ, **own},
            stdout=log,
            stderr=log,
        ) as server,
    ):
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", server)
            yield f"http://127.0.0.1:{port}/lab/tree/%s?reset&token={TOKEN}"
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
    said = (folder / "log").read_text(encoding="utf-8")
    assert "encryption" not in said, said


def _wait_for(address: str, server: subprocess.Popen) -> None:
    while server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=30):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server ended with {server.returncode}")


@pytest.fixture(scope="module")
def browser() -> Iterator:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--no-first-run"],
        )
        yield started
        started.close()


@pytest.fixture
def page(browser) -> Iterator:
    page = browser.new_page(viewport={"width": 1280, "height": 1600})
    page.set_default_timeout(2 * MINUTE)
    yield page
    page.close()


def run_all(page, address: str) -> None:
    """Open a notebook, choose Run > Run All Cells, and wait until the kernel has nothing to do."""
    page.goto(address)
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
    page.get_by_text("| Idle").wait_for()  # in the status bar: the kernel is connected
    assert page.locator(".jp-Dialog").count() == 0, page.locator(".jp-Dialog").inner_text()
    assert page.locator(".Toastify__toast").all_inner_texts() == []
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(
        """() => {
            const marks = [...document.querySelectorAll(
                '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt')];
            return marks.length && marks.every(mark => /\\[\\d+\\]/.test(mark.textContent));
        }"""
    )


def outputs(page) -> str:
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    return "\n".join(panel.locator(".jp-OutputArea-output").all_inner_texts())


def test_the_first_notebook_answers(served: str, page) -> None:
    run_all(page, served % "00_start_here.ipynb")
    said = outputs(page)
    assert "11 voyages (status DELAYED)." in said
    assert "400 Invalid parameter: messages with role 'tool' must be a response to" in said
    assert "Traceback" not in said
    assert page.locator(".jp-Dialog").count() == 0


def test_an_unsolved_part_runs_to_its_end(served: str, page) -> None:
    run_all(page, served % "01_smallest_loop.ipynb")
    said = outputs(page)
    assert said.count("lent") >= 2
    assert "Traceback" not in said


def test_pictures_are_drawn(served: str, page) -> None:
    page.goto(served % "07_agent_loop.ipynb")
    page.locator(".jp-RenderedMermaid img, .jp-RenderedMermaid svg").first.wait_for()
    assert page.locator(".jp-mod-warning, .jp-RenderedMermaid .jp-mod-error").count() == 0


def test_the_panel_answers_and_the_trace_of_that_turn_opens(served: str, page) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    run_all(page, served % "07_agent_loop.ipynb")
    field = page.get_by_placeholder("Ask about the shipping data")
    field.scroll_into_view_if_needed()
    field.fill("How many voyages are delayed?")
    field.press("Enter")
    panel = page.locator(".workshop-panel")
    picture(page, "asked")
    panel.get_by_text("11 voyages (status DELAYED).").first.wait_for(timeout=MINUTE)
    panel.get_by_text("4 of 8").wait_for()
    picture(page, "panel")
    page.get_by_role("button", name="Open the trace").click()
    page.get_by_text("Decision path").wait_for()
    keys_stay_in_the_widgets(page, field)
    for name in ("Steps", "Messages", "Tokens", "Timeline"):
        page.locator(".lm-TabBar-tabLabel", has_text=name).last.click()
        picture(page, name.lower())
    page.locator(".lm-TabBar-tabLabel", has_text="Run again").last.click()
    result = page.locator(".workshop-panel textarea").last.input_value()
    assert '"rows": [[11]]' in result  # whole, though part 07 has deleted memories before
    page.get_by_role("button", name="Run again from here").click()
    page.locator(".jp-OutputArea-output", has_text="completed: 1 request").last.wait_for(
        timeout=MINUTE
    )
    picture(page, "again")
    in_the_dark(page)
    for name in ("Timeline", "Messages", "Tokens"):
        page.locator(".lm-TabBar-tabLabel", has_text=name).last.click()
        picture(page, f"dark-{name.lower()}")
    assert page.locator(".jp-Dialog").count() == 0


def keys_stay_in_the_widgets(page, field) -> None:
    """Arrows and letters are the list's and the tabs', not commands of the notebook."""
    cells, turns = page.locator(".jp-Cell").count(), page.locator(".workshop-panel select")
    turns.focus()
    for key in ("a", "d", "d", "ArrowDown", "ArrowUp", "Space", "Escape"):
        page.keyboard.press(key)
    assert turns.evaluate("e => e === document.activeElement")
    assert page.locator(".jp-Cell").count() == cells
    page.keyboard.press("Tab")  # to the tabs
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    chosen = page.locator(".workshop-panel .lm-TabBar-tab[aria-selected=true]")
    assert chosen.inner_text() == "Steps"
    field.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # on Ask: there is nothing to ask, and the focus goes back
    page.wait_for_function("e => e === document.activeElement", arg=field.element_handle())


def in_the_dark(page) -> None:
    """Choose JupyterLab's dark theme; our text must be light there, on a dark ground."""
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.locator(".lm-Menu-itemLabel", has_text="Theme").first.click()
    page.locator(".lm-Menu-itemLabel", has_text="JupyterLab Dark").first.click()
    page.locator("body[data-jp-theme-light=false]").wait_for(state="attached")
    colour = "e => getComputedStyle(e).color.match(/\\d+/g).slice(0, 3).map(Number)"
    path = page.get_by_text("Decision path")
    assert min(path.evaluate(colour)) > 150  # of 255, in each colour


def picture(page, name: str) -> None:
    """Keep a picture for whoever wants to look: set WORKSHOP_PICTURES to a folder."""
    folder = os.environ.get("WORKSHOP_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
