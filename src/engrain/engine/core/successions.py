"""Refuses writes after which entries would supersede one another in a circle (S1.15, S2.9)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from engrain.engine.core.reading import read_references
from engrain.index.links import lead
from engrain.index.sqlite_index import SearchIndex
from engrain.index.succession import list_claims, list_waiting
from engrain.index.view import IndexView
from engrain.model.errors import IndexUnavailableError, MalformedError, UsageError
from engrain.model.graphs import find_circles
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.tiers import link_key, split_ending
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.references import Reference
from engrain.seam.rows import FACT

Step: TypeAlias = "tuple[str, str]"
"""The ids of an older entry and of the entry that replaced it."""


SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded_by"
RELATIONS = (SUPERSEDES, SUPERSEDED_BY)
_FACTS = "Memory/entities/"


def refuse_circles(
    index: SearchIndex,
    drain: Callable[[], object],
    writes: Sequence[Write],
    changed: Collection[str],
) -> None:
    """Raise UsageError if, after these writes, entries would supersede one another in a circle. A
    circle that existed before, such as one from a synchroniser, stops no other change. `writes` are
    those that may name a replaced entry or a successor, `changed` the ids of all entries in the
    same change; `drain` brings the index up to date."""
    saying = list(_read_claims(writes))
    if not saying or _is_plain_chain(saying, changed):
        return
    names = {
        link_key(name): entry.id
        for entry, _ in saying
        for name in (entry.title, entry.slug, split_ending(entry.path)[0], entry.id)
    }
    try:
        drain()
        with index.view() as view:
            said = {step for step in _resolve(view, saying, names) if step[0] != step[1]}
            known = _read_steps(view, index, {id_ for step in said for id_ in step})
            known += _read_waiting(view, names)
    except IndexUnavailableError:
        return  # the index ignores circles, and `check` reports them
    written = {entry.id for entry, _ in saying}
    before = {step for step, by in known if by in written}
    others = {step for step, by in known if by not in written}
    onward: dict[str, list[str]] = {}
    for older, newer in sorted(said | others):
        onward.setdefault(older, []).append(newer)
    new = said - before - others
    for circle in find_circles(onward):
        for older, newer in sorted(new):
            if older in circle and newer in circle:
                known_here = [one for one in (said | others) - new if {*one} <= {*circle}]
                raise _refusal(older, newer, known_here)


def _refusal(older: str, newer: str, others: Sequence[Step]) -> UsageError:
    message = f"{newer} can't supersede {older}: that would lead round in a circle"
    if not others:
        return UsageError(message, remedy="have each of them replace one that is older")
    before, after = min(others)
    return UsageError(
        f"{message}, for {after} supersedes {before}",
        remedy="take that away first if it is wrong:"
        f" `engrain link {after} {before} --relation supersedes --remove`",
    )


def _read_claims(writes: Iterable[Write]) -> Iterator[tuple[Entry, list[Reference]]]:
    """Yield the written entries that name a replaced entry or a successor, each with these
    references."""
    for write in writes:
        with suppress(MalformedError):
            entry = read_entry(write.locator, write.after or b"")
            references = [
                reference
                for reference in read_references(entry)
                if reference.relation in RELATIONS and reference.origin != FACT
            ]
            if references and not write.locator.startswith(_FACTS):
                yield entry, references


def _is_plain_chain(
    saying: Sequence[tuple[Entry, list[Reference]]], changed: Collection[str]
) -> bool:
    """Whether there is a single claim, by an entry that replaces one retired in the same change, as
    `evolve` writes it."""
    return len(saying) == 1 and all(
        one.relation == SUPERSEDES and one.target in changed for one in saying[0][1]
    )


def _resolve(
    view: IndexView, saying: Iterable[tuple[Entry, list[Reference]]], names: Mapping[str, str]
) -> Iterable[Step]:
    for entry, references in saying:
        for one in references:
            other = names.get(link_key(one.target))
            if other is None:
                number, _ = view.ask(lead, one, Locator(entry.path).folder)
                row = view.rows([number]).get(number) if number is not None else None
                other = row.id if row else None
            if other is not None:
                yield (other, entry.id) if one.relation == SUPERSEDES else (entry.id, other)


def _read_steps(view: IndexView, index: SearchIndex, ids: Iterable[str]) -> list[tuple[Step, str]]:
    """Return the known steps from some entries to their successors and on, each with the id of the
    entry that claims it."""
    found = [row for id_ in ids for row in index.lookup(id_) if row.primary and row.id == id_]
    numbers = [number for row in found if (number := view.number(row.locator)) is not None]
    claims = view.ask(list_claims, numbers)
    rows = view.rows(list({n for one in claims for n in (one.older, one.newer)}))
    return [
        ((rows[one.older].id, rows[one.newer].id), rows[one.by].id)
        for one in claims
        if "deleted" not in (rows[one.older].status, rows[one.newer].status)
    ]


def _read_waiting(view: IndexView, names: Mapping[str, str]) -> list[tuple[Step, str]]:
    """Return the steps that existing entries claim about `names` that no entry had until now, each
    with the id of the claiming entry."""
    waiting = view.ask(list_waiting, list(names))
    rows = view.rows([entry for entry, _, _ in waiting])
    found = [(rows[entry].id, names[name], relation) for entry, relation, name in waiting]
    return [
        ((other, by) if relation == SUPERSEDES else (by, other), by)
        for by, other, relation in found
    ]
