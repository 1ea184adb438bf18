"""Values of the verbs as text for a person at a terminal."""

from __future__ import annotations

from engrain.engine.core.outcomes import TaskRecall
from engrain.language.text.instants import format_instant
from engrain.model.note.tiers import PERSONAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from engrain.engine.core.outcomes import (
        Imported,
        Listing,
        Outcome,
        Recall,
        Recalled,
        Shown,
        Undone,
    )
    from engrain.engine.history.devices import Attestation
    from engrain.seam.rows import Row
    from engrain.seam.search import Change

Style: TypeAlias = "Callable[[str, str], str]"
"""Paints a text: (what it is, text) -> text, coloured on a terminal."""

# Control characters but tab and line end; marks that hide, or turn text around; other line ends.
_UNSEEN = dict.fromkeys(
    (
        *range(9),
        *range(11, 32),
        *range(0x7F, 0xA0),
        0x61C,
        *range(0x200B, 0x2010),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        0x180E,
        0xFEFF,
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),
    )
)
EXCERPT = 320
_HEADINGS = 120
"""Characters of a path of headings that are told."""
RELEVANT, AVOID, SKILLS = "Relevant", "Mistakes to avoid", "Applicable skills"
"""The parts of what is known before a task."""


def clean(text: str) -> str:
    """Vault text is untrusted: without control characters it can't drive a terminal, and without
    bidirectional and zero-width marks no line reads as what it is not."""
    return text.translate(_UNSEEN)


def clean_line(text: str) -> str:
    """The same on one line: a title must not look like the next entry."""
    return " ".join(clean(text).split())


def day_of(at: float | None) -> str:
    """The date of an instant, in UTC."""
    return "undated" if at is None else format_instant(at)[:10]


def excerpt(text: str, length: int = EXCERPT) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = clean_line(text)
    if len(line) <= length:
        return line
    # Text of a script without spaces, or a long URL, is cut where the room ends.
    return (line[:length].rpartition(" ")[0] or line[:length]) + " …"


def counted(count: int, what: str, several: str = "") -> str:
    """So many of something; `several` is its plural where an s does not make it."""
    return f"{count} {what}" if count == 1 else f"{count} {several or what + 's'}"


def cite_place(found: Recalled) -> str:
    """What was found and where in it: `Title > Heading`."""
    parts = (found.row.title, excerpt(found.heading, _HEADINGS) if found.heading else "")
    return " > ".join(clean_line(part) for part in parts if part)


def recall_lines(recall: Recall, style: Style, full: bool) -> Iterator[str]:
    if isinstance(recall, TaskRecall):
        yield from _task_lines(recall, style, full)
    else:
        for number, found in enumerate(recall.results, 1):
            yield from _entry_lines(found, number, style, full)
    yield from _silence_lines(recall)
    for number, found in enumerate(recall.nearest, 1):
        yield from _entry_lines(found, number, style, full)
    if recall.over_budget:
        yield style("dim", f"{recall.over_budget} more did not fit the budget: raise --budget.")
    if recall.degraded:
        yield style("warning", f"Answered by reading every file: {recall.degraded}.")


def _task_lines(recall: TaskRecall, style: Style, full: bool) -> Iterator[str]:
    """Each part under its heading; a skill that is among the results is told there."""
    parts = {RELEVANT: recall.results, AVOID: recall.avoid_these, SKILLS: recall.applicable_skills}
    numbers: dict[str, int] = {}
    for heading, part in parts.items():
        if part:
            yield style("title", heading)
        again = [found for found in part if found.row.id in numbers]
        for found in again:
            yield f"   {clean_line(found.row.title)}: see {numbers[found.row.id]}"
        if again:
            yield ""
        for found in part:
            if found.row.id not in numbers:
                numbers[found.row.id] = len(numbers) + 1
                yield from _entry_lines(found, len(numbers), style, full)


