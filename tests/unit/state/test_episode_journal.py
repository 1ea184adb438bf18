"""Recordings of episodes as files: the contract, killed holders, torn lines, full disks (S2.2)."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.episode_journal import BEGIN, NAME, EpisodeJournalContract, Reopen, names
from engrain.model.errors import StorageError
from engrain.state.episode_journal import EpisodeJournal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "episodes"


@pytest.fixture
def journal(folder: Path) -> EpisodeJournal:
    return EpisodeJournal(str(folder))


class TestFiles(EpisodeJournalContract):
    @pytest.fixture
    def reopen(self, folder: Path) -> Reopen:
        return lambda: EpisodeJournal(str(folder))


def test_looking_makes_nothing(journal: EpisodeJournal, folder: Path) -> None:
    assert names(journal) == []
    assert not folder.exists()


def test_nobody_else_can_read_a_recording(journal: EpisodeJournal, folder: Path) -> None:
    journal.begin(NAME, BEGIN)
    (file,) = folder.iterdir()
    assert file.name == f"{NAME}.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


HOLD = """
import sys, time
from engrain.state.episode_journal import EpisodeJournal
recording = EpisodeJournal(sys.argv[1]).begin(sys.argv[2], {"event": "begin"})
recording.append({"event": "action"})
print("held", flush=True)
time.sleep(60)
"""


def test_a_recording_is_left_the_moment_its_process_is_killed(
    journal: EpisodeJournal, folder: Path
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), NAME], stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        assert names(journal) == []
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    (left,) = journal.claim_left()
    assert [event["event"] for event in left.events()] == ["begin", "action"]
    left.discard()


@pytest.mark.parametrize(
    "broken", [b'{"event": "act', b"\0\0\0", b"[]\n", b"null\n", b"\xff\n", b"[" * 100_000 + b"\n"]
)
def test_a_line_that_can_not_be_read_costs_no_other(
    journal: EpisodeJournal, folder: Path, broken: bytes
) -> None:
    recording = journal.begin(NAME, BEGIN)
    recording.append({"event": "action"})
    with (folder / f"{NAME}.jsonl").open("ab") as file:
        file.write(broken)
    assert [event["event"] for event in recording.events()] == ["begin", "action"]


def test_a_file_that_never_got_its_name_is_no_recording_and_goes_in_time(
    journal: EpisodeJournal, folder: Path
) -> None:
    folder.mkdir(parents=True)
    for name in ("young", "old"):
        (folder / f"{name}.new").write_text('{"event": "begin"}\n')
    os.utime(folder / "old.new", (1000.0, 1000.0))
    assert names(journal) == []
    assert [path.name for path in folder.iterdir()] == ["young.new"]


def test_files_of_others_in_the_folder_are_no_recordings(
    journal: EpisodeJournal, folder: Path
) -> None:
    journal.begin(NAME, BEGIN).release()
    (folder / "notes.txt").write_text("x")
    assert names(journal) == [NAME]


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    journal = EpisodeJournal(str(tmp_path / "file" / "episodes"))
    with pytest.raises(StorageError, match="can't record an episode"):
        journal.begin(NAME, BEGIN)
    with pytest.raises(StorageError, match="can't look for recordings"):
        names(journal)


FULL_DISK = """
import resource, signal, sys
from engrain.model.errors import StorageError
from engrain.state.episode_journal import EpisodeJournal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
recording = EpisodeJournal(sys.argv[1]).begin(sys.argv[2], {"event": "begin"})
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    recording.append({"event": "action", "target": "x" * 200})
    print("kept")
except StorageError as error:
    print(error.code)
recording.append({"event": "end"})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_an_event_for_which_the_disk_has_no_room_is_told_and_costs_no_other(
    journal: EpisodeJournal, folder: Path
) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder), NAME],
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stdout.split() == ["storage"]
    (left,) = journal.claim_left()
    assert [event["event"] for event in left.events()] == ["begin", "end"]
    left.release()
