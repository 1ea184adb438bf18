"""Another program writes at any moment of a change: its words are in a file or in the history.

The moments are the system calls by which a change is made, before and after each; what is written
is written as editors do it, to the note that is being moved, replaced or removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, open_memory
from engrain.backends import placing, segments
from engrain.model.errors import EngrainError
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import is_conflict_copy
from support.strace import needs_strace, run_injected
from support.vaults import make_memory

WORDS = b"\nA line that the operator typed just now.\n"
LAST = b"# Standing\n\nAll of it anew, by the operator.\n"
SECRET = b"\nexport GITHUB_TOKEN=ghp_1234567890abcdefghijklmnopqrstuvwxyz\n"
CHILD = Path(__file__).with_name("child.py").read_text(encoding="utf-8")


def archive(memory: Memory) -> None:
    memory.archive("standing")


def pin(memory: Memory) -> None:
    memory.pin("standing")


def evolve(memory: Memory) -> None:
    memory.evolve("standing", "The new truth: a lock for each.")


def edit(memory: Memory) -> None:
    memory.edit("standing", expect=memory.show("standing").entry.hash, text="Ours.")


def forget(memory: Memory) -> None:
    memory.forget("standing")


def rename(memory: Memory) -> None:
    memory.rename("standing", "Lying")


VERBS = (archive, pin, evolve, edit, forget, rename)


class Moments:
    """The system calls of the store, counted; at one of them somebody else acts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.at = 0
        self.acts: dict[int, Callable[[], None]] = {}
        for name in ("rename", "link", "unlink", "fsync"):
            patch.setattr(os, name, partial(self._make, getattr(os, name)))
        patch.setattr(segments, "append", partial(self._make, segments.append))
        find = placing._find_rename

        def find_rename(flag: int) -> Callable[[int, str, str], bool] | None:
            real = find(flag)
            return real and partial(self._make, real)

        patch.setattr(placing, "_find_rename", find_rename)

    def _make(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._look()
        done = real(*args, **options)
        self._look()
        return done

    def _look(self) -> None:
        self.at += 1
        if act := self.acts.pop(self.at, None):
            at, self.at = self.at, -(10**6)
            act()
            self.at = at


def try_verb(verb: Callable[[Memory], None], memory: Memory) -> None:
    try:
        verb(memory)
    except EngrainError:
        return  # A conflict is the truth: the note is not what was read.


def texts(vault: Path) -> list[bytes]:
    return [path.read_bytes() for path in vault.rglob("*.md")]


def is_kept(words: bytes, vault: Path, memory: Memory) -> bool:
    """Whether words are in a file of the vault, and in its history."""
    in_files = any(words.strip() in text for text in texts(vault))
    changes = memory.history()
    stood = (memory.read_at(change.entry, change.at) for change in changes if change.after_hash)
    return in_files or any(words.strip() in raw for raw in stood)


def append_to(note: Path, words: bytes) -> None:
    """Add to a note where it is, as an editor that appends."""
    with note.open("ab") as file:
        file.write(words)


def save_anew(note: Path, words: bytes) -> None:
    """Save as most editors do."""
    note.with_name("editor").write_bytes(words)
    note.with_name("editor").rename(note)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("way", "words"), [(append_to, WORDS), (save_anew, LAST)])
def test_words_that_are_written_at_any_moment_are_kept(
    tmp_path: Path, verb: Callable[[Memory], None], way: Callable[[Path, bytes], None], words: bytes
) -> None:
    at = 0
    while True:
        at += 1
        folder = tmp_path / str(at)
        with make_memory(folder, trust="operator") as memory:
            memory.save("The old truth: one lock for all.", title="Standing", kind="fix")
            memory.list()
            note = folder / "vault/Memory/fix/standing.md"
            with pytest.MonkeyPatch.context() as patch:
                moments = Moments(patch)
                moments.acts[at] = partial(way, note, words)
                try_verb(verb, memory)
                acted = not moments.acts
            if not acted:
                break
            where = f"{verb.__name__}, {way.__name__} at {at}"
            memory.scan()
            assert is_kept(words, folder / "vault", memory), where
            assert all(report.wrong is None for report in memory.trust.survey().chains), where
            assert not list(folder.rglob(".~engrain-*")), where
    assert at > 8


