"""`engrain console`: open the window on what the memory holds and does, in a browser."""

from __future__ import annotations

import os
import webbrowser

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.surroundings import find_missing_parts, look_around, open_console
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from, resolve_from
from engrain.adapters.mcp.remote import Remote
from engrain.adapters.mcp.serving import leaving_on_signals
from engrain.adapters.mcp.singleton import find_running, listen_tcp
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.web.asking import PREFIX
from engrain.model.errors import EngrainError, UsageError
from engrain.resolution.selector import Resolution


def _check(args: Arguments) -> None:
    if args.port is not None and not 0 <= args.port <= 65535:
        raise UsageError(f"{args.port} is no port", remedy="give one from 1 to 65535")


def _open(args: Arguments, console: Console) -> Answer | int:
    if missing := find_missing_parts():
        raise EngrainError(
            f"the console needs {', '.join(missing)}, which is not installed",
            remedy="pip install 'engrain[console]'",
        )
    place = resolve_from(args)
    if args.port is None and (address := _ask_server(place)):
        _show(address, args)
        return _tell(address, place, "served by the vault's own server")
    return _serve(args, place, console)


def _ask_server(place: Resolution) -> str:
    """The address that the vault's local server gives, "" where none serves the console."""
    running = find_running(place)
    if running is None or running.url is None:
        return ""
    try:
        return Remote(running, lambda: False, None, "").invite(PREFIX)
    except (OSError, EngrainError):
        return ""


def _serve(args: Arguments, place: Resolution, console: Console) -> int:
    from engrain.adapters.web.serving import serve

    with leaving_on_signals(), open_from(args) as memory:
        memory.titles(())  # what can't be opened is said here, and not by every page
        with listen_tcp(args.port or 0) as listening:
            port = listening.getsockname()[1]
            doors = open_console(memory, port, look_around(place, args))
            address = doors.invite()
            console.answer("console", *_tell(address, place, "until Ctrl-C"))
            console.flush()
            _show(address, args)
            serve(doors, listening)
    return EXIT_OK


def _tell(address: str, place: Resolution, how: str) -> tuple[dict[str, object], list[str]]:
    lines = [f"the console of {place.location}, {how}; this lets one browser in, once:", address]
    return {"url": address, "vault": place.location}, lines


def _show(address: str, args: Arguments) -> None:
    """Open a browser, where there is a screen to show its window on."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screen and not args.no_browser:
        webbrowser.open(address)


COMMAND = Command(
    _open,
    """
--port N/int  the port on 127.0.0.1; else a free one, or the vault's server where one runs
--no-browser  print the address only
$ engrain console
$ engrain console --port 8420 --no-browser
""",
    check=_check,
)
