"""What a check of links found, and renamings, as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.engine.links.checking import CheckedLink, LinkReport
from engrain.engine.links.renaming import Renamed
from engrain.seam.graph import AMBIGUOUS, BROKEN, RESOLVED, Reference
from engrain.seam.rows import Row

_ORDERS = ("target|label", "label|target")
WORDS = {
    "no-note": "no such note",
    "forgotten": "a forgotten note",
    "several": "several notes of that name",
    "no-heading": "no such heading in the note",
    "no-block": "no such ^block in the note",
    "no-file": "no such file",
    "moved": "at another path now",
    "placeholder": "a template's placeholder",
    "other-vault": "in another vault",
    "unreadable": "a note that can't be read (`engrain doctor`)",
    "in-code": "in code or a comment",
}
_MOST_CHANGED = 20


def describe_links(report: LinkReport) -> Data:
    counts = report.counts
    return {
        "links_in_all": report.total,
        **counts,
        "share": round(report.share, 4),
        "order": _ORDERS[report.label_first],
        "reasons": dict(sorted(report.reasons.items())),
        "listed": report.listed,
        "links": [_describe_link(link) for link in report.links],
        "orphans_in_all": report.orphans_in_all,
        "orphans": [_describe_row(row) for row in report.orphans],
        "same_titles": [
            {"title": rows[0].title, "entries": [_describe_row(row) for row in rows]}
            for rows in report.same_titles
        ],
    }


def link_lines(report: LinkReport, style: Style) -> Iterator[str]:
    counts = report.counts
    yield (
        f"{report.total} links: {counts[RESOLVED]} resolved, {counts[AMBIGUOUS]} ambiguous,"
        f" {counts[BROKEN]} broken; {report.share:.1%} lead to a note"
    )
    yield style("dim", f"written [[{_ORDERS[report.label_first]}]]")
    if report.reasons:
        by_count = sorted(report.reasons.items(), key=lambda item: (-item[1], item[0]))
        yield style("dim", ", ".join(f"{count} {WORDS[reason]}" for reason, count in by_count))
    for link in report.links:
        where = f"{clean(link.place)}:{link.line}"
        yield f"{style('dim', where)}  {style('title', _told(link.reference))}  {_why(link)}"
    if len(report.links) < report.listed:
        yield style("dim", f"{len(report.links)} of {report.listed} listed: --limit N lists more")
    if report.orphans_in_all:
        yield f"orphans, which no link joins to another note: {report.orphans_in_all}"
    for row in report.orphans:
        yield f"  {clean_line(row.title)}  {style('dim', clean(row.locator))}"
    for rows in report.same_titles:
        places = ", ".join(clean(row.locator) for row in rows)
        yield f"one title, {len(rows)} notes: {clean_line(rows[0].title)}  {style('dim', places)}"


def describe_renamed(renamed: Renamed) -> Data:
    return {
        "id": renamed.id,
        "title": renamed.title,
        "slug": renamed.slug,
        "path": renamed.locator,
        "before": {"title": renamed.old_title, "path": renamed.old_locator},
        "links": renamed.links,
        "changed": list(renamed.changed),
        "left": [{"path": path, "reason": why} for path, why in renamed.left],
        "changes": list(renamed.changes),
    }


def renamed_lines(renamed: Renamed, style: Style) -> Iterator[str]:
    said = "renamed" if renamed.changes or not renamed.changed else "would rename"
    yield f"{said} {clean_line(renamed.old_title)} to {style('title', clean_line(renamed.title))}"
    yield style("dim", f"  {clean(renamed.old_locator)} -> {clean(renamed.locator)}")
    yield f"  {renamed.links} links in {counted(len(renamed.changed), 'note')}"
    for path in renamed.changed[:_MOST_CHANGED]:
        yield style("dim", f"    {clean(path)}")
    if len(renamed.changed) > _MOST_CHANGED:
        yield style("dim", f"    and {len(renamed.changed) - _MOST_CHANGED} more")
    for path, why in renamed.left:
        yield style("warning", f"  left: {clean(path)}: {clean_line(why)}")
    for change in renamed.changes:
        yield style("dim", f"`engrain undo {change}` takes it back")


def _describe_link(link: CheckedLink) -> Data:
    said, verdict = link.reference, link.verdict
    return {
        "source": link.place,
        "id": link.id,
        "line": link.line,
        "target": said.target,
        "label": said.label,
        "heading": said.heading,
        "relation": said.relation,
        "state": verdict.state,
        "reason": verdict.reason,
        "candidates": [_describe_row(row) for row in verdict.candidates],
    }


def _describe_row(row: Row) -> Data:
    return {"id": row.id, "path": row.locator, "title": row.title}


def _told(said: Reference) -> str:
    heading = f"#{said.heading}" if said.heading else ""
    label = f"|{said.label}" if said.label else ""
    return clean_line(f"[[{said.target}{heading}{label}]]")


def _why(link: CheckedLink) -> str:
    verdict = link.verdict
    why = WORDS[verdict.reason]
    places = [clean(row.locator) for row in verdict.candidates]
    if not places:
        return why
    others = f"; others: {', '.join(places[1:])}" if places[1:] else ""
    return f"{why}: {places[0]}{others}"
