"""Session journals as files: the contract, hostile ids, broken files, several processes (S1.20)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.session_journal import SESSIONS, Reopen, SessionJournalContract
from engrain.model.errors import StorageError
from engrain.seam.journal import Event
from engrain.state.journals import SessionJournal

PARTS = [
    "..",
    ".",
    "/",
    "\\",
    "~",
    "a",
    "B",
    ":",
    "\0",
    "\n",
    "é",
    "\ud800",
    "-",
    "_",
    " ",
    "x" * 90,
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sessions"


@pytest.fixture
def journal(folder: Path) -> SessionJournal:
    return SessionJournal(str(folder))


class TestFiles(SessionJournalContract):
    @pytest.fixture
    def reopen(self, folder: Path) -> Reopen:
        return lambda: SessionJournal(str(folder))


def names(journal: SessionJournal, session: str) -> list[str]:
    return [event.name for event in journal.read(session)]


# -- where it is written -------------------------------------------------------------------------


@given(session=st.one_of(st.text(st.characters()), st.lists(st.sampled_from(PARTS)).map("".join)))
@example("../../outside")
@example("closed/x")
@example("closed")
def test_whatever_a_session_is_called_nothing_is_written_outside_of_the_folder(
    session: str,
) -> None:
    with tempfile.TemporaryDirectory() as around:
        folder = Path(around, "a", "b", "sessions")
        journal = SessionJournal(str(folder))
        journal.append(session, Event("start", 1.0))
        assert names(journal, session) == ["start"]
        journal.close(session)
        journal.append(session, Event("stop", 2.0))
        journal.close(session)
        assert names(journal, session) == ["start", "stop"]
        (file,) = (path for path in Path(around).rglob("*") if path.is_file())
        assert file.parent == folder / "closed"
        assert file.name.isascii()
        assert len(file.name) < 100


@given(one=st.text(st.characters()), other=st.text(st.characters()))
@example("s1", "S1")
@example("\ud800", "\udfff")
@example("?", "\udc80")
def test_two_sessions_never_share_a_journal(one: str, other: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = SessionJournal(folder)
        journal.append(one, Event("of one", 1.0))
        assert names(journal, other) == (["of one"] if one == other else [])


def test_nobody_else_can_read_a_journal(journal: SessionJournal, folder: Path) -> None:
    journal.append("s1", Event("start", 1.0))
    assert stat.S_IMODE((folder / "s1.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "closed").stat().st_mode) == 0o700


def test_looking_makes_nothing(journal: SessionJournal, folder: Path) -> None:
    journal.read("s1")
    journal.close("s1")
    journal.idle_since(2e9)
    assert not folder.exists()


def test_an_event_is_a_line_that_anyone_can_read(journal: SessionJournal, folder: Path) -> None:
    journal.append("s1", Event("given", 1.5, {"ids": ["01a", "01b"], "transcript": "é\n\u2028"}))
    (line,) = (folder / "s1.jsonl").read_bytes().split(b"\n")[:-1]
    assert line.isascii()
    assert json.loads(line) == {
        "event": "given", "at": 1.5, "ids": ["01a", "01b"], "transcript": "é\n\u2028",
    }  # fmt: skip


# -- what is broken ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        b"", b"\0\0\0\0", b"{", b"[]", b"null", b"1", b'"start"', b"{}", b'{"event": "x"}',
        b'{"at": 1}', b'{"event": "x", "at": "soon"}', b'{"event": "x", "at": null}',
        b'{"event": "x", "at": [1]}', b"\xff\xfe", b"[" * 100_000,
        b'{"event": "x", "at": 1' + b"0" * 5000 + b"}",
    ],
    ids=lambda raw: ascii(raw[:20]),
)  # fmt: skip
def test_a_line_that_can_not_be_read_is_passed_over(
    journal: SessionJournal, folder: Path, broken: bytes
) -> None:
    journal.append("s1", Event("start", 1.0))
    with (folder / "s1.jsonl").open("ab") as file:
        file.write(broken + b"\n")
    journal.append("s1", Event("stop", 2.0))
    assert names(journal, "s1") == ["start", "stop"]


@pytest.mark.parametrize("torn", [b'{"event": "giv', b"\0" * 30, b'{"event": "given", "at": 1.0}'])
def test_a_line_that_was_torn_off_costs_no_later_event(
    journal: SessionJournal, folder: Path, torn: bytes
) -> None:
    journal.append("s1", Event("start", 1.0))
    with (folder / "s1.jsonl").open("ab") as file:
        file.write(torn)
    journal.append("s1", Event("stop", 2.0))
    assert names(journal, "s1")[-1] == "stop"


def test_of_a_huge_journal_the_end_is_read(journal: SessionJournal, folder: Path) -> None:
    journal.append("s1", Event("start", 1.0))
    journal.append("s1", *(Event("given", float(n), {"ids": ["i" * 1000]}) for n in range(6000)))
    events = journal.read("s1")
    assert 3000 < len(events) < 6000
    assert [event.at for event in events] == [
        float(6000 - len(events) + n) for n in range(len(events))
    ]


def test_files_of_others_in_the_folder_are_no_sessions(
    journal: SessionJournal, folder: Path
) -> None:
    journal.append("s1", Event("start", 1.0))
    (folder / "notes.txt").write_text("x")
    assert list(journal.idle_since(9e9)) == ["s1"]


def test_a_session_is_idle_by_when_its_journal_was_written_last(
    journal: SessionJournal, folder: Path
) -> None:
    journal.append("s1", Event("start", 1.0))
    journal.append("s2", Event("start", 1.0))
    os.utime(folder / "s1.jsonl", (1000.0, 1000.0))
    assert list(journal.idle_since(1000.0)) == []
    assert list(journal.idle_since(1000.5)) == ["s1"]


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda journal: journal.append("s1", Event("start", 1.0)), "note what happened"),
        (lambda journal: journal.read("s1"), "read"),
        (lambda journal: journal.close("s1"), "close"),
        (lambda journal: journal.idle_since(2e9), "look for sessions"),
    ],
    ids=["append", "read", "close", "idle_since"],
)
def test_a_folder_that_is_none_is_reported(tmp_path: Path, call: object, what: str) -> None:
    assert callable(call)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match=what) as caught:
        call(SessionJournal(str(tmp_path / "file" / "sessions")))
    assert str(tmp_path) in (caught.value.path or "")
    assert "\n" not in caught.value.message


FULL_DISK = """
import resource, signal, sys
from engrain.model.errors import StorageError
from engrain.seam.journal import Event
from engrain.state.journals import SessionJournal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = SessionJournal(sys.argv[1])
journal.append("s1", Event("start", 1.0))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    journal.append("s1", Event("stop", 2.0, {"transcript": "x" * 200}), Event("end", 2.0))
    print("kept")
