"""Answer hooks, and the tools of a host, by requests to a remote server (`engrain serve`).

The token for it is in a private file. A command of the user renews it at a session's start and at
the end of each turn, so no prompt waits for it.
"""

from __future__ import annotations

import json
import os
import shlex
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from socket import create_connection, gaierror
from time import monotonic, time
from typing import Any
from urllib.parse import quote, urlsplit

from engrain.adapters.hooks.answers import (
    CONTEXTS,
    LATE_START,
    MOST_CHARS,
    PROMPT,
    SESSION_START,
    STOP,
    render,
)
from engrain.adapters.hooks.events import HANDLERS, PROMPT_BUDGET, PROMPT_LIMIT, known_phase
from engrain.adapters.hooks.losses import drop_missed, note_missed, read_missed
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hooks.spool import SUBAGENT, TOOL, TOOL_FAILED, silent, store
from engrain.adapters.hooks.tool_calls import STANDING_BUDGET, read_call
from engrain.adapters.present.text import (
    clean_line,
    count_memories,
    disarm,
    disarm_line,
    fence_parts,
    make_mark,
    repeats,
)
from engrain.language.secrets.finding import redact
from engrain.language.telling import find_errors
from engrain.lifecycle.sessions.sessions import FORGETFUL
from engrain.model.errors import ConfigError, EngrainError, UsageError
from engrain.model.note.note import hash_bytes
from engrain.model.settings import read_choice, read_value
from engrain.resolution.endpoint import PROJECT_HEADER
from engrain.resolution.files import read_secret, replace_file
from engrain.resolution.selector import find_project
from engrain.resolution.settings import Setting, absolute_state_dir, is_afar, load_settings
from engrain_hook import SHARE

Json = Mapping[str, Any]

_QUERY = 4000  # characters
_LONGEST = 60.0  # seconds that a tool may take
_MOST_BYTES = 1024 * 1024
_MOST_GIVEN = 100
"""The most entries for one session, like `session.limit` for a vault of this device."""
_FIELDS = ("id", "title", "kind", "date", "trust", "text")
_PORT = 443
_FRESH = 60.0
"""Seconds for which a renewed token is not renewed again."""


@dataclass(slots=True)
class DistantQuestion:
    """A question to the server at `url` by `arguments`, which must be answered until a moment of
    the monotonic clock. `project` is that of the host's folder."""

    url: str
    token_file: str
    ca_file: str | None
    arguments: Json
    until: float
    project: str | None = None


class DistantServer:
    """The remote server as a target of a host's bridge, for a host that runs in a folder."""

    def __init__(self, settings: Mapping[str, Setting], state_dir: str, folder: str) -> None:
        self._settings = settings
        self.url = settings["remote.url"].value or ""
        self.state_dir = state_dir
        self.learns = learns_afar(settings)
        self._project = find_project(settings["project"].value or "", os.environ, folder)

    def describe(self) -> str:
        """Ask the server for its number of entries, and say how long that took. Raises
        EngrainError where it has none to give."""
        begun = monotonic()
        total = self.call("memory_search", {"query": "", "limit": 1}, self._project).get("total")
        if not isinstance(total, int):
            raise EngrainError(f"{clean_line(urlsplit(self.url).netloc)} lists no entries")
        return f"answered in {(monotonic() - begun) * 1000:.0f} ms; {total} entries here"

    def call(self, tool: str, arguments: Json, project: str | None) -> Json:
        """Return the data that a tool gives in a project. Raises UsageError where the tool refuses
        the arguments, EngrainError where there is no answer."""
        result = self.ask(_compose(tool, arguments), project).get("result") or {}
        if result.get("isError"):
            raise UsageError(clean_line(str(result.get("content"))[:400]))
        found = result.get("structuredContent")
        return found if isinstance(found, dict) else {}

    def ask(self, request: Json, project: str | None = None) -> dict[str, Any]:
        """Return the server's response, in the project of the host's folder if none is named.
        Raises EngrainError where there is none."""
        question = DistantQuestion(
            self.url,
            token_file(self._settings, self.state_dir),
            self._settings["remote.ca_file"].value,
            {},
            monotonic() + _LONGEST,
            self._project if project is None else project,
        )
        try:
            answer = json.loads(_post(question, json.dumps(request).encode()))
        except (OSError, ValueError, LookupError) as error:
            reason = f"{clean_line(urlsplit(self.url).netloc)} gave no answer: {_name(error)}"
            raise EngrainError(reason, remedy="`engrain doctor` tests the way to it") from None
        if not isinstance(answer, dict):
            raise EngrainError("the remote server's answer is not in Engrain's form")
        return answer


