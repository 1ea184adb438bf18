"""progress.md: what was done, the newest last, and of many writers none lost (S1.4, S1.22)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engrain import Memory, UsageError
from support.vaults import START, FakeClock, make_memory, write_as

PLACE = "projects/harbour/progress.md"
TESTS = Path(__file__).parents[2]
WRITERS, PIECES = 8, 6
WRITE = """
import sys
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], project="harbour") as memory:
    for number in range(int(sys.argv[4])):
        memory.work.add_progress(f"piece {number} of writer {sys.argv[3]}.")
"""


def test_a_piece_has_its_time_and_the_newest_is_last(memory: Memory, clock: FakeClock) -> None:
    clock.at, clock.step = START, 0.0
    memory.work.add_progress("The drains lie.")
    clock.at += 60
    memory.work.add_progress("The wall stands.\n\nBoth of its ends, too.\n")
    assert memory.work.progress() == [
        ("2026-09-21T14:13:20Z", "The drains lie."),
        ("2026-09-21T14:14:20Z", "The wall stands.\nBoth of its ends, too."),
    ]


def test_eight_processes_write_and_nothing_is_lost(memory: Memory, tmp_path: Path) -> None:
    paths = os.pathsep.join((str(TESTS), *filter(None, sys.path)))
    writers = [
        subprocess.Popen(
            [
                sys.executable, "-c", WRITE, str(tmp_path / "vault"), str(tmp_path / "state"),
                str(number), str(PIECES),
            ],
            env={**os.environ, "PYTHONPATH": paths},
        )
        for number in range(WRITERS)
    ]  # fmt: skip
    assert [writer.wait(120) for writer in writers] == [0] * WRITERS
    said = sorted(text for _, text in memory.work.progress())
    assert said == sorted(
        f"piece {p} of writer {w}." for w in range(WRITERS) for p in range(PIECES)
    )
    memory.scan()
    assert {change.op for change in memory.history(PLACE)} == {"work"}, "each knows the others'"
    assert all(chain.wrong is None for chain in memory.verify())


def test_what_a_person_wrote_stays_before_it(memory: Memory, vault: Path) -> None:
    (vault / PLACE).parent.mkdir(parents=True)
    (vault / PLACE).write_text("# How far we are\n\nMine.\n\n## Last week\nLittle.")
    memory.work.add_progress("More.")
    text = (vault / PLACE).read_text()
    assert "# How far we are\n\nMine.\n\n## Last week\nLittle.\n\n## " in text
    assert [piece for _, piece in memory.work.progress()] == ["Mine.", "Little.", "More."]
    assert [heading for heading, _ in memory.work.progress()][:2] == ["", "Last week"]


def test_text_that_looks_like_another_piece_makes_none(memory: Memory) -> None:
    memory.work.add_progress("Done.\n## 2030-01-01T00:00:00Z\nForged.\n```\n")
    memory.work.add_progress("Next.")
    assert len(memory.work.progress()) == 2


@pytest.mark.parametrize("text", ["", " \n", "x" * 9000, "a\0b", "\ud800"])
def test_what_is_no_piece_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(UsageError):
        memory.work.add_progress(text)
    assert memory.work.progress() == []


def test_a_file_that_has_grown_long_leaves_its_older_half_to_the_archive(
    memory: Memory, vault: Path
) -> None:
    pieces = "".join(f"\n## piece {number}\n{'x' * 1000}\n" for number in range(140))
    write_as(memory, "agent", PLACE, f"---\nkind: progress\n---\n# Progress\n{pieces}")
    memory.work.add_progress("The newest.")
    kept = memory.work.progress()
    (archived,) = (vault / "_archive/projects/harbour").glob("progress-*.md")
    text = archived.read_text()
    assert len(kept) + text.count("\n## ") == 141
    assert kept[-1][1] == "The newest."
    assert "## piece 0\n" in text
    assert "status: archived" in text
    assert len((vault / PLACE).read_bytes()) < 80_000
    change = memory.history(PLACE)[0].change
    assert memory.history(str(archived.relative_to(vault)))[0].change == change, "in one commit"


def test_each_project_has_its_own(memory: Memory) -> None:
    memory.work.add_progress("Here.")
    memory.work.add_progress("There.", project="Other Town")
    assert [text for _, text in memory.work.progress("Other Town")] == ["There."]
    assert [text for _, text in memory.work.progress()] == ["Here."]


def test_it_is_found_by_recall(memory: Memory) -> None:
    memory.work.add_progress("The lighthouse lamp was replaced.")
    (found,) = memory.recall("lighthouse lamp").results
    assert found.row.kind == "progress"


def test_another_device_adds_to_it(memory: Memory, tmp_path: Path) -> None:
    memory.work.add_progress("One.")
    with make_memory(tmp_path, device="other", project="harbour", seed=8) as other:
        other.work.add_progress("Two.")
    memory.work.add_progress("Three.")
    assert [text for _, text in memory.work.progress()] == ["One.", "Two.", "Three."]


def test_what_a_person_wrote_without_sections_is_shown_first(memory: Memory, vault: Path) -> None:
    (vault / PLACE).parent.mkdir(parents=True)
    (vault / PLACE).write_text("# Harbour\n\n- drains: done\n- wall: half\n")
    assert memory.work.progress() == [("", "- drains: done\n- wall: half")]
    memory.work.add_progress("The wall stands.")
    assert [text for _, text in memory.work.progress()] == [
        "- drains: done\n- wall: half", "The wall stands."
    ]  # fmt: skip
    assert "- wall: half" in (vault / PLACE).read_text()
