"""Whatever lies in a vault or in its `.engrain`: every other entry stays readable and writable, and
`doctor` names what is in the way and what to do.

Each case is an obstacle at a place. Its commands run in one forked process, as the command line
runs them; to root the modes of files are no obstacle, so that process gives its privileges up.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import socket
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import open_memory
from engrain.adapters.cli.main import run
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory

NOBODY = 65534
ENTRIES = {
    "Standing": "The nightly billing job takes an advisory lock in Postgres; a second run waits.",
    "Rebase before pushing": "Rebase onto main before you push: the pipeline refuses merges.",
    "Tabs in the parser": "In the parser's sources indentation is by tabs, elsewhere by spaces.",
    "Retry of the mail relay": "The mail relay drops connections after 100 messages; retry.",
}
QUESTION = "why does the nightly billing job wait for a lock?"
VICTIM = "Memory/fix/victim.md"


def make_fifo(place: Path) -> None:
    os.mkfifo(place)


def make_folder(place: Path) -> None:
    (place / "inner").mkdir(parents=True)
    (place / "inner/file").write_bytes(b"x")


def make_oversize(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(MAX_NOTE_BYTES + 1)


def make_socket(place: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(place.parent)  # a socket's path is short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(place.name)
    finally:
        os.chdir(here)
        os.close(here)


def make_closed_file(place: Path) -> None:
    place.write_bytes(b"# Closed\n\nwhat nobody may read\n")
    place.chmod(0)


def make_closed_folder(place: Path) -> None:
    make_folder(place)
    place.chmod(0)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


OBSTACLES: dict[str, Callable[[Path], object]] = {
    "a link to a file": link_to("/etc/hostname"),
    "a link to a folder": link_to("/etc"),
    "a link to nothing": link_to("nowhere/at/all"),
    "a link to itself": lambda place: place.symlink_to(place.name),
    "a folder": make_folder,
    "a pipe": make_fifo,
    "a socket": make_socket,
    "a file that is too large": make_oversize,
    "a file of junk": lambda place: place.write_bytes(b"\xff\x00[.ShellClassInfo]\r\n"),
    "an empty file": Path.touch,
    "a file that may not be read": make_closed_file,
    "a folder that may not be read": make_closed_folder,
}
CLOSED = {name for name in OBSTACLES if "may not" in name}

PLACES: dict[str, str] = {
    "the file of an unfinished change": VICTIM,
    "the folder of an unfinished change": "Memory/fix",
    "the target of an unfinished move": "Memory/_always-load/victim.md",
    "the folder of histories": ".engrain/history",
    "beside the histories": ".engrain/history/desktop.ini",
    "this device's history": ".engrain/history/{device}",
    "this device's last segment": ".engrain/history/{device}/00000001.log",
    "a later segment of this device": ".engrain/history/{device}/00000900.log",
    "a temporary file of this device": "Memory/active/.~engrain-{device}-0.tmp",
    "another device's history": ".engrain/history/{other}",
    "another device's segment": ".engrain/history/{other}/00000001.log",
    "beside vault.json": ".engrain/stray",
    "the folder of a kind": "Memory/decision",
    "a note": "Memory/active/stray.md",
    "what is no note": "stray",
    "what every session gets": "Memory/_always-load",
    "the map of the memory": "MEMORY.md",
}
UNTOUCHED = ("a temporary file of this device", "beside vault.json", "what is no note")
"""Places at which a thing is no obstacle to anything, so that `doctor` need not name it."""
HARMLESS = {
    # What reads as a file or a folder of its place is none.
    ("the folder of an unfinished change", "a folder"),
    ("the folder of histories", "a folder"),
    ("beside the histories", "a folder"),
    ("this device's history", "a folder"),
    ("another device's history", "a folder"),
    ("the folder of a kind", "a folder"),
    ("what every session gets", "a folder"),
    ("this device's last segment", "an empty file"),
    ("this device's last segment", "a file of junk"),
    ("a later segment of this device", "an empty file"),
    ("a later segment of this device", "a file of junk"),
    ("another device's segment", "an empty file"),
    ("another device's segment", "a file of junk"),
    ("another device's segment", "a file that is too large"),
    ("this device's last segment", "a file that is too large"),
    ("a later segment of this device", "a file that is too large"),
    ("the file of an unfinished change", "an empty file"),
    ("the file of an unfinished change", "a file of junk"),
    ("the target of an unfinished move", "an empty file"),
    ("the target of an unfinished move", "a file of junk"),
    ("a note", "an empty file"),
    ("the map of the memory", "an empty file"),
    ("the map of the memory", "a file of junk"),
}


def prepare(folder: Path, place: str) -> tuple[Path, str, str]:
    """A vault with a change that was cut off behind its record; it, this device's id, another's."""
    vault = folder / "vault"
    with make_memory(folder, device="theirs", seed=9) as memory:
        memory.save("gannet gannet gannet", title="From elsewhere", kind="reference")
        other = (folder / "theirs/device").read_text().strip()
    with make_memory(folder) as memory:
        for title, text in ENTRIES.items():
            memory.save(text, title=title, kind="memory")
        victim = memory.save("kittiwake kittiwake", title="Victim", kind="fix")
        memory.list()
        device = (folder / "state/device").read_text().strip()
        assert victim.locator == VICTIM
    child = os.fork()
    if not child:
        from engrain.backends import protocol

        protocol.apply_files = lambda *_: os._exit(9)  # type: ignore[attr-defined]
        with open_memory(
            vault, state_dir=folder / "state", backend="device-local", trust="operator"
        ) as memory:
            memory.pin(victim.id) if "move" in place else memory.forget(victim.id)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    return vault, device, other


def lay(vault: Path, place: str, obstacle: str) -> None:
    path = vault / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        path.rename(vault.parent / "away")
    OBSTACLES[obstacle](path)


def act(vault: Path, state: Path, words: list[str], given: str = "") -> tuple[int, str]:
    """One command line: its exit code, and all that it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = run([*words, "--vault", str(vault), "--state-dir", str(state)])
    return code, printed.getvalue()


