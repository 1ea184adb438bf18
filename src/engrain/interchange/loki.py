"""Import a `.loki/memory` folder, every document with its id, and export the vault's experience as
loki's JSON files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.indexes import write_episode_index
from engrain.engine.links.linking import link_entries
from engrain.engine.verbs.intake import Telling
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import Incoming, LayoutImporter
from engrain.interchange.table import (
    BARE,
    BODY,
    STATUSES,
    Flat,
    Form,
    Layout,
    LayoutRow,
    as_entry,
    check_document,
    fraction_in,
    id_in,
    list_kept_files,
    name_nothing,
    page_row,
    plain_links,
    read_file,
    read_links,
)
from engrain.language.text.fences import shorten
from engrain.language.text.folding import slugify
from engrain.model.errors import MalformedError, UsageError
from engrain.model.experience.ledger import file_stem
from engrain.model.experience.patterns import ANTI_PATTERNS, PATTERNS, AntiPattern, Pattern
from engrain.model.experience.reading import read_episode
from engrain.model.links.link import MADE
from engrain.model.note.documents import text_of, texts_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN
from engrain.model.note.tiers import ARCHIVE, LIVE, WORKING, kind_of
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

LINK = "link"
"""The content of `links.json`, which is no kind of entry."""
INDEX = "episodic/index.json"
_MAX_TITLE = 200
_PATTERN = (
    "id", "pattern", "category", "conditions", "correct_approach", "incorrect_approach",
    "confidence", "source_episodes", "usage_count", "last_used", "links",
)  # fmt: skip
_ANTI_PATTERN = ("id", "what_fails", "why", "prevention", "source")
_ANTI_PATTERN_ADDED = (
    "sources", "confidence", "actions", "signature", "usage_count", "last_used", "links",
)  # fmt: skip


def _compose_pattern(flat: Flat) -> tuple[dict[str, Value], str]:
    pattern = PATTERNS.make(text_of(flat["id"]), flat, _fraction(flat))
    return _with_links(PATTERNS.compose(pattern), flat)


def _compose_anti_pattern(flat: Flat) -> tuple[dict[str, Value], str]:
    said = {**flat, "sources": _anti_sources(flat)}
    anti = ANTI_PATTERNS.make(text_of(flat["id"]), said, _fraction(flat))
    return _with_links(ANTI_PATTERNS.compose(anti), flat)


def _read_anti_pattern(entry: Entry) -> Flat:
    anti = ANTI_PATTERNS.read(entry)
    flat = _said(anti, _ANTI_PATTERN[:-1], entry)
    flat["source"] = anti.sources[0] if anti.sources else ""
    added = _said(anti, _ANTI_PATTERN_ADDED, entry)
    if len(anti.sources) == 1:
        del added["sources"]
    doubted = ("confidence",) if anti.confidence is not None else ()
    return flat | {key: value for key, value in added.items() if value or key in doubted}


def _anti_sources(flat: Flat) -> list[str]:
    """Return loki's one source and our further ones."""
    source = flat.get("source")
    first = texts_of(source) if isinstance(source, list) else [text_of(source)]
    return list(dict.fromkeys(text for text in (*first, *texts_of(flat.get("sources"))) if text))


def _compose_fact(flat: Flat) -> tuple[dict[str, Value], str]:
    fact = text_of(flat.get("fact"))
    title, _, rest = fact.partition("\n")
    whole = f"# {title}\n{rest}\n" if rest else f"# {title}\n"
    fields: dict[str, Value] = {
        "id": text_of(flat["id"]), "kind": "domain-reference", "status": "active",
    }  # fmt: skip
    if len(title) > _MAX_TITLE or _read_fact_body(as_entry(fields, whole)) != fact:
        words = shorten(fact, _MAX_TITLE) or text_of(flat["id"])
        fields["fact"] = fact
        whole = f"# {words}\n"
    if category := text_of(flat.get("category")):
        fields["category"] = category
    if (confidence := _fraction(flat)) is not None:
        fields["confidence"] = confidence
    if sources := texts_of(flat.get("source_episodes")):
        fields["source_episodes"] = list(sources)
    return _with_links((fields, whole), flat)


def _read_fact(entry: Entry) -> Flat:
    fact, sources = entry.fields.get("fact"), entry.fields.get("source_episodes")
    flat: Flat = {
        "id": entry.id,
        "fact": fact if isinstance(fact, str) else _read_fact_body(entry),
        "category": text_of(entry.fields.get("category")),
        "confidence": entry.confidence,
        "source_episodes": texts_of(sources) if sources is not None else list(entry.derived_from),
    }
    links = read_links(entry)
    return {**flat, "links": links} if links else flat


