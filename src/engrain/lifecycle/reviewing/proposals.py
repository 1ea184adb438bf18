"""Reads proposals from their notes, and makes the diff that shows their effect (S1.17).

Anybody may have written the note, so one of a wrong form is no proposal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from re import findall

from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.instants import read_instant
from engrain.lifecycle.reviewing.actions import Preview, split_ids
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

KIND = "proposal"

ACCEPTED = "accepted"
REJECTED = "rejected"
STALE = "stale"
EXPIRED = "expired"
_SETTLED = (REJECTED, ACCEPTED)

_MOST_LINES = 400
_MAX_TITLE = 200
_PARTS = ("action", "target", "base")


@dataclass(slots=True, eq=False)
class Origin:
    """Where a proposal comes from: the `run` of a dream, the kind of finding, how sure that is
    (0 to 1), and the evidence as (id of an entry, words quoted from it)."""

    run: str
    finder: str
    score: float
    evidence: Sequence[tuple[str, str]] = ()

    def fields(self) -> dict[str, Value]:
        """Return the fields of a proposal's frontmatter."""
        score = round(self.score, 3)
        found: dict[str, Value] = {"run": self.run, "finder": self.finder, "score": score}
        if self.evidence:
            found["evidence"] = [
                {"entry": id_, "quote": quote_links(quote)} for id_, quote in self.evidence
            ]
        return found


class Proposal:
    """One proposal: an action on a target, and the hash (`base`) of what the target was.

    `hash` is that of its file. `decision` is "" while it is open. `source` is its origin and
    `attested` whether that is proven; `run` and `finder` name the dream it comes from and the kind
    of finding, "" for none; times are seconds since the epoch.
    """

    def __init__(self, row: Row, entry: Entry, parts: dict[str, str], now: float) -> None:
        fields = entry.fields
        self.id = entry.id
        self.hash = entry.hash
        self.path: Locator = row.locator
        self.title = entry.title
        self.action = parts["action"]
        self.target = parts["target"]
        self.base = parts["base"]
        self.reason = str(fields.get("reason") or "")
        self.status = entry.status
        self.source = row.source
        self.attested = row.attested
        self.created = entry.created
        self.expires = read_instant(fields.get("expires"))
        self.decided = read_instant(fields.get("decided"))
        self.decision = str(fields.get("decision") or "")
        self.text = entry.text
        self.run = text_of(fields.get("run"))
        self.finder = text_of(fields.get("finder"))
        score = fields.get("score")
        self.score = float(score) if isinstance(score, int | float) else None
        self.evidence = tuple(_read_evidence(fields.get("evidence")))
        if self.overdue_at(now):
            self.decision = EXPIRED

    @property
    def open(self) -> bool:
        """Whether it waits for the operator's decision."""
        return self.status == "proposed" and not self.decision

    @property
    def ids(self) -> tuple[str, ...]:
        """The entries that it is about."""
        return tuple(split_ids(self.target))

    @property
    def trusted(self) -> bool:
        """Whether it may be accepted unseen: not if it comes from outside."""
        return self.source != "external"

    def settles(self, base: str) -> bool:
        """Whether it was made for this state of its target, and is open or was decided."""
        return self.base == base and (self.open or self.decision in _SETTLED)

    def overdue_at(self, now: float) -> bool:
        """Whether its time has run out at `now`, and it is still open."""
        return self.status == "proposed" and self.expires is not None and self.expires <= now


@dataclass(slots=True, eq=False)
class Decision:
    """The decision about a proposal, or "" and the reason why there is none."""

    proposal: Proposal
    decision: str
    error: str = ""


def make_proposal(row: Row, entry: Entry, now: float) -> Proposal | None:
    """Read the proposal in an entry of the staging folder, None for another or a forgotten note."""
    found = entry.fields.get("proposal")
    if entry.kind != KIND or entry.status == "deleted" or not isinstance(found, dict):
        return None
    parts = {name: found.get(name) for name in _PARTS}
    texts = {name: value for name, value in parts.items() if isinstance(value, str) and value}
    return Proposal(row, entry, texts, now) if len(texts) == len(_PARTS) else None


def _read_evidence(value: object) -> Iterator[tuple[str, str]]:
    for item in value if isinstance(value, list) else ():
        found = object_of(item)
        id_, quote = found.get("entry"), found.get("quote")
        if isinstance(id_, str) and isinstance(quote, str):
            yield id_, quote


def compose_body(title: str, reason: str, previews: Sequence[Preview]) -> str:
    """Compose the body of a proposal's note: the reason, and the diff."""
    lines = [f"# {quote_links(shorten(title, _MAX_TITLE))}", reason.strip()]
    if diff := compose_diff(previews):
        # Longer than any run of backticks in it, so that nothing in it ends the block.
        runs = findall("`+", "\n".join(diff))
        mark = "`" * max(3, 1 + max(map(len, runs), default=0))
        lines += ["", f"{mark}diff", *diff, mark]
    return "\n".join(lines).rstrip() + "\n"


def compose_diff(previews: Sequence[Preview]) -> list[str]:
    """Return previews as the lines of a unified diff; a long one is cut, and says so."""
    lines: list[str] = []
    for before, old, after, new in previews:
        texts, names = (old.splitlines(), new.splitlines()), (before or "nothing", after)
        diff = list(unified_diff(*texts, *names, lineterm=""))
        if not diff and before != after:
            diff = [f"--- {before}", f"+++ {after}"]
        lines += diff
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"… {rest} more lines"]
    return lines
