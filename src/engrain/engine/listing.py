"""`list`: entries by filter alone."""

from __future__ import annotations

from engrain.engine.outcomes import Listing
from engrain.engine.scope import make_filter
from engrain.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.scope import Scope
    from engrain.engine.store import Store


def list_entries(store: Store, scope: Scope, limit: int | None) -> Listing:
    """Entries by filter alone, newest first."""
    if limit is not None and limit < 0:
        raise UsageError(f"a limit of {limit} makes no sense")
    only = make_filter(scope, store.project)
    store.require_index(scan=True)
    return Listing(store.index.find(only, limit), store.index.count(only))
