"""Works out what becomes of one entity when drafts of facts are taken in; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.attesting import EXTERNAL
from engrain.engine.core.store import Store
from engrain.engine.entities.drafts import Checked
from engrain.engine.entities.files import MAYBE, Filed
from engrain.engine.entities.resolution import Resolved, Resolver
from engrain.language.statements.predicates import TYPES, find_predicate
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError
from engrain.model.facts.entity import MERGED, Entity
from engrain.model.facts.entity_names import is_said_by
from engrain.model.facts.fact import MANUAL, Edge, Fact
from engrain.model.facts.intake import UNCHANGED, Intake, Taken
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.note.documents import objects_of, texts_of, trimmed_texts
from engrain.model.note.ids import make_id

REFUSED = "refused"

_ADDRESSES = ("email", "username")


@dataclass(slots=True, eq=False)
class FactOutcome:
    """What became of a draft.

    `outcome` is created, reinforced (known, and surer now), unchanged (known from this very
    source), superseding (the facts `others` no longer hold), disputed (it and `others` can't both
    hold), historical (it held once) or refused. `slug` is the entity's and `id` the fact's;
    `reason` says why in words, and `remedy` what to do about a refusal. `maybe` has the slugs of
    other entities that the name may mean; `redacted` names the rules of replaced secrets.
    """

    outcome: str
    slug: str = ""
    id: str = ""
    _: KW_ONLY
    others: tuple[str, ...] = ()
    reason: str = ""
    remedy: str | None = None
    maybe: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Waiting:
    """A checked draft with its `number` among those handed in, and the entity it is about."""

    number: int
    checked: Checked
    resolved: Resolved
    redacted: tuple[str, ...]


class Plan:
    """One entity with drafts taken in: `filed` as it was read, None for a new one.

    `entity` is what it becomes and `own` what changes among its other fields; `outcomes` has what
    became of each draft by number.
    """

    __slots__ = ("_filed", "_resolver", "_slug", "_store", "entity", "outcomes", "own")

    def __init__(
        self,
        store: Store,
        resolver: Resolver,
        slug: str,
        filed: Filed | None,
        group: Sequence[Waiting],
    ) -> None:
        self._store = store
        self._resolver = resolver
        self._slug = slug
        self._filed = filed
        self.own: dict[str, object] = {}
        first = group[0].resolved
        if filed is None and first.maybe:
            self.own[MAYBE] = list(first.maybe)
        names = (one.resolved.name for one in group)
        entity = Entity(max(names, key=_wholeness)) if filed is None else filed.entity
        types = (one.checked.entity_type for one in group)
        self.entity = entity.replace(type_=entity.type or next(filter(None, types), ""))
        self.outcomes = self._take_in(group)

    @property
    def changed(self) -> bool:
        """Whether any draft says something new."""
        return any(one.outcome != UNCHANGED for one in self.outcomes.values())

    def _take_in(self, group: Sequence[Waiting]) -> dict[int, FactOutcome]:
        entity, now = self.entity, self._store.clock.now()
        intake = Intake(entity.facts, entity.names, now)
        forgotten = self._own_texts(FORGOTTEN)
        outcomes: dict[int, FactOutcome] = {}
        for one in group:
            digest = digest_of(one.checked.content)
            if digest in forgotten and one.checked.source != MANUAL:
                taken = Taken(UNCHANGED, "", reason="it was forgotten")
            else:
                if digest in forgotten:
                    forgotten.remove(digest)
                    self.own[FORGOTTEN] = forgotten
                taken = intake.take(self._make(one.checked, now), dated=one.checked.dated)
            outcomes[one.number] = FactOutcome(
                taken.outcome,
                self._slug,
                taken.id,
                others=tuple(taken.others),
                reason=taken.reason,
                maybe=one.resolved.maybe,
                redacted=one.redacted,
            )
        addresses = (self._address(one.checked) for one in group)
        aliases = dict.fromkeys([*entity.aliases, *filter(None, addresses)])
        self.entity = entity.replace(facts=intake.facts, aliases=list(aliases))
        return outcomes

    def _address(self, checked: Checked) -> str:
        """The e-mail address or handle that a fact says this entity has, "" for none: it goes by it
        from then on. What is from outside gives nobody a name, nor is another's given away."""
        predicate, value = checked.edge or ("", "")
        if predicate not in _ADDRESSES or "@" not in value or checked.trust == EXTERNAL:
            return ""
        others = [filed.slug for filed in self._resolver.find(value) if filed.slug != self._slug]
        known = is_said_by(value, self.entity.names)
        return "" if others or known or " " in value else value

    def _make(self, checked: Checked, now: float) -> Fact:
        return Fact(
            make_id(now, self._store.entropy.draw(10)),
            checked.content,
            source=checked.source,
            source_ref=checked.ref,
            entity_type=self.entity.type or checked.entity_type,
            created_at=format_instant(checked.at),
            status=checked.status,
            edge=self._edge(checked.edge),
            valid_from=_written(checked.valid_from),
            valid_to=_written(checked.valid_to),
            trust=checked.trust,
            confidence=checked.confidence,
            of=self._said_of(checked.entity),
        )

    def _edge(self, said: tuple[str, str] | None) -> Edge | None:
        """An edge whose object is a slug where the predicate leads to an entity."""
        if said is None:
            return None
        predicate, object_ = said
        row = find_predicate(predicate)
        if row is not None and row.range in TYPES:
            with suppress(EngrainError):  # what names nobody stays as it is said
                object_ = self._resolver.resolve(object_, row.range).slug
        return Edge(self._slug, predicate, object_)

    def _said_of(self, name: str) -> str:
        """The slug under which it was said, where that one was merged into this one."""
        merges = objects_of(self._filed.note.own.get(MERGED)) if self._filed else []
        for merged in merges:
            if is_said_by(name, trimmed_texts(merged.get("names"))):
                return str(merged.get("slug") or "")
        return ""

    def _own_texts(self, key: str) -> list[str]:
        return [] if self._filed is None else texts_of(self._filed.note.own.get(key))


def _wholeness(name: str) -> tuple[int, int, str]:
    return name.count(" "), len(name), name


def _written(at: float | None) -> str | None:
    return None if at is None else format_instant(at)
