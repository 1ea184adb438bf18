"""What the words of a query are worth to each passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.rejection import (
    APART,
    LABELLED,
    TOGETHER,
    Evidence,
    lend_scores,
    lent_to,
    rarity,
    spread_words,
    weigh_occurrences,
    weigh_words,
)
from engrain.index.rows import Matches

Place = tuple[int, int, int | None, int, int, int, int]
Met = tuple[int, int, int | None, int, int, int, int, int]

THREADS = 3
PER_THREAD = 6
LONE = 4
NOTE = -40
"""The thread of the passages of one note."""


def make_passages(
    questions: frozenset[int] = frozenset(), *, characters: int = 100, entry_characters: int = 100
) -> list[Place]:
    """Threads of fragments, the passages of one long note, and notes that stand alone."""
    passages: list[Place] = []
    for thread in (1, 2, NOTE):
        for place in range(PER_THREAD):
            number = len(passages) + 1
            entry = -thread if thread < 0 else number
            asks = int(number in questions)
            passages.append((number, entry, thread, place, asks, characters, entry_characters))
    for _ in range(LONE):
        number = len(passages) + 1
        asks = int(number in questions)
        passages.append((number, number, None, 0, asks, characters, entry_characters))
    return passages


COUNT = THREADS * PER_THREAD + LONE
NUMBERS = st.integers(0, COUNT - 1)
POSTINGS = st.lists(st.frozensets(NUMBERS, max_size=COUNT), min_size=1, max_size=4)
QUESTIONS = st.frozensets(st.integers(1, COUNT))


def meet(passages: list[Place], postings: list[frozenset[int]]) -> list[Met]:
    """The passages that have words, with the bits of those."""
    bits = [sum(1 << i for i, word in enumerate(postings) if n in word) for n in range(COUNT + 1)]
    return [(*place, words) for place, words in zip(passages, bits, strict=False) if words]


def weigh(
    passages: list[Place],
    postings: list[frozenset[int]],
    surprises: list[float] | None = None,
    *,
    frequencies: list[int] | None = None,
) -> Evidence:
    """The evidence of words by the indices of the passages that have them."""
    return weigh_words(
        Matches(
            [f"word{n}" for n in range(len(postings))],
            meet(passages, postings),
            frequencies or [len(word) for word in postings],
            surprises or [1.0] * len(postings),
            COUNT,
        )
    )


def lend(passages: list[Place], postings: list[frozenset[int]]) -> list[float]:
    """What each passage is lent where some have words."""
    lent = lend_scores(weigh(passages, postings))
    return [lent_to(place, lent) for place in passages]


# A word


@given(st.integers(1, 10**7), st.data())
def test_a_rarer_word_never_counts_less(total: int, data: st.DataObject) -> None:
    rare = data.draw(st.integers(0, total))
    common = data.draw(st.integers(rare, total))
    assert 0 < rarity(common, total) <= rarity(rare, total) <= 1


@given(st.integers(2, 10**7))
def test_a_word_that_one_passage_has_is_worth_one(total: int) -> None:
    assert rarity(1, total) == 1
    assert rarity(0, total) == 1


def test_a_word_that_most_passages_have_is_worth_little() -> None:
    assert rarity(90, 100) < 0.05


def test_of_words_that_are_as_rare_here_the_one_plain_in_english_counts_less() -> None:
    words = [frozenset([0]), frozenset([7])]
    evidence = weigh(make_passages(), words, [0.25, 1.0])
    assert evidence.weights == pytest.approx([0.5, 1.0])
    assert evidence.own[1] == pytest.approx(evidence.own[8] / 2)


def test_a_word_that_nothing_has_is_not_known_and_still_asked_for() -> None:
    evidence = weigh(make_passages(), [frozenset(), frozenset([1])])
    assert evidence.weights == [1, 1]
    assert evidence.known == 1
    assert evidence.total_surprise(0b11) == 2


# A passage


@given(POSTINGS, QUESTIONS, st.data())
def test_a_passage_that_gains_a_word_never_loses_by_it(
    postings: list[frozenset[int]], questions: frozenset[int], data: st.DataObject
) -> None:
    passages = make_passages(questions)
    gained = data.draw(NUMBERS)
    word = data.draw(st.integers(0, len(postings) - 1))
    more = [found | {gained} if n == word else found for n, found in enumerate(postings)]
    frequencies = [max(1, len(found)) for found in postings]
    before = weigh(passages, postings, frequencies=frequencies)
    after = weigh(passages, more, frequencies=frequencies)
    number = gained + 1
    assert after.own[number] >= before.own.get(number, 0.0)
    assert after.words(number) == before.words(number) | 1 << word
    assert all(after.own[p] == score for p, score in before.own.items() if p != number)


@given(POSTINGS, QUESTIONS)
def test_the_order_in_which_passages_are_met_makes_no_difference(
    postings: list[frozenset[int]], questions: frozenset[int]
) -> None:
    passages = make_passages(questions)
    forwards = weigh(passages, postings)
    turned = meet(passages, postings)[::-1]
    surprises = [1.0] * len(postings)
    words = [str(n) for n in range(len(postings))]
    backwards = weigh_words(Matches(words, turned, list(map(len, postings)), surprises, COUNT))
    assert forwards.own == backwards.own
    assert forwards.places == backwards.places
    assert lend_scores(forwards) == pytest.approx(lend_scores(backwards))


def test_a_longer_passage_counts_less_for_the_same_word() -> None:
    short, long = (weigh(make_passages(characters=n), [frozenset([0])]).own[1] for n in (60, 350))
    assert short > long > 0


def test_the_best_passages_are_those_with_the_greatest_scores() -> None:
    evidence = weigh(make_passages(), [frozenset([0, 3, 9]), frozenset([3, 9]), frozenset([9])])
    assert evidence.best(2) == [10, 4]


# Where words stand in it


def located(*words: tuple[bool, list[int]], size: int = 42) -> float:
    """The score of a passage of so many words in which some words of a query stand."""
    evidence = weigh(make_passages(), [frozenset([0])] * len(words))
    weigh_occurrences(evidence, range(len(words)), {1: (size, dict(enumerate(words)))})
    return evidence.own[1]


LACKING: tuple[bool, list[int]] = (False, [])


def test_a_word_said_often_counts_more_but_never_as_much_as_two_words() -> None:
    once, twice, often = (
        located((False, [0])),
        located((False, [0, 9])),
        located((False, [*range(40)])),
    )
    assert once < twice < often < 2 * once
    assert located((False, [0]), (False, [20])) == pytest.approx(2 * once)


def test_a_word_of_the_title_counts_more_than_one_in_the_text_but_not_twice() -> None:
    assert located((True, [])) == pytest.approx(LABELLED * located((False, [0])))
    assert located((True, [0])) == located((True, [])) > located((False, [0]))


def test_words_that_follow_each_other_in_the_query_count_more_the_nearer_they_stand() -> None:
    apart = located((False, [0]), (False, [APART + 1]))
    together = located((False, [0]), (False, [1]))
    assert together == pytest.approx(apart + TOGETHER[0])
    assert together > located((False, [0]), (False, [2])) > located((False, [0]), (False, [6]))
    assert located((False, [0]), (False, [6])) > apart
    assert located((False, [1]), (False, [0])) == pytest.approx(apart), "the other way round"
    nearest = located((False, [0, 30]), (False, [9, 31]))
    assert nearest - located((False, [0, 30]), (False, [9, 29])) > 0


def test_words_with_one_between_them_in_the_query_count_less_than_those_without() -> None:
    apart = located((False, [0]), LACKING, (False, [APART + 1]))
    assert located((False, [0]), LACKING, (False, [1])) == pytest.approx(apart + TOGETHER[1])
    two = located((False, [0]), LACKING, LACKING, (False, [1]))
    assert two == pytest.approx(located((False, [0]), LACKING, LACKING, (False, [APART + 1])))


def test_a_word_that_was_not_looked_up_counts_once() -> None:
    evidence = weigh(make_passages(), [frozenset([0]), frozenset([0])])
    weigh_occurrences(evidence, [1], {1: (42, {0: (False, [3, 4, 5])})})
    assert evidence.own[1] == pytest.approx(located((False, [0]), (False, [20, 21, 22])))


# Neighbours in a thread


def test_a_neighbour_lends_less_than_the_word_itself_and_the_more_the_nearer_it_stands() -> None:
    passages = make_passages()
    evidence = weigh(passages, [frozenset([0, 1, 2, 3, 4]), frozenset([2])])
    lent = lend_scores(evidence)
    alone = lend_scores(weigh(passages, [frozenset([0, 1, 2, 3, 4])]))
    gained = [lent_to(place, lent) - lent_to(place, alone) for place in passages[:5]]
    assert gained[1] == pytest.approx(gained[3])
    assert gained[1] > gained[0] > 0
    assert evidence.own[3] - evidence.own[2] > gained[3]


def test_a_fragment_without_a_word_is_found_by_its_best_neighbour_alone() -> None:
    lent = lend(make_passages(), [frozenset([2])])
    assert [n for n, score in enumerate(lent) if score] == [1, 3]
    both = lend(make_passages(), [frozenset([2, 4])])
    assert both[3] == pytest.approx(lend(make_passages(), [frozenset([2, 12])])[3])


def test_what_stands_right_behind_a_question_is_lent_the_most() -> None:
    told = lend(make_passages(), [frozenset([2])])
    asked = lend(make_passages(frozenset([3])), [frozenset([2])])
    assert asked[3] > told[3]
    assert asked[1] == told[1]


def test_a_long_entry_leans_less_on_its_neighbours() -> None:
    short, long, longer = (
        lend(make_passages(entry_characters=n), [frozenset([2])])[3] for n in (20, 600, 6000)
    )
    assert short == pytest.approx(2 * long, rel=0.01)
    assert longer < 0.02 * short


def test_passages_of_one_fragment_lend_their_best_once() -> None:
    passages = make_passages()
    second = (99, passages[2][1], 1, 2, 0, 100, 100)
    lent = [*lend(passages, [frozenset([2])])]
    both = lend([*passages, second], [frozenset([2, len(passages)])])
    assert both[3] == pytest.approx(lent[3] * rarity(2, COUNT))


@pytest.mark.parametrize("index", [PER_THREAD, 2 * PER_THREAD + 1, COUNT - 1])
def test_nothing_is_lent_to_another_thread_within_a_note_or_by_what_stands_alone(
    index: int,
) -> None:
    passages = make_passages()
    lent = lend(passages, [frozenset([index])])
    assert {passages[n][2] for n, score in enumerate(lent) if score} <= {2}


@pytest.mark.parametrize("first", [0, 2 * PER_THREAD])
def test_the_words_around_a_passage_are_its_own_and_its_neighbours(first: int) -> None:
    evidence = weigh(
        make_passages(), [frozenset([first]), frozenset([first + 1]), frozenset([first + 3])]
    )
    around = spread_words(evidence, [first + 1, first + 2, first + 4])
    assert list(around.values()) == [0b011, 0b011, 0b100]


def test_what_stands_alone_has_its_own_words_around_it() -> None:
    evidence = weigh(make_passages(), [frozenset([COUNT - 1]), frozenset([COUNT - 2])])
    assert spread_words(evidence, [COUNT]) == {COUNT: 0b01}
