"""Turns a scope, the entries that a caller wants to see, into a filter (S1.6, S1.9), and reads the
times that callers of the Python API give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, overload

from engrain.language.text.folding import slugify, tag_key
from engrain.language.text.instants import (
    from_local,
    is_plain_date,
    parse_dated,
    parse_end,
    parse_local,
    parse_moment,
)
from engrain.model.errors import UsageError
from engrain.model.note.tiers import (
    ACTIVE,
    ARCHIVE,
    INBOX,
    LIVE,
    SUPERSEDED,
    UNUSED,
    WORKING,
    WORKING_KINDS,
)
from engrain.model.settings import read_choice
from engrain.seam.rows import ATTESTED, COUNTED, Filter, Row

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry


When = datetime | str | float
"""A time: a `datetime`, ISO 8601 text, or seconds since the epoch. A `datetime` or text without an
offset is local time."""


@overload
def read_when(when: When) -> float: ...
@overload
def read_when(when: When | None) -> float | None: ...
def read_when(when: When | None) -> float | None:
    """Return a bound in epoch seconds: a date alone is that day's local midnight. Raises UsageError
    for a text that is no time, as the other functions here do."""
    return _read(when, parse_local)


def read_date(when: When | None) -> float | None:
    """Return when something was, in epoch seconds: a date alone is that date everywhere."""
    return _read(when, parse_dated)


def read_end(when: When | None) -> float | None:
    """Return the moment up to which something holds, in epoch seconds: a date alone is the end of
    that day by this device's clock."""
    return _read(when, parse_end)


@overload
def read_moment(when: When) -> float: ...
@overload
def read_moment(when: When | None) -> float | None: ...
def read_moment(when: When | None) -> float | None:
    """Return the moment to look from, in epoch seconds: a date alone is a moment of that day."""
    return _read(when, parse_moment)


def _read(when: When | None, parse: Callable[[str], float]) -> float | None:
    if when is None or isinstance(when, int | float):
        return when
    try:
        return when.timestamp() if isinstance(when, datetime) else parse(when)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{str(when)[:40]!r} is no time",
            remedy="give a datetime, ISO 8601 text such as 2026-11-28T09:30, or epoch seconds",
        ) from None


MINE, ASK, OUTSIDE = "mine", "ask", "external"
"""The values of the setting `edits`."""


@dataclass(slots=True)
class Scope:
    """The entries that a caller wants to see. By default these are active entries in live places,
    of the current project or without a project (S1.9). `project` names another project, "" selects
    entries without one. `include_superseded` adds replaced entries and, in a recall, ended ones.
    `since` and `until` bound the time of creation. `as_of` selects what held at that time, even if
    superseded since (DESIGN section 6); `known_at` leaves out what was recorded after that time,
    and without `as_of` stands for both. `known` leaves out imported entries that nobody has used.
    A time is a `datetime`, ISO text or epoch seconds (see `When`). `user` adds the entries of one
    user of the vault (see `Memory.for_user`), which belong to no project."""

    _: KW_ONLY
    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    statuses: Sequence[str] = ()
    tiers: Sequence[str] = ()
    project: str | None = None
    all_projects: bool = False
    include_archive: bool = False
    include_inbox: bool = False
    include_superseded: bool = False
    since: When | None = None
    until: When | None = None
    as_of: When | None = None
    known_at: When | None = None
    known: bool = False
    user: str = ""

    def widened(self, *, archive: bool, inbox: bool) -> Scope:
        """Return the scope with the archive or the inbox added."""
        return replace(
            self,
            include_archive=self.include_archive or archive,
            include_inbox=self.include_inbox or inbox,
        )


def own_projects(current: str | None) -> list[str]:
    """Return the projects visible from the current one: itself, and "" for no project."""
    return [current, ""] if current else [""]


_USERS = "user/"
"""The beginning of the project of a user's entries, which no slug of a project has."""


def check_user(name: str) -> str:
    """Return the name of a user. Raises UsageError unless it is lower-case words with hyphens."""
    if not name or slugify(name, "") != name:
        raise UsageError(
            f"{name[:80]!r} is no name of a user",
            remedy="use lower-case letters and digits, joined by single hyphens: ada, user-17",
        )
    return name


def user_project(user: str) -> str:
    """Return what the field `project` has in a user's entries."""
    return _USERS + user


def _list_projects(scope: Scope, current: str | None) -> list[str] | None:
    """Return the projects that a scope selects, None for all. Raises UsageError for a user's scope
    that would select what belongs to others."""
    project = current if scope.project is None else scope.project
    if not scope.user:
        return None if scope.all_projects else own_projects(project)
    if scope.all_projects or (project or "").startswith(_USERS):
        raise UsageError(
            f"a scope of the user {scope.user} has no other users and not all projects",
            remedy="name one project, or none",
        )
    return [user_project(check_user(scope.user)), *own_projects(project)]


def counted_successions(settings: Mapping[str, str | None]) -> int:
    """Return which replacements count, as a bit of `Filter.successions`."""
    return COUNTED if trusts_edits(settings) else ATTESTED


def filter_for(store: Store, scope: Scope) -> Filter:
    """Return the filter for a scope, with the project and settings of a store."""
    return make_filter(scope, store.project, counted_successions(store.settings))


