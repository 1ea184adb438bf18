"""Files are put only over what is expected, and taken away only as what is expected, whatever
another program writes and whichever call fails in between."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engrain.backends import placing
from engrain.backends.placing import place_new, place_over, remove_expected
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes

OLD, OURS = b"old", b"ours"
SECOND, THIRD = b"second version", b"third version"
CALLS = ("rename", "link", "unlink", "open", "pread", "fsync", "stat", "renameat2")
"""The system calls at which another program may write, or which may fail."""
FALLBACKS: tuple[tuple[str, ...], ...] = ((), ("renameat2",))
"""What file systems may be without: where a new name can't be given in one step either, as without
links too, there is a moment that nothing can close."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "temp").write_bytes(OURS)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def contents(folder: Path) -> set[bytes]:
    return {path.read_bytes() for path in folder.iterdir()}


def test_a_new_file_is_put_where_nothing_is(tmp_path: Path, folder: int) -> None:
    assert place_new(folder, "temp", "note.md")
    assert (tmp_path / "note.md").read_bytes() == OURS
    assert names(tmp_path) == ["note.md"]


def test_a_file_that_has_come_meanwhile_is_not_replaced(tmp_path: Path, folder: int) -> None:
    (tmp_path / "note.md").write_bytes(b"theirs")
    assert not place_new(folder, "temp", "note.md")
    assert (tmp_path / "note.md").read_bytes() == b"theirs"
    assert names(tmp_path) == ["note.md"]


@pytest.mark.parametrize(("number", "placed"), [(errno.EPERM, True), (errno.EIO, False)])
def test_where_links_are_refused_a_new_file_is_renamed_and_another_error_is_reported(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch, number: int, placed: bool
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fail)
    if placed:
        assert place_new(folder, "temp", "note.md")
        assert names(tmp_path) == ["note.md"]
    else:
        with pytest.raises(OSError, match=os.strerror(number)):
            place_new(folder, "temp", "note.md")
        assert names(tmp_path) == ["temp"]


def test_a_file_is_put_over_the_bytes_that_were_expected(tmp_path: Path, folder: int) -> None:
    (tmp_path / "note.md").write_bytes(OLD)
    assert place_over(folder, "temp", "note.md", hash_bytes(OLD), hash_bytes(OURS), [])
    assert (tmp_path / "note.md").read_bytes() == OURS
    assert names(tmp_path) == ["note.md"]


def test_bytes_that_another_program_wrote_meanwhile_are_put_back(
    tmp_path: Path, folder: int
) -> None:
    (tmp_path / "note.md").write_bytes(b"theirs")
    assert not place_over(folder, "temp", "note.md", hash_bytes(OLD), hash_bytes(OURS), [])
    assert (tmp_path / "note.md").read_bytes() == b"theirs"
    assert names(tmp_path) == ["note.md"]


def test_a_file_over_the_limit_is_put_back_too(tmp_path: Path, folder: int) -> None:
    theirs = b"x" * (MAX_NOTE_BYTES + 1)
    (tmp_path / "note.md").write_bytes(theirs)
    assert not place_over(folder, "temp", "note.md", hash_bytes(OLD), hash_bytes(OURS), [])
    assert (tmp_path / "note.md").read_bytes() == theirs
    assert not remove_expected(folder, "note.md", "away", hash_bytes(OLD), [])
    assert (tmp_path / "note.md").read_bytes() == theirs
    assert names(tmp_path) == ["note.md"]


def test_a_file_is_taken_away_as_what_was_expected_only(tmp_path: Path, folder: int) -> None:
    (tmp_path / "note.md").write_bytes(b"theirs")
    assert not remove_expected(folder, "note.md", "away", hash_bytes(OLD), [])
    assert (tmp_path / "note.md").read_bytes() == b"theirs"
    assert remove_expected(folder, "note.md", "away", hash_bytes(b"theirs"), [])
    assert remove_expected(folder, "note.md", "away", hash_bytes(b"theirs"), [])
    assert names(tmp_path) == ["temp"]


class World:
    """System calls counted as they are made: before and after each, another program may write,
    and any of them may fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lacking: tuple[str, ...]) -> None:
        self.at = 0
        self.writes: dict[int, Callable[[], None]] = {}
        self.fails: dict[int, int] = {}
        for call in CALLS[:-1]:
            self._wrap(monkeypatch, os, call, lacking)
        find = placing._find_rename

        def find_rename(flag: int) -> Callable[[int, str, str], bool] | None:
            rename = find(flag)
            assert rename is not None
            if "renameat2" in lacking:
                return None
            return lambda folder, one, other: self._make(rename, folder, one, other)

        monkeypatch.setattr(placing, "_find_rename", find_rename)

    def _wrap(self, patch: pytest.MonkeyPatch, owner: Any, call: str, lacking: Any) -> None:
        real = getattr(owner, call)

        def made(*args: Any, **options: Any) -> Any:
            if "dir_fd" in str(options) or call in ("pread", "fsync"):
                if call in lacking:
                    raise OSError(errno.ENOTSUP, "not here")
                return self._make(real, *args, **options)
            return real(*args, **options)

        patch.setattr(owner, call, made)

    def _make(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._look()
        if (number := self.fails.get(self.at)) is not None:
            self._look()
            raise OSError(number, os.strerror(number))
        done = real(*args, **options)
        self._look()
        return done

    def _look(self) -> None:
        self.at += 1
        if write := self.writes.pop(self.at, None):
            at, self.at = self.at, -(10**6)  # what it calls itself is not counted
            write()
            self.at = at


class Editor:
    """Another program. What it overwrites itself, knowingly or not, is nobody else's loss."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.overwritten: set[bytes] = set()

    def replace(self) -> None:
        """Save as most editors do: a new file, renamed into place."""
        self._look()
        self.path.with_name("editor").write_bytes(THIRD)
        os.rename(self.path.with_name("editor"), self.path)

    def rewrite(self) -> None:
        """Save into the file that is there, through its name."""
        self._look()
        self.path.write_bytes(THIRD)

    def _look(self) -> None:
        if self.path.exists():
            self.overwritten.add(self.path.read_bytes())


