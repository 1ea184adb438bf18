"""`engrain mcp`: serve MCP clients over this vault."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from stat import S_ISFIFO, S_ISSOCK
from typing import TextIO

from engrain.adapters.cli.base import BaseCommand, flag, option, port
from engrain.adapters.cli.bridging import (
    HookDoor,
    open_resolved,
    run_jobs_beside,
    serve_clients,
    serve_host,
)
from engrain.adapters.mcp.guard import PATH
from engrain.adapters.mcp.process import leaving_on_signals, require_fastmcp
from engrain.adapters.mcp.singleton import Running, claim_place
from engrain.model.errors import UsageError


@dataclass(kw_only=True)
class McpCommand(BaseCommand):
    """Serve this vault to MCP clients."""

    examples = """
engrain mcp
engrain mcp --http --port 8377
engrain mcp --socket --json
engrain mcp --stdio
engrain mcp --stdio --read-only
engrain mcp --no-jobs
"""
    http: bool = flag("on 127.0.0.1 and a Unix socket (the default at a terminal)", rivals="1")
    socket: bool = flag("on the Unix socket alone", rivals="1")
    stdio: bool = flag(
        "serve one host; through the running server, if any (the default between pipes)", rivals="1"
    )
    port: int | None = option("the port of --http, else a free one", "N", type=port)
    no_jobs: bool = flag("run no jobs while serving")
    read_only: bool = flag("offer one host the tools that search and recall, no others")

    def run(self) -> int:
        if self.stdio or _is_started_by_host(self):
            flags = {**self.flags(), "agent": self.agent}
            serve_host(flags | ({"no_jobs": ""} if self.no_jobs else {}), read_only=self.read_only)
        else:
            _serve_clients(self)
        return 0

    def check(self) -> None:
        if self.port is not None and (self.stdio or self.socket):
            raise UsageError("--port is for --http alone")
        if self.read_only and not (self.stdio or _is_started_by_host(self)):
            raise UsageError("--read-only is for one host", remedy="add --stdio")


def _is_started_by_host(args: McpCommand) -> bool:
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


def _serve_clients(args: McpCommand) -> None:
    resolution = args.resolve()
    with leaving_on_signals() as is_asked_to_end, ExitStack() as beside:
        place = claim_place(resolution)
        if isinstance(place, Running):
            _print_address(args, place, new=False)
            return
        beside.enter_context(place)
        require_fastmcp()
        # The clients are in projects of their own, which they name; the server is in none.
        os.chdir(os.sep)
        memory = beside.enter_context(open_resolved(resolution, args.project))
        place.ensure_token()
        place.listen(None if args.socket else args.port or 0)
        hooks = HookDoor(resolution.state_dir, resolution, lambda: memory)
        beside.callback(hooks.release)
        hooks.begin()
        run_jobs_beside(beside, resolution, args.project, not args.no_jobs)
        _print_address(args, place.publish(PATH), new=True)
        serve_clients(memory, place, is_asked_to_end)


def _print_address(args: McpCommand, running: Running, *, new: bool) -> None:
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


COMMAND = McpCommand