def find_server(flags: Mapping[str, str | None]) -> DistantServer | None:
    """Return the remote server that this folder's hooks and tools ask; None where a vault is meant.
    Raises ConfigError."""
    folder = os.getcwd()
    settings = load_settings(flags, os.environ, folder)
    if not is_afar(settings):
        return None
    state_dir = absolute_state_dir(settings["state_dir"].value, os.environ)
    return DistantServer(settings, state_dir, folder)


@dataclass(slots=True)
class DistantHook:
    """One event of a host whose memory is on another machine: the event, the variables and the
    folder of its hook, the project that its command names, "" for none, and the moment of the
    monotonic clock until which it waits. `losses` is what could not be done, `answered` whether the
    server answered."""

    host: str
    event: str
    occasion: Occasion
    environ: Mapping[str, str]
    folder: str
    until: float
    named: str = ""
    losses: list[str] = field(default_factory=list)
    answered: bool = True

    def answer(self, state_dir: str) -> str | None:
        """Return what the hook prints; None for an event that concerns only a vault of this device,
        where there is one. Raises EngrainError, OSError."""
        settings = load_settings({"project": self.named}, self.environ, self.folder)
        if self.event in (SESSION_START, STOP):
            share = (self.until - monotonic()) * SHARE
            if loss := renew_token(settings, state_dir, monotonic() + share):
                self.losses.append(loss)
        learns = learns_afar(settings)
        if learns and self.event in _MARKING:
            try:
                fields = {**self.occasion.fields, "prompt": ""}
                store(state_dir, self.event, self.host, fields, self.folder, self.environ)
            except (OSError, ValueError) as error:
                self.losses.append(f"nothing is learned from this session: {error}")
        if self.event not in CONTEXTS.get(self.host, ()):
            return None if settings["vault"].value else silent(self.host)
        context, message = self._ask(settings, state_dir)
        return render(self.host, self.event, context, message, learns=learns)

    def _ask(self, settings: Mapping[str, Setting], state_dir: str) -> tuple[str, str]:
        """Return the context and the line for the user, "" for none. At a session's start the
        server gives its briefing. Raises OSError if the state can't be written, ConfigError."""
        kept = os.path.join(state_dir, "remote")
        if self.event == SESSION_START and self.occasion.source in FORGETFUL:
            for name in (_GIVEN, _TOUCHED):
                drop_missed(os.path.join(kept, name), self.occasion.session)
        touched = os.path.join(kept, _TOUCHED)
        new_files = self._list_new_files(touched)
        questions = self._compose_questions(new_files.values())
        found = self._recall_each(questions, settings, state_dir)
        if new_files and self.answered:
            known = _read_noted(touched, self.occasion.session)
            _note(touched, self.occasion.session, [*known, *new_files][-_MOST_TOUCHED:])
        # What a subagent gets, its session has not got.
        session = "" if self.event == SUBAGENT else self.occasion.session
        most = _MOST.get(self.event, PROMPT_LIMIT)
        new = _choose_new(os.path.join(kept, _GIVEN), session, found, most)
        context, taken = fence_parts(list(map(_describe, new)), make_mark(), most=MOST_CHARS)
        titles = [new[number]["title"] for number in taken]
        told = count_memories(len(taken), titles) if taken else ""
        if self.event == SESSION_START and not self.answered:
            told = f"Engrain: {self.losses[-1]}"
        return self.occasion.place(context), told

    def _recall_each(
        self, questions: Iterable[Json], settings: Mapping[str, Setting], state_dir: str
    ) -> list[Json]:
        """Return the entries for all questions, as far as the server answers. Raises
        ConfigError."""
        found: list[Json] = []
        project = find_project(self.named, self.environ, self.folder)
        for asked in questions:
            texts = {name: str(asked[name]) for name in _TEXTS if name in asked}
            if settings["redact"].value != "off":
                texts = {name: redact(text)[0] for name, text in texts.items()}
            question = DistantQuestion(
                settings["remote.url"].value or "",
                token_file(settings, state_dir),
                settings["remote.ca_file"].value,
                {**asked, **texts},
                self.until,
                project,
            )
            try:
                found += _wait_for(partial(_recall, question), self.until - monotonic())
            except (OSError, ValueError, LookupError, TypeError, ConfigError) as error:
                place = clean_line(urlsplit(question.url).netloc)
                self.losses.append(f"{place} gave no answer: {_name(error)}")
                self.answered = False
        return found

    def _list_new_files(self, touched: str) -> dict[str, str]:
        """Return the paths that a call touches, for the first time in its session, by hashes."""
        if self.event != TOOL:
            return {}
        known = _read_noted(touched, self.occasion.session)
        paths = read_call(self.event, self.occasion.fields, self.folder).paths
        found = {hash_bytes(path.encode(errors="replace"))[:_HASH]: path for path in paths}
        return {key: path for key, path in found.items() if key not in known}

    def _compose_questions(self, paths: Iterable[str]) -> list[dict[str, object]]:
        """Return what the server is asked for: the prompt, what a session starts with, the command
        that failed and the lines that say why, or the files of these paths, within its folder."""
        start: dict[str, object] = {"query": "", "phase": self._find_phase()}
        if self.event == SUBAGENT:
            return [{**start, "budget": STANDING_BUDGET}]
        if self.event in (SESSION_START, PROMPT, LATE_START):
            query = "" if self.event == SESSION_START else self.occasion.prompt[:_QUERY]
            asked = [{"query": query, "budget": PROMPT_BUDGET}] if query.strip() else []
            return [*asked, start] if self.event in _STARTS else asked
        call = read_call(self.event, self.occasion.fields, self.folder)
        about: dict[str, object] = {"profile": "tool"}
        if call.failed:
            told = find_errors(call.output.splitlines())
            said = "\n".join(told) or call.output[-_OUTPUT:]
            return [{**about, "query": said[:_QUERY], "action": call.command[:_OUTPUT]}]
        inside = [
            os.path.relpath(path, self.folder)
            if path.startswith(os.path.join(self.folder, ""))
            else os.path.join(*path.split(os.sep)[-_PARTS:])
            for path in paths
        ]
        return [{**about, "query": "\n".join(inside)}] if inside else []

    def _find_phase(self) -> str | None:
        named = self.occasion.phase, self.environ.get("ENGRAIN_PHASE", "")
        return next(filter(None, map(known_phase, named)), None)