def void(_: object) -> None:
    """For what gives something nobody wants."""


def run(verb: str, folder: int, kept: list[str]) -> bool | None:
    """Replace or remove the note, which was read as OLD; None for an error."""
    try:
        if verb == "place_over":
            return place_over(folder, "temp", "note.md", hash_bytes(OLD), hash_bytes(OURS), kept)
        return remove_expected(folder, "note.md", "away", hash_bytes(OLD), kept)
    except OSError:
        return None


def count_calls(verb: str, tmp_path: Path, lacking: tuple[str, ...], first: bytes) -> int:
    with pytest.MonkeyPatch.context() as patch:
        world, folder = make_case(tmp_path, patch, lacking, first)
        run(verb, folder, [])
        os.close(folder)
        return world.at


def make_case(
    tmp_path: Path, patch: pytest.MonkeyPatch, lacking: tuple[str, ...], first: bytes
) -> tuple[World, int]:
    for path in tmp_path.iterdir():
        path.unlink()
    (tmp_path / "temp").write_bytes(OURS)
    (tmp_path / "note.md").write_bytes(first)
    folder = os.open(tmp_path, os.O_RDONLY)
    return World(patch, lacking), folder


@pytest.mark.parametrize("lacking", FALLBACKS, ids=str)
@pytest.mark.parametrize("verb", ["place_over", "remove_expected"])
@pytest.mark.parametrize("way", [Editor.replace, Editor.rewrite])
@pytest.mark.parametrize("first", [OLD, SECOND], ids=["as read", "changed before"])
def test_nothing_that_is_written_at_any_moment_is_lost(
    tmp_path: Path, verb: str, way: Callable[[Editor], None], lacking: tuple[str, ...], first: bytes
) -> None:
    calls = count_calls(verb, tmp_path, lacking, first)
    assert calls > 4
    for at in range(1, calls + 8):
        with pytest.MonkeyPatch.context() as patch:
            world, folder = make_case(tmp_path, patch, lacking, first)
            editor = Editor(tmp_path / "note.md")
            world.writes[at] = partial(way, editor)
            kept: list[str] = []
            run(verb, folder, kept)
            written = at not in world.writes
            os.close(folder)
        there = contents(tmp_path)
        where = f"{verb}, written at {at} of {calls}: {names(tmp_path)}"
        assert THIRD in there or not written, where
        assert first in there | editor.overwritten | {OLD}, where
        assert all(".sync-conflict-" in name for name in kept), where
        assert {*kept} <= {*names(tmp_path)}, where
        assert not [name for name in names(tmp_path) if name.endswith(".swap")], where


@pytest.mark.parametrize(
    "lacking", [FALLBACKS[0], pytest.param(FALLBACKS[1], marks=pytest.mark.long)], ids=str
)
@pytest.mark.parametrize("verb", ["place_over", "remove_expected"])
@pytest.mark.parametrize("first", [OLD, SECOND], ids=["as read", "changed before"])
def test_nothing_is_lost_whichever_call_fails_as_well(
    tmp_path: Path, verb: str, lacking: tuple[str, ...], first: bytes
) -> None:
    calls = count_calls(verb, tmp_path, lacking, first) + 8
    for at, fails in itertools.product(range(1, calls), range(1, calls)):
        with pytest.MonkeyPatch.context() as patch:
            world, folder = make_case(tmp_path, patch, lacking, first)
            editor = Editor(tmp_path / "note.md")
            world.writes[at] = editor.replace
            world.fails[fails] = errno.EIO
            run(verb, folder, [])
            written = at not in world.writes
            os.close(folder)
        there = contents(tmp_path)
        where = f"{verb}, written at {at}, failed at {fails}: {names(tmp_path)}"
        assert THIRD in there or not written, where
        assert first in there | editor.overwritten | {OLD}, where


def test_a_program_that_has_the_file_open_loses_nothing_either(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    for verb in ("place_over", "remove_expected"):
        calls = count_calls(verb, tmp_path, (), OLD)
        for at in range(1, calls + 1):
            with pytest.MonkeyPatch.context() as patch:
                world, folder = make_case(tmp_path, patch, (), OLD)
                editor = os.open(note, os.O_WRONLY)
                world.writes[at] = lambda editor=editor: void(os.pwrite(editor, THIRD, 0))  # type: ignore[misc]
                run(verb, folder, [])
                os.close(folder)
                os.close(editor)
            if at < calls - 1:  # Once the file is gone for good, so is what is written to it.
                assert THIRD in contents(tmp_path), f"{verb}, written at {at} of {calls}"
