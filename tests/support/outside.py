"""What a program and its children do outside: connections to other machines, and files that they
write beside those they may. The kernel's calls are read from strace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

_CALLS = (
    "connect,sendto,sendmsg,sendmmsg,bind,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,"
    "renameat2,link,linkat,symlink,symlinkat,mknod,mknodat"
)
_FAMILY = re.compile(r"sa_family=(AF_\w+)")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.|0\.0\.0\.0$|::$")
_CALL = re.compile(r"^\d+\s+(?:<\.\.\. )?(\w+)")
_OPENED = re.compile(r"\) += \d+<([^>]*)>$")
_NAMED = re.compile(r'(?:(\d+|AT_FDCWD)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")
_NO_FILES = ("/dev/", "/proc/", "/memfd:", "pipe:", "socket:", "anon_inode:")


def _strace_works() -> bool:
    strace = shutil.which("strace")
    if strace is None:
        return False
    tried = [strace, "-f", "-qq", "-y", "-o", os.devnull, "-e", "trace=connect", "true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


needs_strace = pytest.mark.skipif(not _strace_works(), reason="strace does not work here")


def trace(log: Path, command: Sequence[str]) -> list[str]:
    """Return a command that writes the calls of another and of all its children."""
    return ["strace", "-f", "-qq", "-y", "-s", "400", "-o", str(log), "-e", f"trace={_CALLS}",
            *command]  # fmt: skip


def find_strange(log: Path, allowed: Sequence[Path], folder: Path) -> list[str]:
    """Return the calls that reach another machine, or write below none of the allowed folders.
    Relative paths are below `folder`."""
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in _join(lines) if _is_strange(line, allowed, folder)]


def _join(lines: Sequence[str]) -> Iterator[str]:
    """Put together the halves of calls that another thread's call stands between."""
    halves: dict[str, str] = {}
    for line in lines:
        process = line.partition(" ")[0]
        if line.endswith("<unfinished ...>"):
            halves[process] = line.removesuffix("<unfinished ...>")
        elif " resumed>" in line:
            yield halves.pop(process, f"{process} ") + line.partition(" resumed>")[2]
        else:
            yield line


def _is_strange(line: str, allowed: Sequence[Path], folder: Path) -> bool:
    found = _CALL.match(line)
    if found is None:
        return False
    call = found[1]
    if call in ("connect", "sendto", "sendmsg", "sendmmsg", "bind"):
        return _is_far(line)
    if " = -1 " in line:
        return False
    if call in ("open", "openat", "openat2", "creat"):
        opened = _OPENED.search(line)
        written = call == "creat" or _WRITES.search(line)
        return bool(written and opened and not _is_ours(opened[1], allowed))
    places = [os.path.join(base or folder, name) for _, base, name in _NAMED.findall(line)]
    last = places[-1:]  # the new place of a rename or link
    if call.startswith("mkdir") and any(
        one.is_relative_to(place) for place in last for one in allowed
    ):
        return False  # a folder around one of ours
    return any(not _is_ours(place, allowed) for place in last)


def _is_far(line: str) -> bool:
    """Whether a call names an address that is not this machine, or asks for one."""
    if "/resolve/" in line or "nscd" in line:
        return " = -1 " not in line
    for family in _FAMILY.findall(line):
        if family in ("AF_INET", "AF_INET6"):
            addresses = ["".join(pair) for pair in _ADDRESS.findall(line)]
            if not addresses or not all(map(_LOOPBACK.match, addresses)):
                return True
    return False


def _is_ours(place: str, allowed: Sequence[Path]) -> bool:
    if place.startswith(_NO_FILES) and not place.startswith("/dev/shm/"):
        return True
    place = os.path.realpath(place.removesuffix(" (deleted)"))
    return any(
        place == str(one) or place.startswith((f"{one}{os.sep}", f"{one}.")) for one in allowed
    )


def run_traced(
    log: Path, command: Sequence[str], folder: Path, environ: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, and to that of the processes that it leaves."""
    return subprocess.run(
        trace(log, command), input=stdin, capture_output=True, cwd=folder, env=environ,
        check=False, timeout=300,
    )  # fmt: skip
