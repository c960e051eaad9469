"""Settings: where they come from, and what is said about one that can't be."""

import os
import stat
from pathlib import Path

import pytest

from harness import settings as module
from harness.envfile import read_env_file
from harness.errors import WorkshopError
from harness.settings import Settings, reset_settings, settings

SECRET = "sk-secret-1234567890"


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of its own with an empty shell around it; returns its .env, not yet written."""
    for name in list(os.environ):
        if name.startswith(("WORKSHOP_", "OPENAI_", "ORACLE_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(module, "root", lambda: tmp_path)
    reset_settings()
    yield tmp_path / ".env"
    reset_settings()


def read(path: Path, text: str) -> Settings:
    path.write_text(text, encoding="utf-8")
    reset_settings()
    return settings()


def test_defaults_need_nothing(env_file: Path) -> None:
    now = settings()
    assert (now.model, now.database, now.api_key, now.strict) == (
        "standin",
        "embedded",
        None,
        False,
    )
    assert now.home == env_file.parent / ".workshop"


def test_a_key_turns_the_real_model_on(env_file: Path) -> None:
    now = read(env_file, f"OPENAI_API_KEY={SECRET}\n")
    assert now.api_key == SECRET
    assert now.model == module.REAL_MODEL
    assert SECRET not in repr(now)


def test_the_shell_wins_over_the_file(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKSHOP_MODEL", "from-shell")
    assert read(env_file, "WORKSHOP_MODEL=from-file\n").model == "from-shell"
    monkeypatch.setenv("WORKSHOP_MODEL", "")
    assert read(env_file, "WORKSHOP_MODEL=from-file\n").model == "standin"


def test_offline_ignores_the_file_and_every_key(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKSHOP_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", "not even an address")
    monkeypatch.setenv("WORKSHOP_DATABASE", "oracle")
    now = read(env_file, 'WORKSHOP_MODEL=gpt-5.5\nBROKEN="\n')
    assert (now.api_key, now.base_url, now.model) == (None, None, "standin")
    assert (now.database, now.offline) == ("embedded", True)


def test_the_file_is_taken_as_written(env_file: Path) -> None:
    now = read(
        env_file,
        "\ufeff# a comment\n\nexport WORKSHOP_MODEL='my model'  # why\n"
        "WORKSHOP_DATABASE=oracle\nORACLE_DSN=host/service\nORACLE_USER=reader\n"
        'ORACLE_PASSWORD="pa${HOME}#ss"\nWORKSHOP_TOP_P=0.9\nWORKSHOP_WINDOW_TOKENS=32768\n',
    )
    assert now.model == "my model"
    assert now.oracle_password == "pa${HOME}#ss"
    assert "pa$" not in repr(now)
    assert (now.top_p, now.window_tokens, now.database) == (0.9, 32768, "oracle")


def test_every_setting_of_the_example_can_be_read(env_file: Path) -> None:
    example = Path(module.__file__).parent.parent / ".env.example"
    lines = example.read_text(encoding="utf-8").splitlines()
    names = [
        line.lstrip("# ").partition("=")[0] for line in lines if "=" in line and " =" not in line
    ]
    fields = {
        name for name in names if name.isupper() and name.startswith(("WORKSHOP_", "ORACLE_"))
    }
    assert {"ORACLE_DSN", "WORKSHOP_HOME", "WORKSHOP_STRICT", "WORKSHOP_DATABASE"} <= fields
    known = {f"WORKSHOP_{name.upper()}" for name in Settings.model_fields}
    known |= {name.upper() for name in Settings.model_fields}
    assert fields <= known
    assert read(env_file, example.read_text(encoding="utf-8")).model == "standin"


def test_relative_home_does_not_follow_the_caller(
    env_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert read(env_file, "WORKSHOP_HOME=mine/here\n").home == env_file.parent / "mine" / "here"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"A=1\nOPENAI_API_KEY {SECRET}\n", 2),
        (f'A=1\n\n# note\nOPENAI_API_KEY="{SECRET}\nB=2\n', 4),
        (f"A=1\n  \n\n  {SECRET}\n", 4),
        (f"A='x'{SECRET}\n", 1),
        (f"={SECRET}\n", 1),
        ("A=1\nOPENAI_API_KEY", 2),
    ],
)
def test_a_broken_file_names_the_line_and_shows_nothing(
    env_file: Path, text: str, line: int
) -> None:
    with pytest.raises(WorkshopError) as caught:
        read(env_file, text)
    said = str(caught.value)
    assert f".env, line {line}:" in said
    assert SECRET not in said
    assert 1 <= len(said.splitlines()) <= 2


def test_a_mended_file_is_read_again(env_file: Path) -> None:
    with pytest.raises(WorkshopError):
        read(env_file, "WORKSHOP_MODEL")
    env_file.write_text("WORKSHOP_MODEL=mended\n", encoding="utf-8")
    assert settings().model == "mended"


@pytest.mark.parametrize(
    ("content", "says"),
    [("A=1".encode("utf-16"), "not UTF-8"), (None, "can't be read")],
)
def test_a_file_that_is_no_text(env_file: Path, content: bytes | None, says: str) -> None:
    if content is None:
        env_file.mkdir()
    else:
        env_file.write_bytes(content)
    with pytest.raises(WorkshopError, match=says):
        settings()


def test_no_file_is_no_settings(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("WORKSHOP_DATABASE=postgres", "WORKSHOP_DATABASE is unknown"),
        ("WORKSHOP_DATABASE=oracle\nORACLE_USER=a", "needs ORACLE_DSN, ORACLE_PASSWORD"),
        ("WORKSHOP_STRICT=maybe", "WORKSHOP_STRICT is neither on nor off"),
        ("WORKSHOP_TEMPERATURE=hot", "WORKSHOP_TEMPERATURE is not a number from 0 to 2"),
        ("WORKSHOP_TOP_P=1.5", "WORKSHOP_TOP_P is not a number from 0 to 1"),
        ("WORKSHOP_TOP_P=nan", "WORKSHOP_TOP_P is not a number"),
        ("WORKSHOP_WINDOW_TOKENS=-1", "WORKSHOP_WINDOW_TOKENS is not a number from 256"),
        ("OPENAI_BASE_URL=localhost:11434/v1", "OPENAI_BASE_URL is not an address"),
        ("OPENAI_BASE_URL=http://", "OPENAI_BASE_URL is not an address"),
        ("OPENAI_BASE_URL=http://host:port/v1", "OPENAI_BASE_URL is not an address"),
        ("OPENAI_BASE_URL=http://h/v1/chat/completions", "goes too far"),
        ('OPENAI_API_KEY="sk- 1234"', "OPENAI_API_KEY holds a blank"),
        ("OPENAI_API_KEY=sk-\u2026", "OPENAI_API_KEY holds a blank or a character"),
    ],
)
def test_a_setting_that_cannot_be(env_file: Path, text: str, says: str) -> None:
    with pytest.raises(WorkshopError) as caught:
        read(env_file, text)
    assert says in caught.value.message
    assert caught.value.hint
    assert "1234" not in str(caught.value)


@pytest.mark.parametrize("text", ["http://127.0.0.1:8000/v1", "https://a.example/openai/v1/"])
def test_an_address_that_can_be(env_file: Path, text: str) -> None:
    assert read(env_file, f"OPENAI_BASE_URL={text}").base_url == text


def test_a_home_that_is_a_file(env_file: Path) -> None:
    (env_file.parent / "taken").write_text("mine", encoding="utf-8")
    with pytest.raises(WorkshopError, match="WORKSHOP_HOME can't be written"):
        read(env_file, "WORKSHOP_HOME=taken")
    assert (env_file.parent / "taken").read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="a folder that its owner can't write to"
)
def test_a_home_without_rights(env_file: Path) -> None:
    locked = env_file.parent / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IREAD | stat.S_IEXEC)
    with pytest.raises(WorkshopError, match="WORKSHOP_HOME can't be written"):
        read(env_file, "WORKSHOP_HOME=locked")