def _read_fact_body(entry: Entry) -> str:
    text = entry.text.rstrip("\n")
    if text.startswith(entry.title):
        return text  # it was saved without a title, and the title is its beginning
    return f"{entry.title}\n{text}" if text else entry.title


def _compose_skill(flat: Flat) -> tuple[dict[str, Value], str]:
    fields: dict[str, Value] = {"id": flat["id"], "kind": "procedural", "status": "active"}
    if isinstance(flat.get("description"), str):
        fields["description"] = flat["description"]
    return fields, str(flat[BODY])


def _read_skill(entry: Entry) -> Flat:
    flat: Flat = {BODY: entry.note.body}
    said = entry.fields.get("description")
    return {**flat, "description": said} if isinstance(said, str) else flat


def _said(one: Pattern | AntiPattern, names: Sequence[str], entry: Entry) -> Flat:
    """Return fields as a document has them, links as they are written."""
    said = {name: read_links(entry) if name == "links" else getattr(one, name) for name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in said.items()
    }


def _with_links(composed: tuple[dict[str, Value], str], flat: Flat) -> tuple[dict[str, Value], str]:
    fields, body = composed
    links: list[Value] = [*plain_links(flat)]
    return (fields | {"links": links}, body) if links else composed


def _fraction(flat: Flat) -> float | None:
    fraction = fraction_in(flat.get("confidence"))
    return None if fraction is None else float(fraction)


PATTERN_FORM = Form(
    _PATTERN, _compose_pattern, lambda entry: _said(PATTERNS.read(entry), _PATTERN, entry)
)
ANTI_PATTERN_FORM = Form(
    _ANTI_PATTERN, _compose_anti_pattern, _read_anti_pattern, added=_ANTI_PATTERN_ADDED
)
FACT_FORM = Form(
    ("id", "fact", "category", "confidence", "source_episodes"),
    _compose_fact,
    _read_fact,
    added=("links",),
)
SKILL_FORM = Form((BODY,), _compose_skill, _read_skill, added=("description",), links=name_nothing)

_OF_SKILLS = ("created", "id", "status", "project", "tags", "valid_from", "valid_to")


def _defaults_of_skill(name: str) -> dict[str, Any]:
    return {"status": "active", "id": name.rpartition("/")[2].removesuffix(".md")}


def _place_of_ledger(document: Mapping[str, Any], _: str, __: str | None) -> str:
    agent = id_in(document.get("agent_id"))
    if not agent:
        raise UsageError("a ledger of no agent: it has no agent_id")
    return f"{kind_of('ledger').folder}/{file_stem(agent)}.json"


def _place_of_continuity(_: Mapping[str, Any], __: str, project: str | None) -> str:
    if not project:
        raise UsageError("left where it is: only the operator takes it in, for one --project")
    folder = kind_of("continuity").folder.format(project=slugify(project, "project"))
    return f"{folder}/CONTINUITY.md"


LOKI = Layout(
    "loki",
    (
        LayoutRow(LINK, "semantic/links.json", many=BARE),
        LayoutRow("episode", "episodic/{day}/{name}.json"),
        LayoutRow("pattern", "semantic/patterns.json", PATTERN_FORM, many="patterns"),
        LayoutRow(
            "anti-pattern", "semantic/anti-patterns.json", ANTI_PATTERN_FORM, many="anti_patterns"
        ),
        LayoutRow("domain-reference", "semantic/facts.json", FACT_FORM, many=BARE),
        LayoutRow(
            "procedural",
            "skills/{name}.md",
            SKILL_FORM,
            own=_OF_SKILLS,
            ids=(OWN, "stem"),
            defaults=_defaults_of_skill,
        ),
        LayoutRow("ledger", "ledgers/{name}.json", ids=(OWN, "agent"), fixed=_place_of_ledger),
        LayoutRow("handoff", "handoffs/{name}.json"),
        LayoutRow("learning", "learnings/{day}.json", many=BARE),
        page_row("continuity", "CONTINUITY.md", _place_of_continuity, operator_only=True),
        *list_kept_files("timeline.json"),
    ),
    generated=(INDEX,),
)
FOLDERS = ("episodic", "semantic", "skills", "ledgers", "handoffs", "learnings")
"""The folders by which the layout is recognised."""


