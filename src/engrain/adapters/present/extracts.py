"""Extracts of a history as data and as text: who, when, what, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.language.text.instants import format_instant
from engrain.model.history.extracts import Extract, Told


def describe_extract(extract: Extract) -> Data:
    return {
        "sound": extract.sound,
        "wrong": extract.wrong,
        "vault": extract.vault,
        "entry": extract.entry,
        "sha256": extract.digest,
        "devices": [
            {
                "device": chain.device,
                "changes": chain.links,
                "head": chain.head,
                "wrong": chain.wrong,
            }
            for chain in extract.chains
        ],
        "changes": [_describe_told(told) for chain in extract.chains for told in chain.told],
    }


def extract_lines(extract: Extract, style: Style) -> Iterator[str]:
    about = f"entry {clean_line(extract.entry)}" if extract.entry else "every entry"
    yield f"extract of the history of vault {clean_line(extract.vault)}, about {about}"
    for chain in extract.chains:
        for told in chain.told:
            yield from _told_lines(told, style)
    for chain in extract.chains:
        state = style("bad", clean_line(chain.wrong)) if chain.wrong else "unbroken"
        changes = counted(chain.links, "change")
        yield f"{clean_line(chain.device)}: {changes}, {state}"
        yield style("dim", f"  last hash {clean_line(chain.head)}")
    if extract.wrong:
        yield style("bad", f"not sound: {clean_line(extract.wrong)}")
    yield style("dim", f"sha256 {extract.digest}")


def _told_lines(told: Told, style: Style) -> Iterator[str]:
    record = told.record
    who = clean_line(f"{record.agent or '-'} ({record.trust or 'unknown'})")
    what = f" of {clean_line(record.undoes)}" if record.undoes else ""
    yield (
        f"{style('title', clean_line(record.change))}  {format_instant(record.at)}  "
        f"{clean_line(record.op)}{what}  by {who}"
    )
    if told.withheld or told.erased:
        yield style("dim", "  its content is " + ("withheld" if told.withheld else "erased"))
    for file in record.files or ():
        yield style("dim", f"  {clean(file.path)}  {clean_line(file.after_hash or 'removed')}")
    if record.reason:
        yield style("dim", f"  {clean_line(record.reason)}")


def _describe_told(told: Told) -> Data:
    record = told.record
    return {
        "change": record.change,
        "at": format_instant(record.at),
        "op": record.op,
        "agent": record.agent,
        "trust": record.trust,
        "undoes": record.undoes,
        "entries": list(record.entries),
        "content": "withheld" if told.withheld else "erased" if told.erased else "present",
        "reason": record.reason,
        "files": [
            {"path": file.path, "before": file.before_hash, "after": file.after_hash}
            for file in record.files or ()
        ],
    }
