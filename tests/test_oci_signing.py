"""Requests to OCI are signed, each anew; what is wrong with the configuration is said in two lines.

Where the `oci` package is installed (requirements-oci.txt), its own signer signs, and the signature
is verified here with the public key. Elsewhere a double takes its place (tests/oci_double.py).
"""

import base64
import hashlib
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from harness import WorkshopError, chat
from harness.model.clients import client_for
from harness.model.oci_signing import auth_of
from harness.settings import Settings
from tests.oci_double import package

ASK = [{"role": "user", "content": "Wie viele Häfen?"}]
ANSWER = b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "3"}}]}'


@pytest.fixture
def server():
    """(address, requests): answers the second request of each question, to see a retry."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            status = 200 if len(seen) > 1 else 503
            self.send_response(status)
            self.send_header("retry-after-ms", "1")
            self.send_header("content-length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, *args):
            pass

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_address[1]}/openai/v1", seen
    listening.shutdown()
    listening.server_close()


def now(tmp_path: Path, base_url: str | None = None, **more: str | None) -> Settings:
    values = {"oci_auth": "api_key", "model": "m", "api_key": "sk-bearer", **more}
    return Settings(home=tmp_path, base_url=base_url, **values)


def ask(monkeypatch, configured: Settings):
    for module in ("clients", "chat", "endpoint_memory", "server_errors"):
        monkeypatch.setattr(f"harness.model.{module}.settings", lambda: configured)
    return chat(ASK).choices[0].message.content


@pytest.mark.parametrize("kind", ["api_key", "instance_principal"])
def test_each_request_is_signed_and_the_bearer_key_does_not_travel(
    kind, server, tmp_path, monkeypatch
):
    url, seen = server
    package(monkeypatch)
    paying = {"oci_auth": kind, "oci_compartment": "ocid1.mine"}
    assert ask(monkeypatch, now(tmp_path, url, **paying)) == "3"
    assert len(seen) == 2  # the refused one and its retry
    for path, headers, _ in seen:
        assert headers["authorization"] == f"Signature POST {path}"
        assert headers["opc-compartment-id"] == headers["compartmentid"] == "ocid1.mine"
        assert "sk-bearer" not in str(headers)


def test_the_signature_of_the_real_package_holds(server, tmp_path, monkeypatch):
    pytest.importorskip("oci", reason="pip install -r requirements-oci.txt runs this")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (tmp_path / "key.pem").write_bytes(pem)
    fingerprint = ":".join(["ab"] * 16)
    (tmp_path / "config").write_text(
        "[MINE]\nuser=ocid1.user.oc1..u\ntenancy=ocid1.tenancy.oc1..t\nregion=us-chicago-1\n"
        f"fingerprint={fingerprint}\nkey_file={tmp_path / 'key.pem'}\n",
        encoding="utf-8",
    )
    url, seen = server
    where = {"oci_config_file": str(tmp_path / "config"), "oci_profile": "MINE"}
    assert ask(monkeypatch, now(tmp_path, url, **where)) == "3"
    for path, headers, body in seen:
        said = dict(re.findall(r'(\w+)="([^"]*)"', headers["authorization"]))
        assert said["keyId"] == f"ocid1.tenancy.oc1..t/ocid1.user.oc1..u/{fingerprint}"
        assert (
            headers["x-content-sha256"] == base64.b64encode(hashlib.sha256(body).digest()).decode()
        )
        signed = said["headers"].split()
        assert {"date", "host", "(request-target)", "x-content-sha256"} <= set(signed)
        values = {**headers, "(request-target)": f"post {path}"}
        text = "\n".join(f"{name}: {values[name]}" for name in signed)
        key.public_key().verify(
            base64.b64decode(said["signature"]), text.encode(), padding.PKCS1v15(), hashes.SHA256()
        )  # raises where it does not hold


@pytest.mark.parametrize("kind", ["api_key", "instance_principal"])
def test_a_package_that_is_missing_is_said_with_its_remedy(kind, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "oci", None)
    with pytest.raises(WorkshopError) as caught:
        auth_of(now(tmp_path, oci_auth=kind))
    assert "not installed" in caught.value.message
    assert "requirements-oci.txt" in caught.value.hint


@pytest.mark.parametrize("kind", ["api_key", "instance_principal"])
def test_a_configuration_that_is_broken_is_two_lines(kind, tmp_path, monkeypatch):
    package(monkeypatch, ValueError("Profile 'MINE' not found.\n  a second line\n" + "x" * 500))
    with pytest.raises(WorkshopError) as caught:
        auth_of(now(tmp_path, oci_auth=kind))
    lines = str(caught.value).splitlines()
    assert len(lines) <= 2 and "Profile 'MINE' not found." in lines[0]
    assert "OCI_" in caught.value.hint and len(lines[0]) < 250


BROKEN = {
    "no file": None,
    "no profile": "[OTHER]\nuser=x\n",
    "no user": "[DEFAULT]\nregion=us-chicago-1\n",
    "no key": "[DEFAULT]\nuser=ocid1.user.oc1..u\ntenancy=ocid1.tenancy.oc1..t\n"
    f"region=us-chicago-1\nfingerprint={':'.join(['ab'] * 16)}\nkey_file=/nowhere/key.pem\n",
    "no text": "\x00\x01",
}


@pytest.mark.parametrize("name", BROKEN)
def test_so_is_what_the_real_package_finds_broken(name, tmp_path):
    pytest.importorskip("oci", reason="pip install -r requirements-oci.txt runs this")
    if BROKEN[name] is not None:
        (tmp_path / "config").write_text(BROKEN[name], encoding="utf-8")
    profile = "MINE" if name == "no profile" else None
    with pytest.raises(WorkshopError) as caught:
        auth_of(now(tmp_path, oci_config_file=str(tmp_path / "config"), oci_profile=profile))
    assert len(str(caught.value).splitlines()) <= 2


def test_without_oci_auth_nothing_is_signed(server, tmp_path, monkeypatch):
    url, seen = server
    assert ask(monkeypatch, now(tmp_path, url, oci_auth=None)) == "3"
    assert {headers["authorization"] for _, headers, _ in seen} == {"Bearer sk-bearer"}
    assert client_for.__module__ == "harness.model.clients"
