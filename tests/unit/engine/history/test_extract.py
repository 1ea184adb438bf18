"""`export_history` and `read_extract`: an extract proves itself without the vault (S3.8)."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from zlib import decompress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory
from engrain.model.errors import HistoryError, NotFoundError
from engrain.model.history.extracts import Extract, read_extract, write_trailer
from engrain.model.note.note import hash_bytes
from support.vaults import make_memory


def export(memory: Memory, reference: str | None = None, *, payloads: bool = True) -> bytes:
    return b"".join(memory.trust.export_history(reference, payloads=payloads))


def contents(raw: bytes) -> bytes:
    """Every byte of content that an extract has."""
    found = []
    for line in raw.splitlines():
        payload = json.loads(line)
        for file in (payload or {}).get("files", ()):
            found.append(file["path"].encode())
            if file["bytes"]:
                found.append(decompress(b64decode(file["bytes"])))
    return b"\n".join(found)


def resealed(lines: list[bytes]) -> bytes:
    """An extract whose last line is right, whatever was done to those before."""
    said = b"".join(line + b"\n" for line in lines[:-1])
    return said + write_trailer(hash_bytes(said)) + b"\n"


def is_sound(raw: bytes) -> bool:
    try:
        return read_extract(raw).sound
    except HistoryError:
        return False


@pytest.fixture(scope="module")
def two_devices(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An extract of all that two devices wrote."""
    folder = tmp_path_factory.mktemp("extract")
    with make_memory(folder, device="one") as memory:
        entry = memory.save("First.", title="One", kind="fix")
        memory.edit(entry.id, expect=entry.hash, text="Second.")
    with make_memory(folder, device="two", seed=8) as memory:
        memory.save("Third.", title="Two", kind="fix")
        memory.forget(entry.id, "of no use")
        return export(memory)


def test_an_extract_of_all_is_sound_and_tells_who_when_and_what(two_devices: bytes) -> None:
    extract = read_extract(two_devices)
    assert extract.sound
    assert sorted(chain.links for chain in extract.chains) == [2, 2]
    told = {one.record.op: one.record for chain in extract.chains for one in chain.records}
    assert set(told) == {"save", "edit", "forget"}
    assert told["forget"].reason == "of no use"
    assert told["edit"].files is not None
    assert told["edit"].files[0].path == "Memory/fix/one.md"
    for chain in extract.chains:
        assert chain.head in two_devices.decode()


def test_the_bytes_of_an_extract_are_those_of_the_history(memory: Memory, vault: Path) -> None:
    memory.save("First.", title="One", kind="fix")
    (segment,) = (vault / ".engrain" / "history").rglob("*.log")
    raw = export(memory)
    assert segment.read_bytes() in raw
    assert read_extract(raw).chains[0].head == hash_bytes(segment.read_bytes().splitlines()[0])


def test_about_one_entry_nothing_of_another_is_in_it(memory: Memory) -> None:
    entry = memory.save("Mine.", title="Mine", kind="fix")
    memory.save("A private thing.", title="Private", kind="fix")
    memory.edit(entry.id, expect=entry.hash, text="Mine, edited.")
    raw = export(memory, entry.id)
    extract = read_extract(raw)
    assert extract.sound
    assert extract.entry == entry.id
    assert [told.record.op for told in extract.chains[0].records] == ["save", "edit"]
    assert extract.chains[0].links == 3
    assert b"Mine, edited." in contents(raw)
    assert b"rivate" not in contents(raw)


def test_what_an_entry_replaced_is_told_with_it(memory: Memory) -> None:
    old = memory.save("Old.", title="One", kind="fix").id
    new = memory.evolve(old, "New.").id
    for entry in (old, new):
        extract = read_extract(export(memory, entry))
        assert extract.sound
        assert not any(told.withheld for told in extract.chains[0].records)


def test_a_change_of_several_entries_is_withheld_from_an_extract_about_one(
    memory: Memory, tmp_path: Path
) -> None:
    for name in ("mine", "private"):
        (tmp_path / "source").mkdir(exist_ok=True)
        (tmp_path / "source" / f"{name}.md").write_text(f"# {name}\nSecretly {name}.\n")
    memory.import_folder(str(tmp_path / "source"))
    raw = export(memory, "mine")
    assert read_extract(raw).sound
    assert [told.withheld for told in read_extract(raw).chains[0].records] == [True]
    assert contents(raw) == b""


