"""The simulated world keeps what it promises: it is what the policies are measured by."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from bench import living_habits as habits
from bench.living_events import Ask, Day, Event, Save, Supersede, Used
from bench.living_world import live

WORLD = "01017cb68a35c912b275f85edd6159280d2c18f2899944592c7ecc05b1b383a4"
"""The SHA-256 of the world: it was fixed before any policy was tuned to it, and stays."""
SEEDS = range(habits.SEED, habits.SEED + 5)


@pytest.fixture(scope="module")
def worlds() -> list[list[Day]]:
    return [list(live(seed)) for seed in SEEDS]


def events_of(world: list[Day]) -> Iterator[Event]:
    for day in world:
        for session in day.sessions:
            yield from session.events


def saves_of(world: list[Day]) -> Iterator[Save]:
    for event in events_of(world):
        if isinstance(event, Save):
            yield event
        elif isinstance(event, Supersede):
            yield event.new


def asks_of(world: list[Day]) -> list[Ask]:
    return [event for event in events_of(world) if isinstance(event, Ask)]


def test_the_world_is_the_same_on_every_machine(worlds: list[list[Day]]) -> None:
    assert hashlib.sha256(repr(worlds[0]).encode()).hexdigest() == WORLD


def test_another_seed_is_another_world(worlds: list[list[Day]]) -> None:
    assert len({repr(world) for world in worlds}) == len(worlds)


def test_a_shorter_world_has_as_many_sessions_a_day() -> None:
    days = list(live(days=91))
    assert len(days) == 91
    assert sum(len(day.sessions) for day in days) == 91 * habits.SESSIONS_A_DAY


def test_two_years_have_five_sessions_a_day_and_weeks_without_any(worlds: list[list[Day]]) -> None:
    for world in worlds:
        assert len(world) == habits.DAYS
        counts = [len(day.sessions) for day in world]
        assert sum(counts) == habits.DAYS * habits.SESSIONS_A_DAY
        empty = [len(list(run)) for none, run in itertools.groupby(counts, bool) if not none]
        assert max(empty) >= 19


def test_sessions_follow_one_another(worlds: list[list[Day]]) -> None:
    sessions = [session for day in worlds[0] for session in day.sessions]
    for before, after in itertools.pairwise(sessions):
        assert before.at < before.ended <= after.at
    assert len({session.id for session in sessions}) == len(sessions)


def test_every_entry_has_an_id_of_its_own_and_is_saved_before_it_is_wanted(
    worlds: list[list[Day]],
) -> None:
    for world in worlds:
        saved: set[str] = set()
        for event in events_of(world):
            if isinstance(event, Save | Supersede):
                save = event.new if isinstance(event, Supersede) else event
                assert not isinstance(event, Supersede) or event.old in saved
                assert save.id not in saved
                saved.add(save.id)
            elif isinstance(event, Ask):
                assert saved.issuperset(event.wanted)
            else:
                assert event.id in saved


def test_a_superseded_entry_is_never_wanted_again(worlds: list[list[Day]]) -> None:
    for world in worlds:
        gone: set[str] = set()
        for event in events_of(world):
            if isinstance(event, Supersede):
                gone.add(event.old)
            elif isinstance(event, Ask):
                assert gone.isdisjoint(event.wanted)
        assert gone


def test_what_is_wanted_is_of_the_sessions_project_or_of_none(worlds: list[list[Day]]) -> None:
    projects = {save.id: save.project for save in saves_of(worlds[0])}
    for ask in asks_of(worlds[0]):
        assert {projects[id_] for id_ in ask.wanted} <= {ask.project, None}


def test_most_of_what_is_saved_is_never_asked_for_again(worlds: list[list[Day]]) -> None:
    for world in worlds:
        wanted = {id_ for ask in asks_of(world) for id_ in ask.wanted}
        assert 0.05 < len(wanted) / len(list(saves_of(world))) < 0.2


def test_kinds_come_in_their_shares_and_few_are_core(worlds: list[list[Day]]) -> None:
    for world in worlds:
        kinds = Counter(save.kind for save in saves_of(world))
        for kind, share in habits.KINDS.items():
            assert kinds[kind] / kinds.total() == pytest.approx(share / 100, abs=0.03)
        assert 0 < kinds["relationship"] <= habits.PEOPLE
        assert kinds["roadmap"] >= 2


def test_notes_have_eight_to_sixty_words(worlds: list[list[Day]]) -> None:
    lengths = [len(f"{save.title} {save.text}".split()) for save in saves_of(worlds[0])]
    assert min(lengths) >= 8
    assert max(lengths) <= 60


def test_texts_have_thousands_of_words(worlds: list[list[Day]]) -> None:
    words = {word for save in saves_of(worlds[0]) for word in save.text.split()}
    assert len(words) > 3000


def test_gaps_between_two_needs_have_a_heavy_tail(worlds: list[list[Day]]) -> None:
    gaps = []
    for world in worlds:
        last: dict[str, int] = {}
        for day in world:
            for session in day.sessions:
                for event in session.events:
                    for id_ in event.wanted if isinstance(event, Ask) else ():
                        if id_ in last:
                            gaps.append(day.number - last[id_])
                        last[id_] = day.number
    gaps.sort()
    assert gaps[len(gaps) // 2] <= 10
    assert gaps[len(gaps) * 95 // 100] >= 60


def test_a_tenth_of_the_relevant_topics_sleep_for_sixty_days_and_wake(
    worlds: list[list[Day]],
) -> None:
    for world in worlds:
        slept = defaultdict(set)
        for ask in asks_of(world):
            if ask.wanted:
                slept[ask.topic].add(ask.slept)
        sleepers = [topic for topic, ways in slept.items() if ways - {""}]
        assert len(sleepers) >= len(slept) / 10


def test_about_half_of_the_sleepers_sleep_with_their_whole_project(worlds: list[list[Day]]) -> None:
    asks = [ask for world in worlds for ask in asks_of(world) if ask.slept]
    assert 1 / 3 < sum(ask.slept == "project" for ask in asks) / len(asks) < 2 / 3
    topics = {
        (number, ask.topic, ask.slept)
        for number, world in enumerate(worlds)
        for ask in asks_of(world)
        if ask.slept
    }
    assert 1 / 3 < sum(way == "project" for *_, way in topics) / len(topics) < 2 / 3


def test_a_sleeper_was_filed_long_before_it_is_asked_for(worlds: list[list[Day]]) -> None:
    for world in worlds:
        filed: dict[str, int] = {}
        for day in world:
            for session in day.sessions:
                for event in session.events:
                    if isinstance(event, Save | Supersede):
                        filed[(event.new if isinstance(event, Supersede) else event).id] = (
                            day.number
                        )
                    elif isinstance(event, Ask) and event.slept:
                        ages = [day.number - filed[id_] for id_ in event.wanted]
                        assert min(ages) >= habits.LONG_SLEEP


def test_many_prompts_are_answered_by_nothing(worlds: list[list[Day]]) -> None:
    for world in worlds:
        asks = asks_of(world)
        assert 0.3 < sum(not ask.wanted for ask in asks) / len(asks) < 0.7


def test_what_was_wanted_is_used_more_often_than_not(worlds: list[list[Day]]) -> None:
    events = list(events_of(worlds[0]))
    wanted = sum(len(event.wanted) for event in events if isinstance(event, Ask))
    used = sum(isinstance(event, Used) for event in events)
    assert 0.7 < used / wanted < 0.9
