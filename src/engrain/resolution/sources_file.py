"""The sources of each vault as they stand in `sources.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engrain.model.errors import ConfigError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.vault_tables import read_tables, sources_file, write_tables
from engrain.seam.sources import Source

_TABLE = "source"
_TEXTS = ("format", "project", "host")


def read_sources(environ: Mapping[str, str], vault: str) -> list[Source]:
    """The sources of the vault of an id. Raises ConfigError for a file that is none of these."""
    path = sources_file(environ)
    return [_read(table, path) for table in read_tables(environ, _TABLE, vault)]


def write_sources(environ: Mapping[str, str], vault: str, sources: Sequence[Source]) -> None:
    """Keep these and no others as the sources of a vault. Raises ConfigError, StorageError."""
    write_tables(environ, _TABLE, vault, [_describe(source) for source in sources])


def _read(table: Mapping[str, Any], path: str) -> Source:
    name, where, trust = table.get("name"), table.get("path"), table.get("trust", "external")
    if not isinstance(name, str) or not name or not isinstance(where, str) or not where:
        raise ConfigError("a source has no name or no path", path=path, remedy="mend the file")
    if trust not in ORIGINS:
        raise ConfigError(
            f"the trust of source {name!r} is one of " + ", ".join(ORIGINS), path=path
        )
    match = table.get("match", [])
    told = {key: table.get(key, "") for key in _TEXTS}
    texts = [*told.values(), *(match if isinstance(match, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise ConfigError(f"source {name!r} has a value that is no text", path=path)
    return Source(name, where, trust=trust, match=match, **told)


def _describe(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "path": source.path,
        "trust": source.trust,
        **{key: getattr(source, key) for key in _TEXTS},
        "match": list(source.match),
    }
