"""A bit flips in a durable file: nothing else is lost, nothing hangs, and the change is shown."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.model.errors import VaultUnavailableError
from support.vaults import make_memory

NOTES = 12
FILES = {
    "a note": "Memory/fix/*.md",
    "a record": "Memory/entities/**/*.json",
    "the history": ".engrain/history/*/*.log",
    "the vault's description": ".engrain/vault.json",
}


def prepare(folder: Path) -> None:
    with make_memory(folder, trust="operator") as memory:
        for number in range(NOTES):
            memory.save(f"The crane {number} is greased in week {number}.",
                        title=f"Crane {number}", kind="fix")  # fmt: skip
        memory.facts.add("Foreman", "Foreman works at the harbour")
        changed = memory.show("crane-3").entry
        memory.edit(changed.id, expect=changed.hash, text="The crane 3 is greased in week 30.")
        memory.list()


def flip(path: Path, chance: random.Random) -> str:
    """Flip one bit of a file and return where."""
    raw = bytearray(path.read_bytes())
    at, bit = chance.randrange(len(raw)), chance.randrange(8)
    raw[at] ^= 1 << bit
    path.write_bytes(raw)
    return f"{path.name}, byte {at}, bit {bit}"


def read_others(memory: Memory, damaged: str) -> set[str]:
    return {
        str(row.title)
        for row in memory.list().rows
        if str(row.title).startswith("Crane") and not damaged.endswith(row.locator)
    }


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("file", FILES)
def test_a_flipped_bit_costs_no_other_entry(tmp_path: Path, file: str, count: int) -> None:
    prepare(tmp_path / "whole")
    chance = random.Random(file)
    for _ in range(count):
        folder = tmp_path / "run"
        shutil.copytree(tmp_path / "whole", folder, symlinks=True)
        path = chance.choice(sorted((folder / "vault").glob(FILES[file])))
        where = flip(path, chance)
        try:
            check(folder, path, file)
        except Exception as error:
            raise AssertionError(f"{file}: {where}") from error
        shutil.rmtree(folder)


def check(folder: Path, path: Path, file: str) -> None:
    """Use a vault with a damaged file."""
    try:
        make_memory(folder, trust="operator").close()
    except VaultUnavailableError as error:
        assert file == "the vault's description"
        assert error.remedy and error.remedy.startswith("remove .engrain/vault.json and run")
        path.unlink()
        with open_memory(folder / "vault", state_dir=folder / "state", create=True):
            pass
    with make_memory(folder, trust="operator") as memory:
        memory.scan()
        others = read_others(memory, str(path))
        assert len(others) >= NOTES - (file == "a note")
        for title in sorted(others)[:2]:
            assert memory.recall(f"when is the {title.lower()} greased?").results
        saved = memory.save("A new one after the damage.", title="After", kind="fix")
        assert memory.show(saved.id).entry.text.strip() == "A new one after the damage."
        wrong = [one for one in memory.trust.survey().chains if one.wrong]
        assert bool(wrong) == (file == "the history")
        memory.diagnose()
        memory.check(deep=True)
    with make_memory(folder, trust="operator") as memory:
        assert read_others(memory, str(path)) == others
        assert memory.show(saved.id).entry.title == "After"
