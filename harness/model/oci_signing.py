"""OCI's own request signing for the openai client: an API key file, or an instance principal.

The signature is made by the `oci` package (requirements-oci.txt). It covers date, host, path and
body, so it is made for each request anew, retries included.
"""

from collections.abc import Callable, Generator
from typing import Any

import httpx2

from harness.excerpt import excerpt
from harness.model.response_parsing import ProviderError
from harness.model.timeout import run_bounded
from harness.settings import Settings

_SECONDS = 15.0  # for the first word with the instance's own metadata service
_INSTALL = "Install it: .venv/bin/python -m pip install -r requirements-oci.txt"
_HINTS = {
    "api_key": "OCI_CONFIG_FILE and OCI_PROFILE say what is read; `oci setup config` makes it.",
    "instance_principal": "It works on an OCI instance whose dynamic group may use "
    "generative-ai-family; elsewhere set OCI_AUTH=api_key.",
}


class OciAuth(httpx2.Auth):
    """Signs each request with a signer of the `oci` package."""

    requires_request_body = True

    def __init__(self, signer: Callable[[Any], Any]) -> None:
        self._signer = signer

    def auth_flow(
        self, request: httpx2.Request
    ) -> Generator[httpx2.Request, httpx2.Response, None]:
        """The request with OCI's headers, the openai client's bearer key among those replaced."""
        unsigned = _Unsigned(request)
        self._signer(unsigned)
        request.headers.update(unsigned.headers)
        yield request


class _Unsigned:
    """A request in the form of the `requests` library, for which OCI's signers are made."""

    def __init__(self, request: httpx2.Request) -> None:
        self.method = request.method
        self.url = str(request.url)
        self.path_url = request.url.raw_path.decode("ascii")
        self.body = request.content
        kept = ("content-type", "content-length")
        self.headers = {name: request.headers[name] for name in kept if name in request.headers}


def auth_of(now: Settings) -> OciAuth:
    """The signing that the settings ask for. Raises ProviderError, in two lines, if it can't be."""
    try:
        import oci  # optional, and slow to load
    except ImportError:
        raise ProviderError(
            f"OCI_AUTH={now.oci_auth} needs the package `oci`, which is not installed.", _INSTALL
        ) from None
    make = _of_instance if now.oci_auth == "instance_principal" else _of_key_file
    try:
        return OciAuth(make(oci, now))
    except Exception as error:  # what its many exceptions have in common is their text
        said = excerpt(str(error), 160) or type(error).__name__
        raise ProviderError(
            f"OCI signing ({now.oci_auth}) can't begin: {said}", _HINTS[str(now.oci_auth)]
        ) from None


def headers_of(now: Settings) -> dict[str, str]:
    """The compartment that pays, where one is set, under the names that the service reads."""
    if not now.oci_compartment:
        return {}
    return dict.fromkeys(("CompartmentId", "opc-compartment-id"), now.oci_compartment)


def _of_key_file(oci: Any, now: Settings) -> Any:
    profile = now.oci_profile or oci.config.DEFAULT_PROFILE
    where = now.oci_config_file or oci.config.DEFAULT_LOCATION
    return oci.Signer.from_config(oci.config.from_file(where, profile))


def _of_instance(oci: Any, now: Settings) -> Any:
    """Off an instance, nobody answers: bounded, because the package asks for minutes."""
    try:
        signers = oci.auth.signers
        return run_bounded(signers.InstancePrincipalsSecurityTokenSigner, _SECONDS)
    except TimeoutError:
        raise TimeoutError("this machine has no OCI metadata service that answers") from None
