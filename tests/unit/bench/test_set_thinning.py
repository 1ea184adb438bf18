from __future__ import annotations

from bench.sets.foreign import thin
from bench.sets.question_set import GoldQuestion
from hypothesis import given
from hypothesis import strategies as st


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