except StorageError as error:
    print(error.code)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_an_event_for_which_the_disk_has_no_room_is_reported_and_costs_no_other(
    journal: SessionJournal, folder: Path
) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder)], capture_output=True, text=True, check=True
    )
    assert child.stdout.split() == ["storage"]
    journal.append("s1", Event("stop", 3.0))
    assert names(journal, "s1") == ["start", "stop"]


# -- several processes ---------------------------------------------------------------------------

WRITER = """
import sys
from engrain.seam.journal import Event
from engrain.state.journals import SessionJournal
for n in range(150):
    SessionJournal(sys.argv[1]).append("s1", Event(sys.argv[2], float(n), {"text": "x" * 3000}))
"""


def test_processes_that_append_at_once_lose_nothing(journal: SessionJournal, folder: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(n)]) for n in range(3)
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    events = journal.read("s1")
    for n in range(3):
        assert [event.at for event in events if event.name == str(n)] == [*map(float, range(150))]


OPEN_AND_CLOSE = """
import sys
from engrain.model.errors import StorageError
from engrain.seam.journal import Event
from engrain.state.journals import SessionJournal
journal = SessionJournal(sys.argv[1])
n = 0
while n < 3000:
    try:
        if sys.argv[2] == "close":
            journal.close("s1")
        else:
            journal.append("s1", Event("given", float(n)))
        n += 1
    except StorageError:
        pass  # it waited as long as it does, and said so
"""


def test_no_event_is_lost_that_comes_while_another_process_closes(
    journal: SessionJournal, folder: Path
) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", OPEN_AND_CLOSE, str(folder), what])
        for what in ("append", "close")
    ]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    assert [event.at for event in journal.read("s1")] == [*map(float, range(3000))]


def test_every_hostile_name_has_a_journal_of_its_own(journal: SessionJournal) -> None:
    for number, session in enumerate(SESSIONS):
        journal.append(session, Event("start", float(number)))
    for number, session in enumerate(SESSIONS):
        assert [event.at for event in journal.read(session)] == [float(number)]


def test_every_session_that_has_ended_is_listed_whether_settled_or_not(
    journal: SessionJournal,
) -> None:
    for session in ("settled", "closed", "open"):
        journal.append(session, Event("start", 1.0))
    for session in ("settled", "closed"):
        journal.close(session)
    journal.close_session("settled")
    assert set(journal.ended()) == {"closed", "settled"}
    journal.append("settled", Event("start", 2.0))
    assert set(journal.ended()) == {"closed"}
    before = journal.ended()["closed"]
    assert abs(time.time() - before) < 60
