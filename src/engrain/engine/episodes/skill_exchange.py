"""Imports skills from folders of the Agent Skills format, and exports them as such (S2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.engine.core.attesting import EXTERNAL
from engrain.engine.core.erased_contents import ErasedContents
from engrain.engine.core.outcomes import CREATED, SIMILAR, Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.episodes.skills import read_skill_entry
from engrain.engine.verbs.intake import Intake, Terms
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.experience.folders import SkillFolder, write_skill_folder
from engrain.model.experience.skills import KIND
from engrain.model.note.documents import object_of, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import hash_bytes
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write


@dataclass(slots=True, eq=False)
class GivenSkill:
    """A skill as a folder: its `name`, its `files` as (path, bytes), and what was `left_out`."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    left_out: tuple[str, ...]


def take_in_skill(
    store: Store,
    folder: SkillFolder,
    *,
    project: str | None = None,
    allow_erased: bool = False,
    terms: Terms | None = None,
) -> Outcome:
    """File a skill that came from an Agent Skills folder, read by `read_skill_folder`. It is as
    trusted as whoever opened this memory; a folder from elsewhere is `external`.

    One that says the same is `unchanged`, or what the terms of the import make of it; beside
    another of its name it is filed as `similar`. Raises UsageError for one that is too large,
    ErasedError for one that was erased here, unless `allow_erased`; `terms` as of `import_folder`.
    """
    store = store.allowing_erased(allow_erased)
    redaction = Redaction(store)
    body = redaction.clean(folder.body)
    said: dict[str, Value] = {
        "kind": KIND,
        "tags": [redaction.clean(tag) for tag in folder.tags] or None,
        "project": project or None,
        "skill": redaction.clean_values(folder.extras) or None,
    }
    taken: Entry | None = None
    for stem in (folder.name, f"{folder.name}-{hash_bytes(body.encode())[:8]}"):
        place = make_locator(f"{kind_of(KIND).folder}/{stem}.md")
        try:
            there = store.read_entry(place)
        except NotFoundError:
            source = stamp_source(store.actor, "import", f"skill {folder.name}")
            note = compose_new(store, said, body, source)
            entry = Entry(place, note, hash_bytes(note.raw))
            write = Write(place, note.raw, entry.id)
            ErasedContents(store).check(write)
            store.commit("import", [write], {place: None}, known=[entry])
            outcome, other = (SIMILAR, taken.id) if taken else (CREATED, None)
            return Outcome(outcome, entry, place, other=other, redacted=redaction.rules)
        if there.note.body == body and _says(there, said):
            outcome = _settle(store, folder.name, there, terms or Terms())
            return Outcome(outcome, store.read_entry(place), place, redacted=redaction.rules)
        taken = taken or there
    raise ConflictError(f"no free name for {folder.name!r}", path=kind_of(KIND).folder)


def _settle(store: Store, name: str, there: Entry, terms: Terms) -> str:
    """What becomes of a skill that says what its folder says; the outcome."""
    ref = f"skill {name}"
    intake = Intake(store, ref, terms)
    if not intake.stays_deleted(name, there):
        came_by_it = there.source.get("ref") == ref
        intake.settle(name, there, None, came_by_it=came_by_it, same=True)
        intake.flush()
    return next(iter(intake.done.counts))


def give_out_skill(store: Store, reference: str) -> GivenSkill:
    """Make an Agent Skills folder of a skill: its name, its files, what is left out of it. The
    tools that one from outside says are allowed are left out: a host would use them unasked."""
    skill = read_skill_entry(store, reference)
    entry = skill.entry
    extras = object_of(entry.fields.get("skill"))
    left_out = texts_of(extras.get("left_out"))
    held = skill.origin == EXTERNAL
    if held and extras.get("allowed-tools"):
        left_out.append("allowed-tools")
    name, files = write_skill_folder(entry.slug, entry.note.body, entry.tags, extras, hold=held)
    return GivenSkill(name, tuple(files), tuple(left_out))


def _says(entry: Entry, said: dict[str, Value]) -> bool:
    """Whether an entry says the same in these fields, nothing being as good as an empty one; what
    was left out of its folder once is not in the folder that was written from it."""

    def told(value: Value) -> Value:
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key != "left_out"}
        return value or None

    return all(told(entry.fields.get(key)) == told(value) for key, value in said.items())