def _entry_lines(found: Recalled, number: int, style: Style, full: bool) -> Iterator[str]:
    row = found.row
    yield f"{number}. {style('title', cite_place(found))}  {style('dim', _facts(row))}"
    yield style("dim", f"   {clean_line(row.id)}  {clean(row.locator)}")
    if found.asking:
        yield style("warning", f"   {found.asking}")
    if found.contradicts:
        yield style(
            "warning", f"   contradicted by {', '.join(map(clean_line, found.contradicts))}"
        )
    if found.part:
        yield style("dim", "   a part of it: `engrain show` has the whole")
    body = clean(found.text) if full else excerpt(found.text)
    for line in body.splitlines():
        yield f"   {line}"
    yield ""


def _silence_lines(recall: Recall) -> Iterator[str]:
    """Why there is nothing: a search that found nothing is not one that could not be made."""
    if recall.rejected:
        yield "Nothing in memory is about this."
        yield (
            f"{recall.withheld} of its entries come near, but not enough"
            f" (relevance {recall.relevance:.2f}): --profile deep shows them all the same."
        )
        if recall.nearest:
            yield "The nearest:"
            yield ""
    elif recall.exhausted:
        yield "This session has been given all that one gets: session.limit says how much."
    elif not recall.given and not recall.over_budget:
        yield "Nothing in memory matches."
        if recall.elsewhere:
            yield f"In other projects {recall.elsewhere} do: add --all-projects."


def elsewhere_lines(count: int) -> Iterator[str]:
    """A hint behind an empty list: how many entries only the project kept out of it."""
    if count:
        verb = "is" if count == 1 else "are"
        yield f"In other projects there {verb} {count}: add --all-projects."


def listing_lines(listing: Listing, style: Style) -> Iterator[str]:
    for row in listing.rows:
        day = format_instant(row.created)[:10] if row.created is not None else "-" * 10
        state = "" if row.status == "active" else f" [{row.status}]"
        facts = f"{day}  {clean_line(row.kind):<16} {clean_line(row.title)}"
        yield f"{style('dim', clean_line(row.id))}  {facts}{state}"
    shown = len(listing.rows)
    yield style(
        "dim", f"{shown} of {listing.total}" if shown < listing.total else f"{shown} in all"
    )


def outcome_lines(outcome: Outcome, style: Style) -> Iterator[str]:
    yield f"{outcome.outcome}  {style('title', clean_line(outcome.title))}"
    yield style("dim", f"  {clean_line(outcome.id)}  {clean(outcome.locator)}")
    for name, (value, tier) in outcome.decided.items():
        if value:
            yield style("dim", f"  {name}: {clean_line(value)} (by {tier})")
    if outcome.outcome == "created" and outcome.other:
        yield style("dim", f"  supersedes {outcome.other}, which is in the archive now")
    for id_ in outcome.proposals:
        yield f"  both are recalled, since the other is more trusted; proposed as {id_}"
    if outcome.outcome == "similar":
        yield f"  another entry of this name is there already: {clean_line(outcome.other or '')}"
    if outcome.redacted:
        rules = ", ".join(outcome.redacted)
        yield style("warning", f"  redacted: {rules}; set redact = off to keep such text")


def shown_lines(shown: Shown, style: Style) -> Iterator[str]:
    entry = shown.entry
    yield style("title", clean_line(entry.title))
    facts = {
        "id": entry.id,
        "path": shown.locator,
        "hash": entry.hash,
        "kind": entry.kind,
        "status": entry.status + (", but superseded by another entry" if shown.replaced else ""),
        "project": entry.project,
        "tags": ", ".join(entry.tags),
        "created": entry.created and format_instant(entry.created),
        "origin": shown.origin + ("" if shown.attested else ", not attested"),
        "supersedes": entry.supersedes,
    }
    for name, value in facts.items():
        if value:
            yield f"{style('dim', f'{name:<11}')}{clean_line(str(value))}"
    for other in shown.contradicts:
        told = f"contradicted by {clean_line(other.id)} {clean_line(other.title)}"
        yield style("warning", f"{told}: unresolved")
    yield ""
    yield from clean(entry.text).splitlines()
    if shown.links_from or shown.links_to:
        yield ""
    for target, relation, row in shown.links_from:
        end = clean_line(row.title) if row else _unresolved(target, style)
        yield f"-> {clean_line(target)}{f' ({clean_line(relation)})' if relation else ''}: {end}"
    for row, relation in shown.links_to:
        yield f"<- {clean_line(row.title)}{f' ({clean_line(relation)})' if relation else ''}"


