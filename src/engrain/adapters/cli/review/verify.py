"""`engrain verify`: verify that the history, or an exported part of it, is complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.cli.options import Answer, Arguments, Command, open_from
from engrain.adapters.present.records import Data, describe_chains, fields, list_fields
from engrain.adapters.present.text import bold, clean, clean_line, counted, style
from engrain.engine.history.verification import ChainReport
from engrain.language.text.instants import format_local
from engrain.model.errors import NotFoundError
from engrain.model.history.extracts import Extract, ExtractRecord, read_extract
from engrain.model.note.ids import base_device, is_branch


def _verify(args: Arguments) -> Answer:
    if args.extract is not None:
        extract = read_file(args.extract)
        code = not extract.sound
        return describe_extract(extract), _extract_lines(extract), code
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


def read_file(path: str) -> Extract:
    """An extract in a file. Raises NotFoundError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return read_extract(file.read())
    except FileNotFoundError:
        raise NotFoundError("no such file", path=path) from None


def describe_extract(extract: Extract) -> Data:
    """An extract of a history: who did what and when, and whether it holds."""
    return {
        **fields(extract, "sound wrong vault entry sha256=digest"),
        "devices": list_fields(extract.chains, "device changes=links head wrong"),
        "changes": [_describe(kept) for chain in extract.chains for kept in chain.records],
    }


def _describe(kept: ExtractRecord) -> Data:
    content = "withheld" if kept.withheld else "erased" if kept.erased else "present"
    files = kept.record.files or ()
    return {
        **fields(kept.record, "change at@ op agent trust undoes entries reason"),
        "content": content,
        "files": list_fields(files, "path before=before_hash after=after_hash"),
    }


def _extract_lines(extract: Extract) -> Iterator[str]:
    about = f"entry {clean_line(extract.entry)}" if extract.entry else "every entry"
    yield f"extract of the history of vault {clean_line(extract.vault)}, about {about}"
    for chain in extract.chains:
        for kept in chain.records:
            yield from _record_lines(kept)
    for chain in extract.chains:
        state = style("bad", clean_line(chain.wrong)) if chain.wrong else "unbroken"
        yield f"{clean_line(chain.device)}: {counted(chain.links, 'change')}, {state}"
        yield style("dim", f"  last hash {clean_line(chain.head)}")
    if extract.wrong:
        yield style("bad", f"not sound: {clean_line(extract.wrong)}")
    yield style("dim", f"sha256 {extract.digest}")


def _record_lines(kept: ExtractRecord) -> Iterator[str]:
    record = kept.record
    who = clean_line(f"{record.agent or '-'} ({record.trust or 'unknown'})")
    what = f" of {clean_line(record.undoes)}" if record.undoes else ""
    yield (
        f"{bold(record.change)}  {format_local(record.at)}  {clean_line(record.op)}{what}  by {who}"
    )
    if kept.withheld or kept.erased:
        yield style("dim", "  its content is " + ("withheld" if kept.withheld else "erased"))
    for file in record.files or ():
        yield style("dim", f"  {clean(file.path)}  {clean_line(file.after_hash or 'removed')}")
    if record.reason:
        yield style("dim", f"  {clean_line(record.reason)}")


COMMAND = Command(
    _verify,
    """
--extract FILE  check an exported file instead; it needs no vault
$ engrain verify --json
$ engrain verify --extract pg-lock.jsonl
""",
    opens=None,
)
