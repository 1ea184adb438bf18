"""Insights: statements that many notes of several sessions make; each such note is a witness
(S1.17).

Nothing is concluded: the proposal is a note that says what its witnesses say, in their words, and
cites each. Witnesses are notes of one project that the agent or a session wrote, since pages that
people wrote repeat their forms. External notes are no witnesses, and copies of one note count once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import is_free
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.near_copies import SAME_WORDS, buckets_of, list_statements, share
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.folding import slugify
from engrain.language.text.sentences import Sentence
from engrain.lifecycle.dreaming.finding import INSIGHT, DreamFinding
from engrain.lifecycle.reviewing.actions import FileRewrite, require_active
from engrain.model.errors import ConflictError
from engrain.model.links.link import UNLINKABLE, as_label, write_link
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import kind_of
from engrain.seam.locator import Locator, make_locator

ACTION = "insight"

LEAST_NOTES, LEAST_SESSIONS = 3, 2
MOST_NOTES = 12
"""Witnesses that one insight cites."""
_SLOTS = 1 << 22
_EVERYONE = 50
"""What more notes say is a form they have, and no statement."""
_QUOTE = 200
_SAID = frozenset(("insight", "crystallized"))
"""Kinds of notes that say together what others say: a statement of theirs is no news."""
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


def find_insights(_store: Store, memos: Iterable[Memo], _now: float) -> Iterator[DreamFinding]:
    """Find each statement that enough notes of enough sessions make, in a fixed order."""
    voices, summed_up = _gather(memos, _count(memos))
    groups = [
        group
        for key in sorted(voices)
        if (group := _agree(voices[key])) and not _is_summed_up(group, summed_up)
    ]
    copies = _find_copies(groups)
    seen: list[set[str]] = []
    for group in _rank(_without_copies(group, copies) for group in groups):
        ids = {voice.id for voice in group}
        if all(len(ids & other) < _SAME_NOTES * len(ids | other) for other in seen):
            seen.append(ids)
            yield _describe(group)


def _gather(
    memos: Iterable[Memo], counts: bytearray
) -> tuple[dict[tuple[int, str], list[_Voice]], dict[int, list[Sentence]]]:
    """Return who says what, by bucket and project, and the statements of notes that sum up."""
    voices: dict[tuple[int, str], list[_Voice]] = {}
    summed_up: dict[int, list[Sentence]] = {}
    for memo in memos:
        sentences = _statements(memo)
        if memo.kind in _SAID:
            for sentence in (*sentences, Sentence(memo.title)):
                for bucket in buckets_of(sentence) if sentence.words else ():
                    summed_up.setdefault(bucket, []).append(sentence)
            continue
        for sentence in sentences:
            for bucket in buckets_of(sentence):
                if LEAST_NOTES <= counts[bucket % _SLOTS] <= _EVERYONE:
                    said = voices.setdefault((bucket, memo.project or ""), [])
                    said.append(_Voice(memo, sentence, len(sentences)))
    return voices, summed_up


def _rank(groups: Iterable[list[_Voice]]) -> list[list[_Voice]]:
    """Return the groups that have enough notes of enough sessions, the largest first."""
    witnessed = [
        group
        for group in groups
        if len(group) >= LEAST_NOTES and len({voice.session for voice in group}) >= LEAST_SESSIONS
    ]
    return sorted(witnessed, key=lambda group: (-len(group), [voice.id for voice in group]))


def _count(memos: Iterable[Memo]) -> bytearray:
    """Count the notes in each bucket, by its last bits; a few counts are a little too high."""
    counts = bytearray(_SLOTS)
    for memo in memos:
        buckets = (each for sentence in _statements(memo) for each in buckets_of(sentence))
        for slot in {bucket % _SLOTS for bucket in buckets}:
            if counts[slot] <= _EVERYONE:
                counts[slot] += 1
    return counts


def _statements(memo: Memo) -> list[Sentence]:
    own = memo.tier == "T3" or memo.session
    if not own or memo.trust == "external" or memo.kind in _NO_WITNESS:
        return []
    return list_statements(memo.text)


def _agree(voices: Sequence[_Voice]) -> list[_Voice]:
    first = voices[0]
    found = {first.id: first}
    for voice in voices[1:]:
        if voice.id not in found and share(first.sentence, voice.sentence) >= SAME_WORDS:
            found[voice.id] = voice
    group = [*found.values()]
    return group if len(group) >= LEAST_NOTES else []


def _is_summed_up(group: Sequence[_Voice], summed_up: Mapping[int, Sequence[Sentence]]) -> bool:
    """Whether a note that sums up others makes the statement of a group."""
    return any(
        share(voice.sentence, known) >= SAME_WORDS
        for voice in group
        for bucket in (buckets_of(voice.sentence) if summed_up else ())
        for known in summed_up.get(bucket, ())
    )


def _find_copies(groups: Sequence[Sequence[_Voice]]) -> set[tuple[str, str]]:
    """Return pairs of notes that share half of their statements: copies, not two witnesses."""
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


def _describe(group: Sequence[_Voice]) -> DreamFinding:
    first = group[0]
    alike = [share(first.sentence, voice.sentence) for voice in group[1:]]
    sessions = len({voice.session for voice in group})
    return DreamFinding(
        INSIGHT,
        tuple(voice.id for voice in group),
        ACTION,
        round(sum(alike) / len(alike), 3),
        f"{len(group)} notes of {sessions} sessions say the same",
        [(voice.id, shorten(voice.sentence.text, _QUOTE)) for voice in group],
    )


KIND = "insight"
_SOURCE = "dream"
_TITLE = 100
_CITED_QUOTE = 400


def plan_insight(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan a note with the statement that all entries make, in the words of the first; its trust is
    the least of theirs. Raises ConflictError where they share no statement."""
    if len(entries) < LEAST_NOTES:
        raise ConflictError(f"{len(entries)} notes are too few: an insight needs {LEAST_NOTES}")
    require_active(entries)
    quotes = _find_common(entries)
    if quotes is None:
        raise ConflictError("the notes no longer support the insight")
    redaction = Redaction(store)
    title = redaction.clean(shorten(quotes[0].text.strip(" .:;*_`#"), _TITLE))
    ids = [entry.id for entry in entries]
    actor = acting_from(store, ids)
    projects = {entry.project for entry in entries}
    tags = [tag for tag in entries[0].tags if all(tag in entry.tags for entry in entries)]
    fields: dict[str, Value] = {
        "kind": KIND,
        "project": projects.pop() if len(projects) == 1 else None,
        "tags": [*tags] or None,
        "derived_from": [*ids],
    }
    with store.index.view() as view:
        label_first = view.label_first
    cited = [
        f"- {_cite(entry, label_first)}: “{quote_links(shorten(quote.text, _CITED_QUOTE))}”"
        for entry, quote in zip(entries, quotes, strict=True)
    ]
    lines = [f"# {title}", f"{len(entries)} notes say this, each in its own words:", "", *cited]
    body = redaction.clean("\n".join(lines) + "\n")
    note = compose_new(store, fields, body, stamp_source(actor, _SOURCE, None))
    return [FileRewrite(None, note, _free_place(store, slugify(title, KIND)), actor)]


def _find_common(entries: Sequence[Entry]) -> list[Sentence] | None:
    """Return the longest statement that all entries make, in the words of each."""
    said = [list_statements(entry.text) for entry in entries]
    found: list[list[Sentence]] = []
    for statement in said[0]:
        voices = [statement]
        for others in said[1:]:
            best = max(others, key=lambda other: share(statement, other), default=None)
            if best is None or share(statement, best) < SAME_WORDS:
                break
            voices.append(best)
        if len(voices) == len(said):
            found.append(voices)
    return max(found, key=lambda voices: len(set(voices[0].words)), default=None)


def _cite(entry: Entry, label_first: bool) -> str:
    name = entry.path.removesuffix(".md")
    target = entry.id if UNLINKABLE.search(name) else name
    return write_link(target, as_label(entry.title), label_first=label_first)


def _free_place(store: Store, slug: str) -> Locator:
    folder = kind_of(KIND).folder
    for number in range(1, 100):
        place = make_locator(f"{folder}/{slug}{'' if number == 1 else f'-{number}'}.md")
        if is_free(store, place):
            return place
    raise ConflictError(f"no free name for {slug!r}", path=folder)
