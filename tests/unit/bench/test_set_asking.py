from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

from bench.sets.asking import fill, measure_set
from bench.sets.benchmarks import read_locomo, read_longmemeval
from bench.sets.haystacks import Haystack, Passage, QuestionSet
from bench.sets.measurement import NAMELESS, PLAIN, VECTORS_ONLY, ranking_profile
from bench.sets.plain_search import make_plain_search
from bench.sets.question_set import GoldQuestion
from bench.sets.summary import MeasurementReport

from engrain import Memory
from engrain.engine.recall import ranking
from engrain.engine.recall.profiles import choose_profile
from support.conversations import make_locomo, make_longmemeval

_Opener = Callable[..., AbstractContextManager[Memory]]


def _passage(id_: str, text: str) -> Passage:
    return Passage(id_, "Nora", text, thread="conv/S1", created=1_600_000_000.0)


def test_an_answer_names_what_was_found_as_the_question_set_does(open_temporary: _Opener) -> None:
    with open_temporary() as memory:
        respondent = fill(
            memory, [_passage("D1:1", "Nora: my kitten"), _passage("D1:2", "Nora: my telescope")]
        )
        answer = respondent.answer("telescope", ranking_profile(choose_profile(None)))
    assert answer.ids == ("D1:2", "D1:1"), "its neighbour in the thread has the word by it"
    assert not answer.silent
    assert answer.milliseconds > 0


def test_the_same_words_said_twice_are_two_entries(open_temporary: _Opener) -> None:
    with open_temporary() as memory:
        fill(memory, [_passage("a", "Nora: thanks"), _passage("b", "Nora: thanks")])
        assert memory.list().total == 2


def test_a_passage_keeps_its_time_and_thread_but_not_its_id(open_temporary: _Opener) -> None:
    with open_temporary() as memory:
        fill(memory, [_passage("answer_1", "Nora: my kitten")])
        (row,) = memory.list().rows
        raw = memory.show(row.id).entry.note.raw.decode()
    assert row.created == 1_600_000_000.0
    assert row.title == "Nora"
    assert "conv/S1" in raw
    assert "answer_1" not in raw


def test_every_question_is_asked_of_every_unit(open_temporary: _Opener) -> None:
    asked = read_locomo(make_locomo())
    done: list[tuple[int, int | None]] = []
    measured = measure_set(
        asked,
        choose_profile(None),
        open_temporary,
        units=("turn", "session"),
        progress=lambda count, total: done.append((count, total)),
    )
    ids = ["conv-1/0", "conv-1/1", "conv-1/2", "conv-2/0", "conv-2/1", "conv-2/2"]
    for unit in ("turn", "session"):
        assert [ranking.question.id for ranking in measured.rankings[unit]] == ids
    asked_of = [count for count, total in done if total == 24]
    assert asked_of == list(range(1, 25)), "twelve rankings, six own and six foreign for silence"
    assert done[:4] == [(1, 4), (2, 4), (3, 4), (4, 4)], "filing comes first"


def test_what_is_said_in_the_question_is_found(open_temporary: _Opener) -> None:
    asked = read_locomo(make_locomo())
    measured = measure_set(
        asked, choose_profile(None), open_temporary, units=("turn",), make_search=make_plain_search
    )
    report = MeasurementReport("locomo", measured)
    assert report.units["turn"].whole.means["hit@5"] == 1
    assert set(report.baselines) - {VECTORS_ONLY} == {
        "FTS5, all words",
        "FTS5, content words",
        "FTS5 passages, all words",
        "FTS5 passages, content words",
    }
    assert all(units["turn"].n == 6 for units in report.baselines.values())
    assert report.baselines["FTS5, all words"]["turn"].means["hit@5"] > 0.5


def test_baselines_are_asked_only_where_a_search_is_given(open_temporary: _Opener) -> None:
    asked = read_locomo(make_locomo())
    measured = measure_set(asked, choose_profile(None), open_temporary, units=("session",))
    assert measured.baselines == {}


def test_what_is_served_is_measured_beside_the_bare_ranking(open_temporary: _Opener) -> None:
    """The threshold withholds everything here, the ranking nothing."""
    asked = read_locomo(make_locomo())
    with patch.object(ranking, "estimate_relevance", return_value=0.0):
        measured = measure_set(asked, choose_profile(None), open_temporary, units=("turn",))
    report = MeasurementReport("locomo", measured)
    assert report.served["turn"].means["hit@5"] == 0
    assert report.units["turn"].whole.means["hit@5"] == 1


def test_a_folder_of_notes_is_copied_and_its_notes_go_by_their_files(
    open_temporary: _Opener, tmp_path: Path
) -> None:
    notes = tmp_path / "notes" / "below"
    notes.mkdir(parents=True)
    (notes / "lock.md").write_text("# Nightly lock\nUse advisory locks for the nightly job.\n")
    (notes / "bread.md").write_text("Rye needs caraway.\n")
    before = _read_all(tmp_path / "notes")
    question = GoldQuestion("1", "advisory locks", frozenset({"lock"}))
    foreign = GoldQuestion("2", "tides in Brest", frozenset())
    haystack = Haystack("mine", [], [question], [foreign], folder=str(tmp_path / "notes"))
    measured = measure_set(
        QuestionSet("mine", {"note": [haystack]}),
        choose_profile(None),
        open_temporary,
        units=("note",),
        make_search=make_plain_search,
    )
    for rankings in (measured.rankings["note"], measured.baselines["FTS5, all words"]["note"]):
        assert [ranking.answer.ids[0] for ranking in rankings] == ["lock"]
    assert _read_all(tmp_path / "notes") == before


def test_what_is_withheld_is_measured_once_with_and_without_names(open_temporary: _Opener) -> None:
    asked = read_locomo(make_locomo())
    measured = measure_set(asked, choose_profile(None), open_temporary, units=("turn", "session"))
    for condition in (PLAIN, NAMELESS):
        estimates = measured.estimates[condition]
        assert [sum(each.own is own for each in estimates) for own in (True, False)] == [6, 6]
    assert {each.group for each in measured.estimates[PLAIN]} == {"conv-1", "conv-2"}


def test_an_abstention_is_asked_of_its_own_haystack(open_temporary: _Opener) -> None:
    asked = read_longmemeval(make_longmemeval())
    measured = measure_set(asked, choose_profile(None), open_temporary, units=("session",))
    assert [ranking.question.id for ranking in measured.rankings["session"]] == ["q1", "q2"]
    assert {(each.question, each.own) for each in measured.estimates[PLAIN]} == {
        ("q1", True),
        ("q2", True),
        ("q3_abs", False),
    }
    assert NAMELESS not in measured.estimates


def _read_all(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
