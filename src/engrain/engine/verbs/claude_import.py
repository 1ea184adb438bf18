"""Imports the notes of Claude Code's own memory as candidates in the inbox.

A memory's source (`<folder>/<file>`) gives its entry the id, so it is never imported twice. If the
text of a source changes, its candidate is updated, unless somebody has edited or accepted it: then
the new text becomes another candidate, `similar`. A source that is gone changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.batches import ErasedContents
from engrain.engine.core.outcomes import CREATED, LEFT_OUT, SIMILAR, UNCHANGED, UPDATED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.verbs.claude_memory import NativeMemory, read_memories
from engrain.engine.verbs.importing import refuse_own
from engrain.engine.verbs.intake import DELETED, ImportIntake, Terms, last_taken_in
from engrain.engine.verbs.save import check_size, compose_body, stamp_source
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError
from engrain.model.history.tombstone import PREFIX
from engrain.model.note.detection import detect_tags
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note, hash_bytes, make_id, split_note
from engrain.model.note.properties import text_under
from engrain.model.note.tiers import ACTIVE, INBOX
from engrain.seam.changes import Write
from engrain.seam.derived import Progress
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter
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
        self.erased = ErasedContents(store)

    def run(self, progress: Progress | None) -> Imported:
        # New ones come last: what has their text now may be brought up to date from its own file.
        fresh: list[tuple[NativeMemory, str, str]] = []
        for memory in list(self._read(progress)):
            with self.intake.telling(self._ref(memory)):
                if new := self._bring_up_to_date(memory):
                    fresh.append((memory, *new))
        self.intake.flush()
        for memory, id_, outcome in fresh:
            with self.intake.telling(self._ref(memory)):
                self.done.count(outcome if self._take(memory, id_) else UNCHANGED)
        self.store.upkeep.flush()
        return self.done

    def _ref(self, memory: NativeMemory) -> str:
        return f"{self.name}/{memory.ref}"

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

    def _bring_up_to_date(self, memory: NativeMemory) -> tuple[str, str] | None:
        """Bring what came from this source before up to date, and count its outcome. Return the id
        of the entry that is to be created instead, and what that counts as, None for none."""
        ref = self._ref(memory)
        for key, outcome in ((ref, CREATED), (f"{ref} {memory.revision}", SIMILAR)):
            id_ = self._find_id(key)
            row = self.store.find_exact(id_)
            if row is None and any(self.store.index.changes(entry=id_, op="import")):
                self.done.count(UNCHANGED)  # somebody removed its file
                return None
            if row is None or row.locator.name.startswith(PREFIX):
                return id_, outcome
            there = self.store.read_entry(row.locator)
            last = last_taken_in(self.store, there) or there
            again = _renew(last, memory)
            same = there.note.substance() == last.note.substance()
            if again.substance() == last.note.substance() or outcome == SIMILAR:
                self._settle(ref, there, same)
                return None
            if same and there.status == INBOX and self._is_own(id_):
                again = again.patch({"updated": self.store.now})
                self._write(Write(row.locator, again.raw, id_, there.hash), memory)
                self.done.count(UPDATED)
                return None
        return None

    def _settle(self, ref: str, there: Entry, same: bool) -> None:
        """Leave an entry whose source has nothing new, or restore it where that is asked for."""
        if not self.intake.stays_deleted(ref, there):
            status = INBOX if there.path.startswith(f"{_FOLDER}/") else ACTIVE
            same = same or there.status == DELETED
            self.intake.settle(ref, there, None, came_by_it=True, same=same, status=status)

    def _find_id(self, key: str) -> str:
        """Return the id of the entry of a source: every import finds it, wherever the entry lies.
        What comes in after its erasure has another."""
        id_ = _id_of(key)
        while (row := self.store.find_exact(id_)) and row.locator.name.startswith(PREFIX):
            key += " again"
            if not self.store.allows_erased and self.store.find_exact(_id_of(key)) is None:
                break
            id_ = _id_of(key)
        return id_

    def _is_own(self, id_: str) -> bool:
        """Whether this device imported the present text of an entry: another device's folder of
        this name may differ."""
        last = next(iter(self.store.index.changes(entry=id_, op="import")))
        return last.change.rpartition("-")[0] == self.store.backend.device

    def _take(self, memory: NativeMemory, id_: str) -> bool:
        """Create a candidate. Return False, and create none, if an entry says the same."""
        title, body = compose_body(memory.title, memory.text)
        project = None if memory.personal else self.project
        if self._find_equal(text_under(title, body), project):
            return False
        self._create(memory, id_, title, body, project)
        self._tier(f"kind by {memory.kind_tier}")
        whence = "of the person" if memory.personal else "by folder" if project else "unknown"
        self._tier(f"project {whence}")
        return True

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
        self, memory: NativeMemory, id_: str, title: str, body: str, project: str | None
    ) -> None:
        now = self.store.clock.now()
        created = memory.created if memory.created is not None else now
        slug = memory.slug or slugify(title, f"note-{memory.revision[:8]}")
        fields: dict[str, Value] = {
            "id": id_,
            **_given_fields(memory),
            "status": INBOX,
            "created": format_instant(created),
            "updated": format_instant(now),
            "tags": list(detect_tags(None, slug, body)[0]),
            "project": project,
            "source": stamp_source(self.store.actor, SOURCE, self._ref(memory)),
        }
        note = compose_note({key: value for key, value in fields.items() if value}, body)
        # A file of the same name in another project may have taken the first name.
        for stem in (slug, f"{slug}-{memory.revision[:8]}", f"{slug}-{memory.revision}"):
            try:
                self._write(Write(make_locator(f"{_FOLDER}/{stem}.md"), note.raw, id_), memory)
            except ConflictError:
                continue
            return
        raise ConflictError(f"no free name for {slug!r} in {_FOLDER}", path=_FOLDER)

    def _write(self, write: Write, memory: NativeMemory) -> None:
        check_size(split_note(write.after or b""))
        self.erased.check(write)
        self.store.commit("import", [write], reason=f"{SOURCE} {self._ref(memory)}")


def _id_of(ref: str) -> str:
    """Return the id that a source gives to its entry."""
    digest = bytes.fromhex(hash_bytes(f"{SOURCE} {ref}".encode(errors="surrogatepass")))
    return make_id(int.from_bytes(digest[10:14], "big"), digest)


def _given_fields(memory: NativeMemory) -> dict[str, Value]:
    """Return the fields that a memory fills besides its text, also empty ones."""
    aliases: list[Value] = [memory.name] if memory.name not in ("", memory.title) else []
    return {"kind": memory.kind, "aliases": aliases, "description": memory.description}


def _renew(before: Entry, memory: NativeMemory) -> Note:
    """Return the note of an entry with what its source says now."""
    fields = _given_fields(memory)
    removed = [key for key, value in fields.items() if not value]
    changed = {key: value for key, value in fields.items() if value}
    body = compose_body(memory.title, memory.text)[1]
    return before.note.with_body(body).patch(changed, removed)
