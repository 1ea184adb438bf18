"""Nothing outside the vault is read or written, and what stands in the way is told in one line."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from engrain import EngrainError, Memory
from engrain.backends import protocol
from engrain.model.errors import LockedError, StorageError
from engrain.model.history.record import decode_record
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from support.vaults import make_memory
from unit.adapters.shell import Shell

SECRET = "thesecretword"


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository around, no setting from outside."""
    for name in ("ENGRAIN_VAULT", "ENGRAIN_STATE_DIR", "ENGRAIN_PROJECT", "ENGRAIN_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


class Outside:
    """A folder beside the vault that must stay as it is, and whose text must never come out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "deep").mkdir(parents=True)
        (folder / "note.md").write_text(f"# Outside\n\n{SECRET}\n")
        (folder / "deep" / "note.md").write_text(f"---\nid: outside\n---\n{SECRET}\n")
        for path in (*folder.rglob("*"), folder):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        self._before = self._look()

    def _look(self) -> dict[str, tuple[bytes, int, int]]:
        return {
            str(path): (
                path.read_bytes() if path.is_file() else b"",
                path.stat().st_mtime_ns,
                path.stat().st_mode,
            )
            for path in (self.folder, *self.folder.rglob("*"))
        }

    def assert_untouched(self) -> None:
        assert self._look() == self._before


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    made = Outside(tmp_path / "outside")
    yield made
    made.assert_untouched()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with make_memory(tmp_path) as made:
        yield made


@pytest.fixture
def vault(tmp_path: Path, memory: Memory) -> Path:
    return tmp_path / "vault"


def list_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def crafted(outside: str) -> list[str]:
    """References, titles and slugs that would lead elsewhere if anyone followed them."""
    climbing = [f"{'../' * n}{name}" for n in (1, 2, 9) for name in ("note", "outside/note.md")]
    return [
        *climbing,
        *(path.replace("/", "\\") for path in climbing),
        f"{outside}/note.md",
        f"file://{outside}/note.md",
        "Memory/../../outside/note.md",
        "Memory/fix/../../../outside/note",
        "./../outside/note.md",
        ".engrain/vault.json",
        ".engrain/history",
        "....//....//outside/note.md",
        "..%2f..%2foutside%2fnote.md",
        "..%c0%af..%c0%afoutside",
        "..\u2215outside\u2215note.md",
        "..／outside／note",
        "~/note.md",
        "~root/.bashrc",
        "$HOME/note.md",
        "`touch owned`",
        "$(touch owned)",
        "note.md\n../outside/note.md",
        "note\r../outside",
        "C:\\outside\\note.md",
        "\\\\server\\share\\note.md",
        "CON",
        "aux.md",
        "nul",
        "-rf",
        "--json",
        "*",
        "%",
        "' OR 1=1 --",
        '"; DROP TABLE entries; --',
        "a/b/c",
        "/",
        "//",
        ".",
        "..",
        "...",
        ".md",
        ".hidden",
        "..md",
        "_index",
        "x" * 300,
        "\u202e" + "dm.eton",
        "e\u0301" * 90,
        "note.md ",
        "note.md.",
        "note:stream.md",
        "\u200b",
        "😀" * 80,
        "⁄⁄etc",
    ]


def test_no_crafted_title_or_slug_leads_out(
    memory: Memory, vault: Path, tmp_path: Path, outside: Outside
) -> None:
    before = list_files(tmp_path) - list_files(vault)
    for title in crafted(str(outside.folder)):
        for save in (
            partial(memory.save, title=title),
            partial(memory.save, title="T", slug=title),
            partial(memory.save, title="T", kind=title),
            partial(memory.save, title="T", project=title, kind="design"),
            partial(memory.save, title="T", status=title),
            partial(memory.save, title="T", ref=title, tags=[title]),
        ):
            try:
                outcome = save("Words.")
            except EngrainError as error:
                assert "\n" not in error.message
                continue
            path = vault / outcome.locator
            assert path.resolve() == path
            assert path.is_file()
            assert not any(part.startswith(".") for part in Path(outcome.locator).parts)
    outside_names = list_files(tmp_path) - {f"vault/{name}" for name in list_files(vault)}
    assert {name for name in outside_names if not name.startswith(("vault", "state"))} == {
        name for name in before if not name.startswith(("vault", "state"))
    }
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def every_verb(memory: Memory, reference: str, other: str) -> list[Callable[[], object]]:
    """Every verb that takes a reference, on this one."""
    return [
        lambda: memory.show(reference),
        lambda: memory.forget(reference),
        lambda: memory.restore(reference),
        lambda: memory.evolve(reference, "Other words."),
        lambda: memory.edit(reference, expect="0" * 64, text="Other words."),
        lambda: memory.link(other, reference),
        lambda: memory.link(reference, other),
        lambda: memory.history(reference),
        lambda: memory.read_at(reference, 2e9),
        lambda: memory.undo(f"{reference}-1"),
    ]


def test_no_crafted_reference_leads_out(memory: Memory, tmp_path: Path, outside: Outside) -> None:
    other = memory.save("Words that stay.", title="Stays").id
    for reference in crafted(str(outside.folder)):
        for call in every_verb(memory, reference, other):
            with pytest.raises(EngrainError) as raised:
                call()
            assert "\n" not in raised.value.message
        found = memory.recall(reference).results
        assert all(SECRET not in recalled.text for recalled in found)
    assert memory.show(other).entry.status == "active"
    assert not (tmp_path / "owned").exists()


def test_no_crafted_field_leads_out(memory: Memory, vault: Path, outside: Outside) -> None:
    for number, text in enumerate(crafted(str(outside.folder))):
        value = json.dumps(text, ensure_ascii=False)
        (vault / f"note-{number}.md").write_text(
            f"---\nid: note{number}\nslug: {value}\nkind: {value}\nproject: {value}\n"
            f"supersedes: {value}\nlinks: [{{to: {value}}}]\nderived_from: [{value}]\n---\n"
            f"# Note {number}\n\n[[{text}]] ![[{text}]]\n"
        )
    for number in range(len(crafted(""))):
        memory.show(f"note{number}")
        changes: list[Callable[[], object]] = [
            partial(memory.evolve, f"note{number}", "Newer words."),
            partial(memory.forget, f"note-{number}.md"),
            memory.undo,
        ]
        for change in changes:
            with contextlib.suppress(EngrainError):
                change()
    assert {path.parts[0] for path in map(Path, list_files(vault))} <= {
        ".engrain",
        "_archive",
        *(f"note-{number}.md" for number in range(len(crafted("")))),
    }
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_no_crafted_place_is_committed_to(memory: Memory, outside: Outside) -> None:
    backend = memory._open_store().backend
    for text in ("../outside/note.md", f"{outside.folder}/new.md", ".engrain/vault.json", "a/../b"):
        locator = Locator(text)
        with pytest.raises(EngrainError):
            backend.commit(ChangeSet("save", [Write(locator, b"x", "x")], at=0.0))
        with pytest.raises(EngrainError):
            backend.read(locator)


LINKS = {
    "file": lambda vault, target: (vault / "link.md").symlink_to(target / "note.md"),
    "folder": lambda vault, target: (vault / "link").symlink_to(target),
    "folder of a kind": lambda vault, target: (vault / "Memory").symlink_to(target),
    "dangling": lambda vault, target: (vault / "link.md").symlink_to(target / "nothing.md"),
    "dangling folder": lambda vault, target: (vault / "link").symlink_to(target / "nothing"),
    "relative": lambda vault, target: (vault / "link.md").symlink_to("../outside/note.md"),
    "to itself": lambda vault, target: (vault / "link.md").symlink_to("link.md"),
    "to the vault": lambda vault, target: (vault / "link").symlink_to(vault),
    "to the root": lambda vault, target: (vault / "link").symlink_to("/"),
    "index": lambda vault, target: (vault / "_index.md").symlink_to(target / "note.md"),
}


@pytest.mark.parametrize("kind", list(LINKS))
def test_a_symbolic_link_is_neither_read_nor_written_through(
    memory: Memory, vault: Path, outside: Outside, kind: str
) -> None:
    LINKS[kind](vault, outside.folder)
    assert memory.recall(SECRET).results == ()
    found = memory.check(["unreadable"]).found
    if kind not in ("dangling folder", "index"):
        assert ["(symlink)" in flaw.message for flaw in found] == [True]
    for reference in ("link.md", "link/note.md", "link/deep/note.md", "Memory/note.md", "outside"):
        with pytest.raises(EngrainError):
            memory.show(reference)
    for title, kind_ in (("Note", "fix"), ("Link", "memory"), ("New", "preference")):
        with contextlib.suppress(EngrainError):
            memory.save("Words.", title=title, kind=kind_)
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_a_linked_folder_refuses_a_save_in_one_line(
    memory: Memory, vault: Path, outside: Outside
) -> None:
    (vault / "Memory").symlink_to(outside.folder)
    with pytest.raises(EngrainError) as raised:
        memory.save("Words.", title="New", kind="fix")
    assert raised.value.code == "forbidden_path"
    assert raised.value.remedy
    assert memory.save("Words.", title="New", kind="design", project="x").outcome == "created"


def test_a_link_in_place_of_an_entry_is_not_written_through(
    memory: Memory, vault: Path, outside: Outside
) -> None:
    saved = memory.save("Words.", title="Mine", kind="fix")
    path = vault / saved.locator
    path.unlink()
    path.symlink_to(outside.folder / "note.md")
    for change in (
        lambda: memory.edit(saved.id, expect=saved.hash, text="Other words."),
        lambda: memory.forget(saved.id),
        lambda: memory.evolve(saved.id, "Other words."),
        lambda: memory.undo(),
    ):
        with pytest.raises(EngrainError):
            change()
    assert path.is_symlink()


def test_an_import_follows_no_link(memory: Memory, tmp_path: Path, outside: Outside) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    (source / "good.md").write_text("# Good\n")
    (source / "file.md").symlink_to(outside.folder / "note.md")
    (source / "folder").symlink_to(outside.folder)
    imported = memory.import_folder(str(source))
    assert imported.counts == {"created": 1, "left out": 2}
    assert sorted(imported.problems) == [("file.md", "symlink"), ("folder", "symlink")]
    assert memory.recall(SECRET).results == ()


def test_a_linked_history_is_not_written_to(
    memory: Memory, vault: Path, tmp_path: Path, outside: Outside
) -> None:
    shutil.rmtree(vault / ".engrain" / "history", ignore_errors=True)
    history = vault / ".engrain" / "history"
    history.symlink_to(outside.folder)
    assert memory.save("Words.", title="New", kind="fix").outcome == "created"
    assert history.is_dir() and not history.is_symlink()
    assert [aside.is_symlink() for aside in history.parent.glob(".aside-*")] == [True]


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_link_swapped_in_meanwhile_is_not_followed(
    memory: Memory, vault: Path, tmp_path: Path, outside: Outside, swapped: str
) -> None:
    saved = memory.save("Words that stand inside.", title="Note", kind="fix")
    inside = vault / saved.locator if swapped == "file" else (vault / saved.locator).parent
    target = outside.folder / "note.md" if swapped == "file" else outside.folder
    aside = tmp_path / "aside"
    link = tmp_path / "link"
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not stop.is_set():
            link.symlink_to(target)
            try:
                os.rename(inside, aside)
                os.rename(link, inside)
                os.unlink(inside)
                os.rename(aside, inside)
                swaps += 1
            except OSError:
                # A writer was faster and put an entry of its own there: that one stays.
                link.unlink(missing_ok=True)
                if inside.is_symlink():
                    inside.unlink()
                if aside.exists() and not inside.exists():
                    os.rename(aside, inside)
                elif aside.is_dir():
                    shutil.rmtree(aside)
                else:
                    aside.unlink(missing_ok=True)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        deadline = time.monotonic() + 3
        rounds = 0
        while time.monotonic() < deadline:
            rounds += 1
            calls: list[Callable[[], object]] = [
                partial(memory.recall, f"{SECRET} words"),
                partial(memory.show, saved.id),
                partial(memory.save, f"Words {rounds}.", title="Note", kind="fix"),
                partial(memory.save, f"Words {rounds}.", title=f"Deep {rounds}", kind="fix"),
                partial(memory.forget, "note"),
                partial(memory.restore, saved.id),
                memory.scan,
            ]
            for call in calls:
                with contextlib.suppress(EngrainError):
                    assert SECRET not in repr_of(call())
    finally:
        stop.set()
        thread.join()
    assert swaps > 10
    assert rounds > 3
    assert memory.recall(SECRET).results == ()
    for raw in read_history(memory):
        assert SECRET.encode() not in raw
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def read_history(memory: Memory) -> Iterator[bytes]:
    """Everything the history keeps of any file."""
    backend = memory._open_store().backend
    for device in backend.heads():
        for link in backend.chain(device):
            for file in decode_record(link.line, link.payload).files or ():
                yield file.after or b""


def repr_of(answer: object) -> str:
    """The text in an answer of recall or show."""
    results = getattr(answer, "results", None)
    if results is not None:
        return "".join(found.text for found in results)
    entry = getattr(answer, "entry", None)
    return "" if entry is None else str(entry.note.raw)


def test_pipes_and_sockets_hold_nobody_up(memory: Memory, vault: Path) -> None:
    (vault / "good.md").write_text("# Good\n\nlighthouse\n")
    os.mkfifo(vault / "pipe.md")
    os.mkfifo(vault / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    here = os.open(vault, os.O_RDONLY)
    try:
        # By the folder's descriptor: a socket's path may not be long.
        listener.bind(f"/proc/self/fd/{here}/socket.md")
    finally:
        os.close(here)
    try:
        started = time.monotonic()
        assert [found.row.title for found in memory.recall("lighthouse").results] == ["Good"]
        assert [(flaw.rule, flaw.place) for flaw in memory.check().found] == [
            ("unreadable", "pipe.md"),
            ("unreadable", "socket.md"),
        ]
        assert time.monotonic() - started < 10
    finally:
        listener.close()


def test_a_pipe_in_the_place_of_an_entry_holds_nobody_up(memory: Memory, vault: Path) -> None:
    saved = memory.save("Words.", title="Mine", kind="fix")
    path = vault / saved.locator
    path.unlink()
    os.mkfifo(path)
    started = time.monotonic()
    assert memory.recall("words").results == ()
    with pytest.raises(EngrainError):
        memory.forget(saved.id)
    with pytest.raises(EngrainError):
        memory.edit(saved.id, expect=saved.hash, text="Other.")
    assert memory.save("Other.", title="Mine", kind="fix").outcome in ("similar", "created")
    assert time.monotonic() - started < 10


def test_a_pipe_given_to_import_is_refused(shell: Shell) -> None:
    os.mkfifo(shell.folder / "pipe.md")
    assert shell.run("import", str(shell.folder / "pipe.md")).code == 2


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    assert made.run("init").code == 0
    return made


def try_mount(*argv: str) -> bool:
    if shutil.which("mount") is None:
        return False
    return subprocess.run(["mount", *argv], capture_output=True, check=False).returncode == 0


def fill_up(ballast: Path, spare: int = 0) -> None:
    """Leave no room on the disk but `spare` bytes, in whole pages."""
    file = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with contextlib.suppress(OSError):
        while os.write(file, b"x" * 4096):
            pass
    os.ftruncate(file, max(0, os.fstat(file).st_size - spare))
    os.close(file)


def unmount(folder: Path) -> None:
    subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not try_mount("-t", "tmpfs", "-o", "size=1m,nr_inodes=200", "tmpfs", str(folder)):
        pytest.skip("mounting a tmpfs is not permitted here")
    yield folder
    unmount(folder)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def assert_storage_error(shell: Shell, words: str, *argv: str) -> None:
    """The error is one line with code, path and remedy, in text and in the envelope."""
    done = shell.run(*argv)
    assert done.code == 1, done.out
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err
    assert str(shell.vault) in done.err
    answer = shell.run(*argv, "--json").answer
    error = answer["error"]
    assert isinstance(error, dict)
    assert error["code"] == "storage"
    assert words in error["message"]
    assert error["path"] == str(shell.vault)
    assert error["remedy"]


def test_a_full_disk_refuses_a_save_and_changes_nothing(tmp_path: Path, small_disk: Path) -> None:
    shell = Shell(tmp_path)
    shell.vault = small_disk / "vault"
    shell.environ["ENGRAIN_VAULT"] = str(shell.vault)
    assert shell.run("init").code == 0
    first = shell.run("save", "First words.", "--title", "First", "--json").answer["data"]
    assert isinstance(first, dict)
    ballast = small_disk / "ballast"
    fill_up(ballast)
    before = snapshot(shell.vault)
    text = "Words for which there is no room. " * 200
    assert_storage_error(shell, "the disk is full", "save", text, "--title", "Second")
    assert_storage_error(shell, "the disk is full", "evolve", first["id"], text)
    assert_storage_error(
        shell, "the disk is full", "edit", first["id"], "--expect", first["hash"], text
    )
    assert snapshot(shell.vault) == before
    assert "First words." in shell.run("recall", "first words").out
    assert shell.run("doctor").code == 1
    assert snapshot(shell.vault) == before
    ballast.unlink()
    assert shell.run("save", text, "--title", "Second").code == 0
    assert shell.run("check", "history").code == 0
    assert shell.run("doctor").code == 0
    assert shell.run("list", "--json").answer["data"] is not None
    assert '"total": 2' in shell.run("list", "--json").out


def test_a_disk_that_fills_up_half_way_tears_nothing(tmp_path: Path, small_disk: Path) -> None:
    refused = 0
    with make_memory(small_disk, device="../state") as memory:
        kept = [memory.save("Words.", title="Kept").id]
        ballast = small_disk / "ballast"
        text = "Words that need some room. " * 300
        for pages in range(160, 0, -4):
            fill_up(ballast, spare=(160 - pages) * 1024)
            try:
                kept.append(memory.save(f"{text}{pages}", title=f"Note {pages}").id)
            except StorageError as error:
                refused += 1
                assert "the disk is full" in error.message
            listed = {row.id for row in memory.list().rows}
            assert listed == set(kept)
            assert all(report.wrong is None for report in memory.trust.survey().chains)
        assert not list(small_disk.rglob(".~engrain-*"))
    assert refused > 0
    assert len(kept) > 1


def test_a_full_disk_under_the_state_folder_costs_no_memory(
    tmp_path: Path, small_disk: Path
) -> None:
    shell = Shell(tmp_path)
    shell.environ["ENGRAIN_STATE_DIR"] = str(small_disk / "state")
    assert shell.run("init").code == 0
    assert shell.run("save", "First words.", "--title", "First").code == 0
    fill_up(small_disk / "ballast")
    acknowledged = {"First"}
    for number in range(6):
        title = f"Note {number}"
        done = shell.run("save", "Many words. " * 900, "--title", title)
        assert "Traceback" not in done.err
        if done.code == 0:
            acknowledged.add(title)
        else:
            assert done.err.count("\n") == 1
    recall = shell.run("recall", "first words")
    assert (recall.code, recall.err) == (0, "")
    assert "First" in recall.out
    (small_disk / "ballast").unlink()
    listed = shell.run("list").out
    assert all(title in listed for title in acknowledged)
    assert shell.run("check", "history").code == 0
    assert shell.run("doctor").code == 0


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[Path, bool], None]]:
    """Makes a folder read-only by mounting it upon itself, and writable again."""
    mounted: list[Path] = []

    def remount(folder: Path, only_read: bool) -> None:
        if folder not in mounted:
            if not try_mount("--bind", str(folder), str(folder)):
                pytest.skip("bind mounts are not permitted here")
            mounted.append(folder)
        mode = "ro" if only_read else "rw"
        if not try_mount("-o", f"remount,bind,{mode}", str(folder)):
            pytest.skip("remounting is not permitted here")

    yield remount
    for folder in mounted:
        unmount(folder)


def test_a_read_only_vault_is_read_and_refuses_to_be_written(
    shell: Shell, read_only: Callable[[Path, bool], None]
) -> None:
    assert shell.run("save", "First words.", "--title", "First").code == 0
    (shell.vault / "by-hand.md").write_text("# By hand\n\nfound all the same\n")
    before = snapshot(shell.vault)
    read_only(shell.vault, True)
    assert_storage_error(shell, "read-only", "save", "Words.", "--title", "Second")
    assert_storage_error(shell, "read-only", "forget", "first")
    for argv in (["recall", "first words"], ["recall", "found same"], ["list"], ["show", "first"]):
        done = shell.run(*argv)
        assert (done.code, done.err) == (0, "")
        assert "irst" in done.out or "By hand" in done.out
    assert shell.run("check", "history").code == 0
    doctor = shell.run("doctor")
    assert doctor.code == 1
    assert "FAIL  vault: " in doctor.out
    assert snapshot(shell.vault) == before
    read_only(shell.vault, False)
    assert shell.run("save", "Words.", "--title", "Second").code == 0
    assert shell.run("check", "history").code == 0


def test_a_read_only_state_folder_is_reported(
    shell: Shell, read_only: Callable[[Path, bool], None]
) -> None:
    assert shell.run("save", "First words.", "--title", "First").code == 0
    read_only(shell.state, True)
    done = shell.run("recall", "first words")
    assert done.code in (0, 1)
    assert done.err.count("\n") <= 1
    assert "Traceback" not in done.err
    save = shell.run("save", "Second words.", "--title", "Second")
    assert save.err.count("\n") <= 1
    assert "Traceback" not in save.err
    read_only(shell.state, False)
    listed = shell.run("list").out
    assert ("Second" in listed) is (save.code == 0)
    assert shell.run("check", "history").code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_read_is_reported(shell: Shell) -> None:
    closed = shell.vault / "closed"
    closed.mkdir()
    (closed / "note.md").write_text("# Closed\n")
    (shell.vault / "good.md").write_text("# Good\n\nlighthouse\n")
    closed.chmod(0)
    try:
        assert shell.run("recall", "lighthouse").out.startswith("1. Good")
        doctor = shell.run("doctor")
        assert "closed: the folder can't be read (unreadable)" in doctor.out
        assert_storage_error(shell, "permission", "save", "x", "--kind", "closed")
    finally:
        closed.chmod(0o755)


# Everything is imported first: the other user may not be allowed to read where Python lies.
_UNPRIVILEGED = """\
import encodings.ascii, heapq, importlib, json, locale, os, pkgutil, platform, random, shutil
import sys, tempfile, tomllib, apsw, tomlkit, yaml, engrain
for module in pkgutil.walk_packages(engrain.__path__, "engrain."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
from engrain.adapters.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_somebody_who_may_not_write_is_reported_so(tmp_path: Path) -> None:
    # The temp folders of pytest are closed to others, so this one lies beside them.
    folder = Path("/tmp") / f"engrain-forbidden-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        shell = Shell(folder)
        assert shell.run("init").code == 0
        assert shell.run("save", "First words.", "--title", "First").code == 0
        (shell.vault / "closed.md").write_text("# Closed\n")
        (shell.vault / "closed.md").chmod(0o600)
        (shell.vault / "shut").mkdir(mode=0o700)
        state = folder / "theirs"
        state.mkdir()
        os.chown(state, 65534, 65534)
        environ = {**shell.environ, "ENGRAIN_STATE_DIR": str(state)}

        def run(*argv: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", _UNPRIVILEGED, *argv],
                capture_output=True,
                text=True,
                check=False,
                env=environ,
                cwd="/",
            )

        if "Traceback" in (probe := run("--version")).stderr:
            pytest.skip(f"another user can't run the tests' Python: {probe.stderr[-200:]}")
        save = run("save", "Words.", "--title", "Theirs")
        assert save.returncode == 1
        assert save.stderr.count("\n") == 1
        assert "permission" in save.stderr.lower()
        assert "check the owner and mode" in save.stderr
        recall = run("recall", "first words")
        assert recall.stdout.startswith("1. First")
        doctor = run("doctor")
        assert doctor.returncode == 1
        assert "closed.md: " in doctor.stdout
        assert "shut: the folder can't be read (unreadable)" in doctor.stdout
        (shell.vault / "shut").chmod(0o755)
        assert "shut" not in run("doctor").stdout
        assert shell.run("check", "history").code == 0
    finally:
        shutil.rmtree(folder)


def test_a_lock_held_by_another_process_is_reported_with_its_pid(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Words.", title="Mine")
    (notes,) = (tmp_path / "state" / "vaults").iterdir()
    before = snapshot(vault)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from engrain.backends.lock import hold_lock\n"
            "with hold_lock(sys.argv[1], sys.argv[2]):\n"
            "    print('held', flush=True)\n"
            "    sys.stdin.read()\n",
            str(vault),
            str(notes),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=Shell(tmp_path / "away").environ,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        monkeypatch.setattr(protocol, "LOCK_WAIT", 0.2)
        started = time.monotonic()
        for change in (
            lambda: memory.save("Other words.", title="Other"),
            lambda: memory.forget(saved.id),
            lambda: memory.undo(),
        ):
            with pytest.raises(LockedError) as raised:
                change()
            assert f"pid {holder.pid}" in raised.value.message
            assert raised.value.path == str(vault)
            assert str(holder.pid) in str(raised.value.remedy)
        assert time.monotonic() - started < 5
        assert [found.row.id for found in memory.recall("words").results] == [saved.id]
        assert snapshot(vault) == before
        holder.kill()
        holder.wait()
        assert memory.save("Other words.", title="Other").outcome == "created"
    finally:
        holder.kill()
        holder.communicate()
