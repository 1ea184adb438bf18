"""The place on which one process of this user answers hooks, and how it does.

A hook sends values that each end with a zero byte, then its host's input, and closes its half; the
answer is the number of bytes to print, a line end, and these bytes. See `engrain_hook.ask`.
"""

from __future__ import annotations

import hmac
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from engrain.adapters.hooks.answers import LATE_START, MISSED, PROMPT, SESSION_START, render
from engrain.adapters.hooks.distant import DistantHook
from engrain.adapters.hooks.events import HANDLERS, Handler, HookCall, make_answer, note_answer
from engrain.adapters.hooks.intake import Find, process_spool
from engrain.adapters.hooks.losses import Loss, drop_missed, note_loss, note_time, read_missed
from engrain.adapters.hooks.payloads import Occasion, join_parts, read_payload
from engrain.adapters.hooks.place import LEAVE
from engrain.adapters.hooks.spool import SUBAGENT, TOOL, TOOL_FAILED
from engrain.adapters.hooks.tool_calls import answer_subagent, answer_tool
from engrain.adapters.hooks.vaults import RemoteMemoryError
from engrain.adapters.hooks.waiting import has_events
from engrain.api.memory import Memory
from engrain.language.secrets.finding import redact
from engrain.model.errors import EngrainError, MemoryOffError
from engrain_hook import HEAD, MOMENTS, SHARE, TAIL

_LARGEST = HEAD + TAIL + 64 * 1024
_VALUES = 7
_PATIENCE = 2.0
"""Seconds within which a hook must have sent its request."""
_TURNS = 16
"""The locks among which sessions are divided."""
_AT_ONCE = ("copilot",)
"""Hosts that run the hooks of a session's start and of its first prompt at once."""
_LOOK = 0.005
_MOST_AT_ONCE = 64
"""The most hooks that are answered at once; others open the memory themselves."""
_WAITED_FOR = (SESSION_START, PROMPT, LATE_START)
"""The events whose hooks open the memory themselves if they get no answer."""
_HANDLERS: dict[str, Handler] = {
    **HANDLERS,
    **dict.fromkeys((TOOL, TOOL_FAILED), answer_tool),
    SUBAGENT: answer_subagent,
}


@dataclass(slots=True)
class _SentHook:
    event: str
    host: str
    started: float
    deadline: float
    cwd: str
    environ: dict[str, str]
    payload: bytes


