"""A server on the network has to prove who it is, before it is told any password."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.model.errors import EngrainError, VaultUnavailableError
from engrain.seam.storage import BackendRequest
from engrain_team.postgres import open_backend
from team.servers import Server

DEBIAN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
"""Servers with OpenSSL: those in wheels have none."""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Server, int, Path]]:
    """A server that speaks TLS, its port, and the authority of its certificate."""
    if not DEBIAN or shutil.which("openssl") is None:
        pytest.skip("no PostgreSQL with TLS and openssl is installed")
    folder = Path(tempfile.mkdtemp(prefix="engrain-tls-"))
    host = socket.gethostname()
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
            "-keyout", "key.pem", "-out", "cert.pem",
        ],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    (folder / "key.pem").chmod(0o600)
    if os.geteuid() == 0:
        os.chown(folder / "key.pem", 65534, 65534)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ssl": "on", "ssl_cert_file": str(folder / "cert.pem"),
        "ssl_key_file": str(folder / "key.pem"), "port": str(port),
        "listen_addresses": "127.0.0.1", "fsync": "off",
    }  # fmt: skip
    server = Server(DEBIAN[-1], folder, options)
    yield server, port, folder / "cert.pem"
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


def reach(host: str, port: int) -> EngrainError:
    """What opening a namespace there ends with."""
    address = f"postgres://postgres@{host}:{port}/postgres?namespace=n"
    request = BackendRequest(address, state=None, device="d", entropy=os.urandom)
    with pytest.raises(EngrainError) as caught:
        open_backend(request)
    assert "\n" not in caught.value.message
    return caught.value


def test_a_certificate_is_checked_unless_the_environment_says_otherwise(
    server: tuple[Server, int, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, port, authority = server
    host = socket.gethostname()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "certificate verify failed" in reach(host, port).message
    monkeypatch.setenv("PGSSLROOTCERT", str(authority))
    found = "no tables of Engrain's"
    assert found in reach(host, port).message, "it was let in, and there are none"
    monkeypatch.delenv("PGSSLROOTCERT")
    monkeypatch.setenv("PGSSLMODE", "require")
    assert found in reach(host, port).message


def test_a_certificate_of_another_host_is_refused(
    server: tuple[Server, int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, port, authority = server
    monkeypatch.setenv("PGSSLROOTCERT", str(authority))
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
    error = reach("db.example", port)
    assert isinstance(error, VaultUnavailableError)
    assert "does not match host name" in error.message


def test_a_server_without_tls_is_refused(
    server: tuple[Server, int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, port, authority = server
    monkeypatch.setenv("PGSSLROOTCERT", str(authority))
    one.stop("fast")
    one.options["ssl"] = "off"
    one.start()
    assert "does not support SSL" in reach(socket.gethostname(), port).message
