"""Import a `.loki/memory` folder, every document with its id, and export the vault's experience as
loki's JSON files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from engrain.engine.indexes import write_episode_index
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import Incoming, LayoutImporter
from engrain.interchange.table import (
    BODY,
    ID,
    LINK,
    LINKS,
    STATUSES,
    FieldRow,
    Flat,
    Form,
    Layout,
    LayoutRow,
    as_entry,
    compose_as_said,
    fraction_in,
    get_nothing,
    get_text,
    id_in,
    list_fields,
    list_kept_files,
    page_row,
    read_links,
    stem_of,
)
from engrain.language.text.fences import shorten
from engrain.language.text.folding import slugify
from engrain.model.errors import MalformedError, UsageError
from engrain.model.experience.ledger import file_stem
from engrain.model.experience.patterns import ANTI_PATTERNS, PATTERNS
from engrain.model.experience.reading import read_episode
from engrain.model.links.link import MADE
from engrain.model.note.documents import objects_of, text_of, texts_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, WORKING, kind_of
from engrain.seam.rows import Filter, Row

INDEX = "episodic/index.json"
_PATTERNS, _MISTAKES = "semantic/patterns.json", "semantic/anti-patterns.json"
_MAX_TITLE = 200


def _compose_pattern(said: Flat) -> tuple[dict[str, Value], str]:
    return PATTERNS.compose(PATTERNS.make(said["id"], said, said.get("confidence")))


def _compose_anti_pattern(said: Flat) -> tuple[dict[str, Value], str]:
    """Return the note of a mistake with loki's one source and our further ones."""
    one = said.get("source")
    first = texts_of(one) if isinstance(one, list) else [text_of(one)]
    sources = [text for text in (*first, *texts_of(said.get("sources"))) if text]
    said = {**said, "sources": list(dict.fromkeys(sources))}
    return ANTI_PATTERNS.compose(ANTI_PATTERNS.make(said["id"], said, said.get("confidence")))


def _read_anti_pattern(entry: Entry) -> Flat:
    said = asdict(ANTI_PATTERNS.read(entry))
    first, *further = said["sources"] or [""]
    said |= {"source": first, "sources": [first, *further] if further else []}
    return said | {"usage_count": said["usage_count"] or None}


def _compose_fact(said: Flat) -> tuple[dict[str, Value], str]:
    fact = said.pop("fact")
    title, _, rest = fact.partition("\n")
    body = f"# {title}\n{rest}\n" if rest else f"# {title}\n"
    fields: dict[str, Value] = {"id": said["id"], "kind": "domain-reference", "status": ACTIVE}
    if len(title) > _MAX_TITLE or _read_fact_body(as_entry(fields, body)) != fact:
        fields["fact"] = fact
        body = f"# {shorten(fact, _MAX_TITLE) or said['id']}\n"
    return fields | {key: value for key, value in said.items() if value != ""}, body


def _read_fact(entry: Entry) -> Flat:
    fact, sources = entry.fields.get("fact"), entry.fields.get("source_episodes")
    return {
        "fact": fact if isinstance(fact, str) else _read_fact_body(entry),
        "source_episodes": texts_of(sources) if sources is not None else entry.derived_from,
    }


def _read_fact_body(entry: Entry) -> str:
    text = entry.text.rstrip("\n")
    if text.startswith(entry.title):
        return text  # it was saved without a title, and the title is its beginning
    return f"{entry.title}\n{text}" if text else entry.title


_CONFIDENCE = FieldRow(
    "confidence", into=lambda value: None if fraction_in(value) is None else float(value)
)
_OUR_LINKS = replace(LINKS, added=True)

