"""Review: the open proposals, each as the diff of the change that accepting it would make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.lifecycle.reviewing.staging import Decision
from engrain.model.errors import UsageError

_SHOWN = 20
"""The number of proposals that the page shows with their diffs."""


def show(ask: Ask) -> Answer:
    kind, decided = ask.get("kind"), bool(ask.get("decided"))
    every = ask.memory.review.list(None, decided=decided)
    found = [one for one in every if kind in ("", one.action)]
    shown = found[: ask.number("limit", _SHOWN, 1000)]
    disputed = bool(ask.get("contradictions"))
    values = {
        "contradictions": ask.memory.review.contradictions() if disputed else None,
        "proposals": [(one, () if decided else ask.memory.review.preview(one)) for one in shown],
        "kinds": sorted(Counter(one.action for one in every).items()),
        "kind": kind,
        "decided": decided,
        "left": len(found) - len(shown),
    }
    return Page("review.html", values)


def show_proposal(ask: Ask) -> Answer:
    proposal, diff = ask.memory.review.show(ask.get("id"))
    return Page("proposal.html", {"proposal": proposal, "diff": diff})


def decide(ask: Ask) -> Answer:
    """Accept or reject one proposal, or accept all of a kind, as `engrain review` does; external
    proposals are never accepted by kind."""
    action, id_ = ask.sent("action"), ask.sent("id")
    review = ask.memory.review
    if action == "accept":
        done: Sequence[Decision] = [review.accept(id_)]
    elif action == "reject":
        done = [review.reject(id_, ask.sent("reason").strip())]
    elif action == "accept-all":
        done = review.accept_all(ask.sent("kind") or None)
    else:
        raise UsageError(f"there is no action {action[:40]!r}")
    kind = ask.sent("back")
    return Moved(f"/review?kind={kind}" if kind.isalpha() else "/review", _tell(done))


def _tell(done: Sequence[Decision]) -> str:
    left = [f"{one.proposal.title}: {one.error}" for one in done if not one.decision]
    counts = Counter(one.decision for one in done if one.decision)
    told = ", ".join(f"{count} {word}" for word, count in counts.items()) or "nothing was decided"
    return f"{told[0].upper()}{told[1:]}." + (f" Left open: {'; '.join(left)}." if left else "")
