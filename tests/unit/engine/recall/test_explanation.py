"""Why a recall answered as it did."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.engine.core.recalled import Explanation, Reasons
from engrain.engine.recall.filling import BUDGET, COPY, KIND, LIMIT, LOADED
from engrain.engine.recall.profiles import PROFILES
from engrain.engine.recall.rejection import WEIGHTS
from support.vaults import START
from unit.engine.core.vault_files import titles

LONG = "The crane by the harbour was greased by the crew that came before noon. "


def explained(memory: Memory, query: str, **more: object) -> tuple[list[str], Explanation]:
    found = memory.recall(query, explain=True, **more)  # type: ignore[arg-type]
    assert found.explanation is not None
    return titles(found), found.explanation


def worth(reasons: Reasons) -> float:
    total = sum(part.score * part.factor for part in reasons.parts)
    for factor in reasons.priors.values():
        total *= factor
    return total


def test_an_answer_explains_itself_only_when_it_is_asked_to(memory: Memory) -> None:
    memory.save("The crane was greased.", title="Crane", kind="fix")
    found = memory.recall("crane")
    assert (found.explanation, found.results[0].reasons) == (None, None)


def test_each_result_has_what_every_channel_said_of_it(memory: Memory) -> None:
    memory.save("The crane was greased. #harbour", title="Crane", kind="fix", tags=["harbour"])
    memory.save("A boat was painted.", title="Boat", kind="fix", created=START)
    found = memory.recall("#harbour crane greased", explain=True)
    (one,) = found.results
    assert one.reasons is not None
    parts = {part.channel: part for part in one.reasons.parts}
    assert {"text", "name", "tag"} <= set(parts)
    assert all(part.rank == 1 for part in parts.values())
    weights = PROFILES["prompt"].weights
    assert {name: part.factor for name, part in parts.items()} == {
        name: weights[name] for name in parts
    }


def test_the_channels_and_the_priors_add_up_to_the_score(memory: Memory) -> None:
    for number in range(6):
        memory.save(f"Crane {number} was greased.", title=f"Crane {number}", kind="fix")
    memory.save("The crane stands by the harbour.", title="Design", kind="design", project="x")
    found = memory.recall("which crane was greased", phase="plan", half_life=30, explain=True)
    assert found.results
    for one in found.results:
        assert one.reasons is not None
        assert one.row.score == pytest.approx(worth(one.reasons))


def test_a_channel_in_which_others_came_first_tells_its_rank(memory: Memory) -> None:
    memory.save("The crane was greased twice.", title="One", kind="fix")
    memory.save("The crane stood still.", title="Two", kind="fix")
    found = memory.recall("crane greased twice", profile="deep", explain=True)
    ranks = [
        {part.channel: part.rank for part in one.reasons.parts}["text"]
        for one in found.results
        if one.reasons
    ]
    assert ranks == [1, 2]


def test_the_words_looked_for_come_with_how_many_have_them(memory: Memory) -> None:
    memory.save("The crane was greased.", title="One", kind="fix")
    memory.save("The crane stood still.", title="Two", kind="fix")
    _, explanation = explained(memory, "why was the crane greased by zebras")
    assert dict(explanation.words) == {"crane": 2, "greased": 1, "zebras": 0}
    assert set(explanation.signals) - {"surprise", "covering"} <= set(WEIGHTS)


def test_a_silence_is_explained_too(memory: Memory) -> None:
    memory.save("The crane was greased.", title="One", kind="fix")
    query = "Does Marguerite of Zaragoza own a crane?"
    found = memory.recall(query, explain=True)
    assert found.rejected
    assert found.explanation is not None
    assert found.explanation.signals["own"] < 0.5
    assert dict(found.explanation.words)["Zaragoza"] == 0
    assert found.explanation.cut == []


def reasons_of(memory: Memory, query: str, **more: object) -> dict[str, str]:
    _, explanation = explained(memory, query, **more)
    return {cut.row.title: cut.reason for cut in explanation.cut}


def test_what_was_cut_is_reported_with_the_reason(memory: Memory) -> None:
    memory.save("The crane was greased.", title="First", kind="fix")
    memory.save("The crane was painted.", title="Second", kind="fix")
    assert reasons_of(memory, "crane", limit=1) == {"Second": LIMIT}
    assert reasons_of(memory, "crane", budget=1) == {"First": BUDGET, "Second": BUDGET}
    assert reasons_of(memory, "crane", phase="plan") == {"Second": KIND}
    assert reasons_of(memory, "crane") == {}


def test_a_copy_is_told_from_what_was_loaded(memory: Memory) -> None:
    first = memory.save(LONG, title="Crane", kind="fix")
    second = memory.save(LONG.upper(), title="Crane", kind="decision")
    _, explanation = explained(memory, "crane greased")
    assert [cut.reason for cut in explanation.cut] == [COPY]
    _, explanation = explained(memory, "crane greased", loaded=[first.id])
    assert [(cut.row.id, cut.reason) for cut in explanation.cut] == [(second.id, LOADED)]


def test_of_what_was_cut_the_best_are_reported_with_their_reasons(memory: Memory) -> None:
    for number in range(40):
        memory.save(f"Crane {number} was greased.", title=f"Crane {number}", kind="fix")
    results, explanation = explained(memory, "crane greased", limit=2)
    assert len(results) == 2
    assert 10 <= len(explanation.cut) < 38
    scores = [worth(cut.reasons) for cut in explanation.cut]
    assert scores == sorted(scores, reverse=True)
