"""Staging and review: proposals of jobs wait for the operator's decision (S1.17).

A proposal is a note in `Memory/_dream-staging/`, where recall does not search. It names an action
of the table `table.ACTIONS`, its target and the hash of the target. Anybody may have written the
note, so one of a wrong form is no proposal. Jobs that nobody asked for make few in a week, the best
of what they find. An accepted proposal is done in the operator's name, as
one change that can be undone. The decision is written afterwards: if the process dies between the
two, the proposal can be accepted again without harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from re import findall

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED, Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store, try_again
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.folding import safe_component
from engrain.language.text.instants import format_instant, read_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing.actions import Preview, ProposalSubject, split_ids
from engrain.lifecycle.reviewing.table import ACTIONS, find_action
from engrain.model.errors import ConflictError, EngrainError, ErasedError, NotFoundError
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note, make_id
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import EXTERNAL, OPERATOR, ORIGINS, STAGING, kind_of, split_ending
from engrain.model.run_result import RunResult
from engrain.model.settings import read_count, read_number
from engrain.seam.batches import Change
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row

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


FOLDER = kind_of(KIND).folder
_ATTEMPTS = 5
_ALL = Filter(kinds=(KIND,), zones=(STAGING,))


def propose(
    store: Store,
    action: str,
    target: str,
    reason: str = "",
    *,
    origin: Origin | None = None,
    capped: bool = False,
) -> Outcome | None:
    """Propose an action on a target; return None where that is settled. A `capped` one is also
    dropped if the week has had its number of better ones; else it takes the place of the weakest
    that is open."""

    def attempt() -> Outcome | None:
        store.require_index()
        row = find_action(action)
        subject = row.find(store, target)
        preview = row.preview(store, subject)
        for old in _about(store, action, subject.id):
            if old.settles(subject.base):
                return None
            if old.open:
                decide(store, old, STALE)
        if capped and not _make_room(store, _rate(action, origin.score if origin else None)):
            return None
        place, note = _compose(store, action, subject, reason, preview, origin)
        entry = read_entry(place, note.raw)
        write = Write(place, note.raw, entry.id)
        store.commit("propose", [write], reason=f"{action} {subject.id}", known=[entry])
        return Outcome(CREATED, entry, other=subject.id)

    return try_again(attempt, _ATTEMPTS)  # others propose the same all the time


def _make_room(store: Store, worth: float) -> bool:
    """Return whether one more proposal of that worth has room in this week; the weakest open one
    gives way to a better one."""
    only = replace(_ALL, since=store.clock.now() - WEEK)
    made = [one for row in store.index.find(only) if (one := _read(store, row))]
    made = [one for one in made if one.decision != STALE]
    if len(made) < read_count(store.settings, "staging.weekly"):
        return True
    weakest = min(
        (one for one in made if one.open),
        key=lambda one: _rate(one.action, one.score),
        default=None,
    )
    if weakest is None or _rate(weakest.action, weakest.score) >= worth:
        return False
    decide(store, weakest, STALE, "a better one took its place")
    return True


def _rate(action: str, score: float | None) -> float:
    return _WORTH.get(action, 0.5) if score is None else score


WEEK = 7 * DAY
_WORTH = {"attest": 1.0, "compact": 0.9, "file": 0.8}
"""How certain a person's interest in a proposal is where the job that makes it has no score."""


def find_settling(store: Store, action: str, target: str) -> Proposal | None:
    """Find the proposal that keeps the same from being proposed now, None where there is none.
    Raises as `propose`. The index must be ready."""
    row = find_action(action)
    subject = row.find(store, target)
    row.preview(store, subject)
    olds = _about(store, action, subject.id)
    return next((old for old in olds if old.settles(subject.base)), None)


def list_proposals(
    store: Store, action: str | None = None, *, decided: bool | None = False, run: str | None = None
) -> list[Proposal]:
    """List the open proposals, or the decided ones, or all where `decided` is None, oldest first;
    of one action and of one run if these are named."""
    store.require_index()
    found = [
        proposal
        for row in store.index.find(_ALL)
        if (proposal := _read(store, row))
        and decided in (None, not proposal.open)
        and action in (None, proposal.action)
        and run in (None, proposal.run)
    ]
    return sorted(found, key=lambda proposal: (proposal.created or 0.0, proposal.id))


