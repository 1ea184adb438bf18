"""What may be proposed: a table of actions, each with what it is about, how it would look and how
it is done (S1.17).

A proposal is a file that anybody may have written. Nothing of it is done but what stands here, to
the one thing it names, and only while that is what it was when it was proposed.
"""

from __future__ import annotations

from contextlib import suppress

from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.moving import ALWAYS_LOAD, promote_entry
from engrain.engine.history.history import bytes_after
from engrain.engine.verbs.adopting import adopt_entry, plan_adoption
from engrain.engine.verbs.archive import EXTRACT, archive_entry, retire
from engrain.engine.verbs.filing import absorb_entry, file_entry, plan_absorption, plan_filing
from engrain.lifecycle.jobs.homes import load
from engrain.lifecycle.reviewing.actions import (
    Action,
    Desk,
    Preview,
    Subject,
    joint,
    show,
    tags_of,
    text_of,
)
from engrain.lifecycle.reviewing.live_titles import find_twin
from engrain.lifecycle.reviewing.personal import apply_archive
from engrain.model.errors import ConflictError, NotFoundError
from engrain.seam.locator import Locator


def _find_entry(desk: Desk, reference: str) -> Subject:
    row = desk.store.find_one(reference)
    entry = desk.store.read_entry(row.locator)
    if entry.id != row.id:
        raise NotFoundError(f"no entry {reference!r} any more", path=row.locator)
    return Subject(row.id, entry.title, entry.note.substance(), [entry])


def _preview_archive(desk: Desk, subject: Subject) -> list[Preview]:
    if subject.entry is None:
        return []
    folder, note = retire(subject.entry, EXTRACT, desk.store.clock.now())
    return [show(subject.entry, folder, note.raw)]


def _archive(desk: Desk, id_: str, base: str, reason: str) -> None:
    # What was shown is what is done, so a model has no say in it.
    archive_entry(desk.store, id_, reason=reason, summarizer=EXTRACT, expect=base)


def _preview_promote(_: Desk, subject: Subject) -> list[Preview]:
    if subject.entry is None:
        return []
    return [show(subject.entry, ALWAYS_LOAD, subject.entry.note.patch({"always_load": True}).raw)]


def _promote(desk: Desk, id_: str, base: str, reason: str) -> None:
    promote_entry(desk.store, id_, reason, expect=base)


def _preview_attest(desk: Desk, subject: Subject) -> list[Preview]:
    """What an edit by another program did to the text that was there before it."""
    entry = subject.entry
    if entry is None:
        return []
    place = Locator(entry.path)
    before = ""
    for change in desk.store.index.changes(locator=place):
        if change.op != "external" and change.after_hash is not None:
            with suppress(NotFoundError):  # it was erased
                before = text_of(bytes_after(desk.store, change))
            break
    return [(place if before else "", before, place, text_of(entry.note.raw))]


def _attest(desk: Desk, id_: str, _: str, reason: str) -> None:
    attest_entry(desk.store, id_, reason)


def _preview_adopt(desk: Desk, subject: Subject) -> list[Preview]:
    if subject.entry is None:
        return []
    folder, note = plan_adoption(subject.entry, desk.store.clock.now())
    # What is adopted is all new to whoever looks at it.
    return [("", "", show(subject.entry, folder, note.raw)[2], text_of(note.raw))]


def _adopt(desk: Desk, id_: str, base: str, reason: str) -> None:
    adopt_entry(desk.store, id_, reason, expect=base)


def _preview_file(desk: Desk, subject: Subject) -> list[Preview]:
    if subject.entry is None:
        return []
    folder, note = plan_filing(subject.entry, desk.store.clock.now())
    # Whoever decides has not seen it yet: recall does not look where it waits.
    return [("", "", show(subject.entry, folder, note.raw)[2], text_of(note.raw))]


def _file(desk: Desk, id_: str, base: str, reason: str) -> None:
    file_entry(desk.store, id_, reason, expect=base)


def _preview_absorb(desk: Desk, subject: Subject) -> list[Preview]:
    twin = find_twin(desk.store, desk.store.find_one(subject.id, prefer="inbox"))
    if subject.entry is None or twin is None:
        return []
    folder, note = plan_absorption(subject.entry, twin.id, desk.store.clock.now())
    return [show(subject.entry, folder, note.raw)]


def _absorb(desk: Desk, id_: str, base: str, reason: str) -> None:
    twin = find_twin(desk.store, desk.store.find_one(id_, prefer="inbox"))
    if twin is None:
        raise ConflictError(f"no live entry says what {id_} says any more")
    absorb_entry(desk.store, id_, twin.id, reason, expect=base)


def _rewrite(preview: str, apply: str) -> Action:
    """An action that writes one entry anew: at the home `preview` is what its bytes become at a
    moment, None where nothing does; at `apply` is what writes them."""

    def show_it(desk: Desk, subject: Subject) -> list[Preview]:
        entry = subject.entry
        raw = None if entry is None else load(preview)(desk.store, entry)
        if entry is None or raw is None:
            return []
        return [show(entry, entry.path.rpartition("/")[0], raw)]

    def do_it(desk: Desk, id_: str, base: str, reason: str) -> None:
        load(apply)(desk.store, id_, base, reason)

    return Action(_find_entry, show_it, do_it)


def _find_note(desk: Desk, place: str) -> Subject:
    return Subject(place, place, desk.personal.look(place, "propose"))


def _show_nothing(_desk: Desk, _subject: Subject) -> list[Preview]:
    """What is the operator's own does not get into the vault, not even to be shown."""
    return []


def _archive_note(desk: Desk, place: str, base: str, _reason: str) -> None:
    apply_archive(desk.personal, place, base)


ACTIONS: dict[str, Action] = {
    "archive": Action(_find_entry, _preview_archive, _archive),
    "promote": Action(_find_entry, _preview_promote, _promote),
    "attest": Action(_find_entry, _preview_attest, _attest),
    "adopt": Action(_find_entry, _preview_adopt, _adopt),
    "file": Action(_find_entry, _preview_file, _file),
    "absorb": Action(_find_entry, _preview_absorb, _absorb),
    "renew": _rewrite(
        "engrain.lifecycle.consolidating.running:preview_renewal",
        "engrain.lifecycle.consolidating.running:renew",
    ),
    "merge": joint("engrain.lifecycle.reviewing.merging:plan_merge", "merge"),
    "contradict": joint("engrain.lifecycle.dreaming.planners:plan_contradiction", "link"),
    "compact": joint("engrain.lifecycle.dreaming.planners:plan_compaction", "compact"),
    "retag": joint("engrain.lifecycle.dreaming.planners:plan_retagging", "tidy", tags_of),
    "refile": joint("engrain.lifecycle.dreaming.planners:plan_refiling", "tidy"),
    "insight": joint("engrain.lifecycle.dreaming.insights:plan_insight", "consolidate"),
    "link": joint("engrain.lifecycle.reviewing.link_proposals:plan_link", "link"),
    "relink": joint("engrain.lifecycle.reviewing.link_proposals:plan_relinking", "link"),
    "settle": _rewrite(
        "engrain.lifecycle.synthesizing.disputes:preview_settling",
        "engrain.lifecycle.synthesizing.disputes:apply_settling",
    ),
    "personal-archive": Action(_find_note, _show_nothing, _archive_note),
}
