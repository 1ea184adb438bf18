"""`links check`: judges every link of a vault, and says why one is not resolved (S1.11)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain, groupby, islice

from engrain.engine.core.reading import refer
from engrain.engine.core.store import Store
from engrain.language.text.folding import fold
from engrain.model.errors import EngrainError, UsageError
from engrain.model.links.anchors import Anchors
from engrain.model.links.link import Link, is_at, leads_to_file, note_name, read_links
from engrain.model.note.json_note import parse_note
from engrain.model.note.note import Note
from engrain.model.note.tiers import PERSONAL, STAGING, link_key, split_ending, zone_of
from engrain.seam.locator import Locator
from engrain.seam.references import Reference, Written
from engrain.seam.rows import AMBIGUOUS, BROKEN, FIELD, LINKED, RESOLVED, STATES, Row
from engrain.seam.view import IndexView

MOVED = "moved"
LISTED = (BROKEN, AMBIGUOUS, MOVED)
"""What links are listed as."""

NO_NOTE, FORGOTTEN, SEVERAL = "no-note", "forgotten", "several"
NO_HEADING, NO_BLOCK, NO_FILE = "no-heading", "no-block", "no-file"
PLACEHOLDER, UNREADABLE = "placeholder", "unreadable"
REASONS = (
    NO_NOTE, FORGOTTEN, SEVERAL, NO_HEADING, NO_BLOCK, NO_FILE, MOVED, PLACEHOLDER, UNREADABLE,
)  # fmt: skip

_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>|\$\{")
_MOST_CANDIDATES = 10
_MOST_KEPT = 20_000
_MOST_ANCHORS = 2_000


@dataclass(slots=True, eq=False)
class LinkVerdict:
    """The verdict on a link. `state` is one of `seam.view.STATES` or `personal`; `reason` says why
    it is reported, "" if it is not; `candidates` are the entries it may mean, Obsidian's choice
    first; `moved` says that its path is no longer that of its note."""

    state: str
    reason: str = ""
    candidates: Sequence[Row] = ()
    _: KW_ONLY
    moved: bool = False

    @property
    def listed_as(self) -> Iterator[str]:
        """Yield the values of LISTED under which it is reported."""
        if self.moved:
            yield MOVED
        if self.state != RESOLVED or self.reason in (NO_HEADING, NO_BLOCK):
            yield AMBIGUOUS if self.state == AMBIGUOUS else BROKEN


class Judge:
    """Judges the links of one view, one by one."""

    def __init__(self, store: Store, view: IndexView) -> None:
        self._store = store
        self._view = view
        self._label_first = view.label_first
        self._files = {fold(place.name) for place in store.backend.others()}
        self._unread: dict[str, list[str]] = {}  # places by what links to them are resolved by
        for place in unread_places(store):
            self._unread.setdefault(link_key(place), []).append(place)
        self._rows: dict[int, Row | None] = {}
        self._anchors: dict[int, Anchors] = {}

    def judge(self, folder: str, written: Written) -> LinkVerdict:
        """Judge a link in a note of `folder`."""
        said = written.reference
        if said.target.startswith(PERSONAL):
            return LinkVerdict("personal")
        sides = self._sides(said)
        if written.end is None or (end := self._row(written.end)) is None:
            return self._judge_broken(sides)
        named = (side for side in sides if link_key(note_name(side)) == link_key(end.locator))
        at_path = is_at(next(named, sides[0]), end.locator, end.title, folder)
        if self._leads_to_unread(sides[0], end.locator if at_path else "", folder):
            return LinkVerdict(RESOLVED, UNREADABLE)
        if end.status == "deleted":
            return LinkVerdict(BROKEN, FORGOTTEN, [end])
        if written.rivals:
            return LinkVerdict(AMBIGUOUS, SEVERAL, self._rivals(sides, written.end, written.rivals))
        heading = _heading_of(sides, said)
        if heading and not self._anchors_of(written.end, end).has(heading):
            return LinkVerdict(RESOLVED, _missing(heading), [end])
        if not at_path:
            return LinkVerdict(RESOLVED, MOVED, [end], moved=True)
        return LinkVerdict(RESOLVED)

    def judge_unindexed(self, folder: str, link: Link) -> LinkVerdict:
        """Judge a link in a note of `folder` that the index does not have."""
        reference = refer(link)
        return self.judge(folder, Written(0, 0, reference, *self._view.lead(reference, folder)))

    def _leads_to_unread(self, side: str, instead: str, folder: str) -> bool:
        """Whether a link names an unreadable note, by its path or by the bare name of one at the
        root, and not the place `instead` where it leads."""
        name = note_name(side)
        places = self._unread.get(link_key(name), ())
        if "/" not in name:
            return "/" in instead and any("/" not in place for place in places)
        return not instead and any(is_at(side, place, "", folder) for place in places)

    def judge_own(self, link: Link, anchors: Anchors) -> LinkVerdict:
        """Judge a link to a heading of its own note."""
        heading = link.heading or ""
        if _PLACEHOLDER.search(heading) or anchors.has(heading):
            return LinkVerdict(RESOLVED)
        return LinkVerdict(RESOLVED, _missing(heading))

    def _judge_broken(self, sides: list[str]) -> LinkVerdict:
        if any(map(_PLACEHOLDER.search, sides)):
            return LinkVerdict(BROKEN, PLACEHOLDER)
        name = fold(note_name(sides[0]).rpartition("/")[2])
        if name in self._files or f"{name}.md" in self._files:
            return LinkVerdict(RESOLVED)
        if link_key(note_name(sides[0])) in self._unread:
            return LinkVerdict(RESOLVED, UNREADABLE)
        if leads_to_file(sides[0]):
            return LinkVerdict(BROKEN, NO_FILE)
        return LinkVerdict(BROKEN, NO_NOTE)

    def _sides(self, said: Reference) -> list[str]:
        """Return the sides of a link, first the one that is the note's name in this vault."""
        sides = [side for side in (said.target, said.label) if side]
        return sides[::-1] if self._label_first else sides

    def _rivals(self, sides: list[str], end: int, rivals: int) -> list[Row]:
        for side in sides:
            meant = self._view.meant(side)
            if end in meant:
                most = min(rivals + 1, _MOST_CANDIDATES)
                numbers = [end, *(number for number in meant if number != end)][:most]
                rows = self._view.rows(numbers)
                return [rows[number] for number in numbers if number in rows]
        row = self._row(end)
        return [row] if row else []

    def _row(self, number: int) -> Row | None:
        if number not in self._rows:
            if len(self._rows) >= _MOST_KEPT:
                self._rows.clear()
            self._rows[number] = self._view.rows([number]).get(number)
        return self._rows[number]

    def _anchors_of(self, number: int, row: Row) -> Anchors:
        if number not in self._anchors:
            if len(self._anchors) >= _MOST_ANCHORS:
                self._anchors.clear()
            try:
                note = parse_note(self._store.backend.read(row.locator).raw, row.locator)
                self._anchors[number] = Anchors(note.body)
            except EngrainError:
                self._anchors[number] = Anchors("")
        return self._anchors[number]