def read_proposal(store: Store, reference: str) -> Proposal:
    """Read a proposal by its id or the beginning of it, or by file name. Raises NotFoundError."""
    store.require_index()
    row, entry = store.read_one(reference)
    proposal = make_proposal(row, entry, store.clock.now()) if row.zone == STAGING else None
    if proposal is None:
        raise NotFoundError(
            f"{reference!r} is no proposal",
            path=row.locator,
            remedy="`engrain review list` shows them",
        )
    return proposal


def run(store: Store, run: Run) -> RunResult:
    """Run the job: close the proposals that waited too long."""
    store.require_index(scan=True)
    now = store.clock.now()
    lines: list[str] = []
    for proposal in list_proposals(store, decided=None):
        if not proposal.overdue_at(now):
            continue
        if run.out_of_time():
            return RunResult({"expired": len(lines)}, lines, unfinished=True)
        if not run.dry_run:
            decide(store, proposal, EXPIRED)
        lines.append(f"expired {proposal.id}: {proposal.action} {proposal.target}")
    return RunResult({"expired": len(lines)}, lines)


def _read(store: Store, row: Row) -> Proposal | None:
    try:
        return make_proposal(row, store.read_entry(row.locator), store.clock.now())
    except EngrainError:
        return None  # what can't be read is for `doctor` to report


def _about(store: Store, action: str, target: str) -> list[Proposal]:
    found = [
        _read(store, row)
        for row in store.index.lookup(safe_component(f"{action}-{target}"))
        if row.zone == STAGING and row.kind == KIND
    ]
    return [one for one in found if one and (one.action, one.target) == (action, target)]


def _compose(
    store: Store,
    action: str,
    subject: ProposalSubject,
    reason: str,
    preview: Sequence[Preview],
    origin: Origin | None,
) -> tuple[Locator, Note]:
    """Return the place and the note of a new proposal."""
    now = store.clock.now()
    redaction = Redaction(store)
    id_ = make_id(now, store.entropy.draw(10))
    slug = safe_component(f"{action}-{subject.id}")
    folder = f"{FOLDER}/{origin.run}" if origin is not None else FOLDER
    places = [f"{folder}/{name}.md" for name in (slug, f"{slug}--{id_[-8:]}")]
    place = next((at for at in map(make_locator, places) if is_free(store, at)), None)
    if place is None:
        raise ConflictError(f"no free name for a proposal about {subject.id}", path=folder)
    fields: dict[str, Value] = {
        "id": id_,
        "kind": KIND,
        "status": "proposed",
        "created": format_instant(now),
        "updated": format_instant(now),
        "expires": format_instant(now + read_number(store.settings, "staging.days") * DAY),
        "proposal": {"action": action, "target": subject.id, "base": subject.base},
    }
    if split_ending(place)[0] != slug:
        fields["slug"] = slug  # proposals of one action on one target are found by it
    said = {"reason": reason, **(origin.fields() if origin is not None else {})}
    fields |= redaction.clean_values(said)
    fields["source"] = stamp_source(store.actor, KIND, None)
    body = compose_body(f"{action}: {subject.title}", reason, preview)
    note = compose_note(fields, redaction.clean(body))
    check_size(note)
    return place, note


def decide(store: Store, proposal: Proposal, decision: str, reason: str = "") -> None:
    """Write a decision, unless another process wrote one meanwhile."""
    now = store.now

    def close(entry: Entry) -> Note:
        if entry.status != "proposed":
            return entry.note
        fields = {"status": "archived", "decision": decision, "decided": now, "updated": now}
        return entry.note.patch({"id": entry.id, **fields})

    decided = f"{decision}: {reason}" if reason else decision
    store.update(proposal.path, close, "decide", reason=decided)


def show_proposal(store: Store, reference: str) -> tuple[Proposal, Sequence[str]]:
    """Read a proposal, and the lines of a diff of what accepting it would change now."""
    store.require_index(look=True)
    proposal = read_proposal(store, reference)
    return proposal, preview(store, proposal)


def preview(store: Store, proposal: Proposal) -> list[str]:
    """Return the lines of a diff of what accepting it would change now, none where there is nothing
    to show. The diff in its note is of when it was proposed, by whoever wrote it."""
    try:
        row = find_action(proposal.action)
        subject = row.find(store, proposal.target)
        return compose_diff(row.preview(store, subject))
    except EngrainError:
        return []


