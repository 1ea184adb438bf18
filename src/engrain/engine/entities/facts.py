"""Adds facts from a person, an extractor or an import (S4.2, S4.3).

Each draft is checked and cleaned, its entity is found or made, and all drafts of one entity are
written in one commit, safely beside other writers. A refused draft is reported and stops no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store, try_again
from engrain.engine.entities.files import MAYBE, FiledEntity, TooLarge, read_filed, write_entity
from engrain.engine.entities.resolution import Checked, Resolved, Resolver
from engrain.language.statements.predicates import TYPES, find_predicate
from engrain.language.text.instants import format_instant
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    LockedError,
    NotFoundError,
    StorageError,
)
from engrain.model.facts.entity import KIND, Entity, is_said_by, name_key
from engrain.model.facts.fact import MANUAL, Fact, FactDraft, FactEdge
from engrain.model.facts.intake import UNCHANGED, FactIntake, Taken
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.note.documents import texts_of
from engrain.model.note.note import make_id
from engrain.model.note.tiers import EXTERNAL

REFUSED = "refused"

_ADDRESSES = ("email", "username")


@dataclass(slots=True, eq=False)
class FactOutcome:
    """The outcome of a draft.

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


class EntityPlan:
    """One entity with drafts taken in: `filed` as it was read, None for a new one. `entity` is what
    it becomes and `own` what changes among its other fields; `outcomes` has what became of each
    draft by number."""

    def __init__(
        self,
        store: Store,
        resolver: Resolver,
        slug: str,
        filed: FiledEntity | None,
        group: Sequence[Waiting],
    ) -> None:
        self._store = store
        self._resolver = resolver
        self._slug = slug
        self._filed = filed
        self.own: dict[str, object] = {}
        if filed is None:
            if maybe := group[0].resolved.maybe:
                self.own[MAYBE] = list(maybe)
            names = (one.resolved.name for one in group)
            # The name with most words stands for the entity.
            entity = Entity(max(names, key=lambda name: (name.count(" "), len(name), name)))
        else:
            entity = filed.entity
        types = (one.checked.entity_type for one in group)
        self.entity = entity.replace(type=entity.type or next(filter(None, types), ""))
        self.outcomes = self._add_drafts(group)

    @property
    def changed(self) -> bool:
        """Whether any draft says something new."""
        return any(one.outcome != UNCHANGED for one in self.outcomes.values())

    def _add_drafts(self, group: Sequence[Waiting]) -> dict[int, FactOutcome]:
        entity, now = self.entity, self._store.clock.now()
        intake = FactIntake(entity.facts, entity.names, now)
        forgotten = [] if self._filed is None else texts_of(self._filed.note.own.get(FORGOTTEN))
        outcomes = {}
        for one in group:
            digest = digest_of(one.checked.content)
            if digest in forgotten and one.checked.source != MANUAL:
                taken = Taken(UNCHANGED, "", reason="it was forgotten")
            else:
                if digest in forgotten:
                    forgotten.remove(digest)
                    self.own[FORGOTTEN] = forgotten
                taken = intake.add(self._make(one.checked, now), dated=one.checked.dated)
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
        """Return the e-mail address or handle that a fact gives this entity as an alias, "" for
        none. An external fact gives no alias, and an alias of another entity stays its own."""
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
            valid_from=None if checked.valid_from is None else format_instant(checked.valid_from),
            valid_to=None if checked.valid_to is None else format_instant(checked.valid_to),
            trust=checked.trust,
            confidence=checked.confidence,
        )

    def _edge(self, said: tuple[str, str] | None) -> FactEdge | None:
        """Return an edge, whose object is a slug if the predicate leads to an entity."""
        if said is None:
            return None
        predicate, object_ = said
        row = find_predicate(predicate)
        if row is not None and row.range in TYPES:
            with suppress(EngrainError):  # an unknown name stays as it is written
                object_ = self._resolver.resolve(object_, row.range).slug
        return FactEdge(self._slug, predicate, object_)


ATTEMPTS = 256
"""Attempts at a commit where other writers are quicker."""


