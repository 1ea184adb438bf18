"""`engrain verify`: show that the history is unbroken."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.cli.review.extracts import verify_extract
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import (
    describe_chains,
    envelope,
)
from engrain.adapters.present.text import counted
from engrain.model.note.ids import base_device, is_branch


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--extract", metavar="FILE", help="check an exported file instead; it needs no vault"
    )


def _verify(args: argparse.Namespace, console: Console) -> int:
    if args.extract is not None:
        return verify_extract(args.extract, console)
    with open_from(args) as memory:
        reports = memory.verify()
    if console.as_json:
        console.write_json(envelope("verify", describe_chains(reports)))
    else:
        for report in reports:
            state = console.style("bad", report.wrong) if report.wrong else "unbroken"
            if is_branch(report.device):
                former = base_device(report.device)
                state += f", a branch: from change {report.first} on two devices wrote as {former}"
            erased = f", {report.erased} payloads erased" if report.erased else ""
            changes = counted(report.links, "change")
            plain = report.links - report.attested
            note = f", {plain} without a code of this vault's key" if plain else ""
            if report.cancelled:
                note += f", {counted(report.cancelled, 'mistaken external record')} cancelled"
            console.write_lines([f"{report.device}: {changes}{erased}{note}, {state}"])
        if not reports:
            console.write_lines(["No changes yet."])
    return EXIT_ERROR if any(report.wrong for report in reports) else EXIT_OK


COMMANDS = {
    "verify": Command(
        _verify_arguments,
        _verify,
        "engrain verify --json",
        "engrain verify --extract pg-lock.jsonl",
    ),
}
