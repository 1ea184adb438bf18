"""Values of the verbs as text for a person at a terminal."""

from __future__ import annotations

from engrain.language.text.instants import format_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from engrain.engine.core.outcomes import Outcome, Recalled
    from engrain.engine.verbs.listing import Listing

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
"""Characters of a path of headings that are shown."""
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
    from engrain.language.text.lines import shorten  # hooks hardly ever cut anything

    return shorten(line, length + 2)  # with the mark


def counted(count: int, what: str, several: str = "") -> str:
    """So many of something; `several` is its plural where an s does not make it."""
    return f"{count} {what}" if count == 1 else f"{count} {several or what + 's'}"


def cite_place(found: Recalled) -> str:
    """What was found and where in it: `Title > Heading`."""
    parts = (found.row.title, excerpt(found.heading, _HEADINGS) if found.heading else "")
    return " > ".join(clean_line(part) for part in parts if part)


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


def fact_lines(facts: Mapping[str, object], style: Style, width: int = 9) -> Iterator[str]:
    """Values with their names before them, in a column; without those that are empty."""
    for name, value in facts.items():
        if value:
            yield f"{style('dim', f'{name:<{width}}')}{clean_line(str(value))}"


def some_lines(lines: Iterable[str], most: int, more: str) -> Iterator[str]:
    """So many lines at most; `more` is the last line where there are others, `{}` their number."""
    left = 0
    for number, line in enumerate(lines):
        if number < most:
            yield line
        else:
            left += 1
    if left:
        yield more.format(left)


def report_lines(pairs: Iterable[tuple[str, str]], style: Style, left: str) -> Iterator[str]:
    """Places, each with why it was left out."""
    for place, why in pairs:
        yield style("warning", f"{left}: {clean(place)}: {clean_line(why)}")