def ask_hook(vault: Path, state: Path) -> str:
    """What a hook prints for a prompt, which is asked as a host asks it."""
    from engrain.adapters.hooks import answers, main

    given, asked = os.pipe()
    answered, printed = os.pipe()
    payload = {"session_id": "s", "prompt": QUESTION, "cwd": str(vault.parent)}
    os.write(asked, json.dumps(payload).encode())
    os.close(asked)
    if not (child := os.fork()):
        os.dup2(given, 0)
        os.dup2(printed, 1)
        answers.BUDGETS.update(dict.fromkeys(answers.BUDGETS, 20.0))  # load is no obstacle
        flags = ["--host", "claude-code", "--vault", str(vault), "--state-dir", str(state)]
        main.run(["prompt", *flags])
    os.close(printed)
    os.close(given)
    with open(answered, encoding="utf-8") as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


def use(vault: Path, state: Path) -> dict[str, tuple[int, str]]:
    """Every command of interest, in the order in which somebody would meet it."""
    found: dict[str, tuple[int, str]] = {"hook": (0, ask_hook(vault, state))}
    for name, words in {
        "recall": ["recall", QUESTION],
        "list": ["list"],
        "save": ["save", "--title", "Fresh", "--kind", "memory", "guillemot guillemot"],
        "undo": ["undo"],
        "evolve": ["evolve", "standing", "The nightly billing job waits in a queue."],
        "doctor": ["doctor"],
        "doctor as data": ["doctor", "--json"],
        "history": ["check", "history"],
        "save again": ["save", "--title", "Fresher", "--kind", "memory", "razorbill razorbill"],
        "reindex": ["jobs", "reindex"],
        "recall again": ["recall", "razorbill"],
    }.items():
        found[name] = act(vault, state, words)
    return found


