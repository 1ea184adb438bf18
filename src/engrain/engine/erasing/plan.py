"""Surveys the vault and plans an erasure: lists what it would destroy before anything is done
(DESIGN section 7)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from engrain.engine.core.store import Store
from engrain.engine.entities.files import MERGED_INTO
from engrain.engine.erasing.names import Names, digest_of, goal_lines, names_of, text_of
from engrain.model.errors import EngrainError
from engrain.model.experience.continuity import (
    GOAL,
    LAST_ASKED,
    PROMPTED,
    is_prompted,
    read_section,
    write_section,
)
from engrain.model.history.record import decode_record
from engrain.model.history.tombstone import is_tombstone
from engrain.model.links.keys import link_key
from engrain.model.note.documents import trimmed
from engrain.model.note.entry import Entry, parse_note, read_entry
from engrain.model.note.field import Value
from engrain.model.note.ids import is_id
from engrain.model.note.note import Note
from engrain.model.note.tiers import INBOX, STAGING, is_generated
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend, Stored

_TRACE, _SESSION = "episode", "session"


class Met:
    """A note of the survey: what is needed to judge it, without its text."""

    __slots__ = (
        "buried", "copied", "digest", "hash", "id", "locator", "names", "sources", "supersedes",
        "title", "zone",
    )  # fmt: skip

    def __init__(self, locator: Locator, entry: Entry) -> None:
        self.locator = locator
        self.id = entry.id
        self.hash = entry.hash
        self.title = entry.title
        self.zone = entry.zone
        self.names = frozenset(names_of(entry))
        self.digest = digest_of(entry)
        # The entity contains what was merged into it.
        merged = trimmed(entry.fields.get(MERGED_INTO))
        sources = (*entry.derived_from, merged) if merged else entry.derived_from
        self.sources = frozenset(map(link_key, sources))
        self.supersedes = entry.supersedes
        self.buried = is_tombstone(entry)
        self.copied = is_copied(entry)


def is_copied(entry: Entry) -> bool:
    """Whether Engrain took an entry out of a transcript and nobody has looked at it: the trace of a
    request, or a candidate in the inbox."""
    return entry.kind == _TRACE or (entry.status == INBOX and entry.source.get("kind") == _SESSION)


def survey(
    backend: StorageBackend,
    progress: Progress | None = None,
    look: Callable[[Locator, Stored, Entry], None] | None = None,
) -> tuple[list[Met], list[Locator]]:
    """Every note of the store, and the places that can't be read as notes; `look` is called with
    each as it is read."""
    met = []
    unreadable = []
    for number, seen in enumerate(backend.scan(), 1):
        try:
            stored = backend.read(seen.locator)
            entry = read_entry(seen.locator, stored.raw)
        except EngrainError:
            unreadable.append(seen.locator)
            continue
        met.append(Met(seen.locator, entry))
        if look:
            look(seen.locator, stored, entry)
        if progress:
            progress(number, None)
    return met, unreadable


def follow(met: Iterable[Met], ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The entries that some lead to, each once, with the reason: copies of a text, and all that was
    derived from it. Cycles are handled."""
    notes = [note for note in met if not note.buried]
    by_digest: dict[str, list[Met]] = {}
    by_source: dict[str, list[Met]] = {}
    by_id: dict[str, list[Met]] = {}
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


ASKED = "asked"
DERIVED = "derived"
COPY = "copy"
PROPOSAL = "proposal"
CONTINUITY = "continuity"
_WORKING = (CONTINUITY, "progress")


class Doomed:
    """A file that is to go, and why: it was asked for, derived from such a file, a copy of its
    text, or a proposal about it."""

    def __init__(self, met: Met, why: str) -> None:
        self.id = met.id
        self.locator = met.locator
        self.title = met.title
        self.hash = met.hash
        self.why = why


class ErasurePlan:
    """What an erasure would do.

    `files` go, each leaving a tombstone; in `linking` notes links are rewritten; `relatives` are
    predecessors and successors, which stay; `mentions` are notes that say an erased name and stay
    as they are, like the `unreadable` files. `words` find traces in logs.
    """

    def __init__(self, files: Sequence[Doomed], names: Names) -> None:
        self.files = tuple(files)
        self.ids = tuple(dict.fromkeys(file.id for file in files))
        self.names = names
        self.words = names.words()
        self.linking: Sequence[Locator] = ()
        self.mentions: Sequence[Locator] = ()
        self.relatives: Sequence[Doomed] = ()
        self.unreadable: Sequence[Locator] = ()

    @property
    def strange_ids(self) -> list[str]:
        """Ids that were written by hand, and so may reveal something: they stay in the history."""
        return [id_ for id_ in self.ids if not is_id(id_)]


def plan_erasure(
    store: Store, references: Iterable[str], progress: Progress | None = None
) -> ErasurePlan:
    """Find what is to be erased and all that goes with it; nothing is changed. Raises
    NotFoundError, UsageError for a reference that means several."""
    asked = dict.fromkeys(store.find_one(reference).id for reference in references)
    met, unreadable = survey(store.backend, progress)
    why, names = _find_doomed(store, asked, met)
    linking = []
    mentions = []

    def look(locator: Locator, stored: Stored, entry: Entry) -> None:
        if entry.id in why:
            return
        text = stored.raw.decode(errors="replace")
        if entry.zone == STAGING:
            if names.proposed_in(locator, text, entry.fields):
                why[entry.id] = PROPOSAL
        elif unlink_note(names, entry) != stored.raw:
            linking.append(locator)
        elif names.mentioned_in(entry.text) or names.quoted_in(entry.text):
            mentions.append(locator)

    survey(store.backend, progress, look)
    doomed = [Doomed(note, why[note.id]) for note in met if note.id in why and not note.buried]
    order = (ASKED, DERIVED, COPY, PROPOSAL)
    plan = ErasurePlan(sorted(doomed, key=lambda file: order.index(file.why)), names)
    plan.linking, plan.mentions = linking, mentions
    plan.relatives = [Doomed(note, "") for note in _relatives(met, why)]
    plan.unreadable = [place for place in unreadable if _mentions(store, place, names)]
    return plan


