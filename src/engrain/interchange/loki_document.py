"""A document of the loki layout to import: its id here, its path, and its note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engrain.engine.core.store import Actor
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import UsageError
from engrain.model.experience.ledger import file_stem
from engrain.model.interchange.documents import digest, id_in, stem_of
from engrain.model.interchange.loki import (
    MARK,
    compose_document,
    compose_skill,
    day_of,
    flatten,
    take_own,
)
from engrain.model.interchange.loki_forms import FORMS, plain_links
from engrain.model.note.documents import object_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import Note, compose_note
from engrain.model.note.tiers import ACTIVE, archive_folder, kind_of

SOURCE = "loki"
_BY_DAY = ("episode", "learning")


class IncomingDocument:
    """A document of a `kind` from the file `path` of the folder that is named `tree`. `given` is
    its id there, `id` its id here; `own` are its additional fields, `made` the names of fields that
    it lacks and gets; `at` is the date of its file in epoch seconds, None if unknown."""

    def __init__(
        self, kind: str, tree: str, path: str, document: Mapping[str, Any], at: float | None = None
    ) -> None:
        self.kind = kind
        self.tree = tree
        self.path = path
        self.document = dict(document)
        self.own = take_own(document, record=self.is_record)
        self.made: list[str] = []
        self.at = at
        candidates = [object_of(self.document.get(OWN)).get("id")]
        if kind == "procedural":
            candidates.append(stem_of(path))
        elif kind == "ledger":
            candidates.append(f"ledger-{id_in(self.document.get('agent_id')) or stem_of(path)}")
        else:
            candidates.insert(0, self.document.get("id"))
        self.given = next((word for value in candidates if (word := id_in(value))), "")
        if not self.given:
            self.made.append("id")
            content = {key: value for key, value in self.document.items() if key != OWN}
            self.given = f"{kind}-{digest(content)}"
        self.id = self.given

    @property
    def is_record(self) -> bool:
        """Whether it is kept as JSON, unchanged."""
        return self.kind not in FORMS and self.kind != "procedural"

    @property
    def cites(self) -> bool:
        """Whether it may name other documents."""
        return not self.is_record

    @property
    def ref(self) -> str:
        """Return its origin: the name of its folder, the file, and its id there."""
        return f"{self.tree}/{self.path}#{self.given}"

    @property
    def digest(self) -> str:
        """Return the hash of its content."""
        return digest(self.document, 8)

    @property
    def ledger_place(self) -> str:
        """Return the path of its agent's ledger. Raises UsageError if it names no agent."""
        agent = id_in(self.document.get("agent_id"))
        if not agent:
            raise UsageError("a ledger of no agent: it has no agent_id")
        return f"{kind_of(self.kind).folder}/{file_stem(agent)}.json"

    @property
    def label(self) -> str:
        """Return its name in reports."""
        own = self.path.endswith((".md", f"{self.given}.json"))
        return self.path if own else f"{self.path}: {self.given}"

    @property
    def _flat(self) -> dict[str, Any]:
        """Return its fields if a form makes it a note, else nothing."""
        form = FORMS.get(self.kind)
        return flatten(form, self.document) if form else {}

    @property
    def links(self) -> list[dict[str, Any]]:
        """Return the typed links in the document."""
        return plain_links(self._flat.get("links"))

    @property
    def sources(self) -> list[str]:
        """Return the episodes that the document cites."""
        form = FORMS.get(self.kind)
        return list(form.sources(self._flat)) if form else []

    @property
    def has_no_confidence(self) -> bool:
        """Whether the document could have a confidence but has none."""
        return self.kind in FORMS and "confidence" not in self._flat

    @property
    def status(self) -> str:
        """Return the status in the document."""
        return str(self.own.get("status") or ACTIVE)

    def as_here(self) -> dict[str, Any]:
        """Return the document with its id here, if it contains an id."""
        if self.is_record or self.id == self.given or "id" not in self.document:
            return self.document
        return {**self.document, "id": self.id}

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Follow the new ids of other documents of the same folder."""
        names = {name: id_ for name, id_ in renamed.items() if name != id_}
        if names and self.kind in FORMS:
            self.document = _follow(self.document, names)

    def compose(
        self,
        actor: Actor,
        now: float,
        *,
        project: str | None,
        derived_from: Sequence[str],
        links: Sequence[Mapping[str, Any]],
    ) -> Note:
        """Return its note with all links. Raises UsageError, MalformedError."""
        own = self.own | ({"project": project} if project else {})
        stamp: dict[str, Value] = {
            "updated": format_instant(now),
            "source": stamp_source(actor, SOURCE, self.ref),
        }
        linked: dict[str, Value] = {"links": [dict(link) for link in links]} if links else {}
        if not self.is_record:
            note: Note = self._compose_note(own, stamp, linked, derived_from, now)
        else:
            document = {key: value for key, value in self.document.items() if key != OWN}
            fields: dict[str, Value] = {"kind": self.kind, "status": "active", **own}
            fields |= {"filed": format_instant(now), **stamp}
            fields.pop("id", None)  # its id in the source, which may be another entry's here
            if document.get("id") != self.id:
                fields["id"] = self.id
            fields |= linked
            if self.made:
                fields[MARK] = {"made": list(self.made)}
            note = JsonNote(self.kind, document, fields)
            if "created" not in note.fields:
                note = note.patch({"created": self._date(now)})
        check_size(note)
        return note

    def _compose_note(
        self,
        own: dict[str, Value],
        stamp: Mapping[str, Value],
        linked: Mapping[str, Value],
        derived_from: Sequence[str],
        now: float,
    ) -> Note:
        if self.kind == "procedural":
            fields, body = compose_skill(self.document, self.id)
        else:
            fields, body = compose_document(FORMS[self.kind], self.as_here(), self.id, derived_from)
        made = list(self.made)
        named_beside = self.kind == "procedural" and self.given != stem_of(self.path)
        for key, value in (("created", self._date(now)), ("slug", self._slug(fields, body))):
            if key not in own:
                own[key] = value
                if key != "slug" or not named_beside:
                    made.append(key)
        fields |= {**linked, **own, **stamp}
        if made:
            fields[MARK] = {**object_of(fields.get(MARK)), "made": list(made)}
        return compose_note(fields, body)

    def _date(self, now: float) -> str:
        return format_instant(now if self.at is None else self.at)

    def places(self, note: Note) -> list[str]:
        """Return the possible paths of its note, the best first. Raises UsageError."""
        if self.kind == "ledger":
            return [self.ledger_place]
        entry = Entry("Memory/note.md", note, "")
        folder = kind_of(self.kind).folder
        if self.kind in _BY_DAY:
            at, day = read_instant(self.document.get("timestamp")), day_of(self.path)
            if at is None or (day and self.kind == "learning"):
                folder = f"{folder}/{day or format_instant(entry.created or 0.0)[:10]}"
            else:
                folder = f"{folder}/{format_instant(at)[:10]}"
        if entry.status != ACTIVE:
            folder = archive_folder(f"{folder}/file")
        if self.is_record:
            return [f"{folder}/{file_stem(self.id)}.json"]
        slug = slugify(str(note.fields["slug"]), f"{self.kind}-{digest(self.id, 8)}")
        return [f"{folder}/{stem}.md" for stem in (slug, f"{slug}--{digest(self.id, 8)}")]

    def _slug(self, fields: Mapping[str, Value], body: str) -> str:
        if self.kind == "procedural":
            return slugify(stem_of(self.path), f"skill-{digest(self.id, 8)}")
        title = Entry("Memory/note.md", compose_note(fields, body), "").title
        return slugify(title, f"{self.kind}-{digest(self.id, 8)}")


def _follow(document: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a document with the new names in its citations and links."""
    changed = dict(document)
    for key in ("source_episodes", "sources", "links"):
        if isinstance(changed.get(key), list):
            changed[key] = [_follow_one(item, names) for item in changed[key]]
    if isinstance(changed.get("source"), str):
        changed["source"] = names.get(changed["source"], changed["source"])
    if isinstance(changed.get(OWN), dict):
        changed[OWN] = _follow(changed[OWN], names)
    return changed


def _follow_one(item: Any, names: Mapping[str, str]) -> Any:
    if isinstance(item, str):
        return names.get(item, item)
    if isinstance(item, dict) and isinstance(item.get("to"), str):
        return {**item, "to": names.get(item["to"], item["to"])}
    return item
