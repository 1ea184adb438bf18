"""Real clients on two machines that share a memory on a third: what one person's session taught is
given to the other's at the moment it helps."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hosts.clients import CLIENTS, Home
from hosts.model import Call, Model, Reply, serving
from team.issuer import Issuer, make_certificate
from team.remotely import RemoteServer, reserved_port, serving_remotely
from unit.adapters.shell import Shell

CHECK = """#!/bin/sh
test -e db && echo "12 passed" && exit 0
echo "Error: connect ECONNREFUSED 127.0.0.1:5432" >&2
exit 1
"""
SCOPES = "memory:read memory:write"


@dataclass
class Shared:
    """A served memory, and the model's server of all clients."""

    server: RemoteServer
    model: Model

    def make_home(self, folder: Path, name: str, host: str) -> Home:
        """A home on another machine, wired to the memory, where learning was agreed to."""
        (folder / name).mkdir()
        home = Home(folder / name, CLIENTS[host], self.model)
        token = home.path / "token"
        token.touch(mode=0o600)
        url = self.server.shell.environ["URL"]
        token.write_text(self.server.issuer.issue(url, sub=f"{name} {host}", scope=SCOPES))
        config = home.path / ".config" / "engrain" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        values = {"url": url, "token_file": token, "ca_file": self.server.certificate}
        lines = [f"{key} = {json.dumps(str(value))}" for key, value in values.items()]
        config.write_text("\n".join(["[remote]", *lines, ""]))
        home.engrain("setup", host, "--learn", "rules")
        (home.project / "check.sh").write_text(CHECK)
        return home


@pytest.fixture(params=["claude-code", "opencode"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Shared, str]]:
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    certificate = make_certificate(tmp_path)
    with serving() as model, Issuer() as issuer, reserved_port() as port:
        url, jwks = f"https://localhost:{port}/mcp", f"{issuer.url}/jwks"
        with serving_remotely(
            shell, issuer, certificate, port=port, url=url, jwks=jwks, requests="1000"
        ) as server:
            shell.environ["URL"] = url
            yield Shared(server, model), request.param


def test_what_one_learns_helps_the_other(shared: tuple[Shared, str], tmp_path: Path) -> None:
    memory, host = shared
    tool, argument = CLIENTS[host].shell
    ann, ben = (memory.make_home(tmp_path, name, host) for name in ("ann", "ben"))

    def run(command: str) -> Call:
        return Call(tool, {argument: command, "description": "run it"})

    mended: list[Reply] = [run("sh check.sh"), run("touch db"), run("sh check.sh"), "It is done."]
    assert ann.ask("Add POST /todos.", *mended).code == 0
    until = time.monotonic() + 120
    while "ECONNREFUSED" not in memory.server.shell.run("list", "--all-projects").out:
        assert time.monotonic() < until
        ann.ask("What is left?", run("sleep 8"), "Nothing.")
    asked = ben.ask("Add DELETE /todos.", *mended).turns
    assert "touch db" in asked[1].text.partition("<engrain-memory")[2], "with the failed call"
    assert not list(ann.path.glob("engrain*")), "no vault of its own"
