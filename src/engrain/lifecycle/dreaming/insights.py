"""What many notes say together: the same statement, made in several sessions, of which each is a
witness (S1.17).

Nothing is concluded: what is proposed is a note that says what they say, in their words, each of
them cited. Witnesses are notes of one project, of the agent's own or of a session: pages that
people wrote repeat their forms. What came from outside bears no witness, and copies of one note are
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from engrain.engine.core.store import Store
from engrain.language.copies.shared_statements import ALIKE, buckets_of, list_statements, share
from engrain.language.text.lines import shorten
from engrain.language.text.sentences import Sentence
from engrain.lifecycle.dreaming.finding import INSIGHT, Finding
from engrain.model.note.memo import Memo
from engrain.model.note.strength import DAY

ACTION = "insight"

LEAST_NOTES, LEAST_SESSIONS = 3, 2
MOST_NOTES = 12
"""Witnesses that one insight cites."""
_SLOTS = 1 << 22
_EVERYONE = 50
"""What more notes say is a form they have, and no statement."""
_QUOTE = 200
_SAID = frozenset(("insight", "crystallized"))
"""Kinds of notes that say together what others say: a statement of theirs is told already."""
_NO_WITNESS = frozenset(
    ("anti-pattern", "daily", "domain-reference", "pattern", "plan", "progress", "roadmap")
)
_SAME_NOTES = 0.5
"""Share of their notes from which two insights are too much: the one with more witnesses stays."""


class _Voice:
    """One note that makes a statement: its id, its session (else its day), how many statements it
    makes in all, and which."""

    __slots__ = ("id", "sentence", "session", "statements")

    def __init__(self, memo: Memo, sentence: Sentence, statements: int) -> None:
        self.id = memo.id
        self.session = memo.session or f"day {int((memo.created or 0.0) // DAY)}"
        self.sentence = sentence
        self.statements = statements


def find_insights(_store: Store, memos: Iterable[Memo], _now: float) -> Iterator[Finding]:
    """The finder: each statement that enough notes of enough sessions make, in a fixed order."""
    counts = _count(memos)
    voices: dict[tuple[int, str], list[_Voice]] = {}
    told: dict[int, list[Sentence]] = {}
    for memo in memos:
        sentences = _statements(memo)
        if memo.kind in _SAID:
            for sentence in (*sentences, Sentence(memo.title)):
                for bucket in buckets_of(sentence) if sentence.words else ():
                    told.setdefault(bucket, []).append(sentence)
            continue
        for sentence in sentences:
            for bucket in buckets_of(sentence):
                if LEAST_NOTES <= counts[bucket % _SLOTS] <= _EVERYONE:
                    said = voices.setdefault((bucket, memo.project or ""), [])
                    said.append(_Voice(memo, sentence, len(sentences)))
    groups = [
        group
        for key in sorted(voices)
        if (group := _agree(voices[key])) and not _is_told(group, told)
    ]
    copies = _find_copies(groups)
    seen: list[set[str]] = []
    for group in _rank(_without_copies(group, copies) for group in groups):
        ids = {voice.id for voice in group}
        if all(len(ids & other) < _SAME_NOTES * len(ids | other) for other in seen):
            seen.append(ids)
            yield _describe(group)


def _rank(groups: Iterable[list[_Voice]]) -> list[list[_Voice]]:
    """Those with enough witnesses, those with the most first."""
    witnessed = [group for group in groups if _is_witnessed(group)]
    return sorted(witnessed, key=lambda group: (-len(group), [voice.id for voice in group]))


def _count(memos: Iterable[Memo]) -> bytearray:
    """How many notes fall into each bucket, by its last bits: a little too many here and there."""
    counts = bytearray(_SLOTS)
    for memo in memos:
        found = {
            bucket % _SLOTS for sentence in _statements(memo) for bucket in buckets_of(sentence)
        }
        for slot in found:
            if counts[slot] <= _EVERYONE:
                counts[slot] += 1
    return counts


def _statements(memo: Memo) -> list[Sentence]:
    own = memo.tier == "T3" or memo.session
    if not own or memo.trust == "external" or memo.kind in _NO_WITNESS:
        return []
    return list_statements(memo.text)


def _agree(voices: Sequence[_Voice]) -> list[_Voice]:
    """Those that say what the first of them says, each note once."""
    first = voices[0]
    found = {first.id: first}
    for voice in voices[1:]:
        if voice.id not in found and share(first.sentence, voice.sentence) >= ALIKE:
            found[voice.id] = voice
    group = [*found.values()]
    return group if len(group) >= LEAST_NOTES else []


def _is_told(group: Sequence[_Voice], told: Mapping[int, Sequence[Sentence]]) -> bool:
    """Whether a note that says together what others say has it."""
    return any(
        share(voice.sentence, known) >= ALIKE
        for voice in group
        for bucket in (buckets_of(voice.sentence) if told else ())
        for known in told.get(bucket, ())
    )


def _find_copies(groups: Sequence[Sequence[_Voice]]) -> set[tuple[str, str]]:
    """Pairs of notes that have half of their statements in common: copies, not two witnesses."""
    shared: Counter[tuple[str, str]] = Counter()
    statements: dict[str, int] = {}
    said: set[tuple[str, str, tuple[str, ...]]] = set()
    for group in groups:
        statements.update((voice.id, voice.statements) for voice in group)
        for one, other in combinations(sorted(group[:_EVERYONE], key=lambda one: one.id), 2):
            key = (one.id, other.id, one.sentence.words)
            if key not in said:  # the same sentence is in several buckets
                said.add(key)
                shared[one.id, other.id] += 1
    return {
        pair
        for pair, count in shared.items()
        if count > 1 and 2 * count >= min(statements[pair[0]], statements[pair[1]])
    }


def _without_copies(group: Sequence[_Voice], copies: set[tuple[str, str]]) -> list[_Voice]:
    kept: list[_Voice] = []
    for voice in sorted(group, key=lambda voice: voice.id):
        if not any((other.id, voice.id) in copies for other in kept):
            kept.append(voice)
    return kept[:MOST_NOTES]


def _is_witnessed(group: Sequence[_Voice]) -> bool:
    sessions = {voice.session for voice in group}
    return len(group) >= LEAST_NOTES and len(sessions) >= LEAST_SESSIONS


def _describe(group: Sequence[_Voice]) -> Finding:
    first = group[0]
    alike = [share(first.sentence, voice.sentence) for voice in group[1:]]
    sessions = len({voice.session for voice in group})
    return Finding(
        INSIGHT,
        [voice.id for voice in group],
        ACTION,
        round(sum(alike) / len(alike), 3),
        f"{len(group)} notes of {sessions} sessions say the same",
        [(voice.id, shorten(voice.sentence.text, _QUOTE)) for voice in group],
    )
