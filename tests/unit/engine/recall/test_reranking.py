from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engrain import open_memory
from engrain.model.errors import EmbeddingError
from engrain.seam.reranker import Reranker


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