def accept(store: Store, reference: str) -> Decision:
    """Do what is proposed in the operator's name, who agreed, and write the decision."""
    store.require_index(scan=True)
    return _accept(store, reference)


def _accept(store: Store, reference: str) -> Decision:
    proposal = read_proposal(store, reference)
    _refuse_closed(proposal)
    acting = store.acting_as(Actor(store.actor.agent, OPERATOR))
    if proposal.action not in ACTIONS:
        raise ConflictError(
            f"{proposal.action!r} is no action", path=proposal.path, remedy="reject it"
        )
    row = ACTIONS[proposal.action]
    try:
        subject = row.find(acting, proposal.target)
        unchanged = (subject.id, subject.base) == (proposal.target, proposal.base)
    except (NotFoundError, ErasedError):
        unchanged = False
    if unchanged:
        row.apply(acting, proposal.target, proposal.base, name_change(proposal))
    elif not list_done(store, proposal):
        decide(acting, proposal, STALE)
        raise ConflictError(
            f"{proposal.target} has changed since the proposal was made",
            path=proposal.path,
            remedy="the proposal is marked stale; a job may propose it again",
        )
    decide(acting, proposal, ACCEPTED)
    return Decision(proposal, ACCEPTED)


def reject(store: Store, reference: str, reason: str = "") -> Decision:
    """Reject a proposal: it is not made again while its target stays as it is. Raises ConflictError
    for one that was decided or has expired."""
    proposal = read_proposal(store, reference)
    _refuse_closed(proposal)
    decide(store.acting_as(Actor(store.actor.agent, OPERATOR)), proposal, REJECTED, reason)
    return Decision(proposal, REJECTED)


def accept_all(
    store: Store, action: str | None = None, *, run: str | None = None
) -> list[Decision]:
    """Accept every open proposal, of one action and of one run if named, and return each decision,
    or the reason why there is none."""
    store.require_index(scan=True)
    if action is not None:
        find_action(action)
    decisions = []
    for proposal in list_proposals(store, action, run=run):
        if not proposal.trusted:
            decisions.append(Decision(proposal, "", "nobody attests it: accept it by its id"))
            continue
        if _raises_trust(store, proposal):
            why = "it is about what came from outside: accept it by its id"
            if proposal.action == "compact":
                why = "it puts a less trusted entry in the place of another: accept it by its id"
            decisions.append(Decision(proposal, "", why))
            continue
        try:
            decisions.append(_accept(store, proposal.id))
        except EngrainError as error:
            decisions.append(Decision(proposal, "", error.message))
    return decisions


def name_change(proposal: Proposal) -> str:
    """Return the history's reason for the change that does what was proposed."""
    reason = f": {proposal.reason}" if proposal.reason else ""
    return f"proposal {proposal.id}{reason}"


def list_done(store: Store, proposal: Proposal) -> list[Change]:
    """List the changes that have already done what is proposed: by the operator, or by a process
    that died before the decision was written."""
    name = f"proposal {proposal.id}"
    return [
        change
        for id_ in proposal.ids
        for change in store.index.changes(entry=id_)
        if change.reason == name or change.reason.startswith(name + ":")
    ]


def _raises_trust(store: Store, proposal: Proposal) -> bool:
    """Whether accepting it would let in an external entry, or put a less trusted entry in the place
    of another."""
    rows = [row for id_ in proposal.ids if (row := store.find_exact(id_))]
    if proposal.action == "compact" and rows:
        *older, newest = (ORIGINS.index(effective_trust(store, row)) for row in rows)
        return newest > min(older, default=newest)
    # Recall finds a new entry once it is filed.
    let_in = proposal.action == "file" or (
        proposal.action == "attest" and any(row.tier == "T3" for row in rows)
    )
    return let_in and any(effective_trust(store, row) == EXTERNAL for row in rows)


def _refuse_closed(proposal: Proposal) -> None:
    if proposal.open:
        return
    if proposal.decision == EXPIRED and proposal.expires is not None:
        when = f"expired on {format_instant(proposal.expires)}"
    else:
        on = "" if proposal.decided is None else f" on {format_instant(proposal.decided)}"
        when = f"was decided{on}: {proposal.decision or proposal.status}"
    raise ConflictError(
        f"proposal {proposal.id} {when}",
        path=proposal.path,
        remedy="`engrain review list` shows those that are open",
    )
