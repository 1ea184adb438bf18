"""`archive` and back: moves an entry into its tier's archive as a summary (S1.9, DESIGN 10).

A summary is the first sentences of a text. The file keeps its metadata and links. The original
stays in the history, and `restore` brings it back byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.engine.core.moving import free_place, is_free, move_entry, refuse_changed
from engrain.engine.core.outcomes import RESTORED, Outcome
from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_before, load_change
from engrain.engine.history.undo import same_substance
from engrain.language.text.instants import format_day, format_instant
from engrain.model.errors import ConflictError
from engrain.model.links.link import parse_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import Note
from engrain.model.note.tiers import ARCHIVE, INBOX, LIVE, OPERATOR, archive_folder, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

_KEPT = ("protected", "kept")
"""The retention classes of entries that only the operator may archive."""
_RETIRABLE = ("active", "inbox")
_EXTRACT = "extract"
"""What the field `summary` says of a summary of the text's own sentences."""

_LEAST_WORDS = 60
"""A text of no more words stays whole."""
_SHARE = 0.25
"""The part of a longer text's words that its summary may have."""
# Scripts that put no blanks between words: two characters count as a word.
_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W{_DENSE}]+(?:['’.:/-][^\W{_DENSE}]+)*|[{_DENSE}]{{1,2}}")
_SENTENCE_END = re.compile(
    r"[.!?…][\"'”’)\]*_`]*(?=\s)|[。！？｡؟।]+[”’」』）]*|\n(?=[^\S\n]*+(?:\n|[-*+|#>]|[0-9]{1,9}[.)]\s))"
)


def archive_entry(
    store: Store, reference: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Move an entry into its tier's archive as a summary with its metadata (S1.9); with `expect`
    its substance must have that hash. Raises ConflictError for a superseded or forgotten entry, and
    for one that only the operator may archive."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if entry.status == "archived":
            return None
        refuse_changed(entry, expect)
        _refuse(store, row, entry)
        return retire(entry, store.clock.now())

    return move_entry(store, reference, plan, "archive", reason)


def retire(entry: Entry, at: float) -> tuple[str, Note]:
    """Return the folder in which an entry is archived, and its note there."""
    folder = archive_folder(entry.path)
    if entry.zone == ARCHIVE:
        folder = entry.path.rpartition("/")[0]
    if isinstance(entry.note, JsonNote):  # a record has no text to summarize
        return folder, entry.note.patch({**_retired(at), "id": entry.id})
    summary = summarize(entry.text)
    body = "\n".join(_compose(entry, summary, at))
    note = entry.note.patch({"id": entry.id, **_retired(at), "summary": _EXTRACT})
    return folder, note.with_body(body)


def summarize(text: str) -> str:
    """Return the first sentences of a text: at most `_SHARE` of its words, or the whole of a short
    text. A text without the end of a sentence is cut at a word."""
    text = text.strip()
    words = [found.start() for found in _WORD.finditer(text)]
    most = max(_LEAST_WORDS, int(_SHARE * len(words)))
    if len(words) <= most:
        return text
    part = text[: words[most]]
    ends = [found.end() for found in _SENTENCE_END.finditer(part)]
    return part[: ends[-1]].rstrip() if ends else part.rstrip() + "…"


def _count_words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _retired(at: float) -> dict[str, Value]:
    on = format_instant(at)
    return {"status": "archived", "archived": on, "updated": on}


def restore_archived(store: Store, row: Row) -> Outcome:
    """Put an archived entry's original back, byte for byte, at its old place or, if that is taken,
    beside it. Raises ConflictError if the history has no original, or if the summary was edited."""
    stored = store.backend.read(row.locator)
    original, path = _find_original(store, row, stored.raw)
    place = Locator(path)
    if not is_free(store, place):
        place = free_place(store, place.folder, read_entry(path, original))
    store.preserve(row.locator, stored, row.id)
    removed = Write(row.locator, None, row.id, stored.hash)
    store.commit("restore", [removed, Write(place, original, row.id)])
    return Outcome(RESTORED, read_entry(place, original))


def _refuse(store: Store, row: Row, entry: Entry) -> None:
    if entry.status not in _RETIRABLE or row.zone not in (LIVE, INBOX, ARCHIVE):
        raise ConflictError(
            f"{row.id} is {entry.status}: it can't be archived",
            path=row.locator,
            remedy=f"see `engrain history {row.id}`",
        )
    if store.actor.trust == OPERATOR:
        return
    kept = kind_of(entry.kind).retention in _KEPT
    if row.tier != "T3" or kept:
        what = f"of kind {entry.kind}, which is kept" if kept else "the operator's"
        raise ConflictError(
            f"{row.id} is {what}",
            path=row.locator,
            remedy="the operator may archive it: `engrain archive ID --trust operator`",
        )


def _compose(entry: Entry, summary: str, at: float) -> Iterator[str]:
    yield f"# {entry.title}"
    if summary:
        yield summary
        yield from _close_fence(summary)
    if dropped := _dropped_links(entry.text, summary):
        yield ""
        yield "## Links"
        yield from (f"- {link}" for link in dropped)
    of = "the whole" if summary == entry.text.strip() else _count_words(summary)
    yield ""
    yield (
        f"*Archived on {format_day(at)}: {of} of {_count_words(entry.text)} words."
        f" `engrain restore {entry.id}` brings the original back.*"
    )
    yield ""


def _close_fence(text: str) -> Iterator[str]:
    """Yield the closing fence if a text leaves a fenced block open, so that code ends there."""
    fence = ""
    for line in text.splitlines():
        mark = line.strip()
        if fence:
            fence = "" if mark.startswith(fence) and not mark.strip(fence[0]) else fence
        elif mark.startswith(("```", "~~~")):
            fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
    if fence:
        yield fence


def _dropped_links(text: str, summary: str) -> list[str]:
    """Return the links of a text that its summary lacks, in their written form."""
    kept = {(link.relation, link.target) for link in parse_links(summary)}
    dropped: dict[str, None] = {}
    for link in parse_links(text):
        if (link.relation, link.target) not in kept:
            relation = f"{link.relation}:: " if link.relation else ""
            heading = f"#{link.heading}" if link.heading else ""
            dropped[f"[[{relation}{link.target}{heading}]]"] = None
    return list(dropped)


def _find_original(store: Store, row: Row, archived: bytes) -> tuple[bytes, str]:
    """Return the bytes and the place that an entry had before the change that archived it."""
    changes = store.index.changes(entry=row.id, op="archive")
    for change in changes:
        if change.locator != row.locator or change.after_hash is None:
            continue
        record = load_change(store, change.change)
        files = [file for file in record.files or () if file.entry == row.id]
        left = next((file.after for file in files if file.path == row.locator), None)
        if left is None or not same_substance(row.locator, left, archived):
            continue
        for file in files:
            raw = bytes_before(store, record, file)
            if raw is not None:
                return raw, file.path
    raise ConflictError(
        f"the text of {row.id} was edited since it was archived"
        if changes
        else f"{row.id} is archived, and the history has no original of it",
        path=row.locator,
        remedy=f"see `engrain history {row.id}`; undo what came after the archiving first"
        if changes
        else f"see `engrain history {row.id}`, or edit its status by hand",
    )