def interrupt(folder: Path, memory: Memory, first: bytes, second: bytes) -> Path:
    """Have a note changed before it is replaced, and again before it is put back; the note."""
    note = folder / "vault/Memory/fix/standing.md"
    real = placing._find_exchange
    with pytest.MonkeyPatch.context() as patch:
        saves = [first, second]

        def find() -> Callable[[int, str, str], bool]:
            exchange = real()
            assert exchange is not None

            def made(inside: int, one: str, other: str) -> bool:
                if saves:
                    save_anew(note, saves.pop(0))
                return exchange(inside, one, other)

            return made

        patch.setattr(placing, "_find_exchange", find)
        with pytest.raises(EngrainError):
            edit(memory)
    assert not saves
    return note


def test_a_third_version_is_a_conflict_copy_without_its_secrets_in_the_history(
    tmp_path: Path,
) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        entry = memory.save("The old truth: one lock for all.", title="Standing", kind="fix")
        head = (tmp_path / "vault/Memory/fix/standing.md").read_bytes()
        note = interrupt(tmp_path, memory, head + WORDS, head + SECRET)
        (copy,) = [path for path in note.parent.iterdir() if is_conflict_copy(path.name)]
        assert {note.read_bytes(), copy.read_bytes()} == {head + WORDS, head + SECRET}
        kept = [change for change in memory.history() if copy.name in str(change.locator)]
        assert [change.op for change in kept] == ["external"]
        assert b"GITHUB_TOKEN" in memory.read_at(entry.id, kept[0].at)
        assert b"ghp_1234567890" not in memory.read_at(entry.id, kept[0].at)
        before = len(memory.history())
        memory.scan()
        assert len(memory.history()) <= before + 1  # the note itself, and the copy not again
        assert [flaw.place for flaw in memory.check(["copy"]).found] == [f"Memory/fix/{copy.name}"]


def test_a_version_over_the_limit_is_kept_as_the_conflict_copy_alone(tmp_path: Path) -> None:
    large = b"x" * (MAX_NOTE_BYTES + 1)
    with make_memory(tmp_path, trust="operator") as memory:
        memory.save("The old truth: one lock for all.", title="Standing", kind="fix")
        note = interrupt(tmp_path, memory, LAST, large)
        assert sorted(len(path.read_bytes()) for path in note.parent.iterdir()) == [
            len(LAST),
            len(large),
        ]
        memory.scan()
        assert all(report.wrong is None for report in memory.trust.survey().chains)


@needs_strace
@pytest.mark.parametrize(
    "call",
    [
        "renameat2",
        *(
            pytest.param(call, marks=pytest.mark.long)
            for call in ("renameat", "unlinkat", "linkat", "fsync")
        ),
    ],
)
@pytest.mark.parametrize("verb", ["archive", "evolve"])
def test_nothing_is_lost_when_putting_back_fails(tmp_path: Path, call: str, verb: str) -> None:
    for n in range(1, 60):
        folder = tmp_path / str(n)
        with make_memory(folder) as memory:
            memory.save("The old truth: one lock for all.", title="Standing", kind="fix")
            memory.list()
        done = run_injected(
            "error=EIO", call, n, CHILD, folder / "vault", folder / "state", f"{verb}-while-edited"
        )
        with open_memory(
            folder / "vault", state_dir=folder / "state", backend="device-local"
        ) as memory:
            memory.scan()
            where = f"{verb}, {call} {n} failed"
            typed = (folder / "edited").exists()
            assert not typed or is_kept(WORDS, folder / "vault", memory), where
            assert all(report.wrong is None for report in memory.trust.survey().chains), where
        if not done.met:
            assert typed
            return
    pytest.fail(f"never got through the calls of {call}")
