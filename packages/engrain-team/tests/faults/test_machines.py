"""A remote memory used by two clients on two machines, which are network namespaces: they reach
the server by a wire of their own, and each other not at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from team.issuer import Issuer, make_certificate
from team.remotely import serving_remotely
from unit.adapters.hooks.running import Desk
from unit.adapters.shell import Shell

_PORT = 8443
_SPOOLER = "The till prints twice: the spooler retries."


@dataclass
class Machine:
    """A namespace with a home of its own, whose hosts ask the server."""

    name: str
    desk: Desk

    def run(self, folder: Path, *argv: str, stdin: str = "") -> str:
        """Run Engrain there in a folder, and return what it wrote."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, sys.executable, "-m", "engrain", *argv],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env=self.desk.environ,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def call(self, project: str, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Have a host in a project call a tool, and return the result."""
        params = {"name": tool, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        said = self.run(self.folder(project), "mcp", "--stdio", stdin=json.dumps(request) + "\n")
        result = json.loads(said)["result"]
        assert isinstance(result, dict)
        return result

    def start(self, project: str, session: str) -> str:
        """Return the context that a session in a project starts with."""
        folder = self.folder(project)
        payload = {"session_id": session, "cwd": str(folder), "source": "startup"}
        words = ("hook", "session-start", "--host", "opencode")
        context = json.loads(self.run(folder, *words, stdin=json.dumps(payload))).get("context", "")
        assert isinstance(context, str)
        return context

    def folder(self, project: str) -> Path:
        folder = self.desk.folder / project
        folder.mkdir(exist_ok=True)
        (folder / ".engrain.toml").write_text(f'project = "{project}"\n')
        return folder


@contextmanager
def wired(name: str, number: int) -> Iterator[str]:
    """A namespace with a wire to this machine, whose address there it yields."""
    here, there = f"10.211.{number}.1", f"10.211.{number}.2"
    inside = ["ip", "netns", "exec", name]
    steps = [
        ["ip", "netns", "add", name],
        ["ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name],
        ["ip", "address", "add", f"{here}/24", "dev", name],
        ["ip", "link", "set", name, "up"],
        [*inside, "ip", "address", "add", f"{there}/24", "dev", "eth0"],
        [*inside, "ip", "link", "set", "eth0", "up"],
        [*inside, "ip", "link", "set", "lo", "up"],
    ]
    try:
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no network namespaces here: {done.stderr.strip()}")
        yield here
    finally:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need `ip` and the rights of root")
    names = f"en{os.getpid()}a", f"en{os.getpid()}b"
    with wired(names[0], 1) as first, wired(names[1], 2) as second, Issuer() as issuer:
        shell = Shell(tmp_path)
        assert shell.run("init").code == 0
        certificate = make_certificate(tmp_path, first, second)
        url = f"https://{first}:{_PORT}/mcp"
        with serving_remotely(
            shell, issuer, certificate, port=_PORT, listen="0.0.0.0", url=url,
            jwks=f"{issuer.url}/jwks", requests="1000",
        ) as server:  # fmt: skip
            made = []
            for name in names:
                folder = tmp_path / name
                folder.mkdir()
                desk = Desk(folder, configured=False)
                token = folder / "token"
                token.touch(mode=0o600)
                scope = "memory:read memory:write"
                token.write_text(issuer.issue(url, sub=name, scope=scope))
                desk.environ |= {
                    "ENGRAIN_STATE_DIR": str(desk.state),
                    "ENGRAIN_REMOTE_URL": url,
                    "ENGRAIN_REMOTE_TOKEN_FILE": str(token),
                    "ENGRAIN_REMOTE_CA_FILE": str(server.certificate),
                }
                made.append(Machine(name, desk))
            # Both ask one address: the second reaches it over its own wire.
            route = ["ip", "route", "add", f"{first}/32", "via", second]
            subprocess.run(["ip", "netns", "exec", names[1], *route], check=True)
            yield made[0], made[1]


def test_two_machines_share_a_project_and_keep_others_apart(
    machines: tuple[Machine, Machine],
) -> None:
    ada, bob = machines
    assert "answered in" in ada.run(ada.desk.here, "status")
    saved = ada.call("shop", "memory_append", {"text": _SPOOLER, "kind": "fix"})
    assert not saved["isError"]
    asked = {"query": "why does the till print twice?"}
    assert _SPOOLER in bob.call("shop", "memory_search", asked)["content"][0]["text"]
    assert _SPOOLER not in bob.call("mailer", "memory_search", asked)["content"][0]["text"]
    assert _SPOOLER in bob.start("shop", "b-1")
    assert _SPOOLER not in bob.start("mailer", "b-2")
    for machine in machines:
        assert not (machine.desk.home / "engrain").exists()
