"""Passages that only vectors found: those that are too far to be shown are not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.engine.recall.meaning import Distant
from engrain.seam.rows import Row

COPIES = 300
QUERIES = ("Which crane lifts the anchor at the harbour?", "Thank you, goodbye", "harbour crane")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a vault in which many notes say the same short thing, and its state."""
    made = tmp_path_factory.mktemp("distant")
    folder = made / "vault" / "Memory" / "fix"
    folder.mkdir(parents=True)
    for number in range(40):
        text = f"# Crane {number}\n\nThe harbour crane lifts the anchor of ship {number}.\n"
        (folder / f"crane-{number}.md").write_text(text)
    for number in range(COPIES):
        (folder / f"thanks-{number}.md").write_text("# Thanks\n\nMany thanks, see you soon.\n")
    return made


@pytest.fixture
def memory(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
    with open_memory(place / "vault", state_dir=place / "state", create=True) as memory:
        memory.embed()
        memory.recall("warm")
        yield memory


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many rows were read, and how many passages were distant."""
    counted: Counter[str] = Counter()
    make_row, set_apart = Row.__init__, Distant.__init__

    def make(*given: object, **named: object) -> None:
        counted["rows"] += 1
        make_row(*given, **named)  # type: ignore[arg-type]  # as given

    def apart(self: Distant, *given: object) -> None:
        set_apart(self, *given)  # type: ignore[arg-type]  # as given
        counted["distant"] += len(self.most)

    monkeypatch.setattr(Row, "__init__", make)
    monkeypatch.setattr(Distant, "__init__", apart)
    return counted


def test_a_text_of_many_notes_is_not_read_for_each_where_its_vector_is_too_far(
    memory: Memory, counts: Counter[str]
) -> None:
    found = memory.recall(QUERIES[0], scan=False)
    assert found.results
    assert found.model
    assert counts["distant"] >= COPIES
    assert counts["rows"] < COPIES / 3


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_too_far_to_be_read_would_not_have_been_shown(memory: Memory, query: str) -> None:
    part, whole = (memory.recall(query, scan=False, explain=explain) for explain in (False, True))
    assert [(one.row.id, one.row.score, one.text) for one in part.results] == [
        (one.row.id, one.row.score, one.text) for one in whole.results
    ]
    assert part.relevance == whole.relevance


def test_a_recall_without_an_answer_counts_what_is_distant_too(
    memory: Memory, counts: Counter[str]
) -> None:
    question = "Which vineyard near Zaragoza did Marguerite visit?"
    part, whole = (memory.recall(question, scan=False, explain=by) for by in (False, True))
    assert counts["distant"] >= COPIES
    assert part.rejected
    assert part.withheld == whole.withheld >= COPIES
    assert [one.row.id for one in part.nearest] == [one.row.id for one in whole.nearest]
