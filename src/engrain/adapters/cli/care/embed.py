"""embed: give every entry its vectors."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, resolve_from
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.adapters.present.text import clean_line
from engrain.model.errors import EmbeddingError
from engrain.wiring import make_static_vectors


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--make-static",
        action="store_true",
        help="first make token vectors from the installed MiniLM (25 s, 23 MB): a model that even"
        " a cold process can ask",
    )
    parser.add_argument(
        "--prune", action="store_true", help="drop the vectors of models that are not used now"
    )


def _embed(args: argparse.Namespace, console: Console) -> int:
    if args.make_static:
        with console.progress("making token vectors") as progress:
            make_static_vectors(resolve_from(args), progress)
    with open_from(args) as memory, console.progress("embedding") as progress:
        outcomes = memory.embed(progress, prune=args.prune)
    if not any(outcome.model for outcome in outcomes):
        raise EmbeddingError(
            "; ".join(f"{outcome.link}: {outcome.lost}" for outcome in outcomes)
            or "no embedder is configured",
            remedy="install engrain[local], or set embedder and what it needs",
        )
    if console.as_json:
        links = [
            {
                "link": outcome.link,
                "model": outcome.model,
                "added": outcome.added,
                "lost": outcome.lost,
            }
            for outcome in outcomes
        ]
        console.write_json(envelope("embed", {"links": links}))
    else:
        for outcome in outcomes:
            told = f"{outcome.added} new vectors of {outcome.model}"
            lost = f"not used: {clean_line(outcome.lost)}"
            console.write_lines([f"{outcome.link}: {told if outcome.model else lost}"])
    return EXIT_OK


COMMANDS = {
    "embed": Command(
        _arguments,
        _embed,
        "engrain embed",
        "engrain embed --make-static",
        "ENGRAIN_EMBEDDER=api,local engrain embed --json",
    ),
}
