from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.evaluation.question_set import Question
from engrain.evaluation.questions import (
    HALF_FORGOTTEN,
    WHOLE,
    leave_out,
    make_questions,
    read_foreign,
    read_own,
    thin,
)
from engrain.model.errors import MalformedError


def test_own_questions_name_the_files_that_answer() -> None:
    raw = (
        b'{"q": "which lock", "stem": "lock", "form": "words"}\n\n{"q": "tea", "stem": ["a", "b"]}'
    )
    lock, tea = read_own(raw)
    assert (lock.id, lock.text, lock.gold, lock.category) == (
        "1", "which lock", frozenset({"lock"}), "words",
    )  # fmt: skip
    assert (tea.id, tea.gold) == ("3", frozenset({"a", "b"}))


def test_foreign_prompts_have_a_form_without_names() -> None:
    (prompt,) = read_foreign(b'{"src": "talk-1", "q": "Where is Ann?", "nl": "Where is?"}')
    assert (prompt.text, prompt.nameless, prompt.group) == ("Where is Ann?", "Where is?", "talk-1")
    assert not prompt.gold


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no question"),
        (b'{"q": "why"}', "line 1: no stem"),
        (b'{"q": 1, "stem": "a"}', "q of line 1 is no text"),
        (b'{"q": "a", "stem": "b"}\n[]', "line 2 is no object"),
        (b"{", "line 1 is no JSON"),
        (b"\xff", "not UTF-8 text"),
    ],
)
def test_a_wrong_line_of_own_questions_is_named(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_own(raw)


@pytest.mark.parametrize(("raw", "said"), [(b"\n", "no prompt"), (b"{}", "q of line 1 is no text")])
def test_a_wrong_line_of_foreign_prompts_is_named(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_foreign(raw)


def _prompts(*sources: str) -> list[Question]:
    return [Question(str(n), "?", frozenset(), group=source) for n, source in enumerate(sources)]


def test_prompts_of_the_domain_that_is_asked_are_left_out() -> None:
    prompts = _prompts("beam-question", "talk-1", "beam-prompt", "")
    assert [prompt.group for prompt in leave_out(prompts, "beam")] == ["talk-1", ""]
    assert leave_out(prompts, "") == prompts


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
