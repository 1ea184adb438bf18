"""Imports the notes of Claude Code's own memory as candidates in the inbox.

A memory is recognised by its source (`<folder>/<file>`) and the hash of its text, which are in the
reason of the importing change; it is never imported twice. If the text of a source changes, its
candidate is updated, unless somebody has edited it: then the new text becomes another candidate,
`similar`. A source that is gone changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.batches import ErasedContents
from engrain.engine.core.outcomes import CREATED, LEFT_OUT, SIMILAR, UNCHANGED, UPDATED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_after
from engrain.engine.verbs.claude_memory import NativeMemory, read_memories
from engrain.engine.verbs.importing import refuse_own
from engrain.engine.verbs.intake import DELETED, ImportIntake, Terms
from engrain.engine.verbs.save import check_size, compose_body, stamp_source
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.history.tombstone import PREFIX
from engrain.model.note.detection import detect_tags
from engrain.model.note.entry import Entry, read_entry, text_under
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note, make_id, split_note
from engrain.model.note.tiers import ACTIVE, INBOX
from engrain.seam.batches import Change
from engrain.seam.changes import Write
from engrain.seam.derived import Progress
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import StorageBackend

SOURCE = "claude-memory"
_FOLDER = "Memory/_inbox"
_LOOKED_AT = 5  # results of a search for a text: an equal one is among the first


def import_claude_memory(
    store: Store,
    folder: str,
    *,
    name: str,
    project: str | None = None,
    allow_erased: bool = False,
    terms: Terms | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Import one folder of Claude Code's own memory as candidates in the inbox. A later import
    under the same `name` recognises what came from the folder before. `allow_erased` and `terms`
    are those of `import_folder`. An unreadable file is reported and stops no other. Raises
    UsageError if the folder contains the vault or is in it."""
    source = store.device.open_folder("device-local", folder)
    store = store.allowing_erased(allow_erased)
    refuse_own(store, source)
    # A folder's name may be invalid Unicode or have line breaks; a reference is one line of text.
    said = clean_text(store, " ".join(name.encode(errors="replace").decode().split()))
    return _Bridge(store, source, said, project, terms or Terms()).run(progress)


class _Bridge:
    def __init__(
        self, store: Store, source: StorageBackend, name: str, project: str | None, terms: Terms
    ) -> None:
        self.store = store = store.as_one_change()
        self.source = source
        self.name = name
        self.project = project
        self.intake = ImportIntake(store, name, terms)  # for entries of earlier imports
        self.done = self.intake.done
        self.taken = _Taken(store)
        self.erased = ErasedContents(store)

    def run(self, progress: Progress | None) -> Imported:
        pending = list(self._read(progress))
        wrote = True
        # A memory with the text of an existing entry is tried again after each round that wrote:
        # that entry may have been updated from its own file since.
        while pending and wrote:
            wrote = False
            left: list[NativeMemory] = []
            for memory in pending:
                label = f"{self.name}/{memory.ref}"
                outcome: str | None = ""
                with self.intake.telling(label):
                    outcome = self._take(memory)
                if outcome is None:
                    left.append(memory)
                elif outcome:
                    self.done.count(outcome)
                    wrote = wrote or outcome != UNCHANGED
            pending = left
        for _ in pending:
            self.done.count(UNCHANGED)
        self.intake.flush()
        self.store.upkeep.flush()
        return self.done

    def _read(self, progress: Progress | None) -> Iterator[NativeMemory]:
        seen = sorted(self.source.scan(), key=lambda item: item.locator)
        for number, item in enumerate(seen, 1):
            label = f"{self.name}/{item.locator}"
            if item.problem is not None:
                self.done.count(LEFT_OUT)
                self.done.tell(label, item.problem)
            else:
                with self.intake.telling(label):
                    for memory in read_memories(item.locator, self.source.read(item.locator).raw):
                        if memory.created is None:
                            terms = self.intake.terms
                            memory.created = terms.find_date(self.source, item.locator)
                        yield self._redact(memory)
            if progress:
                progress(number, len(seen))

    def _redact(self, memory: NativeMemory) -> NativeMemory:
        """Return a memory without secrets, before its hash is computed."""
        redaction = Redaction(self.store)
        for name in ("ref", "slug", "title", "text", "name", "description"):
            setattr(memory, name, redaction.clean_given(getattr(memory, name)))
        self.done.redacted += bool(redaction.rules)
        return memory

    def _take(self, memory: NativeMemory) -> str | None:
        """Import a memory, and return its outcome, "" if that is counted already, or None if some
        entry has the same text at present."""
        ref = f"{self.name}/{memory.ref}"
        reason = f"{SOURCE} {ref} {memory.revision}"
        if self.taken.knows(ref, memory.revision):
            return self._settle(ref, memory.revision)
        title, body = compose_body(memory.title, memory.text)
        project = None if memory.personal else self.project
        if self._find_equal(text_under(title, body), project):
            return None
        before = self.taken.untouched(ref)
        if before is not None:
            self._renew(before, memory, body, reason)
            return UPDATED
        self._create(memory, title, body, project, reason)
        self._tier(f"kind by {memory.kind_tier}")
        whence = "of the person" if memory.personal else "by folder" if project else "unknown"
        self._tier(f"project {whence}")
        return SIMILAR if self.taken.has(ref) else CREATED

    def _settle(self, ref: str, revision: str) -> str:
        """Deal with a text that was imported before, and return `unchanged`, or "" if its outcome
        is counted already."""
        rows = self.taken.rows(ref, revision)
        deleted = [row for row in rows if row.status == DELETED]
        if not rows or (len(deleted) < len(rows) and self.intake.terms.trust is None):
            return UNCHANGED
        row = next((row for row in rows if row.status != DELETED), rows[0])
        there = self.store.read_entry(row.locator)
        if not self.intake.stays_deleted(ref, there):
            status = INBOX if row.locator.startswith(f"{_FOLDER}/") else ACTIVE
            same = row.status == DELETED or self.taken.is_untouched(ref, there)
            self.intake.settle(ref, there, None, came_by_it=True, same=same, status=status)
        return ""

    def _tier(self, what: str) -> None:
        self.done.tiers[what] = self.done.tiers.get(what, 0) + 1

    def _find_equal(self, text: str, project: str | None) -> bool:
        """Whether an entry of this project, or without one, has the same text in any status."""
        self.store.upkeep.flush()
        only = Filter(projects=("", project or ""))
        return any(
            self.store.read_entry(row.locator).text.strip() == text.strip()
            for row in self.store.index.search(text, only, _LOOKED_AT)
        )

    def _create(
        self, memory: NativeMemory, title: str, body: str, project: str | None, reason: str
    ) -> None:
        now = self.store.clock.now()
        created = memory.created if memory.created is not None else now
        slug = memory.slug or slugify(title, f"note-{memory.revision[:8]}")
        # A file of the same name in another project may have taken the first name.
        for stem in (slug, f"{slug}-{memory.revision[:8]}", f"{slug}-{memory.revision}"):
            fields: dict[str, Value] = {
                "id": make_id(created, self.store.entropy.draw(10)),
                **_given_fields(memory),
                "status": INBOX,
                "created": format_instant(created),
                "updated": format_instant(now),
                "tags": list(detect_tags(None, slug, body)[0]),
                "project": project,
                "source": stamp_source(self.store.actor, SOURCE, f"{self.name}/{memory.ref}"),
            }
            note = compose_note({key: value for key, value in fields.items() if value}, body)
            check_size(note)
            locator = make_locator(f"{_FOLDER}/{stem}.md")
            write = Write(locator, note.raw, str(fields["id"]))
            self.erased.check(write)
            try:
                self.store.commit("import", [write], reason=reason)
            except ConflictError:
                continue
            return
        raise ConflictError(f"no free name for {slug!r} in {_FOLDER}", path=_FOLDER)

    def _renew(self, before: Entry, memory: NativeMemory, body: str, reason: str) -> None:
        fields = _given_fields(memory)
        removed = [key for key, value in fields.items() if not value]
        changed = {key: value for key, value in fields.items() if value}
        changed["updated"] = self.store.now
        note = before.note.with_body(body).patch(changed, removed)
        check_size(note)
        locator = make_locator(before.path)
        write = Write(locator, note.raw, before.id, before.hash)
        self.erased.check(write)
        self.store.commit("import", [write], reason=reason)


