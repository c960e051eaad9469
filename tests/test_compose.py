"""The compose file fits the settings: one address, and the password from .env."""

import re

import yaml

from harness.settings import root


def test_it_listens_on_this_machine_only_where_the_example_looks() -> None:
    services = yaml.safe_load((root() / "compose.yaml").read_text("utf-8"))["services"]
    (service,) = services.values()
    (port,) = service["ports"]
    example = (root() / ".env.example").read_text("utf-8")
    (dsn,) = re.findall(r"^# ORACLE_DSN=(.+)$", example, re.MULTILINE)
    assert port == "127.0.0.1:1521:1521" and dsn.startswith("localhost:1521/")
    (name,) = re.findall(r"\$\{(\w+)", service["environment"]["ORACLE_PWD"])
    assert f"# {name}=" in example
