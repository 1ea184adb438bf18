"""Imports the items of another tool's memory, by whichever way they came in.

An item's own id gives its entry the id, so a second import of the same source adds nothing. An
entry is brought up to date if its item changed and nobody edited the entry here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engrain.engine.core.outcomes import UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.verbs.importing import refuse_own
from engrain.engine.verbs.intake import ImportIntake, Terms, last_taken_in, make_source_id
from engrain.engine.verbs.save import check_size, compose_body, stamp_source
from engrain.interchange.ways.agents import CLAUDE_MEMORY
from engrain.interchange.ways.item import ForeignItem, PassedOver, WayIn
from engrain.language.text.fences import shorten
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, EngrainError, MalformedError, UsageError
from engrain.model.history.record import PREFIX
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.foreign import detect_kind, detect_tags
from engrain.model.note.note import Note, compose_note, hash_bytes
from engrain.model.note.tiers import ACTIVE, IMPORT_KIND, INBOX, KINDS, kind_of
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.source_tree import SourceTree

_TITLE = 200
"""The most characters of a title."""
_INBOX = "Memory/_inbox"
_PROJECT_PART = "{project}"
"""Is in the folders of kinds that are filed by project; no item is of one."""


def import_items(
    store: Store,
    way: WayIn,
    tree: SourceTree,
    *,
    project: str | None = None,
    terms: Terms | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Import what a way in finds in a tree, as one change. `project` is that of the items that
    have none. Raises UsageError if the way finds nothing."""
    files = way.finds(tree)
    if not files:
        raise UsageError(
            f"there is nothing of {way.title} here",
            path=tree.folder,
            remedy=f"`engrain import auto {tree.folder}` says what is there",
        )
    return _ItemImport(store, way, tree, project, terms or Terms()).run(files, progress)


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
    terms = terms or Terms()
    seen = {str(item.locator): item.problem for item in source.scan()}

    def read(path: str) -> bytes:
        if problem := seen[path]:
            raise MalformedError(problem, reason="unreadable", path=path)
        return source.read(Locator(path)).raw

    def find_date(path: str) -> float | None:
        return terms.find_date(source, Locator(path))

    # A folder's name may be invalid Unicode or have line breaks; a reference is one line of text.
    said = clean_text(store, " ".join(name.encode(errors="replace").decode().split()))
    tree = SourceTree(said, folder, sorted(seen), read, read, lambda *_: (), find_date)
    found = CLAUDE_MEMORY.finds(tree)
    return _ItemImport(store, CLAUDE_MEMORY, tree, project, terms).run(found, progress)


