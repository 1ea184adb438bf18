"""Surveys the vault and plans an erasure: lists what it would destroy before anything is done
(DESIGN section 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engrain.engine.core.store import Store
from engrain.engine.entities.files import MERGED_INTO
from engrain.engine.erasing.names import ErasedNames, goal_lines, names_of, text_of
from engrain.model.errors import EngrainError
from engrain.model.experience.continuity import (
    GOAL,
    LAST_ASKED,
    MISTAKES,
    PROMPTED,
    RELEVANT,
    is_prompted,
    name_referred,
    read_section,
    write_section,
)
from engrain.model.facts.memory_page import PLACE
from engrain.model.history.record import decode_record, is_tombstone, text_digest
from engrain.model.links.relinking import draw, drawn_names
from engrain.model.note.documents import trimmed
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note, is_id
from engrain.model.note.tiers import INBOX, STAGING, is_generated, link_key
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

_TRACE, _SESSION = "episode", "session"
CONTINUITY = "continuity"
_PROGRESS = "progress"
_ATTEMPTS = 3
"""Surveys at most for entries that are changed whenever the vault is surveyed."""


class SurveyedNote:
    """A note of the survey without its text."""

    __slots__ = (
        "buried", "copied", "digest", "hash", "id", "locator", "names", "sources", "supersedes",
        "title", "why",
    )  # fmt: skip

    def __init__(self, locator: Locator, entry: Entry) -> None:
        self.locator = locator
        self.why = ""
        self.id = entry.id
        self.hash = entry.hash
        self.title = entry.title
        self.names = frozenset(names_of(entry))
        self.digest = text_digest(entry)
        # The entity contains what was merged into it.
        merged = trimmed(entry.fields.get(MERGED_INTO))
        sources = (*entry.derived_from, merged) if merged else entry.derived_from
        self.sources = frozenset(map(link_key, sources))
        self.supersedes = entry.supersedes
        self.buried = is_tombstone(entry)
        self.copied = is_copied(entry)


def is_copied(entry: Entry) -> bool:
    """Whether Engrain made an entry from a transcript and nobody has reviewed it: the trace of a
    request, or a candidate in the inbox."""
    return entry.kind == _TRACE or (entry.status == INBOX and entry.source.get("kind") == _SESSION)


def _says_its_own(entry: Entry) -> bool:
    """Whether Engrain did not copy an entry's words from prompts, transcripts or other notes."""
    made = entry.kind == CONTINUITY or entry.zone == STAGING or is_generated(entry.path)
    return not made and not is_copied(entry)


class NoteSurvey:
    """The notes of a store, and those of them that may mention or quote some entries, or were made
    from a prompt about them (`near`).

    `learned` has the files from which the entries' names were learned, each with its hash.
    """

    def __init__(
        self,
        store: Store,
        ids: Iterable[str],
        places: Iterable[Locator],
        quoted: Collection[str] | None = None,
    ) -> None:
        self.met: dict[Locator, SurveyedNote] = {}
        self.unreadable: dict[Locator, None] = {}
        self._store = store
        self._stamps: dict[Locator, str] = {}
        self._near: dict[Locator, None] = {}
        self.names, self.learned = learn_names(store, ids, places, quoted)
        self.names.exempt_names(())

    @property
    def files(self) -> set[tuple[Locator, str]]:
        """The files of the entries, each with its hash."""
        theirs = (note for note in self.met.values() if note.id in self.names.ids)
        return {(note.locator, note.hash) for note in theirs}

    @property
    def near(self) -> Iterator[Entry]:
        """The notes that the entries' names may concern, read again: some names of other entries
        were taken for theirs before all notes were read."""
        for place in list(self._near):
            if entry := self._store.find_entry(place):
                yield entry

    def renew(self, progress: Progress | None = None) -> None:
        """Read the notes that are new or have changed since the last time."""
        seen = {item.locator: item.stamp for item in self._store.backend.scan()}
        changed = [place for place, stamp in seen.items() if self._stamps.get(place) != stamp]
        for place in (self._stamps.keys() - seen.keys()).union(changed):
            self.met.pop(place, None)
            self._near.pop(place, None)
            self.unreadable.pop(place, None)
        self._stamps = seen
        for number, place in enumerate(changed, 1):
            self._look(place)
            if progress:
                progress(number, len(changed))

    def exempt_names(self) -> None:
        """Exempt the names that remaining notes have."""
        staying = [note for note in self.met.values() if note.id not in self.names.ids]
        self.names.exempt_names({name for note in staying for name in note.names})

    def _look(self, place: Locator) -> None:
        try:
            entry = self._store.read_entry(place)
        except EngrainError:
            self.unreadable[place] = None
            return
        self.met[place] = SurveyedNote(place, entry)
        names = self.names
        if entry.id in names.ids:
            return
        if _says_its_own(entry):
            names.exempt_words(entry)
        if (
            entry.zone == STAGING
            or entry.kind in (CONTINUITY, _PROGRESS)
            or names.mentioned_in(entry.text)
            or names.quoted_in(text_of(entry))
            or trim_note(names, entry) != entry.note.raw
        ):
            self._near[place] = None


