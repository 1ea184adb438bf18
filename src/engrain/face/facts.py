"""People, companies and projects, and what is known of them (S4.1, S4.2)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engrain.engine.entities.entity import Filed
    from engrain.engine.entities.planning import FactOutcome
    from engrain.model.facts.fact import Fact, FactDraft


class Facts(Base):
    """Entities and their facts."""

    def add_fact(
        self,
        entity: str,
        content: str,
        *,
        type: str = "",  # noqa: A002 - what it is
        edge: tuple[str, str] | None = None,
        source: str = "manual",
        ref: str | None = None,
        at: float | None = None,
        valid_from: float | None = None,
        valid_to: float | None = None,
        confidence: float | None = None,
    ) -> FactOutcome:
        """Add one fact: `content` is one statement about `entity`, a person, company or project by
        any of its names. `edge` is a predicate and the name of its object, `at` when it was said,
        `valid_from` and `valid_to` when it held (epoch seconds). What contradicts it and is older
        turns historical. Raises UsageError, ConflictError or MalformedError for one that can't be
        taken in."""
        from engrain.engine.entities.facts import add_fact
        from engrain.model.facts.fact import FactDraft

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
        return add_fact(self._open_store(), draft)

    def add_facts(self, drafts: Iterable[FactDraft], *, reason: str = "") -> Sequence[FactOutcome]:
        """Add many, each with what came of it, in their order; a refused one says why and stops no
        other. A draft's `trust` never raises it above whoever acts."""
        from engrain.engine.entities.facts import add_facts

        return add_facts(self._open_store(), drafts, reason=reason)

    def entities(
        self,
        type: str | None = None,  # noqa: A002 - what they are
        *,
        as_of: float | None = None,
        known_at: float | None = None,
        disputed: bool = False,
    ) -> Sequence[Filed]:
        """The entities by name, of one type if that is named: those of which anything held at
        `as_of` (epoch seconds), as it was known at `known_at`, or those of which something is
        disputed."""
        from engrain.engine.entities.entity import list_entities

        return list_entities(
            self._ready(scan=True), type, as_of=as_of, known_at=known_at, disputed=disputed
        )

    def entity(self, reference: str, *, known_at: float | None = None) -> Filed:
        """One entity, by id, slug, path, name or alias; of one that was merged what it was merged
        into. With `known_at` (epoch seconds) its facts are those that its file had then. Raises
        NotFoundError, UsageError where several are meant."""
        from engrain.engine.entities.entity import open_entity_known

        return open_entity_known(self._ready(), reference, known_at)

    def entity_summary(
        self, reference: str, *, as_of: float | None = None, known_at: float | None = None
    ) -> str:
        """An entity as a person would tell of it: its summary where that is up to date or somebody
        wrote it, else one made now; with `as_of` of what held then, with `known_at` as it was
        known then."""
        from engrain.engine.entities.telling import tell_entity

        return tell_entity(self._ready(), reference, as_of, known_at)

    def fact(self, entity: str, reference: str) -> tuple[Filed, Fact]:
        """One fact of an entity, by its id or the beginning or end of that. Raises NotFoundError,
        UsageError."""
        from engrain.engine.entities.entity import open_entity
        from engrain.engine.entities.settling import find_fact

        filed = open_entity(self._ready(), entity)
        return filed, find_fact(filed, reference)

    def forget_fact(self, entity: str, reference: str, reason: str = "") -> tuple[Filed, Fact]:
        """Take a fact out; reading its source again does not bring it back, `undo` does."""
        from engrain.engine.entities.settling import forget_fact

        return forget_fact(self._open_store(), entity, reference, reason)

    def settle_fact(self, entity: str, reference: str) -> tuple[Filed, Fact]:
        """Have one of several facts that can't both be so hold: the others turn historical. Raises
        UsageError for one that nothing disputes."""
        from engrain.engine.entities.settling import settle_fact

        return settle_fact(self._open_store(), entity, reference)

    def merge_entities(self, kept: str, other: str, reason: str = "") -> Filed:
        """Have one entity take over another's facts and names, in one change. Raises UsageError for
        two of different types."""
        from engrain.engine.entities.merging import merge_entities

        return merge_entities(self._open_store(), kept, other, reason=reason)

    def split_entity(self, kept: str, other: str, reason: str = "") -> Filed:
        """Take a merge back: the other has its facts again, and what was learned under its names
        since. Raises NotFoundError for one that was not merged into it."""
        from engrain.engine.entities.merging import split_entity

        return split_entity(self._open_store(), kept, other, reason=reason)

    def rename_entity(self, reference: str, name: str) -> Filed:
        """Give an entity another name; the old one stays as an alias. Raises UsageError."""
        from engrain.engine.entities.naming import rename_entity

        return rename_entity(self._open_store(), reference, name)

    def add_alias(self, reference: str, alias: str) -> Filed:
        """Have an entity go by one more name. Raises UsageError for one that another goes by."""
        from engrain.engine.entities.naming import add_alias

        return add_alias(self._open_store(), reference, alias)

    def reindex_entities(self) -> bool:
        """Bring the generated index of entities in step; whether it was written."""
        from engrain.engine.entities.index import write_entity_index

        return write_entity_index(self._ready(scan=True))
