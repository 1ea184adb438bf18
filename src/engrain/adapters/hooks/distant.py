"""Answer hooks, and the tools of a host, by requests to a remote server (`engrain serve`)."""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from socket import create_connection, gaierror
from time import monotonic, time
from typing import Any
from urllib.parse import quote, urlsplit

from engrain.adapters.hooks.answers import MOST_CHARS
from engrain.adapters.hooks.events import PROMPT_BUDGET, PROMPT_LIMIT, known_phase
from engrain.adapters.hooks.losses import note_missed, read_missed
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hooks.tokens import token_file
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
from engrain.model.errors import ConfigError, EngrainError
from engrain.resolution.endpoint import PROJECT_HEADER
from engrain.resolution.files import read_secret
from engrain.resolution.selector import find_project
from engrain.resolution.settings import Setting, load_settings

Json = Mapping[str, Any]

_QUERY = 4000  # characters
_LONGEST = 60.0  # seconds that a tool may take
_MOST_BYTES = 1024 * 1024
_MOST_GIVEN = 100
"""The most entries for one session, like `session.limit` for a vault of this device."""
_FIELDS = ("id", "title", "kind", "date", "trust", "text")
_PORT = 443


@dataclass(slots=True)
class DistantQuestion:
    """A question to the server at `url` by `arguments`, which must be answered until a moment of
    the monotonic clock. `project` is that of the host's folder, where `arguments` have none."""

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
        self._state_dir = state_dir
        self._project = find_project(settings["project"].value or "", os.environ, folder)

    def ask(self, request: Json) -> dict[str, Any]:
        """Return the server's response. Raises EngrainError where there is none."""
        url = self._settings["remote.url"].value or ""
        question = DistantQuestion(
            url,
            token_file(self._settings, self._state_dir),
            self._settings["remote.ca_file"].value,
            {},
            monotonic() + _LONGEST,
            self._project,
        )
        try:
            answer = json.loads(_post(question, json.dumps(request).encode()))
        except (OSError, ValueError, LookupError) as error:
            reason = f"{clean_line(urlsplit(url).netloc)} gave no answer: {_name(error)}"
            raise EngrainError(reason, remedy="`engrain doctor` tests the way to it") from None
        if not isinstance(answer, dict):
            raise EngrainError("the remote server's answer is not Engrain's")
        return answer


def answer_from_afar(
    occasion: Occasion, state_dir: str, *, named: str, starts: bool, until: float
) -> tuple[str, str, str]:
    """Return (the context, the line for the user, the failure, each "" if there is none). At a
    session's start the server gives its briefing. Raises OSError if the state can't be written,
    ConfigError."""
    if not starts and not occasion.prompt.strip():
        return "", "", ""
    question = _read_question(occasion, state_dir, named, starts=starts, until=until)
    try:
        found = _wait_for(lambda: _recall(question), until - monotonic())
    except (OSError, ValueError, LookupError, TypeError, ConfigError) as error:
        loss = f"{clean_line(urlsplit(question.url).netloc)} gave no answer: {_name(error)}"
        return "", f"Engrain: {loss}" if starts else "", loss
    given = os.path.join(state_dir, "remote", "given")
    new = _choose_new(given, occasion.session, found, _MOST_GIVEN if starts else PROMPT_LIMIT)
    context, taken = fence_parts(list(map(_describe, new)), make_mark(), most=MOST_CHARS)
    titles = [new[number]["title"] for number in taken]
    return occasion.place(context), count_memories(len(taken), titles) if taken else "", ""


def _read_question(
    occasion: Occasion, state_dir: str, named: str, *, starts: bool, until: float
) -> DistantQuestion:
    folder = occasion.cwd or os.getcwd()
    settings = load_settings({"project": named}, os.environ, folder)
    project = find_project(named, os.environ, folder)
    phase = known_phase(occasion.phase) or known_phase(os.environ.get("ENGRAIN_PHASE", ""))
    asked: Json = {"query": "", "phase": phase}
    if not starts:
        text = occasion.prompt[:_QUERY]
        text = text if settings["redact"].value == "off" else redact(text)[0]
        asked = {"query": text, "budget": PROMPT_BUDGET}
    return DistantQuestion(
        settings["remote.url"].value or "",
        token_file(settings, state_dir),
        settings["remote.ca_file"].value,
        {**asked, "project": project},
        until,
    )


def _choose_new(folder: str, session: str, found: Sequence[Json], most: int) -> list[Json]:
    """Return at most so many entries that the session was not given before, and note them in its
    file in `folder`. Raises OSError."""
    ids = (read_missed(folder, session) or "").split() if session else []
    room = max(0, min(most, _MOST_GIVEN - len(ids)))
    new = [record for record in found if record["id"] not in ids][:room]
    if new and session:
        ids += [record["id"] for record in new]
        note_missed(folder, session, "\n".join(ids), time())
    return new


def _recall(question: DistantQuestion) -> list[Json]:
    """Return the results of the server's `memory_recall`. Raises OSError, ConfigError; and
    ValueError, TypeError or LookupError for an answer that is not Engrain's."""
    params = {"name": "memory_recall", "arguments": question.arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
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
    context = ssl.create_default_context(cafile=question.ca_file)
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


_STATUSES = {
    b"401": "the token has expired, or is not for it",
    b"403": "the token lacks the scope memory:read",
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
