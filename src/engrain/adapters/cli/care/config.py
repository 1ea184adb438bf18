"""`engrain config` and `engrain completion`: settings, and a completion script for the shell."""

from __future__ import annotations

import os
from collections.abc import Mapping

import shtab

from engrain.adapters.cli.helping import build_parser
from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.text import clean_line, style
from engrain.lifecycle.policy import LEARN, check_policy
from engrain.model.errors import UsageError
from engrain.model.settings import KEYS
from engrain.resolution.config_file import set_value
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import (
    FOLDERS_OFF,
    MEMORY,
    OFF,
    ON,
    Setting,
    load_settings,
    user_config_file,
)


def _check(args: Arguments) -> None:
    wanted = {"get": 1, "set": 2, "unset": 1}.get(args.action or "", 0)
    given = [part for part in (args.key, args.value) if part is not None]
    if len(given) != wanted:
        raise UsageError(
            f"`config {args.action or ''}` takes {wanted} arguments, not {len(given)}",
            remedy="see `engrain config --help`",
        )
    if args.key is not None and args.key not in KEYS:
        raise UsageError(f"no setting named {args.key!r}", remedy="use " + ", ".join(KEYS))


def _set(args: Arguments) -> Answer:
    if args.action == "set" and args.key in ("vault", "state_dir"):
        args.value = absolute_location(args.value)
    if args.action == "set" and args.key == FOLDERS_OFF and not os.path.isdir(args.value):
        args.value = ",".join(map(absolute_location, map(str.strip, args.value.split(","))))
    elif args.action == "set" and args.key == FOLDERS_OFF:
        args.value = absolute_location(args.value)
    if args.action == "set" and args.key == MEMORY and args.value not in (ON, OFF):
        raise UsageError(f"memory is {args.value[:40]!r}, neither {ON} nor {OFF}")
    config = change_setting(_load(args), args.key, args.value)
    line = f"{args.key} = {args.value or '(unset)'}, in {config}"
    return {"key": args.key, "value": args.value, "config": config}, [line]


def change_setting(
    settings: Mapping[str, Setting], name: str, value: str | None, version: str | None = None
) -> str:
    """Change a setting in the user's file, if it fits the others; None takes it out. Returns the
    file's path. With a `version`, only if the file still has it. Raises ConfigError, ConflictError,
    StorageError."""
    if value is not None and ("." in name or name == LEARN):
        values = {each: setting.value for each, setting in settings.items()}
        values[name] = value
        check_policy(values)
    return set_value(os.environ, name, value, version)


def _path(_: Arguments) -> Answer:
    config = user_config_file(os.environ)
    return {"config": config}, [str(config)]


def _show(args: Arguments) -> Answer:
    settings = _load(args)
    shown = {name: settings[name] for name in ([args.key] if args.key else KEYS)}
    data = {
        name: {"value": setting.value, "origin": setting.origin, "meaning": KEYS[name].meaning}
        for name, setting in shown.items()
    }
    lines = [
        f"{name:<10} {clean_line(setting.value or '-'):<30} {style('dim', setting.origin)}"
        for name, setting in shown.items()
    ]
    return data, lines


def _load(args: Arguments) -> dict[str, Setting]:
    flags = {name: getattr(args, name) for name in KEYS}
    return load_settings(flags, os.environ, os.getcwd())


CONFIG = Command(
    {None: _show, "get": _show, "set": _set, "unset": _set, "path": _path},
    """
<get|set|unset|path>?  else all are shown
key=KEY?      the setting's name
value=VALUE?  its new value
$ engrain config
$ engrain config set vault ~/memory
$ engrain config get backend --json
""",
    opens=None,
    check=_check,
)


def _completion(args: Arguments) -> Answer:
    script: str = shtab.complete(build_parser(), shell=args.shell)
    return {"shell": args.shell, "script": script}, [script]


COMPLETION = Command(
    _completion,
    """
shell=<bash|zsh|tcsh>  the shell to complete in
$ engrain completion bash > ~/.local/share/bash-completion/completions/engrain
$ engrain completion zsh > "${fpath[1]}/_engrain"
""",
    opens=None,
)
