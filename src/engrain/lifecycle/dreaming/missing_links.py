"""Missing links: notes that speak of another by its name and do not link to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import SURE, suggest_links
from engrain.lifecycle.dreaming.finding import LINK, Finding
from engrain.lifecycle.reviewing.link_proposals import LINK as ACTION
from engrain.lifecycle.reviewing.link_proposals import reason_of
from engrain.model.note.memo import Memo


def find_missing_links(store: Store, memos: Iterable[Memo], _: float) -> Iterator[Finding]:
    """The mentions that are meant beyond doubt, the surest first."""
    for one in suggest_links(store, memos, least=SURE):
        yield Finding(
            LINK,
            (one.source, one.target),
            ACTION,
            one.score,
            reason_of(one),
            [(one.source, one.quote)],
        )
