"""A backup is the vault at one moment, whoever writes meanwhile."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.engine.diagnosis import OK
from engrain.model.errors import NotFoundError
from engrain.model.history.record import decode_record
from engrain.model.note.note import hash_bytes
from support.vaults import make_memory

_WRITER = """
import itertools, sys
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    for number in itertools.count():
        saved = memory.save(f"Note {number} of the writer.", title=f"Written {number}")
        memory.edit(saved.id, text=f"Note {number}, edited.", expect=saved.hash)
        if number % 3 == 0:
            memory.rename(saved.id, f"Renamed {number}")
        if number % 3 == 1:
            memory.evolve(saved.id, f"Note {number}, evolved.")
        print(number, saved.id, flush=True)
"""
_BACKUPS = 5


def unpack(memory: Memory, folder: Path) -> Path:
    with tarfile.open(fileobj=io.BytesIO(b"".join(memory.backup()))) as tar:
        tar.extractall(folder, filter="data")
    return folder / "vault"


def check_history(vault: Path, memory: Memory) -> None:
    """Each file is as the last change about it left it, and no other program's edit was met."""
    backend = memory._open_store().backend
    left: dict[str, str | None] = {}
    for device in backend.heads():
        for link in backend.chain(device):
            record = decode_record(link.line, link.payload)
            assert record.op != "external"
            left.update((file.path, file.after_hash) for file in record.files or ())
    there = {str(path.relative_to(vault)): path for path in vault.rglob("Memory/**/*.md")}
    assert {path for path, hash_ in left.items() if hash_} == there.keys()
    for path, file in there.items():
        assert hash_bytes(file.read_bytes()) == left[path]


def test_a_backup_during_writes_opens_and_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.save("The first note.", title="First")
        command = [sys.executable, "-c", _WRITER, str(tmp_path / "vault"), str(tmp_path / "state")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            try:
                known = []
                for number in range(_BACKUPS):
                    known += [writer.stdout.readline().split()[1] for _ in range(8)]
                    vault = unpack(memory, tmp_path / f"copy-{number}")
                    state = tmp_path / f"state-{number}"
                    with open_memory(vault, state_dir=state, backend="device-local") as copy:
                        assert [one for one in copy.diagnose() if one.level != OK] == []
                        assert copy.check(deep=True).found == []
                        for id_ in known:
                            assert "Note" in copy.show(id_).entry.text
                        check_history(vault, copy)
                assert writer.poll() is None
            finally:
                writer.kill()


def test_a_vault_that_is_no_folder_says_what_to_do_instead() -> None:
    with (
        open_memory("ram:backup", backend="ram", create=True) as memory,
        pytest.raises(NotFoundError, match="no folder"),
    ):
        memory.backup()
