"""The sets labelled by hand are well formed, and their runners count what they say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench import failed_calls, statements, task_boundaries, typed_questions, updates
from bench.labelled import SPLITS, read_lines

from engrain import Memory
from engrain.learn.transcripts.segments import BEGINS, BELONGS, NO_PROMPT
from support.real_data import DATA, needs

_MEMORIES = read_lines(failed_calls.FOLDER / "memories.jsonl")
_LABELS = read_lines(failed_calls.FOLDER / "calls.jsonl")
_HERE = Path("/no/data")


def _written() -> list[failed_calls.Call]:
    return failed_calls.read_calls(_HERE)


def test_each_call_names_known_memories_and_every_cause_has_a_call() -> None:
    known = {each["id"] for each in _MEMORIES if not each["distractor"]}
    assert {id_ for label in _LABELS for id_ in label["fits"]} == known
    assert sum(bool(label["fits"]) for label in _LABELS) >= 150
    assert sum(not label["fits"] for label in _LABELS) >= 60
    assert all(label["failed"] for label in _LABELS if label["fits"])


def test_a_cause_is_in_one_half_only() -> None:
    split = {each["id"]: each["split"] for each in _MEMORIES}
    assert all(split[label["fits"][0]] == label["split"] for label in _LABELS if label["fits"])


@needs("transcripts")
def test_every_call_resolves_in_the_transcripts() -> None:
    calls = failed_calls.read_calls(DATA)
    assert len(calls) == len(_LABELS)
    assert all(call.command and call.output for call in calls)


def test_a_transcript_that_changed_is_refused(tmp_path: Path) -> None:
    label = next(label for label in _LABELS if label.get("source", "").endswith(".md"))
    path = tmp_path / label["source"]
    path.parent.mkdir(parents=True)
    path.write_text("another line\n" * label["end"])
    with pytest.raises(ValueError, match="has another text there"):
        failed_calls.read_calls(tmp_path)


def test_calls_of_the_file_are_asked_without_the_transcripts() -> None:
    calls = _written()
    assert len(calls) == sum("source" not in label for label in _LABELS)
    figures = failed_calls.measure(["dev"], calls=[call for call in calls if call.fits][:6])
    assert figures["calls with a known fix"] == len(figures["missed"]) + round(
        figures["the fix is in the first two"] * figures["calls with a known fix"]
    )


def test_the_right_title_counts_as_found_and_any_title_as_junk_where_nothing_fits() -> None:
    calls = _written()
    title = {each["id"]: each["title"] for each in _MEMORIES}
    right = {call.output: [title[id_] for id_ in call.fits] for call in calls}

    def know(memory: Memory, call: failed_calls.Call) -> Sequence[str]:
        return right[call.output]

    def babble(memory: Memory, call: failed_calls.Call) -> Sequence[str]:
        return ["Anything"]

    known = failed_calls.measure(ask=know, calls=calls)
    assert known["the fix is in the first two"] == known["share of the given titles that fit"] == 1
    assert known["junk: something came at a failure"] == 0
    noise = failed_calls.measure(ask=babble, calls=calls)
    assert noise["the fix is in the first two"] == 0
    assert noise["junk: something came at a failure"] == 1
    assert noise["junk: something came at a success"] == 1


def test_there_are_100_updates_and_200_pairs_that_are_none_in_even_halves() -> None:
    pairs = updates.read_pairs()
    counts = Counter((pair.update, pair.split) for pair in pairs)
    assert [counts[True, split] for split in SPLITS] == [50, 50]
    assert [counts[False, split] for split in SPLITS] == [100, 100]
    assert all(pair.first_day < pair.second_day for pair in pairs)
    said = [text for pair in pairs for text in (pair.first, pair.second)]
    assert len(set(said)) == len(said)


def test_an_answer_is_right_where_it_is_not_behind_the_other_statement() -> None:
    update, apart = (
        next(pair for pair in updates.read_pairs() if pair.update is wanted)
        for wanted in (True, False)
    )
    assert updates.Asked(update, first=2, second=1, retired=False).right
    assert updates.Asked(update, first=None, second=3, retired=True).right
    assert not updates.Asked(update, first=1, second=2, retired=False).right
    assert not updates.Asked(update, first=1, second=None, retired=False).found
    assert updates.Asked(apart, first=1, second=2, retired=False).right
    assert not updates.Asked(apart, first=None, second=1, retired=True).right


def test_pairs_are_saved_by_their_days_and_asked() -> None:
    """The question is a statement, word for word, so that recall surely finds it."""
    pairs = [
        pair._replace(question=pair.second if pair.update else pair.first)
        for pair in updates.read_pairs()
        if pair.split == "dev"
    ]
    figures = updates.measure(["dev"], pairs[:3] + pairs[-3:])
    assert (figures["updates"], figures["pairs of other subjects"]) == (3, 3)
    assert figures["the newer one is before the older, of all"] == 1
    assert figures["the one asked about is before the other, of all"] == 1
    assert not figures["stale"]
    assert not figures["displaced"]


def test_every_typed_question_has_its_notes_and_every_note_a_question() -> None:
    vault = typed_questions.FOLDER / "vault"
    labels = read_lines(typed_questions.FOLDER / "questions.jsonl")
    notes = {path.relative_to(vault).as_posix() for path in vault.rglob("*.md")}
    assert len(notes) == 30
    assert {note for label in labels for note in label["notes"]} == notes
    assert Counter(label["split"] for label in labels) == {"dev": 33, "held": 32}


def test_typed_questions_are_asked_of_the_vault_and_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    labels = read_lines(typed_questions.FOLDER / "questions.jsonl")
    one = [label for label in labels if label["question"] == "clickhouse port"]
    figures = typed_questions.measure(questions=one)
    assert figures["a right note is the first shown"] == 1
    typed_questions.main(["--split", "held", "--json"])
    assert json.loads(capsys.readouterr().out)["questions"] == 32


@needs("transcripts/console")
def test_the_tasks_of_the_transcripts_begin_where_the_labels_say() -> None:
    figures = task_boundaries.measure(DATA)
    assert float(str(figures["boundaries right"])) >= 0.9


def test_labels_of_tasks_name_what_a_prompt_may_be_and_hold_no_text() -> None:
    for label in read_lines(task_boundaries.LABELS):
        assert set(label) <= {"file", "line", "label", "outcome"}
        assert label["label"] in (BEGINS, BELONGS, NO_PROMPT)
        assert ("outcome" in label) == (label["label"] == BEGINS)


def test_statements_withdrawals_and_negatives_are_in_even_halves() -> None:
    names = ("kept", "withdrawals", "negatives")
    kept, withdrawals, negatives = (read_lines(statements.FOLDER / f"{n}.jsonl") for n in names)
    assert len(kept) + len(withdrawals) >= 200 <= len(negatives)
    for items in (kept, withdrawals, negatives):
        counts = Counter(each["split"] for each in items)
        assert abs(counts["dev"] - counts["held"]) <= 1
        assert len({each["id"] for each in items}) == len(items)
    assert all(each["keep"] in each["text"] for each in kept)


def test_rules_keep_what_is_stated_and_nothing_else() -> None:
    kept = read_lines(statements.FOLDER / "kept.jsonl")
    found = [each["keep"] in " ".join(statements.read_kept(each["text"])) for each in kept]
    assert sum(found) >= 0.95 * len(found)
    negatives = read_lines(statements.FOLDER / "negatives.jsonl")
    assert sum(bool(statements.read_kept(each["text"])) for each in negatives) <= 3


def test_a_withdrawal_of_the_set_retires_the_right_statement() -> None:
    items = read_lines(statements.FOLDER / "withdrawals.jsonl")
    one = next(each for each in items if each["id"] == "retires-001")
    two = next(each for each in items if each["asks"])
    assert statements.retire(one, "active") == statements.Retired({0}, set())
    assert statements.retire(two, "active") == statements.Retired(set(), set(two["asks"]))
