from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.evaluation.haystack import Question
from engrain.evaluation.prompts import leave_out, read_foreign, read_own, thin
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
        (b'{"q": 1, "stem": "a"}', "line 1: q is no text"),
        (b'{"q": "a", "stem": "b"}\n[]', "line 2 is no object"),
        (b"{", "line 1 is no JSON"),
        (b"\xff", "not UTF-8 text"),
    ],
)
def test_a_wrong_line_of_own_questions_is_named(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_own(raw)


@pytest.mark.parametrize(("raw", "said"), [(b"\n", "no prompt"), (b"{}", "line 1: q is no text")])
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
