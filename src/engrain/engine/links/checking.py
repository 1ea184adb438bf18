"""Judges where the links between notes lead, and counts them (S1.11)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engrain.engine.core.store import Store
from engrain.index.links import list_links
from engrain.index.view import IndexView
from engrain.language.text.folding import fold
from engrain.model.links.link import VAULT, is_at, note_name
from engrain.model.note.tiers import PERSONAL, STAGING, link_key, zone_of
from engrain.seam.locator import Locator
from engrain.seam.references import Reference, Written
from engrain.seam.rows import AMBIGUOUS, BROKEN, LINKED, RESOLVED, STATES, Row

PLACEHOLDER, OWN = "placeholder", "personal"
"""The states of a template's link, which leads nowhere yet, and of a link to the operator's own
notes, beside `seam.rows.STATES`."""
_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>|\$\{")
_MOST_KEPT = 20_000


class Judge:
    """Judges the links of one view, one by one."""

    def __init__(self, store: Store, view: IndexView) -> None:
        self._view = view
        self._files = {fold(place.name) for place in store.backend.others()}
        self._unread: dict[str, list[str]] = {}  # places by what links to them are resolved by
        for place in unread_places(store):
            self._unread.setdefault(link_key(place), []).append(place)
        self._rows: dict[int, Row | None] = {}

    def judge(self, folder: str, written: Written) -> str:
        """Return the state of a link in a note of `folder`."""
        said = written.reference
        if said.target.startswith(PERSONAL):
            return OWN
        sides = self._sides(said)
        if written.end is None or (end := self._row(written.end)) is None:
            return self._judge_broken(sides)
        named = (side for side in sides if link_key(note_name(side)) == link_key(end.locator))
        at_path = is_at(next(named, sides[0]), end.locator, end.title, folder)
        if self._leads_to_unread(sides[0], end.locator if at_path else "", folder):
            return RESOLVED
        if end.status == "deleted":
            return BROKEN
        return AMBIGUOUS if written.rivals else RESOLVED

    def _leads_to_unread(self, side: str, instead: str, folder: str) -> bool:
        """Whether a link means an unreadable note, by its path or by the bare name of a note at the
        root, rather than `instead`, the place that the index found for the link."""
        name = note_name(side)
        places = self._unread.get(link_key(name), ())
        if "/" not in name:
            return "/" in instead and any("/" not in place for place in places)
        return not instead and any(is_at(side, place, "", folder) for place in places)

    def _judge_broken(self, sides: list[str]) -> str:
        if any(map(_PLACEHOLDER.search, sides)):
            return PLACEHOLDER
        name = fold(note_name(sides[0]).rpartition("/")[2])
        if name in self._files or f"{name}.md" in self._files:
            return RESOLVED
        return RESOLVED if link_key(note_name(sides[0])) in self._unread else BROKEN

    def _sides(self, said: Reference) -> list[str]:
        """Return the sides of a link, first the one that is the note's name."""
        sides = [side for side in (said.target, said.label) if side]
        return sides[::-1] if VAULT.match(said.label) else sides

    def _row(self, number: int) -> Row | None:
        if number not in self._rows:
            if len(self._rows) >= _MOST_KEPT:
                self._rows.clear()
            self._rows[number] = self._view.rows([number]).get(number)
        return self._rows[number]


def unread_places(store: Store) -> list[Locator]:
    """List the places of files that can't be read as notes, in order."""
    return sorted(problem.locator for problem in store.index.problems() if problem.fatal)


def count_links(store: Store, places: Iterable[Locator] | None = None) -> dict[str, int]:
    """Count the links of the notes at some places, or of all, by state. Raises
    IndexUnavailableError."""
    store.require_index(scan=places is None)
    counts = dict.fromkeys(STATES, 0)
    with store.index.view() as view:
        judge = Judge(store, view)
        known = (Locator(place) for place, *_ in store.index.stamps())
        for locator in known if places is None else places:
            number = view.number(locator)
            row = None if number is None else view.rows([number]).get(number)
            # The links in a proposal are quotes from its targets.
            if number is None or row is None or zone_of(locator) == STAGING:
                continue
            if not row.primary or row.status == "deleted":
                continue
            for one in view.ask(list_links, number):
                if one.reference.origin in LINKED:
                    state = judge.judge(locator.folder, one)
                    counts[state] = counts.get(state, 0) + 1
    counts[BROKEN] += counts.pop(PLACEHOLDER, 0)
    counts.pop(OWN, None)
    return counts
