"""`engrain mcp`: serve MCP clients over this vault."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack

from engrain.adapters.cli.options import Command, resolve_from
from engrain.adapters.present.failures import EXIT_OK
from engrain.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from engrain.adapters.cli.console import Console
    from engrain.adapters.hooks.listener import Listener
    from engrain.adapters.mcp.singleton import Running
    from engrain.api.memory import Memory
    from engrain.resolution.selector import Resolution


def _serve(args: argparse.Namespace, console: Console) -> int:
    if args.port is not None and (args.stdio or args.socket):
        raise UsageError("--port is for --http alone")
    if args.port is not None and not 0 <= args.port <= 65535:
        raise UsageError(f"{args.port} is no port", remedy="give one from 1 to 65535")
    resolution = resolve_from(args)
    if args.stdio:
        _serve_host(args, resolution)
    else:
        _serve_clients(args, resolution, console)
    return EXIT_OK


def _serve_host(args: argparse.Namespace, resolution: Resolution) -> None:
    """Standard output belongs to the protocol: nothing else is written to it."""
    from engrain.adapters.mcp.serving import serve_host

    serve_host(
        resolution,
        lambda: _open(args, resolution),
        sys.stdin.buffer,
        sys.stdout.buffer,
        _jobs_every(args, resolution),
    )


def _serve_clients(args: argparse.Namespace, resolution: Resolution, console: Console) -> None:
    from engrain.adapters.mcp.guard import PATH
    from engrain.adapters.mcp.serving import leaving_on_signals, require_fastmcp, serve_place
    from engrain.adapters.mcp.singleton import Running, claim_place

    with leaving_on_signals() as leave_if_told, ExitStack() as beside:
        place = claim_place(resolution)
        if isinstance(place, Running):
            _tell(place, console, new=False)
            return
        beside.enter_context(place)
        require_fastmcp()
        # The clients are in projects of their own, which they name; the server is in none.
        os.chdir(os.sep)
        memory = beside.enter_context(_open(args, resolution))
        place.keep_token()
        place.listen(None if args.socket else args.port or 0)
        beside.enter_context(_answer_hooks(memory, resolution))
        if (every := _jobs_every(args, resolution)) is not None:
            from engrain.adapters.mcp.jobs import running_jobs

            beside.enter_context(running_jobs(lambda: _open(args, resolution), every))
        _tell(place.publish(PATH), console, new=True)
        serve_place(memory, place, leave_if_told)


def _jobs_every(args: argparse.Namespace, resolution: Resolution) -> float | None:
    """Seconds from one round of jobs to the next, None for no jobs."""
    from engrain.resolution.settings import read_whole_number

    minutes = read_whole_number(resolution.settings, "jobs.minutes")
    return None if args.no_jobs or minutes is None else minutes * 60.0


def _answer_hooks(memory: Memory, resolution: Resolution) -> Listener:
    """Hooks find the same memory, open and warm, on a socket of their own."""
    from engrain.adapters.hooks.listener import Listener
    from engrain.adapters.hooks.warm import ENDING
    from engrain.resolution.endpoint import endpoint_path
    from engrain.resolution.selector import find_project

    path = endpoint_path(resolution.state_dir, resolution.location, ENDING)
    return Listener(
        path, memory, lambda folder, named: find_project(named, os.environ, folder or os.sep)
    )


def _open(args: argparse.Namespace, resolution: Resolution) -> Memory:
    from engrain.wiring import open_memory

    return open_memory(
        resolution.location,
        state_dir=resolution.state_dir,
        backend=resolution.backend,
        project=getattr(args, "project", None),
        agent=resolution.agent,
    )


def _tell(running: Running, console: Console, *, new: bool) -> None:
    console.answer("mcp", {**running.describe(), "started": new}, _lines(running, new))
    console.flush()


def _lines(running: Running, new: bool) -> list[str]:
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
    return lines


COMMAND = Command(
    _serve,
    """
| --http    on 127.0.0.1 and a Unix socket (the default)
| --socket  on the Unix socket alone
| --stdio   serve one host; through the running server, if any
--port N/int  the port of --http; else a free one
--no-jobs   run no jobs while serving
$ engrain mcp
$ engrain mcp --http --port 8377
$ engrain mcp --socket --json
$ engrain mcp --stdio
$ engrain mcp --no-jobs
""",
)
