"""A double of the `oci` package where it is not installed: what the adapter asks of it, no more."""

import sys
import types
from typing import Any


class Signer:
    """Signs with a header that says what was signed."""

    def __call__(self, request: Any) -> Any:
        request.headers["date"] = "Mon, 02 Mar 2026 08:00:00 GMT"
        request.headers["authorization"] = f"Signature {request.method} {request.path_url}"
        return request


def package(monkeypatch: Any, fails: Exception | None = None) -> list[tuple[str, str]]:
    """`import oci` gives the double; returns the (file, profile) pairs that were read.

    With `fails`, reading the configuration and asking the instance raise it.
    """
    read: list[tuple[str, str]] = []

    def from_file(file: str, profile: str) -> dict[str, str]:
        read.append((file, profile))
        if fails:
            raise fails
        return {}

    def instance() -> Signer:
        if fails:
            raise fails
        return Signer()

    oci: Any = types.ModuleType("oci")
    oci.config = types.SimpleNamespace(
        from_file=from_file, DEFAULT_LOCATION="~/.oci/config", DEFAULT_PROFILE="DEFAULT"
    )
    oci.Signer = types.SimpleNamespace(from_config=lambda config: Signer())
    oci.auth = types.SimpleNamespace(
        signers=types.SimpleNamespace(InstancePrincipalsSecurityTokenSigner=instance)
    )
    monkeypatch.setitem(sys.modules, "oci", oci)
    return read
