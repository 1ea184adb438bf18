"""The operator's own notes are out of reach of every verb but their own, and that one stays in."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

from engrain import EngrainError, Memory, open_memory
from engrain.model.errors import ConfigError, ForbiddenPathError, StateLocationError
from faults.personal_places import (
    IN_VAULT,
    OUTSIDE,
    PERSONAL,
    Ground,
    call_all,
    corpus,
    personal_calls,
    told,
    verb_calls,
)
from support.loops import run_in_thread
from support.strace import needs_strace
from support.vaults import FakeClock, FakeEntropy
from unit.adapters.shell import SOURCE, Shell

CHILD = Path(__file__).with_name("personal_places.py")
WANTED = 300


class Look:
    """Files as they are: names, bytes, modes and times, links as links."""

    def __init__(self, *folders: Path, without: Path | None = None) -> None:
        self.found = {
            str(path): (
                os.readlink(path) if path.is_symlink() else path.read_bytes(),
                path.lstat().st_mode,
                path.lstat().st_mtime_ns,
            )
            for folder in folders
            for path in folder.rglob("*")
            if (path.is_symlink() or path.is_file())
            and not (without and path.is_relative_to(without))
        }


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """The operator's notes, configured, and a vault among them; nothing else is set."""
    for name in ("ENGRAIN_STATE_DIR", "ENGRAIN_PROJECT", "ENGRAIN_CONFIG", "ENGRAIN_VAULT"):
        monkeypatch.delenv(name, raising=False)
    ground = Ground(tmp_path)
    ground.lay()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ENGRAIN_PERSONAL_ROOT", str(ground.notes))
    monkeypatch.chdir(tmp_path / "elsewhere")
    return ground


@pytest.fixture
def memory(ground: Ground) -> Iterator[Memory]:
    with open_memory(
        ground.vault, state_dir=ground.state, create=True, clock=FakeClock(), entropy=FakeEntropy()
    ) as memory:
        memory.save(f"The vault has {IN_VAULT}.", title="Mine", kind="fix")
        yield memory


