"""Git as the synchroniser: two clones change, commit, pull and push; nothing acknowledged is lost,
and what git could not merge is named until somebody decides."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from engrain import Memory
from engrain.model.errors import EngrainError
from support.vaults import FakeClock, make_memory

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
NAMES = ("left", "right")


class Clone:
    """A device whose vault is a clone of one repository."""

    def __init__(self, folder: Path, name: str, clock: FakeClock) -> None:
        self.name = name
        self.vault = folder / name
        self._folder = folder
        self._clock = clock
        self._environ = {
            **os.environ,
            **{f"GIT_{who}_{what}": f"{name}@x" for who in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")},
        }  # fmt: skip

    def open(self) -> Memory:
        return make_memory(
            self._folder, name=self.name, device=f"{self.name}-state", clock=self._clock,
            trust="operator", seed=len(self.name),
        )  # fmt: skip

    def git(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            ["git", *words], cwd=self.vault, env=self._environ, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def pull(self) -> list[str]:
        """Commit and pull; return the files that git could not merge."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "work")
        self.git("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
        return self.list_conflicts()

    def list_conflicts(self) -> list[str]:
        return self.git("diff", "--name-only", "--diff-filter=U")[1].split("\n")[:-1]

    def resolve(self) -> None:
        """Remove git's marks from every file that has them, keeping what both wrote."""
        for name in self.list_conflicts():
            path = self.vault / name
            if path.exists():
                path.write_text(join_sides(path.read_text(encoding="utf-8")), encoding="utf-8")
        self.push()

    def push(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "merged")
        assert self.git("push", "--quiet", "origin", "HEAD:main")[0] == 0


def join_sides(text: str) -> str:
    """Return a note without git's marks: the first value of each field, and both bodies."""
    marks = ("<<<<<<<", "=======", ">>>>>>>")
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        key = line.partition(":")[0]
        repeated = kept.count("---\n") == 1 and any(one.startswith(f"{key}:") for one in kept)
        if not line.startswith(marks) and not repeated:
            kept.append(line)
    return "".join(kept)


@pytest.fixture
def clones(tmp_path: Path) -> list[Clone]:
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", "hub"],
                   cwd=tmp_path, check=True)  # fmt: skip
    clock = FakeClock()
    left, right = (Clone(tmp_path, name, clock) for name in NAMES)
    with left.open() as memory:
        memory.save("Both begin here.", title="Common", kind="fix")
    left.git("init", "--quiet", "--initial-branch=main")
    left.git("remote", "add", "origin", "../hub")
    left.push()
    subprocess.run(["git", "clone", "--quiet", "hub", "right"], cwd=tmp_path, check=True)
    return [left, right]


def test_a_file_that_git_could_not_merge_is_named_and_stops_nothing(clones: list[Clone]) -> None:
    left, right = clones
    for clone in clones:
        with clone.open() as memory:
            entry = memory.show("common").entry
            memory.edit(entry.id, expect=entry.hash, text=f"The {clone.name} one says so.")
            memory.save(f"Only {clone.name} knows.", title=f"Own {clone.name}", kind="fix")
    left.pull()
    left.push()
    assert right.pull() == ["Memory/fix/common.md"]
    with right.open() as memory:
        memory.scan()
        assert {row.title for row in memory.list().rows} >= {"Own left", "Own right"}
        assert memory.recall("what does only left know?").results
        named = [str(flaw) for flaw in memory.check().found]
        assert any("common.md" in one for one in named), named
        memory.save("Goes on.", title="Meanwhile", kind="fix")
    right.resolve()
    left.pull()
    for clone in clones:
        with clone.open() as memory:
            memory.scan()
            assert not any("common.md" in str(one) for one in memory.check().found)
            text = memory.show("common").entry.text
            assert "left one says" in text and "right one says" in text
            assert all(report.wrong is None for report in memory.trust.survey().chains)


@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.long)])
def test_two_clones_lose_nothing_that_was_acknowledged(clones: list[Clone], rounds: int) -> None:
    chance = random.Random(rounds)
    texts: dict[str, set[str]] = {}
    for round_ in range(rounds):
        for clone in clones:
            with clone.open() as memory:
                memory.scan()
                for step in range(chance.randrange(1, 5)):
                    act(memory, chance, f"{clone.name} {round_} {step}", texts)
            clone.pull()
            clone.resolve()
    for clone in (*clones, *clones):
        clone.pull()
        clone.resolve()
    found = []
    for clone in clones:
        with clone.open() as memory:
            memory.scan()
            rows = memory.list().rows
            found.append({row.id: memory.show(row.id).entry.text for row in rows})
            assert all(report.wrong is None for report in memory.trust.survey().chains)
            assert memory.check(deep=True).sound
    assert found[0] == found[1]
    for id_, expected in texts.items():
        assert any(one in found[0].get(id_, "") for one in expected), id_


def act(memory: Memory, chance: random.Random, mark: str, texts: dict[str, set[str]]) -> None:
    """Save a note or change one; note what may be there at the end."""
    rows = [row for row in memory.list().rows if row.id in texts]
    if rows and chance.random() < 0.4:
        row = chance.choice(rows)
        try:
            entry = memory.show(row.id).entry
            memory.edit(row.id, expect=entry.hash, text=f"Changed by {mark}.")
        except EngrainError:
            return
        texts[row.id].add(f"Changed by {mark}.")
    else:
        saved = memory.save(f"Written by {mark}.", title=f"Note {mark}", kind="fix")
        texts[saved.id] = {f"Written by {mark}."}
