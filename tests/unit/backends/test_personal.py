"""The operator's own notes: reached by place, never outside the root, each use in the log."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain.backends import placing
from engrain.backends.personal import open_personal
from engrain.model.errors import (
    ConfigError,
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    StorageError,
)
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from engrain.seam.personal import Personal, PersonalRequest
from support.vaults import START, FakeClock, FakeEntropy

DAY = b"# A day\n\nwith words\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The operator's notes, with a vault in them."""
    root = tmp_path / "notes"
    (root / "Journal").mkdir(parents=True)
    (root / "Journal" / "day.md").write_bytes(DAY)
    (root / "Agent" / ".engrain").mkdir(parents=True)
    (root / "Agent" / "Memory").mkdir()
    (root / "Agent" / "Memory" / "fact.md").write_text("# Fact\n")
    return root


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


Opener = Callable[..., Personal]


@pytest.fixture
def opener(root: Path, state: Path) -> Opener:
    def make(folder: str | None = str(root), *, redact: Callable[[str], str] = str) -> Personal:
        return open_personal(
            PersonalRequest(
                folder,
                closed=[str(root / "Agent")],
                state=str(state),
                agent="tester",
                clock=FakeClock(),
                entropy=FakeEntropy(),
                redact=redact,
            )
        )

    return make


@pytest.fixture
def personal(opener: Opener) -> Personal:
    return opener()


def logged(personal: Personal) -> list[tuple[str, str, str]]:
    return [(use.verb, use.place, use.outcome) for use in personal.uses()]


def test_a_note_is_read_with_its_hash(personal: Personal) -> None:
    note = personal.read("Journal/day.md")
    assert (note.raw, note.hash) == (DAY, hash_bytes(DAY))


def test_notes_and_folders_are_listed_and_nothing_else(personal: Personal, root: Path) -> None:
    for name in ("b.MD", "a.txt", "image.png", ".hidden.md", ".obsidian"):
        (root / name).write_text("words")
    (root / "link.md").symlink_to(root / "a.txt")
    (root / "linked").symlink_to(root / "Journal")
    assert personal.list() == ["Journal/", "a.txt", "b.MD"]
    assert personal.list("Journal") == ["Journal/day.md"]


def test_a_new_note_is_written_with_its_folders(personal: Personal, root: Path) -> None:
    changed = personal.write("Work/2026/plan.md", b"# Plan\n")
    assert (root / "Work/2026/plan.md").read_bytes() == b"# Plan\n"
    assert (changed.before, changed.after, changed.kept) == (None, hash_bytes(b"# Plan\n"), None)


def test_a_note_is_replaced_and_what_was_there_is_kept(
    personal: Personal, root: Path, state: Path
) -> None:
    path = root / "Journal" / "day.md"
    path.chmod(0o600)
    changed = personal.write("Journal/day.md", b"# Night\n", hash_bytes(DAY))
    assert path.read_bytes() == b"# Night\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert changed.kept is not None
    kept = Path(changed.kept)
    assert kept.read_bytes() == DAY
    assert kept.is_relative_to(state)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["day.md"]


@pytest.mark.parametrize("expected", [None, hash_bytes(b"other")])
def test_a_note_that_is_not_as_expected_is_left_alone(
    personal: Personal, root: Path, state: Path, expected: str | None
) -> None:
    with pytest.raises(ConflictError) as raised:
        personal.write("Journal/day.md", b"# Night\n", expected)
    assert hash_bytes(DAY) in raised.value.message
    assert (root / "Journal" / "day.md").read_bytes() == DAY
    assert not (state / "kept").exists()


def test_a_note_that_is_gone_is_not_written_anew_by_one_who_read_it(personal: Personal) -> None:
    with pytest.raises(ConflictError):
        personal.write("Journal/night.md", b"words", hash_bytes(DAY))
    assert personal.list("Journal") == ["Journal/day.md"]


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe", b"a\0b", b"x" * (MAX_NOTE_BYTES + 1)], ids=["bytes", "nul", "large"]
)
def test_only_text_within_the_limit_is_written_or_read(
    personal: Personal, root: Path, raw: bytes
) -> None:
    with pytest.raises(MalformedError):
        personal.write("new.md", raw)
    assert not (root / "new.md").exists()
    (root / "there.md").write_bytes(raw)
    with pytest.raises(MalformedError):
        personal.read("there.md")


def test_what_is_written_is_redacted_first(opener: Opener, root: Path) -> None:
    personal = opener(redact=lambda text: text.replace("hunter2", "***"))
    changed = personal.write("new.md", b"the password is hunter2\n")
    assert (root / "new.md").read_bytes() == b"the password is ***\n"
    assert (changed.after, changed.redacted) == (hash_bytes(b"the password is ***\n"), True)
    assert personal.write("other.md", b"words\n").redacted is False


def test_a_place_in_the_vault_is_closed_by_whatever_way(personal: Personal, root: Path) -> None:
    calls: list[Callable[[], object]] = [
        lambda: personal.read("Agent/Memory/fact.md"),
        lambda: personal.list("Agent"),
        lambda: personal.list("Agent/Memory"),
        lambda: personal.write("Agent/new.md", b"words"),
        lambda: personal.write("Agent/deep/new.md", b"words"),
    ]
    for call in calls:
        with pytest.raises(ForbiddenPathError):
            call()
    (root / "Agent").rename(root / "Renamed")
    with pytest.raises(ForbiddenPathError):
        personal.read("Renamed/Memory/fact.md")
    assert sorted(os.listdir(root / "Renamed")) == [".engrain", "Memory"]


