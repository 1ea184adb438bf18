"""Door two of the hooks: answer one event of a host in time, in a process that then ends (S1.18).

Door one (`engrain_hook`) calls it with what it has read if no bridge answers. `engrain hook`, which
older installations run, calls it at once, and it asks the bridge as door one does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, NoReturn

from engrain.adapters.hooks.answers import (
    BUDGETS,
    CONTEXTS,
    LATE_START,
    MISSED,
    PROMPT,
    SESSION_START,
    render,
)
from engrain.adapters.hooks.losses import (
    Loss,
    drop_missed,
    note_loss,
    note_missed,
    note_time,
    read_missed,
)
from engrain.adapters.hooks.payloads import Occasion, join_parts, read_payload
from engrain.adapters.hooks.spool import store
from engrain.adapters.hooks.waiting import has_events
from engrain.model.errors import EngrainError, MemoryOffError
from engrain.resolution.endpoint import hooks_path, run_folder
from engrain.resolution.files import check_state_dir
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import (
    MEMORY,
    OFF,
    absolute_state_dir,
    check_folder,
    check_roots,
    load_settings,
)
from engrain.seam.journal import PROBE
from engrain_hook import (
    BEFORE,
    BEHIND,
    MOMENTS,
    MOST_INPUT,
    SHARE,
    ask,
    measure_stretch,
    read_event,
)

if TYPE_CHECKING:
    from engrain.adapters.hooks.events import HookCall
    from engrain.adapters.hooks.place import HookPlace

_MOST_STRETCH = 2.0
"""The factor of a prompt's budget where the session's start is made up for too."""
_BUDGET = 1.0  # seconds for an unknown event
_LATE = "out of time"
_MOST_PROMPT = 1200
"""Characters of a prompt that are stored: more than are noted, so that secrets are recognised."""
_LAST = 0.2
"""Seconds for the notes after the answer."""
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


def run(
    arguments: Sequence[str], started: float | None = None, parts: tuple[bytes, bytes] | None = None
) -> NoReturn:
    """Answer one event and exit with 0 whatever happens: a host takes any other code as a refusal
    of its user's action. `started` is when the process did (monotonic), `parts` what door one has
    read and no bridge has answered."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host
    try:
        _HookRun(HookRequest(arguments), started or monotonic() - BEFORE, parts).answer()
    except BaseException:  # even without memory or threads
        os._exit(0)


