"""`engrain hook`: one event of a host, answered in time by a process that then is gone (S1.18).

Every import is paid at every prompt, so there are next to none: the short way through a running
server needs this module and a few small ones, and memory is loaded only where there is no server.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep, time

from engrain.adapters.hooks.intake import read_input
from engrain.adapters.hooks.warm import ENDING, ask_server
from engrain.model.errors import EngrainError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from engrain.adapters.hooks.events import Call

BUDGETS = {
    "session-start": 0.5,
    "prompt": 0.3,
    "stop": 2.0,
    "pre-compact": 1.0,
    "session-end": 1.0,
}
"""Seconds that each event has, from the start of the process to its end (S1.18)."""
_BEFORE = 0.03
"""Seconds that are gone before the first line here."""
_BEHIND = 0.02
"""Seconds that are kept for printing what is ready."""
_SERVER_SHARE = 0.5
"""Of the time there is, what is spent on a server that may not answer."""
_OPTIONS = ("host", "vault", "state_dir", "project", "backend")


class Request:
    """What the command line asks for: the event, the host, and where memory is."""

    __slots__ = ("event", "flags", "host")

    def __init__(self, arguments: Sequence[str]) -> None:
        """Raises UsageError."""
        self.event = ""
        self.flags: dict[str, str | None] = {}
        rest = iter(arguments)
        for word in rest:
            name, equals, value = word.partition("=")
            option = name[2:].replace("-", "_") if name[:2] == "--" else ""
            if option in _OPTIONS:
                self.flags[option] = value if equals else next(rest, "")
            elif self.event or word[:1] == "-":
                raise UsageError(f"unknown argument {word[:60]!r}")
            else:
                self.event = word
        self.host = self.flags.pop("host", None) or ""
        if self.event not in BUDGETS:
            events = ", ".join(BUDGETS)
            raise UsageError(f"no event {self.event[:60]!r}", remedy=f"there are {events}")
        if not self.host:
            raise UsageError("no --host is named", remedy="see `engrain hook --help`")


def run(arguments: Sequence[str]) -> NoReturn:
    """Answer one event, and leave with 0 whatever happens: to a host any other code is a refusal
    of what its user wants to do."""
    import gc

    gc.disable()  # there is nothing to collect in so short a life
    started = monotonic() - _BEFORE
    try:
        request = Request(arguments)
    except UsageError as error:
        sys.stderr.write(f"engrain: {error.message}; {error.remedy}\n")
        sys.stderr.flush()
        os._exit(0)
    _Run(request, started).answer()


class _Run:
    """The answer to one request. It is printed once, by the deadline."""

    def __init__(self, request: Request, started: float) -> None:
        self._request = request
        self._started = started
        self._deadline = started + BUDGETS[request.event] - _BEHIND
        self._state_dir = ""
        self._call: Call | None = None
        self._losses: list[str] = []
        self._leaving = allocate_lock()

    def answer(self) -> NoReturn:
        """Print what the host gets, and leave."""
        start_new_thread(self._watch, ())
        try:
            payload = read_input()
            printed = self._ask_server(payload)
            if printed is not None:
                self._leave(printed)
            self._answer_cold(payload)
        except EngrainError as error:
            self._losses.append(error.message)
        except Exception as error:
            self._losses.append(f"{type(error).__name__}: {error}")
        self._finish()

    def _ask_server(self, payload: bytes) -> bytes | None:
        """What a running server would print; None where there is none that says so in time."""
        from engrain.resolution.endpoint import endpoint_path
        from engrain.resolution.selector import absolute_location
        from engrain.resolution.settings import default_state_dir, load_settings

        flags = self._request.flags
        settings = load_settings(flags, os.environ, os.getcwd())
        state_dir = settings["state_dir"].value or default_state_dir(os.environ)
        self._state_dir = os.path.abspath(os.path.expanduser(state_dir))
        vault = settings["vault"].value
        path = vault and endpoint_path(self._state_dir, absolute_location(vault), ENDING)
        wait = (self._deadline - monotonic()) * _SERVER_SHARE
        if not path or wait <= 0 or not os.path.exists(path):
            return None
        fields = {
            "event": self._request.event,
            "host": self._request.host,
            "cwd": os.getcwd(),
            "project": flags.get("project") or os.environ.get("ENGRAIN_PROJECT", ""),
            "phase": os.environ.get("ENGRAIN_PHASE", ""),
            # Past it the server notes nothing as given, so what it finds late is not lost.
            "deadline": repr(monotonic() + wait - _BEHIND),
        }
        return ask_server(path, fields, payload, wait)

    def _answer_cold(self, payload: bytes) -> None:
        from engrain.adapters.hooks.events import Call, handle
        from engrain.adapters.hooks.payloads import Occasion, read_payload
        from engrain.wiring import open_memory

        occasion = Occasion(read_payload(payload))
        if occasion.cwd and os.path.isdir(occasion.cwd):
            os.chdir(occasion.cwd)  # by its folder the project is known
        flags = self._request.flags
        memory = open_memory(
            flags.get("vault"),
            state_dir=flags.get("state_dir"),
            backend=flags.get("backend"),
            project=flags.get("project"),
            cold=True,
        )
        self._call = Call(
            self._request.event,
            self._request.host,
            occasion,
            deadline=self._deadline - _BEHIND,
            at=time(),
            phase=os.environ.get("ENGRAIN_PHASE", ""),
        )
        handle(self._call, memory)

    def _watch(self) -> None:
        """At the deadline, whatever is being waited for: what is ready is all there is."""
        sleep(max(0.0, self._deadline - monotonic()))
        self._losses.append("out of time")
        self._finish()

    def _finish(self) -> NoReturn:
        """Print what is ready, note what was lost, and leave."""
        printed = b""
        try:
            from engrain.adapters.hooks.answers import render

            call = self._call
            context, message = call.render() if call else ("", "")
            printed = render(self._request.host, self._request.event, context, message).encode()
            losses = [*self._losses, *(call.losses if call else ())]
            if losses:
                self._note(losses)
        except Exception as error:
            self._note([f"{type(error).__name__}: {error}"])
        self._leave(printed)

    def _note(self, losses: Sequence[str]) -> None:
        from engrain.adapters.hooks.losses import make_loss, note_loss
        from engrain.resolution.settings import default_state_dir

        for reason in losses:
            loss = make_loss(self._request.event, self._request.host, self._started, reason)
            note_loss(self._state_dir or default_state_dir(os.environ), loss)

    def _leave(self, printed: bytes) -> NoReturn:
        """Print and be gone without the interpreter's farewell, which takes as long as a recall.
        Of two threads that come here the first prints; the other waits for the end."""
        self._leaving.acquire()
        try:
            while printed:
                printed = printed[os.write(1, printed) :]
        except OSError:
            pass  # nobody reads it any more
        os._exit(0)
