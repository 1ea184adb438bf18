"""An erasure in a namespace of PostgreSQL reaches the history of every device, and names the copies
that it can't reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.model.history.record import decode_record
from engrain_team.postgres.admin import Administration
from team.servers import OWNER, shared_server

SECRET = "The vault door opens with tangerine-4711."


@pytest.fixture
def address() -> str:
    return shared_server().own_address(OWNER)


@pytest.fixture
def open_as(tmp_path: Path, address: str) -> Iterator[Callable[..., Memory]]:
    opened: list[Memory] = []

    def open_as(device: str, role: str = OWNER) -> Memory:
        place = address.replace(f"//{OWNER}@", f"//{role}@")
        opened.append(open_memory(place, state_dir=tmp_path / device, create=role == OWNER))
        return opened[-1]

    yield open_as
    for memory in opened:
        memory.close()


def read_kept(memory: Memory) -> bytes:
    """All text that the files and the histories of all devices have."""
    backend = memory._open_store().backend
    kept = [backend.read(seen.locator).raw for seen in backend.scan()]
    for device in backend.heads():
        for link in backend.chain(device):
            record = decode_record(link.line, link.payload)
            kept += [link.line, record.reason.encode()]
            for file in record.files or ():
                kept += [file.path.encode(), file.after or b""]
    return b"\n".join(kept)


def test_an_operator_erases_what_another_device_wrote(open_as: Callable[..., Memory]) -> None:
    laptop, desktop = open_as("laptop"), open_as("desktop")
    saved = laptop.save(SECRET, title="Door code", kind="fix")
    laptop.edit(saved.id, text="The vault door opens with tangerine-4712.", expect=saved.hash)
    desktop.save("Nothing to see here.", title="Another", kind="fix")
    assert b"tangerine" in read_kept(desktop)
    desktop.erase(desktop.plan_erasure([saved.id]))
    kept = read_kept(desktop)
    assert b"Nothing to see" in kept
    for text in (b"tangerine", b"Door code", b"door-code"):
        assert text not in kept
    assert not any(report.wrong for report in desktop.trust.survey().chains)
    assert [row.title for row in laptop.list().rows] == ["Another"]
    assert not any(report.wrong for report in laptop.trust.survey().chains)


def test_a_writer_erases_what_this_device_wrote(
    open_as: Callable[..., Memory], address: str
) -> None:
    laptop = open_as("laptop")
    laptop.save("Nothing to see here.", title="Another", kind="fix")
    admin = Administration(address.replace(f"//{OWNER}@", "//postgres@"))
    admin.set_access("erasing_writer", "writer")
    admin.close()
    writer = open_as("tablet", "erasing_writer")
    own = writer.save("The safe opens with papaya-1234.", title="Safe code", kind="fix")
    writer.erase(writer.plan_erasure([own.id]))
    assert b"papaya" not in read_kept(laptop)
    backend = writer._open_store().backend
    assert backend.erasable() == [backend.device]


def test_backups_that_an_erasure_does_not_reach_are_reported(
    open_as: Callable[..., Memory],
) -> None:
    memory = open_as("laptop")

    saved = memory.save(SECRET, title="Door code", kind="fix")
    said = "\n".join(memory.erase(memory.plan_erasure([saved.id])).unreachable)
    assert "write-ahead log" in said
    assert "dead rows" in said
