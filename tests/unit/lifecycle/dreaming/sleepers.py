"""A vault with something of each kind for a dream to find, written as files at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engrain import Memory
from engrain.engine.core.store import Actor
from engrain.language.text.instants import format_instant
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from support.vaults import START

DAY = 86_400.0
COPIES = 24
_PARTS = (
    ("the invoice exporter", "writes one file per tenant", "and signs each with the tenant's key"),
    ("the mail relay", "retries a bounced message twice", "then parks it for a person to look at"),
    ("the image resizer", "keeps originals in cold storage", "because crops are made on demand"),
    ("the search cluster", "is rebuilt from snapshots", "whenever a mapping is altered"),
    ("the login page", "throttles by address", "after a storm of wrong passwords"),
    ("the report builder", "streams rows", "since a whole table never fits in memory"),
)


MENTION = "While the deploy ran, the nightly ledger backup failed once more."
_OTHERS = (
    ("Memory/fix/plan.md", "Plan for the harbour", "The crane is painted first."),
    ("Memory/fix/plan-b.md", "Harbour in autumn", "The quay comes first.", "supersedes: id-plan"),
    ("Memory/fix/backup.md", "Nightly ledger backup", "It copies every book before dawn."),
    ("Memory/fix/deploy.md", "Deploy of last week", MENTION),
)


def fill(memory: Memory, *, copies: int = COPIES) -> None:
    """Copies, a replaced version that still stands, and a missing link."""
    notes: list[tuple[str, str]] = []
    for number in range(copies):
        who, what, why = _PARTS[number % len(_PARTS)]
        text = f"In region {number}, {who} {what} {why}. Ticket {1000 + number} tells the rest."
        for twin in "ab":
            place = f"Memory/fix/region-{number:03}-{twin}.md"
            notes.append((place, compose(place, f"Region {number}", text)))
    notes += [
        (place, compose(place, title, text, more=more)) for place, title, text, *more in _OTHERS
    ]
    put_all(memory, notes)


def put(
    memory: Memory, place: str, title: str, text: str, *, by: str = "agent", **said: Any
) -> str:
    """A note by an actor of that trust, in a recorded change; its id."""
    put_all(memory, [(place, compose(place, title, text, **said))], by=by)
    return id_of(place)


def put_all(memory: Memory, notes: Sequence[tuple[str, str]], *, by: str = "agent") -> None:
    store = memory._open_store()
    writes = [Write(Locator(place), text.encode(), id_of(place)) for place, text in notes]
    store.commit("save", writes, actor=Actor("", by))


def compose(
    place: str,
    title: str,
    text: str,
    *,
    kind: str = "fix",
    tags: Sequence[str] = (),
    at: float = START - 40 * DAY,
    ref: str = "",
    more: Sequence[str] = (),
) -> str:
    """A note as it stands in a file; `more` are lines of its frontmatter."""
    lines = [
        "---",
        f"id: {id_of(place)}",
        f"kind: {kind}",
        "status: active",
        f"created: {format_instant(at)}",
        f"updated: {format_instant(at)}",
        *([f"tags: [{', '.join(tags)}]"] if tags else []),
        *([f"source: {{kind: session, ref: {ref}}}"] if ref else []),
        *more,
        "---",
        f"# {title}",
        text,
    ]
    return "\n".join(lines) + "\n"


def id_of(place: str) -> str:
    """The id of the note at a place."""
    return "id-" + place.rpartition("/")[2].removesuffix(".md")
