"""Write a seeded corpus for the dream: a software team's memory with known faults in it.

Of 5,000 notes 200 have a near copy, 100 pairs can't both hold, 50 chains of supersessions are
stale, and 100 texts name another note without a link to it; other sizes have as many for their
number. The others are there to be mistaken: notes that are alike and say different things, the same
said twice, values that changed with time, components of one name, well kept chains, series, titles
that are common words. The labels, by entry id, go into a file beside the folder.

The generator and its words were written before any finder was there to look at. Seed 0 makes its
labels of other frames than all further seeds do: finders are fitted on those and told of on 0.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench import dream_alike, dream_chains
from bench.dream_chains import Chain
from bench.dream_claims import Claims, Pair
from bench.dream_copies import can_be_named, copy, link_mentions, mention
from bench.dream_sheets import Sheet, World
from bench.dream_words import Page, read_sections

NOTES = 5000
DUPLICATES, CONTRADICTIONS, CHAINS, LINKS = 200, 100, 50, 100
"""Of so many notes."""
LEAST = 500
"""Notes of the smallest corpus: those written by hand are in each."""

_ALIKE, _SERIES, _KEPT, _VERSIONS, _NOT_REPLACED, _TITLES = 130, 12, 40, 20, 10, 15
_PAIRS = {"agreement": 50, "namesakes": 50, "change": 40, "timed": 60}
_NAMED = {"linked": 50, "code": 30}
_FACTS = 500
_LINKED = 0.35
"""Which share of the other notes has a link."""


class Corpus:
    """The sheets of a corpus, and what is known of them."""

    __slots__ = (
        "by_hand",
        "chance",
        "claims",
        "count",
        "labels",
        "left",
        "seed",
        "sheets",
        "world",
    )

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self.seed = seed
        self.chance = Random(f"dream {seed}")
        self.world = World(self.chance)
        self.claims = Claims(self.world, seed)
        self.sheets: list[Sheet] = []
        self.by_hand = 0
        self.labels: dict[str, list[dict[str, Any]]] = {
            name: []
            for name in ("duplicates", "contradictions", "chains", "links", "decoys", "tolerated")
        }
        self.left: set[tuple[str, str]] = set()
        """Who names whom in its text without a link, on purpose."""

    def make(self) -> None:
        """Make everything, in a fixed order."""
        self.sheets += self.world.hand_written()
        self.by_hand = len(self.sheets)
        self.sheets += dream_alike.common_titles(self.world)
        self._claim()
        self._chain()
        self._resemble()
        room = self.count - self._of(DUPLICATES)
        for _ in range(self._of(_FACTS)):
            self.sheets.append(self.claims.facts())
        while len(self.sheets) < room:
            self.sheets.append(self.world.compose(self.world.known_subject()))
        self._link()
        self._name()
        self._copy()
        link_mentions(self.sheets, self.left)

    def _of(self, number: int) -> int:
        return round(number * self.count / NOTES)

    def _claim(self) -> None:
        claims = self.claims
        for number in range(self._of(CONTRADICTIONS)):
            self._keep_pair("contradictions", claims.contradiction(number))
        makers: dict[str, Callable[[], Pair]] = {
            "agreement": claims.agreement,
            "namesakes": claims.namesakes,
            "change": claims.change,
            "timed": claims.timed,
        }
        for name, number in _PAIRS.items():
            for _ in range(self._of(number)):
                pair = makers[name]()
                self._keep_pair("decoys", pair)
                if name == "change":
                    self._tolerate("chain", [pair.first, pair.second])

    def _keep_pair(self, label: str, pair: Pair) -> None:
        self.sheets += (pair.first, pair.second)
        self._label(label, [pair.first, pair.second], pair.form)

    def _chain(self) -> None:
        for number in range(self._of(CHAINS)):
            chain = dream_chains.stale(self.world, number)
            self._keep_chain("chains", chain)
            for kind in ("contradiction", "link"):
                self._tolerate(kind, chain.members)
        for _ in range(self._of(_KEPT)):
            self._keep_chain("decoys", dream_chains.well_kept(self.world))
        for _ in range(self._of(_VERSIONS)):
            self._keep_chain("decoys", dream_chains.side_by_side(self.world))
        for _ in range(self._of(_NOT_REPLACED)):
            self._keep_chain("decoys", dream_chains.not_replaced(self.world))

    def _keep_chain(self, label: str, chain: Chain) -> None:
        self.sheets += (*chain.members, *chain.pointers)
        self._label(label, chain.members, chain.form)
        self.labels[label][-1]["pointers"] = [one.id for one in chain.pointers]
        ids = [one.id for one in (*chain.members, *chain.pointers)]
        self.left |= {(one, other) for one in ids for other in ids}

    def _resemble(self) -> None:
        for _ in range(self._of(_ALIKE)):
            self._keep_group(dream_alike.group(self.world), "alike")
        for _ in range(self._of(_SERIES)):
            length = self.chance.randint(15, 40)
            self._keep_group(list(dream_alike.series(self.world, length)), "series")
        for _ in range(self._of(_TITLES)):
            self._keep_group(dream_alike.one_title(self.world), "one title")

    def _keep_group(self, sheets: list[Sheet], form: str) -> None:
        self.sheets += sheets
        self._label("decoys", sheets, form)

    def _link(self) -> None:
        """Links between notes that have nothing else to them."""
        plain = [one for one in self.sheets if one.plain]
        lines = read_sections("copies")["linked"]
        for sheet in plain:
            if self.chance.random() < _LINKED:
                to = self.chance.choice(plain)
                if to is not sheet and not set(to.title) & set('":?'):
                    page = Page(self.chance, {"t": to.title})
                    sheet.text.append(page.fill(self.chance.choice(lines)))

    def _name(self) -> None:
        aliases = read_sections("copies")["aliases"][0].split("; ")
        self.chance.shuffle(aliases)
        for number in range(self._of(LINKS)):
            where, of = self._two()
            if number % 5 < 2:
                of.aliases = (aliases.pop(),) if aliases else (f"{where.project} sheet {number}",)
            mention(self.world, where, of)
            of.plain = False
            self._label("links", [where, of], "alias" if of.aliases else "title")
            self.left.add((where.id, of.id))
        for section, number in _NAMED.items():
            for _ in range(self._of(number)):
                where, of = self._two()
                mention(self.world, where, of, section)
                if section == "linked":
                    mention(self.world, where, of)
                of.plain = False
                self._label("decoys", [where, of], section)
                self.left.add((where.id, of.id))

    def _two(self) -> tuple[Sheet, Sheet]:
        """A sheet that may name another, and one that can be named."""
        while True:
            where, of = self.chance.sample(self.sheets, 2)
            linked = f"[[{of.title}]]" in " ".join(where.text)
            one_way = f"[[{where.title}]]" in " ".join(of.text)
            free = where.plain and of.plain and not linked and not one_way
            if free and can_be_named(of) and where.project:
                return where, of

    def _copy(self) -> None:
        room = self.count - len(self.sheets)
        written = [one for one in self.sheets[: self.by_hand] if one.plain]
        plain = [one for one in self.sheets[self.by_hand :] if one.plain]
        picked = self.chance.sample(written, min(len(written), room // 4))
        for of in picked + self.chance.sample(plain, room - len(picked)):
            made = copy(self.world, of, self.seed)
            self.sheets.append(made)
            self._label("duplicates", [of, made], of.kind)

    def _label(self, label: str, sheets: Iterable[Sheet], form: str) -> None:
        self.labels[label].append({"entries": [one.id for one in sheets], "form": form})

    def _tolerate(self, kind: str, sheets: Iterable[Sheet]) -> None:
        self.labels["tolerated"].append({"entries": [one.id for one in sheets], "kind": kind})


def write(folder: Path, notes: int = NOTES, seed: int = 0) -> Path:
    """Write a corpus into a folder; the file of its labels, beside it. Raises ValueError for fewer
    notes than `LEAST`."""
    if notes < LEAST:
        raise ValueError(f"a corpus has {LEAST} notes at least")
    corpus = Corpus(notes, seed)
    corpus.make()
    taken: set[str] = set()
    for sheet in sorted(corpus.sheets, key=lambda one: one.id):
        path = folder / sheet.place(taken)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sheet.render(), encoding="utf-8")
    beside = labels_of(folder)
    known = {"notes": len(corpus.sheets), "seed": seed, **corpus.labels}
    beside.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return beside


def labels_of(folder: Path) -> Path:
    """Where the labels of a corpus in a folder lie."""
    return folder.with_name(f"{folder.name}.labels.json")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write a corpus as the arguments say."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.dream_corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="an empty or new folder, the vault")
    parser.add_argument("--notes", type=int, default=NOTES, help=f"how many (default {NOTES})")
    parser.add_argument("--seed", type=int, default=0, help="which corpus (default 0)")
    args = parser.parse_args(arguments)
    if args.folder.exists() and any(args.folder.iterdir()):
        parser.error(f"{args.folder} isn't empty")
    if args.notes < LEAST:
        parser.error(f"a corpus has {LEAST} notes at least")
    labels = write(args.folder, args.notes, args.seed)
    known = json.loads(labels.read_text(encoding="utf-8"))
    counts = ", ".join(f"{len(ones)} {name}" for name, ones in known.items() if type(ones) is list)
    print(f"{known['notes']} notes in {args.folder}; {counts} in {labels}")


if __name__ == "__main__":
    main()
