"""Values of the verbs as plain data, for JSON and for other ways in."""

from __future__ import annotations

from engrain.adapters.present.text import clean
from engrain.engine.core.outcomes import TaskRecall
from engrain.language.text.instants import format_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from engrain.engine.core.outcomes import Outcome, Recall, Recalled
    from engrain.engine.history.verification import ChainReport
    from engrain.engine.verbs.listing import Listing
    from engrain.seam.rows import Row

Data: TypeAlias = "dict[str, object]"


def envelope(command: str, data: Mapping[str, object] | None, error: Data | None = None) -> Data:
    """The one shape of every `--json` answer."""
    return {"ok": error is None, "command": command, "data": data, "error": error}


def fields(value: object, names: str) -> Data:
    """Attributes of a value as plain data, by a table of words: `name`, or `key=name` under another
    key, or `key=part.name` of a part. Behind it `?` gives None for what is empty, `@` an instant as
    text, `#` how many there are, `~` text without control characters."""
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


def describe_outcome(outcome: Outcome) -> Data:
    data = fields(outcome, "id path=locator hash outcome kind title")
    if outcome.decided:
        data["detected"] = {
            name: {"value": value, "by": tier} for name, (value, tier) in outcome.decided.items()
        }
    if outcome.other:
        data["other"] = outcome.other
    if outcome.redacted:
        data["redacted"] = list(outcome.redacted)
    if outcome.proposals:
        data["proposals"] = list(outcome.proposals)
    return data


def describe_task(recall: Recall) -> Data:
    """What the recall before a task has besides, each entry in one line (S2.10); nothing of any
    other."""
    if not isinstance(recall, TaskRecall):
        return {}
    parts = {
        "relevant_patterns": recall.relevant_patterns,
        "avoid_these": recall.avoid_these,
        "applicable_skills": recall.applicable_skills,
    }
    return {name: [_summarise(found) for found in part] for name, part in parts.items()}


def _summarise(found: Recalled) -> Data:
    from engrain.engine.recall.excerpts import summarise

    return {"id": found.row.id, "kind": found.row.kind, "summary": summarise(found)}


def describe_row(row: Row) -> Data:
    names = "id path=locator kind title status project tier tags source attested"
    return fields(row, f"{names} created@ updated@ hash")


def describe_listing(listing: Listing, since: Mapping[str, int] | None = None) -> Data:
    """Entries by filter; `since` has, by id, the sessions since each was recalled."""
    results = [
        describe_row(row) | ({} if since is None else {"sessions_since_recall": since[row.id]})
        for row in listing.rows
    ]
    return {"results": results, "total": listing.total}


def describe_chains(reports: Sequence[ChainReport]) -> Data:
    names = "device changes=links attested erased cancelled first wrong"
    return {
        "sound": not any(report.wrong for report in reports),
        "devices": [fields(report, names) for report in reports],
    }


def describe_pairs(pairs: Iterable[tuple[str, str]], reason: str = "message") -> list[Data]:
    """Paths, each with what there is to say of it."""
    return [{"path": path, reason: why} for path, why in pairs]


def instant_of(at: float | None) -> str | None:
    """An instant as text, None for None."""
    return None if at is None else format_instant(at)


_MAKERS: dict[str, Callable[[Any], object]] = {
    "?": lambda found: found or None,
    "@": instant_of,
    "#": len,
    "~": clean,
}
