"""`sources.toml`, beside the user's configuration: tables of what each vault learns from, by the
name of the table. Comments, and what is of other vaults, are kept."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.model.errors import ConfigError, StorageError
from engrain.resolution.settings import user_config_file

_FILE = "sources.toml"
_MOST_BYTES = 1 << 20
_BEFORE = "What Engrain learns from: `engrain sources add`, `list` and `remove` keep this file.\n"


def sources_file(environ: Mapping[str, str]) -> str:
    """Where it is, whether it exists or not."""
    return os.path.join(os.path.dirname(os.path.realpath(user_config_file(environ))), _FILE)


def read_tables(environ: Mapping[str, str], table: str, vault: str) -> list[dict[str, Any]]:
    """The tables of that name of the vault of an id. Raises ConfigError for a file that has none
    that can be read."""
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
    tables = document.get(table, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise ConfigError(f"{table} is no list of tables", path=path, remedy="mend the file")
    return [one for one in tables if one.get("vault") == vault]


def write_tables(
    environ: Mapping[str, str], table: str, vault: str, wanted: Sequence[Mapping[str, Any]]
) -> None:
    """Keep these and no others as the tables of that name of a vault: each has a `name`, by which
    one that is there already is left as it is. Raises ConfigError, StorageError."""
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
        if not document.get(table):  # none, or the empty list that anybody may write
            document.pop(table, None)
            document.append(table, tomlkit.aot())
        kept: Any = document[table]
        names = {one["name"] for one in wanted}
        for at in reversed(range(len(kept))):
            if kept[at].get("vault") == vault and kept[at].get("name") not in names:
                del kept[at]
        there = {one.get("name") for one in kept if one.get("vault") == vault}
        for one in wanted:
            if one["name"] not in there:
                kept.append(_compose(one, vault))
        if not kept:
            document.pop(table)
        _replace(path, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise _not_toml(error, path) from None
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=path) from None


def _compose(values: Mapping[str, Any], vault: str) -> Any:
    import tomlkit

    table = tomlkit.table()
    for key, value in {"vault": vault, **values}.items():
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