def test_without_payloads_it_is_sound_and_has_no_content(memory: Memory) -> None:
    memory.save("Text.", title="One", kind="fix")
    raw = export(memory, payloads=False)
    assert read_extract(raw).sound
    assert contents(raw) == b""


def test_an_empty_history_has_an_extract(memory: Memory) -> None:
    assert read_extract(export(memory)).sound


def test_an_entry_that_never_was_has_none(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        export(memory, "01k8nothing")


@given(data=st.data())
def test_a_byte_that_was_flipped_is_noticed_wherever_it_is(
    two_devices: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(two_devices) - 1))
    to = data.draw(st.integers(0, 255).filter(lambda byte: byte != two_devices[at]))
    assert not is_sound(two_devices[:at] + bytes([to]) + two_devices[at + 1 :])


@given(data=st.data())
def test_an_extract_that_was_cut_or_went_on_is_noticed(
    two_devices: bytes, data: st.DataObject
) -> None:
    assert not is_sound(two_devices[: data.draw(st.integers(0, len(two_devices) - 1))])
    assert not is_sound(two_devices + data.draw(st.binary(min_size=1, max_size=40)))


def test_lines_that_were_dropped_doubled_or_moved_are_noticed_even_under_a_right_last_line(
    two_devices: bytes,
) -> None:
    lines = two_devices.splitlines()
    assert is_sound(resealed(lines))
    for at in range(len(lines) - 1):
        assert not is_sound(resealed([*lines[:at], *lines[at + 1 :]])), at
        assert not is_sound(resealed([*lines[:at], lines[at], *lines[at:]])), at
        swapped = [*lines]
        swapped[at], swapped[at - 1] = swapped[at - 1], swapped[at]
        if at not in (0, len(lines) - 1):
            assert not is_sound(resealed(swapped)), at
    pairs = [lines[0], *lines[3:5], *lines[1:3], *lines[5:]]
    assert not is_sound(resealed(pairs))


def test_a_record_that_was_written_anew_is_noticed_under_a_right_last_line(
    two_devices: bytes,
) -> None:
    lines = two_devices.splitlines()
    for at in range(1, len(lines) - 1, 2):
        head = json.loads(lines[at])
        head["op"] = "nothing"
        forged = [*lines]
        forged[at] = json.dumps(head, separators=(",", ":")).encode()
        assert not is_sound(resealed(forged)), at


def test_a_payload_that_was_emptied_is_not_taken_for_erased(two_devices: bytes) -> None:
    lines = two_devices.splitlines()
    extract = read_extract(resealed([*lines[:2], b"{}", *lines[3:]]))
    assert not extract.sound
    assert "no record says that it was erased" in str(extract.chains[0].wrong)


def test_what_was_erased_stays_out_and_the_extract_is_sound(memory: Memory) -> None:
    entry = memory.save("A canary.", title="One", kind="fix").id
    other = memory.save("Another.", title="Two", kind="fix").id
    memory.erase(memory.plan_erasure([entry]))
    for reference in (None, entry, other):
        raw = export(memory, reference)
        assert read_extract(raw).sound
        assert b"canary" not in contents(raw)
    told = read_extract(export(memory, entry)).chains[0].records
    assert [one.erased for one in told if one.record.op == "save"] == [True]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"null\n",
        b"[" * 100_000,
        b'{"engrain_extract":1}\n',
        b'{"engrain_extract":1,"vault":"v","entry":null,"devices":[{"device":"d","records":true,'
        b'"head":"h"}]}\n',
        b'{"engrain_extract":1,"vault":"v","entry":null,"devices":[{"device":1,"records":1,'
        b'"head":"h"}]}\n',
        b"\xff\xfe",
    ],
)
def test_what_is_no_extract_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(HistoryError, match="no extract"):
        read_extract(raw)


def test_a_format_of_the_future_is_named(two_devices: bytes) -> None:
    with pytest.raises(HistoryError, match="format 2"):
        read_extract(two_devices.replace(b'"engrain_extract":1', b'"engrain_extract":2', 1))


def test_a_header_that_promises_more_than_there_is_takes_no_time() -> None:
    header = {"device": "d", "records": 10**15, "head": "h"}
    raw = json.dumps({"engrain_extract": 1, "vault": "v", "entry": None, "devices": [header]})
    extract: Extract = read_extract(raw.encode() + b"\n")
    assert not extract.sound
