"""Notes that say otherwise than another of the same thing, and can't both be right (S2.9, S1.17).

Statements of one project that share two words, in their text or their note's title, are looked at
beside each other. Where the later says itself that it changed, or one replaced the other, that is
no contradiction but a chain.
"""

from __future__ import annotations

from array import array
from itertools import combinations

from engrain.lifecycle.dreaming.duplicates import LEFT_ALONE
from engrain.lifecycle.dreaming.finding import CONTRADICTION, Finding
from engrain.model.lines import shorten
from engrain.model.note_statements import Subject, Weights, compare_statements, read_statements
from engrain.model.sketches import Sketches, number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engrain.engine.store import Store
    from engrain.model.memo import Memo
    from engrain.model.note_statements import Odds, Statement

ACTION = "contradict"

LEAST = 0.6
_SENTENCES = 40
_WORDS = 6
"""Words of a statement by which others are looked for: the rarest."""
_QUOTE = 160


def find_contradictions(_store: Store, memos: Iterable[Memo], _now: float) -> Iterator[Finding]:
    """A finding for each two notes that are at odds: (the later, the earlier)."""
    weights = _weigh(memos)
    places = _Places()
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        about = Subject(memo.title)
        for at, statement in enumerate(read_statements(memo.text, _SENTENCES)):
            places.add(memo, at, statement, about, weights)
    pairs = list(places.find_pairs())
    wanted = {id_ for pair in pairs for id_, _ in pair}
    known = {memo.id: memo for memo in memos if memo.id in wanted}
    read: dict[str, tuple[Subject, list[Statement]]] = {
        id_: (Subject(memo.title), list(read_statements(memo.text, _SENTENCES)))
        for id_, memo in known.items()
    }
    best: dict[tuple[str, str], tuple[Odds, Statement, Statement]] = {}
    for (one, at), (other, to) in pairs:
        if one == other or one not in known or other not in known:
            continue
        if _is_settled(known[one], known[other]):
            continue
        (subject, ours), (about, theirs) = read[one], read[other]
        odds = compare_statements(ours[at], subject, theirs[to], about, weights)
        key = (one, other)
        if odds and odds.share >= LEAST and (key not in best or best[key][0].share < odds.share):
            best[key] = (odds, ours[at], theirs[to])
    for (one, other), (odds, said, otherwise) in sorted(best.items()):
        quotes = {one: said.text, other: otherwise.text}
        later, earlier = sorted((one, other), key=lambda id_: _age(known[id_]))
        yield Finding(
            CONTRADICTION,
            (later, earlier),
            ACTION,
            round(odds.share, 3),
            "they say otherwise",
            [(id_, shorten(quotes[id_], _QUOTE)) for id_ in (later, earlier)],
        )


def _weigh(memos: Iterable[Memo]) -> Weights:
    counts: dict[str, int] = {}
    many = 0
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        for statement in read_statements(memo.text, _SENTENCES):
            many += 1
            for word in statement.words:
                counts[word] = counts.get(word, 0) + 1
    return Weights(counts, many)


class _Places:
    """Where statements stand, and by which pairs of words they are found."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._notes: dict[str, array[int]] = {}
        self._ats: dict[str, array[int]] = {}
        self._masks: dict[str, array[int]] = {}
        self._sketches: dict[str, Sketches] = {}
        self._types: dict[str, int] = {}

    def add(
        self, memo: Memo, at: int, statement: Statement, about: Subject, weights: Weights
    ) -> None:
        project = memo.project or ""
        if project not in self._sketches:
            self._sketches[project] = Sketches(1, 0.0)
            self._notes[project] = array("I")
            self._ats[project] = array("H")
            self._masks[project] = array("Q")
        if not self._ids or self._ids[-1] != memo.id:
            self._ids.append(memo.id)
        rarest = sorted(statement.words, key=lambda word: (-weights.of(word), word))[:_WORDS]
        titled = sorted(about.words, key=lambda word: (-weights.of(word), word))[:_WORDS]
        keys = {f"{a} {b}" if a < b else f"{b} {a}" for a, b in combinations(rarest, 2)}
        keys |= {f"{a} {b}" if a < b else f"{b} {a}" for a in rarest for b in titled if a != b}
        self._sketches[project].add({number_of(key) for key in keys})
        self._notes[project].append(len(self._ids) - 1)
        self._ats[project].append(at)
        mask = 1 if statement.denied else 0
        for type_ in statement.values:
            mask |= 2 << self._types.setdefault(type_, len(self._types) % 60)
        self._masks[project].append(mask)

    def find_pairs(self) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
        """((id, number of the statement), the same of another) of such as may be at odds."""
        for project in sorted(self._sketches):
            notes, ats, masks = self._notes[project], self._ats[project], self._masks[project]

            def may(one: int, other: int, notes=notes, masks=masks) -> bool:  # type: ignore[no-untyped-def]
                a, b = masks[one], masks[other]
                return notes[one] != notes[other] and bool((a ^ b) & 1 or (a & b) >> 1)

            for one, other in self._sketches[project].find_pairs(may):
                yield (
                    (self._ids[notes[one]], ats[one]),
                    (self._ids[notes[other]], ats[other]),
                )


def _is_settled(one: Memo, other: Memo) -> bool:
    """Whether the two are told of each other already, or one replaced the other."""
    for memo, to in ((one, other), (other, one)):
        if memo.supersedes == to.id:
            return True
        names = {to.id, to.slug, to.title}
        if any(target in names for target, _ in memo.links):
            return True
    return False


def _age(memo: Memo) -> tuple[float, str]:
    return -(memo.created or 0.0), memo.id
