"""The foreign prompts that come with Engrain, and random choice among questions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bench.sets.question_set import GoldQuestion
from engrain.engine.recall.silence.own_questions import read_foreign as read_prompts
from engrain.engine.recall.silence.own_questions import without_names

_SEED = 7


def shipped_prompts() -> list[GoldQuestion]:
    """Return the foreign prompts that come with Engrain, on which silence is calibrated."""
    return [
        GoldQuestion(f"foreign {number}", text, frozenset(), nameless=without_names(text))
        for number, text in enumerate(read_prompts(), 1)
    ]


def thin(questions: Sequence[GoldQuestion], most: int | None) -> list[GoldQuestion]:
    """Return at most so many questions in their order, all for None. They are drawn at random with
    a fixed seed, since files are regular: every tenth of two alternating forms is one form."""
    if most is None or len(questions) <= most:
        return list(questions)
    places = Random(_SEED).sample(range(len(questions)), most)
    return [questions[place] for place in sorted(places)]