def _find_doomed(
    store: Store, asked: Iterable[str], met: Sequence[Met]
) -> tuple[dict[str, str], Names]:
    """The ids of all that goes with what is asked for, each with why, and what they go by."""
    why = dict.fromkeys(asked, ASKED) | dict(follow(met, asked))
    names = learn_names(store, why, met)
    # Copies of an earlier version, which only the history still has.
    while copies := [note.id for note in met if note.id not in why and names.had(note.digest)]:
        _add_copies(why, copies, met)
        names = learn_names(store, why, met)
    keep_names(store, names, met)
    # A trace may read like another of the same task, and what was derived has the words of all its
    # sources: neither was copied into them.
    copied = {note.id for note in met if note.copied}
    said = [id_ for id_, reason in why.items() if reason != DERIVED and id_ not in copied]
    quoted = names
    if said and len(said) < len(why):
        quoted = learn_names(store, said, met)
        keep_names(store, quoted, met)
    if said and (quoting := _find_quotes(store, quoted, why)):
        _add_copies(why, quoting, met)
        names = learn_names(store, why, met)
        keep_names(store, names, met)
    return why, names


def _add_copies(why: dict[str, str], copies: Sequence[str], met: Sequence[Met]) -> None:
    """Add copies, and what follows from them, to the ids of all that goes."""
    why |= dict.fromkeys(copies, COPY)
    why |= {id_: reason for id_, reason in follow(met, copies) if id_ not in why}


def learn_names(store: Store, ids: Iterable[str], met: Sequence[Met]) -> Names:
    """The names of some entries, now and in every version that the history still has."""
    names = Names(ids, lambda message: store.attestor.sign(store.backend.vault, message))
    for device in store.backend.heads():
        for link in store.backend.chain(device):
            # The line names the entries: most payloads need not be unpacked.
            if any(id_.encode() in link.line for id_ in names.ids):
                _learn_version(names, link.line, link.payload)
    for note in met:
        if note.id in names.ids and (entry := store.find_entry(note.locator)):
            (names.learn_codes if note.buried else names.learn)(entry)
    return names


def keep_names(store: Store, names: Names, met: Sequence[Met]) -> None:
    """Exempt the names and texts of remaining notes, but not what Engrain copied from prompts and
    transcripts."""

    def look(place: Locator, _stored: Stored, entry: Entry) -> None:
        made = entry.kind == CONTINUITY or entry.zone == STAGING or is_generated(place)
        if entry.id not in names.ids and not made and not is_copied(entry):
            names.leave(entry)

    survey(store.backend, None, look)
    staying = [note for note in met if note.id not in names.ids]
    kept = {name for note in staying for name in note.names}
    names.keep(kept, {note.digest for note in staying if note.digest})


def _find_quotes(store: Store, names: Names, known: Collection[str]) -> list[str]:
    """What Engrain took out of transcripts, is not `known`, and has a passage of the erased."""
    found = []

    def look(_place: Locator, _stored: Stored, entry: Entry) -> None:
        if entry.id in known or not is_copied(entry):
            return
        if names.quoted_in(text_of(entry), own=True):
            found.append(entry.id)

    survey(store.backend, None, look)
    return found


def unlink_note(names: Names, entry: Entry) -> bytes:
    """A note's bytes without links to the erased, in its text and frontmatter."""
    note = entry.note
    raw = names.unlink(note.raw.decode()).encode()
    if entry.kind in _WORKING:
        raw = _drop_goal(names, entry.kind, parse_note(raw, entry.path)).raw
    links = entry.fields.get("links")
    if not isinstance(links, list) or not any(names.owner(to) for to, _ in entry.links):
        return raw

    def by_id(target: Value) -> Value:
        return (names.owner(target) if isinstance(target, str) else None) or target

    changed: list[Value] = [
        {**item, "to": by_id(item.get("to"))} if isinstance(item, dict) else by_id(item)
        for item in links
    ]
    return raw if changed == links else parse_note(raw, entry.path).patch({"links": changed}).raw


def _drop_goal(names: Names, kind: str, note: Note) -> Note:
    """Working memory without what was copied there from a prompt about the erased, and progress
    without the lines that tell a goal."""
    if kind != CONTINUITY:
        dropped = [line for line in goal_lines(note.body) if names.tells(line)]
        lines = note.body.splitlines(keepends=True)
        kept = [line for line in lines if line.rstrip("\r\n") not in dropped]
        return note.with_body("".join(kept)) if dropped else note
    if names.tells(read_section(note.body, LAST_ASKED)):
        note = note.with_body(write_section(note.body, LAST_ASKED, ""))
    goal = read_section(note.body, GOAL)
    if not is_prompted(note.fields, goal) or not names.tells(goal):
        return note
    return note.with_body(write_section(note.body, GOAL, "")).patch({}, [PROMPTED])


def _learn_version(names: Names, line: bytes, payload: bytes) -> None:
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


def _relatives(met: Sequence[Met], why: dict[str, str]) -> list[Met]:
    before = {note.supersedes for note in met if note.id in why}
    return [
        note
        for note in met
        if note.id not in why and (note.id in before or (note.supersedes or "") in why)
    ]


def _mentions(store: Store, place: Locator, names: Names) -> bool:
    try:
        return names.mentioned_in(store.backend.read(place).raw.decode(errors="replace"))
    except EngrainError:
        return False