def _given_fields(memory: NativeMemory) -> dict[str, Value]:
    """Return the fields that a memory fills besides its text, also empty ones."""
    aliases: list[Value] = [memory.name] if memory.name not in ("", memory.title) else []
    return {"kind": memory.kind, "aliases": aliases, "description": memory.description}


class _Taken:
    """The changes of earlier imports by source, newest first, as the history has them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.changes: dict[str, list[tuple[str, Change]]] = {}
        for change in store.index.changes(op="import"):
            kind, _, rest = change.reason.partition(" ")
            if kind == SOURCE:
                ref, _, revision = rest.rpartition(" ")
                self.changes.setdefault(ref, []).append((revision, change))

    def has(self, ref: str) -> bool:
        """Whether any text of this source was imported."""
        return ref in self.changes

    def knows(self, ref: str, revision: str) -> bool:
        """Whether this text of this source was imported before, by this or another device. If this
        device's last import of the source brought another text, an older one has come back: then it
        only counts as known if an entry made from it was deleted."""
        took = [change for known, change in self.changes.get(ref, ()) if known == revision]
        own = self._own(ref)
        if not took or not own or own[0] in took:
            return bool(took)
        rows = [row for change in took for row in self.store.index.lookup(change.entry)]
        return any(row.status == "deleted" for row in rows)

    def untouched(self, ref: str) -> Entry | None:
        """Return the candidate that this device imported from this source, None if it is no longer
        in the inbox or was edited since."""
        for change in self._own(ref):
            for row in self.store.index.lookup(change.entry):
                if not row.primary:
                    continue
                entry = read_entry(row.locator, self.store.backend.read(row.locator).raw)
                if entry.status == INBOX and self.is_untouched(ref, entry):
                    return entry
        return None

    def is_untouched(self, ref: str, entry: Entry) -> bool:
        """Whether an entry is still as an import of this source wrote it."""
        return entry.note.substance() in self._left(ref, entry.id)

    def rows(self, ref: str, revision: str) -> list[Row]:
        """Return the entries imported from this text of this source, without erased ones."""
        took = [change for known, change in self.changes.get(ref, ()) if known == revision]
        rows = [row for change in took for row in self.store.index.lookup(change.entry)]
        erased = [row for row in rows if row.locator.name.startswith(PREFIX)]
        return [row for row in rows if row.primary and row not in erased]

    def _left(self, ref: str, entry: str) -> Iterator[str]:
        for _, change in self.changes[ref]:
            if change.entry == entry:
                try:
                    yield split_note(bytes_after(self.store, change)).substance()
                except EngrainError:
                    continue  # the bytes were erased since, or can't be read

    def _own(self, ref: str) -> list[Change]:
        device = self.store.backend.device
        found = [change for _, change in self.changes.get(ref, ())]
        return [change for change in found if change.change.rpartition("-")[0] == device]