def survey_notes(
    store: Store,
    ids: Collection[str],
    progress: Progress | None = None,
    known: NoteSurvey | None = None,
    quoted: Collection[str] | None = None,
) -> NoteSurvey:
    """Survey the notes by all names that some entries have or had, and by passages of the `quoted`
    ones; a `known` survey of the same entries is only renewed."""
    survey = known
    if survey is None or survey.names.ids.keys() != set(ids):
        rows = [row for id_ in ids for row in store.index.lookup(id_) if row.id == id_]
        survey = NoteSurvey(store, ids, [row.locator for row in rows], quoted)
    survey.renew(progress)
    for _ in range(_ATTEMPTS):
        if survey.files == survey.learned:
            break  # otherwise the index lacked a file, or one was changed just now
        survey = NoteSurvey(store, ids, [place for place, _ in survey.files], quoted)
        survey.renew(progress)
    return survey


def learn_names(
    store: Store,
    ids: Iterable[str],
    places: Iterable[Locator],
    quoted: Collection[str] | None = None,
) -> tuple[ErasedNames, set[tuple[Locator, str]]]:
    """Learn the names of some entries from the files at `places` and from every version in the
    history; return also those files that are theirs, each with its hash."""
    names = ErasedNames(ids, quoted)
    for device in store.backend.heads():
        for link in store.backend.chain(device):
            # The line names the entries: most payloads need not be unpacked.
            if any(id_.encode() in link.line for id_ in names.ids):
                _learn_version(names, link.line, link.payload)
    learned = set()
    for place in places:
        entry = store.find_entry(place)
        if entry and entry.id in names.ids:
            if not is_tombstone(entry):
                names.learn(entry)
            learned.add((place, entry.hash))
    return names, learned


def _learn_version(names: ErasedNames, line: bytes, payload: bytes) -> None:
    try:
        files = decode_record(line, payload).files or ()
    except EngrainError:
        return
    for file in files:
        if file.entry in names.ids and file.after is not None:
            try:
                entry = read_entry(file.path, file.after)
            except EngrainError:
                continue
            if entry.id == file.entry:
                names.learn(entry)


def trim_note(names: ErasedNames, entry: Entry) -> bytes:
    """Return a note's bytes without what Engrain wrote there of erased entries: their names where
    typed links are drawn, lines of MEMORY.md, references in working memory, and what it and
    progress copied from prompts about them."""
    note = entry.note
    if note.draws:
        drawn = drawn_names(note)
        kept = [name for name in drawn if not names.names_one(name)]
        note = draw(note, kept) if kept != drawn else note
    if entry.path == PLACE:
        note = note.with_body(names.trim_page(note.body))
    if entry.kind == CONTINUITY:
        return _trim_continuity(names, note).raw
    if entry.kind != _PROGRESS:
        return note.raw
    dropped = [line for line in goal_lines(note.body) if names.tells(line)]
    lines = note.body.splitlines(keepends=True)
    left = [line for line in lines if line.rstrip("\r\n") not in dropped]
    return note.with_body("".join(left)).raw if dropped else note.raw


def _trim_continuity(names: ErasedNames, note: Note) -> Note:
    for section in (RELEVANT, MISTAKES):
        lines = read_section(note.body, section).split("\n")
        kept = [line for line in lines if not names.names_one(name_referred(line))]
        if kept != lines:
            note = note.with_body(write_section(note.body, section, "\n".join(kept)))
    if names.tells(read_section(note.body, LAST_ASKED)):
        note = note.with_body(write_section(note.body, LAST_ASKED, ""))
    goal = read_section(note.body, GOAL)
    if not is_prompted(note.fields, goal) or not names.tells(goal):
        return note
    return note.with_body(write_section(note.body, GOAL, "")).patch({}, [PROMPTED])