class _HookRun:
    """The answer to one request, which is printed once, by the deadline."""

    def __init__(
        self, request: HookRequest, started: float, parts: tuple[bytes, bytes] | None
    ) -> None:
        self._request = request
        self._event = request.event
        self._started = started
        self._parts = parts
        self._stretch = measure_stretch(request.event)
        self._allow(BUDGETS.get(request.event, _BUDGET) * self._stretch)
        self._location = ""
        self._remote = ""
        self._state_dir = ""
        self._missed = ""
        self._payload = b""
        self._call: HookCall | None = None
        self._unusable = ""
        self._is_off = False
        self._is_answered = False
        self._losses: list[str] = []
        self._leaving = threading.Lock()

    def answer(self) -> NoReturn:
        """Print the answer and exit."""
        _run_beside(self._watch, self._start_alarm)
        try:
            self._find_memory()
            asked = self._parts is not None
            if self._parts is None:
                left = self._deadline - monotonic()
                self._parts = read_event(max(0.0, min(MOST_INPUT, left * SHARE)))
            self._payload = join_parts(*self._parts)
            if self._request.fault:
                sys.stderr.write(f"engrain: {self._request.fault}\n")
                sys.stderr.flush()
                self._losses.append(self._request.fault)
            else:
                self._answer_from(asked)
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

    def _answer_from(self, asked: bool) -> None:
        payload = self._find_missed(self._payload)
        if not asked and (printed := self._ask_bridge()) is not None:
            self._leaving.acquire()
            _print(printed)
            os._exit(0)
        far = self._remote and self._event not in MOMENTS
        printed = self._ask_distant(payload) if far else None
        if printed is not None:
            self._leaving.acquire()
            _print(printed)
            self._record_start(whole=self._is_answered)
            self._note_time(warm=True)
            self._note(self._losses)
            os._exit(0)
        if self._event in MOMENTS:
            _print(render(self._request.host, self._event, "", "").encode())
            os._exit(0)
        self._answer_cold(payload)

    def _allow(self, seconds: float) -> None:
        self._deadline = self._started + seconds - BEHIND

    def _find_missed(self, payload: bytes) -> bytes:
        """Return the payload; for a prompt in a session whose start was missed, with the source of
        that start."""
        if self._event != PROMPT or not os.path.exists(self._missed):
            return payload
        fields = read_payload(payload)
        source = read_missed(self._missed, Occasion(fields).session)
        if source is None:
            return payload
        self._event = LATE_START
        self._allow(BUDGETS[PROMPT] * _MOST_STRETCH)
        return json.dumps({**fields, "source": source}).encode()

    def _find_memory(self) -> None:
        """Set the places of the vault ("" for none) and of this device's state."""
        given = self._request.flags.get("state_dir") or os.environ.get("ENGRAIN_STATE_DIR")
        self._state_dir = absolute_state_dir(given, os.environ)
        settings = load_settings(self._request.flags, os.environ, os.getcwd())
        self._state_dir = absolute_state_dir(settings["state_dir"].value, os.environ)
        self._missed = os.path.join(self._state_dir, MISSED)
        if settings[MEMORY].value == OFF and settings[MEMORY].origin.startswith("environment"):
            raise MemoryOffError("memory is off in this process")
        check_roots(os.environ, os.getcwd())
        vault = settings["vault"].value
        self._location = absolute_location(vault) if vault else ""
        self._remote = settings["remote.url"].value or ""
        for name, given in self._request.flags.items():
            if given:  # for the bridge, and for the spool
                os.environ[f"ENGRAIN_{name.upper()}"] = given

    def _ask_bridge(self) -> bytes | None:
        """Return the answer of a bridge, None if there is none in time."""
        place = hooks_path(self._state_dir)
        if self._parts is None or not os.path.exists(place):
            return None
        from engrain.adapters.hooks.place import connect_anywhere

        limit = monotonic() + (self._deadline - monotonic()) * SHARE
        words = [self._event, self._request.host, repr(self._started)]
        return ask(place, words, limit, self._parts, connect_anywhere)

    def _ask_distant(self, payload: bytes) -> bytes | None:
        """Return the answer of a remote server; None for an event that concerns only this device's
        vault. Raises EngrainError, OSError."""
        from engrain.adapters.hooks.distant import DistantHook

        check_state_dir(self._state_dir, self._location or None)
        occasion = Occasion(read_payload(payload))
        hook = DistantHook(
            self._request.host,
            self._event,
            occasion,
            os.environ,
            occasion.cwd or os.getcwd(),
            self._deadline - BEHIND,
            self._request.flags.get("project") or "",
            self._losses,
        )
        printed = hook.answer(self._state_dir)
        self._is_answered = hook.answered
        return None if printed is None else printed.encode()

    def _answer_cold(self, payload: bytes) -> None:
        from engrain.adapters.hooks.events import HANDLERS, HookCall
        from engrain.wiring import open_memory

        occasion = Occasion(read_payload(payload))
        flags = self._request.flags
        folder = occasion.cwd or os.getcwd()
        check_folder(flags, os.environ, folder)
        if self._event == SESSION_START and self._location:
            self._expect(occasion.session, occasion.source)
        if occasion.cwd and os.path.isdir(occasion.cwd):
            os.chdir(occasion.cwd)  # its folder decides the project
        if self._event == SESSION_START and self._location:
            self._start_standin(occasion.session)
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
            deadline=self._deadline - BEHIND,
            at=time(),
            phase=os.environ.get("ENGRAIN_PHASE", ""),
        )
        HANDLERS[self._event](self._call)

    def _start_standin(self, session: str) -> None:
        """Have another process answer the hooks that follow. A state folder that the environment
        names is often a temporary one, in which no process is left behind."""
        if "ENGRAIN_STATE_DIR" in os.environ or session.startswith(PROBE):
            return
        try:
            from engrain.adapters.hooks.place import HookPlace

            run_folder(self._state_dir)
            place = HookPlace(hooks_path(self._state_dir))
            if place.acquire(wait=False):
                _start_standin(place)
        except (OSError, EngrainError) as error:
            self._losses.append(f"no process answers the next hooks: {error}")

    def _watch(self) -> None:
        """Print the answer as far as it is complete when the deadline has come."""
        while (left := self._deadline - monotonic()) > 0:
            sleep(left)
        self._losses.append(_LATE)
        self._finish()

    def _start_alarm(self) -> None:
        """Do as `_watch` does between two steps of this thread, where none can be started."""

        def ring(*_: object) -> None:
            if (left := self._deadline - monotonic()) > 0:
                signal.setitimer(signal.ITIMER_REAL, left)
            elif not self._leaving.locked():
                self._losses.append(_LATE)
                self._finish()

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self._deadline - monotonic()))

    def _finish(self) -> NoReturn:
        """Print the answer, note what was given and what was lost, and exit.

        The first of the two threads does it, and the other waits for the end of the process.
        """
        self._leaving.acquire()
        seconds = _LAST * self._stretch
        _run_beside(lambda: _exit_later(seconds), lambda: _exit_at(seconds))
        try:
            self._print_answer()
        except Exception as error:
            self._losses.append(f"{type(error).__name__}: {error}")
        self._record_start(whole=self._call is not None and self._call.started)
        if self._call is not None:  # otherwise the place of the state is not checked
            self._note_time(warm=False)
        elif self._event == PROMPT and _LATE in self._losses:
            self._store_prompt()
        self._note([*self._losses, *(self._call.losses if self._call else ())])
        if self._event == SESSION_START and self._call is not None:
            self._process_spool()
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
        said = render(host, event, answer.context, answer.message, learns=answer.learns)
        _print(said.encode())
        note_answer(self._call, answer)

    def _record_start(self, *, whole: bool) -> None:
        """Note that the session's start was missed, or that this has been made up for."""
        starts = self._event in (SESSION_START, LATE_START)
        if not starts or self._is_off or (whole and not os.path.exists(self._missed)):
            return
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
        if not self._missed:
            self._find_memory()
        if not self._location and not self._remote:
            return None
        # After the deadline it waits for nothing.
        payload = self._payload or join_parts(*(self._parts or read_event(0.0)))
        return Occasion(read_payload(payload))

    def _expect(self, session: str, source: str) -> None:
        """Note that a session's start is missed until it is complete, since a process that is
        killed meanwhile notes nothing. Raises OSError, StateLocationError."""
        if session and not session.startswith(PROBE):
            check_state_dir(self._state_dir, self._location or None)
            note_missed(self._missed, session, source, time())

    def _store_prompt(self) -> None:
        """Put a prompt for which there was no time into the spool, so that its session has it."""
        try:
            occasion = self._read_occasion()
            known = occasion is not None and occasion.session and self._location
            if occasion is None or not known or not occasion.prompt.strip():
                return
            folder = occasion.cwd or os.getcwd()
            check_folder(self._request.flags, os.environ, folder)
            check_state_dir(self._state_dir, self._location)
            fields = {"session_id": occasion.session, "cwd": occasion.cwd}
            fields["prompt"] = occasion.prompt[:_MOST_PROMPT]
            store(self._state_dir, PROMPT, self._request.host, fields)
        except (ValueError, OSError, EngrainError) as error:
            self._losses.append(f"the prompt will not be noted: {error}")

    def _process_spool(self) -> None:
        if has_events(self._state_dir):
            from engrain.adapters.hooks.intake import process_spool_here

            process_spool_here(self._state_dir)

    def _note_time(self, *, warm: bool) -> None:
        ms = int((monotonic() - self._started) * 1000)
        note_time(self._state_dir, self._request.event, self._request.host, time(), ms, warm=warm)

    def _note(self, losses: Sequence[str]) -> None:
        if not losses:
            return
        from engrain.language.secrets.finding import redact

        try:
            check_state_dir(self._state_dir, self._location or None)
        except EngrainError:
            return  # even a log must not be written into a synchronised folder
        event, host = self._request.event, self._request.host
        for reason in losses:
            ms = int((monotonic() - self._started) * 1000)
            note_loss(self._state_dir, Loss(time(), event, host, ms, reason), redact)


def _start_standin(place: HookPlace) -> None:
    """Start a process (`standin`) that holds the place from now on and outlives this one. Raises
    OSError."""
    import subprocess

    numbers = place.numbers()
    code = (
        f"import sys;sys.path[:]={sys.path!r};from engrain.adapters.hooks.standin import serve;"
        f"serve{(place.path, *numbers)!r}"
    )
    subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=numbers,
        start_new_session=True,
    )


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
        threading.Thread(target=function, daemon=True).start()
    except RuntimeError:
        without()


def _exit_at(seconds: float) -> None:
    """Do as `_exit_later` does, without a thread."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _exit_later(seconds: float) -> NoReturn:
    """Exit after some seconds: the host must not wait for the notes after the answer."""
    sleep(seconds)
    os._exit(0)
