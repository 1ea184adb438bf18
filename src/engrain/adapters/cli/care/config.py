"""`engrain config`: settings, and a completion script for the shell."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import shtab

from engrain.adapters.cli.base import Answer, BaseCommand, argument
from engrain.adapters.cli.helping import build_parser
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import fields
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


def _check_key(key: str) -> None:
    if key not in KEYS:
        raise UsageError(f"no setting named {key!r}", remedy="use " + ", ".join(KEYS))


@dataclass(kw_only=True)
class SetConfig(BaseCommand):
    """Set a setting."""

    examples = "engrain config set vault ~/memory"
    key: str = argument("the setting's name", "KEY")
    value: str = argument("its new value", "VALUE")

    def run(self) -> Answer:
        _check_key(self.key)
        if self.key in ("vault", "state_dir"):
            self.value = absolute_location(self.value)
        if self.key == FOLDERS_OFF and not os.path.isdir(self.value):
            self.value = ",".join(map(absolute_location, map(str.strip, self.value.split(","))))
        elif self.key == FOLDERS_OFF:
            self.value = absolute_location(self.value)
        if self.key == MEMORY and self.value not in (ON, OFF):
            raise UsageError(f"memory is {self.value[:40]!r}, neither {ON} nor {OFF}")
        return _change(self, self.key, self.value)


@dataclass(kw_only=True)
class UnsetConfig(BaseCommand):
    """Remove a setting."""

    key: str = argument("the setting's name", "KEY")

    def run(self) -> Answer:
        _check_key(self.key)
        return _change(self, self.key, None)


def _change(args: BaseCommand, key: str, value: str | None) -> Answer:
    if value is not None and ("." in key or key == LEARN):
        values = {name: setting.value for name, setting in _load(args).items()}
        check_policy({**values, key: value})
    config = set_value(os.environ, key, value)
    return {"key": key, "value": value, "config": config}, [
        f"{key} = {value or '(unset)'}, in {config}"
    ]


@dataclass(kw_only=True)
class PathConfig(BaseCommand):
    """Show which file has the settings."""

    def run(self) -> Answer:
        config = user_config_file(os.environ)
        return {"config": config}, [str(config)]


@dataclass(kw_only=True)
class ListConfig(BaseCommand):
    """Show every setting, and where its value comes from."""

    examples = "engrain config"

    def run(self) -> Answer:
        return _show(_load(self))


@dataclass(kw_only=True)
class GetConfig(BaseCommand):
    """Show a setting."""

    examples = "engrain config get backend --json"
    key: str = argument("the setting's name", "KEY")

    def run(self) -> Answer:
        _check_key(self.key)
        return _show({self.key: _load(self)[self.key]})


def _show(settings: Mapping[str, Setting]) -> Answer:
    data = {
        name: {"value": setting.value, "origin": setting.origin, "meaning": KEYS[name].meaning}
        for name, setting in settings.items()
    }
    rows = [{"setting": name, **fields(one, "value? origin")} for name, one in settings.items()]
    return data, table_lines(rows, "setting value origin", "")


def _load(args: BaseCommand) -> dict[str, Setting]:
    return load_settings({**args.flags(), "agent": args.agent}, os.environ, os.getcwd())


@dataclass(kw_only=True)
class CompleteConfig(BaseCommand):
    """Print a completion script for your shell."""

    examples = """
engrain config completion bash > ~/.local/share/bash-completion/completions/engrain
engrain config completion zsh > "${fpath[1]}/_engrain"
"""
    shell: Literal["bash", "zsh", "tcsh"] = argument("the shell to complete in", "")

    def run(self) -> Answer:
        script: str = shtab.complete(build_parser(), shell=self.shell)
        return {"shell": self.shell, "script": script}, [script]


COMMAND = {
    "list": ListConfig,
    "get": GetConfig,
    "set": SetConfig,
    "unset": UnsetConfig,
    "path": PathConfig,
    "completion": CompleteConfig,
}
