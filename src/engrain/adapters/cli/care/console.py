"""`engrain console`: open the window on what the memory holds and does, in a browser."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from engrain.adapters.cli.options import Answer, Arguments, Command, open_from, resolve_from
from engrain.adapters.mcp.remote import Remote
from engrain.adapters.mcp.serving import leaving_on_signals
from engrain.adapters.mcp.singleton import find_running, listen_tcp
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.web.asking import PREFIX, Around
from engrain.adapters.web.doors import Doors
from engrain.api.memory import Memory
from engrain.lifecycle.jobs.table import Deferred
from engrain.model.errors import EngrainError
from engrain.resolution.selector import Resolution

_PARTS = ("jinja2", "markdown_it", "nh3", "starlette", "uvicorn")
_AROUND = "engrain.adapters.cli.care.around"


def _open(args: Arguments) -> Answer | int:
    if missing := find_missing_parts():
        raise EngrainError(
            f"the console needs {', '.join(missing)}, which is not installed",
            remedy="pip install 'engrain[console]'",
        )
    place = resolve_from(args)
    if args.port is None and (address := _ask_server(place)):
        _show(address, args)
        return _tell(address, place, "served by the vault's own server")
    return _serve(args, place)


def _ask_server(place: Resolution) -> str:
    """Return the address that the vault's local server gives, "" where none serves the console."""
    running = find_running(place)
    if running is None or running.url is None:
        return ""
    try:
        return Remote(running, lambda: False, None, "").invite(PREFIX)
    except (OSError, EngrainError):
        return ""


def _serve(args: Arguments, place: Resolution) -> int:
    from engrain.adapters.web.serving import serve

    with leaving_on_signals(), open_from(args) as memory:
        memory.titles(())  # what can't be opened is said here, and not by every page
        with listen_tcp(args.port or 0) as listening:
            port = listening.getsockname()[1]
            doors = open_console(memory, port, look_around(place, args))
            address = doors.invite()
            args.console.answer("console", *_tell(address, place, "until Ctrl-C"))
            args.console.flush()
            _show(address, args)
            serve(doors, listening)
    return EXIT_OK


def _tell(address: str, place: Resolution, how: str) -> tuple[dict[str, object], list[str]]:
    lines = [f"the console of {place.location}, {how}; this lets one browser in, once:", address]
    return {"url": address, "vault": place.location}, lines


def _show(address: str, args: Arguments) -> None:
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screen and not args.no_browser:
        webbrowser.open(address)


def find_missing_parts() -> list[str]:
    """Return the packages of the extra `console` that are not installed."""
    return [name for name in _PARTS if find_spec(name) is None]


def open_console(memory: Memory, port: int, around: Around) -> Doors:
    """Make the console over a memory, for a server on this port; the extra must be installed."""
    from engrain.adapters.web.serving import make_console

    return make_console(memory, port, around)


def look_around(place: Resolution, args: Arguments) -> Around:
    """Return what the console shows of this device. Its modules are loaded when a page asks for it,
    so that a console says soon where it is."""

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


COMMAND = Command(
    _open,
    """
--port N/port  the port on 127.0.0.1; else a free one, or the vault's server where one runs
--no-browser  print the address only
$ engrain console
$ engrain console --port 8420 --no-browser
""",
    opens=None,
)