class Listener:
    """Answers hooks on a listening socket while its block runs; `find` is that of `intake`.

    A bridge asks a stand-in to leave, which gives `leave`, by an event of the name `LEAVE`.
    """

    def __init__(
        self,
        listening: socket.socket,
        state_dir: str,
        find: Find,
        token: str,
        leave: Callable[[], None] | None = None,
    ) -> None:
        self._leave = leave
        self.last = time.monotonic()
        """When the last hook came."""
        self._socket = listening
        self._state_dir = state_dir
        self._find = find
        self._token = token.encode()
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self._answering: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, name="hooks", daemon=True)

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread
        self._socket.close()
        self._thread.join()

    @property
    def is_answering(self) -> bool:
        """Whether a hook waits for an answer now."""
        return bool(self._answering)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            self.last = time.monotonic()
            if self._places.acquire(blocking=False):
                self._answering.add(connection)
                threading.Thread(
                    target=self._serve, args=(connection,), name="hook", daemon=True
                ).start()
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                request = _parse(_receive(connection), self._token)
                if request.event == LEAVE and self._leave is not None:
                    self._leave()
                printed = self._answer(request)
                if printed is not None:
                    connection.settimeout(_PATIENCE)
                    connection.sendall(f"{len(printed)}\n".encode() + printed)
        except (OSError, ValueError, EngrainError):
            return  # the hook opens the memory itself
        finally:
            self._answering.discard(connection)
            self._places.release()
        if request.event not in _WAITED_FOR and has_events(self._state_dir):
            process_spool(self._state_dir, self._find)

    def _answer(self, request: _SentHook) -> bytes | None:
        """Return what a hook prints, None if it has to answer by itself. Raises EngrainError."""
        occasion, event, host = Occasion(read_payload(request.payload)), request.event, request.host
        if event not in _HANDLERS:
            return None
        try:
            memory, project = self._find(occasion.cwd or request.cwd, request.environ)
        except MemoryOffError:
            return render(host, event, "", "").encode()
        except RemoteMemoryError:
            return self._ask_afar(request, occasion)
        if event in _WAITED_FOR and time.monotonic() > request.deadline:
            return None
        until = time.monotonic() + max(0.0, request.deadline - time.monotonic()) * SHARE
        if host in _AT_ONCE and event == PROMPT:
            _wait_for_start(memory, occasion.session, until)
        with self._wait_for_turn(event, occasion.session, until):
            return self._answer_turn(request, occasion, memory, project)

    @contextmanager
    def _wait_for_turn(self, event: str, session: str, until: float) -> Iterator[None]:
        """Let a session's start and prompts be answered one after another, or both would give the
        same entries; none waits beyond a moment."""
        turn = self._turns[hash(session) % _TURNS]
        waits = bool(session) and event in _WAITED_FOR
        taken = waits and turn.acquire(timeout=max(0.0, until - time.monotonic()))
        try:
            yield
        finally:
            if taken:
                turn.release()

    def _answer_turn(
        self, request: _SentHook, occasion: Occasion, memory: Memory, project: str
    ) -> bytes | None:
        """Answer a hook whose memory is here."""
        event = self._choose_event(request, occasion)
        call = HookCall(
            event,
            request.host,
            occasion,
            memory,
            deadline=request.deadline,
            at=time.time(),
            project=project,
            phase=request.environ.get("ENGRAIN_PHASE", ""),
        )
        _HANDLERS[event](call)
        answer = make_answer(call)
        ms = int((time.monotonic() - request.started) * 1000)
        if _comes_too_late(call):
            return None  # the hook notes its own answer, or leaves without one
        note_answer(call, answer)
        self._drop_missed(event, occasion)
        self._note(call, request.event, ms)
        said = render(request.host, event, answer.context, answer.message, learns=answer.learns)
        return said.encode()

    def _ask_afar(self, request: _SentHook, occasion: Occasion) -> bytes | None:
        """Return what a hook prints whose memory is on another machine, None where it has to answer
        by itself. Raises EngrainError, OSError."""
        event = self._choose_event(request, occasion)
        hook = DistantHook(
            request.host,
            event,
            occasion,
            request.environ,
            occasion.cwd or request.cwd,
            request.deadline,
        )
        printed = hook.answer(self._state_dir)
        if printed is None or hook.losses:
            return None
        self._drop_missed(event, occasion)
        now, started = time.time(), request.started
        ms = int((time.monotonic() - started) * 1000)
        note_time(self._state_dir, request.event, request.host, now, ms, warm=True)
        return printed.encode()

    def _choose_event(self, request: _SentHook, occasion: Occasion) -> str:
        """Return the event to answer, which is the session's start if nobody answered that."""
        missed = os.path.join(self._state_dir, MISSED)
        if request.event == PROMPT and os.path.exists(missed):
            source = read_missed(missed, occasion.session)
            if source is not None:
                occasion.source = source
                return LATE_START
        return request.event

    def _drop_missed(self, event: str, occasion: Occasion) -> None:
        """Forget that a session's start was missed, now that it is answered."""
        missed = os.path.join(self._state_dir, MISSED)
        if event in (SESSION_START, LATE_START) and os.path.exists(missed):
            drop_missed(missed, occasion.session)

    def _note(self, call: HookCall, event: str, ms: int) -> None:
        """Write the time of a hook and what it could not do into the logs."""
        for loss in call.losses:
            note_loss(self._state_dir, Loss(call.at, event, call.host, ms, loss), redact)
        note_time(self._state_dir, event, call.host, call.at, ms, warm=True)


def _wait_for_start(memory: Memory, session: str, until: float) -> None:
    """Wait until a session's start was noted, or anything else of it."""
    while not memory.journal.read(session) and time.monotonic() < until:
        time.sleep(_LOOK)


def _comes_too_late(call: HookCall) -> bool:
    """Whether a hook no longer waits for an answer, or makes a better one by itself."""
    late = time.monotonic() > call.deadline
    return (
        late if call.event in MOMENTS else call.event in _WAITED_FOR and bool(call.losses or late)
    )


def _parse(raw: bytes, token: bytes) -> _SentHook:
    """Return a request. Raises ValueError for anything else, or without the token."""
    if not hmac.compare_digest(raw[: len(token)], token):
        raise ValueError("without the token of this place")
    *values, rest = raw[len(token) :].split(b"\0", _VALUES)
    event, host, started, deadline, cwd, size, count = (os.fsdecode(value) for value in values)
    *around, payload = rest.split(b"\0", max(0, int(count)))
    if len(around) != int(count):
        raise ValueError("a request with fewer variables than it says")
    environ = dict(os.fsdecode(one).partition("=")[::2] for one in around)
    parts = payload[: int(size)], payload[int(size) :]
    return _SentHook(event, host, float(started), float(deadline), cwd, environ, join_parts(*parts))


def _receive(connection: socket.socket) -> bytes:
    until = time.monotonic() + _PATIENCE
    parts: list[bytes] = []
    size = 0
    while True:
        connection.settimeout(max(0.001, until - time.monotonic()))
        part = connection.recv(64 * 1024)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > _LARGEST:
            raise ValueError("larger than any hook sends")