def add_facts(store: Store, drafts: Iterable[FactDraft], *, reason: str = "") -> list[FactOutcome]:
    """Add many facts and return their outcomes in order; a refused one says why and stops no other.
    A draft's `trust` never raises it above the actor's."""
    store.require_index()
    outcomes = {}
    checked = {}
    count = 0
    for number, draft in enumerate(drafts):
        count += 1
        redaction = Redaction(store)
        try:
            checked[number] = Checked(store, draft, redaction), redaction.rules
        except EngrainError as error:
            outcomes[number] = _refuse(error)
    resolver = Resolver(store)
    # Whole names come before first names, which may mean the same person, and then known types.
    keys = {one.key for one, _ in checked.values()}
    for key in sorted(keys, key=lambda key: (-len(name_key(key[0]).split()), not key[1], *key)):
        resolver.resolve(*key)
    groups: dict[str, list[Waiting]] = {}
    for number, (one, rules) in checked.items():
        resolved = resolver.resolve(*one.key)
        groups.setdefault(resolved.slug, []).append(Waiting(number, one, resolved, rules))
    for slug, group in groups.items():
        outcomes |= _add_drafts(store, resolver, slug, group, reason)
    return [outcomes[number] for number in range(count)]


def add_fact(
    store: Store,
    entity: str,
    content: str,
    *,
    type: str,  # noqa: A002 - what it is
    edge: tuple[str, str] | None,
    source: str,
    ref: str | None,
    at: float | None,
    valid_from: float | None,
    valid_to: float | None,
    confidence: float | None,
) -> FactOutcome:
    """Add one fact: `content` is one statement about `entity`, a person, company or project by any
    of its names."""
    draft = FactDraft(
        entity,
        content,
        entity_type=type,
        edge=edge,
        source=source,
        ref=ref,
        at=at,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
    )
    store.require_index()
    redaction = Redaction(store)
    checked = Checked(store, draft, redaction)
    resolver = Resolver(store)
    resolved = resolver.resolve(*checked.key)
    waiting = Waiting(0, checked, resolved, redaction.rules)
    return _commit(store, resolver, resolved.slug, [waiting], "")[0]


def _add_drafts(
    store: Store, resolver: Resolver, slug: str, group: Sequence[Waiting], reason: str
) -> dict[int, FactOutcome]:
    """Add the drafts of one entity; where not all find room, those that do."""
    try:
        return _commit(store, resolver, slug, group, reason)
    except TooLarge as error:
        if len(group) == 1:
            return {group[0].number: _refuse(error, slug)}
        done: dict[int, FactOutcome] = {}
        for one in group:
            done |= _add_drafts(store, resolver, slug, [one], reason)
        return done
    except (LockedError, StorageError):
        raise
    except EngrainError as error:
        return {one.number: _refuse(error, slug) for one in group}


def _commit(
    store: Store, resolver: Resolver, slug: str, group: Sequence[Waiting], reason: str
) -> dict[int, FactOutcome]:

    def commit() -> dict[int, FactOutcome]:
        nonlocal slug
        filed = _read(store, slug)
        if filed is not None and filed.merged_into:
            slug = filed.merged_into
            raise ConflictError(f"{slug} keeps changing", remedy="try again")
        plan = EntityPlan(store, resolver, slug, filed, group)
        if plan.changed:
            write_entity(store, slug, filed, plan.entity, plan.own, reason=reason)
        return plan.outcomes

    return try_again(commit, ATTEMPTS)


def _read(store: Store, slug: str) -> FiledEntity | None:
    """Read an entity, None for a new one. Raises ConflictError for one that takes no facts,
    MalformedError."""
    try:
        filed = read_filed(store, slug)
    except NotFoundError:
        for row in store.index.lookup(slug):
            if row.kind == KIND and row.status == "archived":
                raise _closed(slug, row.status, row.locator, row.id) from None
        return None
    if filed.status != "active" and not filed.merged_into:
        raise _closed(slug, filed.status, filed.locator, filed.id)
    return filed


def _closed(slug: str, status: str, place: str, id_: str) -> ConflictError:
    return ConflictError(
        f"{slug} is {status}: it takes no facts",
        path=place,
        remedy=f"`engrain restore {id_}` takes it back",
    )


def _refuse(error: EngrainError, slug: str = "") -> FactOutcome:
    return FactOutcome(REFUSED, slug, reason=error.message, remedy=error.remedy)
