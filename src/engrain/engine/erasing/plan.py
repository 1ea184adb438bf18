"""Surveys the vault and plans an erasure: lists what it would destroy before anything is done
(DESIGN section 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from engrain.engine.core.store import Store
from engrain.engine.erasing.names import Names, text_of
from engrain.engine.erasing.survey import Met, NoteSurvey, is_copied, survey_notes, unlink_note
from engrain.model.errors import EngrainError
from engrain.model.links.places import link_key
from engrain.model.note.ids import is_id
from engrain.model.note.tiers import STAGING
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator


def follow(met: Iterable[Met], ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The entries that some lead to, each once, with the reason: copies of a text, and all that was
    derived from it. Cycles are handled."""
    notes = [note for note in met if not note.buried]
    by_digest: dict[str, list[Met]] = {}
    by_source: dict[str, list[Met]] = {}
    by_id: dict[str, list[Met]] = {}
    for note in notes:
        by_id.setdefault(note.id, []).append(note)
        if note.digest:
            by_digest.setdefault(note.digest, []).append(note)
        for source in note.sources:
            by_source.setdefault(source, []).append(note)
    todo = list(dict.fromkeys(ids))
    known = set(todo)
    while todo:
        id_ = todo.pop()
        files = by_id.get(id_, [])
        names = {link_key(id_)}.union(*(file.names for file in files))
        found = [(note.id, "derived") for name in names for note in by_source.get(name, ())]
        for file in files:
            found += [(note.id, "copy") for note in by_digest.get(file.digest or "", ())]
        for other, why in found:
            if other not in known:
                known.add(other)
                todo.append(other)
                yield other, why


ASKED = "asked"
DERIVED = "derived"
COPY = "copy"
PROPOSAL = "proposal"


class Doomed:
    """A file that is to go, and why: it was asked for, derived from such a file, a copy of its
    text, or a proposal about it."""

    def __init__(self, met: Met, why: str) -> None:
        self.id = met.id
        self.locator = met.locator
        self.title = met.title
        self.hash = met.hash
        self.why = why


class ErasurePlan:
    """What an erasure would do.

    `files` go, each leaving a tombstone; in `linking` notes links are rewritten; `relatives` are
    predecessors and successors, which stay; `mentions` are notes that say an erased name and stay
    as they are, like the `unreadable` files. `words` find traces in logs. `survey` is what it was
    made by.
    """

    def __init__(self, files: Sequence[Doomed], survey: NoteSurvey) -> None:
        self.files = tuple(files)
        self.ids = tuple(dict.fromkeys(file.id for file in files))
        self.survey = survey
        self.names = survey.names
        self.words = self.names.words()
        self.linking: Sequence[Locator] = ()
        self.mentions: Sequence[Locator] = ()
        self.relatives: Sequence[Doomed] = ()
        self.unreadable: Sequence[Locator] = ()

    @property
    def strange_ids(self) -> list[str]:
        """Ids that were written by hand, and so may reveal something: they stay in the history."""
        return [id_ for id_ in self.ids if not is_id(id_)]


def plan_erasure(
    store: Store, references: Iterable[str], progress: Progress | None = None
) -> ErasurePlan:
    """Find what is to be erased and all that goes with it; nothing is changed. Raises
    NotFoundError, UsageError for a reference that means several."""
    asked = dict.fromkeys(store.find_one(reference).id for reference in references)
    why, survey = _find_doomed(store, asked, progress)
    names, met = survey.names, list(survey.met.values())
    linking = []
    mentions = []
    for entry in survey.near:
        place = Locator(entry.path)
        if entry.id in why:
            continue
        if entry.zone == STAGING:
            text = entry.note.raw.decode(errors="replace")
            if names.proposed_in(place, text, entry.fields):
                why[entry.id] = PROPOSAL
        elif unlink_note(names, entry) != entry.note.raw:
            linking.append(place)
        elif names.mentioned_in(entry.text) or names.quoted_in(entry.text):
            mentions.append(place)
    doomed = [Doomed(note, why[note.id]) for note in met if note.id in why and not note.buried]
    order = (ASKED, DERIVED, COPY, PROPOSAL)
    plan = ErasurePlan(sorted(doomed, key=lambda file: order.index(file.why)), survey)
    plan.linking, plan.mentions = linking, mentions
    plan.relatives = [Doomed(note, "") for note in _relatives(met, why)]
    plan.unreadable = [place for place in survey.unreadable if _mentions(store, place, names)]
    return plan


def _find_doomed(
    store: Store, asked: Iterable[str], progress: Progress | None
) -> tuple[dict[str, str], NoteSurvey]:
    """The ids of all that goes with what is asked for, each with why, and what they go by."""
    why = dict.fromkeys(asked, ASKED)
    survey = survey_notes(store, why, progress)
    while True:
        met = survey.met.values()
        why |= {id_: reason for id_, reason in follow(met, why) if id_ not in why}
        # Copies of an earlier version, which only the history still has.
        had = [note.id for note in met if note.id not in why and survey.names.had(note.digest)]
        why |= dict.fromkeys(had, COPY)
        if why.keys() == survey.names.ids.keys():
            break
        survey = survey_notes(store, why, progress)
    survey.spare(survey.names)
    # A trace may read like another of the same task, and what was derived has the words of all its
    # sources: neither was copied into them.
    copied = {note.id for note in met if note.copied}
    said = [id_ for id_, reason in why.items() if reason != DERIVED and id_ not in copied]
    quoted = survey.names if len(said) == len(why) else survey.part(said)
    if quoting := _find_quotes(survey, quoted, why):
        why |= dict.fromkeys(quoting, COPY)
        why |= {id_: reason for id_, reason in follow(met, quoting) if id_ not in why}
        survey = survey_notes(store, why, progress)
        survey.spare(survey.names)
    return why, survey


def _find_quotes(survey: NoteSurvey, names: Names, known: Collection[str]) -> list[str]:
    """What Engrain took out of transcripts, is not `known`, and has a passage of the erased."""
    return [
        entry.id
        for entry in survey.near
        if entry.id not in known and is_copied(entry) and names.quoted_in(text_of(entry), own=True)
    ]


def _relatives(met: Sequence[Met], why: dict[str, str]) -> list[Met]:
    before = {note.supersedes for note in met if note.id in why}
    return [
        note
        for note in met
        if note.id not in why and (note.id in before or (note.supersedes or "") in why)
    ]


def _mentions(store: Store, place: Locator, names: Names) -> bool:
    try:
        return names.mentioned_in(store.backend.read(place).raw.decode(errors="replace"))
    except EngrainError:
        return False
