"""`engrain entity`: people, companies and projects: list, show, merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, TypedCommand, argument, flag, option
from engrain.adapters.cli.reading import read_moment
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import bold, clean_line, style
from engrain.api.memory import Memory
from engrain.engine.entities.files import FiledEntity
from engrain.model.facts.fact import Fact
from engrain.model.note.tiers import ACTIVE

_SHORT = 8
_ENTITY = "a name, an alias, a slug or an id"


@dataclass(kw_only=True)
class ListEntities(MemoryCommand):
    """List people, companies and projects."""

    examples = "engrain entity list --type person"
    type: str | None = option("person, company, project, …", "T")
    as_of: str | None = option("facts valid on that date", "D")
    known_at: str | None = option("use only what was recorded up to that date", "D")
    disputed: bool = flag("entities with disputed facts")

    def run_in(self, memory: Memory) -> Answer:
        found = memory.facts.entities(
            self.type,
            as_of=read_moment(self.as_of),
            known_at=read_moment(self.known_at),
            disputed=self.disputed,
        )
        listed = [_describe(filed) for filed in found]
        lines = table_lines(listed, "slug name type active disputed aliases", "No entities.")
        return {"entities": listed, "total": len(found)}, lines


@dataclass(kw_only=True)
class OfEntity:
    """The arguments that choose the facts of an entity."""

    entity: str = argument(_ENTITY, "ENTITY")
    all: bool = flag("include facts that are no longer valid")
    as_of: str | None = option("facts valid on that date", "D")
    known_at: str | None = option("use only what was recorded up to that date", "D")

    def choose(self, memory: Memory, *, whole: bool) -> tuple[FiledEntity, Sequence[Fact]]:
        """Return the entity and its facts: those of a date, or of now, or the `whole`."""
        known_at = read_moment(self.known_at)
        as_of = read_moment(self.as_of) or known_at
        filed = memory.facts.entity(self.entity, known_at=known_at)
        if as_of is not None:
            return filed, filed.entity.held_at(as_of)
        return filed, list(filed.entity.facts) if whole else filed.entity.active


@dataclass(kw_only=True)
class ShowEntity(OfEntity, MemoryCommand):
    """Show an entity with its facts."""

    examples = """
engrain entity show "Alice Moreau"
engrain entity show alice-moreau --as-of 2025-06-01
"""

    def run_in(self, memory: Memory) -> Answer:
        filed, facts = self.choose(memory, whole=self.all or self.console.as_json)
        known_at = read_moment(self.known_at)
        as_of = read_moment(self.as_of) or known_at
        summary = memory.facts.summary(filed.id, as_of=as_of, known_at=known_at)
        return summarize_entity(filed, facts, summary), _lines(filed, facts, summary)


@dataclass(kw_only=True)
class MergeEntities(TypedCommand):
    """Merge two entities."""

    examples = "engrain entity merge robert-lee bob      # Bob is Robert Lee"
    entity: str = argument(f"the one that stays: {_ENTITY}", "ENTITY")
    other: str = argument("the one that goes, by the same", "OTHER")
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        filed = memory.facts.merge(self.entity, self.other, self.reason or "")
        return _describe_filed(filed, f"takes the place of {self.other} too")


@dataclass(kw_only=True)
class RenameEntity(TypedCommand):
    """Rename an entity."""

    entity: str = argument(_ENTITY, "ENTITY")
    name: str = argument("its new name", "NAME")

    def run_in(self, memory: Memory) -> Answer:
        return _describe_filed(memory.facts.rename(self.entity, self.name), "is its name now")


@dataclass(kw_only=True)
class AliasEntity(RenameEntity):
    """Add a name to an entity."""

    examples = "engrain entity alias robert-lee bob@example.com"

    def run_in(self, memory: Memory) -> Answer:
        filed = memory.facts.add_alias(self.entity, self.name)
        return _describe_filed(filed, f"goes by {self.name} too")


@dataclass(kw_only=True)
class IndexEntities(MemoryCommand):
    """Write the index of entities."""

    examples = "engrain entity reindex"

    def run_in(self, memory: Memory) -> Answer:
        written = memory.facts.reindex()
        line = "written: Memory/entities/index.json" if written else "up to date already"
        return {"written": written}, [line]


def _describe_filed(filed: FiledEntity, what: str) -> Answer:
    entity = filed.entity
    return _describe(filed), [f"{entity.name} ({filed.slug}) {what}"]


def describe_fact(fact: Fact) -> Data:
    """Return a fact as the object of its file, and what Engrain keeps about it."""
    return {**fact.document(), "engrain": fact.bookkeeping()}


def _describe(filed: FiledEntity) -> Data:
    names = "id slug path=locator name=entity.name type=entity.type aliases=entity.aliases status"
    counts = "facts=entity.facts# active=entity.active# disputed=disputed# maybe"
    return fields(filed, f"{names} {counts}") | {"updated": filed.note.own.get("updated")}


def summarize_entity(filed: FiledEntity, facts: Iterable[Fact], summary: str) -> Data:
    """Return an entity with facts, and a summary of it."""
    items = [describe_fact(fact) for fact in facts]
    return {**_describe(filed), "summary": summary, "items": items}


def _lines(filed: FiledEntity, facts: Sequence[Fact], summary: str) -> Iterator[str]:
    for line in summary.strip().splitlines():
        if line.startswith("# "):
            yield bold(line[2:])
        else:
            yield line
    if filed.maybe:
        others = ", ".join(map(clean_line, filed.maybe))
        yield style("warning", f"This may be {others}.")
    if filed.status != ACTIVE:
        back = f"`engrain restore {clean_line(filed.id)}` takes it back"
        yield style("warning", f"It is {clean_line(filed.status)}: {back}.")
    yield ""
    yield from fact_list(filed, facts)


def fact_list(filed: FiledEntity, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield facts, newest first: a disputed one has a question mark, a former one a dash."""
    for fact in sorted(facts, key=lambda fact: (fact.since or 0.0, fact.id), reverse=True):
        mark = style("warning", "?") if fact.disputes else "•" if fact.active else style("dim", "–")
        yield f"{mark} {clean_line(fact.content)}"
        yield style("dim", f"    {_told(filed, fact)}")
    if not facts:
        yield "No facts."


def _told(filed: FiledEntity, fact: Fact) -> str:
    said = fact.valid_from or fact.created_at
    parts = [clean_line(fact.id)[-_SHORT:], "undated" if said is None else clean_line(said)[:10]]
    if fact.valid_to:
        parts[-1] += f" to {clean_line(fact.valid_to)[:10]}"
    parts.append(clean_line(" ".join(filter(None, (fact.source, fact.source_ref)))))
    if fact.seen:
        parts.append(f"met {fact.seen + 1} times")
    if fact.trust != "operator":
        parts.append(f"{clean_line(fact.trust)} said")
    replaced = filed.entity.find(fact.supersedes) if fact.supersedes else None
    if replaced is not None:
        parts.append(f"replaced: {clean_line(replaced.content)}")
    return ", ".join(parts)


COMMAND = {
    "list": ListEntities,
    "show": ShowEntity,
    "merge": MergeEntities,
    "rename": RenameEntity,
    "alias": AliasEntity,
    "reindex": IndexEntities,
}
