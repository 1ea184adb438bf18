"""Imports the notes of Claude Code's own memory as candidates in the inbox.

The format, by the host's page on memory: each project has a folder with one markdown file per
memory, whose frontmatter has `name`, `description`, a `type` and, in later versions, `modified`
(the last two also under `metadata`), and `MEMORY.md`, an index of them, which is not read.

A memory's source (`<folder>/<file>`) gives its entry the id, so it is never imported twice. If the
text of a source changes, its candidate is updated, unless somebody has edited or accepted it. A
source that is gone changes nothing.
"""

from __future__ import annotations

import re

from engrain.engine.core.outcomes import LEFT_OUT, UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.verbs.importing import refuse_own
from engrain.engine.verbs.intake import ImportIntake, Terms, last_taken_in, make_source_id
from engrain.engine.verbs.save import check_size, compose_body, stamp_source
from engrain.language.text.fences import shorten, without_fences
from engrain.language.text.folding import safe_component, slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.history.tombstone import PREFIX
from engrain.model.note.detection import detect_kind, detect_tags
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note, hash_bytes, split_note
from engrain.model.note.tiers import DEFAULT_KIND, INBOX
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend

SOURCE = "claude-memory"
INDEX = "MEMORY.md"
_FOLDER = "Memory/_inbox"
_TITLE = 200  # characters: the longest title
# The kinds for its types. `project` is missing: Claude uses it for goals, deadlines, incidents and
# decisions alike, so the kind is detected from the text, as for a file without a type.
KINDS_OF_TYPES = {"user": "preference", "feedback": "feedback", "reference": "domain-reference"}
_OF_THE_PERSON = "user"
"""The type of a memory about the user, which holds in every project."""


def import_claude_memory(
    store: Store,
    folder: str,
    *,
    name: str,
    project: str | None = None,
    terms: Terms | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Import one folder of Claude Code's own memory as candidates in the inbox."""
    source = store.device.open_folder("device-local", folder)
    refuse_own(store, source)
    # A folder's name may be invalid Unicode or have line breaks; a reference is one line of text.
    said = clean_text(store, " ".join(name.encode(errors="replace").decode().split()))
    return _ClaudeImport(store, source, said, project, terms or Terms()).run(progress)


class NativeMemory:
    """One memory as Claude Code wrote it, of whose note `text` is the part to import: its type, and
    the fields and the body of its entry; `created` is in epoch seconds, None if unknown."""

    def __init__(self, path: str, note: Note, text: str) -> None:
        nested = note.fields.get("metadata")
        given = {**nested, **note.fields} if isinstance(nested, dict) else note.fields
        name, description = _line(given.get("name")), _line(given.get("description"))
        # The slug is the file's own name, so that links between the files resolve here too.
        self.slug = safe_component(path.rpartition("/")[2].removesuffix(".md"))
        # A name without blanks is a file name, as later versions write it, and no title.
        title = name if " " in name else description or re.sub("[-_]+", " ", name)
        title, self.body = compose_body(shorten(title, _TITLE) or None, text.strip("\n"))
        self.slug = self.slug or slugify(title, f"note-{hash_bytes(path.encode())[:8]}")
        self.type = _line(given.get("type"))
        kind = detect_kind(KINDS_OF_TYPES.get(self.type), self.slug, text, DEFAULT_KIND)
        aliases: list[Value] = [name] if name not in ("", title) else []
        self.fields: dict[str, Value] = {
            "kind": kind.value, "aliases": aliases, "description": description,
        }  # fmt: skip
        self.created = read_instant(given.get("modified"))

    def renew(self, note: Note) -> Note:
        """Return the note of an entry with what its source says now."""
        removed = [key for key, value in self.fields.items() if not value]
        changed = {key: value for key, value in self.fields.items() if value}
        return note.with_body(self.body).patch(changed, removed)


class _ClaudeImport:
    def __init__(
        self, store: Store, source: StorageBackend, name: str, project: str | None, terms: Terms
    ) -> None:
        self.store = store = store.as_one_change()
        self.source = source
        self.name = name
        self.project = project
        self.intake = ImportIntake(store, name, terms, store.actor)
        self.done = self.intake.done

    def run(self, progress: Progress | None) -> Imported:
        seen = sorted(self.source.scan(), key=lambda item: item.locator)
        for number, item in enumerate(seen, 1):
            label = f"{self.name}/{item.locator}"
            if item.problem is not None:
                self.done.count(LEFT_OUT)
                self.done.tell(label, item.problem)
            elif item.locator.name != INDEX:
                with self.intake.telling(label):
                    self._take(item.locator)
            self.intake.flush_full()
            if progress:
                progress(number, len(seen))
        self.intake.flush()
        self.store.upkeep.flush()
        return self.done

    def _take(self, found: Locator) -> None:
        """Import one file. Raises MalformedError, ConflictError."""
        redaction = Redaction(self.store)
        note = redaction.clean_note(split_note(self.source.read(found).raw))
        path = redaction.clean(found)
        self.done.redacted += bool(redaction.rules)
        text = without_fences(note.body.removeprefix("\ufeff").replace("\r\n", "\n"))
        if not text.strip():
            return
        memory = NativeMemory(path, note, text)
        ref = f"{self.name}/{path}"
        id_ = make_source_id(SOURCE, ref)
        row = self.store.find_exact(id_)
        if row is not None and not row.locator.name.startswith(PREFIX):
            self._compare(ref, memory, self.store.read_entry(row.locator))
        elif row is None and self.intake.was_removed(id_):
            self.done.count(UNCHANGED)  # somebody removed its file
        else:
            if memory.created is None:
                memory.created = self.intake.terms.find_date(self.source, found)
            self._create(ref, memory, id_)

    def _compare(self, ref: str, memory: NativeMemory, there: Entry) -> None:
        """Bring a candidate up to date that nobody has edited or accepted."""
        if self.intake.stays_deleted(ref, there):
            return
        again = memory.renew(there.note)
        here, wanted = there.note.substance(), again.substance()

        def recall_before() -> str | None:
            last = last_taken_in(self.store, there)
            return last.note.substance() if last else None

        said = there.status != INBOX and here != wanted
        renews = not said and self.intake.renews(ref, there, here, wanted, recall_before)
        again = again.patch({"updated": self.store.now})
        self.intake.settle(
            ref,
            there,
            again if renews else None,
            came_by_it=True,
            same=renews or here == wanted,
            status=INBOX,
        )

    def _create(self, ref: str, memory: NativeMemory, id_: str) -> None:
        now = self.store.clock.now()
        personal = memory.type == _OF_THE_PERSON
        fields: dict[str, Value] = {
            "id": id_,
            **memory.fields,
            "status": INBOX,
            "created": format_instant(now if memory.created is None else memory.created),
            "updated": format_instant(now),
            "tags": list(detect_tags(None, memory.slug, memory.body)[0]),
            "project": None if personal else self.project,
            "source": stamp_source(self.intake.actor, SOURCE, ref),
        }
        note = compose_note({key: value for key, value in fields.items() if value}, memory.body)
        check_size(note)
        # A file of the same name in another project may have taken the first name.
        self.intake.create(ref, _FOLDER, memory.slug, note, id_)


def _line(value: Value) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
