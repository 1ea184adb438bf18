"""`engrain hook`: answer one event of a host in time, in a process that then ends (S1.18).

Every import costs time at every prompt, so there are few: asking a running server needs this module
and a few small ones, and memory is loaded only if there is no server.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep, time

from engrain.adapters.hooks.answers import (
    BUDGETS,
    CONTEXTS,
    LATE_START,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    TIMES,
    render,
)
from engrain.adapters.hooks.intake import read_input
from engrain.adapters.hooks.warm import ENDING, ask_server
from engrain.model.errors import EngrainError, MemoryOffError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from engrain.adapters.hooks.events import HookCall
    from engrain.adapters.hooks.payloads import Occasion

_MOST_STRETCH = 2.0
"""The largest factor of a budget while other processes want the processor."""
_BUDGET = 1.0  # seconds for an unknown event
_BEFORE = 0.03
"""Seconds that pass before the first line here."""
_BEHIND = 0.02
"""Seconds reserved for printing the answer."""
_LAST = 0.2
"""Seconds for the notes after the answer."""
_INPUT_SHARE = 0.5
"""The share of the time for which the host's input is waited for, and each next part of it."""
_MOST_INPUT = 0.5
"""The most seconds for that: a host writes its input when it starts the hook."""
_SERVER_SHARE = 0.5
"""The share of the time that is spent on a server that may not answer."""
_MISSED = "missed-starts"
"""The folder of the state that has a file for each session whose start was missed."""
_MOST_TIMES = 128 * 1024
_LATE = "out of time"
_ROOTS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""The variables in which hosts name the folder of the session."""
_OPTIONS = ("host", "vault", "state_dir", "project", "backend")


class HookRequest:
    """A command line: the event, the host and the flags; `fault` says what is wrong, "" if
    nothing."""

    __slots__ = ("event", "fault", "flags", "host")

    def __init__(self, arguments: Sequence[str]) -> None:
        self.event = ""
        self.fault = ""
        self.flags: dict[str, str | None] = {}
        rest = iter(arguments)
        for word in rest:
            name, equals, value = word.partition("=")
            option = name[2:].replace("-", "_") if name[:2] == "--" else ""
            if option in _OPTIONS:
                self.flags[option] = value if equals else next(rest, "")
            elif self.event or word[:1] == "-":
                self.fault = f"unknown argument {word[:60]!r}"
            else:
                self.event = word
        self.host = self.flags.pop("host", None) or ""
        if self.event not in BUDGETS:
            self.fault = f"no event {self.event[:60]!r}; there are {', '.join(BUDGETS)}"
        elif self.host not in CONTEXTS:
            self.fault = f"no host {self.host[:60]!r}; --host is one of {', '.join(CONTEXTS)}"


def run(arguments: Sequence[str]) -> NoReturn:
    """Answer one event and exit with 0 whatever happens: a host takes any other code as a refusal
    of its user's action."""
    import gc

    # `signal` itself takes longer to import.
    from _signal import SIG_IGN, SIGINT, signal  # type: ignore[import-not-found]

    signal(SIGINT, SIG_IGN)  # Ctrl-C is for the host; this process ends in a moment
    gc.disable()  # so short a process has nothing to collect
    try:
        _HookRun(HookRequest(arguments), monotonic() - _BEFORE).answer()
    except BaseException:  # even without memory or threads
        os._exit(0)


