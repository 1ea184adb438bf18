"""The whole path on real notes and real conversations."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.links.checking import count_links
from engrain.engine.reindexing import compare_index
from support.real_data import DATA, needs
from support.vaults import make_memory

VAULT = DATA / "vault-dendron"
LOCOMO = DATA / "locomo" / "locomo_dev.json"

# A question a reader of the notes may ask, and the stem of the note that answers it.
ASKED = {
    "what is the mission of the company": "dendron.mission-statement",
    "how do I publish with github actions": "dendron.topic.publish.cook.github-action",
    "senior full stack engineer role": "careers.senior-full-stack-engineer",
    "refactoring move selection to another note": (
        "dendron.topic.refactoring.commands.move-selection-to"
    ),
    "create scratch note command": "dendron.topic.special-notes.commands.create-scratch-note",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the vault and of its state."""
    return tmp_path_factory.mktemp("handbook")


@pytest.fixture(scope="module")
def imported(place: Path) -> Iterator[Memory]:
    with make_memory(place) as memory:
        memory.import_folder(str(VAULT), name="handbook")
        yield memory


def found(memory: Memory, question: str, **more: Any) -> list[str]:
    return [recalled.row.locator for recalled in memory.recall(question, **more).results]


@needs("vault-dendron")
def test_a_real_vault_is_taken_in_whole_and_its_links_still_resolve(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        done = memory.import_folder(str(VAULT), name="handbook")
        assert done.counts == {"created": len(list(VAULT.rglob("*.md")))}
        assert done.problems == []
        assert done.links > 3000
        assert done.broken / done.links < 0.06
        again = memory.import_folder(str(VAULT), name="handbook")
        assert again.counts == {"unchanged": done.counts["created"]}
        shown = memory.show("careers")
        assert [row for _, _, row in shown.links_from if row is None] == []


@needs("vault-dendron")
def test_the_index_of_a_real_import_is_the_index_of_its_files(imported: Memory) -> None:
    store = imported._ready()
    before = count_links(store)
    assert compare_index(store) == []
    imported.reindex()
    assert count_links(store) == before


@needs("vault-dendron")
def test_questions_find_the_right_notes_of_a_real_vault(imported: Memory) -> None:
    for question, stem in ASKED.items():
        paths = found(imported, question, profile="deep", limit=10)
        assert any(path.endswith(f"/{stem}.md") for path in paths), question


@needs("vault-dendron")
def test_a_deleted_index_makes_no_difference_to_what_comes_first(
    imported: Memory, place: Path
) -> None:
    """How many passages have a word that is everywhere is an estimate, so that notes of nearly the
    same worth may change places."""
    before = {question: found(imported, question)[:3] for question in ASKED}
    for index in (place / "state").rglob("index"):
        shutil.rmtree(index)
    assert {question: found(imported, question)[:3] for question in ASKED} == before


@needs("vault-dendron")
def test_an_edit_by_another_program_is_found_at_once(imported: Memory, place: Path) -> None:
    note = next((place / "vault").rglob("careers.mission.md"))
    with open(note, "a") as file:
        file.write("\nThe zorblatt protocol matters.\n")
    assert [path.rpartition("/")[2] for path in found(imported, "zorblatt")] == [note.name]


@needs("locomo")
def test_the_session_of_a_real_conversation_is_found(tmp_path: Path) -> None:
    """hit@5 by session, with room for whole sessions."""
    conversation = json.loads(LOCOMO.read_text())[0]
    with make_memory(tmp_path) as memory:
        for key, turns in conversation["conversation"].items():
            if re.fullmatch(r"session_\d+", key):
                text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
                memory.save(text, title=key.replace("_", " "), kind="memory")
        hits = asked = 0
        for question in conversation["qa"]:
            sessions = {
                f"session {int(number)}"
                for evidence in question.get("evidence", ())
                for number in re.findall(r"D(\d+):", evidence)
            }
            if question["category"] == 5 or not sessions:
                continue
            results = memory.recall(
                question["question"], profile="deep", limit=5, budget=50_000, scan=False
            ).results
            asked += 1
            hits += bool(sessions & {recalled.row.title for recalled in results})
    assert asked > 100
    assert hits / asked > 0.85
