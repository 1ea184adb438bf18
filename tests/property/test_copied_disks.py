"""Two devices, a copied disk, clocks that disagree, and files that arrive in any order.

Both do many operations while a synchroniser carries files between them in any order, history cut at
any byte. Now and then one device's disk is copied over the other's, so that both write with one id.
In the end no acknowledged text is lost, no false record stands uncancelled, every chain is
unbroken, and both tell the same.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from engrain import EngrainError
from engrain.backends import segments
from support.synced import HISTORY, Device, Synchroniser, false_conclusions, records

DAY = 86400.0


class Work:
    """What is done on the two devices, and every text that was acknowledged; of them those that
    went into structured files."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.said: set[str] = set()
        self.structured: set[str] = set()
        self.done = 0

    def do(self, device: Device) -> None:
        memory, chance = device.memory, self.chance
        self.done += 1
        word = f"w{chance.getrandbits(60):015x}"
        verb = chance.choice(["save"] * 5 + ["edit", "evolve", "forget", "pin", "fact", "today"])
        # An edit of a day's note would rightly take out what was said there.
        rows = [row for row in memory.list(limit=30).rows if row.kind == "fix"]
        try:
            if verb == "fact":
                memory.facts.add(f"Person{chance.randrange(9)}", f"likes the colour {word}.")
            elif verb == "today":
                memory.work.today(f"Today {word}.")
            elif verb == "save" or not rows:
                memory.save(f"Text {word}.", title=f"Note {word[:8]}", kind="fix")
            else:
                row = chance.choice(rows)
                if verb == "edit":
                    memory.edit(row.id, expect=row.hash, text=f"Edited {word}.")
                elif verb == "evolve":
                    memory.evolve(row.id, f"Evolved {word}.")
                else:
                    getattr(memory, verb)(row.id)
                    return
        except EngrainError:
            return  # refused, so nothing was acknowledged
        self.said.add(word)
        if verb in ("fact", "today"):
            self.structured.add(word)


def copy_disk(source: Device, target: Device) -> None:
    """Have one device be a copy of another one's disk, with its id and its notes of the vault."""
    source.close()
    target.close()
    for folder in (target.vault, target.state):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source.vault, target.vault)
    shutil.copytree(source.state, target.state)
    found = target.vault.stat()
    (kept,) = (target.state / "vaults").iterdir()
    vault = kept.name.split("-")[0]
    kept.rename(kept.with_name(f"{vault}-{found.st_dev:x}-{found.st_ino:x}"))


def id_of(device: Device) -> str:
    return (device.state / "device").read_text().strip()


@pytest.mark.parametrize(
    ("operations", "meetings", "clones"),
    [pytest.param(200, 8, 3), pytest.param(2000, 40, 4, marks=pytest.mark.long)],
)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_nothing_that_two_devices_were_told_is_lost_or_ascribed_to_another_program(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    operations: int,
    meetings: int,
    clones: int,
) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 16_000)
    chance = random.Random(seed)
    one, other = Device(tmp_path, "one"), Device(tmp_path, "other", skew=-3 * DAY)
    work = Work(chance)
    try:
        one.memory.save("The first of all.", title="First", kind="fix")
        copy_disk(one, other)
        synchroniser = Synchroniser(one, other, chance)
        synchroniser.meet(torn=False)
        for meeting in range(meetings):
            if meeting and meeting % (meetings // clones) == 0:
                for _ in range(3):
                    settle(one, other, synchroniser)
                copy_disk(*chance.sample([one, other], 2))
                synchroniser.meet(torn=False)
            for _ in range(operations // meetings):
                work.do(chance.choice([one, other]))
            synchroniser.meet()
        for _ in range(6):
            settle(one, other, synchroniser)
        assert work.done >= operations - meetings
        assert one.files() == other.files()
        for device in (one, other):
            check(device, work)
        assert one.state_of_entries() == other.state_of_entries()
        assert id_of(one) != id_of(other)
    finally:
        one.close()
        other.close()


def settle(one: Device, other: Device, synchroniser: Synchroniser) -> None:
    """Have both look, and bring all that differs."""
    for device in (one, other):
        device.memory.scan()
        synchroniser.meet(torn=False)


def check(device: Device, work: Work) -> None:
    files = device.files()
    assert not [path for path in files if path.startswith(HISTORY) and "conflict" in path]
    told = b"\n".join(
        file.after for _, record in records(files) for file in record.files or () if file.after
    ).decode()
    assert [word for word in work.said if word not in told] == []
    live = "".join(
        raw.decode()
        for path, raw in files.items()
        if not path.startswith(HISTORY) and "conflict" not in path
    )
    assert [word for word in work.structured if word not in live] == []
    assert false_conclusions(files) == []
    assert {report.wrong for report in device.memory.trust.survey().chains} == {None}
    shown = {change.change for change in device.memory.history()}
    assert shown <= {name for name, _ in records(files)}