def follow(met: Iterable[SurveyedNote], ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the copies of entries and all entries derived from them, each once, with the reason.
    Cycles are handled."""
    notes = [note for note in met if not note.buried]
    by_digest: dict[str, list[SurveyedNote]] = {}
    by_source: dict[str, list[SurveyedNote]] = {}
    by_id: dict[str, list[SurveyedNote]] = {}
    for note in notes:
        by_id.setdefault(note.id, []).append(note)
        if note.digest:
            by_digest.setdefault(note.digest, []).append(note)
        for source in note.sources:
            by_source.setdefault(source, []).append(note)
    todo = list(dict.fromkeys(ids))
    known = set(todo)
    while todo:
        id_ = todo.pop()
        files = by_id.get(id_, [])
        names = {link_key(id_)}.union(*(file.names for file in files))
        found = [(note.id, "derived") for name in names for note in by_source.get(name, ())]
        for file in files:
            found += [(note.id, "copy") for note in by_digest.get(file.digest or "", ())]
        for other, why in found:
            if other not in known:
                known.add(other)
                todo.append(other)
                yield other, why


ASKED, DERIVED, COPY, PROPOSAL = "asked", "derived", "copy", "proposal"


@dataclass(slots=True, eq=False)
class ErasurePlan:
    """The plan of an erasure, made from `survey`.

    `files` are erased, each leaving a tombstone: `why` says that it was asked for, is derived from
    such a file, a copy of its text or a proposal about it. `relatives` are predecessors and
    successors, which stay; `mentions` are notes with an erased name, also in links, that stay
    unchanged, like the `unreadable` files.
    """

    files: Sequence[SurveyedNote]
    survey: NoteSurvey
    mentions: Sequence[Locator]
    relatives: Sequence[SurveyedNote]
    unreadable: Sequence[Locator]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the files, each once."""
        return tuple(dict.fromkeys(file.id for file in self.files))

    @property
    def names(self) -> ErasedNames:
        """The names and texts of the erased entries."""
        return self.survey.names

    @property
    def strange_ids(self) -> list[str]:
        """Ids written by hand, which may reveal something: they stay in the history."""
        return [id_ for id_ in self.ids if not is_id(id_)]


def plan_erasure(
    store: Store, references: Iterable[str], progress: Progress | None = None
) -> ErasurePlan:
    """Plan the erasure of entries and of all that must be erased with them; nothing is changed.
    Raises NotFoundError, UsageError for a reference that means several."""
    asked = [store.find_one(reference) for reference in references]
    why, survey = _find_doomed(store, asked, progress)
    names, met = survey.names, list(survey.met.values())
    mentions = []
    for entry in survey.near:
        place = Locator(entry.path)
        if entry.id in why:
            continue
        if entry.zone == STAGING:
            text = entry.note.raw.decode(errors="replace")
            if names.proposed_in(place, text, entry.fields):
                why[entry.id] = PROPOSAL
        elif trim_note(names, entry) == entry.note.raw and (
            names.mentioned_in(entry.text) or names.quoted_in(entry.text)
        ):
            mentions.append(place)
    doomed = [note for note in met if note.id in why and not note.buried]
    for note in doomed:
        note.why = why[note.id]
    order = (ASKED, DERIVED, COPY, PROPOSAL)
    return ErasurePlan(
        sorted(doomed, key=lambda note: order.index(note.why)),
        survey,
        mentions,
        _relatives(met, why),
        [place for place in survey.unreadable if _mentions(store, place, names)],
    )


def _find_doomed(
    store: Store, asked: Iterable[Row], progress: Progress | None
) -> tuple[dict[str, str], NoteSurvey]:
    """Find the ids of all entries to erase, each with the reason; return the survey too."""
    rows = {row.id: row for row in asked}
    why = dict.fromkeys(rows, ASKED)
    # A trace may resemble another of the same task, so its passages are no copies.
    quoted = [id_ for id_, row in rows.items() if not is_copied(store.read_entry(row.locator))]
    while True:
        survey = survey_notes(store, why, progress, quoted=quoted)
        met = survey.met.values()
        found = dict(follow(met, why))
        # These are copies of an earlier version, which only the history still has.
        had = [note.id for note in met if survey.names.had(note.digest)]
        for id_ in (*had, *_find_quotes(survey, why)):
            found.setdefault(id_, COPY)
        if why.keys() >= found.keys():
            break
        why = found | why
    survey.exempt_names()
    return why, survey


def _find_quotes(survey: NoteSurvey, known: Collection[str]) -> list[str]:
    """Find the unreviewed copies from transcripts that have a passage of the erased entries."""
    copied = (entry for entry in survey.near if is_copied(entry) and entry.id not in known)
    return [entry.id for entry in copied if survey.names.quoted_in(text_of(entry))]


def _relatives(met: Sequence[SurveyedNote], why: dict[str, str]) -> list[SurveyedNote]:
    before = {note.supersedes for note in met if note.id in why}
    others = [note for note in met if note.id not in why]
    return [note for note in others if note.id in before or (note.supersedes or "") in why]


def _mentions(store: Store, place: Locator, names: ErasedNames) -> bool:
    try:
        return names.mentioned_in(store.backend.read(place).raw.decode(errors="replace"))
    except EngrainError:
        return False
