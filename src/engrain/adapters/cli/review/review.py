"""`engrain review`: proposals, to be accepted or rejected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.failures import EXIT_DECIDE
from engrain.adapters.present.records import Data, describe_pairs, fields, list_fields
from engrain.adapters.present.text import (
    bold,
    clean,
    clean_line,
    counted,
    day_of,
    fact_lines,
    report_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.lifecycle.reviewing.staging import Decision, Proposal
from engrain.model.errors import UsageError

_MOST_SHOWN = 20
_DIFF_COLOURS = {"+": "good", "-": "bad", "@": "dim"}
_NOTHING = "No proposal is open."


def _check(args: Arguments) -> None:
    listed = "`engrain review list` shows them"
    alone = args.action == "accept" and not args.all
    unnamed = not (args.ids or args.all)
    for wrong, message, remedy in (
        (args.all and args.ids, "--all and ids exclude each other", None),
        (args.kind and alone, "--kind belongs to --all", "engrain review accept --all --kind K"),
        (args.run and alone, "--run belongs to --all", "engrain review accept --all --run RUN"),
        (args.action == "show" and len(args.ids) != 1, "show takes one proposal", listed),
        (args.yes and not args.all, "--yes belongs to --all", "engrain review vouch --all --yes"),
        (args.action == "vouch" and unnamed, "name an entry", "`engrain list` shows them"),
        (args.action in ("accept", "reject") and unnamed, "name a proposal", listed),
    ):
        if wrong:
            raise UsageError(message, remedy=remedy)


def _list(memory: Memory, args: Arguments) -> Answer:
    found = memory.review.list(args.kind, decided=args.decided, run=args.run)
    lines = []
    for one in found:
        state = f" [{clean_line(one.decision)}]" if one.decision else ""
        lines.append(f"{style('dim', clean_line(one.id))}  {clean_line(one.title)}{state}")
        lines += [f"  {clean_line(one.reason)}"] if one.reason else []
        lines.append(style("dim", "  " + _facts(one)))
    lines.append(style("dim", f"{len(found)} in all") if found else _NOTHING)
    return {"proposals": [_describe(one) for one in found]}, lines


def _show(memory: Memory, args: Arguments) -> Answer:
    proposal, diff = memory.review.show(args.ids[0])
    data = {**_describe(proposal), "diff": list(diff), "text": proposal.text}
    return data, _shown_lines(proposal, diff)


def _accept(memory: Memory, args: Arguments) -> Answer:
    if args.all:
        return _tell(memory.review.accept_all(args.kind, run=args.run))
    return _tell([memory.review.accept(id_) for id_ in args.ids])


def _reject(memory: Memory, args: Arguments) -> Answer:
    return _tell([memory.review.reject(id_, args.reason or "") for id_ in args.ids])


def _vouch(memory: Memory, args: Arguments) -> Answer | int:
    if not args.all:
        vouched = [memory.trust.attest(id_, args.reason or "") for id_ in args.ids]
        lines = [f"{outcome.id} is yours: {outcome.title}" for outcome in vouched]
        return {"vouched": [outcome.id for outcome in vouched]}, lines
    rows = memory.trust.outside()
    named = f"{counted(len(rows), 'active entry', 'active entries')} from outside"
    if rows and not args.yes:
        if not has_person(args):
            args.console.write_error(
                f"engrain: {named}, and there is no terminal to ask; give --yes"
            )
            return EXIT_DECIDE
        for row in rows[:_MOST_SHOWN]:
            args.console.write_error(f"  {row.title} ({row.locator})")
        if not ask(args, f"{named}. Are all of them true as they stand? [y/N]"):
            return EXIT_DECIDE
    ids, left = memory.trust.attest_all(args.reason or "")
    lines = [f"{counted(len(ids), 'entry', 'entries')} from outside: yours now"]
    lines += report_lines(left, "left")
    return {"vouched": list(ids), "problems": describe_pairs(left)}, lines


def _describe(proposal: Proposal) -> Data:
    return fields(
        proposal,
        "id path title action target reason open decision? source attested created@ expires@"
        " run? finder? entries=ids score decided@",
    ) | {"evidence": [{"entry": id_, "quote": quote} for id_, quote in proposal.evidence]}


def _shown_lines(proposal: Proposal, diff: Sequence[str]) -> Iterator[str]:
    yield bold(proposal.title)
    facts = {
        "id": proposal.id,
        "action": proposal.action,
        "about": proposal.target,
        "state": proposal.decision or "open",
        "from": _facts(proposal),
        "reason": proposal.reason,
    }
    yield from fact_lines(facts, 8)
    for id_, quote in proposal.evidence:
        yield f"{style('dim', clean_line(id_))}  “{clean_line(quote)}”"
    yield ""
    for line in diff:
        colour = _DIFF_COLOURS.get(line[:1])
        yield style(colour, clean(line)) if colour else clean(line)
    if not diff:
        yield style("dim", "There is nothing to show of what it would change.")


def _tell(decisions: Sequence[Decision]) -> Answer:
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


COMMAND = Command(
    [_list, _show, _accept, _reject, _vouch],
    """
<list|show|accept|reject|vouch>  the action
ids=ID*        show, accept, reject: a proposal, or several; vouch: an entry, named as for `show`
--all          accept: every open proposal; vouch: every active entry from an external source
--yes          vouch: with --all, do not ask
--kind ACTION  list, accept: of this action: archive, merge, …
--run RUN      list, accept: of this dream run
--decided      list: decided proposals
--reason WHY   reject, vouch: kept in the history
$ engrain review list
$ engrain review show 01k8
$ engrain review accept 01k8 01k9
$ engrain review accept --all --kind archive
$ engrain review accept --all --run 2026-09-21-4k7w9z   # of one dream
$ engrain review vouch 01k8x2m4   # what another program wrote is true
$ engrain review vouch --all
$ engrain review reject 01k8 --reason "still in use"
""",
    check=_check,
    strict=True,
)