def _unresolved(target: str, style: Style) -> str:
    """What stands for the title at a link's end that is no entry."""
    if target.startswith(PERSONAL):
        return style("dim", "a note of the operator's own")
    return style("warning", "not found")


def change_lines(changes: Sequence[Change], style: Style) -> Iterator[str]:
    for change in changes:
        by = f" by {clean_line(change.agent)}" if change.agent else ""
        what = f" of {clean_line(change.undoes)}" if change.undoes else ""
        place = change.locator or "(erased)"
        if change.files > 1:
            place = counted(change.files, "file")
        yield (
            f"{style('title', clean_line(change.change))}  {format_instant(change.at)}  "
            f"{clean_line(change.op)}{what}{by}  {style('dim', clean(place))}"
        )
        if change.reason:
            yield style("dim", f"  {clean_line(change.reason)}")
    if not changes:
        yield "No changes yet."


def attestation_lines(found: Attestation, style: Style) -> Iterator[str]:
    key = "has the vault's key" if found.has_key else "does not have the vault's key"
    yield f"this device, {style('title', found.device)}, {key}"
    for chain in found.chains:
        share = f"{chain.attested} of {chain.links} changes attested"
        wrong = style("bad", f"; {clean_line(chain.wrong)}") if chain.wrong else ""
        yield f"  {clean_line(chain.device)}: {share}{wrong}"
    left = ", ".join(f"{count} in {tier}" for tier, count in found.unattested.items())
    yield f"active entries that no record attests: {left}"


_NAMED = 20
"""So many entries are named on one line; of more only the number is told."""


def undone_lines(undone: Undone, style: Style) -> Iterator[str]:
    entries = ", ".join(map(clean_line, undone.entries))
    if len(undone.entries) > _NAMED:
        entries = f"{len(undone.entries)} entries"
    yield f"undone {undone.undone} by {undone.change}: {entries}"
    for change in undone.erased:
        yield style("warning", f"left: {clean_line(change)}, whose bytes were erased")
    if undone.derived:
        what = "taken back with it" if undone.cascaded else "derived from it, and still there"
        yield f"{what}:"
    for row in undone.derived:
        yield f"  {clean_line(row.title)}  {style('dim', clean_line(row.id))}"
    if undone.derived and not undone.cascaded:
        yield style("dim", f"`engrain undo {undone.change}`, then undo with --cascade to take all")


def import_lines(imported: Imported, style: Style) -> Iterator[str]:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in imported.counts.items())
    yield counts or "nothing to import"
    for what, count in sorted(imported.tiers.items()):
        yield style("dim", f"  {what}: {count}")
    if imported.links:
        good = imported.links - imported.broken
        yield f"{imported.links} links, {good} resolve, {imported.broken} do not"
    if imported.redacted:
        files = counted(imported.redacted, "file")
        yield style("warning", f"redacted: secrets in {files}; set redact = off to keep such text")
    for path, id_ in imported.deleted:
        yield style("warning", f"stays deleted: {clean(path)} ({clean_line(id_)})")
    for path, message in imported.problems:
        yield style("warning", f"left out: {clean(path)}: {clean_line(message)}")


def _facts(row: Row) -> str:
    parts = [
        clean_line(row.kind),
        day_of(row.created),
        f"{clean_line(row.source)} said",
        f"{row.score:.2f}",
    ]
    if row.status != "active":
        parts.insert(0, row.status)
    return "(" + ", ".join(parts) + ")"
