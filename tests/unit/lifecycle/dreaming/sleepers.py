"""A vault with something of each kind for a dream to find, written as files at once."""

from __future__ import annotations

from pathlib import Path

from engrain.model.instants import format_instant
from support.vaults import START

DAY = 86_400.0
COPIES = 24
TAGGED = 12
_PARTS = (
    ("the invoice exporter", "writes one file per tenant", "and signs each with the tenant's key"),
    ("the mail relay", "retries a bounced message twice", "then parks it for a person to look at"),
    ("the image resizer", "keeps originals in cold storage", "because crops are made on demand"),
    ("the search cluster", "is rebuilt from snapshots", "whenever a mapping is altered"),
    ("the login page", "throttles by address", "after a storm of wrong passwords"),
    ("the report builder", "streams rows", "since a whole table never fits in memory"),
)


def fill(vault: Path, *, copies: int = COPIES) -> None:
    """Copies, tags in two forms, a note in the wrong folder, an empty one, and what three say."""
    for number in range(copies):
        who, what, why = _PARTS[number % len(_PARTS)]
        text = f"In region {number}, {who} {what} {why}. Ticket {1000 + number} tells the rest."
        for twin in "ab":
            write(vault, f"Memory/fix/region-{number:03}-{twin}.md", f"Region {number}", text)
    for number in range(TAGGED):
        tag = "Postgres" if number < 3 else "postgres"
        write(
            vault,
            f"Memory/workflow/tagged-{number:02}.md",
            f"Errand {number}",
            f"Errand number {number} is run by the person on duty in room {number}.",
            kind="workflow",
            tags=[tag],
        )
    write(vault, "Memory/fix/astray.md", "Astray", "It was decided by all.", kind="decision")
    write(vault, "Memory/fix/empty.md", "Empty", "", at=START - 90 * DAY)
    for number, lead in enumerate(("While deploying", "At the retrospective", "During an outage")):
        text = f"{lead} we saw it once more. {WITNESSED} Lunch was noodles number {number}."
        write(vault, f"Memory/fix/witness-{number}.md", f"Witness {number}", text, ref=f"s{number}")


WITNESSED = "The connection pooler drops prepared statements after a failover."


def write(
    vault: Path,
    place: str,
    title: str,
    text: str,
    *,
    kind: str = "fix",
    tags: list[str] | None = None,
    at: float = START - 40 * DAY,
    ref: str = "",
    id_: str = "",
    trust: str = "agent",
) -> str:
    """A note as a file; its id."""
    id_ = id_ or "id-" + place.rpartition("/")[2].removesuffix(".md")
    lines = [
        "---",
        f"id: {id_}",
        f"kind: {kind}",
        "status: active",
        f"created: {format_instant(at)}",
        f"updated: {format_instant(at)}",
        *([f"tags: [{', '.join(tags)}]"] if tags else []),
        f"source: {{kind: session, {f'ref: {ref}, ' if ref else ''}trust: {trust}}}",
        "---",
        f"# {title}",
        text,
    ]
    path = vault / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return id_
