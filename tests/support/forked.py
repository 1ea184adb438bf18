"""Runs of Python that spend no time on imports: each is a process of its own, forked from one that
has imported the package.

That is all that differs from a process that a host starts: its arguments, folder, environment,
streams, signals, threads and exit are its own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic, tzset

import engrain

READ_BY_PYTHON = {
    "LANG": "C.UTF-8",
    "PYTHONPATH": str(Path(engrain.__file__).parent.parent),
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""What the environment of a forked process says to Python itself, which reads it only once."""
_READ = ("LANG", "LC_", "PYTHON")

_TESTS = Path(__file__).resolve().parent.parent
_SERVE = f"import sys; sys.path.append({str(_TESTS)!r}); from support.forked import serve; serve()"
_APART = tuple(
    f"engrain.{name}"
    for name in ("__main__", "adapters.asgi", "adapters.mcp", "inference.multilingual")
)
"""What runs the program, what only a server imports, and what an extra may not have installed."""


def run_python(
    words: Sequence[str | bytes],
    *,
    stdin: bytes = b"",
    cwd: Path,
    env: Mapping[str, str | bytes],
    timeout: float,
) -> subprocess.CompletedProcess[bytes]:
    """Run Python on these words of its command line. Raises TimeoutExpired."""
    return subprocess.run(
        [sys.executable, *words], input=stdin, capture_output=True, cwd=cwd, env=dict(env),
        timeout=timeout, check=False,
    )  # fmt: skip


def run_forked(
    words: Sequence[str | bytes],
    *,
    stdin: bytes = b"",
    cwd: Path,
    env: Mapping[str, str | bytes],
    timeout: float,
    before: Callable[[int], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Do as `run_python`, where the words begin with `-m` and a module or `-c` and a program;
    `before` is told the process before it begins."""
    read = {name: value for name, value in env.items() if name.startswith(_READ)}
    if read != READ_BY_PYTHON or not hasattr(os, "fork"):
        assert before is None
        return run_python(words, stdin=stdin, cwd=cwd, env=env, timeout=timeout)
    until = monotonic() + timeout
    parent, door = _start_parent()
    streams = [os.pipe(), os.pipe(), os.pipe()]
    ours, theirs = socket.socketpair()
    given = [streams[0][0], streams[1][1], streams[2][1], theirs.fileno()]
    socket.send_fds(door, [b"!"], given)
    for one in given[:3]:
        os.close(one)
    theirs.close()
    with ours, ours.makefile("rb") as reader:
        told = reader.readline()
        assert told, _tell_end(parent)
        process = int(told)
        if before:
            before(process)
        environment = {name: os.fsdecode(value) for name, value in env.items()}
        request = [[os.fsdecode(word) for word in words], str(cwd), environment]
        ours.sendall(json.dumps(request).encode())
        ours.shutdown(socket.SHUT_WR)
        threading.Thread(target=_feed, args=(streams[0][1], stdin), daemon=True).start()
        try:
            out, err = _drain(streams[1][0], streams[2][0], until)
            ours.settimeout(max(0.001, until - monotonic()))
            ended = reader.readline()
            assert ended, _tell_end(parent)
        except TimeoutError as error:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(words), timeout) from error
    return subprocess.CompletedProcess(words, int(ended), out, err)


def list_variables() -> dict[str, str]:
    """This process's environment, but for what is said to Python itself."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_READ)}
    return {**kept, **READ_BY_PYTHON}


def run_at_once(
    program: str, arguments: Sequence[Sequence[object]], folder: Path
) -> list[subprocess.CompletedProcess[bytes]]:
    """Run a program with each of the arguments, all of them at once, in this folder and with this
    process's environment."""
    env = list_variables()

    def run(given: Sequence[object]) -> subprocess.CompletedProcess[bytes]:
        words = ["-c", program, *map(str, given)]
        return run_forked(words, cwd=folder, env=env, timeout=600)

    _start_parent()
    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(run, arguments))


def run_well_at_once(
    program: str, arguments: Sequence[Sequence[object]], folder: Path
) -> list[str]:
    """Do as `run_at_once`; what they wrote, once each has left with 0."""
    done = run_at_once(program, arguments, folder)
    assert [(one.returncode, one.stderr) for one in done] == [(0, b"")] * len(done)
    return [one.stdout.decode().strip() for one in done]


def _tell_end(parent: subprocess.Popen[bytes]) -> str:
    """How the process that is forked ended, which none that works does."""
    _, said = parent.communicate(timeout=10)
    return f"the parent ended with {parent.returncode}: {said.decode()}"


def _feed(stream: int, text: bytes) -> None:
    try:
        with open(stream, "wb") as file:
            file.write(text)
    except BrokenPipeError:
        return  # it has read enough


def _drain(out: int, err: int, until: float) -> tuple[bytes, bytes]:
    """Read both streams to their ends. Raises TimeoutError."""
    read: dict[int, list[bytes]] = {out: [], err: []}
    left = [out, err]
    try:
        while left:
            ready, _, _ = select.select(left, [], [], max(0.0, until - monotonic()))
            if not ready:
                raise TimeoutError
            for one in ready:
                part = os.read(one, 65536)
                read[one].append(part)
                if not part:
                    left.remove(one)
    finally:
        os.close(out)
        os.close(err)
    return b"".join(read[out]), b"".join(read[err])


@cache
def _start_parent() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the process that is forked, and return it with the way to it; it ends when this one
    does."""
    ours, theirs = socket.socketpair()
    parent = subprocess.Popen(
        [sys.executable, "-c", _SERVE],
        stdin=theirs.fileno(),
        stdout=subprocess.PIPE,  # a pipe, as what it becomes will have
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **READ_BY_PYTHON},
    )
    theirs.close()

    def stop() -> None:
        ours.close()
        parent.communicate()

    atexit.register(stop)
    return parent, ours


def serve() -> None:
    """Fork a process for each request at the socket that is this one's input, until that ends."""
    for info in pkgutil.walk_packages(engrain.__path__, "engrain."):
        if not info.name.startswith(_APART):
            importlib.import_module(info.name)
    sys.path.remove(str(_TESTS))
    assert threading.active_count() == 1
    gc.freeze()
    door = socket.socket(fileno=os.dup(0))
    answers: dict[int, socket.socket] = {}

    def note_ends(*_: object) -> None:
        while answers:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            # Who has waited too long has gone away.
            with answers.pop(process) as answer, suppress(OSError):
                answer.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGCHLD, note_ends)
    while given := socket.recv_fds(door, 1, 4)[1]:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        process = os.fork()
        if not process:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            for other in (door, *answers.values()):
                other.close()
            _become(given)
            return
        for one in given[:3]:
            os.close(one)
        answers[process] = socket.socket(fileno=given[3])
        answers[process].sendall(b"%d\n" % process)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _become(given: Sequence[int]) -> None:
    """Run what is asked for, with the streams that are given."""
    for number, one in enumerate(given[:3]):
        os.dup2(one, number)
        os.close(one)
    with open(given[3], "rb") as request:
        words, folder, environment = json.load(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tzset()
    how, what, *arguments = words
    sys.argv[:] = [how, *arguments]
    if how == "-m":
        sys.path[0] = folder
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - as asked
