"""A dream asks the judge about pairs of notes; a real server on loopback gives the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.inference import posting
from engrain.lifecycle.dreaming.run import CONTRADICTION, DUPLICATE, dream
from support.vaults import make_memory
from unit.learn.model import serving
from unit.lifecycle.sessions.living import store_of

POOL = "The connection pool of the API holds twenty connections at most."
SMALL = "We run the API's connection pool with eight connections, more made Postgres swap."
QUOTES = ("pool with eight connections", "holds twenty connections")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setenv("ENGRAIN_LEARN", "model")
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "m")
    with make_memory(tmp_path) as opened:
        opened.save(POOL, title="Connection pool", kind="decision", created=1_770_000_000)
        opened.save(SMALL, title="Size of the pool", kind="decision", created=1_780_000_000)
        opened.save("Logs are kept for two weeks.", title="Logs", kind="decision")
        yield opened


def ask(memory: Memory, says: str, *, status: int = 200) -> tuple[list[tuple[str, ...]], list[str]]:
    """Dream with a judge that says this; return what is proposed, and what the judge was asked."""
    with pytest.MonkeyPatch.context() as patch, serving(says, status) as (url, asked):
        patch.setenv("ENGRAIN_LLM_URL", url)
        made = dream(store_of(memory)).proposals
    return [(one.finder, *(memory.show(id_).entry.title for id_ in one.ids)) for one in made], asked


def answer(relation: str, *quotes: str, pair: str = "p1") -> str:
    fields = {"pair": pair, "relation": relation}
    names = ("first_quote", "second_quote")
    return json.dumps({"pairs": [fields | dict(zip(names, quotes, strict=True))]})


def test_a_contradiction_in_other_words_is_proposed_with_both_quotes(memory: Memory) -> None:
    found, asked = ask(memory, answer("contradicts", *QUOTES))
    assert found == [(CONTRADICTION, "Size of the pool", "Connection pool")]
    assert "eight connections" in asked[0]
    assert [one.status for one in memory.list().rows] == ["active"] * 3


def test_two_notes_that_say_the_same_are_proposed_as_duplicates(memory: Memory) -> None:
    found, _ = ask(memory, answer("same", *QUOTES))
    assert [kind for kind, *_ in found] == [DUPLICATE]


@pytest.mark.parametrize(
    "says",
    [
        answer("contradicts", "pool with nine connections", QUOTES[1]),
        answer("contradicts", "pool", "holds"),
        answer("contradicts", *QUOTES, pair="p99"),
        answer("erase everything", *QUOTES),
        json.dumps({"pairs": ["p1", None, 3]}),
        "They contradict each other.",
    ],
)
def test_an_answer_without_words_of_both_notes_proposes_nothing(memory: Memory, says: str) -> None:
    found, asked = ask(memory, says)
    assert (found, len(asked)) == ([], 1)


def test_notes_are_judged_once_and_again_after_a_change(memory: Memory) -> None:
    nothing = json.dumps({"pairs": []})
    assert len(ask(memory, nothing)[1]) == 1
    assert ask(memory, nothing)[1] == []
    text = "The API's connection pool holds thirty connections since the new server."
    memory.save(text, title="Pool again", kind="decision", created=1_900_000_000)
    (question,) = ask(memory, nothing)[1]
    assert "thirty connections" in question
    assert "two weeks" not in question


def test_nobody_is_asked_by_rules_or_in_a_dry_run(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("") as (url, asked):
        monkeypatch.setenv("ENGRAIN_LLM_URL", url)
        dream(store_of(memory), dry_run=True)
        monkeypatch.setenv("ENGRAIN_LEARN", "rules")
        dream(store_of(memory))
    assert asked == []


def test_a_judge_that_fails_three_times_is_left_alone_for_a_day(memory: Memory) -> None:
    asked = [bool(ask(memory, "", status=400)[1]) for _ in range(4)]
    assert asked == [True, True, True, False]