def unread_places(store: Store) -> list[Locator]:
    """List the places of files that can't be read as notes, in order."""
    return sorted(problem.locator for problem in store.index.problems() if problem.fatal)


def _heading_of(sides: list[str], said: Reference) -> str:
    own = "" if sides[0] == said.target else sides[0].partition("#")[2]
    return own or said.heading


def _missing(heading: str) -> str:
    return NO_BLOCK if heading.startswith("^") or "#^" in heading else NO_HEADING


ORPHANS = "orphans"
CHOICES = (*LISTED, ORPHANS)
"""What may be asked for alone."""
_COUNTED = (*STATES, MOVED, "personal")


@dataclass(slots=True, eq=False)
class CheckedLink:
    """A link of the report: the `place` and id of its note (id "" for a file that is no entry), its
    line, what it says, and the `verdict`."""

    place: Locator
    id: str
    line: int
    reference: Reference
    verdict: LinkVerdict


class LinkReport:
    """The result of the check. `counts` has all links by state, those `moved`, and those
    to the operator's own notes. `links` has the reported ones, `listed` their number, and `reasons`
    the counts of reasons."""

    def __init__(self, label_first: bool) -> None:
        self.label_first = label_first
        self.counts = dict.fromkeys(_COUNTED, 0)
        self.reasons: dict[str, int] = {}
        self.listed = 0
        self.links: list[CheckedLink] = []
        self.orphans: Sequence[Row] = ()
        self.orphans_in_all = 0
        self.same_titles: Sequence[Sequence[Row]] = ()

    def count(self, verdict: LinkVerdict) -> None:
        """Count a link."""
        self.counts[verdict.state] += 1
        self.counts[MOVED] += verdict.moved

    @property
    def total(self) -> int:
        """How many links there are."""
        return sum(self.counts[state] for state in STATES)

    @property
    def share(self) -> float:
        """The share of links that lead somewhere, from 0 to 1; 1 where there are none."""
        return 1 - self.counts[BROKEN] / self.total if self.total else 1.0


