"""digest: what changed since the operator last looked."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when, resolve_from
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.present.digest import describe_digest, digest_lines, digest_markdown
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.lifecycle.upkeep.digest import Item


def _arguments(parser: argparse.ArgumentParser) -> None:
    span = parser.add_mutually_exclusive_group()
    span.add_argument("--since", metavar="WHEN", help="since a date, or 7d, 12h, 2w")
    span.add_argument("--all", action="store_true", help="since the beginning")
    parser.add_argument("--peek", action="store_true", help="the next digest tells it again")
    parser.add_argument("--markdown", action="store_true", help="as a note")


def _run(args: argparse.Namespace, console: Console) -> int:
    since = read_when(args.since)
    state_dir = resolve_from(args).state_dir
    with open_from(args) as memory:
        digest = memory.digest(since=since, everything=args.all)
        digest.add("lost", _losses(state_dir, digest.since or 0.0))
        if console.as_json:
            console.write_json(envelope("digest", describe_digest(digest)))
        elif args.markdown:
            console.write_lines(digest_markdown(digest))
        else:
            console.write_lines(digest_lines(digest, console.style))
        console.flush()
        if not (args.peek or args.all or args.since):
            memory.note_look(digest)  # only what was delivered was seen
    return EXIT_OK


def _losses(state_dir: str, since: float) -> list[Item]:
    return [
        Item(at=loss.at, op=loss.event, title=loss.reason, agent=loss.host)
        for loss in read_losses(state_dir, since)
    ]


COMMANDS = {
    "digest": Command(
        _arguments,
        _run,
        "engrain digest",
        "engrain digest --since 7d --peek",
        "engrain digest --markdown > digest.md",
        "engrain digest --json",
    ),
}
