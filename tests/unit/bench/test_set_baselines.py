from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from bench.sets.measurement import VECTORS_ONLY, Answer, Respondent, ranking_profile
from bench.sets.plain_search import make_plain_search

from engrain import Memory
from engrain.engine.recall.profiles import choose_profile

_Opener = Callable[..., AbstractContextManager[Memory]]


def test_a_recall_that_finds_nothing_is_silent() -> None:
    answer = Answer((), relevance=0.0, embedder="", degraded=None, milliseconds=1.0)
    assert answer.silent


def test_a_ranking_is_measured_with_nothing_withheld_or_cut() -> None:
    profile = ranking_profile(choose_profile(None))
    assert profile.reject is False
    assert profile.budget is None


def test_baselines_are_full_text_and_the_vectors_that_can_run(open_temporary: _Opener) -> None:
    profile = choose_profile(None)
    texts = [("far", "Bread is baked. " * 40 + "\n\nThe lock is taken."), ("near", "A key lock.")]
    with open_temporary() as memory:
        respondent = Respondent(memory, texts=texts)
        words = respondent.baselines(profile, "", make_plain_search)
        assert VECTORS_ONLY not in words
        assert VECTORS_ONLY in respondent.baselines(profile, "static", make_plain_search)
    whole, passages = words["FTS5, all words"], words["FTS5 passages, all words"]
    assert whole("Is the lock taken?").ids == ("far", "near")
    assert passages("Is the lock taken?").ids == ("far", "near"), "an entry comes once"
    assert set(whole("Is the key here?").ids) == {"near", "far"}, "which has a stop word"
    assert words["FTS5, content words"]("Is the key here?").ids == ("near",)