def check_links(store: Store, state: str | None = None, limit: int | None = None) -> LinkReport:
    """Check every link."""
    if state is not None and state not in CHOICES:
        raise UsageError(f"{state!r} is no state", remedy="one of " + ", ".join(CHOICES))
    store.require_index(scan=True)
    with store.index.view() as view:
        report = LinkReport(view.label_first)
        judge = Judge(store, view)
        for one in _judge_all(store, view, judge):
            verdict = one.verdict
            report.count(verdict)
            if not verdict.reason:
                continue
            report.reasons[verdict.reason] = report.reasons.get(verdict.reason, 0) + 1
            if state is None or state in verdict.listed_as:
                report.listed += 1
                if limit is None or len(report.links) < limit:
                    report.links.append(one)
        if state in (None, ORPHANS):
            report.orphans, report.orphans_in_all = list_orphans(view, limit)
        if state is None:
            report.same_titles = list_same_titles(view, limit)
    return report


def count_links(store: Store, places: Iterable[Locator] | None = None) -> dict[str, int]:
    """Count the links of the notes at some places, or of all, by state, as `check_links` does.
    Raises IndexUnavailableError."""
    store.require_index(scan=places is None)
    with store.index.view() as view:
        report = LinkReport(view.label_first)
        for one in _judge_all(store, view, Judge(store, view), places):
            report.count(one.verdict)
    return report.counts


def _judge_all(
    store: Store, view: IndexView, judge: Judge, places: Iterable[Locator] | None = None
) -> Iterator[CheckedLink]:
    unread = set(unread_places(store))
    known = (Locator(place) for place, *_ in store.index.stamps())
    for locator in sorted(known if places is None else places):
        number = None if locator in unread else view.number(locator)
        row = None if number is None else view.rows([number]).get(number)
        # The links in a proposal are quotes from its targets.
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
    """Check the links of one note: the `written` ones of the index (None where it could not read
    the note), and links to own headings, which the index lacks."""
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


class _Lines:
    """Finds the lines of a note's file in which its links stand, counted from 1."""

    def __init__(self, note: Note, locator: Locator) -> None:
        self._note = note
        self._is_record = split_ending(locator)[1] != ".md"
        self._before = (note.head + note.front + note.fence).count("\n") + 1
        self._breaks: list[int] | None = None

    def of(self, written: Written, links: Sequence[Link]) -> int:
        """Return the line of a reference, 0 where its file does not have it."""
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
        """Return the line of a character of the body."""
        if self._is_record:
            return 0
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self._note.body)]
        return self._before + bisect_left(self._breaks, offset)


def list_orphans(view: IndexView, limit: int | None) -> tuple[list[Row], int]:
    """List live, active entries without any link to or from them, by place, at most `limit`; and
    their number."""
    found = view.orphans()
    shown = found[:limit]
    rows = view.rows(shown)
    return [rows[number] for number in shown if number in rows], len(found)


def list_same_titles(view: IndexView, limit: int | None) -> list[list[Row]]:
    """List groups of live, active entries that share a title, at most `limit` groups."""
    return list(islice(_sharing(view), limit))


def _sharing(view: IndexView) -> Iterator[list[Row]]:
    for key, named in groupby(view.names(), key=lambda name: name[0]):
        numbers = [number for _, number in named]
        if len(numbers) > 1:
            rows = view.rows(numbers)
            titled = [row for _, row in sorted(rows.items()) if link_key(row.title) == key]
            if len(titled) > 1:
                yield sorted(titled, key=lambda row: row.locator)
