"""reflect: what the operator said in sessions, kept."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.knowledge.sources import check_reading
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.reflection import (
    describe_reflection,
    describe_triage,
    reflection_lines,
    triage_lines,
)
from engrain.model.errors import UsageError

_TRUSTS = ("agent", "external")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="transcripts, or folders of them; without one every session that was not reflected on"
        " yet",
    )
    parser.add_argument("--source", metavar="NAME", help="only what is new in this source")
    parser.add_argument(
        "--trust",
        dest="origin",
        choices=_TRUSTS,
        help="of a PATH: agent where it is a session of yours, external waits in the inbox; a"
        " host's own format tells",
    )
    parser.add_argument(
        "--triage", action="store_true", help="look through the inbox instead of at sessions"
    )
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be done")


def _reflect(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    if args.triage:
        with open_from(args) as memory:
            report = memory.triage(dry_run=args.dry_run)
        return console.answer(
            "reflect",
            describe_triage(report, dry_run=args.dry_run),
            triage_lines(report, console.style, dry_run=args.dry_run),
        )
    with open_from(args) as memory, console.progress("reading") as progress:
        done, read_counts = memory.reflect(
            args.paths,
            source=args.source,
            project=getattr(args, "project", None),
            trust=args.origin or "",
            dry_run=args.dry_run,
            tell=(lambda sessions: progress(sessions, None)) if progress else lambda _: None,
        )
    return console.answer(
        "reflect",
        describe_reflection(done, read_counts, dry_run=args.dry_run),
        reflection_lines(done, read_counts, console.style, dry_run=args.dry_run),
    )


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what excludes each other."""
    if args.triage and (args.paths or args.source or args.origin):
        raise UsageError("--triage is about the inbox, and takes no PATH, --source or --trust")
    check_reading("reflect", args)


COMMANDS = {
    "reflect": Command(
        _arguments,
        _reflect,
        "engrain reflect",
        "engrain reflect ~/.claude/projects/-home-ada-billing --dry-run",
        "engrain reflect --source claude-code",
        "engrain reflect --triage",
    )
}
