"""The console as commands open it; what its pages ask of this device is loaded when they ask, so
that a console says soon where it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from engrain.adapters.cli.options import Arguments
from engrain.adapters.web.asking import Around
from engrain.adapters.web.doors import Doors
from engrain.api.memory import Memory
from engrain.lifecycle.jobs.table import Deferred
from engrain.resolution.selector import Resolution

_PARTS = ("jinja2", "markdown_it", "nh3", "starlette", "uvicorn")
_AROUND = "engrain.adapters.cli.care.around"


def find_missing_parts() -> list[str]:
    """The packages of the extra `console` that are not installed."""
    return [name for name in _PARTS if find_spec(name) is None]


def open_console(memory: Memory, port: int, around: Around) -> Doors:
    """The console over a memory, for a server on this port; the extra must be installed."""
    from engrain.adapters.web.serving import make_console

    return make_console(memory, port, around)


def look_around(place: Resolution, args: Arguments) -> Around:
    """What the console shows of the device on which a vault was resolved by these arguments."""

    def later(name: str, *first: object) -> Callable[..., Any]:
        function = Deferred[Callable[..., Any]](f"{_AROUND}:{name}")
        return lambda *rest: function.load()(*first, *rest)

    return Around(
        status=later("list_status", place),
        paces=later("list_paces", place),
        losses=later("list_losses", place),
        check=later("check_all", place),
        settings=later("list_settings", args),
        set_value=later("change_value", args),
        can_copy=os.path.isdir(place.location),
        forget_losses=later("drop_losses", place),
        unreachable=later("list_unreachable", place),
    )