def recall_filter(store: Store, scope: Scope) -> Filter:
    """Return the filter for a recall: that of the scope, without entries that have ended, unless it
    asks for an earlier moment or for what was superseded."""
    only = filter_for(store, scope)
    if only.held_at is not None or scope.include_superseded:
        return only
    return replace(only, lasting=store.clock.now())


def make_filter(scope: Scope, current: str | None, successions: int = COUNTED) -> Filter:
    """Return the filter for a scope, seen from the `current` project."""
    statuses, zones = [ACTIVE], [LIVE]
    held_at = read_moment(scope.known_at if scope.as_of is None else scope.as_of)
    past = held_at is not None
    if scope.include_superseded or past:
        statuses.append(SUPERSEDED)
    if scope.include_archive or past:
        statuses.append("archived")
    if len(statuses) > 1:
        zones.append(ARCHIVE)
    if scope.include_inbox:
        statuses.append("inbox")
        zones.append(INBOX)
    if not WORKING_KINDS.isdisjoint(scope.kinds):
        zones.append(WORKING)
    return Filter(
        kinds=scope.kinds,
        tags=scope.tags,
        projects=_list_projects(scope, current),
        statuses=scope.statuses or statuses,
        tiers=scope.tiers,
        zones=() if scope.statuses else zones,
        since=read_when(scope.since),
        until=read_when(scope.until),
        held_at=held_at,
        known_at=read_moment(scope.known_at),
        known=scope.known,
        successions=successions,
    )


def counted_origin(row: Row, store: Store) -> str:
    """Return the origin that counts for an entry. With `edits = mine` what another program wrote is
    the operator's, in T3 only where it is by hand and this device has the vault's key; else it is
    external until the operator accepts it (DESIGN section 6)."""
    return count_origins(store)(row)


def count_origins(store: Store) -> Callable[[Row], str]:
    """Return a function that does for many entries what `counted_origin` does for one."""
    trusted = trusts_edits(store.settings)
    signs: list[bool] = []  # whether there is a key, once an entry has asked

    def count(row: Row) -> str:
        if row.attested:
            return row.source
        if not trusted:
            return "external"
        if row.tier == "T2" or not row.by_hand:
            return row.source
        if not signs:
            signs.append(bool(store.vault.attestor.sign(store.backend.vault, b"")))
        return "operator" if signs[0] else row.source

    return count


def trusts_edits(settings: Mapping[str, str | None]) -> bool:
    """Whether edits by other programs count as the operator's. Raises ConfigError."""
    return read_choice(settings, "edits", MINE, ASK, OUTSIDE) == MINE


def in_every_project(only: Filter) -> Filter:
    """Return the filter with entries of all projects."""
    return replace(only, projects=None)


def passes(entry: Entry, only: Filter) -> bool:
    """Whether a filter lets an entry through that was read from its file. It decides as the index
    does, but without what only the index knows: successors and times of recording."""
    created = entry.created
    return (
        (only.held_at is None or _held(entry, only.held_at))
        and admits(only, entry)
        and (entry.always_load or not only.always_load)
        and not (only.known and entry.imported == UNUSED)
        and not (only.lessons and entry.kind in ("episode", "learning"))
        and _is_between(created, only.since, only.until)
    )


def _is_between(created: float | None, since: float | None, until: float | None) -> bool:
    """Whether an entry was made between two moments; plain dates count by this device's clock."""
    if since is None and until is None:
        return True
    if created is None:
        return False
    made = from_local(created) if is_plain_date(created) else created
    return (since is None or made >= since) and (until is None or made <= until)


def _held(entry: Entry, at: float) -> bool:
    """Whether an entry held at a moment, in epoch seconds."""
    start = entry.valid_from if entry.valid_from is not None else entry.created
    return start is not None and start <= at and (entry.valid_to is None or entry.valid_to > at)


def admits(only: Filter, one: Entry | Row) -> bool:
    """Whether a filter lets an entry through by kind, tags, project, status, tier, zone and end,
    which are all its conditions but other times."""
    return _is_of(only, one) and _stands(only, one)


def _is_of(only: Filter, one: Entry | Row) -> bool:
    """Whether an entry has the kind, the tags and the project that a filter names."""
    return (
        (not only.kinds or one.kind in only.kinds)
        and (not only.tags or _is_tagged(one, only.tags))
        and (only.projects is None or (one.project or "") in only.projects)
    )


def _is_tagged(one: Entry | Row, asked: Sequence[str]) -> bool:
    """Whether an entry has one of the tags asked for, or one below it."""
    tags = [f"{tag_key(tag)}/" for tag in (one.tags if isinstance(one, Row) else one.all_tags)]
    return any(tag.startswith(f"{tag_key(key)}/") for key in asked for tag in tags)


def _stands(only: Filter, one: Entry | Row) -> bool:
    """Whether an entry has the status and the place that a filter names, and has not ended."""
    return (
        (not only.statuses or _status(one, only) in only.statuses)
        and (not only.tiers or one.tier in only.tiers)
        and (not only.zones or one.zone in only.zones)
        and (only.lasting is None or one.valid_to is None or one.valid_to > only.lasting)
    )


def _status(one: Entry | Row, only: Filter) -> str:
    return one.status_for(only.successions) if isinstance(one, Row) else one.status
