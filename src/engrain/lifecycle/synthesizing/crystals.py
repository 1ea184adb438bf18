"""Crystallization: the digest of a phase of work, as one note that cites its sources (S1.17,
DESIGN section 10).

Its id follows from the phase, so that two devices make one note. From the same material it is
unchanged; a digest of more supersedes the earlier one. Text that a person wrote into it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import is_free, retire
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import taken_back
from engrain.engine.links.suggestions import name_now
from engrain.engine.verbs.save import compose_new
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.lifecycle.consolidating.evidence import evidence_id
from engrain.lifecycle.synthesizing.material import gather, make_sections
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.experience.crystal import KIND, PHASE, Crystal, Span, compose_body
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, make_id
from engrain.model.note.tiers import ACTIVE, PROJECTS, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row

OP = "crystallize"
_EVOLVE = "evolve"

CREATED, EVOLVED, UNCHANGED = "created", "evolved", "unchanged"
NOTHING, FORGOTTEN, OWN = "nothing", "forgotten", "own"
"""Outcomes. `nothing`: there is no material. `forgotten`: the note was forgotten, and stays so.
`own`: a person changed it, undid a later one, or retired it; it stays as it is."""

_MATERIAL, _TEXT = "material", "text_hash"
"""Fields of the note: hashes of its sources' ids, and of the text as it was made."""
_KEPT = ("tags", "always_load", "weight", "confidence", "pinned")
"""Fields that a later digest takes over from the one it replaces."""


class Crystallized:
    """The result for a phase: one of the outcomes above, the note's id and place ("" for
    none), the digest, and its text."""

    def __init__(self, span: Span, outcome: str, crystal: Crystal, row: Row | None = None) -> None:
        self.span = span
        self.outcome = outcome
        self.crystal = crystal
        self.id = row.id if row is not None else ""
        self.path: str = row.locator if row is not None else ""
        self.text = ""
        self.redacted: tuple[str, ...] = ()


def crystallize(store: Store, span: Span, *, dry_run: bool = False) -> Crystallized:
    """Make the digest of a phase, or return with `dry_run` what it would be. The index
    has to be ready.

    Raises ConfigError; ConflictError where another process was quicker.
    """
    material = gather(store, span)
    crystal = Crystal(make_sections(span, material))
    given = sorted(id_ for lines in span.given.values() for line in lines for id_ in line.sources)
    fingerprint = _digest([*material.ids, *dict.fromkeys(given)])
    known = _find(store, span)
    if known is not None and (outcome := _judge(store, *known, fingerprint)):
        return Crystallized(span, outcome, crystal, known[0])
    if crystal.empty:
        return Crystallized(span, NOTHING, crystal)
    done = Crystallized(span, CREATED if known is None else EVOLVED, crystal)
    redaction = Redaction(store)
    done.text = redaction.clean(compose_body(span, done.crystal, partial(_name, store)))
    done.redacted = redaction.rules
    if dry_run:
        return done
    _file(store, done, fingerprint, None if known is None else known[1])
    return done


def _file(store: Store, done: Crystallized, fingerprint: str, old: Entry | None) -> None:
    """Write a digest, at the place of an older one if it replaces one."""
    sources = [id_ for id_ in done.crystal.sources if store.find_exact(id_) is not None]
    actor = acting_from(store, sources)
    note = _compose(store, done, sources, actor, fingerprint, old)
    done.id = str(note.fields["id"])
    if old is None and store.find_exact(done.id) is not None:
        done.outcome = FORGOTTEN  # it was erased
        return
    place = _free_place(store, done.span, done.id) if old is None else make_locator(old.path)
    done.path = place
    reason = f"{done.span.ref}, {len(sources)} sources"
    if old is None:
        store.commit(OP, [Write(place, note.raw, done.id)], reason=reason, actor=actor)
        return
    stored = store.backend.read(place)
    if stored.hash != old.hash:
        raise ConflictError(f"{old.id} was changed just now", path=place, remedy="try again")
    store.preserve(place, stored, old.id)
    gone = retire(old, {"status": "superseded", "updated": store.now})
    new = Write(place, note.raw, done.id, old.hash)
    store.commit(_EVOLVE, [gone, new], reason=reason, actor=actor)


def _name(store: Store, id_: str) -> str:
    """Return the name by which a link names an entry: its id where it is no note, and its path in
    a project's folder, since every project has files of the same names."""
    row = store.find_exact(id_)
    if row is None or not row.locator.endswith(".md"):
        return id_
    if row.locator.startswith(f"{PROJECTS}/"):
        return row.locator.removesuffix(".md")
    return name_now(store, row.locator)


def _find(store: Store, span: Span) -> tuple[Row, Entry] | None:
    """Return the latest digest of a phase."""
    rows = store.index.find(Filter(kinds=(KIND,), projects=(span.project,)))
    here = [row for row in rows if row.primary]
    for row in sorted(here, key=lambda row: row.status != ACTIVE):
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue
        if entry.source.get("ref") == span.ref and row.status != "superseded":
            return row, entry
    return None


def _judge(store: Store, row: Row, entry: Entry, fingerprint: str) -> str:
    """Return the outcome for an existing digest, "" where it has to be made anew."""
    if row.status == "deleted":
        return FORGOTTEN
    if entry.fields.get(_MATERIAL) == fingerprint:
        return UNCHANGED
    written = entry.fields.get(_TEXT) != _digest([entry.note.body])
    if row.status != ACTIVE or written or any(taken_back(store, row.id, _EVOLVE)):
        return OWN
    return ""


def _compose(
    store: Store,
    done: Crystallized,
    sources: Sequence[str],
    actor: Actor,
    fingerprint: str,
    old: Entry | None,
) -> Note:
    span = done.span
    fields: dict[str, Value] = {
        "id": evidence_id(span.ended, KIND, span.project, span.ref),
        "kind": KIND,
        "project": span.project or None,
        PHASE: span.name,
        "began": format_instant(span.began),
        "ended": format_instant(span.ended),
        "derived_from": list(sources),
        _MATERIAL: fingerprint,
        _TEXT: _digest([done.text]),
    }
    if old is not None:
        fields |= {key: old.fields[key] for key in _KEPT if key in old.fields}
        fields["id"] = make_id(store.clock.now(), store.entropy.draw(10))
        fields["supersedes"] = old.id
    source: dict[str, Value] = {"kind": OP, "ref": span.ref}
    if actor.agent:
        source["agent"] = actor.agent
    clean = Redaction(store).clean_values(fields)
    return compose_new(store, clean, done.text, {**source, "trust": actor.trust})


def _free_place(store: Store, span: Span, id_: str) -> Locator:
    day = format_instant(span.ended)[:10]
    slug = slugify(f"{day} {PHASE} {span.name} {span.project}", KIND)
    place = make_locator(f"{kind_of(KIND).folder}/{slug}.md")
    if is_free(store, place):
        return place
    return make_locator(f"{kind_of(KIND).folder}/{slug}-{id_[-8:]}.md")


def _digest(parts: Sequence[str]) -> str:
    return blake2b("\n".join(parts).encode(errors="replace"), digest_size=8).hexdigest()
