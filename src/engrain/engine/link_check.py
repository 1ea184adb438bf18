"""`links check`: every link of a vault by state, and why it is not resolved (S1.11).

Notes are read one at a time, in the order of their places. What is kept is what is told, and the
names of the files that are no notes.
"""

from __future__ import annotations

from engrain.engine.link_judging import IN_CODE, LISTED, MOVED, Judge, refer
from engrain.engine.orphans import list_orphans, list_same_titles
from engrain.model.anchors import Anchors
from engrain.model.errors import EngrainError, UsageError
from engrain.model.links import quoted_links, read_links
from engrain.model.parsing import parse_note
from engrain.model.tiers import split_ending
from engrain.seam.graph import BROKEN, FIELD, STATES, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.engine.link_judging import Verdict
    from engrain.engine.store import Store
    from engrain.model.links import Link
    from engrain.model.note import Note
    from engrain.seam.graph import Reference, Written
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Row
    from engrain.seam.view import IndexView

ORPHANS = "orphans"
CHOICES = (*LISTED, ORPHANS)
"""What may be asked for alone."""
_COUNTED = (*STATES, MOVED, IN_CODE, "personal")


class CheckedLink:
    """A link that is told: where it stands, what it says, and the `verdict` on it."""

    __slots__ = ("line", "reference", "source", "verdict")

    def __init__(self, source: Row, line: int, reference: Reference, verdict: Verdict) -> None:
        self.source = source
        self.line = line
        self.reference = reference
        self.verdict = verdict


class LinkReport:
    """What the check found. `counts` has every link of the vault by state; how many of the resolved
    are `moved`; what stands in code and names no note; and links to the operator's own notes.
    `reasons` says why those are told that are, `listed` how many, and `links` has them."""

    __slots__ = (
        "counts", "label_first", "links", "listed", "orphans", "orphans_in_all", "reasons",
        "same_titles",
    )  # fmt: skip

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
        """The share of links that lead somewhere, in 0..1; 1 where there are none."""
        return 1 - self.counts[BROKEN] / self.total if self.total else 1.0


def check_links(
    store: Store, state: str | None = None, limit: int | None = None, *, quoted: bool = False
) -> LinkReport:
    """Look at every link. Told are those of one of CHOICES, or all that are not simply resolved; of
    each kind `limit` at most. With `quoted` what stands in code and names no note is told too.

    Raises UsageError, IndexUnavailableError.
    """
    if state is not None and state not in CHOICES:
        raise UsageError(f"{state!r} is no state", remedy="one of " + ", ".join(CHOICES))
    store.require_index(scan=True)
    with store.index.view() as view:
        report = LinkReport(view.label_first)
        judge = Judge(store, view)
        for row, line, reference, verdict in _judge_all(store, view, judge):
            report.counts[verdict.state] += 1
            report.counts[MOVED] += verdict.moved
            if not verdict.reason:
                continue
            report.reasons[verdict.reason] = report.reasons.get(verdict.reason, 0) + 1
            if state in verdict.listed_as if state else quoted or verdict.state != IN_CODE:
                report.listed += 1
                if limit is None or len(report.links) < limit:
                    report.links.append(CheckedLink(row, line, reference, verdict))
        judge.settle((link.verdict for link in report.links), report.reasons)
        if state in (None, ORPHANS):
            report.orphans, report.orphans_in_all = list_orphans(view, limit)
        if state is None:
            report.same_titles = list_same_titles(view, limit)
    return report


def _judge_all(
    store: Store, view: IndexView, judge: Judge
) -> Iterator[tuple[Row, int, Reference, Verdict]]:
    for locator in sorted(place for place, *_ in store.index.stamps()):
        number = view.number(locator)
        row = None if number is None else view.rows([number]).get(number)
        if number is None or row is None or not row.primary or row.status == "deleted":
            continue
        try:
            note = parse_note(store.backend.read(row.locator).raw, locator)
        except EngrainError:
            continue  # gone since, or broken: `doctor` tells of it
        yield from _judge_note(view, judge, number, row, note)


def _judge_note(
    view: IndexView, judge: Judge, number: int, row: Row, note: Note
) -> Iterator[tuple[Row, int, Reference, Verdict]]:
    written = [one for one in view.links_of(number) if one.reference.origin in (TEXT, FIELD)]
    links = list(read_links(note.body))
    lines = _Lines(note, row.locator)
    places = [link for link in links if link.target]
    for one in written:
        verdict = judge.judge(row, one)
        line = 0
        if verdict.reason:
            line = lines.of(one, places)
        yield row, line, one.reference, verdict
    own = [link for link in links if not link.target]
    anchors = Anchors(note.body if own else "")
    for link in own:
        yield row, lines.at(link.offset), refer(link), judge.judge_own(link, anchors)
    for link in quoted_links(note.body):
        yield row, lines.at(link.offset), refer(link), judge.judge_quoted(link)


class _Lines:
    """Finds the lines of a note's file in which its links stand, counted from 1."""

    __slots__ = ("_before", "_is_record", "_note")

    def __init__(self, note: Note, locator: Locator) -> None:
        self._note = note
        self._is_record = split_ending(locator)[1] != ".md"
        self._before = (note.head + note.front + note.fence).count("\n") + 1

    def of(self, written: Written, links: Sequence[Link]) -> int:
        """The line of a reference, 0 where its file does not have it as it is."""
        said = written.reference
        if self._is_record:
            return 0
        if said.origin == FIELD:
            found = self._note.front.find(said.target)
            return (self._note.head + self._note.front[:found]).count("\n") + 1 if found >= 0 else 0
        near = links[written.place : written.place + 1]
        for link in (*near, *links):
            if link.target == said.target and (link.label or "") == said.label:
                return self.at(link.offset)
        return 0

    def at(self, offset: int) -> int:
        """The line of a character of the body."""
        return 0 if self._is_record else self._before + self._note.body.count("\n", 0, offset)
