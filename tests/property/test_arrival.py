"""Whatever a synchroniser brings first, two devices come to know the same.

One device writes; another one gets its notes and the segments of its history in any order, the
segments cut at any byte, and looks in between. Once all is there on both, both have every record,
tell the same of every entry, and no `external` record stands uncancelled that a record explains.
"""

from __future__ import annotations

import random
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engrain import EngrainError
from engrain.backends import segments
from support.synced import HISTORY, Device, false_conclusions, records

SMALL_SEGMENT = 2500
"""Bytes of a segment here, so that a few changes fill several."""


def write_history(device: Device, chance: random.Random, changes: int) -> None:
    """Have a device make some changes of many kinds."""
    memory = device.memory
    ids: list[str] = []
    for number in range(changes):
        verb = chance.choice(["save", "save", "edit", "evolve", "forget", "archive", "pin", "undo"])
        if verb == "save" or not ids:
            text = " ".join(f"word{chance.randrange(10**9)}" for _ in range(20))
            ids.append(memory.save(text, title=f"Note {number}", kind="fix").id)
            continue
        id_ = chance.choice(ids)
        with suppress(EngrainError):  # what can't be done just now is left out
            entry = memory.show(id_).entry
            if verb == "undo":
                memory.undo()
            elif entry.status != "active":
                memory.restore(id_)
            elif verb == "edit":
                memory.edit(id_, expect=entry.hash, text=f"Edited {chance.randrange(10**9)}.")
            elif verb == "evolve":
                ids.append(memory.evolve(id_, f"Evolved {chance.randrange(10**9)}.").id)
            else:
                getattr(memory, verb)(id_)


def deliver(here: Device, there: Device, path: str, chance: random.Random) -> None:
    """Bring a file of one device to another; a part of a history first cut somewhere, perhaps."""
    raw = (there.vault / path).read_bytes() if (there.vault / path).exists() else None
    if raw and path.startswith(HISTORY) and chance.random() < 0.6:
        here.put(path, raw[: chance.randrange(len(raw))])
        if chance.random() < 0.7:
            here.memory.scan()
    here.put(path, raw)


def exchange(one: Device, other: Device, chance: random.Random) -> None:
    """Bring each device's own history and what notes differ to the other."""
    ours, theirs = one.files(), other.files()
    own = one.memory._ready().backend.device
    for path in set(ours) | set(theirs):
        if ours.get(path) == theirs.get(path):
            continue
        if path.startswith(HISTORY) and not path.startswith(f"{HISTORY}/{own}/"):
            one.put(path, theirs.get(path))
        else:
            other.put(path, ours.get(path))


@pytest.mark.parametrize("examples", [pytest.param(12), pytest.param(150, marks=pytest.mark.long)])
def test_in_any_order_of_arrival_both_devices_end_in_one_state_without_a_false_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", SMALL_SEGMENT)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2**32), changes=st.integers(4, 24))
    def check(seed: int, changes: int) -> None:
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            one, other = Device(Path(folder), "one"), Device(Path(folder), "other", skew=-90_000)
            try:
                bring_in_any_order(one, other, chance, changes)
            finally:
                one.close()
                other.close()

    check()


def bring_in_any_order(one: Device, other: Device, chance: random.Random, changes: int) -> None:
    one.memory.save("The first of all.", title="First", kind="fix")
    for path, raw in one.files().items():
        other.put(path, raw)
    if chance.random() < 0.5:
        other.memory.save("Said on the other one.", title="Other", kind="fix")
    write_history(one, chance, changes)
    todo = sorted({*one.files(), *other.files()})
    own = one.memory._ready().backend.device
    todo = [
        path for path in todo if path.startswith(f"{HISTORY}/{own}/") or "/history/" not in path
    ]
    todo = [path for path in todo if path in one.files()]
    chance.shuffle(todo)
    for path in todo:
        deliver(other, one, path, chance)
        if chance.random() < 0.4:
            other.memory.scan()
    for _ in range(3):  # what the last look recorded is to reach the other one too
        other.memory.scan()
        exchange(one, other, chance)
        one.memory.scan()
        exchange(one, other, chance)
    assert one.files() == other.files()
    expected = {name for name, _ in records(one.files())}
    for device in (one, other):
        assert false_conclusions(device.files()) == []
        shown = {change.change for change in device.memory.history()}
        assert shown <= expected
        # A note that the exchange itself took away was removed by another program indeed.
        assert not any(
            change.op == "external" and change.after_hash for change in device.memory.history()
        )
        assert all(report.wrong is None for report in device.memory.trust.survey().chains)
    assert one.state_of_entries() == other.state_of_entries()
    assert {row[3] for row in one.state_of_entries()} == {"operator"}
