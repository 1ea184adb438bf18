"""What one warm recall costs, counted: statements of SQL, rows built, files read and parsed."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from engrain import Memory, open_memory
from engrain.backends import folder
from engrain.engine.core import store
from engrain.seam.rows import Row

NOTES = 200
LIMIT = 5
PER_RECALL = 24
"""Statements of a recall in a vault without links, whatever it asks and finds."""
WORDS = "the lock of the nightly harbour backup is taken by which crane before rotation"


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    counted: Counter[str] = Counter()

    def trace(*_: object) -> bool:
        counted["statements"] += 1
        return True

    def count(owner: object, name: str) -> None:
        method = getattr(owner, name)

        def counting(*given: object, **named: object) -> object:
            counted[name] += 1
            return method(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(Row, "__init__")
    count(folder._Reading, "read")
    count(store, "split_note")
    hook = lambda connection: connection.set_exec_trace(trace)  # noqa: E731 - to take it back
    apsw.connection_hooks.append(hook)
    yield counted
    apsw.connection_hooks.remove(hook)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an indexed vault and its state."""
    made = tmp_path_factory.mktemp("counted")
    folder = made / "vault" / "Memory" / "fix"
    folder.mkdir(parents=True)
    for number in range(NOTES):
        said = "lock, and a backup of harbour" if number % 20 == 0 else "driver at harbour"
        text = f"# Note {number}\n\nThe crane has a {said} {number}.\n"
        (folder / f"note-{number}.md").write_text(text)
    with open_memory(made / "vault", state_dir=made / "state", create=True) as memory:
        memory.reindex()
    return made


@pytest.fixture
def memory(place: Path, counts: Counter[str]) -> Iterator[Memory]:
    with open_memory(place / "vault", state_dir=place / "state") as memory:
        memory.recall("warm")
        yield memory


@pytest.mark.parametrize("query", ["crane", "lock backup", WORDS, "crane 7 #harbour [[note-9]]"])
def test_a_recall_asks_the_index_as_often_however_much_it_finds(
    memory: Memory, counts: Counter[str], query: str
) -> None:
    counts.clear()
    found = memory.recall(query, limit=LIMIT, scan=False)
    assert found.results or found.withheld
    assert counts["statements"] <= PER_RECALL


def test_no_statement_is_planned_again_for_other_words(memory: Memory) -> None:
    planned: list[object] = []

    def note(*about: object) -> int:
        planned.append(about)
        return apsw.SQLITE_OK

    for connection in gc.get_objects():
        if isinstance(connection, apsw.Connection):
            connection.set_authorizer(note)  # which itself has all statements planned again
    memory.recall(WORDS, scan=False)
    assert planned
    planned.clear()
    memory.recall(WORDS.replace("harbour", "driver"), scan=False)
    assert not planned


def test_each_file_that_is_looked_at_is_read_and_parsed_once(
    memory: Memory, counts: Counter[str]
) -> None:
    counts.clear()
    found = memory.recall("crane lock", limit=LIMIT, scan=False)
    assert len(found.results) == LIMIT
    assert counts["read"] == counts["split_note"] == LIMIT


def test_what_is_too_weak_to_be_shown_is_not_read_from_the_index(
    memory: Memory, counts: Counter[str]
) -> None:
    counts.clear()
    found = memory.recall("crane lock backup", limit=LIMIT, scan=False)
    assert len(found.results) == LIMIT
    assert counts["__init__"] <= NOTES / 3


@pytest.mark.parametrize("query", ["crane", "lock driver", WORDS, "harbour 7 note 40", "backup"])
def test_what_is_not_read_would_not_have_been_shown(memory: Memory, query: str) -> None:
    part, whole = (memory.recall(query, scan=False, explain=explain) for explain in (False, True))
    assert [(one.row.id, one.row.score) for one in part.results] == [
        (one.row.id, one.row.score) for one in whole.results
    ]
    assert (part.relevance, part.rejected, part.withheld) == (
        whole.relevance,
        whole.rejected,
        whole.withheld,
    )
