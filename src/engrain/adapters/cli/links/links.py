"""links: where the links between notes lead, and which could be made."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, refuse_others
from engrain.adapters.present.failures import EXIT_ERROR
from engrain.adapters.present.links import describe_links, link_lines
from engrain.adapters.present.suggestions import describe_suggestions, suggestion_lines
from engrain.engine.links.checking import CHOICES
from engrain.model.errors import UsageError
from engrain.seam.graph import BROKEN

_CHECK, _SUGGEST = "check", "suggest"
_TAKEN = {_CHECK: ("state", "limit", "strict"), _SUGGEST: ("id", "propose", "limit")}
_NAMES = {"id": "ID"}
_SHOWN = 50
"""So many links, orphans, shared titles and suggestions are listed at most where no --limit says
otherwise; of a check a program gets all."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_TAKEN),
        help="check: every link by state, with the reason where it is not resolved; suggest: links"
        " that could be made",
    )
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="suggest: only links from or to this entry"
    )
    parser.add_argument(
        "--propose", action="store_true", help="suggest: lay them before you, in `engrain review`"
    )
    parser.add_argument("--state", choices=CHOICES, help="check: list only these")
    parser.add_argument("--limit", type=int, metavar="N", help="list N at most")
    parser.add_argument(
        "--strict", action="store_true", help="check: exit with 1 where a link is broken"
    )


def _links(args: argparse.Namespace, console: Console) -> int:
    refuse_others("links", args, _TAKEN, _NAMES)
    if args.limit is not None and args.limit < 0:
        raise UsageError(f"a limit of {args.limit} makes no sense")
    if args.action == _SUGGEST:
        return _suggest(args, console)
    return _check(args, console)


def _check(args: argparse.Namespace, console: Console) -> int:
    limit = args.limit
    if limit is None and not console.as_json:
        limit = _SHOWN
    with open_from(args) as memory:
        report = memory.check_links(args.state, limit, quoted=console.as_json)
    done = console.answer("links", describe_links(report), link_lines(report, console.style))
    return EXIT_ERROR if args.strict and report.counts[BROKEN] else done


def _suggest(args: argparse.Namespace, console: Console) -> int:
    limit = _SHOWN if args.limit is None else args.limit
    if limit < 1:
        raise UsageError("--limit is at least 1")
    with open_from(args) as memory:
        found, proposed = memory.suggest_links(args.id, limit=limit, propose=args.propose)
    return console.answer(
        "links",
        describe_suggestions(found, proposed),
        suggestion_lines(found, proposed, console.style, asked=args.propose),
    )


COMMANDS = {
    "links": Command(
        _arguments,
        _links,
        "engrain links check",
        "engrain links check --state broken --json",
        "engrain links check --state orphans --limit 20",
        "engrain links check --strict",
        "engrain links suggest --limit 20",
        "engrain links suggest 01k8abcd --propose",
    )
}
