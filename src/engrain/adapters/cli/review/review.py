"""`engrain review`: proposals, to be accepted or rejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, argument, arguments, flag, option
from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.present.failures import EXIT_DECIDE
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import Data, describe_pairs, fields, list_fields
from engrain.adapters.present.text import clean, clean_line, counted, day_of, report_lines, style
from engrain.api.memory import Memory
from engrain.lifecycle.reviewing.staging import Decision, Proposal
from engrain.model.errors import UsageError

_MOST_SHOWN = 20
_DIFF_COLOURS = {"+": "good", "-": "bad", "@": "dim"}
_NOTHING = "No proposal is open."


_LISTED = "`engrain review list` shows them"


@dataclass(kw_only=True)
class _Deciding(MemoryCommand):
    ids: list[str] = arguments("a proposal, or several", "ID")
    all: bool = flag("every open proposal")

    def check(self) -> None:
        if self.all and self.ids:
            raise UsageError("--all and ids exclude each other")
        if not self.all and not self.ids:
            raise UsageError("name a proposal", remedy=_LISTED)


@dataclass(kw_only=True)
class ListProposals(MemoryCommand):
    """List proposals."""

    examples = "engrain review list"
    kind: str | None = option("of this action: archive, merge, …", "ACTION")
    dream: str | None = option("of this dream run", "RUN", name="--run")
    decided: bool = flag("decided proposals")

    def run_in(self, memory: Memory) -> Answer:
        found = memory.review.list(self.kind, decided=self.decided, run=self.dream)
        lines = []
        for one in found:
            state = f" [{clean_line(one.decision)}]" if one.decision else ""
            lines.append(f"{style('dim', clean_line(one.id))}  {clean_line(one.title)}{state}")
            lines += [f"  {clean_line(one.reason)}"] if one.reason else []
            lines.append(style("dim", "  " + _facts(one)))
        lines.append(style("dim", f"{len(found)} in all") if found else _NOTHING)
        return {"proposals": [_describe(one) for one in found]}, lines


@dataclass(kw_only=True)
class ShowProposal(MemoryCommand):
    """Show a proposal and what it would change."""

    examples = "engrain review show 01k8"
    id: str = argument("a proposal", "ID")

    def run_in(self, memory: Memory) -> Answer:
        proposal, diff = memory.review.show(self.id)
        described = _describe(proposal)
        lines = [*outline_lines(described), ""]
        for line in diff:
            colour = _DIFF_COLOURS.get(line[:1])
            lines.append(style(colour, clean(line)) if colour else clean(line))
        nothing = ["There is nothing to show of what it would change."]
        data = {**described, "diff": list(diff), "text": proposal.text}
        return data, [*lines, *([] if diff else nothing)]


@dataclass(kw_only=True)
class AcceptProposals(_Deciding):
    """Accept proposals."""

    examples = """
engrain review accept 01k8 01k9
engrain review accept --all --kind archive
engrain review accept --all --run 2026-09-21-4k7w9z   # of one dream
"""
    kind: str | None = option("of this action: archive, merge, …", "ACTION")
    dream: str | None = option("of this dream run", "RUN", name="--run")

    def check(self) -> None:
        super().check()
        if not self.all and (self.kind or self.dream):
            raise UsageError(
                "--kind and --run belong to --all", remedy="engrain review accept --all --kind K"
            )

    def run_in(self, memory: Memory) -> Answer:
        if self.all:
            return _describe_decisions(memory.review.accept_all(self.kind, run=self.dream))
        return _describe_decisions([memory.review.accept(id_) for id_ in self.ids])


@dataclass(kw_only=True)
class RejectProposals(MemoryCommand):
    """Reject proposals."""

    examples = 'engrain review reject 01k8 --reason "still in use"'
    ids: list[str] = arguments("a proposal, or several", "ID", required=True)
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        return _describe_decisions(
            [memory.review.reject(id_, self.reason or "") for id_ in self.ids]
        )


@dataclass(kw_only=True)
class VouchForEntries(_Deciding):
    """Accept what came from outside as your own."""

    examples = """
engrain review vouch 01k8x2m4   # what another program wrote is true
engrain review vouch --all
"""
    ids: list[str] = arguments("an entry, named as for `show`", "ID")
    all: bool = flag("every active entry from an external source")
    yes: bool = flag("with --all, do not ask")
    reason: str | None = option("kept in the history", "WHY")

    def check(self) -> None:
        if self.yes and not self.all:
            raise UsageError("--yes belongs to --all", remedy="engrain review vouch --all --yes")
        if not self.ids and not self.all:
            raise UsageError("name an entry", remedy="`engrain list` shows them")
        super().check()

    def run_in(self, memory: Memory) -> Answer | int:
        if not self.all:
            vouched = [memory.trust.attest(id_, self.reason or "") for id_ in self.ids]
            lines = [f"{outcome.id} is yours: {outcome.title}" for outcome in vouched]
            return {"vouched": [outcome.id for outcome in vouched]}, lines
        rows = memory.trust.outside()
        named = f"{counted(len(rows), 'active entry', 'active entries')} from outside"
        if rows and not self.yes:
            if not has_person(self.console):
                self.console.write_error(
                    f"engrain: {named}, and there is no terminal to ask; give --yes"
                )
                return EXIT_DECIDE
            for row in rows[:_MOST_SHOWN]:
                self.console.write_error(f"  {row.title} ({row.locator})")
            if not ask(self.console, f"{named}. Are all of them true as they stand? [y/N]"):
                return EXIT_DECIDE
        ids, left = memory.trust.attest_all(self.reason or "")
        lines = [f"{counted(len(ids), 'entry', 'entries')} from outside: yours now"]
        lines += report_lines(left, "left")
        return {"vouched": list(ids), "problems": describe_pairs(left)}, lines


def _describe(proposal: Proposal) -> Data:
    return fields(
        proposal,
        "id path title action target reason open decision? source attested created@ expires@"
        " run? finder? entries=ids score decided@",
    ) | {"evidence": [{"entry": id_, "quote": quote} for id_, quote in proposal.evidence]}


def _describe_decisions(decisions: Sequence[Decision]) -> Answer:
    names = "id=proposal.id action=proposal.action target=proposal.target decision? error?"
    lines = []
    for one in decisions:
        word = one.decision or style("warning", f"left open: {clean_line(one.error)}")
        lines.append(f"{word}  {clean_line(one.proposal.title)}")
        lines.append(style("dim", f"  {clean_line(one.proposal.id)}"))
    return {"decisions": list_fields(decisions, names)}, lines or [_NOTHING]


def _facts(proposal: Proposal) -> str:
    attested = "" if proposal.attested else ", unattested"
    until = f", expires {day_of(proposal.expires)}" if proposal.open else ""
    return f"proposed {day_of(proposal.created)} by {clean_line(proposal.source)}{attested}{until}"


COMMAND = {
    "list": ListProposals,
    "show": ShowProposal,
    "accept": AcceptProposals,
    "reject": RejectProposals,
    "vouch": VouchForEntries,
}
