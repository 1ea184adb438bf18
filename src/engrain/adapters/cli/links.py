"""links: where the links between notes lead, and which could be made."""

from __future__ import annotations

from engrain.adapters.cli import link_suggesting
from engrain.adapters.cli.options import Command, open_from, refuse_others
from engrain.adapters.present.failures import EXIT_ERROR
from engrain.model.errors import UsageError
from engrain.seam.graph import BROKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from engrain.adapters.cli.console import Console

_CHECK, _SUGGEST = "check", "suggest"
_STATES = ("broken", "ambiguous", "moved", "orphans")
_TAKEN = {_CHECK: ("state", "limit", "strict"), _SUGGEST: ("id", "propose", "limit")}
_NAMES = {"id": "ID"}
_FOR_A_PERSON = 50
"""So many links, orphans and shared titles are listed at most where no --limit says otherwise; a
program gets them all."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_TAKEN),
        help="check: every link by state, with the reason where it is not resolved; suggest: links"
        " that could be made",
    )
    link_suggesting.add_arguments(parser)
    parser.add_argument("--state", choices=_STATES, help="check: list only these")
    parser.add_argument("--limit", type=int, metavar="N", help="list N at most")
    parser.add_argument(
        "--strict", action="store_true", help="check: exit with 1 where a link is broken"
    )


def _links(args: argparse.Namespace, console: Console) -> int:
    refuse_others("links", args, _TAKEN, _NAMES)
    if args.limit is not None and args.limit < 0:
        raise UsageError(f"a limit of {args.limit} makes no sense")
    if args.action == _SUGGEST:
        return link_suggesting.suggest(args, console)
    return _check(args, console)


def _check(args: argparse.Namespace, console: Console) -> int:
    from engrain.adapters.present.links import describe_links, link_lines

    limit = args.limit
    if limit is None and not console.as_json:
        limit = _FOR_A_PERSON
    with open_from(args) as memory:
        report = memory.check_links(args.state, limit, quoted=console.as_json)
    done = console.answer("links", describe_links(report), link_lines(report, console.style))
    return EXIT_ERROR if args.strict and report.counts[BROKEN] else done


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
