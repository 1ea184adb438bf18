"""What the episodes that met one error know of it: how it was resolved, and how sure that is
(S2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.lifecycle.consolidating.evidence import Evidence
from engrain.model.experience.confidence import HALF
from engrain.model.experience.traces import Trace, TraceError
from engrain.model.experience.wording import same_said


@dataclass(slots=True, eq=False)
class Met:
    """What is known of one error: who met it, how it was resolved, what counts for that and
    against it."""

    error: TraceError
    resolution: str
    actions: Sequence[str]
    support: float
    counter: float


def look_at(evidence: Evidence, signature: str, sources: Sequence[str], said: str) -> Met | None:
    """What some episodes know of an error; those that are not here agree with what was `said`
    of it. None where nobody of them met it."""
    met: list[tuple[TraceError, Trace]] = []
    elsewhere = 0
    for id_ in sources:
        trace = evidence.trace(id_)
        if trace is None:
            elsewhere += 1
            continue
        met += [(error, trace) for error in trace.errors if error.signature == signature]
    if not met:
        return None
    met.sort(key=lambda one: (-one[1].at, one[1].id))
    counted = Counter(error.resolution for error, _ in met if error.resolution)
    if said and elsewhere:
        counted[said] += elsewhere
    groups: list[tuple[str, int]] = []
    for text in sorted(counted, key=lambda text: (-counted[text], text)):
        for at, (first, count) in enumerate(groups):
            if same_said(first, text):
                groups[at] = (first, count + counted[text])
                break
        else:
            groups.append((text, counted[text]))
    best, support = max(groups, key=lambda one: one[1], default=("", 0))
    bare = sum(1 for error, _ in met if not error.resolution)
    actions = sorted({action for error, _ in met for action in error.actions})
    against = sum(count for _, count in groups) - support
    return Met(met[0][0], best, actions, support + HALF * bare, float(against))
