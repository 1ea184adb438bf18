"""Proposals as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.text import Style, clean, clean_line, day_of
from engrain.lifecycle.reviewing.proposals import Decision, Proposal

_DIFF_COLOURS = {"+": "good", "-": "bad", "@": "dim"}


def describe_proposals(proposals: Sequence[Proposal]) -> Data:
    return {"proposals": [describe_proposal(proposal) for proposal in proposals]}


def describe_proposal(proposal: Proposal, diff: Sequence[str] | None = None) -> Data:
    data: Data = {
        "id": proposal.id,
        "path": proposal.path,
        "title": proposal.title,
        "action": proposal.action,
        "target": proposal.target,
        "reason": proposal.reason,
        "open": proposal.open,
        "decision": proposal.decision or None,
        "source": proposal.source,
        "attested": proposal.attested,
        "created": instant_of(proposal.created),
        "expires": instant_of(proposal.expires),
        "run": proposal.run or None,
        "finder": proposal.finder or None,
        "entries": list(proposal.ids),
        "score": proposal.score,
        "evidence": [{"entry": id_, "quote": quote} for id_, quote in proposal.evidence],
        "decided": instant_of(proposal.decided),
    }
    if diff is not None:
        data["diff"] = list(diff)
        data["text"] = proposal.text
    return data


def describe_decisions(decisions: Sequence[Decision]) -> Data:
    return {
        "decisions": [
            {
                "id": decision.proposal.id,
                "action": decision.proposal.action,
                "target": decision.proposal.target,
                "decision": decision.decision or None,
                "error": decision.error or None,
            }
            for decision in decisions
        ]
    }


def proposal_lines(proposals: Sequence[Proposal], style: Style) -> Iterator[str]:
    for proposal in proposals:
        state = f" [{clean_line(proposal.decision)}]" if proposal.decision else ""
        yield f"{style('dim', clean_line(proposal.id))}  {clean_line(proposal.title)}{state}"
        if proposal.reason:
            yield f"  {clean_line(proposal.reason)}"
        yield style("dim", "  " + _facts(proposal))
    yield style("dim", f"{len(proposals)} in all") if proposals else "Nothing waits for you."


def shown_lines(proposal: Proposal, diff: Sequence[str], style: Style) -> Iterator[str]:
    yield style("title", clean_line(proposal.title))
    facts = {
        "id": proposal.id,
        "action": proposal.action,
        "about": proposal.target,
        "state": proposal.decision or "open",
        "from": _facts(proposal),
        "reason": proposal.reason,
    }
    for name, value in facts.items():
        if value:
            yield f"{style('dim', f'{name:<8}')}{clean_line(value)}"
    for id_, quote in proposal.evidence:
        yield f"{style('dim', clean_line(id_))}  “{clean_line(quote)}”"
    yield ""
    for line in diff:
        colour = _DIFF_COLOURS.get(line[:1])
        text = clean(line)
        yield style(colour, text) if colour else text
    if not diff:
        yield style("dim", "There is nothing to show of what it would change.")


def decision_lines(decisions: Sequence[Decision], style: Style) -> Iterator[str]:
    for decision in decisions:
        word = decision.decision or style("warning", f"left open: {clean_line(decision.error)}")
        yield f"{word}  {clean_line(decision.proposal.title)}"
        yield style("dim", f"  {clean_line(decision.proposal.id)}")
    if not decisions:
        yield "Nothing waits for you."


def _facts(proposal: Proposal) -> str:
    attested = "" if proposal.attested else ", which nobody attests"
    until = f", expires {day_of(proposal.expires)}" if proposal.open else ""
    return f"proposed {day_of(proposal.created)} by {clean_line(proposal.source)}{attested}{until}"
