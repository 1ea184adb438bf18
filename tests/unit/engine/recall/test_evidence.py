"""What the words of a query are worth to each passage."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.evidence import (
    Evidence,
    group_of,
    key_of,
    rarity,
    thread_place,
    weigh_words,
)
from engrain.seam.view import Matches

Place = tuple[int, int, int | None, int, int]

THREADS = 3
PER_THREAD = 6
LONE = 4


def make_passages(questions: frozenset[int]) -> list[Place]:
    """Threads of fragments, the passages of one long note, and notes that stand alone."""
    passages: list[Place] = []
    for thread in (1, 2, -40):
        for place in range(PER_THREAD):
            number = len(passages) + 1
            entry = 40 if thread < 0 else number
            passages.append((number, entry, thread, place, int(number in questions)))
    for _ in range(LONE):
        number = len(passages) + 1
        passages.append((number, number, None, 0, int(number in questions)))
    return passages


COUNT = THREADS * PER_THREAD + LONE
NUMBERS = st.integers(0, COUNT - 1)
POSTINGS = st.lists(st.frozensets(NUMBERS, max_size=COUNT), min_size=1, max_size=4)
QUESTIONS = st.frozensets(st.integers(1, COUNT))


def weigh(
    passages: list[Place],
    postings: list[frozenset[int]],
    frequencies: list[int],
    *,
    context: bool = True,
) -> Evidence:
    matches = Matches(
        [f"word{n}" for n in range(len(postings))],
        [[passages[number] for number in sorted(word)] for word in postings],
        frequencies,
        [frozenset[int]()] * len(postings),
        COUNT,
        THREADS + LONE,
    )
    return weigh_words(matches, context=context)


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


# A passage


@given(POSTINGS, QUESTIONS, st.data())
def test_a_passage_that_gains_a_word_never_loses_by_it(
    postings: list[frozenset[int]], questions: frozenset[int], data: st.DataObject
) -> None:
    passages = make_passages(questions)
    frequencies = [max(1, len(word)) for word in postings]
    gained = data.draw(NUMBERS)
    word = data.draw(st.integers(0, len(postings) - 1))
    more = [found | {gained} if n == word else found for n, found in enumerate(postings)]
    before, after = weigh(passages, postings, frequencies), weigh(passages, more, frequencies)
    for key, score in before.text.items():
        assert after.text[key] >= score - 1e-9
    key = key_of(passages[gained])
    assert after.own[key] >= before.own.get(key, 0.0)


@given(POSTINGS, QUESTIONS)
def test_context_never_lowers_a_score(
    postings: list[frozenset[int]], questions: frozenset[int]
) -> None:
    passages = make_passages(questions)
    frequencies = [len(word) for word in postings]
    alone = weigh(passages, postings, frequencies, context=False)
    lent = weigh(passages, postings, frequencies)
    assert alone.text.keys() <= lent.text.keys()
    assert alone.own == lent.own == alone.text
    assert alone.whole == {}
    for key, score in alone.text.items():
        assert lent.text[key] >= score - 1e-9


@given(POSTINGS, QUESTIONS)
def test_no_passage_is_worth_more_than_the_whole_query(
    postings: list[frozenset[int]], questions: frozenset[int]
) -> None:
    evidence = weigh(make_passages(questions), postings, [len(word) for word in postings])
    for scores in (evidence.text, evidence.own):
        assert all(0 < score <= evidence.total + 1e-9 for score in scores.values())
    assert evidence.known <= evidence.total


@given(POSTINGS, QUESTIONS)
def test_the_order_in_which_passages_are_met_makes_no_difference(
    postings: list[frozenset[int]], questions: frozenset[int]
) -> None:
    passages = make_passages(questions)
    frequencies = [len(word) for word in postings]
    words = [str(n) for n in range(len(postings))]
    titled = [frozenset[int]()] * len(postings)
    orders = [[passages[n] for n in sorted(word)] for word in postings]
    forwards = weigh_words(Matches(words, orders, frequencies, titled, COUNT, 7), context=True)
    turned = [list(reversed(order)) for order in orders]
    backwards = weigh_words(Matches(words, turned, frequencies, titled, COUNT, 7), context=True)
    assert forwards.text == backwards.text
    assert forwards.own == backwards.own
    assert forwards.whole == backwards.whole


def test_a_passage_alone_lends_nothing() -> None:
    passages = make_passages(frozenset())
    lone = COUNT - 2
    assert set(weigh(passages, [frozenset([lone])], [1]).text) == {key_of(passages[lone])}


def test_a_neighbour_lends_less_than_the_word_itself_and_the_more_the_nearer_it_stands() -> None:
    passages = make_passages(frozenset())
    text = weigh(passages, [frozenset([2])], [1]).text
    own, next_, second, before = (text[key_of(passages[place])] for place in (2, 3, 4, 1))
    assert own > next_ > second > 0
    assert own > before > 0
    assert next_ > before, "answers stand behind"


def test_what_stands_right_behind_a_question_is_lent_the_most() -> None:
    statement = make_passages(frozenset())
    question = make_passages(frozenset([3]))
    words = [frozenset([2])]
    told = weigh(statement, words, [1]).text
    asked = weigh(question, words, [1]).text
    assert asked[key_of(question[3])] > told[key_of(statement[3])]
    assert asked[key_of(question[4])] == told[key_of(statement[4])]


def test_nothing_is_lent_from_one_thread_to_the_next() -> None:
    passages = make_passages(frozenset())
    first_of_second = PER_THREAD
    lent = weigh(passages, [frozenset([first_of_second])], [1]).text
    keys = {key_of(passages[number]) for number in range(PER_THREAD)}
    assert not keys & set(lent)


def test_a_word_that_nothing_has_is_unknown_and_still_asked_for() -> None:
    evidence = weigh(make_passages(frozenset()), [frozenset(), frozenset([1])], [0, 1])
    assert evidence.weights == [1, 1]
    assert (evidence.total, evidence.known) == (2, 1)


def test_a_word_in_a_title_counts_for_that_passage_alone_by_how_rare_it_is() -> None:
    passages = make_passages(frozenset())
    postings = [[passages[0], passages[1]], [passages[1]]]
    matches = Matches(["a", "b"], postings, [10, 1], [{1, 2}, {2}], COUNT, THREADS + LONE)
    evidence = weigh_words(matches, context=True)
    assert evidence.title == {1: rarity(10, COUNT), 2: rarity(10, COUNT) + 1}


def test_a_thread_is_worth_the_words_that_stand_anywhere_in_it() -> None:
    passages = make_passages(frozenset())
    evidence = weigh(passages, [frozenset([0]), frozenset([5]), frozenset([7])], [1, 1, 1])
    assert evidence.whole[1] > evidence.whole[2] > 0


# Keys


@given(st.integers(-(2**39), 2**39), st.integers(0, 2**20 - 1))
def test_a_key_stands_for_one_place_of_one_thread(thread: int, place: int) -> None:
    key = key_of((1, 1, thread, place, 0))
    assert thread_place(key) == (thread, place)
    assert key > 0
    assert key_of((7, 7, thread, place + 1, 1)) == key + 1


@given(st.integers(1, 2**40), st.integers(1, 2**40))
def test_a_note_that_stands_alone_has_a_key_and_a_group_of_its_own(
    passage: int, entry: int
) -> None:
    lone = (passage, entry, None, 0, 0)
    assert key_of(lone) == -passage
    assert group_of(lone) == -entry
    assert group_of((passage, entry, 12, 0, 0)) == 12
