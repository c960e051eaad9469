"""python -m harness: finds the body, keeps tracebacks from people, says how it ended."""

import errno
from pathlib import Path

import pytest

import harness.commands.cli
from harness.commands import doctor, endpoint_check, prepare
from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.settings import root, settings
from tests.homes import printed


def answer(monkeypatch: pytest.MonkeyPatch, body) -> None:
    monkeypatch.setattr(harness.commands.cli, "_load", lambda module, name="main": body)


def test_a_workshop_error_is_its_lines_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def body(question: str) -> None:
        raise WorkshopError(f"No {question}.", "Ask something.")

    answer(monkeypatch, body)
    assert main(["context", "question"]) == 1
    assert capsys.readouterr().err == "No question.\nAsk something.\n"


def test_a_full_disk_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def body(question: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    answer(monkeypatch, body)
    assert main(["context", "question"]) == 1
    assert capsys.readouterr().err.startswith("No space left")


def lacks_pydantic() -> None:
    raise ModuleNotFoundError("No module named 'pydantic'", name="pydantic")


def test_a_python_without_the_packages_hands_over_to_the_one_that_has_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer(monkeypatch, lacks_pydantic)
    became: list[list[str]] = []
    monkeypatch.setattr(harness.commands.cli, "become", lambda command: became.append(command) or 7)
    own = tmp_path / "python"
    own.touch()
    monkeypatch.setattr(harness.commands.cli, "python_of", lambda venv: own)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "another"))
    assert main(["demo"]) == 7
    assert became == [[str(own), "-m", "harness", "demo"]]


def test_where_there_is_none_it_is_told_how_to_make_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    answer(monkeypatch, lacks_pydantic)
    monkeypatch.setattr("sys.prefix", str(root() / ".venv"))  # it is the one, and lacks a package
    assert main(["demo"]) == 1
    what, todo = capsys.readouterr().err.splitlines()
    assert "pydantic" in what
    assert "workshop.py doctor" in todo


@pytest.mark.parametrize("is_it", [True, False])
def test_one_that_is_broken_is_not_started_again_and_again(
    is_it: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Either it runs already, without its pyvenv.cfg, or it can't be started at all."""

    def fails(command: list[str]) -> int:
        assert not is_it
        raise OSError(errno.ENOEXEC, "Exec format error")

    answer(monkeypatch, lacks_pydantic)
    own = tmp_path / "python"
    own.touch()
    monkeypatch.setattr(harness.commands.cli, "become", fails)
    monkeypatch.setattr(harness.commands.cli, "python_of", lambda venv: own)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "another"))
    if is_it:
        monkeypatch.setattr("sys.executable", str(own))
    assert main(["demo"]) == 1
    assert "workshop.py doctor" in capsys.readouterr().err


def test_a_module_of_ours_that_is_missing_is_a_fault_and_shows_where(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def body() -> None:
        raise ModuleNotFoundError("No module named 'harness.gone'", name="harness.gone")

    answer(monkeypatch, body)
    with pytest.raises(ModuleNotFoundError):
        main(["demo"])


@pytest.mark.parametrize(
    ("command", "told"),
    [(["envelope", "nobody"], "dispatcher"), (["eval", "--report"], "harness eval --tasks slice")],
)
def test_what_is_not_there_is_told_with_what_there_is(
    command: list[str], told: str, home: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(command) == 1
    what, todo = capsys.readouterr().err.splitlines()
    assert what.startswith("There is no ")
    assert told in todo


def test_ctrl_c_is_quiet_and_exits_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def body() -> None:
        raise KeyboardInterrupt

    answer(monkeypatch, body)
    assert main(["demo"]) == 130
    assert capsys.readouterr() == ("", "")


def test_arguments_reach_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple] = []
    answer(monkeypatch, lambda *arguments: seen.append(arguments))
    assert main(["standin", "--port", "9000", "--list"]) == 0
    assert main(["context", "how many?"]) == 0
    assert (seen[0][0].port, seen[0][0].list) == (9000, True)
    assert seen[1] == ("how many?",)


@pytest.mark.parametrize(("status", "code"), [("completed", 0), ("iteration_cap", 1)])
def test_ask_prints_the_answer_and_tells_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, status: str, code: int
) -> None:
    class Result:
        answer = "Seven."

    Result.status = status
    seen: list[tuple] = []

    def run_turn(question: str, thread: str, *, verbose: bool) -> type[Result]:
        seen.append((question, thread))
        return Result

    monkeypatch.setattr("harness.commands.ask_question.run_turn", run_turn)
    assert main(["ask", "how many?", "--thread", "it's"]) == code
    assert seen == [("how many?", "it's")]
    assert capsys.readouterr().out == "Seven.\n"


