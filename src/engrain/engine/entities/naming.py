"""Renames entities and gives them aliases (S4.1)."""

from __future__ import annotations

from collections.abc import Callable

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.retrying import try_again
from engrain.engine.core.store import Store
from engrain.engine.entities.drafts import clean_subject
from engrain.engine.entities.entity import open_entity
from engrain.engine.entities.files import Filed, read_filed
from engrain.engine.entities.resolution import Resolver
from engrain.engine.entities.writing import write_entity
from engrain.model.errors import UsageError
from engrain.model.facts.entity import Entity
from engrain.model.facts.entity_names import is_said_by, name_key


def rename_entity(store: Store, reference: str, name: str) -> Filed:
    """Give an entity another name; the old one stays as an alias. Raises UsageError."""
    name = clean_subject(Redaction(store), name)

    def rename(filed: Filed) -> Entity:
        entity = filed.entity
        aliases = [one for one in entity.names if name_key(one) != name_key(name)]
        return entity.replace(name=name, aliases=list(dict.fromkeys(aliases)))

    return _change(store, reference, name, rename)


def add_alias(store: Store, reference: str, alias: str) -> Filed:
    """Have an entity go by one more name. Raises UsageError for one that another goes by."""
    alias = clean_subject(Redaction(store), alias)

    def add(filed: Filed) -> Entity:
        entity = filed.entity
        if is_said_by(alias, entity.names):
            return entity
        return entity.replace(aliases=[*entity.aliases, alias])

    return _change(store, reference, alias, add)


def _change(store: Store, reference: str, name: str, change: Callable[[Filed], Entity]) -> Filed:
    store.require_index()

    def write() -> str:
        filed = open_entity(store, reference)
        for other in Resolver(store).find(name):
            if other.slug != filed.slug and is_said_by(name, [*other.entity.names, other.slug]):
                raise UsageError(
                    f"{name!r} is a name of {other.slug}",
                    remedy=f"if they are one: `engrain entity merge {filed.slug} {other.slug}`",
                )
        entity = change(filed)
        if entity is not filed.entity:
            trust = store.actor.trust
            reason = f"named {name}"
            write_entity(store, filed.slug, filed, entity, {}, reason=reason, trust=trust)
        return filed.slug

    return read_filed(store, try_again(write))
