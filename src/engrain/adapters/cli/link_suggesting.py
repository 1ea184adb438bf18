"""links suggest: links that could be made and are not."""

from __future__ import annotations

from engrain.adapters.cli.options import open_from
from engrain.adapters.present.suggestions import describe_suggestions, suggestion_lines
from engrain.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from engrain.adapters.cli.console import Console

LIMIT = 50
"""Suggestions that are shown where nobody says how many."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `links suggest` takes besides `--limit`."""
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="suggest: only links from or to this entry"
    )
    parser.add_argument(
        "--propose", action="store_true", help="suggest: lay them before you, in `engrain review`"
    )


def suggest(args: argparse.Namespace, console: Console) -> int:
    """Show them, of the entry `args.id` if one is named, `args.limit` at most; with `args.propose`
    lay them before the operator."""
    limit = LIMIT if args.limit is None else args.limit
    if limit < 1:
        raise UsageError("--limit is at least 1")
    with open_from(args) as memory:
        found, proposed = memory.suggest_links(args.id, limit=limit, propose=args.propose)
    return console.answer(
        "links",
        describe_suggestions(found, proposed),
        suggestion_lines(found, proposed, console.style, asked=args.propose),
    )
