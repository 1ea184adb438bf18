"""`engrain verify`: verify that the history is complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.cli.options import Answer, Arguments, Command, open_from
from engrain.adapters.present.records import describe_chains
from engrain.adapters.present.text import counted, style
from engrain.engine.history.verification import ChainReport
from engrain.model.note.note import base_device, is_branch


def _verify(args: Arguments) -> Answer:
    with open_from(args) as memory:
        reports = memory.verify()
    code = any(report.wrong for report in reports)
    return describe_chains(reports), _lines(reports), code


def _lines(reports: Sequence[ChainReport]) -> Iterator[str]:
    for report in reports:
        state = style("bad", report.wrong) if report.wrong else "unbroken"
        if is_branch(report.device):
            former = base_device(report.device)
            state += f", a branch: from change {report.first} on two devices wrote as {former}"
        kept = counted(report.links, "change")
        if report.erased:
            kept += f", {report.erased} payloads erased"
        if plain := report.links - report.attested:
            kept += f", {plain} without a code of this vault's key"
        if report.cancelled:
            kept += f", {counted(report.cancelled, 'mistaken external record')} cancelled"
        yield f"{report.device}: {kept}, {state}"
    if not reports:
        yield "No changes yet."


COMMAND = Command(
    _verify,
    """
$ engrain verify --json
$ engrain verify
""",
    opens=None,
)
