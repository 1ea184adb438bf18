"""What the verbs answer: plain values, ready to be shown by any way in."""

from __future__ import annotations

from engrain.model.struct import Struct
from engrain.seam.locator import Locator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from dataclasses import KW_ONLY

    from engrain.engine.core.explanation import Explanation, Reasons
    from engrain.model.note.entry import Entry
    from engrain.seam.rows import Row

CREATED = "created"
UNCHANGED = "unchanged"
RESTORED = "restored"
SIMILAR = "similar"
UPDATED = "updated"
DELETED = "deleted"
TRUSTED = "trust changed"
STAYS_DELETED = "stays deleted"
KEPT = "kept"
LEFT_OUT = "left out"
"""What became of a document that an import met: it comes from another now; it was deleted here and
stays so; it changed there and here, and what is here stays; it can't be taken in."""
COPIED = "copied"
"""What became of a file beside the documents."""

SKILL = "procedural"
"""The kind of skills."""
UNCONFIRMED = "unconfirmed: ask before relying on it"
LIKELY = "likely"
CONFIRMED = 0.5
"""Confidence from which an agent need not ask."""
_ASKING = ((CONFIRMED, UNCONFIRMED), (0.8, LIKELY))
"""Below which confidence an entry is shown with which words; from the last on it is shown as known
(S1.22)."""


class Outcome:
    """What a write came to: `outcome` is one of the words above; `hash` is that of the file now.

    `decided` says, for what the caller left open, the value and the tier that decided it
    (S1.22). `other` is the entry an outcome refers to: the similar one, or the one superseded.
    `redacted` names the rules of the secrets that were replaced in what was given. `proposals` are
    the ids of proposals that were made because what was asked for is the operator's to decide.
    """

    __slots__ = (
        "decided", "hash", "id", "kind", "locator", "other", "outcome", "proposals", "redacted",
        "title",
    )  # fmt: skip

    def __init__(
        self,
        outcome: str,
        entry: Entry,
        *,
        decided: dict[str, tuple[str, str]] | None = None,
        other: str | None = None,
        redacted: tuple[str, ...] = (),
    ) -> None:
        self.outcome = outcome
        self.id = entry.id
        self.locator = Locator(entry.path)
        self.hash = entry.hash
        self.kind = entry.kind
        self.title = entry.title
        self.decided = decided or {}
        self.other = other
        self.redacted = redacted
        self.proposals: tuple[str, ...] = ()


def asking(confidence: float | None) -> str:
    """The words that warn of an entry's low confidence; "" for a sure one or none given (S1.22)."""
    if confidence is None:
        return ""
    return next((words for bound, words in _ASKING if confidence < bound), "")


class Recalled(Struct):
    """One entry found, its text read from the store just now; `row.score` is above 0.

    `part` says that `text` is not all there is: the best passage of an entry too long for the
    budget, or what matters of a trace; `tokens` is what it costs, by estimate. `reasons` is there
    when an explanation was asked for. `contradicts` are the ids of active entries that say
    otherwise, as long as nobody has settled it (S2.9). `fact` is the id of the one fact of an
    entity that it is about, "" where it is no fact. `heading` is the path of headings in the entry
    that what was found stands under (`Setup > Linux`), "" for none. `standing` says what became of
    a commitment ("kept", "open, overdue since 2026-09-02"), "" of anything else. `vault` names the
    vault that it is in where several were asked, "" else.
    """

    row: Row
    text: str
    _: KW_ONLY
    part: bool = False
    tokens: int = 0
    reasons: Reasons | None = None
    heading: str = ""
    contradicts: tuple[str, ...] = ()
    fact: str = ""
    standing: str = ""
    vault: str = ""

    @property
    def asking(self) -> str:
        """How sure it is, in words that say whether an agent should ask first (S1.22)."""
        return asking(self.row.confidence)


LEADING = 0.9
"""Share of the best score from which a result counts as what was recalled; the others only came
along, and gain nothing by it."""


class Recall(Struct):
    """What a recall found, best first.

    `relevance`, from 0 to 1, is how likely it is that anything found is of use; `rejected` says
    that nothing was, and `withheld` how many entries that left out. `over_budget` counts entries
    that did not fit, and `tokens` is what those returned cost. `degraded` says why the index could
    not answer, None when it did, so that an empty answer is one. `embedder` and `model` say whose
    vectors took part, "" for none. `elsewhere` counts matches that only the project filter kept
    out. `again` are the ids of entries that fit and that the reader has already. `exhausted` says
    that nothing was looked for, because the session has reached its limit. `nearest` has up to
    three of the entries that were withheld: nothing to answer by, but for somebody who looks.
    `unanswered` names the other vaults that were asked too and gave no answer, each with why.
    """

    results: tuple[Recalled, ...]
    _: KW_ONLY
    relevance: float = 0.0
    rejected: bool = False
    embedder: str = ""
    model: str = ""
    degraded: str | None = None
    exhausted: bool = False
    again: tuple[str, ...] = ()
    nearest: tuple[Recalled, ...] = ()
    elsewhere: int = 0
    withheld: int = 0
    over_budget: int = 0
    tokens: int = 0
    explanation: Explanation | None = None
    unanswered: tuple[tuple[str, str], ...] = ()

    @property
    def given(self) -> tuple[Recalled, ...]:
        """All entries in the answer."""
        return self.results

    @property
    def leading(self) -> list[str]:
        """The ids of the results that were recalled, and did not only come along."""
        return _list_leading(self.results)

    def keep(self, ids: Collection[str]) -> None:
        """Leave only these entries in the answer."""
        self.results = tuple(found for found in self.results if found.row.id in ids)


