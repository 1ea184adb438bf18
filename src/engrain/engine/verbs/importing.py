"""`import`: copies a folder of notes into the vault so that their links still resolve (S1.11,
S1.22).

The folder is read as another store. Stems and relative folders are kept under
`Memory/domain-reference/<source>/`. Fields that clash with Engrain's own move under `imported`,
times are converted, and the origin is external unless the operator vouches for it. A later import
of the same folder takes in what changed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from itertools import tee
from urllib.parse import unquote

from engrain.engine.core.outcomes import COPIED, COPY, CREATED, LEFT_OUT, UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.verbs.intake import ImportIntake, Telling, Terms, last_taken_in
from engrain.engine.verbs.records import compose_record
from engrain.engine.verbs.save import stamp_source
from engrain.engine.verbs.source_notes import LeaveOut, SourceNotes, include_all, note_stem
from engrain.language.text.folding import fold, safe_component, slugify
from engrain.language.text.instants import SECONDS, format_instant
from engrain.language.text.written_dates import date_in_name, read_date
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.links.link import Link, leads_to_file, parse_links, resolve_path
from engrain.model.note.entry import Entry, read_entry, read_tags
from engrain.model.note.field import Value
from engrain.model.note.foreign import (
    Foreign,
    detect_kind,
    detect_status,
    detect_tags,
    read_foreign,
    set_aside,
)
from engrain.model.note.json_note import JsonNote, read_json_note
from engrain.model.note.note import MAX_NOTE_BYTES, Note, decode_file, hash_bytes, is_id, make_id
from engrain.model.note.tiers import (
    IMPORT_KIND,
    KINDS,
    MAP,
    OPERATOR,
    STATUSES,
    kind_of,
    split_ending,
)
from engrain.seam.changes import Write
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, make_locator
from engrain.seam.looks import Seen
from engrain.seam.storage import StorageBackend, Stored

_HARNESS = re.compile(r"(?:^|/)projects/([^/]+)/_harness/(?:features\.json|PLAN\.md|plan\.md)$")
"""A file of a project's working memory, with the project."""
_PLACE = re.compile(r"\]\(\s*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*))")


def attached_in(body: str, links: Iterable[Link]) -> Iterator[str]:
    """Yield the paths of files other than notes that a text's `links` and embeds name."""
    named = [link.target for link in links if not link.markdown]
    named += [unquote(found[1] or found[2]) for found in _PLACE.finditer(body)]
    for name in dict.fromkeys(named):
        path = name.partition("#")[0].partition("?")[0].strip()
        if "://" not in path and leads_to_file(path):
            yield path


def index_files(places: Iterable[str]) -> dict[str, str]:
    """Return the places by their folded paths and by their folded names. If several places have one
    name, it means the one in the fewest folders."""
    found: dict[str, str] = {}
    for place in sorted(places, key=lambda one: (one.count("/"), one)):
        found.setdefault(fold(place), place)
        found.setdefault(fold(place.rpartition("/")[2]), place)
    return found


def find_attached(path: str, folder: str, files: Mapping[str, str]) -> str | None:
    """Return the place of the file that a note in `folder` calls `path`: relative to the folder, to
    the root, or by its name alone. `files` is what `index_files` returned."""
    wanted = (resolve_path(path, folder), resolve_path(path, ""), path.rpartition("/")[2])
    return next((files[fold(one)] for one in wanted if fold(one) in files), None)


# Fields with a meaning in Engrain: another tool's field of that name is kept under `imported:`.
_OWN = (
    "id", "kind", "slug", "status", "created", "updated", "project", "always_load",
    "derived_from", "links", "source", "confidence", "weight", "recall_count", "last_recalled",
    "sessions_since_recall", "valid_from", "valid_to", "deleted_at", "imported", "last_used",
    "trust",
)  # fmt: skip

# Fields in which other tools keep the times of creation and change, in the form of `_spell`.
_MADE = (
    "created", "date", "createdat", "createdon", "datecreated", "creationdate", "createddate",
    "createdtime", "creationtime", "timecreated", "ctime", "birthtime", "published", "publishdate",
    "datepublished", "publishedat",
)  # fmt: skip
_CHANGED = (
    "updated", "modified", "updatedat", "updatedon", "modifiedat", "modifiedon", "datemodified",
    "dateupdated", "modificationdate", "modifiedtime", "lastmodified", "lastmod", "lastupdated",
    "lastedited", "lasteditedtime", "mtime",
)  # fmt: skip
_APART = re.compile(r"[\W_]+")

# Fields that an existing entry keeps when its note is imported again.
_KEPT = ("status", "deleted_at", "recall_count", "last_recalled", "sessions_since_recall")
PLAN = "plan"


