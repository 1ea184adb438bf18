"""`engrain console`: open the window on what the memory holds and does, in a browser."""

from __future__ import annotations

import os
import time
import webbrowser
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from engrain.adapters.cli.base import BaseCommand, flag, option, port
from engrain.adapters.cli.bridging import open_console, serve_console
from engrain.adapters.cli.care.erase import find_repository
from engrain.adapters.cli.everyday.doctor import examine
from engrain.adapters.hooks.losses import forget_losses, read_losses, read_times
from engrain.adapters.hosts.check import find_wired
from engrain.adapters.mcp.process import leaving_on_signals
from engrain.adapters.mcp.singleton import find_running, listen_tcp
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.text import counted
from engrain.adapters.web.asking import Around, StatusLine
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError
from engrain.resolution.installation import compose_install
from engrain.resolution.selector import Resolution
from engrain_hook import BUDGETS

_PARTS = ("jinja2", "markdown_it", "nh3", "starlette", "uvicorn")


@dataclass(kw_only=True)
class ConsoleCommand(BaseCommand):
    """Look at the memory and change it in a browser."""

    examples = """
engrain console
engrain console --port 8420 --no-browser
"""
    port: int | None = option("the port on 127.0.0.1; else a free one", "N", type=port)
    no_browser: bool = flag("print the address only")

    def run(self) -> int:
        if missing := [name for name in _PARTS if find_spec(name) is None]:
            raise EngrainError(
                f"the console needs {', '.join(missing)}, which is not installed",
                remedy=compose_install("console"),
            )
        place = self.resolve()
        said = f"the console of {place.location}, until Ctrl-C; this lets one browser in, once:"
        with leaving_on_signals() as is_asked_to_end, self.open(served=True) as memory:
            memory.titles(())  # what can't be opened is said here, and not by every page
            with listen_tcp(self.port or 0) as listening:
                port = listening.getsockname()[1]
                doors = open_console(memory, port, look_around(place))
                address = doors.invite()
                data = {"url": address, "vault": place.location}
                self.console.answer("console", data, [said, address])
                self.console.flush()
                screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
                if screen and not self.no_browser:
                    webbrowser.open(address)
                serve_console(doors, listening, is_asked_to_end)
        return EXIT_OK


def look_around(place: Resolution) -> Around:
    """Return what the console shows of this device."""
    return Around(
        status=partial(list_status, place),
        paces=lambda: read_times(place.state_dir, time.time() - _LATELY),
        losses=partial(list_losses, place),
        check=partial(check_all, place),
        forget_losses=partial(forget_losses, place.state_dir),
        unreachable=partial(list_unreachable, place),
    )


COMMAND = ConsoleCommand

_LATELY = 7 * 86_400.0
_LEVELS = {"ok": "", "warning": "warning"}


def check_all(place: Resolution, memory: Memory) -> list[StatusLine]:
    """Return what `engrain doctor` finds."""
    facts = []
    for finding in examine(memory, place):
        where = f"{finding.path}: " if finding.path else ""
        remedy = f"; {finding.remedy}" if finding.remedy else ""
        level = _LEVELS.get(finding.level, "bad")
        facts.append(StatusLine(finding.subject, f"{where}{finding.message}{remedy}", level))
    return facts


def list_status(place: Resolution) -> list[StatusLine]:
    """Return the state of hosts, the server and hooks."""
    wired = [name for name, is_wired in find_wired(os.environ).items() if is_wired]
    server = find_running(place)
    address = f"{server.url or server.socket}, process {server.pid}" if server else "none runs"
    hooks = StatusLine("hooks", "each did all of its work in the last 7 days")
    if losses := list_losses(place, time.time() - _LATELY):
        times = counted(len(losses), "time")
        text = f"{times} in 7 days one could not do all of its work; last {losses[-1].text}"
        hooks = StatusLine("hooks", text, "warning", losses[-1].at)
    hosts = StatusLine("hosts", ", ".join(wired) or "none is connected: engrain setup --all")
    return [hosts, StatusLine("server", address), hooks]


def list_losses(place: Resolution, since: float) -> list[StatusLine]:
    """Return what hooks could not do, each with the time it took and may take."""

    def budget(event: str) -> str:
        return f" of {BUDGETS[event] * 1000:.0f}" if event in BUDGETS else ""

    return [
        StatusLine(
            f"{one.event} of {one.host}",
            f"{one.event} of {one.host} after {one.ms} ms{budget(one.event)}: {one.reason}",
            "warning",
            one.at,
        )
        for one in read_losses(place.state_dir, since)
    ]


def list_unreachable(place: Resolution) -> list[str]:
    """Return the places that no erasure reaches."""
    repository = find_repository(place.location)
    return [f"{repository}: the vault lies in this git repository"] if repository else []
