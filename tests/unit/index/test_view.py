"""What the SQLite index tells recall keeps the contract, and its figures hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.index_view import IndexViewContract, list_postings
from contracts.search_index import ANY, Reopen, document
from engrain.index import matching, sqlite_index
from engrain.index.rows import Matches
from engrain.index.sqlite_index import SearchIndex
from engrain.model.errors import IndexUnavailableError
from engrain.seam.batches import Batch
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter
from support.vaults import FakeClock


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Reopen]:
    opened: list[SearchIndex] = []

    def reopen() -> SearchIndex:
        opened.append(SearchIndex(str(tmp_path / "index"), FakeClock()))
        return opened[-1]

    yield reopen
    for index in opened:
        index.close()


class TestSqlite(IndexViewContract):
    @pytest.fixture
    def reopen(self, reopen: Reopen) -> Iterator[Reopen]:
        yield reopen


class TestSqliteWithSnapshots(IndexViewContract):
    """The same in a process that has searched before."""

    @pytest.fixture
    def reopen(self, reopen: Reopen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reopen]:
        monkeypatch.setattr(sqlite_index, "_FIRST", 0)
        yield reopen


def match(index: SearchIndex, text: str) -> Matches:
    with index.view() as view:
        return view.match(text, ANY, 99)


def test_the_passages_are_those_there_are_after_a_rebuild(reopen: Reopen) -> None:
    index = reopen()
    talk = [
        document(f"s{n}.md", "# S", kind="memory", source={"kind": "session", "ref": f"r{n % 2}"})
        for n in range(6)
    ]
    index.rebuild([Batch(documents=[*talk, *(document(f"{n}.md", "# N") for n in range(4))])])
    assert match(index, "word").passages == 10


@pytest.mark.parametrize(
    "only",
    [ANY, Filter(lasting=5.0), Filter(kinds=["fix"], statuses=["active"]), Filter(projects=[""])],
)
def test_searches_find_the_same_again_and_again(reopen: Reopen, only: Filter) -> None:
    index = reopen()
    notes = [
        document(f"{n}.md", "# Gate", kind="fix" if n % 2 else "idea", valid_to=f"197{n}-01-01")
        for n in range(8)
    ]
    index.rebuild([Batch(documents=[*notes, document("last.md", "# Gate", kind="fix")])])
    with index.view() as view:
        first, *others = [view.match("gate", only, 99) for _ in range(6)]
    assert first.met
    assert all(other.met == first.met for other in others)


def test_a_search_sees_what_another_process_wrote_since_the_last(reopen: Reopen) -> None:
    index, other = reopen(), reopen()
    index.rebuild([Batch(documents=[document(f"{n}.md", "# Gate") for n in range(3)])])
    only = Filter(statuses=["active"])

    def count() -> int:
        with index.view() as view:
            return len(view.match("gate", only, 99).met)

    assert [count() for _ in range(4)] == [3] * 4
    other.apply(Batch(documents=[document("new.md", "# Gate")]))
    assert count() == 4
    other.apply(Batch(documents=[document("0.md", "# Gate", status="archived")]))
    assert count() == 3
    other.apply(Batch(gone=[Locator("1.md")]))
    assert count() == 2
    other.rebuild([Batch(documents=[document("2.md", "# Gate")])])
    assert count() == 1


def test_editing_notes_again_and_again_makes_no_word_rarer(reopen: Reopen) -> None:
    index = reopen()
    index.rebuild([Batch(documents=[document(f"{n}.md", f"# Note {n}") for n in range(10)])])
    for turn in range(40):
        for n in range(9):
            index.apply(Batch(documents=[document(f"{n}.md", f"# Note {n} of {turn}")]))
        index.apply(Batch(documents=[document("9.md", f"# Note 9 of {turn}")]))
    assert match(index, "note").passages < 20


# -- words that are everywhere -------------------------------------------------------------------


def found(index: SearchIndex, text: str, only: Filter = ANY, most: int = 99) -> dict[str, set[str]]:
    """By word, the entries of the passages that were found for it."""
    with index.view() as view:
        matches = view.match(text, only, most)
        rows = view.rows([place[1] for places in list_postings(matches) for place in places])
    return {
        word: {rows[place[1]].id for place in places}
        for word, places in zip(matches.words, list_postings(matches), strict=True)
    }


@pytest.fixture
def common(reopen: Reopen, monkeypatch: pytest.MonkeyPatch) -> SearchIndex:
    """Sixty notes, where a word that twenty have is everywhere.

    `crane` is in all of them, `lock` in two of three, `harbour` in every second, `rare` in notes 3
    and 7, `lone` in note 5, which alone is of the project billing.
    """
    monkeypatch.setattr(matching, "_COUNTED", 20)
    index = reopen()
    notes = []
    for n in range(60):
        words = (
            ["crane"] + ["lock"] * (n % 3 > 0) + ["harbour"] * (n % 2) + ["rare"] * (n in (3, 7))
        )
        text = " ".join(words + ["lone"] * (n == 5))
        project = "billing" if n == 5 else "payroll"
        notes.append(document(f"{n}.md", f"# N\n\n{text}", id=f"e{n}", project=project))
    index.rebuild([Batch(documents=notes)])
    return index


def test_a_word_that_is_everywhere_speaks_for_what_rarer_ones_found_and_brings_nothing(
    common: SearchIndex,
) -> None:
    assert found(common, "crane rare lone") == {
        "crane": {"e3", "e5", "e7"}, "rare": {"e3", "e7"}, "lone": {"e5"},
    }  # fmt: skip
    assert found(common, "harbour lone rare lock crane")["harbour"] == {"e3", "e5", "e7"}
    assert found(common, "lock rare") == {"lock": {"e7"}, "rare": {"e3", "e7"}}


def test_where_all_words_are_everywhere_the_two_rarest_bring_what_there_is(
    common: SearchIndex,
) -> None:
    by_word = found(common, "crane lock harbour")
    assert len(by_word["lock"]) >= 20
    assert len(by_word["harbour"]) >= 20
    assert by_word["crane"] == by_word["lock"] | by_word["harbour"]
    with_all = {f"e{n}" for n in range(60) if n % 2 and n % 3}
    assert with_all <= by_word["lock"] & by_word["harbour"]


def test_a_word_alone_that_is_everywhere_brings_its_newest(common: SearchIndex) -> None:
    assert found(common, "crane") == {"crane": {f"e{n}" for n in range(40, 60)}}


@pytest.mark.parametrize("unknown", ["zebra", "zebra quagga", "zebra quagga okapi"])
def test_words_that_nobody_wrote_take_nothing_away_from_one_that_is_everywhere(
    common: SearchIndex, unknown: str
) -> None:
    assert found(common, f"crane {unknown}")["crane"] >= {f"e{n}" for n in range(40, 60)}
    assert found(common, f"rare crane {unknown}")["crane"] == {"e3", "e7"}


def test_a_rare_word_that_only_other_projects_have_hides_nothing_of_this_one(
    common: SearchIndex,
) -> None:
    only = Filter(projects=("payroll",))
    assert found(common, "lone", only) == {"lone": set()}
    assert found(common, "crane lone", only)["crane"]


def test_of_a_word_that_is_everywhere_the_frequency_is_an_estimate_of_all(
    common: SearchIndex,
) -> None:
    with common.view() as view:
        matches = view.match("crane harbour rare", ANY, 99)
    frequency = dict(zip(matches.words, matches.frequencies, strict=True))
    assert frequency["crane"] == pytest.approx(60, rel=0.1)
    assert frequency["harbour"] == pytest.approx(30, rel=0.1)
    assert frequency["rare"] == 2


@pytest.mark.parametrize(
    ("counts", "frequencies", "leading"),
    [
        ([], [], []),
        ([3], [3], [0]),
        ([3, 2000, 5], [3, 9000, 5], [0, 2]),
        ([2000, 2000, 2000], [9000, 4000, 7000], [1, 2]),
        ([2000], [9000], [0]),
        ([0, 3, 2000], [0, 3, 9000], [1]),
        ([1999, 2000], [1999, 2000], [0]),
    ],
)
def test_rare_words_lead_and_where_there_is_none_the_two_rarest(
    counts: list[int], frequencies: list[int], leading: list[int]
) -> None:
    assert sorted(matching._choose_leading(counts, frequencies)) == leading


def test_a_view_on_a_damaged_index_says_so(reopen: Reopen, tmp_path: Path) -> None:
    index = reopen()
    notes = [document(f"{n}.md", "# Note\n\n" + f"lock word{n} " * 60) for n in range(200)]
    index.rebuild([Batch(documents=notes)])
    index.close()
    (file,) = (tmp_path / "index").glob("index-*.sqlite")
    raw = bytearray(file.read_bytes())
    raw[8192:] = bytes(len(raw) - 8192)
    file.write_bytes(raw)
    with pytest.raises(IndexUnavailableError, match="corrupt"), reopen().view() as view:
        view.match("lock", ANY, 99)
