"""The table of actions that may be proposed: what each is about, how it would look and how it is
done (S1.17).

A proposal is a file that anybody may have written. Only an action of this table is ever done, only
to what the proposal names, and only while that is what it was when it was proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeAlias

from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.moving import ALWAYS_LOAD, promote_entry
from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_after
from engrain.engine.verbs.archive import EXTRACT, archive_entry, retire
from engrain.engine.verbs.inbox import (
    absorb_entry,
    adopt_entry,
    file_entry,
    plan_absorption,
    plan_adoption,
    plan_filing,
)
from engrain.language.text.folding import is_near_copy, words_of
from engrain.lifecycle.jobs.table import Deferred
from engrain.lifecycle.reviewing.actions import (
    Action,
    Context,
    Preview,
    Subject,
    group_action,
    read_named,
    show,
    tags_of,
    text_of,
)
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.seam.locator import Locator
from engrain.seam.rows import CURRENT, Row


class LiveTitles:
    """The live entries by the words of their titles."""

    def __init__(self, store: Store) -> None:
        self._by_word: dict[str, list[tuple[frozenset[str], Row]]] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            words = words_of(row.title)
            for word in words:
                self._by_word.setdefault(word, []).append((words, row))

    def find(self, row: Row) -> Row | None:
        """Return the oldest live entry of the same kind and scope with nearly the same title."""
        words = words_of(row.title)
        # Nearly the same words lack at most one in ten, so looking up the rarest few is enough.
        rarest = sorted(words, key=lambda word: len(self._by_word.get(word, ())))
        for word in rarest[: len(words) // 10 + 1]:
            for others, other in self._by_word.get(word, ()):
                same = other.kind == row.kind and other.project in (None, row.project)
                if same and other.id != row.id and is_near_copy(words, others):
                    return other
        return None


Show: TypeAlias = "Callable[[Context, Entry], list[Preview]]"
"""Previews what becomes of one entry."""


def _find_entry(context: Context, reference: str) -> Subject:
    entry = read_named(context.store, reference)
    return Subject(entry.id, entry.title, entry.note.substance(), [entry])


class _Verb(Protocol):
    """A verb of the engine about one entry, which is to be as `expect` has it."""

    def __call__(self, store: Store, id_: str, reason: str, /, *, expect: str) -> object: ...


def _entry_action(preview: Show, verb: _Verb) -> Action:
    """An action about one entry."""

    def show_entry(context: Context, subject: Subject) -> list[Preview]:
        return [] if subject.entry is None else preview(context, subject.entry)

    def apply(context: Context, id_: str, base: str, reason: str) -> None:
        verb(context.store, id_, reason, expect=base)

    return Action(_find_entry, show_entry, apply)


def _preview_archive(context: Context, entry: Entry) -> list[Preview]:
    folder, note = retire(entry, EXTRACT, context.store.clock.now())
    return [show(entry, folder, note.raw)]


def _archive(store: Store, id_: str, reason: str, *, expect: str) -> None:
    # What was shown is what is done, so a model has no say in it.
    archive_entry(store, id_, reason=reason, summarizer=EXTRACT, expect=expect)


def _preview_promote(_: Context, entry: Entry) -> list[Preview]:
    return [show(entry, ALWAYS_LOAD, entry.note.patch({"always_load": True}).raw)]


def _preview_attest(context: Context, entry: Entry) -> list[Preview]:
    """Show what an edit by another program did to the text before it."""
    place = Locator(entry.path)
    before = ""
    for change in context.store.index.changes(locator=place):
        if change.op != "external" and change.after_hash is not None:
            with suppress(NotFoundError):  # it was erased
                before = text_of(bytes_after(context.store, change))
            break
    return [(place if before else "", before, place, text_of(entry.note.raw))]


def _attest(store: Store, id_: str, reason: str, *, expect: str) -> None:  # noqa: ARG001
    attest_entry(store, id_, reason)


def _preview_new(plan: Callable[[Entry, float], tuple[str, Note]]) -> Show:
    """Show the whole text: nobody has seen it yet, since recall does not look where it waits."""

    def preview(context: Context, entry: Entry) -> list[Preview]:
        folder, note = plan(entry, context.store.clock.now())
        return [("", "", show(entry, folder, note.raw)[2], text_of(note.raw))]

    return preview


def _find_same(store: Store, id_: str) -> Row | None:
    return LiveTitles(store).find(store.find_one(id_, prefer="inbox"))


def _preview_absorb(context: Context, entry: Entry) -> list[Preview]:
    same = _find_same(context.store, entry.id)
    if same is None:
        return []
    folder, note = plan_absorption(entry, same.id, context.store.clock.now())
    return [show(entry, folder, note.raw)]


def _absorb(store: Store, id_: str, reason: str, *, expect: str) -> None:
    same = _find_same(store, id_)
    if same is None:
        raise ConflictError(f"no active entry contains what {id_} says any more")
    absorb_entry(store, id_, same.id, reason, expect=expect)


def _rewriting_action(preview: str, apply: str) -> Action:
    """An action that rewrites one entry. The function at `preview` returns its new bytes, None for
    no change; the one at `apply` writes them."""
    compose: Deferred[Callable[[Store, Entry], bytes | None]] = Deferred(preview)
    write: Deferred[Callable[[Store, str, str, str], None]] = Deferred(apply)

    def show_rewritten(context: Context, entry: Entry) -> list[Preview]:
        raw = compose.load()(context.store, entry)
        return [] if raw is None else [show(entry, entry.path.rpartition("/")[0], raw)]

    def rewrite(store: Store, id_: str, reason: str, *, expect: str) -> None:
        write.load()(store, id_, expect, reason)

    return _entry_action(show_rewritten, rewrite)


def _find_note(context: Context, place: str) -> Subject:
    return Subject(place, place, context.personal.look(place, "propose"))


def _show_nothing(_context: Context, _subject: Subject) -> list[Preview]:
    """The operator's own text does not get into the vault, not even as a preview."""
    return []


