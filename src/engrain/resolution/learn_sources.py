"""The approved places of one vault: listed beside the sources in a file of the user, and read at
their places (S1.20)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engrain.model.errors import (
    ConfigError,
    FetchError,
    ForbiddenPathError,
    NotFoundError,
    UsageError,
)
from engrain.model.experience.ledger import check_name
from engrain.resolution.config_file import read_tables, sources_file, write_tables
from engrain.resolution.fetching import fetch
from engrain.resolution.fetching_hosts import read_url
from engrain.resolution.sources import free_name, name_of_path
from engrain.seam.sources import (
    FEED,
    FOLDER,
    KINDS,
    PAGE,
    REMOTE,
    Approved,
    Fetched,
    Outside,
    Source,
    SourceStore,
)

_TABLE = "learn"
_MATCH = ("*.md", "*.markdown", "*.txt", "*.html", "*.htm")
_MOST_BYTES = 4 << 20
_LISTS = ("match", "hosts")
_MOST_LISTED = 100


@dataclass(slots=True, eq=False)
class ApprovedPlaces(Outside):
    """The approved places of a vault, by its id. `shelf` reads folders, like those of sources;
    `is_feed` says whether a server's answer is a feed."""

    _environ: Mapping[str, str]
    _vault: str
    _shelf: SourceStore
    _is_feed: Callable[[Fetched], bool]

    def list(self) -> Sequence[Approved]:
        path = sources_file(self._environ)
        tables = read_tables(self._environ, _TABLE, self._vault)
        return [_read(table, path) for table in tables]

    def add(self, approved: Approved) -> Approved:
        kept = self.list()
        remote = "://" in approved.place or approved.kind in REMOTE
        place = read_url(approved.place).url if remote else self._check_path(approved.place)
        for other in kept:
            if other.place == place:
                raise UsageError(
                    f"{place} is approved already: {other.name}",
                    path=place,
                    remedy=f"`engrain learn sources remove {other.name}` first",
                )
        taken = {other.name for other in kept}
        name = check_name(approved.name, "source") if approved.name else _name_of(place, taken)
        if name in taken:
            raise UsageError(f"there is a source {name!r} already", remedy="give another --name")
        hosts = tuple(map(_read_host, approved.hosts))
        match = tuple(approved.match)
        added = replace(approved, name=name, place=place, match=match, hosts=hosts)
        added.kind = self._tell_kind(added, remote=remote)
        _refuse_others(added)
        write_tables(self._environ, _TABLE, self._vault, list(map(_describe, [*kept, added])))
        return added

    def remove(self, name: str) -> Approved:
        kept = self.list()
        found = next((one for one in kept if one.name == name), None)
        if found is None:
            raise NotFoundError(
                f"no approved source {name!r}",
                path=sources_file(self._environ),
                remedy="`engrain learn sources list` lists them",
            )
        left = [_describe(one) for one in kept if one is not found]
        write_tables(self._environ, _TABLE, self._vault, left)
        return found

    def fetch(self, approved: Approved, etag: str = "", modified: str = "") -> Fetched | None:
        try:
            return fetch(approved, self._environ, etag, modified)
        except UsageError as error:  # somebody edited the file
            raise FetchError(error.message, path=approved.place) from None

    def files(self, approved: Approved) -> Iterator[tuple[str, float | None] | OSError]:
        for file in self._shelf.files(_as_source(approved)):
            yield file if isinstance(file, OSError) else (file.name, file.mtime)

    def read(self, approved: Approved, name: str) -> bytes:
        parts = []
        size = 0
        for chunk in self._shelf.read(_as_source(approved), name):
            parts.append(chunk)
            size += len(chunk)
            if size >= _MOST_BYTES:
                break
        return b"".join(parts)[:_MOST_BYTES]

    def _check_path(self, path: str) -> str:
        real = self._shelf.place(path).path
        hidden = [part for part in real.split(os.sep) if part.startswith(".")]
        if hidden:
            raise ForbiddenPathError(
                f"{hidden[0]} is hidden, and hidden files are not read",
                path=real,
                remedy="name a folder of its own",
            )
        return real

    def _tell_kind(self, approved: Approved, *, remote: bool) -> str:
        """Return the named kind if the place can be of it, else the kind that the place shows."""
        if approved.kind not in ("", *KINDS):
            raise UsageError(
                f"{approved.kind!r} is no kind of source", remedy="use one of " + ", ".join(KINDS)
            )
        if remote:
            if approved.kind:
                return approved.kind
            try:
                found = self.fetch(approved)
            except FetchError as error:
                raise FetchError(
                    error.message,
                    path=error.path,
                    remedy=error.remedy or f"--kind {FEED} or {PAGE} approves it all the same",
                ) from None
            return FEED if found is not None and self._is_feed(found) else PAGE
        return FOLDER


def _read(table: Mapping[str, Any], path: str) -> Approved:
    name, kind, place = table.get("name"), table.get("kind"), table.get("place")
    if not isinstance(name, str) or not name or not isinstance(place, str) or not place:
        raise ConfigError("a source has no name or no place", path=path, remedy="correct the file")
    if kind not in KINDS:
        raise ConfigError(f"the kind of source {name!r} is one of " + ", ".join(KINDS), path=path)
    lists = {key: table.get(key, []) for key in _LISTS}
    for value in lists.values():
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ConfigError(f"source {name!r} has a value that is no list of texts", path=path)
    texts = {key: tuple(value) for key, value in lists.items()}
    return Approved(name, str(kind), place, private=table.get("private") is True, **texts)


def _describe(approved: Approved) -> dict[str, Any]:
    return {
        "name": approved.name,
        "kind": approved.kind,
        "place": approved.place,
        **{key: list(getattr(approved, key)[:_MOST_LISTED]) for key in _LISTS},
        "private": approved.private,
    }


def _as_source(approved: Approved) -> Source:
    return Source(approved.name, approved.place, match=approved.match or _MATCH)


def _refuse_others(approved: Approved) -> None:
    """Raise UsageError for options of another kind of place."""
    if approved.kind in REMOTE and approved.match:
        raise UsageError(f"a {approved.kind} has no files to match", remedy="leave out --match")
    if approved.kind not in REMOTE and (approved.hosts or approved.private):
        raise UsageError(
            f"a {approved.kind} is on this device", remedy="leave out --host and --private"
        )


def _read_host(host: str) -> str:
    """Return a host in the form by which URLs are compared. Raises UsageError."""
    target = read_url(f"https://{host}")
    if target.url != f"https://{target.host}/":
        raise UsageError(f"{host[:80]!a} is no host", remedy="give a name such as www.example.org")
    return target.host


def _name_of(place: str, taken: set[str]) -> str:
    if "://" in place:
        return free_name(read_url(place).host.removeprefix("www."), taken)
    return name_of_path(place, taken)
