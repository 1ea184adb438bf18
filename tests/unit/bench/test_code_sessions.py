from __future__ import annotations

import json
from hashlib import sha256

import pytest
from bench.gate import LABELS
from bench.sets.folder import read_transcripts
from bench.sets.haystacks import Haystack, QuestionSet
from bench.sets.questions import SPLITS, read_code_sessions

from engrain.model.errors import MalformedError
from engrain.model.facts.fact import AGENT, OPERATOR, Turn
from support.real_data import DATA, needs

_TURNS = [
    Turn("", OPERATOR, "Why does the build fail?"),
    Turn("", AGENT, "The compiler is older than the lock file wants."),
    Turn("", OPERATOR, "Then pin it."),
    Turn("", AGENT, "The compiler is older than the lock file wants."),
]
_LABEL: dict[str, object] = {
    "id": "a",
    "q": "What stopped the build?",
    "kind": "cause",
    "split": "dev",
    "source": "one.md",
    "evidence": [{"turn": 3, "sha": sha256(_TURNS[3].text.encode()).hexdigest()[:8]}],
}


@pytest.fixture(scope="module")
def sources() -> dict[str, list[Turn]]:
    return read_transcripts(str(DATA / "transcripts"))


def _read(*labels: dict[str, object], split: str | None = None) -> QuestionSet:
    raw = "".join(f"{json.dumps(label)}\n" for label in labels).encode()
    return read_code_sessions(raw, {"one.md": _TURNS}, split)


def _only(found: QuestionSet) -> Haystack:
    (haystack,) = found.haystacks["turn"]
    return haystack


def test_a_repeated_turn_is_one_passage_and_evidence_points_to_it() -> None:
    haystack = _only(_read(_LABEL))
    assert [passage.id for passage in haystack.passages] == ["one.md#0", "one.md#1", "one.md#2"]
    assert haystack.questions[0].gold == {"one.md#1"}


def test_turns_of_a_transcript_are_a_thread_in_their_order() -> None:
    passages = _only(_read(_LABEL)).passages
    assert {passage.thread for passage in passages} == {"one.md"}
    times = [passage.created for passage in passages if passage.created is not None]
    assert len(times) == 3 and times == sorted(set(times))


def test_a_split_has_its_own_questions_over_all_passages() -> None:
    haystack = _only(_read(_LABEL, split="held"))
    assert len(haystack.passages) == 3
    assert not haystack.questions


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"evidence": [{"turn": 4, "sha": "0"}]}, "one.md has no turn 4"),
        ({"evidence": [{"turn": 0, "sha": "0"}]}, "turn 0 of one.md says something else"),
        ({"evidence": [{"turn": 0, "sha": "0", "source": "b"}]}, "b has no turn 0"),
        ({"evidence": []}, "has no evidence"),
        ({"split": "test"}, "no split 'test'"),
        ({"q": 7}, "q of line 2 is no text"),
    ],
)
def test_a_wrong_label_is_refused_by_its_line(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(MalformedError, match=told):
        _read(_LABEL, {**_LABEL, **wrong})


@needs("transcripts")
def test_every_label_resolves_in_the_transcripts_and_the_splits_are_even(
    sources: dict[str, list[Turn]],
) -> None:
    raw = LABELS.read_bytes()
    counts = [len(_only(read_code_sessions(raw, sources, split)).questions) for split in SPLITS]
    assert counts == [30, 30]
    everything = _only(read_code_sessions(raw, sources))
    assert len({question.id for question in everything.questions}) == 60
    assert len(everything.passages) > 1_500


@needs("transcripts")
def test_no_question_is_copied_from_the_turns_that_answer_it(
    sources: dict[str, list[Turn]],
) -> None:
    haystack = _only(read_code_sessions(LABELS.read_bytes(), sources))
    said = {passage.id: " ".join(passage.text.casefold().split()) for passage in haystack.passages}
    for question in haystack.questions:
        words = question.text.casefold().rstrip("?").split()
        runs = [" ".join(words[at : at + 6]) for at in range(len(words) - 5)]
        assert not [run for run in runs for id_ in question.gold if run in said[id_]], question.id