def _archive_note(context: Context, place: str, base: str, _reason: str) -> None:
    context.personal.archive(place, base)


_LIFE = "engrain.lifecycle"
ACTIONS: dict[str, Action] = {
    "archive": _entry_action(_preview_archive, _archive),
    "promote": _entry_action(_preview_promote, promote_entry),
    "attest": _entry_action(_preview_attest, _attest),
    "adopt": _entry_action(_preview_new(plan_adoption), adopt_entry),
    "file": _entry_action(_preview_new(plan_filing), file_entry),
    "absorb": _entry_action(_preview_absorb, _absorb),
    "renew": _rewriting_action(
        f"{_LIFE}.consolidating.running:preview_renewal", f"{_LIFE}.consolidating.running:renew"
    ),
    "merge": group_action(f"{_LIFE}.reviewing.merging:plan_merge", "merge"),
    "contradict": group_action(f"{_LIFE}.dreaming.applying:plan_contradiction", "link"),
    "compact": group_action(f"{_LIFE}.dreaming.applying:plan_compaction", "compact"),
    "retag": group_action(f"{_LIFE}.dreaming.applying:plan_retagging", "tidy", tags_of),
    "refile": group_action(f"{_LIFE}.dreaming.applying:plan_refiling", "tidy"),
    "insight": group_action(f"{_LIFE}.dreaming.insights:plan_insight", "consolidate"),
    "link": group_action(f"{_LIFE}.dreaming.missing_links:plan_link", "link"),
    "relink": group_action(f"{_LIFE}.dreaming.missing_links:plan_relinking", "link"),
    "settle": _rewriting_action(
        f"{_LIFE}.synthesizing.disputes:preview_settling",
        f"{_LIFE}.synthesizing.disputes:apply_settling",
    ),
    "personal-archive": Action(_find_note, _show_nothing, _archive_note),
}