class _HookRun:
    """The answer to one request, which is printed once, by the deadline."""

    def __init__(self, request: HookRequest, started: float) -> None:
        self._request = request
        self._event = request.event
        self._started = started
        # At the end of a session a host waits no longer, whatever the load.
        self._stretch = 1.0 if request.event == SESSION_END else _measure_load()
        self._allow(BUDGETS.get(request.event, _BUDGET) * self._stretch)
        self._location = ""
        self._remote = ""
        self._state_dir = ""
        self._missed = ""
        self._payload = b""
        self._call: HookCall | None = None
        self._unusable = ""
        self._is_off = False
        self._losses: list[str] = []
        self._leaving = allocate_lock()

    def answer(self) -> NoReturn:
        """Print the answer and exit."""
        _run_beside(self._watch, self._start_alarm)
        try:
            self._find_memory()
            self._payload = read_input(
                min(_MOST_INPUT, (self._deadline - monotonic()) * _INPUT_SHARE)
            )
            if self._request.fault:
                sys.stderr.write(f"engrain: {self._request.fault}\n")
                sys.stderr.flush()
                self._losses.append(self._request.fault)
            else:
                self._answer_from(self._find_missed(self._payload))
        except TimeoutError as error:
            self._losses.append(str(error))
        except MemoryOffError:
            self._is_off = True
        except EngrainError as error:
            self._losses.append(error.message)
            self._unusable = f"Engrain: {error.message}; {error.remedy}"
        except Exception as error:
            self._losses.append(f"{type(error).__name__}: {error}")
        self._finish()

    def _answer_from(self, payload: bytes) -> None:
        printed = self._ask_distant(payload) if self._remote else None
        if printed is None:
            printed = self._ask_server(payload)
        if printed is None:
            self._answer_cold(payload)
        else:
            self._leaving.acquire()
            _print(printed)
            self._settle_start(whole=True)
            self._note_time(warm=True)
            self._note(self._losses)
            os._exit(0)

    def _allow(self, seconds: float) -> None:
        self._deadline = self._started + seconds - _BEHIND

    def _find_missed(self, payload: bytes) -> bytes:
        """Return the payload; for a prompt in a session whose start was missed, with the source of
        that start."""
        if self._event != PROMPT or not os.path.exists(self._missed):
            return payload
        from engrain.adapters.hooks.missed import read_missed
        from engrain.adapters.hooks.payloads import Occasion, read_payload

        fields = read_payload(payload)
        source = read_missed(self._missed, Occasion(fields).session)
        if source is None:
            return payload
        import json

        self._event = LATE_START
        self._allow(BUDGETS[PROMPT] * _MOST_STRETCH)
        return json.dumps({**fields, "source": source}).encode()

    def _find_memory(self) -> None:
        """Set the places of the vault ("" for none), of this device's state and of the server."""
        from engrain.resolution.selector import absolute_location
        from engrain.resolution.settings import default_state_dir, load_settings

        given = self._request.flags.get("state_dir") or os.environ.get("ENGRAIN_STATE_DIR")
        self._state_dir = _absolute(given or default_state_dir(os.environ))
        settings = load_settings(self._request.flags, os.environ, os.getcwd())
        self._state_dir = _absolute(settings["state_dir"].value or self._state_dir)
        self._missed = os.path.join(self._state_dir, _MISSED)
        for root in filter(None, map(os.environ.get, _ROOTS)):
            if root != os.getcwd():  # the agent works in another folder than its session's
                self._check_on(root)
        vault = settings["vault"].value
        self._location = absolute_location(vault) if vault else ""
        self._remote = settings["remote.url"].value or ""

    def _check_on(self, folder: str) -> None:
        """Raise MemoryOffError if memory is off in a folder, ConfigError."""
        from engrain.resolution.settings import load_settings
        from engrain.resolution.switch import check_on

        check_on(load_settings(self._request.flags, os.environ, folder), folder)

    def _ask_server(self, payload: bytes) -> bytes | None:
        """Return the answer of a running server, None if there is none in time."""
        from engrain.resolution.endpoint import endpoint_path

        path = self._location and endpoint_path(self._state_dir, self._location, ENDING)
        wait = (self._deadline - monotonic()) * _SERVER_SHARE
        if not path or wait <= 0 or not os.path.exists(path):
            return None
        fields = {
            "event": self._event,
            "host": self._request.host,
            "cwd": os.getcwd(),
            "project": self._request.flags.get("project") or os.environ.get("ENGRAIN_PROJECT", ""),
            "phase": os.environ.get("ENGRAIN_PHASE", ""),
            # After it the server notes nothing as given, so late results can be given again.
            "deadline": repr(monotonic() + wait - _BEHIND),
        }
        return ask_server(path, fields, payload, wait)

    def _ask_distant(self, payload: bytes) -> bytes | None:
        """Return the answer of a remote server, or one from the copy of its answers; None for an
        event that concerns only this device's vault. Raises EngrainError, OSError."""
        from engrain.adapters.hooks.distant import answer_from_afar
        from engrain.adapters.hooks.payloads import Occasion, read_payload
        from engrain.resolution.place import check_state_dir

        host, event = self._request.host, self._event
        check_state_dir(self._state_dir, self._location or None)
        if event in (SESSION_START, STOP):
            from engrain.adapters.hooks.tokens import renew_token

            share = (self._deadline - monotonic()) * _SERVER_SHARE
            if loss := renew_token(self._state_dir, monotonic() + share):
                self._losses.append(loss)
        if event not in CONTEXTS[host]:
            return None if self._location else render(host, event, "", "").encode()
        occasion = Occasion(read_payload(payload))
        context, message, loss = answer_from_afar(
            occasion,
            self._state_dir,
            named=self._request.flags.get("project") or "",
            starts=event == SESSION_START,
            until=self._deadline - _BEHIND,
        )
        if loss:
            self._losses.append(loss)
        return render(host, event, context, message).encode()

    def _answer_cold(self, payload: bytes) -> None:
        from engrain.adapters.hooks.events import HANDLERS, HookCall
        from engrain.adapters.hooks.payloads import Occasion, read_payload
        from engrain.wiring import open_memory

        occasion = Occasion(read_payload(payload))
        flags = self._request.flags
        self._check_on(occasion.cwd or os.getcwd())
        if self._event == SESSION_START and self._location:
            self._expect(occasion.session, occasion.source)
        if occasion.cwd and os.path.isdir(occasion.cwd):
            os.chdir(occasion.cwd)  # its folder decides the project
        memory = open_memory(
            flags.get("vault"),
            state_dir=flags.get("state_dir"),
            backend=flags.get("backend"),
            project=flags.get("project"),
            cold=True,
        )
        self._call = HookCall(
            self._event,
            self._request.host,
            occasion,
            memory,
            deadline=self._deadline - _BEHIND,
            at=time(),
            phase=os.environ.get("ENGRAIN_PHASE", ""),
        )
        HANDLERS[self._event](self._call)

    def _watch(self) -> None:
        """Print the answer as far as it is complete when the deadline has come."""
        while (left := self._deadline - monotonic()) > 0:
            sleep(left)
        self._losses.append(_LATE)
        self._finish()

    def _start_alarm(self) -> None:
        """Do as `_watch` does between two steps of this thread, where none can be started."""
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

        def ring(*_: object) -> None:
            if (left := self._deadline - monotonic()) > 0:
                setitimer(ITIMER_REAL, left)
            elif not self._leaving.locked():
                self._losses.append(_LATE)
                self._finish()

        signal(SIGALRM, ring)
        setitimer(ITIMER_REAL, max(0.001, self._deadline - monotonic()))

    def _finish(self) -> NoReturn:
        """Print the answer, note what was given and what was lost, and exit.

        The first of the two threads does it, and the other waits for the end of the process.
        """
        self._leaving.acquire()
        seconds = _LAST * self._stretch
        _run_beside(lambda: _leave_later(seconds), lambda: _leave_at(seconds))
        try:
            self._print_answer()
        except Exception as error:
            self._losses.append(f"{type(error).__name__}: {error}")
        self._settle_start(whole=self._call is not None and self._call.started)
        if self._call is not None:  # otherwise the place of the state is not checked
            self._note_time(warm=False)
        self._note([*self._losses, *(self._call.losses if self._call else ())])
        os._exit(0)

    def _print_answer(self) -> None:
        host, event = self._request.host, self._event
        if self._call is None:
            # Without this message a user would believe that memory works.
            message = self._unusable if event == SESSION_START else ""
            _print(render(host, event, "", message).encode())
            return
        from engrain.adapters.hooks.events import make_answer, note_answer

        answer = make_answer(self._call)
        _print(render(host, event, answer.context, answer.message).encode())
        note_answer(self._call, answer)

    def _settle_start(self, *, whole: bool) -> None:
        """Note that the session's start was missed, or that this has been made up for."""
        starts = self._event in (SESSION_START, LATE_START)
        if not starts or self._is_off or (whole and not os.path.exists(self._missed)):
            return
        from engrain.adapters.hooks.missed import drop_missed

        try:
            occasion = self._read_occasion()
            if occasion is None:
                return
            if whole:
                drop_missed(self._missed, occasion.session)
            elif self._event == SESSION_START:
                # If the start is noted already, its entries are in the context.
                begun = self._call is not None and self._call.begun
                self._expect(occasion.session, "resume" if begun else occasion.source)
        except (ValueError, TimeoutError):
            return  # without a payload, which is logged, there is no session
        except (OSError, EngrainError) as error:
            self._losses.append(f"the start of the session will not be made up for: {error}")

    def _read_occasion(self) -> Occasion | None:
        """Return the event, reading it now if there was no time before; None without a vault.
        Raises ValueError, EngrainError, and TimeoutError while the host still writes."""
        from engrain.adapters.hooks.payloads import Occasion, read_payload

        if not self._missed:
            self._find_memory()
        if not self._location:
            return None
        # After the deadline it waits for nothing.
        return Occasion(read_payload(self._payload or read_input(0.0)))

    def _expect(self, session: str, source: str) -> None:
        """Note that a session's start is missed until it is complete, since a process that is
        killed meanwhile notes nothing. Raises OSError, StateLocationError."""
        from engrain.adapters.hooks.missed import note_missed
        from engrain.lifecycle.sessions.sessions import PROBE
        from engrain.resolution.place import check_state_dir

        if session and not session.startswith(PROBE):
            check_state_dir(self._state_dir, self._location)
            note_missed(self._missed, session, source, time())

    def _note_time(self, *, warm: bool) -> None:
        ms, request = int((monotonic() - self._started) * 1000), self._request
        line = f"{int(time())} {request.event} {request.host} {ms} {int(warm)}\n"
        path = os.path.join(self._state_dir, TIMES)
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            file = os.open(path, flags, 0o600)
            try:
                os.write(file, line.encode())
                full = os.fstat(file).st_size > _MOST_TIMES
            finally:
                os.close(file)
            if full:
                os.replace(path, f"{path}.1")
        except OSError:
            return  # this hook is missing from the statistics

    def _note(self, losses: Sequence[str]) -> None:
        if not losses:
            return
        from engrain.adapters.hooks.missed import append_loss
        from engrain.resolution.place import check_state_dir

        try:
            check_state_dir(self._state_dir, self._location or None)
        except EngrainError:
            return  # even a log must not be written into a synchronised folder
        event, host = self._request.event, self._request.host
        for reason in losses:
            ms = int((monotonic() - self._started) * 1000)
            if reason == _LATE:  # it has no secret, and there is no time to load their rules
                append_loss(self._state_dir, time(), event, host, ms, reason)
                continue
            from engrain.adapters.hooks.losses import Loss, note_loss

            note_loss(self._state_dir, Loss(time(), event, host, ms, reason))


