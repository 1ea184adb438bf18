"""Profiles as data, and how one is chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engrain import UsageError
from engrain.engine.recall.gathering import CHANNELS
from engrain.engine.recall.meaning import VECTOR_CHANNELS
from engrain.engine.recall.profiles import (
    DEFAULT_PROFILE,
    PROFILES,
    WEIGHTS,
    Profile,
    choose_profile,
)

GATHERED = {*CHANNELS, *VECTOR_CHANNELS, "beyond", "text", "context", "speaker", "period", "graph"}


@pytest.mark.parametrize("name", list(PROFILES))
def test_a_profile_says_how_to_look(name: str) -> None:
    profile = PROFILES[name]
    assert profile.name == name
    assert set(profile.weights) <= GATHERED
    assert profile.limit > 0
    assert profile.budget is None or profile.budget > 0


def test_what_answers_a_prompt_is_held_to_more_than_what_a_person_digs_for() -> None:
    prompt, associative, deep = (PROFILES[name] for name in ("prompt", "associative", "deep"))
    assert DEFAULT_PROFILE == "prompt"
    assert prompt.reject
    assert not deep.reject
    assert not (prompt.include_archive or prompt.include_inbox)
    assert associative.include_archive
    assert deep.include_archive
    assert deep.include_inbox
    assert deep.limit > prompt.limit
    assert (deep.budget or 0) > (prompt.budget or 0)


def test_links_count_the_more_the_less_a_profile_is_held_to() -> None:
    prompt, deep, associative = (
        PROFILES[name].weights["graph"] for name in ("prompt", "deep", "associative")
    )
    assert 0 < prompt < deep < associative
    assert not any(PROFILES[name].weights["graph"] for name in ("task", "tiered"))


def test_no_profile_lets_age_count_unless_it_is_asked_to() -> None:
    assert {profile.half_life for profile in PROFILES.values()} == {None}


def test_a_changed_profile_is_the_same_but_for_that() -> None:
    profile = PROFILES["deep"]
    changed = replace(profile, limit=3, budget=7)
    assert (changed.limit, changed.budget) == (3, 7)
    assert replace(changed, limit=profile.limit, budget=profile.budget) == profile
    assert PROFILES["deep"].limit != 3


def test_a_profile_is_chosen_by_name_or_given() -> None:
    assert choose_profile(None) is PROFILES[DEFAULT_PROFILE]
    assert choose_profile("deep") is PROFILES["deep"]
    own = Profile("own", weights={"text": 1.0})
    assert choose_profile(own) is own
    assert own.weights != WEIGHTS


def test_what_is_said_besides_overrides_the_profile() -> None:
    chosen = choose_profile("deep", limit=2, budget=50, half_life=0.5)
    assert (chosen.name, chosen.limit, chosen.budget, chosen.half_life) == ("deep", 2, 50, 0.5)


@pytest.mark.parametrize("name", ["task-of-mine", "PROMPT", "x" * 1000, "\n"])
def test_an_unknown_profile_is_refused_in_one_line_that_names_those_there_are(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_profile(name)
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 100
    assert all(known in (caught.value.remedy or "") for known in PROFILES)


@pytest.mark.parametrize("number", [0, -1, -(10**30)])
def test_no_results_and_no_tokens_make_no_recall(number: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        choose_profile(None, limit=number)
    with pytest.raises(UsageError, match="budget"):
        choose_profile(None, budget=number)


@pytest.mark.parametrize("days", [0.0, -30.0, float("nan")])
def test_a_half_life_is_more_than_no_time(days: float) -> None:
    with pytest.raises(UsageError, match="half-life"):
        choose_profile(None, half_life=days)