MISSING = "not found"
"""The outcome of a link to an image or another file that the source does not have."""


@dataclass(slots=True, eq=False)
class ImportOptions:
    """The caller's choices for a whole import; None leaves a choice to each note."""

    name: str
    _: KW_ONLY
    kind: str | None = None
    tags: tuple[str, ...] | None = None
    project: str | None = None
    leave_out: LeaveOut = include_all


def refuse_own(store: Store, source: StorageBackend) -> None:
    """Raise UsageError if the vault is in the folder to be imported, or the folder in the vault."""
    ours, theirs = store.backend.describe(), source.describe()
    if f"{ours}/".startswith(f"{theirs}/") or f"{theirs}/".startswith(f"{ours}/"):
        raise UsageError(
            "a vault can't import itself, a part of it or what contains it",
            path=theirs,
            remedy="name a folder outside the vault; what lies in it is found as it is",
        )


@dataclass(slots=True, eq=False)
class _ImportedNote:
    """A note of the source, without secrets, with its place in this vault and its new fields."""

    found: Locator
    origin: str
    place: Locator
    note: Note
    fields: dict[str, Value]
    removed: list[str]
    aside: list[str]

    def compose(self, kept: Mapping[str, Value] | None = None) -> Note:
        """Return the note of its entry, with some fields `kept` from the entry here. Raises
        MalformedError if it is too large."""
        fields = {**self.fields, **(kept or {})}
        removed = [key for key in self.removed if key not in fields]
        note = set_aside(self.note.patch(fields, removed), self.note, self.aside)
        if len(note.raw) > MAX_NOTE_BYTES:
            raise MalformedError("too large with its new fields", reason="too-large")
        return note