class TaskRecall(Recall):
    """What is known before a task (S2.10): `results` are the patterns, successful episodes and
    skills that fit it best; `avoid_these` the mistakes that were made at such tasks or by such
    actions; `skills` those that apply and are not among the results."""

    results: tuple[Recalled, ...] = ()
    avoid_these: tuple[Recalled, ...] = ()
    skills: tuple[Recalled, ...] = ()

    @property
    def given(self) -> tuple[Recalled, ...]:
        return (*self.results, *self.avoid_these, *self.skills)

    @property
    def leading(self) -> list[str]:
        parts = (self.results, self.avoid_these, self.skills)
        return [id_ for part in parts for id_ in _list_leading(part)]

    @property
    def relevant_patterns(self) -> tuple[Recalled, ...]:
        """The results, by the name that loki has for them."""
        return self.results

    @property
    def applicable_skills(self) -> tuple[Recalled, ...]:
        """Every skill that applies, those among the results first."""
        return (*(found for found in self.results if found.row.kind == SKILL), *self.skills)

    def keep(self, ids: Collection[str]) -> None:
        super().keep(ids)
        self.avoid_these = tuple(found for found in self.avoid_these if found.row.id in ids)
        self.skills = tuple(found for found in self.skills if found.row.id in ids)


def _list_leading(found: Sequence[Recalled]) -> list[str]:
    best: dict[str, float] = {}  # scores of two vaults can't be compared
    for one in found:
        best[one.vault] = max(one.row.score, best.get(one.vault, 0.0))
    return [one.row.id for one in found if one.row.score >= LEADING * best[one.vault]]


_SKIPPED = "skipped"
_SUMS = {
    "added": (CREATED, SIMILAR),
    "changed": (UPDATED, TRUSTED, RESTORED),
    "unchanged": (UNCHANGED,),
    _SKIPPED: (),
    "refused": (LEFT_OUT,),
}
"""Which outcomes of documents make up each sum; what was skipped is all the others."""


class Imported:
    """What an import did: documents by outcome, each counted once; what could not be taken in, or
    not as it is (`problems`); what was deleted here and stays so (`deleted`: label and id); what
    only the operator's word lets in (`withheld`); links by whether they resolve, and how many files
    had a secret that was replaced; `attached` counts the files that notes link to and embed by what
    became of them."""

    __slots__ = (
        "attached", "broken", "counts", "deleted", "links", "problems", "redacted", "tiers",
        "withheld",
    )  # fmt: skip

    def __init__(self) -> None:
        self.deleted: list[tuple[str, str]] = []
        self.withheld: list[str] = []
        self.counts: dict[str, int] = {}
        self.attached: dict[str, int] = {}
        self.problems: list[tuple[str, str]] = []
        self.tiers: dict[str, int] = {}
        self.links = 0
        self.broken = 0
        self.redacted = 0

    @property
    def documents(self) -> int:
        """How many documents were met."""
        return sum(self.counts.values())

    @property
    def sums(self) -> dict[str, int]:
        """How many documents were read; and, adding up to that, how many were added, changed here,
        left unchanged, skipped because of what is here, and refused as what can't be taken in."""
        sums = {"read": self.documents, **dict.fromkeys(_SUMS, 0)}
        for outcome, count in self.counts.items():
            sums[next((key for key, of in _SUMS.items() if outcome in of), _SKIPPED)] += count
        return sums

    def count(self, outcome: str) -> None:
        """Count a document by what became of it."""
        self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def add(self, other: Imported) -> None:
        """Add what another import did."""
        for sums, counts in (
            (self.counts, other.counts),
            (self.tiers, other.tiers),
            (self.attached, other.attached),
        ):
            for what, count in counts.items():
                sums[what] = sums.get(what, 0) + count
        self.problems += other.problems
        self.deleted += other.deleted
        self.withheld += other.withheld
        self.links += other.links
        self.broken += other.broken
        self.redacted += other.redacted

    def tell(self, label: str, message: str) -> None:
        """Keep why something could not be taken in, or not as it is."""
        self.problems.append((label, message))