def bytes_kept(ground: Ground) -> bytes:
    """All that the vault and this device's state hold."""
    return b"".join(
        path.read_bytes()
        for folder in (ground.vault, ground.state)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


@contextlib.contextmanager
def untouched(ground: Ground) -> Iterator[None]:
    """A block in which what is the operator's or nobody's is neither changed nor taken in."""
    before = Look(ground.notes, ground.outside, without=ground.vault).found
    yield
    assert Look(ground.notes, ground.outside, without=ground.vault).found == before
    kept = bytes_kept(ground)
    assert OUTSIDE.encode() not in kept
    assert PERSONAL.encode() not in kept


def test_there_are_enough_names(ground: Ground) -> None:
    assert len(corpus(ground)) >= WANTED


def test_no_crafted_name_leads_a_verb_to_the_operators_notes(
    memory: Memory, ground: Ground
) -> None:
    other = memory.save("Words that stay.", title="Stays").id
    with untouched(ground):
        for turn, text in enumerate(corpus(ground)):
            answer = call_all(verb_calls(memory, other, text, turn))
            assert PERSONAL not in answer, ascii(text)
            assert OUTSIDE not in answer, ascii(text)
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_no_crafted_field_of_a_note_leads_there(memory: Memory, ground: Ground) -> None:
    names = corpus(ground)
    with untouched(ground):
        for number, text in enumerate(names):
            value = json.dumps(text)
            (ground.vault / f"note-{number}.md").write_text(
                f"---\nid: note{number}\nslug: {value}\nkind: {value}\nproject: {value}\n"
                f"supersedes: {value}\nlinks: [{{to: {value}}}, {value}]\ntags: [{value}]\n"
                f"derived_from: [{value}]\n---\n# Note {number}\n\n"
                f"[[{ascii(text)[1:-1]}]] ![[{ascii(text)[1:-1]}]]\n"
            )
        memory.scan()
        for number in range(0, len(names), 7):
            calls: list[Callable[[], object]] = [
                partial(memory.show, f"note{number}"),
                partial(memory.recall, f"Note {number}"),
                partial(memory.evolve, f"note{number}", "Newer words."),
                partial(memory.forget, f"note-{number}.md"),
                partial(memory.restore, f"note-{number}.md"),
                memory.undo,
            ]
            answer = call_all(iter(calls))
            assert PERSONAL not in answer
            assert OUTSIDE not in answer
        list(memory.brief())


def test_no_source_of_an_import_is_among_them(memory: Memory, ground: Ground) -> None:
    source = ground.folder / "source"
    source.mkdir()
    (source / "good.md").write_text("# Good\n")
    (source / "file.md").symlink_to(ground.notes / "diary.md")
    (source / "folder").symlink_to(ground.notes / "Journal")
    links = {"whole": ground.notes, "part": ground.notes / "Journal", "above": ground.folder}
    for name, target in links.items():
        (ground.folder / name).symlink_to(target)
    refused = [
        *(str(ground.folder / name) for name in (*links, "whole/Journal", "part/deep")),
        *(
            "../notes",
            "../notes/Journal/deep",
            "..",
            "/",
            "~",
            "~/notes/Journal",
            str(ground.notes),
        ),
        *(f"{ground.notes}/Agent/../Journal", "/proc/self/cwd/../notes", "/proc/self/root"),
    ]
    before = Look(ground.notes, without=ground.vault).found
    for folder in refused:
        for take_in in (
            partial(memory.import_folder, folder),
            partial(memory.import_folder, folder, backend="device-local"),
            partial(memory.exchange.import_claude_memory, folder, name="x"),
        ):
            with pytest.raises(ForbiddenPathError):
                take_in()
    for folder in (*corpus(ground), str(source)):
        if "outside" not in folder:  # a folder that is nobody's may be imported
            assert PERSONAL not in call_all(iter([partial(memory.import_folder, folder)]))
    assert memory.list().total == 2
    assert PERSONAL.encode() not in bytes_kept(ground)
    assert Look(ground.notes, without=ground.vault).found == before


def test_no_setting_makes_them_the_vault(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    for vault in ("../notes", "..", "~", "~/notes/", str(ground.notes), "/", "/proc/self/root"):
        with pytest.raises((ConfigError, StateLocationError)):
            open_memory(vault, state_dir=ground.state)
    with untouched(ground):
        for text in corpus(ground):
            monkeypatch.delenv("ENGRAIN_VAULT", raising=False)
            with contextlib.suppress(ValueError, UnicodeError):  # what no variable can hold
                monkeypatch.setenv("ENGRAIN_VAULT", text)
                with pytest.raises(EngrainError):
                    open_memory(state_dir=ground.state)


def test_no_setting_makes_the_vault_theirs(memory: Memory, ground: Ground) -> None:
    roots = [ground.vault, ground.vault / "Memory", ground.vault / ".engrain", ground.state]
    link = ground.folder / "to-vault"
    link.symlink_to(ground.vault)
    for root in (*roots, link, link / "Memory", Path("relative")):
        with pytest.raises(ConfigError):
            ground.personal(root).list()


def test_no_project_file_names_a_root(
    memory: Memory, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ENGRAIN_PERSONAL_ROOT")
    for line in ('personal.root = "/"', '[personal]\nroot = "/"', '"personal.root" = "/"'):
        Path(".engrain.toml").write_text(line)
        with pytest.raises(ConfigError):
            memory.personal.open(authorize=True)


def test_no_resource_of_the_server_is_among_them(memory: Memory, ground: Ground) -> None:
    from fastmcp import Client

    from engrain.adapters.mcp.fastmcp_server import make_server

    async def ask() -> tuple[int, str]:
        answers = []
        asked = 0
        async with Client(make_server(memory)) as client:
            for text in corpus(ground):
                plain = text.encode(errors="replace").decode()
                for uri in (f"memory://entry/{quote(plain, safe='')}", f"memory://entry/{plain}"):
                    asked += 1
                    try:
                        answers.append(str(await client.read_resource(uri)))
                    except Exception as error:
                        answers.append(str(error))
        return asked, "\n".join(answers)

    with untouched(ground):
        asked, answers = run_in_thread(ask())
    assert asked >= 2 * WANTED
    assert PERSONAL not in answers
    assert OUTSIDE not in answers


def test_no_hook_brings_them(ground: Ground) -> None:
    shell = Shell(ground.folder)
    shell.environ |= {
        "ENGRAIN_VAULT": str(ground.vault),
        "ENGRAIN_PERSONAL_ROOT": str(ground.notes),
    }
    assert shell.run("init").code == 0
    assert shell.run("save", f"The diary of the vault: {IN_VAULT}.", "--title", "Diary").code == 0
    folder = str(ground.notes / "Journal")
    crafted = [
        folder,
        "../notes/diary.md",
        str(ground.notes / "diary.md"),
        f"{folder}\0",
        "~/notes",
    ]
    with untouched(ground):
        for text in crafted:
            payload = {
                "session_id": text,
                "cwd": folder,
                "transcript_path": text,
                "source": text,
                "prompt": f"the diary, {PERSONAL[:12]} and {text}",
            }
            for event in ("session-start", "prompt", "stop"):
                done = shell.run(
                    "hook", event, "--host", "claude-code", stdin=json.dumps(payload).encode()
                )
                assert PERSONAL not in done.out + done.err
                assert OUTSIDE not in done.out + done.err


def test_no_crafted_place_leads_out_of_the_operators_notes(memory: Memory, ground: Ground) -> None:
    personal = ground.personal()
    vault = Look(ground.vault, ground.outside).found
    notes = Look(ground.notes, without=ground.vault).found
    for text in corpus(ground):
        answer = call_all(personal_calls(personal, text))
        assert OUTSIDE not in answer, ascii(text)
        assert IN_VAULT not in answer, ascii(text)
    assert Look(ground.vault, ground.outside).found == vault
    after = Look(ground.notes, without=ground.vault).found
    assert {path: after.get(path) for path in notes} == notes
    for path in after.keys() - notes.keys():  # odd names, but of notes below the root
        assert Path(path).read_bytes() == b"words\n"
        assert not any(part.startswith(".") for part in Path(path).relative_to(ground.notes).parts)
    assert len(personal.uses()) >= WANTED
    assert OUTSIDE.encode() not in bytes_kept(ground)


def link_twice(here: Path, there: Path) -> None:
    (here / "first").symlink_to(there)
    (here / "link").symlink_to("first")


LINKS: dict[str, Callable[[Path, Path], None]] = {
    "file": lambda here, there: (here / "link.md").symlink_to(there / "note.md"),
    "folder": lambda here, there: (here / "link").symlink_to(there),
    "above": lambda here, there: (here / "link").symlink_to(there.parent),
    "dangling": lambda here, there: (here / "link.md").symlink_to(there / "new.md"),
    "relative": lambda here, there: (here / "link.md").symlink_to(
        os.path.relpath(there / "note.md", here)
    ),
    "to a link": link_twice,
}
LINKED = ("link.md", "link/note.md", "link/deep/note.md", "link/outside/note.md", "first/note.md")


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize("where", ["outside", "vault"])
def test_no_link_leads_out_of_the_operators_notes(
    memory: Memory, ground: Ground, kind: str, where: str
) -> None:
    there = ground.outside
    if where == "vault":
        there = ground.vault / "Memory" / "fix"
        shutil.copy(there / "mine.md", there / "note.md")
    LINKS[kind](ground.notes, there)
    before = Look(ground.vault, ground.outside).found
    personal = ground.personal()
    for place in (*LINKED, "link"):
        answer = call_all(personal_calls(personal, place))
        assert OUTSIDE not in answer
        assert IN_VAULT not in answer
    assert Look(ground.vault, ground.outside).found == before


@pytest.mark.parametrize("kind", LINKS)
def test_no_link_in_the_vault_leads_to_the_operators_notes(
    memory: Memory, ground: Ground, kind: str
) -> None:
    (ground.notes / "Journal" / "note.md").write_text(f"# Note\n\n{PERSONAL}\n")
    with untouched(ground):
        LINKS[kind](ground.vault, ground.notes / "Journal")
        memory.scan()
        other = memory.list().rows[0].id
        for turn, place in enumerate((*LINKED, "note", "diary", "Journal")):
            assert PERSONAL not in call_all(verb_calls(memory, other, place, turn))
        assert memory.recall(PERSONAL).results == ()


class Swapper:
    """A thread that puts a link in the place of a file or folder and takes it away again."""

    def __init__(self, path: Path, target: Path, aside: Path) -> None:
        self._path = path
        self._target = target
        self._aside = aside
        self._link = aside.with_name(aside.name + "-link")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.swaps = 0

    def __enter__(self) -> Swapper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(self._target)
            try:
                os.rename(self._path, self._aside)
                os.rename(self._link, self._path)
                os.unlink(self._path)
                os.rename(self._aside, self._path)
                self.swaps += 1
            except OSError:
                # A writer was faster and put something of its own there: that stays.
                if self._path.is_symlink():
                    self._path.unlink()
                if not self._aside.exists():
                    continue
                if not self._path.exists():
                    os.rename(self._aside, self._path)
                elif self._aside.is_dir():
                    shutil.rmtree(self._aside)
                else:
                    self._aside.unlink(missing_ok=True)


def call_for(seconds: float, calls: Callable[[int], Iterator[Callable[[], object]]]) -> str:
    """What calls told, made over and over for a while."""
    answers = []
    deadline = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < deadline or rounds < 3:
        rounds += 1
        for call in calls(rounds):
            with contextlib.suppress(EngrainError):
                answers.append(told(call()))
    return "\n".join(answers)


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_link_swapped_in_does_not_lead_a_verb_to_them(
    memory: Memory, ground: Ground, swapped: str
) -> None:
    saved = memory.save("Words that stand inside.", title="Day", kind="fix")
    entry = ground.vault / saved.locator
    path, target = (
        (entry, ground.notes / "Journal" / "day.md")
        if swapped == "file"
        else (entry.parent, ground.notes / "Journal")
    )

    def calls(turn: int) -> Iterator[Callable[[], object]]:
        yield partial(memory.show, saved.id)
        yield partial(memory.recall, "the day and its words")
        yield partial(memory.save, f"Words {turn}.", title="Day", kind="fix")
        yield partial(memory.forget, "day")
        yield partial(memory.restore, saved.id)
        yield memory.scan

    with untouched(ground):
        with Swapper(path, target, ground.folder / "aside") as swapper:
            answers = call_for(2.0, calls)
        assert swapper.swaps > 10
        assert PERSONAL not in answers
    assert all(report.wrong is None for report in memory.trust.survey().chains)


@pytest.mark.parametrize("swapped", ["file", "folder"])
@pytest.mark.parametrize("where", ["outside", "vault"])
def test_a_link_swapped_in_does_not_lead_out_of_them(
    memory: Memory, ground: Ground, swapped: str, where: str
) -> None:
    there = ground.outside if where == "outside" else ground.vault / "Memory" / "fix"
    (there / "day.md").write_text(f"# Day\n\n{OUTSIDE if where == 'outside' else IN_VAULT}\n")
    before = Look(ground.vault, ground.outside).found
    journal = ground.notes / "Journal"
    path, target = (journal / "day.md", there / "day.md") if swapped == "file" else (journal, there)
    personal = ground.personal()

    def calls(turn: int) -> Iterator[Callable[[], object]]:
        yield partial(personal.read, "Journal/day.md")
        yield partial(personal.list, "Journal")
        yield partial(personal.write, f"Journal/new-{turn}.md", b"words\n")
        yield partial(personal.write, f"Journal/deep/new-{turn}.md", b"words\n")
        yield partial(write_over, turn)

    def write_over(turn: int) -> object:
        read = personal.read("Journal/day.md")
        return personal.write("Journal/day.md", b"# %d\n\nwords\n" % turn, read.hash)

    with Swapper(path, target, ground.folder / "aside") as swapper:
        answers = call_for(1.5, calls)
    assert swapper.swaps > 10
    assert OUTSIDE not in answers
    assert IN_VAULT not in answers
    assert Look(ground.vault, ground.outside).found == before
    assert {use.outcome for use in personal.uses()} >= {"done"}


_OPENED = re.compile(rb"open(?:at2?)?\(.* = \d+<(.*)>$")


@needs_strace
@pytest.mark.parametrize("what", ["verbs", "personal"])
def test_nothing_beyond_is_even_opened(memory: Memory, ground: Ground, what: str) -> None:
    trace = ground.folder / "trace"
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([SOURCE, str(CHILD.parent.parent)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    memory.close()
    done = subprocess.run(
        [
            "strace", "-f", "-y", "-qq", "-o", str(trace), "-e", "trace=open,openat,openat2",
            sys.executable, str(CHILD), str(ground.folder), what, "8",
        ],
        capture_output=True,
        check=False,
        env=environ,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    opened = {
        Path(os.fsdecode(found[1]))
        for line in trace.read_bytes().splitlines()
        if (found := _OPENED.search(line))
    }
    notes = {path for path in opened if path.is_relative_to(ground.notes)}
    vault = {path for path in notes if path.is_relative_to(ground.vault)}
    assert not any(path.is_relative_to(ground.outside) for path in opened)
    if what == "verbs":
        assert ground.vault in vault
        assert notes == vault
        assert PERSONAL.encode() not in done.stdout
    else:
        assert ground.notes / "Journal" in notes
        # The vault's folder is opened to see what it is, and left at once.
        assert vault <= {ground.vault}
    assert OUTSIDE.encode() not in done.stdout