class FolderImport:
    """One import of a folder; after `run`, `places` has the notes that were read from it."""

    def __init__(
        self, store: Store, source: StorageBackend, options: ImportOptions, terms: Terms
    ) -> None:
        self.store = store = store.as_one_change()
        self.source = source
        self.files = SourceNotes(source, options.leave_out)
        self.options = options
        self.folder = f"Memory/{IMPORT_KIND}/{slugify(options.name, 'import')}"
        self.intake = ImportIntake(store, options.name, terms)
        self.done = self.intake.done
        self.taken: set[str] = set()
        self.places: list[Locator] = []
        self.attached: dict[str, list[str]] = {}

    def run(self, progress: Progress | None) -> Imported:
        for copy, original in self.files.copies.items():
            self.done.count(COPY)
            self.done.report(copy, f"a conflict copy of {original}")
        drafts = self._draft_all(self.files.notes, progress)
        # Each place is read when its draft comes, so after the writes of earlier drafts.
        ours, asked = tee(drafts)
        there = self.store.backend.read_all(draft.place for draft in asked)
        for draft, (_, stored) in zip(ours, there, strict=True):
            with self.intake.telling(draft.found):
                self._import_draft(draft, stored)
            # Outside the block: if the store refuses a batch, the import fails.
            self.intake.flush_full()
        self.intake.flush()
        self._copy_attached()
        self.done.passed_over += [
            (what, why, count) for what, (why, count) in sorted(self.files.passed.items())
        ]
        return self.done

    def _draft_all(
        self, seen: Sequence[Seen], progress: Progress | None
    ) -> Iterator[_ImportedNote]:
        """Yield a draft of each note of the source, and report the notes that can't be imported."""
        for number, item in enumerate(seen, 1):
            if item.problem is not None:
                self.done.count(LEFT_OUT)
                self.done.report(item.locator, item.problem)
            else:
                with self.intake.telling(item.locator):
                    project = self._harness_of(item.locator)
                    if project and item.locator.endswith(".json"):
                        self._import_features(item.locator, project)
                    else:
                        yield self._draft(item.locator)
            if progress:
                progress(number, len(seen))

    def _harness_of(self, origin: str) -> str:
        """Return the project to whose working memory a file belongs, "" for any other file, and for
        every file if not the operator imports it."""
        found = _HARNESS.search(origin) if self.intake.actor.trust == OPERATOR else None
        return found[1] if found else ""

    def _place_of(self, kind: str, project: str, name: str) -> Locator:
        folder = kind_of(kind).folder.format(project=slugify(project, "project"))
        return make_locator(f"{folder}/{name}")

    def _import_features(self, found: Locator, project: str) -> None:
        """Import a project's list of features into its working memory."""
        place = self._place_of("features", project, "features.json")
        ref = self._ref(found)
        given = read_json_note(decode_file(self.files.read(found)), place)
        note = compose_record(
            self.store, "features", given.document, project=project, source="import", ref=ref
        )
        there = self.store.find_entry(place)
        if there is None:
            self.intake.batches.add(found, CREATED, Write(place, note.raw, str(note.fields["id"])))
        elif not self.intake.stays_deleted(found, there):
            last = last_taken_in(self.store, there)
            before = last.note.document if last else None
            here, wanted = there.note.document, note.document
            renews = self.intake.renews(found, there, here, wanted, lambda: before)
            self.intake.update_existing(
                found,
                there,
                JsonNote("features", wanted, there.note.own) if renews else None,
                came_by_it=there.source.get("ref") == ref,
                same=renews or here == wanted,
            )

    def _draft(self, found: Locator) -> _ImportedNote:
        if note_stem(found) == found:
            raise UsageError("a record of JSON, which is no note")
        foreign = read_foreign(self.files.read(found))
        redaction = Redaction(self.store)
        note = foreign.note
        origin = str(found)
        if redaction.finds((note.body, note.front, origin)):
            note, origin = redaction.clean_note(note), redaction.clean(origin)
        given = note.fields
        self.done.redacted += bool(redaction.rules)
        place = self._place(origin)
        links = parse_links(note.body)
        self.places.append(place)
        for path in attached_in(note.body, links):
            self.attached.setdefault(path, []).append(found.folder)
        at = self.intake.terms.find_date(self.source, found)
        fields = self._fields(origin, note, at)
        if title := _title_of(origin, place, foreign):
            fields["title"] = title
        if foreign.unread:
            self.done.unread.append((found, foreign.unread))
        own = [key for key in given if key in _OWN]
        clashing = [key for key in own if key in fields and given[key] != fields[key]]
        dropped = [key for key in own if key not in fields]
        return _ImportedNote(found, origin, place, note, fields, dropped, [*clashing, *dropped])

    def _import_draft(self, draft: _ImportedNote, stored: Stored | EngrainError) -> None:
        if isinstance(stored, NotFoundError):
            write = Write(draft.place, draft.compose().raw, str(draft.fields["id"]))
            self.intake.batches.add(draft.found, CREATED, write)
            return
        if isinstance(stored, EngrainError):
            raise stored
        there = read_entry(draft.place, stored.raw)
        self._compare(draft, there)

    def _compare(self, draft: _ImportedNote, there: Entry) -> None:
        """Import a note at whose place an entry exists."""
        if self.intake.stays_deleted(draft.found, there):
            return
        fields = draft.fields
        fields["id"] = there.id
        fields["created"] = there.fields.get("created", fields["created"])
        status = str(fields["status"])
        again = draft.compose()
        same = _substance(again) == _substance(there.note)
        renewed = None
        if not same and self._has_news(again, there):
            renewed = draft.compose(
                {key: there.fields[key] for key in _KEPT if key in there.fields}
            )
        self.intake.update_existing(
            draft.found,
            there,
            renewed,
            came_by_it=there.source.get("ref") == self._ref(draft.origin),
            same=same or renewed is not None,
            status=status,
        )

    def _ref(self, origin: str) -> str:
        return f"{self.options.name}/{origin}"

    def _has_news(self, again: Note, there: Entry) -> bool:
        """Whether the source says something else than when the last import wrote the entry that is
        here. Where somebody edited the entry since, only another text is news: an earlier version
        of Engrain may have read the same fields in another way."""
        last = last_taken_in(self.store, there)
        before = last.note if last else None
        if before is None or _substance(before) == _substance(there.note):
            return before is None or _substance(again) != _substance(before)
        return again.body != before.body

    def _fields(self, origin: str, note: Note, at: float | None) -> dict[str, Value]:
        """Return the new fields of a note's entry."""
        given = note.fields
        created, updated = self._times(given, origin, at)
        kind, status, tags = self._detect(origin, note, given)
        fields: dict[str, Value] = {
            "id": make_id(created, self.store.entropy.draw(10)),
            "kind": kind,
            "status": status,
            "created": format_instant(created),
            "updated": format_instant(updated),
            "source": stamp_source(self.intake.actor, "import", self._ref(origin)),
        }
        if list(tags) != given.get("tags"):
            fields["tags"] = list(tags)
        if project := self.options.project or self._harness_of(origin):
            fields["project"] = project
        return {key: value for key, value in fields.items() if value != []}

    def _times(self, given: dict[str, Value], origin: str, at: float | None) -> tuple[float, float]:
        """Return when a note was made and last changed, in epoch seconds. `at` is the date of its
        file, which counts least: a copy has the date of the copying. A date to come is a plan's."""
        spelled = {_spell(key): value for key, value in given.items()}
        now = self.store.clock.now()
        named = date_in_name(note_stem(origin).rpartition("/")[2])
        said = (_read_date(spelled, _MADE), named, at, now)
        past = (moment for moment in said if moment is not None and moment <= now + SECONDS)
        created = next(past, now)
        updated = _read_date(spelled, _CHANGED)
        if updated is None:
            updated = created if at is None else max(created, at)
        return created, updated

    def _detect(
        self, origin: str, note: Note, given: dict[str, Value]
    ) -> tuple[str, str, Sequence[str]]:
        """Return the kind, status and tags of a note, and count the tier that decided each."""
        body = note.body
        named = PLAN if self._harness_of(origin) else _one_of(given.get("kind"), KINDS)
        kind = detect_kind(self.options.kind or named, origin, body, IMPORT_KIND)
        # Another tool's status is about what the note describes, as that of a decision record.
        own = _one_of(given.get("status"), STATUSES) if _is_engrains(given) else None
        status = detect_status(own, origin)
        tags, tag_tier = detect_tags(self.options.tags or read_tags(note) or None, origin, body)
        statuses = self.done.statuses
        statuses[status.value] = statuses.get(status.value, 0) + 1
        for what, tier in (("kind", kind.tier), ("status", status.tier), ("tags", tag_tier)):
            self.done.tiers[f"{what} by {tier}"] = self.done.tiers.get(f"{what} by {tier}", 0) + 1
        return kind.value, status.value, tags

    def _place(self, origin: str) -> Locator:
        if project := self._harness_of(origin):
            return self._place_of(PLAN, project, "plan.md")
        parts = [safe_component(part) for part in note_stem(origin).split("/")]
        if parts[-1] == MAP:  # a name of Engrain's own pages
            parts[-1] = MAP.lstrip("_")
        path = "/".join([self.folder, *parts])
        # Two names that differ only in case, say, would be one file on another file system.
        if fold(path) in self.taken:
            path = f"{path}-{hash_bytes(origin.encode())[:8]}"
        self.taken.add(fold(path))
        return make_locator(f"{path}.md")

    def _copy_attached(self) -> None:
        """Copy the files that notes link to and embed, at their relative places, without replacing
        any file."""
        files = index_files(self.files.others) if self.attached else {}
        wanted = {}
        for path, folders in self.attached.items():
            found = [find_attached(path, folder, files) for folder in folders]
            wanted.update(dict.fromkeys(filter(None, found)))
            if missing := found.count(None):
                self.done.attached[MISSING] = self.done.attached.get(MISSING, 0) + missing
        self.files.pass_over(wanted)
        for name in wanted:
            with Telling(self.done.report, name):
                outcome = self._copy(Locator(name))
                self.done.attached[outcome] = self.done.attached.get(outcome, 0) + 1

    def _copy(self, name: Locator) -> str:
        parts = [safe_component(part) for part in Redaction(self.store).clean(name).split("/")]
        place = make_locator("/".join([self.folder, *parts]))
        raw = self.source.read_other(name)
        if self.store.backend.add_other(place, raw):
            return COPIED
        if self.store.backend.read_other(place) == raw:
            return UNCHANGED
        raise ConflictError("another file lies there, which stays")


