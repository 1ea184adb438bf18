"""The approved places of one vault: listed beside the sources in a file of the user (S1.20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engrain.model.errors import ConfigError, NotFoundError, UsageError
from engrain.model.experience.ledger import check_name
from engrain.resolution.config_file import read_tables, sources_file, write_tables
from engrain.resolution.fetching import fetch, read_url
from engrain.resolution.sources import free_name
from engrain.seam.sources import KINDS, Approved, Fetched, Outside

_TABLE = "learn"


@dataclass(slots=True, eq=False)
class ApprovedPlaces(Outside):
    """The approved places of a vault, by its id."""

    _environ: Mapping[str, str]
    _vault: str

    def list(self) -> Sequence[Approved]:
        path = sources_file(self._environ)
        return [_read(table, path) for table in read_tables(self._environ, _TABLE, self._vault)]

    def add(self, approved: Approved) -> Approved:
        kept = self.list()
        target = read_url(approved.place)
        if approved.kind not in KINDS:
            raise UsageError(
                f"{approved.kind!r} is no kind of source", remedy="use one of " + ", ".join(KINDS)
            )
        for other in kept:
            if other.place == target.url:
                raise UsageError(
                    f"{target.url} is approved already: {other.name}",
                    path=target.url,
                    remedy=f"`engrain learn sources remove {other.name}` first",
                )
        taken = {other.name for other in kept}
        name = check_name(approved.name, "source") if approved.name else ""
        name = name or free_name(target.host.removeprefix("www."), taken)
        if name in taken:
            raise UsageError(f"there is a source {name!r} already", remedy="give another --name")
        added = replace(approved, name=name, place=target.url)
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
        return fetch(approved, etag, modified)


def _read(table: Mapping[str, Any], path: str) -> Approved:
    name, kind, place = table.get("name"), table.get("kind"), table.get("place")
    if not isinstance(name, str) or not name or not isinstance(place, str) or not place:
        raise ConfigError("a source has no name or no place", path=path, remedy="correct the file")
    if kind not in KINDS:
        raise ConfigError(f"the kind of source {name!r} is one of " + ", ".join(KINDS), path=path)
    return Approved(name, str(kind), place, private=table.get("private") is True)


def _describe(approved: Approved) -> dict[str, Any]:
    return {
        "name": approved.name,
        "kind": approved.kind,
        "place": approved.place,
        "private": approved.private,
    }
