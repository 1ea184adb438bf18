"""recall, show, list."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    add_scope,
    add_session,
    open_from,
    read_scope,
    read_session,
    read_text,
)
from engrain.adapters.present.explanation import describe_explanation, explanation_lines
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_listing,
    describe_recall,
    describe_shown,
    envelope,
)
from engrain.adapters.present.text import elsewhere_lines, listing_lines, recall_lines, shown_lines
from engrain.model.note.tiers import STATUSES


def _recall_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="Q", help="words, or - for standard input")
    parser.add_argument(
        "--limit", "-n", type=int, metavar="N", help="at most so many; the profile's otherwise"
    )
    parser.add_argument("--full", action="store_true", help="whole texts, not their beginnings")
    group = parser.add_argument_group("how to look")
    group.add_argument(
        "--profile", metavar="P", help="prompt (default), task, associative, tiered or deep"
    )
    group.add_argument("--budget", type=int, metavar="N", help="at most so many tokens of text")
    group.add_argument(
        "--phase", metavar="F", help="the kinds that plan, work, review, release or document needs"
    )
    group.add_argument(
        "--action", metavar="A", help="task: the type of action at hand, as run_test"
    )
    group.add_argument(
        "--half-life", type=float, metavar="DAYS", help="an entry so old counts half as much"
    )
    group.add_argument(
        "--without", action="append", default=[], metavar="ID", help="what you have already"
    )
    group.add_argument(
        "--explain", action="store_true", help="why each came, and what was left out"
    )
    add_session(group)
    add_scope(parser)


def _recall(args: argparse.Namespace, console: Console) -> int:
    query = read_text(" ".join(args.query), console)
    with open_from(args) as memory:
        found = memory.recall_in(
            read_session(args),
            query,
            repeat=True,
            profile=args.profile,
            limit=args.limit,
            budget=args.budget,
            phase=args.phase,
            action=args.action,
            half_life=args.half_life,
            scope=read_scope(args),
            loaded=args.without,
            explain=args.explain,
        )
    if console.as_json:
        data = describe_recall(found)
        if args.explain:
            data["explanation"] = describe_explanation(found)
        console.write_json(envelope("recall", data))
    else:
        console.write_lines(recall_lines(found, console.style, args.full))
        if args.explain:
            console.write_lines(explanation_lines(found, console.style))
    return EXIT_OK


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--raw", action="store_true", help="the file's bytes, nothing else")
    add_session(parser)


def _show(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        shown = memory.show(args.id)
        memory.note_used(read_session(args), [shown.entry.id])
    if console.as_json:
        console.write_json(envelope("show", describe_shown(shown)))
    elif args.raw:
        console.write_bytes(shown.entry.note.raw)
    else:
        console.write_lines(shown_lines(shown, console.style))
    return EXIT_OK


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="at most so many")
    parser.add_argument("--all", action="store_true", help="of every status and place")
    add_scope(parser)


def _list(args: argparse.Namespace, console: Console) -> int:
    if args.all:
        args.status = list(STATUSES)
    with open_from(args) as memory:
        listing = memory.list(scope=read_scope(args), limit=args.limit)
        elsewhere = 0
        if not listing.total and not args.all_projects:
            args.all_projects = True
            elsewhere = memory.list(scope=read_scope(args), limit=1).total
    if console.as_json:
        data = {**describe_listing(listing), "elsewhere": elsewhere}
        console.write_json(envelope("list", data))
    else:
        console.write_lines(listing_lines(listing, console.style))
        console.write_lines(elsewhere_lines(elsewhere))
    return EXIT_OK


COMMANDS = {
    "recall": Command(
        _recall_arguments,
        _recall,
        'engrain recall "prepared statement does not exist"',
        'engrain recall "rounding of tax" --kind decision --since 30d',
        "git log -1 --format=%B | engrain recall - --json",
        'engrain recall "old pooler" --include-superseded --full',
        'engrain recall "which pooler do we use" --as-of 2026-03-01',
        'engrain recall "release checklist" --phase release --budget 800 --explain',
        'engrain recall "add an endpoint for todos" --profile task --action run_test --json',
    ),
    "show": Command(
        _show_arguments, _show, "engrain show 01k8", "engrain show pg-lock --raw > copy.md"
    ),
    "list": Command(
        _list_arguments,
        _list,
        "engrain list --kind preference",
        "engrain list --all --limit 20",
        "engrain list --status deleted --json",
    ),
}
