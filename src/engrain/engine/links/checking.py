"""`links check`: judges every link of a vault, and says why one is not resolved (S1.11)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from engrain.engine.core.reading import refer
from engrain.engine.core.store import Store
from engrain.engine.links.verdicts import IN_CODE, LISTED, MOVED, Judge, Verdict, unread_places
from engrain.model.errors import EngrainError, UsageError
from engrain.model.links.anchors import Anchors
from engrain.model.links.link import Link, quoted_links, read_links
from engrain.model.links.places import link_key
from engrain.model.note.entry import parse_note
from engrain.model.note.note import Note
from engrain.model.note.tiers import STAGING, split_ending, zone_of
from engrain.seam.graph import BROKEN, FIELD, LINKED, STATES, Reference, Written
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.view import IndexView

ORPHANS = "orphans"
CHOICES = (*LISTED, ORPHANS)
"""What may be asked for alone."""
_COUNTED = (*STATES, MOVED, IN_CODE, "personal")


@dataclass(slots=True, eq=False)
class CheckedLink:
    """A link of the report: the `place` and id of its note (id "" for a file that is no entry), its
    line, what it says, and the `verdict`."""

    place: Locator
    id: str
    line: int
    reference: Reference
    verdict: Verdict


class LinkReport:
    """What the check found. `counts` has all links by state, those `moved`, those in code that name
    no note, and those to the operator's own notes. `links` has the reported ones, `listed` how many
    there are in all, and `reasons` why, by count."""

    def __init__(self, label_first: bool) -> None:
        self.label_first = label_first
        self.counts = dict.fromkeys(_COUNTED, 0)
        self.reasons: dict[str, int] = {}
        self.listed = 0
        self.links: list[CheckedLink] = []
        self.orphans: Sequence[Row] = ()
        self.orphans_in_all = 0
        self.same_titles: Sequence[Sequence[Row]] = ()

    @property
    def total(self) -> int:
        """How many links there are."""
        return sum(self.counts[state] for state in STATES)

    @property
    def share(self) -> float:
        """The share of links that lead somewhere, from 0 to 1; 1 where there are none."""
        return 1 - self.counts[BROKEN] / self.total if self.total else 1.0


def check_links(
    store: Store, state: str | None = None, limit: int | None = None, *, quoted: bool = False
) -> LinkReport:
    """Check every link. Reports those of one state of CHOICES, or all that are not simply resolved,
    at most `limit` of each sort; with `quoted` also links in code that name no note.

    Raises UsageError, IndexUnavailableError.
    """
    if state is not None and state not in CHOICES:
        raise UsageError(f"{state!r} is no state", remedy="one of " + ", ".join(CHOICES))
    store.require_index(scan=True)
    with store.index.view() as view:
        report = LinkReport(view.label_first)
        judge = Judge(store, view)
        for one in _judge_all(store, view, judge):
            verdict = one.verdict
            report.counts[verdict.state] += 1
            report.counts[MOVED] += verdict.moved
            if not verdict.reason:
                continue
            report.reasons[verdict.reason] = report.reasons.get(verdict.reason, 0) + 1
            if state in verdict.listed_as if state else quoted or verdict.state != IN_CODE:
                report.listed += 1
                if limit is None or len(report.links) < limit:
                    report.links.append(one)
        judge.settle((link.verdict for link in report.links), report.reasons)
        if state in (None, ORPHANS):
            report.orphans, report.orphans_in_all = list_orphans(view, limit)
        if state is None:
            report.same_titles = list_same_titles(view, limit)
    return report


def _judge_all(store: Store, view: IndexView, judge: Judge) -> Iterator[CheckedLink]:
    unread = set(unread_places(store))
    for locator in sorted(Locator(place) for place, *_ in store.index.stamps()):
        number = None if locator in unread else view.number(locator)
        row = None if number is None else view.rows([number]).get(number)
        # What stands in a proposal is quoted from those whom it is about.
        if zone_of(locator) == STAGING or (row is None) != (locator in unread):
            continue
        if row is not None and (not row.primary or row.status == "deleted"):
            continue
        try:
            note = parse_note(store.backend.read(locator).raw, locator)
        except EngrainError:
            continue  # gone since, or no text: `doctor` reports it
        written = None if number is None else view.links_of(number)
        yield from _judge_note(judge, locator, "" if row is None else row.id, note, written)


def _judge_note(
    judge: Judge, place: Locator, id_: str, note: Note, written: Sequence[Written] | None
) -> Iterator[CheckedLink]:
    """The links of one note: those that the index has written of it, None where it has not read it,
    and what it has nothing of."""
    links = list(read_links(note.body))
    lines = _Lines(note, place)
    places = [link for link in links if link.target]
    for link in places if written is None else ():
        verdict = judge.judge_unindexed(place.folder, link)
        yield CheckedLink(place, id_, lines.at(link.offset), refer(link), verdict)
    for one in written or ():
        if one.reference.origin in LINKED:
            verdict = judge.judge(place.folder, one)
            line = lines.of(one, places) if verdict.reason else 0
            yield CheckedLink(place, id_, line, one.reference, verdict)
    own = [link for link in links if not link.target]
    anchors = Anchors(note.body if own else "")
    for link in own:
        verdict = judge.judge_own(link, anchors)
        yield CheckedLink(place, id_, lines.at(link.offset), refer(link), verdict)
    for link in quoted_links(note.body):
        verdict = judge.judge_quoted(link)
        yield CheckedLink(place, id_, lines.at(link.offset), refer(link), verdict)


class _Lines:
    """Finds the lines of a note's file in which its links stand, counted from 1."""

    def __init__(self, note: Note, locator: Locator) -> None:
        self._note = note
        self._is_record = split_ending(locator)[1] != ".md"
        self._before = (note.head + note.front + note.fence).count("\n") + 1
        self._breaks: list[int] | None = None

    def of(self, written: Written, links: Sequence[Link]) -> int:
        """The line of a reference, 0 where its file does not have it as it is."""
        said = written.reference
        if self._is_record:
            return 0
        if said.origin == FIELD:
            found = self._note.front.find(said.target)
            return (self._note.head + self._note.front[:found]).count("\n") + 1 if found >= 0 else 0
        near = links[written.place : written.place + 1]
        for link in chain(near, links):
            if link.target == said.target and (link.label or "") == said.label:
                return self.at(link.offset)
        return 0

    def at(self, offset: int) -> int:
        """The line of a character of the body."""
        if self._is_record:
            return 0
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self._note.body)]
        return self._before + bisect_left(self._breaks, offset)


def list_orphans(view: IndexView, limit: int | None) -> tuple[list[Row], int]:
    """Live, active entries without any link to or from them, by place, at most `limit`; and how
    many there are."""
    found = view.orphans()
    shown = found if limit is None else found[:limit]
    rows = view.rows(shown)
    return [rows[number] for number in shown if number in rows], len(found)


def list_same_titles(view: IndexView, limit: int | None) -> list[list[Row]]:
    """Groups of live, active entries that share a title, at most `limit` groups."""
    groups: list[list[Row]] = []
    for rows in _sharing(view):
        if limit is not None and len(groups) == limit:
            break
        groups.append(rows)
    return groups


def _sharing(view: IndexView) -> Iterator[list[Row]]:
    for key, named in groupby(view.names(), key=lambda name: name[0]):
        numbers = [number for _, number in named]
        if len(numbers) > 1:
            rows = view.rows(numbers)
            titled = [row for _, row in sorted(rows.items()) if link_key(row.title) == key]
            if len(titled) > 1:
                yield sorted(titled, key=lambda row: row.locator)
