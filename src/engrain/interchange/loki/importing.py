"""`import --format loki`: a `.loki/memory` folder taken in, every document with its id and whole.

Importing again leaves what is the same and renews what only changed there. An id that another
entry of the vault has is never taken from it: the document gets one with its source's name, and
the rest of its tree follows. What can't be read is told and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engrain.engine.core.attesting import OPERATOR
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED, SIMILAR, UNCHANGED, Imported
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.episodes.index import write_episode_index
from engrain.engine.history.history import bytes_after
from engrain.engine.links.linking import link_entries, mend_inverses
from engrain.engine.verbs.intake import DELETED, OP, Intake, Telling, Terms
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.interchange.loki.identities import Identities
from engrain.interchange.loki.incoming import SOURCE, Incoming
from engrain.interchange.loki.reading import Reading
from engrain.language.text.folding import fold
from engrain.language.text.slugs import slugify
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.interchange.loki.entries import describe_entry, spell
from engrain.model.interchange.loki.layout import CONTINUITY, kind_at
from engrain.model.links.link import written_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import Note, split_note
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write

# Fields that tell what became of an entry here; its tree has no say in them.
_KEPT = (
    "id", "slug", "created", "filed", "status", "always_load", "pinned", "recall_count",
    "last_recalled", "sessions_since_recall", "weight", "claimed_by", "claimed_at",
)  # fmt: skip


def import_loki(
    store: Store,
    files: Iterable[tuple[str, bytes]],
    name: str,
    project: str | None = None,
    terms: Terms | None = None,
) -> Imported:
    """Take in the files of one tree, by their names in it, in the order of
    `model.loki.layout.in_reading_order`. `name` is what the tree is known by: under it importing
    again finds what came from it. `project` is that of every entry; None leaves it to each."""
    store.require_index(scan=True)
    return _Import(store, name, project, terms or Terms()).run(files)


class _Import:
    def __init__(self, store: Store, name: str, project: str | None, terms: Terms) -> None:
        self.store = store = store.as_one_change()
        self.name = name = clean_text(store, name)
        self.project = project
        self.intake = Intake(store, name, terms)
        self.actor = self.intake.actor
        self.done = self.intake.done
        self.reading = Reading(store, name, self.done, self.done.tell)
        self.identities = Identities(store, self.done.tell)
        self.places: set[str] = set()
        self.seen: list[str] = []
        self.targets: list[str] = []
        self.days: set[str] = set()

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        held: list[tuple[Incoming, Entry | None]] = []
        for path, raw in files:
            if kind_at(path) == "continuity":
                with self.intake.telling(path):
                    self._take_continuity(path, raw)
                continue
            at = self.intake.terms.date_of(path)
            for incoming in self.reading.read(path, raw):
                incoming.at = at
                with self.intake.telling(incoming.label):
                    if self.identities.came_before(incoming):
                        self.done.count(UNCHANGED)
                        continue
                    there = self.identities.find(incoming)
                    # What cites others waits until it is known what those are called.
                    if incoming.is_record:
                        self._take(incoming, there)
                    else:
                        held.append((incoming, there))
                self.intake.flush_full()
        for incoming, there in held:
            with self.intake.telling(incoming.label):
                incoming.rename(self.identities.renamed)
                self._take(incoming, there)
            self.intake.flush_full()
        self.intake.flush()
        self._join()
        if self.days:
            write_episode_index(self.store, self.days)
        return self.done

    def _take_continuity(self, path: str, raw: bytes) -> None:
        """Working memory stands among the operator's notes, and there is one of a project."""
        if self.actor.trust != OPERATOR or not self.project:
            self.done.withheld.append(path)
            raise UsageError("left where it is: only the operator takes it in, for one --project")
        folder = kind_of(kind_at(path)).folder.format(project=slugify(self.project, "project"))
        place = make_locator(f"{folder}/{CONTINUITY}")
        note = compose_new(
            self.store,
            {"kind": kind_at(path), "project": self.project},
            clean_text(self.store, split_note(raw).body),
            stamp_source(self.actor, SOURCE, f"{self.name}/{path}"),
        )
        if is_free(self.store, place):
            id_ = str(note.fields["id"])
            self.intake.batches.add(path, CREATED, Write(place, note.raw, id_), None)
            return
        there = self.store.read_entry(place)
        if self.intake.stays_deleted(path, there):
            return
        same = there.note.body == note.body
        if not same and there.status != DELETED:
            raise ConflictError("the project has one here, which stays as it is")
        self.intake.settle(path, there, None, came_by_it=True, same=same)

    def _take(self, incoming: Incoming, there: Entry | None) -> None:
        self.seen.append(incoming.id)
        if there is None:
            self._create(incoming)
            return
        label = incoming.label
        if self.intake.stays_deleted(label, there):
            return
        wanted = spell(incoming.as_here())
        here = spell(describe_entry(there))
        renews = self.intake.renews(label, there, here, wanted, lambda: self._last_taken_in(there))
        note = None
        if renews:
            note = self._compose(incoming, there, self._links_of(incoming, there))
            note = note.patch({key: there.fields[key] for key in _KEPT if key in there.fields})
        elif here == wanted and there.confidence == 0.0 and incoming.has_no_confidence:
            note = there.note.patch({}, ["confidence"])  # an older version took none for 0
        source = there.source
        self.intake.settle(
            label,
            there,
            note,
            came_by_it=(source.get("kind"), source.get("ref")) == (SOURCE, incoming.ref),
            same=renews or here == wanted,
            status=incoming.own_status,
        )

    def _create(self, incoming: Incoming) -> None:
        note = self._compose(incoming, None, self._links_of(incoming))
        for path in incoming.places(note):
            place = make_locator(path)
            if fold(place) not in self.places and is_free(self.store, place):
                break
        else:
            raise ConflictError(f"no free name for {incoming.id}", path=path)
        read_entry(place, note.raw)
        self.places.add(fold(place))
        outcome = CREATED if incoming.id == incoming.given else SIMILAR
        write = Write(place, note.raw, incoming.id)
        if not self.intake.batches.add(incoming.label, outcome, write, None):
            return
        if outcome == SIMILAR:
            told = f"another entry is {incoming.given!r} here: taken in as {incoming.id!r}"
            self.done.tell(incoming.label, told)
        if incoming.kind == "episode":
            self.days.add(place.split("/")[-2])

    def _compose(
        self, incoming: Incoming, there: Entry | None, links: list[dict[str, Any]] | None = None
    ) -> Note:
        sources = [self.identities.renamed.get(source, source) for source in incoming.sources]
        known = [id_ for id_ in sources if self.identities.knows(id_)]
        project = self.project
        if project is None and there is not None and there.project:
            project = there.project
        return incoming.compose(
            self.actor,
            self.store.clock.now(),
            project=project,
            derived_from=list(dict.fromkeys(known)),
            links=links or [],
        )

    def _links_of(self, incoming: Incoming, there: Entry | None = None) -> list[dict[str, Any]]:
        """The links of a document, those that `links.json` says it has, and those of the entry
        that it is to replace."""
        links = {(str(link["to"]), str(link.get("relation"))): link for link in incoming.links}
        for (to, relation), link in self.reading.links.pop(incoming.given, {}).items():
            to = self.identities.renamed.get(to, to)
            links.setdefault((to, relation), {**link, "to": to})
        self.targets += [to for to, _ in links]
        for end, link in written_links(
            None if there is None else there.fields.get("links")
        ).items():
            links.setdefault(end, link)
        return list(links.values())

    def _last_taken_in(self, there: Entry) -> str | None:
        """The document that an import last left of an entry, as `spell` writes it, where that is
        still known."""
        for change in self.store.index.changes(entry=there.id, op=OP):
            if change.locator is None or change.after_hash is None:
                continue
            try:
                last = read_entry(change.locator, bytes_after(self.store, change))
            except EngrainError:
                return None
            return spell(describe_entry(last))
        return None

    def _join(self) -> None:
        """Add the links whose entry was here before, and put inverses in step."""
        self.store.upkeep.flush()
        acting = self.store.acting_as(self.actor)
        for start, links in self.reading.links.items():
            for to, relation in links:
                with Telling(self.done.tell, f"link {start} {relation} {to}"):
                    ends = [self.identities.renamed.get(end, end) for end in (start, to)]
                    link_entries(acting, ends[0], ends[1], relation, mirrored=True)
        mend_inverses(acting, self.seen)
        there = {to: self.store.find_exact(to) is not None for to in set(self.targets)}
        self.done.links = len(self.targets)
        self.done.broken = sum(not there[to] for to in self.targets)
