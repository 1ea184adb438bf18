"""A project's working memory on its way in."""

from __future__ import annotations

from engrain.engine.loki.incoming import SOURCE
from engrain.engine.redaction import clean_text
from engrain.engine.save import check_size, stamp_source
from engrain.model.ids import make_id
from engrain.model.instants import format_instant
from engrain.model.kinds import kind_of
from engrain.model.loki.layout import CONTINUITY
from engrain.model.note import compose_note, split_note
from engrain.model.slugs import slugify
from engrain.model.tiers import ACTIVE
from engrain.seam.locator import make_locator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Actor, Store
    from engrain.model.field import Value
    from engrain.model.note import Note
    from engrain.seam.locator import Locator

_KIND = "continuity"


def continuity_place(project: str) -> Locator:
    """Where a project's working memory stands."""
    folder = kind_of(_KIND).folder.format(project=slugify(project, "project"))
    return make_locator(f"{folder}/{CONTINUITY}")


def compose_continuity(store: Store, raw: bytes, project: str, actor: Actor, ref: str) -> Note:
    """The note of a file of the layout. Raises MalformedError, UsageError."""
    now = store.clock.now()
    fields: dict[str, Value] = {
        "id": make_id(now, store.entropy.draw(10)),
        "kind": _KIND,
        "status": ACTIVE,
        "project": project,
        "created": format_instant(now),
        "updated": format_instant(now),
        "source": stamp_source(actor, SOURCE, ref),
    }
    note = compose_note(fields, clean_text(store, split_note(raw).body))
    check_size(note)
    return note