_STARTS = (SESSION_START, LATE_START)
_GIVEN, _TOUCHED = "given", "touched"
"""The folders of the state with the entries that a session was given and the files it touched."""
_TEXTS = ("query", "action")
_OUTPUT = 400
"""The characters of a command, and of an output that tells no error in a line of its own."""
_PARTS = 3
"""The last parts of a path outside of the session's folder."""
_MARKING = set(HANDLERS) - {PROMPT, LATE_START}
"""The events after which sessions are learned from."""
_MOST = {**dict.fromkeys(_STARTS, _MOST_GIVEN), TOOL: 2, TOOL_FAILED: 2}
"""The most entries at an event that is no prompt."""


def learns_afar(settings: Mapping[str, Setting]) -> bool:
    """Whether the operator agreed that sessions are learned from for a memory on another machine,
    which gets what they teach. Raises ConfigError."""
    if not is_afar(settings):
        return False
    values = {name: setting.value for name, setting in settings.items()}
    agreed = read_choice(values, "remote.learn", "yes", "no") == "yes"
    return agreed and read_value(values, "learn") != "no"


def learned_folder(state_dir: str) -> str:
    """Return the vault of this device that learns for a memory on another machine."""
    return os.path.join(state_dir, "remote", "learned")


def token_file(settings: Mapping[str, Setting], state_dir: str) -> str:
    """Return the path of the token."""
    given = settings["remote.token_file"].value
    return os.path.expanduser(given) if given else os.path.join(state_dir, "remote", "token")


def renew_token(settings: Mapping[str, Setting], state_dir: str, until: float) -> str:
    """Replace the token by the output of `remote.token_command`, if there is such a command and it
    ends by a moment of the monotonic clock. Return why it failed, "" if it did not."""
    command, path = settings["remote.token_command"].value, token_file(settings, state_dir)
    if not command or (os.path.exists(path) and 0 <= time() - os.stat(path).st_mtime < _FRESH):
        return ""
    try:
        done = subprocess.run(
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.05, until - monotonic()),
            check=True,
        )
        token = done.stdout.decode("ascii").strip()
        if not token or not token.isprintable():
            return "remote.token_command printed no token"
        replace_file(path, f"{token}\n", private=True, durable=False)
    except subprocess.TimeoutExpired:
        return "remote.token_command did not end in time"
    except subprocess.CalledProcessError as error:
        return f"remote.token_command ended with exit code {error.returncode}"
    except (OSError, ValueError) as error:
        return f"remote.token_command failed: {getattr(error, 'strerror', '') or 'no such command'}"
    return ""


