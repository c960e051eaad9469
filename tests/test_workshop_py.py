"""workshop.py: what is made once, what is repaired, and what is said when it can't be."""

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from harness.commands import environment, lab, suite
from harness.commands.workshop import main as workshop
from harness.errors import WorkshopError
from tests.homes import python

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a .venv was made once, for real: that takes seconds."""
    folder = tmp_path_factory.mktemp("repo")
    environment._make(folder / ".venv")
    return folder


@pytest.fixture
def repo(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is not installed yet, and whose install is recorded rather than done."""
    (made / ".venv" / environment.STAMP).unlink(missing_ok=True)
    (made / "requirements.txt").write_text("a==1\n", encoding="utf-8")
    (made / "installs").write_text("", encoding="utf-8")

    def install(root: Path, venv: Path) -> None:
        with (root / "installs").open("a", encoding="utf-8") as file:
            file.write("x")

    monkeypatch.setattr(environment, "_install", install)
    return made


def installs(repo: Path) -> int:
    return len((repo / "installs").read_text(encoding="utf-8"))


def test_it_installs_once_then_again_only_for_a_reason(repo: Path) -> None:
    python = environment.ensure(repo)
    assert python.exists()
    environment.ensure(repo)
    assert installs(repo) == 1

    (repo / "requirements.txt").write_text("a==2\n", encoding="utf-8")
    environment.ensure(repo)
    environment.ensure(repo)
    assert installs(repo) == 2


