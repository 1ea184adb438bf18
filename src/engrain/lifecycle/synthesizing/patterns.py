"""What holds over time goes to MEMORY.md: how the operator works, drawn from what was of use in
session after session, and from what they said outright (S4.3).

Only entries of no project count, and none that any page from outside had a part in: what stands
there is shown in every session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.store import Store
from engrain.engine.entities.pages import Page, said_before, write_page
from engrain.language.text.lines import shorten
from engrain.lifecycle.jobs.job import Run
from engrain.model.errors import ConflictError
from engrain.model.facts.memory_page import (
    COMMUNICATION,
    PLACE,
    RELATIONSHIP,
    TOOLS,
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
"""A pattern holds where it was of use in so many sessions over so many days at least."""
LEAST_CONFIDENCE = 0.8
"""From which on what the operator said outright counts at once."""
MOST_LINES = 24
"""Of its own, that synthesis adds to the page: every session pays for them."""
_LONGEST = 160
_STATED = ("preference", "feedback")
_KINDS = Filter(
    kinds=(*_STATED, "workflow", "pattern", "relationship"),
    statuses=(ACTIVE,),
    zones=(LIVE,),
    projects=("",),
)
_REINFORCING = ("fold", "consolidate", "learn")
"""Changes that say that an entry proved of use, or was met again."""
_MOST_CHANGES = 200

_BY_WORDS = (
    (
        RELATIONSHIP,
        r"my (?:team|boss|manager|wife|husband|partner|family|colleagues?|clients?|customers?)|"
        r"team ?mates?|stakeholders?|co-?founder|works? with|reports? to|family",
    ),
    (
        COMMUNICATION,
        r"answers?|repl(?:y|ies)|respon\w+|explain\w*|explanations?|tone|concise|brief\w*|verbose|"
        r"terse|emojis?|apolog\w*|summar\w+|bullets?|language|english|german|french|spanish|"
        r"messages?|emails?|ask (?:me|before|first)|tell me|call me|jargon|prose|wording",
    ),
    (
        TOOLS,
        r"use|uses|using|prefers? \S+ (?:over|to|for)|instead of|editor|ide|shell|terminal|cli|"
        r"npm|pnpm|yarn|bun|uv|pip|poetry|docker|git|github|vim|neovim|emacs|vs ?code|pytest|ruff|"
        r"mypy|eslint|prettier|make|bash|zsh|fish|library|framework|package",
    ),
)
_SECTIONS = tuple(
    (section, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for section, words in _BY_WORDS
)


def add_patterns(store: Store, run: Run) -> list[str]:
    """Bring the page's own lines in step with what they are drawn from, and add those of patterns
    that hold by now; a line for each thing done. What a person took out, or made theirs by an edit,
    is not said again. Raises ConflictError where it can't be read or written."""
    page = Page(store)
    if page.closed and page.note is None:
        raise ConflictError(page.closed, path=PLACE)
    if page.closed:
        return []  # who forgot it need not hear so every time
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
    added = [(_section(row), key_of(row.id), _word(row)) for row in new]
    sources = [*(fit[key].id for key in wanted), *(row.id for row in new)]
    reason = "drawn from " + ", ".join(sources) if sources else "its source holds no longer"
    wrote = write_page(
        store, page, lambda body, eol: revise_page(body, wanted, added, eol), sources, reason
    )
    return lines if wrote else []


def _find_new(store: Store, fit: Mapping[str, Row], known: set[str]) -> list[Row]:
    """Return what holds and was never on the page, by id."""
    new = [row for key, row in fit.items() if key not in known and _holds(store, row)]
    before = said_before(store) if new else set()
    return sorted((row for row in new if key_of(row.id) not in before), key=lambda row: row.id)


def _may_stand(store: Store, row: Row) -> bool:
    """Whether an entry may be shown in every session, and is not so already."""
    elsewhere = row.primary and row.locator != PLACE and not row.always_load
    return elsewhere and effective_trust(store, row) in (OPERATOR, "agent")


def _holds(store: Store, row: Row) -> bool:
    """Whether the operator said it outright, or it proved of use over time."""
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


def _section(row: Row) -> str:
    if row.kind == "relationship":
        return RELATIONSHIP
    return next((name for name, words in _SECTIONS if words.search(row.title)), WORK)


def _word(row: Row) -> str:
    """An entry as a line: a link to it that bears its title, so that erasing it takes both."""
    name = split_ending(row.locator)[0]
    target = row.id if UNLINKABLE.search(name) else name
    return write_link(target, as_label(shorten(row.title, _LONGEST)), label_first=False)
