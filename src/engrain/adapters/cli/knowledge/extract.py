"""extract: facts out of what was said."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.knowledge.sources import check_reading
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.extraction import describe_extraction, extraction_lines

_TRUSTS = ("operator", "agent", "external")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and folders: agents' sessions, chats, exports of ChatGPT and Claude, meeting"
        " notes, transcripts, LoCoMo; without one what is new in the sources",
    )
    parser.add_argument("--source", metavar="NAME", help="only what is new in this source")
    parser.add_argument(
        "--form",
        choices=("rules", "llm"),
        help="by the rules, or by the language model that is configured; else extract.form",
    )
    parser.add_argument(
        "--trust",
        dest="origin",
        choices=_TRUSTS,
        help="of a PATH: whose words these are; else external, of a host's sessions agent",
    )
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be added")


def _extract(args: argparse.Namespace, console: Console) -> int:
    check_reading("extract", args)
    with open_from(args) as memory, console.progress("reading") as progress:
        done, read_counts = memory.extract(
            args.paths,
            source=args.source,
            form=args.form,
            trust=args.origin,
            dry_run=args.dry_run,
            tell=(lambda turns: progress(turns, None)) if progress else lambda _: None,
        )
    return console.answer(
        "extract",
        describe_extraction(done, read_counts, dry_run=args.dry_run),
        extraction_lines(done, read_counts, console.style, dry_run=args.dry_run),
    )


COMMANDS = {
    "extract": Command(
        _arguments,
        _extract,
        "engrain extract meeting.md",
        "engrain extract ~/notes/meetings --trust operator",
        "engrain extract --source standups --dry-run",
        "engrain extract",
    )
}