class LokiImporter(LayoutImporter):
    """Imports the files of one `.loki/memory` folder."""

    layout = LOKI
    _links: dict[str, dict[tuple[str, str], dict[str, Any]]]
    """The links of `links.json` by id, then by target and relation."""
    _days: set[str]

    def import_file(self, row: LayoutRow, path: str, raw: bytes) -> None:
        if row.kind != LINK:
            super().import_file(row, path, raw)
            return
        self.import_shape(row, path, raw)
        with Telling(self.done.report, path):
            for number, item in enumerate(read_file(row, raw), 1):
                with Telling(self.done.report, f"{path}: item {number}"):
                    self._import_link(self.clean(check_document(item)))

    def begin(self) -> None:
        self._links, self._days = {}, set()

    def _import_link(self, link: dict[str, Any]) -> None:
        start, to = link.get("from"), link.get("to")
        relation = link.get("relation", "related_to")
        if not (isinstance(start, str) and isinstance(to, str) and isinstance(relation, str)):
            raise MalformedError("a link has `from`, `to` and `relation`", reason="json")
        if not start or not to:
            raise MalformedError("a link from nothing or to nothing", reason="json")
        more = {key: value for key, value in link.items() if isinstance(value, str)}
        more = {key: value for key, value in more.items() if key not in ("from", MADE)}
        self._links.setdefault(start, {})[(to, relation)] = {**more, "to": to, "relation": relation}

    def prepare(self, document: Incoming) -> Incoming:
        """Keep the valid parts of an episode that is not as loki writes them."""
        if document.kind != "episode":
            return document
        reading = read_episode(document.document, self.store.clock.now())
        wrong = [line for line in reading.faults if "is no field of an episode" not in line]
        times = [
            action.get("t", 0)
            for action in document.document.get("action_log") or []
            if isinstance(action, dict)
        ]
        if wrong or reading.omitted or times != sorted(times):
            if reading.omitted:
                document.own["omitted"] = {**reading.omitted}
            document.document |= reading.document
        if wrong:
            self.done.report(document.label, "taken in, but " + "; ".join(wrong))
        return document

    def more_links(self, document: Incoming) -> dict[tuple[str, str], dict[str, Any]]:
        links = {}
        for (to, relation), link in self._links.pop(document.given, {}).items():
            to = self.renamed.get(to, to)
            links[to, relation] = {**link, "to": to}
        return links

    def create(self, document: Incoming) -> Locator | None:
        place = super().create(document)
        if place and document.kind == "episode":
            self._days.add(place.split("/")[-2])
        return place

    def add_links(self, store: Store) -> None:
        for start, links in self._links.items():
            for to, relation in links:
                with Telling(self.done.report, f"link {start} {relation} {to}"):
                    one, other = (self.renamed.get(end, end) for end in (start, to))
                    link_entries(store, one, other, relation, mirrored=True)

    def finish(self) -> None:
        super().finish()
        if self._days:
            write_episode_index(self.store, self._days)


class LokiExport(Export):
    """An export that counts documents by kind."""

    layout = LOKI
    only = Filter(
        kinds=tuple(row.kind for row in LOKI.rows if row.kind != LINK),
        statuses=STATUSES,
        zones=(LIVE, WORKING, ARCHIVE),
    )

    _continuity: list[Entry]
    _days: dict[str, list[dict[str, Any]]]

    def begin(self) -> Iterable[File]:
        self._continuity, self._days = [], {}
        return ()

    def order(self, row: Row) -> tuple[str, float, str]:
        """Sort by kind, which puts sources before entries that cite them, then by time."""
        return row.kind, row.created or 0.0, row.id

    def write(self, entry: Entry) -> Iterator[File]:
        if entry.status == "archived" and entry.path.endswith(".md"):
            why = f"archived as a summary: `engrain restore {entry.id}` brings it back"
            self.left_out.append((entry.path, why))
            return
        if entry.kind == "continuity":
            self._continuity.append(entry)
            return
        links = [{"from": entry.id, **link} for link in read_links(entry)]
        if links:
            self.count(LINK, len(links))
            self._lists["semantic/links.json"][1].extend(links)
        yield from super().write(entry)

    def stem_of(self, entry: Entry) -> str:
        """Return the name of an entry's file; loki finds episodes by `task-` and their id."""
        stem = super().stem_of(entry)
        return f"task-{stem}" if entry.kind == "episode" else stem

    def name_of(self, row: LayoutRow, entry: Entry) -> str:
        name = super().name_of(row, entry)
        if row.kind == "episode":
            outcome = text_of(entry.note.document.get("outcome"))
            said = {"id": entry.id, "goal": entry.title, "outcome": outcome, "file": name}
            self._days.setdefault(name.split("/")[-2], []).append(said)
        return name

    def end(self) -> Iterator[File]:
        found = self._continuity
        wanted = self.project or (found[0].project if len(found) == 1 else self.store.project)
        for entry in found:
            if entry.project == wanted:
                yield from super().write(entry)
            else:
                why = "the layout has one CONTINUITY.md: name its project with --project"
                self.left_out.append((entry.path, why))
        yield INDEX, write_json({"_generated": "by engrain export", "days": self._days})