@lru_cache(256)
def _spell(key: str) -> str:
    """Return the name of a field without case and separators, as in `_MADE`."""
    return _APART.sub("", key).casefold()


def _read_date(fields: dict[str, Value], names: Sequence[str]) -> float | None:
    """Return the date in the first of the named fields that has one. The names of `fields` are as
    `_spell` returns them."""
    dates = (read_date(fields[name]) for name in names if name in fields)
    return next((at for at in dates if at is not None), None)


def _substance(note: Note) -> str:
    """Return the substance of a note without its status, counters and origin."""
    source = note.fields.get("source")
    if isinstance(source, dict):
        whence = {key: source[key] for key in source if key not in ("trust", "agent")}
        note = note.patch({"source": whence})
    return note.substance(_KEPT)


def _one_of(value: object, known: Container[str]) -> str | None:
    return value if isinstance(value, str) and value in known else None


def _is_engrains(given: Mapping[str, Value]) -> bool:
    """Whether a note's fields are those of an entry that Engrain wrote."""
    id_, source = given.get("id"), given.get("source")
    return isinstance(id_, str) and is_id(id_) and isinstance(source, dict) and "kind" in source


def _title_of(origin: str, place: Locator, foreign: Foreign) -> str | None:
    """Return the title that a note needs, so that it is called as it was: where its file gets
    another name, or its own heading is under frontmatter that was not read."""
    if foreign.heading is not None:
        return foreign.heading if foreign.unread else None
    stem = note_stem(origin).rpartition("/")[2]
    named = str(foreign.note.fields.get("title") or "").strip()
    return None if named or split_ending(place)[0] == stem else stem.strip()
