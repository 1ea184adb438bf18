"""A line more in the note of the day."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.history.history import bytes_after
from engrain.language.text.instants import parse_instant
from engrain.model.errors import MalformedError, UsageError
from engrain.model.note.note import MAX_NOTE_BYTES
from support.forked import run_well_at_once
from support.vaults import FakeClock, make_memory, write_as

SECRET = "AKIA" + "Q7RT5WXZ2LMN4PKD"
WRITERS = 24

WRITE = """
import sys
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    memory.work.today(f"line {sys.argv[3]}")
"""


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A wall clock that goes forward in March and back in October."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(tmp_path: Path, when: str) -> tuple[Memory, FakeClock]:
    clock = FakeClock(parse_instant(when), step=0)
    return make_memory(tmp_path, clock=clock), clock


def read(vault: Path, day: str) -> str:
    return (vault / "Memory" / "daily" / f"{day}.md").read_text()


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_the_first_line_makes_the_note_and_the_second_goes_below(
    tmp_path: Path, vault: Path, berlin: None
) -> None:
    memory, clock = at(tmp_path, "2026-09-22T12:00:00Z")
    with memory:
        assert memory.work.read_today() == ("2026-09-22", None)
        first = memory.work.today("Proofs are back.")
        clock.at += 60
        second = memory.work.today("Sent them on.")
        day, entry = memory.work.read_today()
        [row] = memory.list().rows
    assert (first.outcome, second.outcome, day) == ("created", "updated", "2026-09-22")
    text = read(vault, "2026-09-22")
    assert text.endswith("# 2026-09-22\n\n- 14:00 Proofs are back.\n- 14:01 Sent them on.\n")
    assert "utc_offset: +02:00" in text.replace('"', "")
    assert "updated: 2026-09-22T12:01:00Z" in text
    assert entry is not None
    assert entry.text == "- 14:00 Proofs are back.\n- 14:01 Sent them on.\n"
    assert (row.kind, row.source, row.id) == ("daily", "agent", entry.id)


def test_a_persons_own_text_stays_byte_for_byte_and_gets_no_frontmatter(
    memory: Memory, vault: Path
) -> None:
    own = b"\xef\xbb\xbfTuesday\r\n\r\n\t* walked \r\nno end"
    day, _ = memory.work.read_today()
    path = vault / "Memory" / "daily" / f"{day}.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(own)
    memory.work.today("Then it rained.")
    assert re.fullmatch(
        re.escape(own) + rb"\r\n- \d\d:\d\d Then it rained\.\r\n", path.read_bytes()
    )


def test_frontmatter_of_a_persons_own_stays_but_for_the_time_of_the_change(
    memory: Memory, vault: Path
) -> None:
    day, _ = memory.work.read_today()
    path = vault / "Memory" / "daily" / f"{day}.md"
    path.parent.mkdir(parents=True)
    front = b"---\r\nmood:   fine  # mine\r\nupdated: 2020-01-01\r\n---\r\n"
    path.write_bytes(front + b"Walked.\r\n")
    memory.work.today("Then it rained.")
    raw = path.read_bytes()
    assert raw.startswith(b"---\r\nmood:   fine  # mine\r\nupdated: 2026-")
    assert re.search(rb"\r\n---\r\nWalked\.\r\n- \d\d:\d\d Then it rained\.\r\n\Z", raw)


def test_what_is_added_to_another_s_text_raises_nobody_s_word(memory: Memory) -> None:
    day, _ = memory.work.read_today()
    write_as(memory, "external", f"Memory/daily/{day}.md", "# From a page\n")
    memory.work.today("Seen.")
    [row] = memory.list().rows
    assert row.source == "external"


def test_each_change_can_be_undone_and_is_known_as_today(memory: Memory, vault: Path) -> None:
    day = memory.work.today("One.").day
    memory.work.today("Two.")
    assert [change.op for change in memory.history()] == ["today", "today"]
    memory.undo()
    assert lines(read(vault, day))[0].endswith("One.")
    assert len(lines(read(vault, day))) == 1


def test_a_note_that_was_forgotten_begins_anew(memory: Memory, vault: Path) -> None:
    id_ = memory.work.today("One.").entry.id
    memory.forget(id_)
    assert memory.work.read_today()[1] is None
    memory.work.today("Two.")
    entry = memory.work.read_today()[1]
    assert entry is not None
    assert entry.id == id_
    assert re.fullmatch(r"- \d\d:\d\d Two\.\n", entry.text)
    memory.undo()
    memory.undo()
    entry = memory.work.read_today()[1]
    assert entry is not None
    assert re.fullmatch(r"- \d\d:\d\d One\.\n", entry.text)


def test_a_first_line_that_was_undone_does_not_come_back(memory: Memory) -> None:
    memory.work.today("One.")
    memory.undo()
    memory.work.today("Two.")
    entry = memory.work.read_today()[1]
    assert entry is not None
    assert "One." not in entry.text


def test_a_line_at_midnight_is_in_the_note_of_its_own_day(
    tmp_path: Path, vault: Path, berlin: None
) -> None:
    memory, clock = at(tmp_path, "2026-09-22T21:59:59Z")
    with memory:
        memory.work.today("Late.")
        clock.at += 1
        memory.work.today("Early.")
    assert lines(read(vault, "2026-09-22")) == ["- 23:59 Late."]
    assert lines(read(vault, "2026-09-23")) == ["- 00:00 Early."]


def test_an_hour_that_comes_twice_can_be_told_apart(
    tmp_path: Path, vault: Path, berlin: None
) -> None:
    memory, clock = at(tmp_path, "2026-10-25T00:30:00Z")
    with memory:
        memory.work.today("Summer.")
        clock.at += 3600
        memory.work.today("Winter.")
    assert lines(read(vault, "2026-10-25")) == ["- 02:30 Summer.", "- 02:30 (+01:00) Winter."]


def test_a_clock_that_is_set_back_loses_nothing(tmp_path: Path, vault: Path, berlin: None) -> None:
    memory, clock = at(tmp_path, "2026-09-22T12:00:00Z")
    with memory:
        memory.work.today("One.")
        clock.at -= 3600
        memory.work.today("Two.")
        clock.at -= 86_400
        memory.work.today("Three.")
    assert lines(read(vault, "2026-09-22")) == ["- 14:00 One.", "- 13:00 Two."]
    assert lines(read(vault, "2026-09-21")) == ["- 13:00 Three."]


def test_secrets_are_taken_out_and_the_rule_is_reported(memory: Memory, vault: Path) -> None:
    noted = memory.work.today(f"the key is {SECRET}")
    assert noted.redacted
    assert SECRET not in read(vault, noted.day)


def test_a_secret_as_the_name_of_a_project_is_taken_out_too(tmp_path: Path) -> None:
    with make_memory(tmp_path, project=SECRET) as memory:
        noted = memory.work.today("the proofs come on Friday")
    assert SECRET not in read(tmp_path / "vault", noted.day)


def test_the_project_it_is_said_in_stands_before_it(tmp_path: Path, vault: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        noted = memory.work.today("Rounding is done.")
    [line] = lines(read(vault, noted.day))
    assert line.endswith(" [billing] Rounding is done.")


@pytest.mark.parametrize("text", ["", " \n\t", "a\0b", "\ud800", "x" * 16_001])
def test_what_can_not_be_noted_is_refused_and_nothing_is_written(
    memory: Memory, vault: Path, text: str
) -> None:
    with pytest.raises(UsageError):
        memory.work.today(text)
    assert not (vault / "Memory" / "daily").exists()


def test_a_note_that_is_nearly_full_says_so_and_a_full_one_refuses(
    memory: Memory, vault: Path
) -> None:
    noted = memory.work.today("One.")
    assert not noted.nearly_full
    path = vault / "Memory" / "daily" / f"{noted.day}.md"
    path.write_text(path.read_text() + "x" * (MAX_NOTE_BYTES - 2000))
    assert memory.work.today("Two.").nearly_full
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is full"):
        memory.work.today("y" * 2000)
    assert path.read_bytes() == before


def test_a_note_that_can_not_be_read_is_left_alone(memory: Memory, vault: Path) -> None:
    path = vault / "Memory" / "daily" / f"{memory.work.read_today()[0]}.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nid: x\nnever closed\n")
    with pytest.raises(MalformedError):
        memory.work.today("One.")
    assert path.read_text() == "---\nid: x\nnever closed\n"


def test_many_processes_at_once_lose_no_line_and_stand_in_the_order_of_commits(
    memory: Memory, tmp_path: Path, vault: Path
) -> None:
    memory.work.today("line first")  # the vault and its day are there
    writers = [(vault, tmp_path / "state", n) for n in range(WRITERS)]
    run_well_at_once(WRITE, writers, tmp_path)
    notes = sorted((vault / "Memory" / "daily").glob("*.md"))
    found = [line for path in notes for line in lines(path.read_text())]
    told = [line.rpartition(" ")[2] for line in found if "line first" not in line]
    assert sorted(told, key=int) == [str(n) for n in range(WRITERS)]
    store = memory._ready()
    written = [bytes_after(store, change) for change in memory.history()[::-1]]
    last = [raw.decode().rstrip().rpartition("\n")[2] for raw in written]
    assert last == found
