"""Lint: finds flaws by rules, and fixes those it can in one change."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engrain.engine.core.reading import MERGE_MARKS, MERGED, find_merge_line
from engrain.engine.core.store import Actor, Store, try_again
from engrain.engine.diagnosis import MERGE_REMEDY, list_copies, list_problems
from engrain.engine.entities.files import ACTIVE_ENTITIES, read_summary, try_filed
from engrain.engine.indexes import write_entity_index, write_episode_index, write_maps
from engrain.engine.lint import fields, links
from engrain.engine.lint.flaw import Flaw, Generator, LintRule, Repairs
from engrain.engine.verbs.records import read_rows
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.facts.summaries import read_stamp, stamp_of
from engrain.model.history.record import Record
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import EXTERNAL, tier_of
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.rows import CURRENT, Row

UNREADABLE, COPY, GENERATED = "unreadable", "copy", "generated"
_GENERATORS: tuple[Generator, ...] = (
    write_episode_index,
    write_entity_index,
    partial(write_maps, begin=False),
)


def find_unreadable(store: Store) -> Iterator[Flaw]:
    """Find files that can't be read as entries."""
    for problem in list_problems(store):
        if problem.subject == "file":
            yield Flaw(
                UNREADABLE,
                problem.path or "",
                problem.message,
                line=problem.line,
                remedy=problem.remedy,
            )


def find_copies(store: Store) -> Iterator[Flaw]:
    """Find files with another file's id."""
    for problem in list_copies(store):
        yield Flaw(COPY, problem.path or "", problem.message, remedy=problem.remedy)


def find_merged(_: Store, row: Row, entry: Entry) -> Iterator[Flaw]:
    """Find notes in which git left its merge marks."""
    if line := find_merge_line(entry):
        yield Flaw(MERGE_MARKS, row.locator, MERGED, line=line, remedy=MERGE_REMEDY)


def find_stale(store: Store) -> Iterator[Flaw]:
    """Find generated files and summaries that no longer match their sources."""
    for generate in _GENERATORS:
        rehearsal = Rehearsal(store)
        generate(rehearsal)
        if not rehearsal.replaces:
            continue  # they were never made; a job makes them
        for write in rehearsal.writes:
            yield Flaw(
                GENERATED,
                write.locator,
                "differs from what Engrain would generate now",
                mend=partial(Repairs.generate, generate=generate),
            )
    now = store.clock.now()
    for row in store.index.find(ACTIVE_ENTITIES):
        filed = try_filed(store, row.locator)
        summary = None if filed is None else read_summary(store, row.locator.folder)
        if filed is None or summary is None:
            continue
        stamp = read_stamp(summary.raw.decode(errors="replace"))
        if stamp is not None and stamp != stamp_of(filed.entity, now):
            yield Flaw(
                GENERATED,
                f"{row.locator.folder}/summary.md",
                f"was made before the facts of {filed.entity.name} changed",
                remedy=f"`engrain synthesize --entity {filed.slug}` writes it anew",
            )


class Rehearsal(Store):
    """The same store, whose commits are only gathered as `writes`; `replaces` is whether one would
    overwrite an existing file."""

    writes: Sequence[Write] = ()
    replaces: bool = False

    def __init__(self, store: Store) -> None:
        super().__init__(
            **{own.name: getattr(store, own.name) for own in dataclasses.fields(Store)}
        )

    def commit(
        self,
        op: str,
        writes: Sequence[Write],
        *,
        reason: str = "",
        undoes: str | None = None,
        actor: Actor | None = None,
        known: Sequence[Entry] = (),  # noqa: ARG002 - as the store's
    ) -> Record:
        """Gather what would be written; the record is of no chain."""
        self.writes = [*self.writes, *writes]
        self.replaces = self.replaces or any(write.before for write in writes)
        trust = (actor or self.actor).trust
        change = ChangeSet(
            op, writes, at=self.clock.now(), trust=trust, reason=reason, undoes=undoes
        )
        return change.to_record(self.backend.device, 0)


RULES: Mapping[str, LintRule] = {
    rule.name: rule
    for rule in (
        LintRule(UNREADABLE, whole=find_unreadable),
        LintRule(COPY, whole=find_copies),
        LintRule(MERGE_MARKS, each=find_merged),
        LintRule(fields.MISSING, each=fields.find_missing),
        LintRule(fields.FIELD, each=fields.find_wrong),
        LintRule(fields.KIND, each=fields.find_unknown_kind),
        LintRule(fields.RELATION, each=fields.find_unknown_relation),
        LintRule(fields.FOLDER, each=fields.find_misfiled),
        LintRule(links.BROKEN_LINK, whole=links.find_broken),
        LintRule(links.ONE_SIDED, whole=links.find_one_sided),
        LintRule(links.DRAWING, each=links.find_undrawn),
        LintRule(GENERATED, whole=find_stale),
    )
}


MOST = 2000
"""Repairs that one change makes: its record is held in memory as a whole."""


@dataclass(slots=True, eq=False)
class Linted:
    """The result of lint: the flaws `found` and those `mended`, in the change of that name ("" for
    none); `left` are the remaining flaws."""

    found: list[Flaw]
    mended: list[Flaw]
    left: list[Flaw]
    change: str = ""


def lint(store: Store, only: Collection[str] = (), *, fix: bool = False) -> Linted:
    """Find flaws by some rules or by all; with `fix` fix what can be fixed. Raises UsageError for
    an unknown rule, ConflictError where others keep writing the same files."""
    rules = [find_rule(name) for name in only] or list(RULES.values())

    def mend() -> Linted:
        store.require_index(scan=True)
        found = find_flaws(store, rules)
        if not fix:
            return Linted(found, [], found)
        mended, repairs = _gather(store, found)
        change = repairs.commit()
        if not mended:
            return Linted(found, [], found)
        store.require_index(scan=True)
        return Linted(found, mended, find_flaws(store, rules), change)

    return try_again(mend)


def find_rule(name: str) -> LintRule:
    """A rule of the table. Raises UsageError."""
    try:
        return RULES[name]
    except KeyError:
        raise UsageError(f"{name!r} is no rule", remedy="use one of " + ", ".join(RULES)) from None


def find_flaws(store: Store, rules: Collection[LintRule]) -> list[Flaw]:
    """Find the flaws by some rules, sorted by rule, place and line. Entries are read once. The
    index must be ready."""
    found: list[Flaw] = []
    each = [rule.each for rule in rules if rule.each]
    if each:
        for row, entry in read_rows(store, store.index.find(replace(CURRENT, successions=0))):
            for look in each:
                found += look(store, row, entry)
    for rule in rules:
        if rule.whole:
            found += rule.whole(store)
    order = list(RULES)
    return sorted(found, key=lambda flaw: (order.index(flaw.rule), flaw.place, flaw.line))


def _gather(store: Store, found: Collection[Flaw]) -> tuple[list[Flaw], Repairs]:
    """Return the flaws that can be fixed, and their repairs."""
    repairs = Repairs(store)
    mended = []
    done: set[int] = set()
    for flaw in found:
        # An external actor changes nothing of the operator's.
        refused = store.actor.trust == EXTERNAL and tier_of(flaw.place) == "T2"
        if flaw.mend is None or len(done) == MOST or refused:
            continue
        try:
            if id(flaw.mend) not in done:  # several flaws of one file may share it
                flaw.mend(repairs)
        except (NotFoundError, MalformedError):
            continue  # it vanished or broke meanwhile
        done.add(id(flaw.mend))
        mended.append(flaw)
    return mended, repairs
