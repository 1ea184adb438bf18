"""Patroni has a replica take the primary's place while devices write. Its nodes agree among
themselves (Raft), so no other server is needed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.request import urlopen

import psycopg
import pytest

from contracts.backends import Opener
from engrain_team.postgres import store as postgres
from engrain_team.postgres.admin import Administration
from support.load import writing
from team.servers import NOBODY, find_programs
from unit.adapters.mcp.served import wait_until

pytestmark = pytest.mark.long

_PROGRAMS = ("patroni", "patroni_raft_controller")


class Cluster:
    """Two servers under Patroni, and a third voter without one."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        # PostgreSQL refuses to run as root.
        self._user = NOBODY if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(folder, self._user, self._user)
        self._voters = [f"127.0.0.1:{port}" for port in _find_ports(3)]
        self.servers = [f"127.0.0.1:{port}" for port in _find_ports(2)]
        self._apis = [f"127.0.0.1:{port}" for port in _find_ports(2)]
        self._processes = [
            self._start(_PROGRAMS[0], number, self._configure(number, programs))
            for number in range(2)
        ]
        self._processes.append(self._start(_PROGRAMS[1], 2, {"raft": self._raft(2)}))

    def is_primary(self, number: int) -> bool:
        """Whether a server takes writes."""
        return self._ask(number, "SELECT NOT pg_is_in_recovery()")

    def may_take_over(self, number: int) -> bool:
        """Whether the cluster has agreed that a replica has all that was acknowledged. PostgreSQL
        waits for the replica a little earlier; a primary that dies between the two has no heir."""
        try:
            with urlopen(f"http://{self._apis[number]}/synchronous", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def kill(self, number: int) -> None:
        """Kill a server and the Patroni beside it, as if their machine were lost."""
        data = self.folder / f"data{number}"
        self._processes[number].kill()
        os.kill(int((data / "postmaster.pid").read_text().split("\n", 1)[0]), signal.SIGKILL)

    def close(self) -> None:
        """End all that was started."""
        for process in self._processes:
            process.kill()
            process.wait()
        for pid_file in self.folder.glob("data*/postmaster.pid"):
            try:
                os.kill(int(pid_file.read_text().split("\n", 1)[0]), signal.SIGQUIT)
            except (OSError, ValueError):
                continue

    def _ask(self, number: int, question: str) -> bool:
        host, _, port = self.servers[number].partition(":")
        try:
            with closing(
                psycopg.connect(host=host, port=int(port), user="postgres", dbname="postgres")
            ) as connection:
                return connection.execute(question.encode()).fetchone() == (True,)
        except psycopg.Error:
            return False

    def _raft(self, number: int) -> dict[str, object]:
        others = [voter for voter in self._voters if voter != self._voters[number]]
        return {
            "data_dir": str(self.folder / f"raft{number}"),
            "self_addr": self._voters[number],
            "partner_addrs": others,
        }

    def _configure(self, number: int, programs: Path) -> dict[str, object]:
        everyone = ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
        api = self._apis[number]
        return {
            "scope": "memory",
            "name": f"n{number}",
            "restapi": {"listen": api, "connect_address": api},
            "raft": self._raft(number),
            "bootstrap": {
                "dcs": {  # the shortest times that Patroni takes
                    "ttl": 20,
                    "loop_wait": 1,
                    "retry_timeout": 3,
                    "primary_start_timeout": 0,
                    "synchronous_mode": True,
                },
                "initdb": [{"encoding": "UTF8"}, "no-locale", "no-sync"],
            },
            "postgresql": {
                "listen": self.servers[number],
                "connect_address": self.servers[number],
                "bin_dir": str(programs),
                "data_dir": str(self.folder / f"data{number}"),
                "pgpass": str(self.folder / f"pgpass{number}"),
                "pg_hba": everyone,
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                },
                "parameters": {"unix_socket_directories": str(self.folder)},
            },
        }

    def _start(
        self, program: str, number: int, configuration: dict[str, object]
    ) -> subprocess.Popen[bytes]:
        written = self.folder / f"{number}.yml"
        written.write_text(json.dumps(configuration))
        with (self.folder / f"log{number}").open("ab") as log:
            return subprocess.Popen(
                [str(shutil.which(program)), str(written)],
                cwd=self.folder,
                user=self._user,
                group=self._user,
                extra_groups=None if self._user is None else [],
                env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C"},
                stdout=log,
                stderr=log,
            )


def _find_ports(count: int) -> list[int]:
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    programs = find_programs()
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if programs is None or missing:
        pytest.skip("not installed: " + ", ".join(missing or ["a PostgreSQL for tests"]))
    folder = Path(tempfile.mkdtemp(prefix="engrain-patroni-"))
    try:
        with closing(Cluster(folder, programs)) as cluster:
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_what_was_acknowledged_is_there_after_patroni_promoted_a_replica(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 120.0)
    wait_until(lambda: any(map(cluster.may_take_over, range(2))), 120)
    first = next(number for number in range(2) if cluster.is_primary(number))
    server = f"postgres://postgres@{','.join(cluster.servers)}/postgres"
    with closing(Administration(server)) as admin:
        admin.migrate()
    opener = Opener("engrain_team.postgres", f"{server}?namespace=notes", str(tmp_path))
    with writing([opener(f"d{number}") for number in range(4)]) as load:
        load.wait_for(40)
        cluster.kill(first)
        load.wait_for(20)
    assert cluster.is_primary(1 - first)
    load.check(opener("reader", create=False))
    opener.close()
