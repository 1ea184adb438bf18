from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from engrain import open_memory
from engrain.engine.recall import reranking
from engrain.engine.recall.profiles import PROFILES
from engrain.engine.recall.reranking import AT_ONCE, RERANKED
from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Reranker


class _Shortest(Reranker):
    """Holds the shortest passage for the best answer."""

    name = "shortest"

    def judge(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float]:
        least = min(map(len, passages))
        return [0.9 if len(passage) == least else 0.01 for passage in passages]


class _Broken(Reranker):
    name = "broken"

    def judge(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float]:
        raise EmbeddingError("out of order")


class _Garbled(Reranker):
    name = "garbled"

    def judge(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float]:
        return [float("nan")] * len(passages)


def _titles(folder: Path, reranker: Reranker | None) -> tuple[list[str], tuple[str, ...]]:
    with open_memory(
        folder / "vault", state_dir=folder / "state", create=True, reranker=reranker
    ) as memory:
        if not memory.list().total:
            memory.save("Caraway goes into rye bread, lots of caraway.", title="Rye caraway")
            memory.save("Caraway.", title="Short")
        found = memory.recall("rye caraway", profile="deep", explain=True)
        assert found.explanation is not None
        return [one.row.title for one in found.results], found.explanation.lost


def test_a_reranker_s_judgement_changes_the_order(tmp_path: Path) -> None:
    assert _titles(tmp_path, None)[0] == ["Rye caraway", "Short"]
    assert _titles(tmp_path, _Shortest())[0] == ["Short", "Rye caraway"]


def test_the_ranking_stands_where_a_reranker_fails(tmp_path: Path) -> None:
    for reranker, told in ((_Broken(), "out of order"), (_Garbled(), "not from 0 to 1")):
        titles, lost = _titles(tmp_path, reranker)
        assert titles == ["Rye caraway", "Short"]
        assert any(told in line for line in lost)


def test_an_explanation_names_the_reranker(tmp_path: Path) -> None:
    _titles(tmp_path, None)
    with open_memory(
        tmp_path / "vault", state_dir=tmp_path / "state", reranker=_Shortest()
    ) as memory:
        [first, *_] = memory.recall("rye caraway", profile="deep", explain=True).results
        assert first.reasons is not None
        assert 0 < first.reasons.priors["shortest"] < 1


class _Slow(Reranker):
    """Needs so many seconds for a passage, by a clock of its own; notes how many it is shown."""

    name = "slow"

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.shown: list[int] = []
        self._seconds = seconds

    def judge(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float]:
        self.now += self._seconds * len(passages)
        self.shown.append(len(passages))
        return [0.5] * len(passages)


@pytest.mark.parametrize(
    ("seconds", "limited", "shown"),
    [
        (1000.0, False, [RERANKED]),
        (1.0, True, [AT_ONCE, RERANKED - AT_ONCE]),
        (30.0, True, [AT_ONCE]),
        (1000.0, True, [AT_ONCE]),
    ],
)
def test_the_first_fifty_are_judged_where_there_is_time_and_else_the_first_twenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, limited: bool, shown: list[int]
) -> None:
    slow = _Slow(seconds)
    started = monotonic()
    deadline = started + 1000 if limited else None
    monkeypatch.setattr(reranking, "monotonic", lambda: started + slow.now)
    with open_memory(
        tmp_path / "vault", state_dir=tmp_path / "state", create=True, reranker=slow
    ) as memory:
        for number in range(60):
            memory.save(f"Caraway {number}.", title=f"Note {number}")
        profile = replace(PROFILES["deep"], limit=60, budget=None)
        memory.recall("warm up")
        slow.shown.clear()
        found = memory.recall("caraway", profile=profile, deadline=deadline, explain=True)
    assert slow.shown == shown
    assert len(found.results) == 60
    judged = [one.reasons is not None and "slow" in one.reasons.priors for one in found.results]
    assert sum(judged) == sum(shown)
    assert sorted(judged, reverse=True) == judged, "what it did not see stays behind"
