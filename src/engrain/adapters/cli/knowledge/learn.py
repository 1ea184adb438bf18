"""learn: what is new in places that the operator approved, and questions asked of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, refuse_others
from engrain.adapters.present.failures import EXIT_ERROR
from engrain.adapters.present.learning import (
    added_lines,
    answer_lines,
    approved_lines,
    describe_answer,
    describe_approved,
    describe_learned,
    learned_lines,
)
from engrain.adapters.present.records import Data
from engrain.model.errors import UsageError

_SOURCES, _RUN = "sources", "run"
_ADD, _LIST, _REMOVE = "add", "list", "remove"
_KEEPING = ("act", "place", "name", "kind", "match", "host", "private")
_RUNNING = ("source", "query", "limit", "keep", "dry_run")
_TAKEN = {_SOURCES: _KEEPING, _RUN: _RUNNING}
_NAMES = {"act": "add, list or remove", "place": "URL or path"}
_ADDING = ("name", "kind", "match", "host", "private")
_MOST = 100


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=tuple(_TAKEN), help="sources: what is approved; run: look at it now"
    )
    parser.add_argument(
        "act",
        nargs="?",
        choices=(_ADD, _LIST, _REMOVE),
        help="sources: add approves a place, list shows them, remove looks at one no more",
    )
    parser.add_argument("place", nargs="?", metavar="URL|PATH|NAME", help="of add, or of remove")
    parser.add_argument("--name", metavar="N", help="add: its name; else that of the place")
    parser.add_argument(
        "--kind",
        metavar="K",
        help="add: feed, url (one page), folder or repository; else the place tells",
    )
    parser.add_argument(
        "--match", action="append", default=[], metavar="GLOB", help="add: only files so named"
    )
    parser.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="H",
        help="add: another host that its server may lead to",
    )
    parser.add_argument(
        "--private", action="store_true", help="add: its name may be of your own network"
    )
    parser.add_argument("--source", metavar="N", help="run: only this one")
    parser.add_argument(
        "--query", metavar="Q", help="run: search what they have now, and quote what answers"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="run: so many at most")
    parser.add_argument(
        "--keep", action="store_true", help="run --query: put what was found into the inbox"
    )
    parser.add_argument("--dry-run", action="store_true", help="run: only tell what would come")


def _learn(args: argparse.Namespace, console: Console) -> int:
    refuse_others("learn", args, _TAKEN, _NAMES)
    if args.action == _SOURCES:
        return _ACTS[args.act or _LIST](args, console)
    _check_run(args)
    return _run(args, console) if args.query is None else _research(args, console)


def _add(args: argparse.Namespace, console: Console) -> int:
    if not args.place:
        raise UsageError("learn sources add takes a URL or a path", remedy="name one")
    with open_from(args) as memory:
        added = memory.approve_source(
            args.place,
            name=args.name or "",
            kind=args.kind or "",
            match=args.match,
            hosts=args.host,
            private=args.private,
        )
    data: Data = {"added": describe_approved(added)}
    return console.answer("learn", data, added_lines(added, console.style))


def _list(args: argparse.Namespace, console: Console) -> int:
    _refuse_adding(args, _LIST)
    if args.place:
        raise UsageError("learn sources list takes no name")
    with open_from(args) as memory:
        found = memory.approved_sources()
    data: Data = {"sources": [describe_approved(one) for one in found]}
    return console.answer("learn", data, approved_lines(found, console.style))


def _remove(args: argparse.Namespace, console: Console) -> int:
    _refuse_adding(args, _REMOVE)
    if not args.place:
        raise UsageError(
            "learn sources remove takes a name", remedy="`engrain learn sources list` shows them"
        )
    with open_from(args) as memory:
        removed = memory.disapprove_source(args.place)
    lines = [f"removed {removed.name}; what was brought from it stays"]
    return console.answer("learn", {"removed": removed.name, "place": removed.place}, lines)


def _run(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory, console.progress("looking") as progress:
        done = memory.learn(
            args.source, limit=args.limit, dry_run=args.dry_run, tell=_telling(progress)
        )
    console.answer(
        "learn",
        describe_learned(done, dry_run=args.dry_run),
        learned_lines(done, console.style, dry_run=args.dry_run),
    )
    return EXIT_ERROR if done.failed else 0


def _research(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory, console.progress("looking") as progress:
        answer, kept = memory.research(
            args.query, args.source, limit=args.limit, keep=args.keep, tell=_telling(progress)
        )
    console.answer(
        "learn", describe_answer(answer, kept), answer_lines(answer, kept, console.style)
    )
    return EXIT_ERROR if answer.failed else 0


def _telling(progress: Callable[[int, int | None], object] | None) -> Callable[[int], object]:
    return (lambda count: progress(count, None)) if progress else (lambda _: None)


def _check_run(args: argparse.Namespace) -> None:
    """Raises UsageError for what excludes each other."""
    if args.keep and args.query is None:
        raise UsageError("--keep is of --query", remedy="without --query a run keeps what matters")
    if args.query is not None and args.dry_run:
        raise UsageError("--query keeps nothing by itself", remedy="leave out --dry-run")
    if args.limit is not None and not 1 <= args.limit <= _MOST:
        raise UsageError(f"--limit {args.limit} is not from 1 to {_MOST}")


def _refuse_adding(args: argparse.Namespace, act: str) -> None:
    for name in _ADDING:
        if getattr(args, name):
            raise UsageError(f"learn sources {act} takes no --{name}")


_ACTS = {_ADD: _add, _LIST: _list, _REMOVE: _remove}

COMMANDS = {
    "learn": Command(
        _arguments,
        _learn,
        "engrain learn sources add https://blog.example.org/feed.xml",
        "engrain learn sources add ~/code/parser --kind repository --match 'CHANGELOG*'",
        "engrain learn sources list",
        "engrain learn run --dry-run",
        'engrain learn run --query "how does the parser handle tabs" --keep',
    )
}
