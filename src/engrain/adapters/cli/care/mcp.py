"""`engrain mcp`: serve MCP clients over this vault."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack
from stat import S_ISFIFO, S_ISSOCK
from typing import TextIO
from urllib.parse import urlsplit

from engrain.adapters.cli.bridging import (
    HookDoor,
    open_console,
    open_resolved,
    run_jobs_beside,
    serve_clients,
    serve_host,
)
from engrain.adapters.cli.care.console import find_missing_parts, look_around
from engrain.adapters.cli.options import Arguments, Command, flags_of, resolve_from
from engrain.adapters.mcp.guard import PATH, Fork, LoopbackGuard
from engrain.adapters.mcp.process import leaving_on_signals, require_fastmcp
from engrain.adapters.mcp.singleton import Running, claim_place
from engrain.adapters.web.asking import PREFIX
from engrain.model.errors import UsageError


def _check(args: Arguments) -> None:
    if args.port is not None and (args.stdio or args.socket):
        raise UsageError("--port is for --http alone")


def _serve(args: Arguments) -> int:
    if args.stdio or _is_started_by_host(args):
        flags = {**flags_of(args), "agent": args.agent}
        serve_host(flags | ({"no_jobs": ""} if args.no_jobs else {}))
    else:
        _serve_clients(args)
    return 0


def _is_started_by_host(args: Arguments) -> bool:
    """Return whether a host started `engrain mcp` to speak with it: both standard streams are
    pipes or sockets, and nothing asks for a server."""
    if args.http or args.socket or args.port is not None or args.console.as_json:
        return False
    return all(map(_is_pipe, (sys.stdin, sys.stdout)))


def _is_pipe(stream: TextIO) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return S_ISFIFO(mode) or S_ISSOCK(mode)


def _serve_clients(args: Arguments) -> None:
    resolution = resolve_from(args)
    with leaving_on_signals() as leave_if_told, ExitStack() as beside:
        place = claim_place(resolution)
        if isinstance(place, Running):
            _tell(args, place, new=False)
            return
        beside.enter_context(place)
        require_fastmcp()
        # The clients are in projects of their own, which they name; the server is in none.
        os.chdir(os.sep)
        memory = beside.enter_context(open_resolved(resolution, args.project))
        place.keep_token()
        place.listen(None if args.socket else args.port or 0)
        hooks = HookDoor(resolution, lambda: memory)
        beside.callback(hooks.leave)
        hooks.begin()
        run_jobs_beside(beside, resolution, args.project, not args.no_jobs)
        running = place.publish(PATH)
        _tell(args, running, new=True)

        def fork(guard: LoopbackGuard) -> LoopbackGuard | Fork:
            port = urlsplit(running.url).port if running.url else None
            if port is None or find_missing_parts():
                return guard
            around = look_around(resolution, args)
            return Fork(guard, PREFIX, lambda: open_console(memory, port, around))

        serve_clients(memory, place, leave_if_told, fork)


def _tell(args: Arguments, running: Running, *, new: bool) -> None:
    what = "serving" if new else f"already served by process {running.pid}:"
    lines = [
        f"{what} {running.url or running.socket}",
        f"socket: {running.socket}",
        f"token: in {running.token_file}",
    ]
    if running.url:
        header = f'"Authorization: Bearer $(cat {shlex.quote(running.token_file)})"'
        lines.append(
            f"add it: claude mcp add --transport http engrain {running.url} --header {header}"
        )
    args.console.answer("mcp", {**running.describe(), "started": new}, lines)
    args.console.flush()


COMMAND = Command(
    _serve,
    """
| --http    on 127.0.0.1 and a Unix socket (the default at a terminal)
| --socket  on the Unix socket alone
| --stdio   serve one host; through the running server, if any (the default between pipes)
--port N/port  the port of --http, else a free one
--no-jobs   run no jobs while serving
$ engrain mcp
$ engrain mcp --http --port 8377
$ engrain mcp --socket --json
$ engrain mcp --stdio
$ engrain mcp --no-jobs
""",
    opens=None,
    check=_check,
)
