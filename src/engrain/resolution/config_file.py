"""Write the user's configuration file and `sources.toml` beside it, keeping comments and order."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engrain.model.errors import ConfigError, StorageError
from engrain.resolution.files import replace_file
from engrain.resolution.settings import read_user_config, user_config_file


def set_value(environ: Mapping[str, str], key: str, value: str | None) -> str:
    """Set a setting, or with None remove it, and return the file's path. Raises ConfigError."""
    # A symbolic link to a configuration elsewhere stays.
    path = os.path.realpath(user_config_file(environ))
    with _edited(path) as document:
        table, _, name = key.rpartition(".")
        holder = document.setdefault(table, {}) if table else document
        if not isinstance(holder, dict):
            raise ConfigError(
                f"{table} is no table, so it has no {name}", path=path, remedy="correct the file"
            )
        if value is not None:
            holder[name] = value
        else:
            holder.pop(name, None)
            if table and not holder:
                document.pop(table)
    return path


@contextmanager
def _edited(path: str, comment: str = "") -> Iterator[dict[str, Any]]:
    """Open a TOML file and write it back at the end of the block, keeping comments and order; a new
    one begins with the comment. Raises ConfigError, StorageError."""
    try:
        try:
            with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
                document = tomlkit.parse(file.read())
        except FileNotFoundError:
            document = tomlkit.document()
            if comment:
                document.add(tomlkit.comment(comment))
        yield document
        replace_file(path, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise _not_toml(error, path) from None
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=path) from None


def set_default_vault(environ: Mapping[str, str], vault: str) -> str | None:
    """Set the vault if the file names none, and return the file's path, else None."""
    if "vault" in read_user_config(environ):
        return None
    return set_value(environ, "vault", vault)


_FILE = "sources.toml"
_MOST_BYTES = 1 << 20
_BEFORE = "What Engrain learns from: `engrain learn add`, `list` and `remove` keep this file."


def sources_file(environ: Mapping[str, str]) -> str:
    """Return the path of `sources.toml`, whether it exists or not."""
    return os.path.join(os.path.dirname(os.path.realpath(user_config_file(environ))), _FILE)


def read_tables(environ: Mapping[str, str], table: str, vault: str) -> list[dict[str, Any]]:
    """Return the tables of that name of a vault, by its id. Raises ConfigError."""
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
        raise ConfigError(f"{table} is no list of tables", path=path, remedy="correct the file")
    return [one for one in tables if one.get("vault") == vault]


def write_tables(
    environ: Mapping[str, str], table: str, vault: str, wanted: Sequence[Mapping[str, Any]]
) -> None:
    """Replace the tables of that name of a vault by these; one whose `name` exists already stays as
    it is. Raises ConfigError, StorageError."""
    with _edited(sources_file(environ), _BEFORE) as document:
        if not document.get(table):  # missing, or an empty list, to which no table can be added
            document.pop(table, None)
            document[table] = tomlkit.aot()
        kept = document[table]
        names = {one["name"] for one in wanted}
        for at in reversed(range(len(kept))):
            if kept[at].get("vault") == vault and kept[at].get("name") not in names:
                del kept[at]
        there = {one.get("name") for one in kept if one.get("vault") == vault}
        for one in wanted:
            if one["name"] not in there:
                added = tomlkit.table()
                for key, value in {"vault": vault, **one}.items():
                    if value:
                        added.add(key, value)
                added.add(tomlkit.nl())
                kept.append(added)
        if not kept:
            document.pop(table)


def _not_toml(error: Exception, path: str) -> ConfigError:
    return ConfigError(f"not TOML: {error}", path=path, remedy="correct the file, or move it away")
