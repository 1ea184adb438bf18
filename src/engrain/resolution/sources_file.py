"""The file that says which sources each vault has: `sources.toml`, beside the user's configuration,
comments and the sources of other vaults kept."""

from __future__ import annotations

import os

from engrain.model.errors import ConfigError, StorageError
from engrain.model.tiers import ORIGINS
from engrain.resolution.settings import user_config_file
from engrain.seam.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_FILE = "sources.toml"
_TABLE = "source"
_MOST_BYTES = 1 << 20
_BEFORE = "What Engrain learns from: `engrain sources add`, `list` and `remove` keep this file.\n"
_TEXTS = ("format", "project", "host")


def sources_file(environ: Mapping[str, str]) -> str:
    """Where it is, whether it exists or not."""
    return os.path.join(os.path.dirname(os.path.realpath(user_config_file(environ))), _FILE)


def read_sources(environ: Mapping[str, str], vault: str) -> list[Source]:
    """The sources of the vault of an id. Raises ConfigError for a file that is none of these."""
    import tomllib

    path = sources_file(environ)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            document = tomllib.loads(file.read(_MOST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(
            f"can't read: {error.strerror}", path=path, remedy="make it a file you can read"
        ) from None
    except (ValueError, RecursionError) as error:
        raise _not_toml(error, path) from None
    tables = document.get(_TABLE, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError(f"{_TABLE} is no list of tables", path=path, remedy="mend the file")
    return [_read(table, path) for table in tables if table.get("vault") == vault]


def write_sources(environ: Mapping[str, str], vault: str, sources: Sequence[Source]) -> None:
    """Keep these and no others as the sources of a vault. Raises ConfigError, StorageError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = sources_file(environ)
    try:
        try:
            with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
                document = tomlkit.parse(file.read())
        except FileNotFoundError:
            document = tomlkit.document()
            document.add(tomlkit.comment(_BEFORE.strip()))
        if not document.get(_TABLE):  # none, or the empty list that anybody may write
            document.pop(_TABLE, None)
            document.append(_TABLE, tomlkit.aot())
        kept: Any = document[_TABLE]
        names = {source.name for source in sources}
        for at in reversed(range(len(kept))):
            if kept[at].get("vault") == vault and kept[at].get("name") not in names:
                del kept[at]
        there = {table.get("name") for table in kept if table.get("vault") == vault}
        for source in sources:
            if source.name not in there:
                kept.append(_describe(source, vault))
        if not kept:
            document.pop(_TABLE)
        _replace(path, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise _not_toml(error, path) from None
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=path) from None


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


def _describe(source: Source, vault: str) -> Any:
    import tomlkit

    table = tomlkit.table()
    told = {
        "vault": vault,
        "name": source.name,
        "path": source.path,
        "trust": source.trust,
        **{key: getattr(source, key) for key in _TEXTS},
        "match": list(source.match),
    }
    for key, value in told.items():
        if value:
            table.add(key, value)
    table.add(tomlkit.nl())
    return table


def _replace(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temp = f"{path}.{os.getpid()}.tmp"
    with open(temp, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, path)


def _not_toml(error: Exception, path: str) -> ConfigError:
    return ConfigError(f"not TOML: {error}", path=path, remedy="mend the file, or move it away")
