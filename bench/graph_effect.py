"""What the graph is worth to recall: with and without it, over several sets of questions.

python -m bench.graph_effect                  every set that is at hand
python -m bench.graph_effect --keep DIR       keep the vaults, to run again sooner
python -m bench.graph_effect --sets web       some of them

web       linked notes of our own making (`bench.multi_hop`), where the answer is some links away
locomo    turns of conversations, without a link among them
mentions  the same, where each turn links to the latest before it that names the same rare thing
notes     a real vault with its own links, questions made from it by fixed rules

Each weight of the channel is held against none, question by question (paired bootstrap).
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bench.corpus import DATA
from bench.known_items import make_questions, read_notes
from bench.multi_hop import make_web, write_web
from bench.sets.benchmarks import read_locomo
from bench.sets.haystacks import Passage
from bench.sets.measurement import Respondent, ranking_profile
from bench.sets.metrics import Resampling, mean, score
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import PROFILES, Profile
from engrain.language.text.instants import format_instant
from engrain.model.note.note import compose_note
from engrain.wiring import open_memory

LOCOMO = DATA / "locomo" / "locomo_dev.json"
NOTES = DATA / "vault-dendron"
METRICS = ("recall@5", "recall@10", "ndcg@10")
FOREIGN = "foreign"
WEIGHTS = "0.25,0.5,1,2"
_MENTIONED = (2, 12)
"""A name that as many turns have, at least and at most, is a rare thing that ties them."""
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}")

Scores = dict[str, dict[str, float]]


class Question(NamedTuple):
    id: str
    text: str
    gold: frozenset[str]
    kind: str


class Vault(NamedTuple):
    """Notes to file in a folder, and what is asked of them; `name_of` names an entry as `gold`
    does, by its locator, title and id."""

    name: str
    write: Callable[[Path], None]
    questions: list[Question]
    name_of: Callable[[str, str, str], str]


def web_vaults() -> Iterator[Vault]:
    web = make_web()
    questions = [
        Question(f"web/{number}", asked.text, frozenset(asked.way), asked.kind)
        for number, asked in enumerate(web.questions)
    ]
    yield Vault("web", lambda folder: write_web(folder, web), questions, lambda _, title, __: title)


def locomo_vaults(*, linked: bool = False) -> Iterator[Vault]:
    known = read_locomo(LOCOMO.read_bytes(), None)
    for haystack in known.haystacks["turn"]:
        questions = [
            Question(f"{haystack.name}/{q.id}", q.text, frozenset(q.gold), q.category)
            for q in haystack.questions
        ]
        questions += [
            Question(f"{haystack.name}/foreign/{q.id}", q.nameless or q.text, frozenset(), FOREIGN)
            for q in haystack.foreign
        ]
        links = mention_links(haystack.passages) if linked else {}
        passages = haystack.passages

        def write(
            folder: Path,
            passages: Sequence[Passage] = passages,
            links: dict[int, list[int]] = links,
        ) -> None:
            write_turns(folder, passages, links)

        def name_of(locator: str, _: str, __: str, passages: Sequence[Passage] = passages) -> str:
            return passages[int(locator.rpartition("-")[2].removesuffix(".md")) - 1].id

        yield Vault(haystack.name, write, questions, name_of)


def mention_links(passages: Sequence[Passage]) -> dict[int, list[int]]:
    """For each turn the turns before it that were the last to name something it names."""
    names = [set(_NAME.findall(passage.text)) for passage in passages]
    counts = Counter(name for found in names for name in found)
    least, most = _MENTIONED
    latest: dict[str, int] = {}
    links: dict[int, list[int]] = {}
    for number, found in enumerate(names, 1):
        rare = sorted(name for name in found if least <= counts[name] <= most)
        links[number] = sorted({latest[name] for name in rare if name in latest})
        latest.update(dict.fromkeys(rare, number))
    return links


def write_turns(folder: Path, passages: Sequence[Passage], links: dict[int, list[int]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, passage in enumerate(passages, 1):
        fields: dict[str, object] = {
            "kind": "memory",
            "source": {"kind": "session", "ref": passage.thread, "trust": "agent"},
        }
        if passage.created is not None:
            fields["created"] = format_instant(passage.created)
        if ends := links.get(number):
            fields["links"] = [{"to": f"passage-{end}", "relation": "related_to"} for end in ends]
        raw = compose_note(fields, f"# {passage.title}\n{passage.text}\n").raw  # type: ignore[arg-type]
        (folder / f"passage-{number}.md").write_bytes(raw)


def note_vaults() -> Iterator[Vault]:
    notes = read_notes(NOTES)
    questions = []
    for number, made in enumerate(make_questions(notes)):
        expected = made["expected"]
        assert isinstance(expected, list)
        asked = Question(
            f"notes/{number}", str(made["question"]), frozenset(expected), str(made["category"])
        )
        questions.append(asked)

    def write(folder: Path) -> None:
        for path in sorted(NOTES.rglob("*.md")):
            place = folder / path.relative_to(NOTES)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())

    yield Vault("notes", write, questions, lambda _, __, id_: id_)


SETS: dict[str, Callable[[], Iterator[Vault]]] = {
    "web": web_vaults,
    "locomo": locomo_vaults,
    "mentions": lambda: locomo_vaults(linked=True),
    "notes": note_vaults,
}


@contextmanager
def filled(folder: Path, vault: Vault) -> Iterator[tuple[Memory, Respondent]]:
    """The vault with its notes in it, and somebody to ask."""
    place = folder / vault.name
    new = not place.exists()
    state = folder / "state"
    with open_memory(place, state_dir=state, backend="device-local", create=True) as memory:
        if new:
            vault.write(place / "Memory" / "active")
            memory.reindex()
        everything = Scope(all_projects=True)
        rows = memory.list(scope=everything).rows
        names = {row.id: vault.name_of(str(row.locator), row.title, row.id) for row in rows}
        yield memory, Respondent(memory, names, everything)


def weighed(profile: Profile, weight: float) -> Profile:
    return replace(profile, weights={**profile.weights, "graph": weight})


def ask(respondent: Respondent, questions: Sequence[Question], profile: Profile) -> Scores:
    """What each question that has an answer gets."""
    return {
        question.id: score(respondent.answer(question.text, profile).ids, question.gold)
        for question in questions
        if question.kind != FOREIGN
    }


def silences(respondent: Respondent, questions: Sequence[Question], profile: Profile) -> Scores:
    """Whether a question that should got an answer, and one that should not got none."""
    found: Scores = {}
    for question in questions:
        silent = respondent.answer(question.text, profile).silent
        right = silent == (question.kind == FOREIGN)
        found[question.id] = {"silent": float(silent), "right": float(right)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="make the vaults here and leave them")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--weights", default=WEIGHTS, help="what the channel counts")
    args = parser.parse_args()
    os.environ.setdefault("ENGRAIN_EMBEDDER", "none")
    with tempfile.TemporaryDirectory(prefix="engrain-graph-") as temp:
        for name in args.sets.split(","):
            weights = [float(weight) for weight in args.weights.split(",")]
            measure(name, (args.keep or Path(temp)) / name, weights)


def measure(name: str, folder: Path, weights: Sequence[float]) -> None:
    """The tables of one set."""
    plain = weighed(ranking_profile(PROFILES["prompt"]), 0.0)
    gated = weighed(PROFILES["prompt"], 0.0)
    ranked: dict[float, Scores] = {}
    silent: dict[float, Scores] = {}
    kinds: dict[str, str] = {}
    for vault in SETS[name]():
        with filled(folder, vault) as (_, respondent):
            kinds |= {question.id: question.kind for question in vault.questions}
            for weight in (0.0, *weights):
                asked = ask(respondent, vault.questions, weighed(plain, weight))
                ranked.setdefault(weight, {}).update(asked)
                told = silences(respondent, vault.questions, weighed(gated, weight))
                silent.setdefault(weight, {}).update(told)
    _print_ranking(name, ranked, kinds)
    _print_silence(silent, kinds)


def _print_ranking(name: str, ranked: dict[float, Scores], kinds: dict[str, str]) -> None:
    print(f"\n## {name}\n\n| kind | n | graph | " + " | ".join(METRICS) + " | more NDCG, 95 % |")
    print("|---|---|---|" + "---|" * (len(METRICS) + 1))
    groups = {
        kind: [id_ for id_ in ranked[0.0] if kinds[id_] == kind]
        for kind in sorted({kinds[id_] for id_ in ranked[0.0]})
    }
    groups["all"] = list(ranked[0.0])
    for kind, ids in groups.items():
        resampling = Resampling(len(ids))
        for weight, scores in ranked.items():
            cells = [f"{mean([scores[id_][metric] for id_ in ids]):.3f}" for metric in METRICS]
            gaps = [scores[id_]["ndcg@10"] - ranked[0.0][id_]["ndcg@10"] for id_ in ids]
            low, high = resampling.interval(gaps)
            told = f"{mean(gaps):+.3f} [{low:+.3f}, {high:+.3f}]" if weight else ""
            print(
                f"| {kind} | {len(ids)} | {weight:g} | {' | '.join(cells)} | {told} |", flush=True
            )


def _print_silence(silent: dict[float, Scores], kinds: dict[str, str]) -> None:
    print("\n| graph | own that got nothing | foreign that got nothing |\n|---|---|---|")
    for weight, scores in silent.items():
        own = [got["silent"] for id_, got in scores.items() if kinds[id_] != FOREIGN]
        foreign = [got["silent"] for id_, got in scores.items() if kinds[id_] == FOREIGN]
        told = f"{mean(foreign):.1%} of {len(foreign)}" if foreign else "–"
        print(f"| {weight:g} | {mean(own):.1%} of {len(own)} | {told} |", flush=True)


if __name__ == "__main__":
    main()
