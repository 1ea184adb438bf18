"""After any sequence of operations every table of the index is what the files say: equal to one
that is built anew from them, and with the same answers."""

from __future__ import annotations

import random
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from engrain import EngrainError
from engrain.engine.core.scope import Scope
from engrain.engine.reindexing import compare_index
from engrain.model.errors import NotFoundError
from engrain.model.facts.fact import FactDraft
from engrain.seam.rows import Filter
from support.synced import Device, Synchroniser

WORDS = [
    "anchor", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbour", "iris",
    "juniper", "kestrel", "lagoon", "maple", "nectar", "osprey", "pebble", "quartz", "raven",
    "saffron", "thistle", "umber", "velvet", "willow", "yarrow", "zephyr",
]  # fmt: skip
TITLES = [
    "Alpha", "Beta", "Gamma ray", "Delta/Epsilon", "proj.alpha", "proj.beta", "Zeta", "alpha",
]  # fmt: skip
FOLDERS = ("", "Notes", "Notes/Deep", "Other", "Memory/domain-reference/kept")
RELATIONS = ("supersedes", "superseded_by", "related_to", "part_of", "contradicts")
STEPS = 14


def words(chance: random.Random, count: int = 6) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def make_link(chance: random.Random) -> str:
    name = chance.choice(TITLES)
    form = chance.choice(
        ["[[{0}]]", "[[{1}|{0}]]", "[[{0}|{1}]]", "[[{0}#Part]]", "[[Notes/{0}]]", "[[{2}:: {0}]]"]
    )
    return form.format(name, chance.choice([*TITLES, "a label"]), chance.choice(RELATIONS))


def make_text(chance: random.Random) -> str:
    lines = [words(chance) for _ in range(chance.randint(1, 3))]
    lines += [make_link(chance) for _ in range(chance.randrange(4))]
    if chance.random() < 0.3:
        lines += ["## Part", words(chance)]
    return "\n\n".join(lines)


def make_file(chance: random.Random) -> bytes:
    """A note as another program writes it, now and then a broken one."""
    fields = {
        "tags": f"[{chance.choice(WORDS)}]",
        "aliases": f"[{chance.choice(TITLES)}]",
        "supersedes": f"'[[{chance.choice(TITLES)}]]'",
        "status": chance.choice(["active", "superseded", "archived"]),
        "created": f"2026-0{chance.randint(1, 9)}-01T00:00:00Z",
        "id": chance.choice(["one", "two", "three"]),
        "thread": chance.choice(["talk", "walk"]),
    }
    kept = [f"{name}: {value}" for name, value in fields.items() if chance.random() < 0.3]
    if chance.random() < 0.05:
        kept.append("broken: [")
    front = "---\n" + "\n".join(kept) + "\n---\n" if kept else ""
    title = f"# {chance.choice(TITLES)}\n\n" if chance.random() < 0.6 else ""
    return f"{front}{title}{make_text(chance)}\n".encode()


