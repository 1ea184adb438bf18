"""Inbox: what waits for a person, each with the buttons that decide it: proposals as the diff of
the change that accepting would make, unfiled notes, and what contradicts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.lifecycle.reviewing.staging import Decision
from engrain.model.errors import ConflictError, UsageError

_SHOWN = 20
"""The number of proposals that the page shows with their diffs, and of unfiled notes."""
PARTS = ("proposals", "unfiled", "contradictions")
"""The parts of the page; each can be shown alone."""


def show(ask: Ask) -> Answer:
    memory, kind, decided = ask.memory, ask.get("kind"), bool(ask.get("decided"))
    part, limit = ask.choice("part", PARTS), ask.number("limit", _SHOWN, 1000)
    every = memory.review.list(None, decided=decided)
    found = [one for one in every if kind in ("", one.action)]
    shown = found[:limit] if part in (None, "proposals") else []
    whole = not (kind or decided)
    unfiled = memory.list(scope=Scope(all_projects=True, statuses=["inbox"]), limit=limit)
    disputes = memory.facts.entities(disputed=True, limit=limit) if whole else []
    pairs = memory.review.contradictions() if whole else []
    notes = unfiled.rows if whole and part in (None, "unfiled") else ()
    rival = pairs[:limit] if part in (None, "contradictions") else []
    values = {
        "proposals": [(one, () if decided else memory.review.preview(one)) for one in shown],
        "notes": notes,
        "pairs": rival,
        "disputes": disputes if part in (None, "contradictions") else [],
        "texts": memory.texts([*notes, *(row for pair in rival for row in pair)]),
        "counts": (len(every), unfiled.total, len(pairs) + len(disputes)) if whole else (),
        "kinds": sorted(Counter(one.action for one in every).items()),
        "kind": kind,
        "part": part,
        "decided": decided,
        "left": len(found) - len(shown) if shown else 0,
    }
    return Page("inbox.html", values)


def show_proposal(ask: Ask) -> Answer:
    proposal, diff = ask.memory.review.show(ask.get("id"))
    return Page("proposal.html", {"proposal": proposal, "diff": diff})


def decide(ask: Ask) -> Answer:
    """Accept or reject one proposal, or accept all of a kind, as `engrain review` does; external
    proposals are never accepted by kind. File or forget an unfiled note; of two entries that
    contradict each other forget one."""
    action, id_ = ask.sent("action"), ask.sent("id")
    review = ask.memory.review
    if action == "accept":
        told = _describe_done([review.accept(id_)])
    elif action == "reject":
        told = _describe_done([review.reject(id_, ask.sent("reason").strip())])
    elif action == "accept-all":
        told = _describe_done(review.accept_all(ask.sent("kind") or None))
    elif action == "file":
        told = _file(ask.memory, id_)
    elif action == "forget":
        why = ask.sent("reason").strip()
        told = f"“{ask.memory.forget(id_, why).title}” is forgotten; undo brings it back."
    else:
        raise UsageError(f"there is no action {action[:40]!r}")
    kind = ask.sent("back")
    return Moved(f"/inbox?kind={kind}" if kind.isalpha() else "/inbox", told)


def _file(memory: Memory, id_: str) -> str:
    """Accept the proposal to file a note, which is made if it isn't open."""
    made = memory.review.propose("file", id_, "filed in the console")
    waiting = [one.id for one in memory.review.list("file") if one.target == id_]
    name = made.id if made else (waiting or [""])[0]
    if not name:
        raise ConflictError("it was decided before that this note is not filed")
    return _describe_done([memory.review.accept(name)])


def _describe_done(done: Sequence[Decision]) -> str:
    left = [f"{one.proposal.title}: {one.error}" for one in done if not one.decision]
    counts = Counter(one.decision for one in done if one.decision)
    told = ", ".join(f"{count} {word}" for word, count in counts.items()) or "nothing was decided"
    return f"{told[0].upper()}{told[1:]}." + (f" Left open: {'; '.join(left)}." if left else "")