def test_harness_can_be_imported_from_any_folder(repo: Path) -> None:
    found = subprocess.run(
        [str(environment.ensure(repo)), "-c", "import sys; print(*sys.path, sep='\\n')"],
        cwd=repo.parent,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert str(repo) in found.stdout.splitlines()


def test_a_python_that_is_gone_is_made_anew(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = environment.ensure(repo)
    anew: list[Path] = []
    monkeypatch.setattr(environment, "_make", anew.append)
    moved = python.with_name("moved")
    python.rename(moved)
    try:
        with pytest.raises(WorkshopError):
            environment.ensure(repo)
        assert anew == [repo / ".venv"]
    finally:
        moved.rename(python)


def test_an_interrupted_install_is_repaired(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = environment._install

    def interrupted(root: Path, venv: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "_install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(repo)
    monkeypatch.setattr(environment, "_install", good)
    environment.ensure(repo)
    assert installs(repo) == 1


def test_a_failed_install_says_what_to_do(made: Path, capfd: pytest.CaptureFixture) -> None:
    (made / ".venv" / environment.STAMP).unlink(missing_ok=True)
    (made / "requirements.txt").write_text("./no-such-package\n", encoding="utf-8")
    with pytest.raises(WorkshopError, match="could not be installed") as caught:
        environment.ensure(made)
    assert "same command again" in caught.value.hint
    assert not (made / ".venv" / environment.STAMP).exists()
    assert "no-such-package" in capfd.readouterr().err


def test_an_environment_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("", encoding="utf-8")
    (tmp_path / ".venv").write_text("a file in its place", encoding="utf-8")
    with pytest.raises(WorkshopError, match=r"\.venv could not be made"):
        environment.ensure(tmp_path)


def test_databases_are_prepared_once_and_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "requirements.txt").write_text("", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("a\n1\n", encoding="utf-8")
    package = tmp_path / "harness"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "__main__.py").write_text("open('ran', 'a').write('x')\n", encoding="utf-8")

    def runs() -> int:
        environment.prepare(tmp_path, Path(sys.executable))
        return len((tmp_path / "ran").read_text(encoding="utf-8"))

    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert [runs(), runs()] == [1, 1]
    (tmp_path / "data" / "a.csv").write_text("a\n1\n2\n", encoding="utf-8")
    assert [runs(), runs()] == [2, 2]
    (package / "__main__.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    (tmp_path / "data" / "b.csv").write_text("b\n", encoding="utf-8")
    with pytest.raises(WorkshopError, match="could not be prepared"):
        runs()


def test_an_old_python_is_told_so_in_two_lines() -> None:
    """Also that it parses: ast can hold the file to an old grammar, and so it does."""
    import ast

    text = (ROOT / "workshop.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 4))
    assert not [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.JoinedStr)]
    code = (
        "import sys, runpy; sys.version_info = (3, 9, 1, 'final', 0); sys.argv = ['workshop.py'];"
        f"runpy.run_path({str(ROOT / 'workshop.py')!r}, run_name='__main__')"
    )
    done = python(code)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0] == "The workshop needs Python 3.11 or newer; this is Python 3.9.1."


def test_a_busy_port_is_said_and_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "00_x.ipynb").write_text("{}", encoding="utf-8")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        free = lab.free_port(port)
        assert free > port
        command = lab.command(tmp_path / "v/bin/python", tmp_path, port, no_browser=True)
    assert f"--ServerApp.port={free}" in command
    assert "--no-browser" in command
    assert f"Port {port} is busy; using {free}." in capsys.readouterr().out


def test_no_free_port_and_no_notebooks_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WorkshopError, match="no notebooks"):
        lab.command(tmp_path / "v/bin/python", tmp_path, 8888, no_browser=False)
    monkeypatch.setattr(lab, "TRIES", 0)
    with pytest.raises(WorkshopError, match="No port"):
        lab.free_port(8888)


def test_lab_serves_with_our_kernel_and_without_questions(tmp_path: Path) -> None:
    (tmp_path / "00_x.ipynb").write_text("{}", encoding="utf-8")
    port = lab.free_port(18_888)
    command = lab.command(Path(sys.executable), tmp_path, port, no_browser=True)
    with (
        (tmp_path / "log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            [*command, "--IdentityProvider.token=t"], stdout=log, stderr=log
        ) as server,
    ):
        try:
            kernels = json.loads(fetch(f"http://127.0.0.1:{port}/api/kernelspecs?token=t", server))
            page = fetch(f"http://127.0.0.1:{port}/lab?token=t", server)
        finally:
            server.terminate()
    assert "python3" in kernels["kernelspecs"]
    assert '"news": {"disabled": true}' in page


def fetch(url: str, server: subprocess.Popen) -> str:
    """The page, as soon as the server is up."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return answer.read().decode("utf-8")
        except urllib.error.HTTPError:
            raise
        except OSError:
            threading.Event().wait(0.1)
    raise AssertionError(f"the server ended with {server.returncode}")


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as caught:
        workshop(["lab", f"--port={port}"])
    assert caught.value.code == 2
    assert "is not a port" in capsys.readouterr().err


def test_errors_and_interrupts_have_exit_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def fails(root: Path) -> Path:
        raise WorkshopError("It did not work.", "Do this.")

    monkeypatch.setattr(environment, "ensure", fails)
    assert workshop(["doctor"]) == 1
    assert capsys.readouterr().err == "It did not work.\nDo this.\n"

    def stopped(root: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "ensure", stopped)
    assert workshop(["demo"]) == 130


# --- workshop.py test: its steps, its counts, its last line

SEES = """
import os, pytest

def test_own_settings():
    assert os.environ["WORKSHOP_OFFLINE"] == "1"
    assert "OPENAI_API_KEY" not in os.environ and "WORKSHOP_STRICT" not in os.environ
    assert os.environ["WORKSHOP_HOME"] != "mine"

def test_skipped():
    pytest.skip("why")
"""
# A step that reports as pytest does, without its start-up: the counts come from the command line.
FAKE = """
import sys
tests, failures, skipped, code, report = sys.argv[1:4] + sys.argv[4:5] + sys.argv[-1:]
if tests != "dies":
    with open(report.partition("=")[2], "w") as file:
        file.write(f'<testsuites><testsuite tests="{tests}" failures="{failures}" errors="0" '
                   f'skipped="{skipped}"/></testsuites>')
sys.exit(int(code))
"""


def run_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> tuple[int, list[suite.Step]]:
    (tmp_path / "fake.py").write_text(FAKE, encoding="utf-8")
    made: list[suite.Step] = []

    def steps(folder: Path, *, full: bool) -> list[suite.Step]:
        made.append(suite.Step("tests", first.split(), folder / "one.xml"))
        made.append(suite.Step("other", second.split(), folder / "two.xml"))
        return made

    monkeypatch.setattr(suite, "steps", steps)
    monkeypatch.setattr(suite, "SIDE_BY_SIDE", ["-n", "1"])
    return suite.run(Path(sys.executable), tmp_path, full=False), made


def test_the_suite_counts_what_pytest_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("WORKSHOP_STRICT", "1")
    monkeypatch.setenv("WORKSHOP_HOME", "mine")
    (tmp_path / "test_one.py").write_text(SEES, encoding="utf-8")
    code, made = run_suite(tmp_path, monkeypatch, "pytest test_one.py", "fake 7 0 0 0")
    assert code == 0
    assert [step.counts for step in made] == [(1, 0, 1), (7, 0, 0)]
    assert capfd.readouterr().out.splitlines()[-1] == "8 passed, 0 failed, 1 skipped"


def test_the_suite_goes_on_after_a_failure_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    code, _ = run_suite(tmp_path, monkeypatch, "fake 3 1 0 1", "fake 2 0 0 0")
    said = capfd.readouterr()
    assert code == 1
    assert said.out.splitlines()[-1] == "4 passed, 1 failed, 0 skipped"
    assert any(line.startswith("FAILED  tests") for line in said.out.splitlines())
    assert "-m fake 3 1 0 1" in said.err


@pytest.mark.parametrize("second", ["fake 0 0 0 5", "fake dies 0 0 3", "no_such_module"])
def test_a_step_that_collects_nothing_or_dies_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture, second: str
) -> None:
    code, made = run_suite(tmp_path, monkeypatch, "fake 1 0 0 0", second)
    assert code == 1
    assert made[1].counts == (0, 1, 0)
    assert capfd.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_the_steps_are_those_that_the_readme_promises(tmp_path: Path) -> None:
    commands = [" ".join(step.arguments) for step in suite.steps(tmp_path, full=False)]
    assert commands == [
        "ruff check .",
        "ruff format --check .",
        "mypy",
        "pytest tests -m not full",
        "pytest --nbval solutions notebooks",
    ]
    (tests,) = (step for step in suite.steps(tmp_path, full=True) if step.name == "tests")
    assert tests.arguments == ["pytest", "tests", "-m", ""]  # also where pyproject.toml says less


@pytest.mark.parametrize("code", [0, 1])
def test_a_step_beside_the_others_counts_and_is_shown_after_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture, code: int
) -> None:
    says = f"import sys; print('types'); print('more', file=sys.stderr); sys.exit({code})"
    (tmp_path / "types_.py").write_text(says, encoding="utf-8")
    (tmp_path / "fake.py").write_text(FAKE, encoding="utf-8")
    made = [
        suite.Step("types", ["types_"], beside=True),
        suite.Step("tests", "fake 2 0 0 0".split(), tmp_path / "one.xml"),
    ]
    monkeypatch.setattr(suite, "steps", lambda folder, *, full: made)
    assert suite.run(Path(sys.executable), tmp_path, full=False) == code
    said = capfd.readouterr().out
    assert said.index("== tests") < said.index("== types") < said.index("types\nmore")
    assert said.splitlines()[-1] == f"{3 - code} passed, {code} failed, 0 skipped"