def drop_privileges() -> None:
    """Make this process of root's one to which modes of files apply (capset(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    version_3 = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if libc.capset(version_3, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def run_apart(folder: Path, vault: Path, state: Path, *, unprivileged: bool) -> dict[str, Any]:
    """`use` in a process of its own, without root's way past all modes if asked."""
    told = folder / "told.json"
    told.touch()
    told.chmod(0o666)
    if not (child := os.fork()):
        try:
            if unprivileged:
                drop_privileges()
            told.write_text(json.dumps(use(vault, state)))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    said: dict[str, Any] = json.loads(told.read_text() or '{"nothing": [1, "the process failed"]}')
    return said


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that any user can get into, which those of pytest are not, and a home in it."""
    made = Path(tempfile.mkdtemp(prefix="engrain-obstacle-"))
    made.chmod(0o755)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(made / "home"))
    monkeypatch.chdir(made)
    yield made
    shutil.rmtree(made)


CASES = [
    # Every obstacle and every place some times; all of them together are for the longer suites.
    pytest.param(place, obstacle, marks=[] if (down + right) % 4 == 0 else [pytest.mark.long])
    for down, place in enumerate(PLACES)
    for right, obstacle in enumerate(OBSTACLES)
]


@pytest.mark.parametrize(("place", "obstacle"), CASES)
def test_an_obstacle_stops_nothing_else(folder: Path, place: str, obstacle: str) -> None:
    unprivileged = obstacle in CLOSED
    if unprivileged and os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    vault, device, other = prepare(folder, place)
    where = PLACES[place].format(device=device, other=other)
    lay(vault, where, obstacle)
    if unprivileged and "another" in place:
        os.chown(vault / where, NOBODY, NOBODY)
    found = run_apart(folder, vault, folder / "state", unprivileged=unprivileged)
    told = "\n".join(f"{name}: {code}\n{said}" for name, (code, said) in found.items())
    assert "advisory lock" in found["hook"][1], told
    assert found["recall"][0] == 0, told
    assert "advisory lock" in found["recall"][1], told
    assert found["list"][0] == 0, told
    assert "Standing" in found["list"][1], told
    refused = place == "the folder of histories" and obstacle == "a folder that may not be read"
    for name in ("save", "evolve", "undo"):
        # Permissions of the folder of all histories are those of the vault: it is read-only.
        assert found[name][0] == (1 if refused else 0), f"{name}\n{told}"
    assert not refused or where in found["save"][1], told
    assert found["reindex"][0] == 0, told
    if not refused:
        assert "razorbill" in found["recall again"][1], told
    assert "Traceback" not in told, told
    name_of_place = where.rpartition("/")[2]
    assert found["doctor"][0] in (0, 1), told
    assert "round trip" in found["doctor"][1], f"doctor came to no end\n{told}"
    if place not in UNTOUCHED and (place, obstacle) not in HARMLESS:
        named = [
            finding
            for finding in json.loads(found["doctor as data"][1])["data"]["findings"]
            if name_of_place in f"{finding.get('path')} {finding['message']}"
            and finding.get("remedy")
            and finding["level"] != "ok"
        ]
        assert named, f"doctor names no obstacle at {where}, or no remedy\n{told}"
    if "history" not in where:
        assert found["history"][0] == 0, told


@pytest.mark.parametrize("place", ["this device's history", "the folder of histories"])
def test_history_that_was_set_aside_is_whole_again_once_it_is_moved_back(
    folder: Path, place: str
) -> None:
    vault, device, _ = prepare(folder, place)
    with make_memory(folder) as memory:
        memory.list()  # which completes the unfinished change
    lay(vault, PLACES[place].format(device=device), "a link to nothing")
    with make_memory(folder) as memory:
        memory.save("guillemot guillemot", title="Meanwhile", kind="memory")
        assert not all(report.wrong is None for report in memory.trust.survey().chains)
    away = folder / "away"
    for segment in list(away.rglob("*.log")):
        chain = device if segment.parent == away else segment.parent.name
        home = vault / ".engrain/history" / chain
        home.mkdir(exist_ok=True)
        segment.rename(home / segment.name)
    with make_memory(folder) as memory:
        memory.save("razorbill razorbill", title="Afterwards", kind="memory")
        assert {report.wrong for report in memory.trust.survey().chains} == {None}
