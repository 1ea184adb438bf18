"""An issuer, and a server that takes its tokens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from team.issuer import Issuer, make_certificate
from team.remotely import RemoteServer, serving_remotely
from unit.adapters.shell import Shell


@pytest.fixture(scope="session")
def issuer() -> Iterator[Issuer]:
    """One issuer for all tests."""
    with Issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[RemoteServer]:
    """One server for the tests of a module: each is a client of its own."""
    folder = tmp_path_factory.mktemp("remote")
    shell = Shell(folder)
    assert shell.run("init").code == 0
    shell.environ["FASTMCP_LOG_LEVEL"] = "DEBUG"
    jwks = f"{issuer.url}/jwks"
    with serving_remotely(shell, issuer, make_certificate(folder), jwks=jwks) as server:
        yield server