def test_importing_harness_and_the_cli_loads_nothing_heavy() -> None:
    code = (
        "import harness, harness.commands.cli, sys\n"
        "heavy = ('torch', 'duckdb', 'openai', 'numpy', 'pydantic', 'jupyterlab')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert printed(code) == "[]"


def test_prepare_can_be_repeated(home: Path, capsys: pytest.CaptureFixture) -> None:
    assert prepare.main() == 0
    first = capsys.readouterr().out
    assert prepare.main() == 0
    assert capsys.readouterr().out == first
    assert "SUPPLYCHAIN: 7 tables" in first
    assert (home / "agent.sqlite").exists()


# --- doctor


def states(findings) -> list[str]:
    return [finding.state for finding in findings]


def test_doctor_finds_nothing_wrong_here(home: Path, capsys: pytest.CaptureFixture) -> None:
    assert doctor.main() == 0
    said = capsys.readouterr().out
    assert "problem " not in said
    for words in ("Python 3", "packages: all", "business data: 7 tables", "exec_js", "embedding"):
        assert words in said
    assert said.endswith("All is well.\n")


def test_doctor_compares_pins(tmp_path: Path) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("pytest==0.0.1\nno-such-thing==1.0  # why\nnumpy\n", encoding="utf-8")
    (finding,) = doctor.packages(pins)
    assert finding.state == "problem"
    assert "pytest" in finding.text
    assert "no-such-thing missing, not 1.0" in finding.text


def test_doctor_survives_a_broken_env_and_shows_no_secret(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    env = tmp_path / ".env"
    env.write_text('OPENAI_API_KEY="sk-secret\n', encoding="utf-8")
    monkeypatch.setattr(doctor, "env_path", lambda: env)
    assert doctor.main() == 1
    said = capsys.readouterr().out
    assert "problem  settings in force: .env, line 1" in said
    assert "sk-secret" not in said
    assert "exec_js: Deno computes" in said


def test_doctor_notices_a_misspelt_setting(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = tmp_path / ".env"
    env.write_text("WORKSHOP_MODLE=x\nOPENAI_API_KEY=sk-secret\n", encoding="utf-8")
    monkeypatch.setattr(doctor, "env_path", lambda: env)
    said = [finding.text for finding in doctor.settings_in_force()]
    assert any("did you mean WORKSHOP_MODEL?" in text for text in said)
    assert any("OPENAI_API_KEY" in text for text in said)
    assert not any("sk-secret" in text for text in said)


@pytest.mark.parametrize("damage", [b"not a database, but long enough to be read as one" * 40])
def test_doctor_says_what_to_do_about_a_damaged_state(home: Path, damage: bytes) -> None:
    (home / "agent.sqlite").write_bytes(damage)
    problems = [finding for finding in doctor.examine() if finding.state == "problem"]
    assert problems
    assert any("aside" in finding.hint for finding in problems)
    assert (home / "agent.sqlite").read_bytes() == damage


def test_doctor_asks_the_endpoint_only_if_there_is_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states(doctor.endpoint()) == ["note"]
    nowhere = settings().model_copy(update={"base_url": "http://user:pw@127.0.0.1:9/v1"})
    monkeypatch.setattr(endpoint_check, "settings", lambda: nowhere)
    monkeypatch.setattr("harness.model.clients.settings", lambda: nowhere)
    (finding,) = doctor.endpoint()
    assert finding.state == "problem"
    assert "not reachable" in finding.text
    assert "pw" not in finding.text


@pytest.mark.parametrize(
    "command", [[], ["trace"], ["memory"], ["eval"], ["gym"], ["oracle"], ["trace", "show"]]
)
def test_help_fits_a_narrow_terminal(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: python -m harness") and "options:" in said
    assert max(map(len, said.splitlines())) <= 60


@pytest.mark.parametrize(
    "command", [["trace", "bogus"], ["oracle", "x"], ["envelope", "n" * 40], ["gym", "--jobs", "x"]]
)
def test_errors_do_too_and_keep_their_words_whole(
    command: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def said(columns: str) -> str:
        monkeypatch.setenv("COLUMNS", columns)
        try:
            assert main(command) == 1
        except SystemExit as ended:
            assert ended.code == 2
        return capsys.readouterr().err

    narrow = said("60")
    assert narrow.split() == said("200").split()
    assert max(map(len, narrow.splitlines())) <= 60


@pytest.mark.parametrize(
    "command",
    [["standin", "--list"], ["gym", "--list"], ["eval", "--list"], ["envelope", "dispatcher"]],
)
def test_tables_fit_and_lose_nothing(
    command: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def said(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(command) == 0
        return capsys.readouterr().out.splitlines()

    def words(lines: list[str]) -> set[str]:
        return {word.strip(";:") for word in " ".join(lines).split()}

    whole = said(200)
    for columns in (60, 40):
        narrow = said(columns)
        assert max(map(len, narrow)) <= columns
        assert words(whole[1:]) <= words(narrow)