class Play:
    """Two devices that do something at random, and a synchroniser between them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.folder = folder
        self.one = Device(folder, "one")
        self.other = Device(folder, "other", skew=chance.choice([-90_000.0, 0.0, 500.0]))
        self.devices = (self.one, self.other)
        self.one.memory.save("The first of all.", title="First", kind="fix")
        self.between = Synchroniser(self.one, self.other, chance)
        self.between.meet(torn=False)
        self.other.memory.scan()
        self.done: list[str] = []

    def close(self) -> None:
        for device in self.devices:
            device.close()

    def step(self) -> None:
        device = self.chance.choice(self.devices)
        verb = self.chance.choice(VERBS)
        self.done.append(f"{device.vault.parent.name} {verb}")
        device.clock.at += self.chance.randrange(100)
        with suppress(EngrainError):  # what can't be done just now is left out
            getattr(self, verb)(device)

    def pick(self, device: Device) -> str:
        rows = device.memory._ready().index.find(Filter())
        if not rows:
            raise NotFoundError("nothing is left")
        return self.chance.choice(sorted(rows, key=lambda row: row.locator)).id

    def place(self, device: Device) -> Path:
        """Some note of a device's vault."""
        found = sorted(path for path in device.vault.rglob("*.md") if ".engrain" not in path.parts)
        if not found:
            raise NotFoundError("no file is left")
        return self.chance.choice(found)

    # What Engrain does.
    def save(self, device: Device) -> None:
        title = self.chance.choice([*TITLES, None])
        device.memory.save(
            make_text(self.chance),
            title=title,
            kind=self.chance.choice(["fix", "decision", "insight", "domain-reference"]),
            tags=[self.chance.choice(WORDS)],
            project=self.chance.choice([None, None, "shop"]),
        )

    def edit(self, device: Device) -> None:
        entry = device.memory.show(self.pick(device)).entry
        device.memory.edit(entry.id, expect=entry.hash, text=make_text(self.chance))

    def evolve(self, device: Device) -> None:
        device.memory.evolve(self.pick(device), make_text(self.chance))

    def rename(self, device: Device) -> None:
        device.memory.rename(self.pick(device), self.chance.choice(TITLES))

    def link(self, device: Device) -> None:
        device.memory.link(self.pick(device), self.pick(device), self.chance.choice(RELATIONS))

    def undo(self, device: Device) -> None:
        device.memory.undo()

    def redo(self, device: Device) -> None:
        device.memory.redo()

    def merge(self, device: Device) -> None:
        device.memory.merge(self.pick(device), self.pick(device))

    def forget(self, device: Device) -> None:
        device.memory.forget(self.pick(device))

    def forget_several(self, device: Device) -> None:
        device.memory.forget_several([self.pick(device), self.pick(device)])

    def restore(self, device: Device) -> None:
        device.memory.restore(self.pick(device))

    def archive(self, device: Device) -> None:
        device.memory.archive(self.pick(device))

    def pin(self, device: Device) -> None:
        device.memory.pin(self.pick(device))

    def erase(self, device: Device) -> None:
        device.memory.erase(device.memory.plan_erasure([self.pick(device)]))

    def fold(self, device: Device) -> None:
        session = device.memory.sessions.begin()
        device.memory.recall(words(self.chance, 2), session=session)
        device.memory.sessions.end(session)

    def add_fact(self, device: Device) -> None:
        name, text = self.chance.choice(["Acme", "Bolt"]), f"It likes {words(self.chance, 2)}."
        device.memory.facts.add_all([FactDraft(name, text, entity_type="company")])

    def bring_in(self, device: Device) -> None:
        source = self.folder / "source"
        for _ in range(self.chance.randint(1, 4)):
            name = self.chance.choice(TITLES).replace("/", "-")
            folder = source / self.chance.choice(FOLDERS[:3])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.md").write_bytes(make_file(self.chance))
        device.memory.import_folder(str(source))

    def write_maps(self, device: Device) -> None:
        device.memory.links.map()

    # What other programs do.
    def put(self, device: Device) -> None:
        name = self.chance.choice(TITLES).replace("/", "-")
        folder = self.chance.choice(FOLDERS)
        path = f"{folder}/{name}.md" if folder else f"{name}.md"
        device.put(path, make_file(self.chance))

    def change(self, device: Device) -> None:
        place = self.place(device)
        raw = place.read_bytes()
        place.write_bytes(raw + f"\n{make_text(self.chance)}\n".encode())

    def remove(self, device: Device) -> None:
        self.place(device).unlink()

    def move(self, device: Device) -> None:
        place = self.place(device)
        to = device.vault / self.chance.choice(FOLDERS) / place.name
        to.parent.mkdir(parents=True, exist_ok=True)
        place.replace(to)

    def copy(self, device: Device) -> None:
        place = self.place(device)
        copy = f"{place.stem} (conflicted copy 2026-11-22)"
        place.with_name(self.chance.choice([copy, f"{place.stem} 2"]) + ".md").write_bytes(
            place.read_bytes() + self.chance.choice([b"", b"\nMore.\n"])
        )

    def meet(self, _: Device) -> None:
        self.between.meet()

    def meet_whole(self, _: Device) -> None:
        self.between.meet(torn=False)

    def scan(self, device: Device) -> None:
        device.memory.scan()

    def look(self, device: Device) -> None:
        device.memory.look()

    def reopen(self, device: Device) -> None:
        device.close()

    def reindex(self, device: Device) -> None:
        device.memory.reindex()


VERBS = [
    "save", "save", "save", "edit", "edit", "evolve", "rename", "link", "link", "undo", "redo",
    "merge", "forget", "forget_several", "restore", "archive", "pin", "erase", "fold", "add_fact",
    "bring_in", "write_maps", "put", "put", "put", "change", "remove", "move", "copy", "meet",
    "meet", "meet_whole", "scan", "look", "reopen", "reindex",
]  # fmt: skip
"""What may happen at a step; what is named more often happens more often."""


def compare(device: Device) -> list[str]:
    found = compare_index(device.memory._ready())
    assert found is not None
    return [
        f"{one.table}: {one.kept} kept [{one.kept_row}], {one.rebuilt} rebuilt [{one.rebuilt_row}]"
        for one in found
    ]


def ask(device: Device, questions: list[str]) -> list[list[str]]:
    scope = Scope(all_projects=True)
    return [
        [one.row.locator for one in device.memory.recall(question, scope=scope).results]
        for question in questions
    ]


def play(folder: Path, seed: int, steps: int = STEPS) -> None:
    game = Play(folder, seed)
    try:
        for number in range(steps):
            game.step()
            if number % 5 == 4 or number == steps - 1:
                for device in game.devices:
                    differences = compare(device)
                    assert not differences, (seed, device.vault.parent.name, game.done, differences)
        questions = [words(random.Random(f"{seed}-{n}"), 2) for n in range(50)]
        for device in game.devices:
            kept, heads = ask(device, questions), device.memory.heads
            device.memory.reindex()
            # A rebuild also merges copies that a scan passed over.
            if device.memory.heads != heads:
                kept = ask(device, questions)
                device.memory.reindex()
            assert kept == ask(device, questions), (seed, game.done)
    finally:
        game.close()


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(6)), pytest.param(range(1000, 1220), marks=pytest.mark.long)],
    ids=["few", "many"],
)
def test_after_any_operations_the_index_equals_the_rebuilt_one(
    tmp_path: Path, seeds: range
) -> None:
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            play(Path(folder), seed)