def _print(printed: bytes) -> None:
    try:
        while printed:
            printed = printed[os.write(1, printed) :]
    except OSError:
        return  # the host has closed the pipe


def _run_beside(function: Callable[[], None], without: Callable[[], None]) -> None:
    """Run a function in a new thread; call another in its place where none can be started, as
    under a limit of processes."""
    try:
        start_new_thread(function, ())
    except RuntimeError:
        without()


def _leave_at(seconds: float) -> None:
    """Do as `_leave_later` does, without a thread."""
    from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

    signal(SIGALRM, lambda *_: os._exit(0))
    setitimer(ITIMER_REAL, seconds)


def _leave_later(seconds: float) -> NoReturn:
    """Exit after some seconds: the host must not wait for the notes after the answer."""
    sleep(seconds)
    os._exit(0)


def _measure_load() -> float:
    """Return how many processes want each core, from 1 to `_MOST_STRETCH`: the larger of the last
    minute's average and, where the system reports it, the present number."""
    wanted = 0.0
    try:
        wanted = os.getloadavg()[0]
        with open("/proc/loadavg", "rb") as file:  # noqa: PTH123
            wanted = max(wanted, float(file.read().split()[3].partition(b"/")[0]))
    except (OSError, AttributeError):
        pass  # the system does not report it
    return min(_MOST_STRETCH, max(1.0, wanted / (os.cpu_count() or 1)))


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