PATTERN_FORM = Form(
    (
        ID,
        *list_fields("pattern", "category", "conditions", "correct_approach", "incorrect_approach"),
        _CONFIDENCE,
        *list_fields("source_episodes", "usage_count", "last_used"),
        LINKS,
    ),
    compose=_compose_pattern,
    values=lambda entry: asdict(PATTERNS.read(entry)),
)
MISTAKE_FORM = Form(
    (
        ID,
        *list_fields("what_fails", "why", "prevention", "source"),
        FieldRow("sources", added=True),
        replace(_CONFIDENCE, added=True),
        *list_fields("actions", "signature", "usage_count", "last_used", added=True),
        _OUR_LINKS,
    ),
    compose=_compose_anti_pattern,
    values=_read_anti_pattern,
)
FACT_FORM = Form(
    (
        ID,
        *list_fields("fact", "category", into=text_of, out=text_of),
        _CONFIDENCE,
        FieldRow("source_episodes", into=texts_of),
        _OUR_LINKS,
    ),
    compose=_compose_fact,
    values=_read_fact,
)
SKILL_FORM = Form(
    (FieldRow(BODY), FieldRow("description", into=get_text, out=get_text, added=True)),
    compose=lambda said: compose_as_said({"id": "", "kind": "procedural", "status": ACTIVE} | said),
    links=get_nothing,
)


def _note_link(importer: LayoutImporter, document: Incoming) -> bool:
    link = document.document
    start, to, relation = (link.get(key) for key in ("from", "to", "relation"))
    relation = "related_to" if "relation" not in link else relation
    if not (isinstance(start, str) and isinstance(to, str) and isinstance(relation, str)):
        raise MalformedError("a link has `from`, `to` and `relation`", reason="json")
    if not start or not to:
        raise MalformedError("a link from nothing or to nothing", reason="json")
    more = {key: value for key, value in link.items() if isinstance(value, str)}
    more = {key: value for key, value in more.items() if key not in ("from", MADE)}
    links = importer.links.setdefault(start, {})
    links[to, relation] = {**more, "to": to, "relation": relation}
    return False


def _mend_episode(importer: LayoutImporter, document: Incoming) -> bool:
    """Make an episode valid that is not as loki writes them."""
    reading = read_episode(document.document, importer.store.clock.now())
    wrong = [line for line in reading.faults if "is no field of an episode" not in line]
    times = [one.get("t", 0) for one in objects_of(document.document.get("action_log"))]
    ordered = times == [one["t"] for one in reading.document["action_log"]]
    if wrong or reading.omitted or not ordered:
        document.own |= {"omitted": {**reading.omitted}} if reading.omitted else {}
        document.document |= reading.document
    if wrong:
        importer.done.report(document.label, "taken in, but " + "; ".join(wrong))
    return True


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
        LayoutRow(LINK, "semantic/links.json", many=True, prepare=_note_link),
        LayoutRow("episode", "episodic/{day}/{name}.json", prepare=_mend_episode, prefix="task-"),
        LayoutRow("pattern", _PATTERNS, PATTERN_FORM, many=True, shape={"patterns": []}),
        LayoutRow("anti-pattern", _MISTAKES, MISTAKE_FORM, many=True, shape={"anti_patterns": []}),
        LayoutRow("domain-reference", "semantic/facts.json", FACT_FORM, many=True),
        LayoutRow(
            "procedural",
            "skills/{name}.md",
            SKILL_FORM,
            own=("created", "id", "status", "project", "tags", "valid_from", "valid_to"),
            ids=(OWN, "stem"),
            defaults=lambda name: {"status": ACTIVE, "id": stem_of(name)},
        ),
        LayoutRow("ledger", "ledgers/{name}.json", ids=(OWN, "agent"), fixed=_place_of_ledger),
        LayoutRow("handoff", "handoffs/{name}.json"),
        LayoutRow("learning", "learnings/{day}.json", many=True),
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

    def finish(self) -> None:
        super().finish()
        days = {place.split("/")[-2] for place in self.places.values() if "/episodic/" in place}
        if days:
            write_episode_index(self.store, days)


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
        for name, raw in super().write(entry):
            if entry.kind == "episode":
                outcome = text_of(entry.note.document.get("outcome"))
                said = {"id": entry.id, "goal": entry.title, "outcome": outcome, "file": name}
                self._days.setdefault(name.split("/")[-2], []).append(said)
            yield name, raw

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
