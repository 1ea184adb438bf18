"""`engrain recall`: find the memories that matter for a question or prompt."""

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
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_recall,
    envelope,
)
from engrain.adapters.present.text import recall_lines


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
            from engrain.adapters.present.explanation import describe_explanation

            data["explanation"] = describe_explanation(found)
        console.write_json(envelope("recall", data))
    else:
        console.write_lines(recall_lines(found, console.style, args.full))
        if args.explain:
            from engrain.adapters.present.explanation import explanation_lines

            console.write_lines(explanation_lines(found, console.style))
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
}
