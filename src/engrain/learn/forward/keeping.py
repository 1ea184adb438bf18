"""What research found, kept as candidates where the operator asks for it."""

from __future__ import annotations

from collections.abc import Collection

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.learn.forward.candidates import CHANGED, CREATED, Candidate, Known, keep
from engrain.learn.forward.items import Passage
from engrain.learn.forward.quoting import as_data
from engrain.learn.forward.research import Answer
from engrain.learn.forward.topics import Topics


def keep_findings(store: Store, answer: Answer, refused: Collection[str] = ()) -> list[Candidate]:
    """Put the findings of an answer into the inbox; those that went there. `refused` as in a run.
    Raises IndexUnavailableError."""
    topics, known, clean = Topics(store), Known(store, refused), Redaction(store).clean
    kept = []
    for finding in answer.findings:
        passage = Passage(finding.passage.item, finding.passage.heading, finding.quoted)
        near = topics.look(passage)
        near.score = max(near.score, finding.score)
        candidate = Candidate(finding.source.source, passage, near, clean)
        candidate.quoted = finding.quoted
        candidate.reason = (
            f"you asked “{as_data(clean(answer.question))[:200]}”; {candidate.reason}"
        )
        if known.judge(candidate):
            keep(store, candidate)
            if candidate.outcome in (CREATED, CHANGED):
                kept.append(candidate)
    return kept
