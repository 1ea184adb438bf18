"""`engrain links`: check the links between notes."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command, one_of
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import bold, clean, clean_line, style
from engrain.api.memory import Memory
from engrain.engine.links.checking import CHOICES, CheckedLink, LinkReport
from engrain.model.errors import UsageError
from engrain.seam.rows import AMBIGUOUS, BROKEN, RESOLVED

_SHOWN = 50
"""So many links, orphans and shared titles are listed at most where no --limit says otherwise; a
program gets all."""
_ROW = "id path=locator title"
_LINK = (
    "source=place id line target=reference.target label=reference.label heading=reference.heading"
    " relation=reference.relation state=verdict.state reason=verdict.reason"
)
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
    "unreadable": "a note that can't be read (`engrain doctor`)",
}


def _check_args(args: Arguments) -> None:
    if args.limit is not None and args.limit < 0:
        raise UsageError(f"a limit of {args.limit} makes no sense")


def _check(memory: Memory, args: Arguments) -> Answer:
    limit = args.limit
    if limit is None and not args.console.as_json:
        limit = _SHOWN
    report = memory.links.check(args.state, limit)
    code = bool(args.strict and report.counts[BROKEN])
    return _describe(report), _lines(report), code


def _describe(report: LinkReport) -> Data:
    return {
        "links_in_all": report.total,
        **report.counts,
        **fields(report, "share%"),
        "order": _ORDERS[report.label_first],
        "reasons": dict(sorted(report.reasons.items())),
        "listed": report.listed,
        "links": [
            fields(link, _LINK) | {"candidates": list_fields(link.verdict.candidates, _ROW)}
            for link in report.links
        ],
        "orphans_in_all": report.orphans_in_all,
        "orphans": list_fields(report.orphans, _ROW),
        "same_titles": [
            {"title": rows[0].title, "entries": list_fields(rows, _ROW)}
            for rows in report.same_titles
        ],
    }


def _lines(report: LinkReport) -> Iterator[str]:
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
        said, where = link.reference, style("dim", f"{clean(link.place)}:{link.line}")
        heading = f"#{said.heading}" if said.heading else ""
        label = f"|{said.label}" if said.label else ""
        target = bold(f"[[{said.target}{heading}{label}]]")
        yield f"{where}  {target}  {_why(link)}"
    if len(report.links) < report.listed:
        yield style("dim", f"{len(report.links)} of {report.listed} listed: --limit N lists more")
    if report.orphans_in_all:
        yield f"orphans, notes without a link to or from another: {report.orphans_in_all}"
    for row in report.orphans:
        yield f"  {clean_line(row.title)}  {style('dim', clean(row.locator))}"
    for rows in report.same_titles:
        places = ", ".join(clean(row.locator) for row in rows)
        yield f"one title, {len(rows)} notes: {clean_line(rows[0].title)}  {style('dim', places)}"


def _why(link: CheckedLink) -> str:
    verdict = link.verdict
    why = WORDS[verdict.reason]
    places = [clean(row.locator) for row in verdict.candidates]
    if not places:
        return why
    others = f"; others: {', '.join(places[1:])}" if places[1:] else ""
    return f"{why}: {places[0]}{others}"


COMMAND = Command(
    {"check": _check},
    f"""
<check>        check: every link by state, with the reason where it is not resolved
--state {one_of(CHOICES)}  list only these
--limit N/int  list N at most
--strict       exit with 1 where a link is broken
$ engrain links check
$ engrain links check --state broken --json
$ engrain links check --state orphans --limit 20
$ engrain links check --strict
""",
    check=_check_args,
)
