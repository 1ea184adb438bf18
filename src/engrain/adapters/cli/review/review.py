"""review: what waits for the operator's word."""

from __future__ import annotations

import argparse
import sys

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, refuse_others
from engrain.adapters.present.failures import EXIT_DECIDE, EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.adapters.present.review import (
    decision_lines,
    describe_decisions,
    describe_proposal,
    describe_proposals,
    proposal_lines,
    shown_lines,
)
from engrain.adapters.present.text import clean, clean_line, counted
from engrain.face.memory import Memory
from engrain.lifecycle.reviewing.proposals import Decision
from engrain.model.errors import UsageError

_OWN = {
    "list": ("action_kind", "decided", "run"),
    "show": ("ids",),
    "accept": ("ids", "all", "action_kind", "run"),
    "reject": ("ids", "reason"),
    "expire": (),
    "vouch": ("ids", "reason", "all", "yes"),
}
"""What each action takes."""
_MOST_SHOWN = 20
_NAMES = {"ids": "ids", "action_kind": "--kind"}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(_OWN), help="what to do")
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="a proposal, or several; vouch: an entry"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="accept: every one that is open; vouch: every active entry that comes from outside",
    )
    parser.add_argument("--yes", action="store_true", help="vouch --all: do not ask")
    parser.add_argument(
        "--kind", dest="action_kind", metavar="ACTION", help="of this action: archive, promote, …"
    )
    parser.add_argument("--run", metavar="RUN", help="of this dream: a name that its digest tells")
    parser.add_argument("--decided", action="store_true", help="list: those that are closed")
    parser.add_argument(
        "--reason", default="", metavar="WHY", help="reject, vouch: kept in the history"
    )


def _review(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    with open_from(args) as memory:
        if args.action == "list":
            proposals = memory.proposals(args.action_kind, decided=args.decided, run=args.run)
            data, lines = describe_proposals(proposals), proposal_lines(proposals, console.style)
        elif args.action == "show":
            proposal, diff = memory.show_proposal(args.ids[0])
            data = describe_proposal(proposal, diff)
            lines = shown_lines(proposal, diff, console.style)
        elif args.action == "vouch" and args.all:
            return _vouch_for_all(args, memory, console)
        elif args.action == "vouch":
            vouched = [memory.attest(id_, args.reason) for id_ in args.ids]
            data = {"vouched": [outcome.id for outcome in vouched]}
            lines = iter([f"{outcome.id} is yours: {outcome.title}" for outcome in vouched])
        elif args.action == "expire":
            expired = memory.expire_proposals()
            data = {"expired": list(expired)}
            lines = iter([f"expired {id_}" for id_ in expired] or ["Nothing has expired."])
        else:
            decisions = _decide(args, memory)
            data, lines = describe_decisions(decisions), decision_lines(decisions, console.style)
        if console.as_json:
            console.write_json(envelope("review", data))
        else:
            console.write_lines(lines)
    return EXIT_OK


def _vouch_for_all(args: argparse.Namespace, memory: Memory, console: Console) -> int:
    """Vouch for all that comes from outside, once the user has said so; the exit code."""
    rows = memory.outside()
    named = f"{counted(len(rows), 'active entry', 'active entries')} from outside"
    if rows and not args.yes:
        if console.as_json or not sys.stdin.isatty():
            console.write_error(f"engrain: {named}, and nobody is here to be asked; give --yes")
            return EXIT_DECIDE
        for row in rows[:_MOST_SHOWN]:
            console.write_error(f"  {row.title} ({row.locator})")
        console.write_error(f"{named}. Are all of them true as they stand? [y/N]")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return EXIT_DECIDE
    ids, left = memory.trust.attest_all(args.reason)
    data = {
        "vouched": list(ids),
        "problems": [{"path": path, "message": message} for path, message in left],
    }
    lines = [f"{counted(len(ids), 'entry', 'entries')} from outside: yours now"]
    lines += [
        console.style("warning", f"left: {clean(path)}: {clean_line(why)}") for path, why in left
    ]
    return console.answer("review", data, lines)


def _decide(args: argparse.Namespace, memory: Memory) -> list[Decision]:
    if args.all:
        return list(memory.accept_all(args.action_kind, run=args.run))
    if args.action == "accept":
        return [memory.accept(id_) for id_ in args.ids]
    return [memory.reject(id_, args.reason) for id_ in args.ids]


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, and for what it lacks."""
    refuse_others("review", args, _OWN, _NAMES)
    if args.all and args.ids:
        raise UsageError("--all and ids exclude each other")
    if args.action_kind and args.action == "accept" and not args.all:
        raise UsageError("--kind belongs to --all", remedy="engrain review accept --all --kind K")
    if args.run and args.action == "accept" and not args.all:
        raise UsageError("--run belongs to --all", remedy="engrain review accept --all --run RUN")
    if args.action == "show" and len(args.ids) != 1:
        raise UsageError("show takes one proposal", remedy="`engrain review list` shows them")
    if args.yes and not args.all:
        raise UsageError("--yes belongs to --all", remedy="engrain review vouch --all --yes")
    if args.action == "vouch" and not (args.ids or args.all):
        raise UsageError("name an entry", remedy="`engrain list` shows them")
    if args.action in ("accept", "reject") and not (args.ids or args.all):
        raise UsageError("name a proposal", remedy="`engrain review list` shows them")


COMMANDS = {
    "review": Command(
        _arguments,
        _review,
        "engrain review list",
        "engrain review show 01k8",
        "engrain review accept 01k8 01k9",
        "engrain review accept --all --kind archive",
        "engrain review accept --all --run 2026-09-21-4k7w9z   # of one dream",
        "engrain review vouch 01k8x2m4   # what another program wrote is true",
        "engrain review vouch --all",
        'engrain review reject 01k8 --reason "still in use"',
    ),
}