def _choose_new(folder: str, session: str, found: Sequence[Json], most: int) -> list[Json]:
    """Return at most so many entries that the session was not given before, and note them in its
    file in `folder`. Raises OSError."""
    ids = _read_noted(folder, session)
    room = max(0, min(most, _MOST_GIVEN - len(ids)))
    new = [record for record in found if record["id"] not in ids][:room]
    _note(folder, session, [*ids, *(record["id"] for record in new)] if new else [])
    return new


_HASH = 10
_MOST_TOUCHED = 300


def _read_noted(folder: str, session: str) -> list[str]:
    return (read_missed(folder, session) or "").split() if session else []


def _note(folder: str, session: str, names: Sequence[str]) -> None:
    if names and session:
        note_missed(folder, session, "\n".join(names), time())


def _recall(question: DistantQuestion) -> list[Json]:
    """Return the results of the server's `memory_recall`. Raises OSError, ConfigError; and
    ValueError, TypeError or LookupError for an answer that is not Engrain's."""
    request = _compose("memory_recall", question.arguments)
    answer = json.loads(_post(question, json.dumps(request).encode()))
    records = answer["result"]["structuredContent"]["results"]
    return [
        {
            **{name: str(record[name]) for name in _FIELDS},
            # A version would make an entry new after each edit.
            "id": str(record["id"]).partition("@")[0],
            "part": bool(record.get("part")),
        }
        for record in records
    ]


def _compose(tool: str, arguments: Json) -> Json:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _post(question: DistantQuestion, body: bytes) -> bytes:
    parts = urlsplit(question.url)
    if parts.scheme != "https" or not parts.hostname or not parts.path:
        raise ConfigError(f"remote.url is {question.url[:200]!r}, no https address")
    token = read_secret("remote.token_file", question.token_file)
    fields = {
        "Host": parts.netloc,
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **({PROJECT_HEADER: quote(question.project)} if question.project else {}),
    }
    # In HTTP/1.0 an answer is complete when the connection ends; `http.client` is slow to load.
    lines = [f"POST {parts.path} HTTP/1.0", *(f"{name}: {it}" for name, it in fields.items())]
    context = _trust(question.ca_file)
    wait = max(0.01, question.until - monotonic())
    with (
        create_connection((parts.hostname, parts.port or _PORT), wait) as plain,
        context.wrap_socket(plain, server_hostname=parts.hostname) as connection,
    ):
        connection.sendall("\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body)
        received = bytearray()
        while chunk := connection.recv(64 * 1024):
            received += chunk
            if len(received) > _MOST_BYTES:
                raise ValueError("its answer is too long")
    head, _, content = bytes(received).partition(b"\r\n\r\n")
    status = head.split(maxsplit=2)[1:2]
    if status != [b"200"]:
        raise ValueError(_STATUSES.get(b"".join(status), f"status {b''.join(status).decode()[:9]}"))
    return content


@cache
def _trust(ca_file: str | None) -> ssl.SSLContext:
    """Return what certificates are checked by, which takes long to read."""
    return ssl.create_default_context(cafile=ca_file)


_STATUSES = {
    b"401": "the token has expired, or is not for it",
    b"403": "the token lacks the scope memory:read, or memory:write to save",
    b"429": "too many requests",
}


def _name(error: Exception) -> str:
    """Return why there was no answer, in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({clean_line(error.verify_message)})"
    if isinstance(error, TimeoutError):
        return "not in time"
    if isinstance(error, gaierror):
        return "there is no such host"
    if isinstance(error, OSError):
        return clean_line(error.strerror or "the connection broke")
    if isinstance(error, json.JSONDecodeError | LookupError | TypeError):
        return "its answer is not Engrain's"
    return clean_line(str(error))


def _wait_for(ask: Callable[[], list[Json]], seconds: float) -> list[Json]:
    """Return the result of `ask`, which runs in a thread since looking up a host's name has no
    time limit. Raises what `ask` raises, and TimeoutError."""
    got: list[list[Json] | Exception] = []
    done = threading.Event()

    def run() -> None:
        try:
            got.append(ask())
        except Exception as error:
            got.append(error)
        done.set()

    threading.Thread(target=run, daemon=True).start()
    if seconds <= 0 or not done.wait(seconds):
        raise TimeoutError
    (found,) = got
    if isinstance(found, Exception):
        raise found
    return found


def _describe(record: Json) -> str:
    """Return an entry as text for the context, cleaned like untrusted text."""
    facts = [f"{record['kind']} {record['date']} {record['trust']}"]
    facts += ["excerpt"] if record.get("part") else []
    title, text = disarm_line(record["title"]), disarm(record["text"]).strip()
    said = text if repeats(title, text) else f"{title}\n{text}".strip()
    return f"[{', '.join(map(disarm_line, facts))}] {said}"
