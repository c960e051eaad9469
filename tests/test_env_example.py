"""Every line of .env.example has an effect when it is uncommented: one test a name."""

import datetime
import os
import re
from pathlib import Path

import pytest

from harness import WorkshopError, chat, standin
from harness import settings as module
from harness.databases.business import business
from harness.model import oci_signing
from harness.model.clients import client_for
from harness.settings import reset_settings, settings

EXAMPLE = Path(module.__file__).parent.parent / ".env.example"
LINE = re.compile(r"^# ([A-Z][A-Z_]+)=(.*)$", re.MULTILINE)
LINES = LINE.findall(EXAMPLE.read_text(encoding="utf-8"))
OCI_LINES = {
    "OPENAI_BASE_URL": "https://inference.generativeai.us-chicago-1.oci.oraclecloud.com/v1",
    "WORKSHOP_MODEL": "xai.grok-4.3",
}
ASK = [{"role": "user", "content": "x"}]


@pytest.fixture
def env(tmp_path, monkeypatch):
    """Write lines into the .env of an empty repository, and read it."""
    for name in list(os.environ):
        if name.startswith(("WORKSHOP_", "OPENAI_", "ORACLE_", "OCI_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(module, "root", lambda: tmp_path)

    def write(**lines):
        text = "".join(f"{name}={value}\n" for name, value in lines.items())
        (tmp_path / ".env").write_text(text, encoding="utf-8")
        reset_settings()
        return settings()

    write()
    yield write
    monkeypatch.undo()
    reset_settings()


@pytest.fixture(scope="module")
def url():
    with standin.serving() as address:
        yield address


def sent(**lines):
    """The request that one question makes."""
    with standin.script([standin.say("3")]) as seen:
        chat(ASK)
    return seen.requests[0]


class TestTheModel:
    def test_openai_api_key(self, env, url):
        env(OPENAI_API_KEY="sk-wrong", OPENAI_BASE_URL=url, WORKSHOP_MODEL="standin")
        with pytest.raises(WorkshopError, match=r"Incorrect API key provided"):
            chat(ASK)

    @pytest.mark.parametrize("value", [v for n, v in LINES if n == "OPENAI_BASE_URL"])
    def test_openai_base_url(self, env, url, value):
        env(OPENAI_API_KEY="any", OPENAI_BASE_URL=value)
        assert str(client_for("m").base_url).rstrip("/") == value.rstrip("/").lower()
        env(OPENAI_API_KEY="any", OPENAI_BASE_URL=url, WORKSHOP_MODEL="standin")
        assert chat(ASK).model == "standin"

    @pytest.mark.parametrize("value", [v for n, v in LINES if n == "WORKSHOP_MODEL"])
    def test_workshop_model(self, env, value):
        env(WORKSHOP_MODEL=value)
        assert sent()["model"] == value

    def test_workshop_window_tokens(self, env):
        long = [*ASK, *({"role": "user", "content": f"{i} " + "word " * 100} for i in range(20))]
        env(WORKSHOP_WINDOW_TOKENS="1000")
        with standin.script([standin.say("3")]) as seen:
            chat(long)
        assert len(seen.requests[0]["messages"]) < len(long)

    def test_workshop_endpoint(self, env, url):
        address = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": url, "WORKSHOP_MODEL": "m"}
        assert env(**address).window_tokens == 128_000
        assert env(**address, WORKSHOP_ENDPOINT="Ollama").window_tokens == 4_096
        with pytest.raises(WorkshopError, match="WORKSHOP_ENDPOINT"):
            env(**address, WORKSHOP_ENDPOINT="olama")

    @pytest.mark.parametrize("name", ["temperature", "top_p"])
    def test_workshop_temperature_and_top_p(self, env, name):
        assert name not in sent()
        env(**{f"WORKSHOP_{name.upper()}": "0.25"})
        assert sent()[name] == 0.25


class TestOCI:
    """By OCI's own signing; that a signed request is right, test_oci_signing.py shows."""

    def test_oci_auth(self, env, monkeypatch):
        asked = []
        monkeypatch.setattr(oci_signing, "auth_of", lambda now: asked.append(now.oci_auth))
        for kind in ("api_key", "instance_principal"):
            env(**OCI_LINES, OCI_AUTH=kind)
            client_for("xai.grok-4.3")
        assert asked == ["api_key", "instance_principal"]
        with pytest.raises(WorkshopError, match="OCI_AUTH is unknown"):
            env(**OCI_LINES, OCI_AUTH="wallet")
        with pytest.raises(WorkshopError, match="OPENAI_BASE_URL and WORKSHOP_MODEL"):
            env(OCI_AUTH="api_key")

    @pytest.mark.parametrize("name", ["OCI_CONFIG_FILE", "OCI_PROFILE"])
    def test_oci_config_file_and_oci_profile(self, env, name, monkeypatch):
        from tests.oci_double import package

        read = package(monkeypatch)
        env(**OCI_LINES, OCI_AUTH="api_key", **{name: "mine"})
        client_for("xai.grok-4.3")
        assert "mine" in read[0]

    def test_oci_compartment(self, env, monkeypatch):
        monkeypatch.setattr(oci_signing, "auth_of", lambda now: None)
        env(**OCI_LINES, OCI_AUTH="api_key", OCI_COMPARTMENT="ocid1.mine")
        headers = client_for("xai.grok-4.3")._client.headers
        assert (headers["CompartmentId"], headers["opc-compartment-id"]) == ("ocid1.mine",) * 2


class TestTheWorkshop:
    def test_workshop_home(self, env, tmp_path):
        from harness.databases.state import state

        env(WORKSHOP_HOME="mine")
        state().read("SELECT 1")
        assert (tmp_path / "mine").is_dir() and any((tmp_path / "mine").iterdir())

    def test_workshop_traces(self, env, tmp_path):
        from harness.run import trace

        env(WORKSHOP_TRACES="elsewhere")
        assert trace.folder() == tmp_path / "elsewhere"
        assert env(WORKSHOP_TRACES="0").trace is False

    def test_workshop_trace_days(self, env, tmp_path):
        from harness.run import trace

        env(WORKSHOP_TRACE_DAYS="3")
        day = datetime.date(2026, 6, 10)
        for name in ("2026-06-06", "2026-06-08"):
            (tmp_path / f"{name}.jsonl").write_text("", encoding="utf-8")
        trace._forget_old(tmp_path, day)
        assert [path.stem for path in tmp_path.glob("2026*")] == ["2026-06-08"]

    def test_workshop_strict(self, env):
        assert env(WORKSHOP_STRICT="1").strict is True
        assert env(WORKSHOP_STRICT="0").strict is False

    def test_workshop_offline(self, env, monkeypatch):
        env(OPENAI_API_KEY="any", WORKSHOP_MODEL="gpt-5.5")
        assert "openai" in str(client_for("gpt-5.5").base_url)
        monkeypatch.setenv("WORKSHOP_OFFLINE", "1")
        reset_settings()
        assert settings().model == "standin" and settings().api_key is None


class TestTheDatabase:
    ORACLE = dict.fromkeys(("ORACLE_DSN", "ORACLE_USER", "ORACLE_PASSWORD"), "x")

    def test_workshop_database(self, env):
        env(WORKSHOP_DATABASE="oracle", **self.ORACLE)
        assert settings().dialect == "Oracle"
        with pytest.raises(WorkshopError, match="ORACLE_DSN names x"):
            business()

    @pytest.mark.parametrize("name", ORACLE)
    def test_oracle_dsn_user_and_password(self, env, name):
        with pytest.raises(WorkshopError, match=name):
            env(WORKSHOP_DATABASE="oracle", **{k: v for k, v in self.ORACLE.items() if k != name})
        assert getattr(env(**{name: "mine"}), name.lower()) == "mine"

    @pytest.mark.parametrize(
        "name", sorted({n for n, _ in LINES if n.startswith("ORACLE_")} - {"ORACLE_STATE"})
    )
    def test_oracle_agent_user_agent_password_admin_user_admin_password_wallet_wallet_password(
        self, env, name
    ):
        assert getattr(env(**{name: "mine"}), name.lower()) == "mine"

    def test_oracle_state(self, env):
        """With an account of the agent, its state is shared, unless this says 0."""
        account = {"ORACLE_AGENT_USER": "agent", "ORACLE_AGENT_PASSWORD": "x"}
        where = {"WORKSHOP_DATABASE": "oracle", **self.ORACLE}
        assert env(**where, **account).shares_state
        assert not env(**where, **account, ORACLE_STATE="0").shares_state
        assert not env(**where).shares_state and not env(**self.ORACLE, **account).shares_state
        with pytest.raises(WorkshopError, match="ORACLE_STATE is neither"):
            env(ORACLE_STATE="mine")


def test_every_name_has_its_test():
    tests = {
        name
        for group in (TestTheModel, TestOCI, TestTheWorkshop, TestTheDatabase)
        for name in vars(group)
        if name.startswith("test_")
    }
    words = " ".join(tests)
    for name in {name for name, _ in LINES}:
        short = name.removeprefix("WORKSHOP_").removeprefix("ORACLE_").lower()
        assert short in words, name
