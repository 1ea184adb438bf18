"""Adds lasting patterns of the operator's work to MEMORY.md: entries that proved useful in several
sessions, and what the operator stated outright (S4.3).

Only entries of no project and of a trusted origin count: every session gets this page.
"""

from __future__ import annotations

from collections.abc import Mapping

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.store import Store
from engrain.engine.entities.pages import EntityPage, said_before, write_page
from engrain.language.text.fences import shorten
from engrain.lifecycle.jobs.job import Run
from engrain.model.errors import ConflictError
from engrain.model.facts.memory_page import (
    COMMUNICATION,
    PLACE,
    RELATIONSHIP,
    WORK,
    key_of,
    own_lines,
    revise_page,
)
from engrain.model.links.link import UNLINKABLE, as_label, write_link
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR, split_ending
from engrain.seam.rows import Filter, Row

LEAST_SESSIONS = 3
LEAST_DAYS = 14
"""The sessions and days over which an entry must have been useful."""
LEAST_CONFIDENCE = 0.8
"""The confidence from which a statement of the operator counts at once."""
MOST_LINES = 24
"""Lines that synthesis adds to the page at most: every session pays for them."""
_LONGEST = 160
_STATED = ("preference", "feedback")
_KINDS = Filter(
    kinds=(*_STATED, "workflow", "pattern", "relationship"),
    statuses=(ACTIVE,),
    zones=(LIVE,),
    projects=("",),
)
_REINFORCING = ("fold", "consolidate", "learn")
"""Changes that show that an entry was useful, or met again."""
_MOST_CHANGES = 200

_SECTIONS = {"preference": COMMUNICATION, "feedback": COMMUNICATION, "relationship": RELATIONSHIP}
"""The sections of kinds; other kinds are patterns of work."""


def add_patterns(store: Store, run: Run) -> list[str]:
    """Update the page's generated lines from their entries, and add new ones; return a line for
    each change. A line that a person removed or edited is not written again. Raises ConflictError
    where the page can't be read or written."""
    page = EntityPage(store)
    if page.closed and page.note is None:
        raise ConflictError(page.closed, path=PLACE)
    if page.closed:
        return []  # the operator forgot the page
    rows = store.index.find(_KINDS)
    fit = {key_of(row.id): row for row in rows if _may_stand(store, row)}
    own = own_lines(page.body)
    wanted = {line.key: _word(fit[line.key]) for line in own if line.key in fit}
    new = _find_new(store, fit, {line.key for line in own})[: max(0, MOST_LINES - len(wanted))]
    changed = [line for line in own if line.intact and wanted.get(line.key) != line.text]
    lines = [f"{PLACE}: added what {row.id} says" for row in new]
    lines += [
        f"{PLACE}: {'renewed' if line.key in wanted else 'took out'} its line {line.key}"
        for line in changed
    ]
    if run.dry_run or not lines:
        return lines
    added = [(_SECTIONS.get(row.kind, WORK), key_of(row.id), _word(row)) for row in new]
    sources = [*(fit[key].id for key in wanted), *(row.id for row in new)]
    reason = "drawn from " + ", ".join(sources) if sources else "its source holds no longer"
    wrote = write_page(
        store, page, lambda body, eol: revise_page(body, wanted, added, eol), sources, reason
    )
    return lines if wrote else []


def _find_new(store: Store, fit: Mapping[str, Row], known: set[str]) -> list[Row]:
    new = [row for key, row in fit.items() if key not in known and _holds(store, row)]
    before = said_before(store) if new else set()
    return sorted((row for row in new if key_of(row.id) not in before), key=lambda row: row.id)


def _may_stand(store: Store, row: Row) -> bool:
    elsewhere = row.primary and row.locator != PLACE and not row.always_load
    return elsewhere and effective_trust(store, row) in (OPERATOR, "agent")


def _holds(store: Store, row: Row) -> bool:
    """Whether the operator stated it outright, or it proved useful over time."""
    stated = row.kind in _STATED and effective_trust(store, row) == OPERATOR
    if stated and (row.confidence or 0.0) >= LEAST_CONFIDENCE:
        return True
    moments = {
        # A session may be folded in parts.
        change.reason.partition("#")[0] if change.op == "fold" else change.change: change.at
        for change in store.index.changes(entry=row.id, limit=_MOST_CHANGES)
        if change.op in _REINFORCING
    }
    if len(moments) < LEAST_SESSIONS:
        return False
    first = min(moments.values()) if row.created is None else row.created
    return max(moments.values()) - first >= LEAST_DAYS * DAY


def _word(row: Row) -> str:
    """Return an entry as a line: a link with its title, so that erasing the entry removes both."""
    name = split_ending(row.locator)[0]
    target = row.id if UNLINKABLE.search(name) else name
    return write_link(target, as_label(shorten(row.title, _LONGEST)), label_first=False)
