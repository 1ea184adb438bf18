"""What consolidation writes: each pattern, each anti-pattern with its learning, in one commit, so
that one `undo` takes all of it back (S2.4, S2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.language.text.slugs import slugify
from engrain.lifecycle.consolidating.evidence import OP
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.experience.wording import quote
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.ids import make_id
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import OPERATOR
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write

_SOURCE = "consolidation"


@dataclass(slots=True, eq=False)
class Writing:
    """One commit in the making: notes for places, and what was found at each. All of it comes from
    `actor`."""

    _store: Store
    actor: Actor
    _writes: list[Write] = field(default_factory=list, init=False)
    _entries: list[Entry] = field(default_factory=list, init=False)

    @property
    def ids(self) -> list[str]:
        """The entries it writes."""
        return [one.entry for one in self._writes]

    def after(self, place: str) -> bytes | None:
        """The bytes it would leave at a place, None where it writes nothing there."""
        return next((one.after for one in self._writes if one.locator == place), None)

    def create(self, place: str, note: Note) -> None:
        """A note for a free place."""
        locator = make_locator(place)
        entry = Entry(locator, note, hash_bytes(note.raw))
        self._writes.append(Write(locator, note.raw, entry.id))
        self._entries.append(entry)

    def replace(self, before: Entry, note: Note) -> None:
        """A note for the place of another, which is as it was read."""
        locator = make_locator(before.path)
        check_size(note)
        self._writes.append(Write(locator, note.raw, before.id, before.hash))

    def commit(self, reason: str) -> None:
        """Raises ConflictError where something was changed since it was read."""
        self._store.commit(OP, self._writes, reason=reason, actor=self.actor, known=self._entries)


def evidence_id(at: float, *parts: str) -> str:
    """The id of what is made from this evidence, the same whoever makes it: two devices that
    consolidate the same episodes make one entry, and an erased one is known again."""
    digest = blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=10).digest()
    return make_id(at, digest)


def compose_fresh(
    store: Store, fields: dict[str, Value], body: str, project: str | None, actor: Actor
) -> tuple[str, Note]:
    """The place and the note of a new pattern or anti-pattern, without secrets."""
    redaction = Redaction(store)
    body = redaction.clean(body)
    id_, kind = str(fields["id"]), str(fields["kind"])
    stem = slugify(body.partition("\n")[0].removeprefix("# "), f"{kind}-{id_[-8:]}")
    folder = kind_of(kind).folder
    if _is_anothers(store, f"{folder}/{stem}.md", id_):
        stem = f"{stem}-{id_[-8:]}"
    stamped = {**redaction.clean_values(fields), "project": project or None}
    note = compose_new(store, stamped, body, stamp_source(actor, _SOURCE, None))
    return f"{folder}/{stem}.md", note


def _is_anothers(store: Store, place: str, id_: str) -> bool:
    """Whether another entry stands at a place. The same one, which another device made just now, is
    met when this one is committed."""
    try:
        return store.read_entry(make_locator(place)).id != id_
    except NotFoundError:
        return False
    except EngrainError:
        return True


def maker(store: Store, sources: Sequence[str], over: Entry | None = None) -> Actor:
    """Whom something made from these episodes comes from. What the operator accepts is the
    operator's, though jobs proposed it."""
    if store.actor.trust == OPERATOR and over is not None:
        return store.actor
    row = None if over is None else store.find_exact(over.id)
    here = [source for source in sources if store.find_exact(source) is not None]
    return acting_from(store, here, over=row, hash_="" if over is None else over.hash)


def stamp_renewed(store: Store, note: Note, entry: Entry, actor: Actor) -> Note:
    """Return a changed note with the time of the change, and with its origin where the file names
    one."""
    changes: dict[str, Value] = {"updated": store.now}
    if "trust" in entry.source:
        changes["source"] = {**entry.source, "trust": actor.trust}
    return note.patch(changes)


def try_commit(writing: Writing, reason: str) -> bool:
    """Commit; False where something was changed just now, and the next run looks again."""
    try:
        writing.commit(reason)
    except ConflictError:
        return False
    return True


def word_by_model(store: Store, title: str, text: str) -> str:
    """The title of a pattern as the language model puts it, where there is one and it says one
    line; else as it is."""
    if store.summarizer is None:
        return title
    try:
        said = store.summarizer.summarize(title, text, _WORDS)
    except EngrainError:
        return title
    line = " ".join(said.split())
    return quote(line) if 0 < len(line) <= _LONGEST else title


_WORDS = 20
_LONGEST = 180