class _ItemImport:
    def __init__(
        self, store: Store, way: WayIn, tree: SourceTree, project: str | None, terms: Terms
    ) -> None:
        store.require_index(scan=True)
        self._store = store = store.as_one_change()
        self._way = way
        self._tree = tree
        self._project = project
        actor = store.actor if way.proposes else None
        self._intake = ImportIntake(store, clean_text(store, tree.name), terms, actor)
        self._redaction = Redaction(store)
        self._ids: set[str] = set()

    def run(self, files: Sequence[str], progress: Progress | None) -> Imported:
        done = self._intake.done
        passed: PassedOver = Counter()
        items: list[ForeignItem] = []
        for file in files if self._way.proposes else ():
            with self._intake.telling(clean_text(self._store, f"{self._tree.name}/{file}")):
                items += self._way.read(self._tree, [file], passed)
        try:
            items += () if self._way.proposes else self._way.read(self._tree, files, passed)
        except EngrainError as error:  # what was read before it comes in
            done.problems.append((error.path or self._tree.folder, error.message))
        given = [make_source_id(self._way.name, self._ref_of(item)) for item in items]
        named = zip(items, given, strict=True)
        ids = {name: id_ for item, id_ in named for name in (item.title, item.key) if name}
        for number, (item, id_) in enumerate(zip(items, given, strict=True), 1):
            with self._intake.telling(clean_text(self._store, item.key)):
                self._import_item(item, id_, ids)
            self._intake.flush_full()
            if progress:
                progress(number, len(items))
        self._intake.flush()
        self._store.upkeep.flush()
        done.passed_over += [(what, why, count) for (what, why), count in passed.items()]
        return done

    def _ref_of(self, item: ForeignItem) -> str:
        key = clean_text(self._store, " ".join(item.key.split()))
        return key if self._way.own_ids else f"{self._tree.name}/{key}"

    def _import_item(self, item: ForeignItem, id_: str, ids: dict[str, str]) -> None:
        """Import one item. Raises UsageError, ConflictError."""
        if id_ in self._ids:
            raise ConflictError(f"another item has its id {item.key!r}")
        self._ids.add(id_)
        note, slug = self._compose(item, id_, ids)
        row = self._store.find_exact(id_)
        if row is not None and not row.locator.name.startswith(PREFIX):
            self._compare(item, note, self._store.read_entry(row.locator))
        elif row is None and self._intake.was_removed(id_):
            self._intake.done.count(UNCHANGED)  # somebody removed its file
        else:
            folder = _INBOX if self._way.proposes else kind_of(str(note.fields["kind"])).folder
            self._intake.create(item.key, folder, slug, note, id_)

    def _compose(self, item: ForeignItem, id_: str, ids: dict[str, str]) -> tuple[Note, str]:
        """Return an item's note without secrets, and its slug."""
        given = {key: getattr(item, key) for key in ("title", "text", "description", "slug")}
        cleaned = self._redaction.clean_values({**given, "aliases": list(item.aliases)})
        self._intake.done.redacted += cleaned["text"] != item.text
        title, body = compose_body(shorten(cleaned["title"], _TITLE) or None, cleaned["text"])
        slug = cleaned["slug"] or slugify(title, f"note-{hash_bytes(item.key.encode())[:8]}")
        known = KINDS.get(item.kind)
        named = item.kind if known and _PROJECT_PART not in known.folder else None
        kind = detect_kind(named, slug, body, IMPORT_KIND).value
        if self._way.proposes:
            kind = item.kind
        elif _PROJECT_PART in kind_of(kind).folder:
            kind = IMPORT_KIND
        made = self._store.now if item.created is None else format_instant(item.created)
        links: list[Value] = [
            {"to": ids.get(to, to), "relation": relation} for to, relation in item.links
        ]
        fields: dict[str, Value] = {
            "id": id_,
            "kind": kind,
            "aliases": cleaned["aliases"],
            "description": cleaned["description"],
            "status": INBOX if self._way.proposes else ACTIVE,
            "created": made,
            "updated": made,
            "tags": list(detect_tags(tuple(item.tags) or None, slug, body)[0]),
            "project": (self._project if item.project is None else item.project) or None,
            "links": links,
            "source": self._stamp(item),
        }
        note = compose_note({key: value for key, value in fields.items() if value}, body)
        check_size(note)
        return note, slug

    def _stamp(self, item: ForeignItem) -> Value:
        """Return where an item came from; messages of one conversation form a thread."""
        kind, ref = (
            ("session", item.thread) if item.thread else (self._way.name, self._ref_of(item))
        )
        return stamp_source(self._intake.actor, kind, ref)

    def _compare(self, item: ForeignItem, again: Note, there: Entry) -> None:
        """Bring an entry up to date that nobody has edited here."""
        if self._intake.stays_deleted(item.key, there):
            return
        renewed_fields = self._way.renewed
        here, wanted = _spell(there.note, renewed_fields), _spell(again, renewed_fields)

        def recall_before() -> str | None:
            last = last_taken_in(self._store, there)
            return _spell(last.note, renewed_fields) if last else None

        accepted = self._way.proposes and there.status == ACTIVE
        renews = not accepted and self._intake.renews(item.key, there, here, wanted, recall_before)
        changed = {key: again.fields[key] for key in renewed_fields if key in again.fields}
        gone = [key for key in renewed_fields if key not in again.fields]
        renewed = there.note.with_body(again.body).patch(
            {**changed, "updated": self._store.now}, gone
        )
        self._intake.update_existing(
            item.key,
            there,
            renewed if renews else None,
            came_by_it=True,
            same=renews or here == wanted,
            status=INBOX if self._way.proposes else ACTIVE,
        )


def _spell(note: Note, renewed: Sequence[str]) -> str:
    """Return the text of an item and the fields that a later import renews."""
    fields = {key: note.fields.get(key) for key in renewed}
    return f"{note.body.strip()}\n{sorted(fields.items(), key=str)}"