def test_the_state_of_this_device_is_closed_too(opener: Opener, state: Path, root: Path) -> None:
    personal = opener(str(root.parent))
    personal.list()
    with pytest.raises(ForbiddenPathError):
        personal.write("state/new.md", b"words")
    assert "state/" not in personal.list()


@pytest.mark.parametrize("folder", ["Agent", "Agent/Memory"])
def test_a_root_in_a_vault_is_no_root(opener: Opener, root: Path, folder: str) -> None:
    personal = opener(str(root / folder))
    for call in (personal.check, personal.list, lambda: personal.read("fact.md")):
        with pytest.raises(ConfigError):
            call()


@pytest.mark.parametrize("folder", [None, "", "notes", "/nowhere/at/all", "/dev/null"])
def test_without_a_usable_root_nothing_works_but_the_log(
    opener: Opener, folder: str | None
) -> None:
    personal = opener(folder)
    with pytest.raises(ConfigError) as raised:
        personal.read("day.md")
    assert raised.value.remedy
    with pytest.raises(ConfigError):
        personal.check()
    assert logged(personal) == [("read", "day.md", "config")]


@pytest.mark.parametrize("name", ["run.sh", "note", "note.md.exe", "note.json", ".md"])
def test_what_is_no_note_is_neither_read_nor_written(personal: Personal, name: str) -> None:
    with pytest.raises(ForbiddenPathError):
        personal.read(name)
    with pytest.raises(ForbiddenPathError):
        personal.write(name, b"words")


def test_a_pipe_or_a_folder_is_no_note(personal: Personal, root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(ForbiddenPathError):
            personal.read(name)
        with pytest.raises(ForbiddenPathError):
            personal.write(name, b"words")


def test_each_use_is_logged_the_refused_too(personal: Personal) -> None:
    personal.list("Journal")
    personal.read("Journal/day.md")
    for place in ("../out.md", "Journal/night.md"):
        with pytest.raises(EngrainError):
            personal.read(place)
    changed = personal.write("Journal/day.md", b"# Night\n", hash_bytes(DAY))
    with pytest.raises(ConflictError):
        personal.write("Journal/day.md", b"# Dawn\n")
    personal.refuse("read", "Journal/day.md", "usage")
    assert logged(personal) == [
        ("list", "Journal", "done"),
        ("read", "Journal/day.md", "done"),
        ("read", "../out.md", "forbidden_path"),
        ("read", "Journal/night.md", "not_found"),
        ("write", "Journal/day.md", "done"),
        ("write", "Journal/day.md", "conflict"),
        ("read", "Journal/day.md", "usage"),
    ]
    read, written = personal.uses()[1], personal.uses()[4]
    assert (read.agent, read.before, read.after) == ("tester", hash_bytes(DAY), None)
    assert (written.before, written.after) == (hash_bytes(DAY), changed.after)
    assert [use.verb for use in personal.uses(written.at)] == ["write", "write", "read"]
    assert personal.uses()[0].at > START


def test_a_change_is_in_the_log_before_it_is_made(
    personal: Personal, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[tuple[str, str, str]]] = []

    def look_first(folder: int, temp: str, name: str) -> bool:
        seen.append(logged(personal))
        return placing.place_new(folder, temp, name)

    monkeypatch.setattr("engrain.backends.personal.place_new", look_first)
    personal.write("new.md", b"words")
    assert seen == [[("write", "new.md", "begun")]]
    assert logged(personal) == [("write", "new.md", "done")]


def test_a_use_that_can_not_be_logged_is_refused(
    personal: Personal, root: Path, state: Path
) -> None:
    state.mkdir()
    (state / "log").write_text("in the way")
    with pytest.raises(StorageError):
        personal.read("Journal/day.md")
    with pytest.raises(StorageError):
        personal.write("new.md", b"words")
    assert not (root / "new.md").exists()


def test_the_log_keeps_every_use_and_reads_past_torn_lines(personal: Personal, state: Path) -> None:
    for number in range(20):
        personal.refuse("read", f"{number}-" + "x" * 5000, "usage")
    places = [use.place.partition("-")[0] for use in personal.uses()]
    assert places == [str(number) for number in range(20)]
    with (state / "log" / "uses.jsonl").open("ab") as file:
        file.write(b'{"use": "torn')
    personal.refuse("read", "last", "usage")
    assert personal.uses()[-1].place == "last"


def test_the_log_is_one_line_a_use_whatever_the_place(personal: Personal, state: Path) -> None:
    for place in ("a\nb", "\u2028", "\udcff", '"}', "x" * 10_000):
        with pytest.raises(ForbiddenPathError):
            personal.read(place)
    lines = (state / "log" / "uses.jsonl").read_text().splitlines()
    assert len(lines) == 5
    assert all(json.loads(line)["outcome"] == "forbidden_path" for line in lines)


def test_what_a_dead_writer_left_is_put_away_and_not_lost(
    personal: Personal, root: Path, state: Path
) -> None:
    left = root / "Journal" / ".~engrain-personal-0011223344556677"
    left.write_bytes(b"what another program wrote\n")
    personal.write("Journal/day.md", b"# Night\n", hash_bytes(DAY))
    assert not left.exists()
    kept = {path.read_bytes() for path in (state / "kept").iterdir()}
    assert kept == {DAY, b"what another program wrote\n"}


def test_of_many_who_write_over_one_version_one_does(opener: Opener, root: Path) -> None:
    outcomes: list[str] = []

    def write(number: int) -> None:
        try:
            opener().write("Journal/day.md", f"# By {number}\n".encode(), hash_bytes(DAY))
            outcomes.append("done")
        except EngrainError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=write, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["done"]
    assert os.listdir(root / "Journal") == ["day.md"]
