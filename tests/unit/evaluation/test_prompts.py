from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.evaluation.question_set import GoldQuestion
from engrain.evaluation.questions import HALF_FORGOTTEN, WHOLE, make_questions, thin


def _prompts(*sources: str) -> list[GoldQuestion]:
    return [
        GoldQuestion(str(n), "?", frozenset(), group=source) for n, source in enumerate(sources)
    ]


@given(st.integers(0, 40), st.integers(1, 50))
def test_thinning_keeps_the_order_and_no_more_than_so_many(size: int, most: int) -> None:
    prompts = _prompts(*[""] * size)
    kept = thin(prompts, most)
    assert len(kept) == min(size, most)
    assert kept == sorted(set(kept), key=prompts.index)


def test_thinning_draws_the_same_in_every_run_and_from_every_form() -> None:
    prompts = _prompts(*["a", "b"] * 50)
    kept = thin(prompts, 10)
    assert kept == thin(prompts, 10)
    assert {prompt.group for prompt in kept} == {"a", "b"}
    assert len(thin(prompts, None)) == 100


_BREAD = "Caraway flavours heavy bread which bakers from northern towns prefer."
_NOTE = "The nightly job takes an advisory lock before reading invoices from storage."


def test_a_question_is_five_words_of_one_sentence_in_their_order() -> None:
    (question,) = make_questions([("a", f"# Lock\n{_NOTE} Short one.")], 10)
    words = question.text.split()
    said = _NOTE.lower()
    assert len(set(words)) == 5
    assert [said.index(word) for word in words] == sorted(said.index(word) for word in words)
    assert (question.gold, question.category) == (frozenset({"a"}), WHOLE)


def test_every_second_question_has_two_other_words() -> None:
    _, question = make_questions([("a", _NOTE), ("b", _BREAD)], 10)
    assert question.category == HALF_FORGOTTEN
    assert sum(word in _BREAD.lower() for word in question.text.split()) == 3


def test_the_same_texts_give_the_same_questions() -> None:
    texts = [("a", _NOTE), ("b", _BREAD)]
    first, second = (make_questions(texts, 10) for _ in range(2))
    assert [question.text for question in first] == [question.text for question in second]


def test_an_entry_that_says_too_little_is_not_asked_about() -> None:
    assert make_questions([("a", "Use tabs."), ("b", "")], 10) == []


def test_a_word_that_is_everywhere_is_not_asked_for() -> None:
    texts = [(str(n), f"{_NOTE} {n}".replace("job", f"job{'x' * n}")) for n in range(3)]
    texts.append(("own", _BREAD))
    assert [question.id for question in make_questions(texts, 10)] == ["own"]


@given(st.lists(st.text(max_size=200), max_size=12), st.integers(1, 5))
def test_there_are_never_more_than_wanted(texts: list[str], most: int) -> None:
    named = [(str(n), text) for n, text in enumerate(texts)]
    questions = make_questions(named, most)
    assert len(questions) <= most
    assert len({question.id for question in questions}) == len(questions)
