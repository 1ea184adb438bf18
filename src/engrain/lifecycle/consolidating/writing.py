"""The steps of consolidation, and what each writes: a pattern, or an anti-pattern with its
learning, in one commit that one `undo` takes back (S2.4, S2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.language.text.slugs import slugify
from engrain.lifecycle.consolidating.evidence import OP, Known
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.experience.wording import quote
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.ids import make_id
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import OPERATOR
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write

_WORDS, _LONGEST = 20, 180


@dataclass(slots=True, eq=False)
class Writing:
    """One commit in preparation, made by `actor`."""

    store: Store
    actor: Actor
    _writes: list[Write] = field(default_factory=list, init=False)
    _entries: list[Entry] = field(default_factory=list, init=False)

    @property
    def ids(self) -> list[str]:
        """The entries it writes."""
        return [one.entry for one in self._writes]

    def after(self, place: str) -> bytes | None:
        """Return the bytes it would leave at a place, None where it writes nothing there."""
        return next((one.after for one in self._writes if one.locator == place), None)

    def create(self, place: str, note: Note) -> None:
        """Add a note at a free place."""
        locator = make_locator(place)
        entry = Entry(locator, note, hash_bytes(note.raw))
        self._writes.append(Write(locator, note.raw, entry.id))
        self._entries.append(entry)

    def replace(self, before: Entry, note: Note) -> None:
        """Replace the note of an entry that must be as it was read."""
        locator = make_locator(before.path)
        check_size(note)
        self._writes.append(Write(locator, note.raw, before.id, before.hash))

    def renew(self, before: Entry, note: Note) -> None:
        """Replace an entry's note by one with the time of the change, and with the actor's trust
        where the file states one."""
        changes: dict[str, Value] = {"updated": self.store.now}
        if "trust" in before.source:
            changes["source"] = {**before.source, "trust": self.actor.trust}
        self.replace(before, note.patch(changes))

    def commit(self, reason: str) -> None:
        """Commit it. Raises ConflictError where something was changed since it was read."""
        self.store.commit(OP, self._writes, reason=reason, actor=self.actor, known=self._entries)


@dataclass(slots=True, eq=False)
class Step:
    """One planned step: `word` says what is done to the entry `id`, `reason` why; `writing` does
    it, None where nothing is written. A `proposed` step is for the operator to decide."""

    word: str
    id: str
    reason: str
    writing: Writing | None = None


CREATED, RENEWED, PROPOSED, LEFT = "created", "updated", "proposed", "left"


def make_renewal(known: Known, reason: str, writing: Writing) -> Step:
    """Make the step that renews an entry; the operator's own is only proposed."""
    theirs = known.row.source == OPERATOR and writing.store.actor.trust != OPERATOR
    return Step(PROPOSED if theirs else RENEWED, known.row.id, reason, writing)


def evidence_id(at: float, *parts: str) -> str:
    """Make the id of an entry from its evidence, the same on every device: two devices that
    consolidate the same episodes make one entry, and an erased entry is recognised."""
    digest = blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=10).digest()
    return make_id(at, digest)


def compose_fresh(
    store: Store, fields: dict[str, Value], body: str, project: str | None, actor: Actor
) -> tuple[str, Note]:
    """Compose a new pattern or anti-pattern without secrets; return its place and note."""
    redaction = Redaction(store)
    body = redaction.clean(body)
    id_, kind = str(fields["id"]), str(fields["kind"])
    stem = slugify(body.partition("\n")[0].removeprefix("# "), f"{kind}-{id_[-8:]}")
    folder = kind_of(kind).folder
    if _is_anothers(store, f"{folder}/{stem}.md", id_):
        stem = f"{stem}-{id_[-8:]}"
    stamped = {**redaction.clean_values(fields), "project": project or None}
    note = compose_new(store, stamped, body, stamp_source(actor, "consolidation", None))
    return f"{folder}/{stem}.md", note


def _is_anothers(store: Store, place: str, id_: str) -> bool:
    """Whether another entry is at a place. If it is the same one, which another device made just
    now, the commit notices it."""
    try:
        return store.read_entry(make_locator(place)).id != id_
    except NotFoundError:
        return False
    except EngrainError:
        return True


def maker(store: Store, sources: Sequence[str], over: Entry | None = None) -> Actor:
    """Return the actor with the least trust among these episodes and the entry `over`. What the
    operator accepts is the operator's, though jobs proposed it."""
    if store.actor.trust == OPERATOR and over is not None:
        return store.actor
    row = None if over is None else store.find_exact(over.id)
    here = [source for source in sources if store.find_exact(source) is not None]
    return acting_from(store, here, over=row, hash_="" if over is None else over.hash)


def word_by_model(store: Store, title: str, text: str) -> str:
    """Return the title of a pattern in the language model's words if a model is configured and
    answers with one line, else as it is."""
    if store.summarizer is None:
        return title
    try:
        said = store.summarizer.summarize(title, text, _WORDS)
    except EngrainError:
        return title
    line = " ".join(said.split())
    return quote(line) if 0 < len(line) <= _LONGEST else title
