"""Writing the user's configuration file, comments and order kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from engrain.model.errors import ConfigError, StorageError
from engrain.resolution.settings import read_user_config, user_config_file


def set_value(environ: Mapping[str, str], key: str, value: str | None) -> str:
    """Set a setting, or with None take it out; the file's path. Raises ConfigError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    # A configuration kept elsewhere and linked here stays linked.
    path = os.path.realpath(user_config_file(environ))
    mode = None
    try:
        try:
            with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
                mode = os.fstat(file.fileno()).st_mode & 0o777
                document = tomlkit.parse(file.read())
        except FileNotFoundError:
            document = tomlkit.document()
        table, _, name = key.rpartition(".")
        holder: Any = document.setdefault(table, tomlkit.table()) if table else document
        if not isinstance(holder, dict):
            raise ConfigError(
                f"{table} is no table, so it has no {name}", path=path, remedy="mend the file"
            )
        if value is not None:
            holder[name] = value
        else:
            holder.pop(name, None)
            if table and not tomlkit.dumps(holder).strip():
                document.pop(table)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        temp = f"{path}.{os.getpid()}.tmp"
        with open(temp, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(tomlkit.dumps(document))
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temp, mode)
        os.replace(temp, path)
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"not TOML: {error}", path=path, remedy="mend the file, or move it away"
        ) from None
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=path) from None
    return path


def set_default(environ: Mapping[str, str], key: str, value: str) -> str | None:
    """Set a setting that the file does not have yet; the file's path, None when it has it."""
    if key in read_user_config(environ):
        return None
    return set_value(environ, key, value)
