"""A remote server behind a proxy, asking the issuer, over a database, and what of a vault it never
shows: processes of their own."""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import suppress
from pathlib import Path

from engrain_team.https.guard import METADATA
from team.issuer import CLIENT, SECRET, Issuer, make_certificate
from team.remotely import RemoteServer, serving_remotely
from team.servers import shared_server
from unit.adapters.mcp.served import LIST
from unit.adapters.shell import Shell

CANARY = "The operator's doctor is in Leer."


def texts(server: RemoteServer, query: str, **claims: object) -> list[str]:
    result = server.call(server.token(**claims), "memory_recall", query=query).message["result"]
    return [found["text"] for found in result["structuredContent"]["results"]]


def test_behind_a_proxy_the_issuer_is_asked_about_opaque_tokens(
    tmp_path: Path, issuer: Issuer
) -> None:
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)
    secret.write_text(SECRET)
    with serving_remotely(
        shell,
        issuer,
        None,
        introspection=f"{issuer.url}/introspect",
        client_id=CLIENT,
        client_secret_file=str(secret),
    ) as server:
        issuer.known["opaque"] = issuer.claim("https://memory.example/mcp")
        assert server.send(LIST, "opaque").status == 200
        assert server.send(LIST, "other").status == 401
        assert server.send(b"", None, method="GET", path="/console").status == 404
        assert server.send(b"", None, method="GET", path=METADATA).status == 200
        issuer.known["brief"] = issuer.claim("https://memory.example/mcp", sub="bo", exp=1)
        assert server.send(LIST, "brief").status == 401


def test_connections_that_say_nothing_are_dropped(tmp_path: Path, issuer: Issuer) -> None:
    """One before the handshake, and one behind it; a client is answered meanwhile and after."""
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    jwks = f"{issuer.url}/jwks"
    with serving_remotely(shell, issuer, make_certificate(tmp_path), jwks=jwks) as server:
        address = ("127.0.0.1", server.port)
        tls = ssl.create_default_context(cafile=str(server.certificate))
        with (
            socket.create_connection(address, 60) as silent,
            socket.create_connection(address, 60) as plain,
            tls.wrap_socket(plain, server_hostname="localhost") as greeted,
        ):
            assert server.send(LIST, server.token()).status == 200
            for one in (silent, greeted):
                with suppress(ConnectionResetError):
                    assert one.recv(1) == b""
        assert server.send(LIST, server.token()).status == 200


def test_the_operators_notes_and_another_vault_are_not_served(
    tmp_path: Path, issuer: Issuer
) -> None:
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    personal = tmp_path / "personal"
    personal.mkdir()
    (personal / "doctor.md").write_text(f"# Doctor\n{CANARY}\n")
    shell.environ["ENGRAIN_PERSONAL_ROOT"] = str(personal)
    shell.run("save", "The team's doctor for servers is Pia.")
    other = tmp_path / "other"
    assert shell.run("init", str(other)).code == 0
    shell.run("--vault", str(other), "save", CANARY)
    jwks = f"{issuer.url}/jwks"
    with serving_remotely(shell, issuer, make_certificate(tmp_path), jwks=jwks) as server:
        assert texts(server, "who is the team's doctor for servers") == [
            "The team's doctor for servers is Pia."
        ]
        for query in (CANARY, "doctor in Leer", "personal:doctor.md"):
            assert not any("Leer" in text for text in texts(server, query))
        forgotten = server.call(server.token(), "memory_forget", id="personal:doctor.md")
        assert forgotten.message["result"]["isError"]


def test_a_namespace_of_a_database_is_served(tmp_path: Path, issuer: Issuer) -> None:
    """Its origin is at best what the server's own role was given."""
    shell = Shell(tmp_path, configured=False)
    shell.environ |= {
        "ENGRAIN_VAULT": shared_server().own_address("postgres"),
        "ENGRAIN_STATE_DIR": str(tmp_path / "state"),
    }
    assert shell.run("init").code == 0
    jwks = f"{issuer.url}/jwks"
    with serving_remotely(shell, issuer, make_certificate(tmp_path), jwks=jwks) as server:
        text = "Backups of the registry run at four."
        assert server.call(server.token(), "memory_append", text=text).status == 200
        assert texts(server, "when do backups of the registry run") == [text]
    assert os.path.exists(tmp_path / "state")
    assert "ann by coder" in shell.run("history", "--json").out
