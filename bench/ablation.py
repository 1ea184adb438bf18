"""What each part of recall is worth, on the conversations of a LoCoMo file.

python -m bench.ablation locomo_dev.json                    every table, for every embedder there is
python -m bench.ablation locomo_dev.json --keep DIR         keep the vaults, to run again sooner
python -m bench.ablation locomo_dev.json --embedders none   without a model

Every figure is of `Memory.recall` itself, asked as `engrain eval` asks. The last table is the one
by which the weight of the vectors is chosen: it is settled on all conversations but one and
measured on that one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from bench.sets.asking import fill
from bench.sets.benchmarks import read_locomo
from bench.sets.haystacks import QuestionSet
from bench.sets.measurement import Respondent, ranking_profile
from bench.sets.metrics import Resampling, mean, score
from bench.sets.question_set import GoldQuestion
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall import rejection
from engrain.engine.recall.profiles import BARE, PROFILES, WEIGHTS, Profile
from engrain.wiring import open_memory

Scores = dict[str, dict[str, float]]
"""Question -> metric -> value."""

EMBEDDERS = ("none", "static", "local")
UNITS = {
    "turn": ("recall@5", "recall@10", "ndcg@10"),
    "session": ("recall@5", "recall@10", "hit@1"),
}
VECTORS = ("meaning", "surroundings")
SCALES = (0.0, 0.5, 0.67, 1.0, 1.5, 2.0)
CHOSEN_BY = "ndcg@10"
PLAINER: dict[str, dict[str, object]] = {
    "words that stand together": {"TOGETHER": ()},
    "repetition": {"K1": 0.0},
    "the length of passages": {"B": 0.0},
    "the rule for answers": {"ANSWER": rejection.LENT[1]},
    "the length of who is lent to": {"LEANING": 1e9},
}
"""Parts of the formula, with the coefficients that leave each out."""
_COMPARED = ("recall@10", "ndcg@10")
_DEFAULT = ranking_profile(PROFILES["prompt"])


class Asked:
    """The open vaults of one unit, by conversation, with their questions."""

    def __init__(self, members: Sequence[tuple[str, Respondent, Sequence[GoldQuestion]]]) -> None:
        self._members = members
        self.conversation = {q.id: name for name, _, questions in members for q in questions}

    def ask(self, profile: Profile) -> Scores:
        """What each question gets by `profile`."""
        return {
            question.id: score(respondent.answer(question.text, profile).ids, question.gold)
            for _, respondent, questions in self._members
            for question in questions
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="a file of the LoCoMo format")
    parser.add_argument("--keep", type=Path, help="make the vaults here and leave them")
    parser.add_argument("--embedders", default=",".join(EMBEDDERS))
    args = parser.parse_args()
    embedders = args.embedders.split(",")
    known = read_locomo(args.file.read_bytes(), None)
    with tempfile.TemporaryDirectory(prefix="engrain-ablation-") as temp:
        folder = args.keep or Path(temp)
        _make(known, folder, [name for name in embedders if name != "none"])
        for embedder in embedders:
            with _open(known, folder, embedder) as units:
                print(f"\n## {embedder}\n", flush=True)
                _print_parts(units, with_vectors=embedder != "none")
                for unit in units if embedder != "none" else ():
                    _print_scales(unit, units[unit])


def _make(known: QuestionSet, folder: Path, embedders: Sequence[str]) -> None:
    """Fill the vaults that are not there yet, and embed them by all models at once."""
    os.environ["ENGRAIN_EMBEDDER"] = ",".join(sorted(embedders)) or "none"
    for unit, haystacks in known.haystacks.items():
        for haystack in haystacks:
            place = folder / unit / haystack.name
            if not place.exists():
                _tell(f"{unit} {haystack.name}: {len(haystack.passages)} passages")
                with _memory(folder, place) as memory:
                    fill(memory, haystack.passages)


@contextmanager
def _open(known: QuestionSet, folder: Path, embedder: str) -> Iterator[dict[str, Asked]]:
    """The vaults, asked with the vectors of one model."""
    os.environ["ENGRAIN_EMBEDDER"] = embedder
    units = {}
    with ExitStack() as stack:
        for unit, haystacks in known.haystacks.items():
            members = []
            for haystack in haystacks:
                memory = stack.enter_context(_memory(folder, folder / unit / haystack.name))
                memory.scan()
                everything = Scope(all_projects=True)
                rows = memory.list(scope=everything).rows
                # `fill` numbers what it files.
                names = {
                    row.id: haystack.passages[int(row.slug.rpartition("-")[2]) - 1].id
                    for row in rows
                }
                respondent = Respondent(memory, names, everything)
                members.append((haystack.name, respondent, haystack.questions))
            units[unit] = Asked(members)
        yield units


def _memory(folder: Path, place: Path) -> Memory:
    return open_memory(place, state_dir=folder / "state", backend="device-local", create=True)


def _without(*channels: str) -> Profile:
    return replace(_DEFAULT, weights={**_DEFAULT.weights, **dict.fromkeys(channels, 0.0)})


def _alone(**weights: float) -> Profile:
    return replace(_DEFAULT, weights=weights)


def _scaled(scale: float) -> Profile:
    """The default with its vectors weighed otherwise."""
    vectors = {name: WEIGHTS[name] * scale for name in VECTORS}
    return replace(_DEFAULT, weights={**_DEFAULT.weights, **vectors})


def _print_parts(units: dict[str, Asked], *, with_vectors: bool) -> None:
    """The default, what it is without each part, and each channel by itself."""
    variants = {"**the default**": _DEFAULT}
    for channel in ("context", "speaker", "period", "name", "tag", "graph"):
        if _DEFAULT.weights.get(channel):
            variants[f"without {channel}"] = _without(channel)
    if with_vectors:
        for channel in VECTORS:
            variants[f"without {channel}"] = _without(channel)
        variants["without words"] = _without("text", "context")
        variants["vectors alone"] = _alone(meaning=1.0)
    variants["words alone"] = _alone(text=1.0)
    variants["full text (FTS5, BM25)"] = replace(_DEFAULT, weights=BARE)
    heads = [f"{unit} {metric}" for unit, metrics in UNITS.items() for metric in metrics]
    print("| | " + " | ".join(heads) + " |")
    print("|---|" + "---|" * len(heads))
    for name, profile in variants.items():
        _print_row(name, units, profile)
    for name, changes in PLAINER.items():
        with ExitStack() as stack:
            for part, value in changes.items():
                stack.enter_context(patch.object(rejection, part, value))
            _print_row(f"without {name}", units, _DEFAULT)


def _print_row(name: str, units: dict[str, Asked], profile: Profile) -> None:
    cells = []
    for unit, metrics in UNITS.items():
        scores = units[unit].ask(profile).values()
        cells += [f"{mean([each[metric] for each in scores]):.3f}" for metric in metrics]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def _print_scales(unit: str, asked: Asked) -> None:
    """Each weight of the vectors, chosen without the conversation that it is measured on."""
    scaled = {f"×{scale:g}": asked.ask(_scaled(scale)) for scale in SCALES}
    single = {
        "full text": asked.ask(replace(_DEFAULT, weights=BARE)),
        "words": asked.ask(_alone(text=1.0)),
        "vectors": asked.ask(_alone(meaning=1.0)),
    }
    chosen, picks = _hold_out(scaled, asked.conversation)
    best, bests = _hold_out(single, asked.conversation)
    others = {"as it is": scaled["×1"], f"best single channel ({', '.join(bests)})": best}
    print(f"\n{unit}: weight of the vectors, chosen without the conversation: {', '.join(picks)}\n")
    print(
        "| | recall@10 | ndcg@10 | chosen less this, recall@10 | ndcg@10 |\n|---|---|---|---|---|"
    )
    resampling = Resampling(len(chosen))
    for name, scores in {"held out": chosen, **others}.items():
        cells = [f"{mean([each[m] for each in scores.values()]):.3f}" for m in _COMPARED]
        for metric in _COMPARED:
            gaps = [chosen[id_][metric] - scores[id_][metric] for id_ in chosen]
            low, high = resampling.interval(gaps)
            cells.append(f"{mean(gaps):+.3f} [{low:+.3f}, {high:+.3f}]")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def _hold_out(ways: dict[str, Scores], conversation: dict[str, str]) -> tuple[Scores, list[str]]:
    """Of each conversation the scores of the way that is best on the others, and those ways."""
    scores: Scores = {}
    picks = []
    for held_out in sorted(set(conversation.values())):

        def elsewhere(name: str, held_out: str = held_out) -> float:
            rows = ways[name].items()
            return mean([row[CHOSEN_BY] for id_, row in rows if conversation[id_] != held_out])

        picks.append(max(ways, key=elsewhere))
        own = ways[picks[-1]].items()
        scores |= {id_: row for id_, row in own if conversation[id_] == held_out}
    return scores, picks


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
