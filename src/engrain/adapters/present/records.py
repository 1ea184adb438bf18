"""Values of the verbs as plain data, for JSON and for other ways in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.adapters.present.text import clean, outcome_lines
from engrain.language.text.instants import format_instant, format_local

if TYPE_CHECKING:
    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.verbs.listing import Listing
    from engrain.seam.rows import Row


Data: TypeAlias = "dict[str, object]"


def envelope(command: str, data: Mapping[str, object] | None, error: Data | None = None) -> Data:
    """Return the one shape of every `--json` answer."""
    return {"ok": error is None, "command": command, "data": data, "error": error}


def fields(value: object, names: str) -> Data:
    """Return attributes of a value as plain data, by a table of words: `name`, `key=name` for
    another key, `key=part.name` for an attribute of a part. A suffix converts the value: `?` empty
    to None, `@` an instant to text, `#` to its length, `~` without control characters, `%` to four
    digits."""
    data: Data = {}
    for word in names.split():
        key, _, path = word.rpartition("=")
        make = _MAKERS.get(path[-1])
        path = path[:-1] if make else path
        found: Any = value
        for part in path.split("."):
            found = getattr(found, part)
        found = make(found) if make else found
        data[key or path] = list(found) if isinstance(found, tuple) else found
    return data


def list_fields(values: Iterable[object], names: str) -> list[Data]:
    """Return these attributes of each value, see `fields`."""
    return [fields(value, names) for value in values]


def describe_outcome(outcome: Outcome) -> Data:
    data = fields(outcome, "id path=locator hash outcome kind title")
    if outcome.decided:
        data["detected"] = {
            name: {"value": value, "by": tier} for name, (value, tier) in outcome.decided.items()
        }
    if outcome.other:
        data["other"] = outcome.other
    if outcome.like:
        data["like"] = describe_like(outcome.like)
    if outcome.redacted:
        data["redacted"] = list(outcome.redacted)
    if outcome.proposals:
        data["proposals"] = list(outcome.proposals)
    return data


def describe_like(like: Row) -> Data:
    """Return what is said of an older entry that a new one may replace."""
    return fields(like, "id title created@")


def answer_outcome(outcome: Outcome) -> tuple[Data, Iterable[str]]:
    """Return the answer of a command that wrote one entry."""
    return describe_outcome(outcome), outcome_lines(outcome)


def describe_row(row: Row) -> Data:
    names = "id path=locator kind title status project tier tags source attested"
    data = fields(row, f"{names} created@ updated@ hash")
    spans = {"valid_from": row.valid_from, "valid_to": row.valid_to}
    return data | {key: instant_of(at) for key, at in spans.items() if at is not None}


def describe_listing(listing: Listing, since: Mapping[str, int] | None = None) -> Data:
    """Return entries by filter; `since` has the sessions since the last recall of each, by id."""
    results = [
        describe_row(row) | ({} if since is None else {"sessions_since_recall": since[row.id]})
        for row in listing.rows
    ]
    return {"results": results, "total": listing.total}


def describe_pairs(pairs: Iterable[tuple[str, str]], reason: str = "message") -> list[Data]:
    """Return paths, each with what there is to say about it."""
    return [{"path": path, reason: why} for path, why in pairs]


def local_of(at: float | None) -> str | None:
    """Return an instant by this device's clock, for a person."""
    return None if at is None else format_local(at)


def instant_of(at: float | None) -> str | None:
    """Return an instant as text, None for None."""
    return None if at is None else format_instant(at)


_MAKERS: dict[str, Callable[[Any], object]] = {
    "?": lambda found: found or None,
    "@": instant_of,
    "#": len,
    "~": clean,
    "%": lambda found: None if found is None else round(found, 4),
}
