"""Finds untidy notes: empty ones, notes in the folder of another kind, tags in several forms, and
entries that have waited in the inbox for very long (S1.17).

Moving or archiving is proposed only for the agent's own notes; for the operator's, only tags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.engine.lint.fields import proper_folder
from engrain.language.text.folding import fold
from engrain.language.text.instants import format_day
from engrain.lifecycle.dreaming.finding import TIDY, DreamFinding
from engrain.lifecycle.policy import inbox_days
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import INBOX, kind_of
from engrain.seam.rows import Filter

_LEAST = 4
"""The letters up to which a word is not read as a plural: `news` is not a form of `new`."""
_SINGULAR = ("ss", "us", "is", "as")
"""Endings in -s of words that are not plurals."""


def fold_tag(tag: str) -> str:
    """Return the key that all forms of a tag share."""
    word = fold(tag).strip("#").replace("_", "-").replace(" ", "-")
    if word.endswith("ies") and len(word) > _LEAST + 1:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")) and len(word) > _LEAST + 1:
        return word[:-2]
    if word.endswith("s") and not word.endswith(_SINGULAR) and len(word) > _LEAST:
        return word[:-1]
    return word


ARCHIVE, REFILE, RETAG = "archive", "refile", "retag"

_STUB = 3
"""A note with fewer words than this under its title is a stub."""
_YOUNG = 30 * DAY
"""The seconds after its last change in which a stub may still be completed."""
_OLD = 3
"""The multiple of `inbox.days` after which an entry that waits was probably overlooked."""
_TOGETHER = 50
"""The most entries whose tag one proposal changes."""
_SURE, _LIKELY, _MAYBE = 1.0, 0.9, 0.7
_WAITING = Filter(statuses=(INBOX,), zones=(INBOX,))


def find_untidy(store: Store, memos: Iterable[Memo], now: float) -> Iterator[DreamFinding]:
    """Yield findings about the notes, in the order of `memos`, then about tags, then the inbox."""
    tags: dict[str, Counter[str]] = {}
    for memo in memos:
        for tag in memo.tags:
            tags.setdefault(fold_tag(tag), Counter())[tag] += 1
        if memo.tier == "T3":
            yield from _look_at(store, memo, now)
    doubled = {key: forms for key, forms in tags.items() if len(forms) > 1}
    if doubled:
        yield from _find_forms(doubled, memos)
    yield from _find_waiting(store, now)


def _look_at(store: Store, memo: Memo, now: float) -> Iterator[DreamFinding]:
    since = max((at for at in (memo.created, memo.updated) if at is not None), default=now)
    words = len(memo.text.split())
    if words < _STUB and not _is_needed(store, memo):
        what = "says nothing under its title" if not words else "is a stub"
        sure, due = _MAYBE if words else _SURE, since + _YOUNG
        yield DreamFinding(TIDY, (memo.id,), ARCHIVE, sure, what, due=due)
        if due < now:
            return
    if memo.locator.startswith(f"{kind_of(memo.kind).folder}/"):
        return
    row = store.find_exact(memo.id)
    if row is not None and (folder := proper_folder(row, store.read_entry(row.locator))):
        reason = f"of kind {memo.kind}, belongs in {folder}"
        yield DreamFinding(TIDY, (memo.id,), REFILE, _LIKELY, reason)


def _is_needed(store: Store, memo: Memo) -> bool:
    if memo.links or memo.derived_from or memo.recall_count:
        return True
    row = store.find_exact(memo.id)
    return row is None or bool(store.index.links_to(row) or store.index.links_from(row.locator))


def _find_forms(doubled: dict[str, Counter[str]], memos: Iterable[Memo]) -> Iterator[DreamFinding]:
    """Find notes with a rarer form of a tag, and with them one note that has only the commonest."""
    best = {
        key: min(forms, key=lambda form: (-forms[form], form)) for key, forms in doubled.items()
    }
    bearing: dict[str, list[str]] = {}
    models: dict[str, str] = {}
    for memo in memos:
        forms: dict[str, set[str]] = {}
        for tag in memo.tags:
            forms.setdefault(fold_tag(tag), set()).add(tag)
        for key, used in forms.items():
            if key in best and used == {best[key]}:
                models.setdefault(key, memo.id)
            elif key in best:
                bearing.setdefault(key, []).append(memo.id)
    for key in sorted(bearing):
        model = models.get(key)
        others = sorted(set(doubled[key]) - {best[key]})
        reason = f"tagged {', '.join(others)} where {best[key]} is usual"
        for start in range(0, len(bearing[key]) if model else 0, _TOGETHER):
            ids = bearing[key][start : start + _TOGETHER]
            yield DreamFinding(TIDY, (*ids, model or ""), RETAG, _LIKELY, reason)


def _find_waiting(store: Store, now: float) -> Iterator[DreamFinding]:
    most = _OLD * inbox_days(store.settings) * DAY
    for row in sorted(store.index.find(_WAITING), key=lambda row: row.id):
        since = max((at for at in (row.created, row.updated) if at is not None), default=now)
        if row.primary:
            reason = f"has waited in the inbox since {format_day(since)}"
            yield DreamFinding(TIDY, (row.id,), ARCHIVE, _MAYBE, reason, due=since + most)
