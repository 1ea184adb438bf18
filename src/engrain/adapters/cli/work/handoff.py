"""handoff: create, list, show, claim."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.git import read_git
from engrain.adapters.cli.options import (
    Command,
    list_here,
    open_harness_from,
    read_text,
    refuse_others,
)
from engrain.adapters.present.handing import (
    claimed_lines,
    describe_handoff,
    handoff_lines,
    listed_lines,
)
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import elsewhere_lines, outcome_lines
from engrain.agents.handoffs import Handoff
from engrain.face.memory import Memory
from engrain.model.errors import UsageError

_OWN = {
    "create": (
        "from_agent", "to", "what", "artifact", "git_state", "needs_testing", "known_issue",
        "pattern", "as_id",
    ),
    "list": ("to", "open", "all", "all_projects"),
    "show": ("id",),
    "claim": ("id", "force"),
}  # fmt: skip
"""What each action takes."""
_NAMES = {"id": "an id", "from_agent": "--from", "as_id": "--id"}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(_OWN), help="what to do")
    parser.add_argument("id", nargs="?", metavar="ID", help="show, claim: which one")
    parser.add_argument(
        "--to", metavar="B", help="create: for whom, or any; list: only what B may take"
    )
    group = parser.add_argument_group("create")
    group.add_argument("--from", dest="from_agent", metavar="A", help="from whom; else --agent")
    group.add_argument("--what", metavar="TEXT", help="what was done; - for standard input")
    for name, meaning in (
        ("--artifact", "a file that came of it"),
        ("--needs-testing", "what is to be tested"),
        ("--known-issue", "what is known to be wrong"),
        ("--pattern", "the id of an entry that helps"),
    ):
        group.add_argument(name, action="append", default=[], metavar="X", help=meaning)
    group.add_argument(
        "--git-state", metavar="S", help="where the repository stands; auto: as it does now"
    )
    group.add_argument("--id", dest="as_id", metavar="ID", help="its id, where you have one")
    group = parser.add_argument_group("list")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--open", action="store_true", help="what waits: so it is without")
    which.add_argument("--all", action="store_true", help="what was taken too")
    group.add_argument("--all-projects", action="store_true", help="whatever the project")
    group = parser.add_argument_group("claim")
    group.add_argument(
        "--force", action="store_true", help="though it is for another: the operator says so"
    )


def _handoff(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    with open_harness_from(args, console) as memory:
        data, lines = _ACTIONS[args.action](args, memory, console)
        where = memory.where
    return console.answer("handoff", {**data, "where": where}, lines)


def _create(
    args: argparse.Namespace, memory: Memory, console: Console
) -> tuple[Data, Iterator[str]]:
    outcome = memory.create_handoff(
        args.to or "",
        read_text(args.what, console),
        agent=args.from_agent or "",
        artifacts=args.artifact,
        git_state=read_git(args.git_state),
        needs_testing=args.needs_testing,
        known_issues=args.known_issue,
        relevant_patterns=args.pattern,
        id=args.as_id,
    )
    return describe_outcome(outcome), outcome_lines(outcome, console.style)


def _list(args: argparse.Namespace, memory: Memory, console: Console) -> tuple[Data, Iterator[str]]:
    def ask(all_projects: bool) -> Sequence[Handoff]:
        return memory.handoffs.list(to=args.to, taken=args.all, all_projects=all_projects)

    found, elsewhere = list_here(ask, args.all_projects)
    data: Data = {"handoffs": [describe_handoff(one) for one in found], "elsewhere": elsewhere}
    return data, chain(listed_lines(found, console.style), elsewhere_lines(elsewhere))


def _show(args: argparse.Namespace, memory: Memory, console: Console) -> tuple[Data, Iterator[str]]:
    handoff = memory.handoff(args.id)
    return describe_handoff(handoff), handoff_lines(handoff, console.style)


def _claim(
    args: argparse.Namespace, memory: Memory, console: Console
) -> tuple[Data, Iterator[str]]:
    outcome = memory.claim_handoff(args.id, force=args.force)
    handoff = memory.handoff(outcome.id)
    data = {**describe_handoff(handoff), "outcome": outcome.outcome}
    return data, claimed_lines(handoff, outcome.outcome, console.style)


_ACTIONS = {"create": _create, "list": _list, "show": _show, "claim": _claim}


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, and for what it lacks."""
    refuse_others("handoff", args, _OWN, _NAMES)
    if "id" in _OWN[args.action] and not args.id:
        raise UsageError(
            f"{args.action} which one?", remedy="`engrain handoff list` shows what waits"
        )


COMMANDS = {
    "handoff": Command(
        _arguments,
        _handoff,
        'engrain handoff create --from eng-001 --to qa-001 --what "POST /todos is there"'
        ' --artifact src/todos.ts --git-state auto --needs-testing "its validation"',
        'engrain handoff create --to any --what "Half of the import is done" --agent eng-001',
        "engrain handoff list --to qa-001",
        "engrain handoff claim 01k8 --agent qa-001   # one gets it; exit code 4 names who has it",
        "engrain handoff list --all --json",
    ),
}
