"""Answer hooks by a request to a remote server (`engrain serve`), or from a copy of its
earlier answers if it can't be reached.

The copy is private to this user and small. Its entries are kept for a week, so an entry that is
erased on the server is gone here by then.
"""

from __future__ import annotations

import json
import math
import os
import re
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from socket import create_connection, gaierror
from time import monotonic, time
from typing import Any
from urllib.parse import urlsplit

from engrain.adapters.hooks.answers import MOST_CHARS
from engrain.adapters.hooks.events import PROMPT_BUDGET, PROMPT_LIMIT, known_phase
from engrain.adapters.hooks.losses import note_missed, read_missed
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hooks.tokens import token_file
from engrain.adapters.present.text import (
    HEADING,
    clean_line,
    count_memories,
    day_of,
    disarm,
    disarm_line,
    fence_parts,
    make_mark,
    repeats,
)
from engrain.language.lexicons import read_words
from engrain.language.secrets.finding import redact
from engrain.language.text.folding import fold
from engrain.model.errors import ConfigError
from engrain.resolution.files import read_secret, read_text, replace_file
from engrain.resolution.selector import find_project
from engrain.resolution.settings import load_settings

Json = Mapping[str, Any]

_QUERY = 4000  # characters
_MOST_BYTES = 1024 * 1024
_MOST_GIVEN = 100
"""The most entries for one session, like `session.limit` for a vault of this device."""
_FOR_COPY = 0.2
"""The share of the time that is reserved for searching the copy."""
_MOST_COPIES = 100
_MOST_COPIED = 256 * 1024  # characters
_KEPT = 7 * 86_400.0  # seconds
_FIELDS = ("id", "title", "kind", "date", "trust", "text")
_LEAST_SHARE = 0.5
"""The share of a prompt's words, weighted by their rarity, that an entry of the copy must have."""
_LEAST_WORDS = 2
_WORD = re.compile(r"[^\W_]{2,}")
_STEM = 6
"""The letters of a word that are compared, so that endings do not matter."""
_PORT = 443


@dataclass(slots=True)
class DistantQuestion:
    """A question to the server at `url` by `arguments`, and to the copy by `text`, which must be
    answered until a moment of the monotonic clock."""

    url: str
    token_file: str
    ca_file: str | None
    arguments: Json
    text: str
    until: float


def answer_from_afar(
    occasion: Occasion, state_dir: str, *, named: str, starts: bool, until: float
) -> tuple[str, str, str]:
    """Return (the context, the line for the user, the failure, each "" if there is none). At a
    session's start the server gives its briefing, the copy entries that fit the project's name.
    Raises OSError if the state can't be written, ConfigError."""
    question = _read_question(occasion, state_dir, named, starts=starts, until=until)
    if not starts and not question.text.strip():
        return "", "", ""
    folder = os.path.join(state_dir, "remote")
    found, copied, loss = _find(question, os.path.join(folder, "copies"))
    most = _MOST_GIVEN if starts and not copied else PROMPT_LIMIT
    new = _choose_new(os.path.join(folder, "given"), occasion.session, found, most)
    parts = list(map(_describe, new))
    context, taken = fence_parts(parts, make_mark(), heading=HEADING + copied, most=MOST_CHARS)
    if taken:
        titles = [new[number]["title"] for number in taken]
        return context, count_memories(len(taken), titles), loss
    return "", f"Engrain: {loss}" if loss and starts else "", loss


def _read_question(
    occasion: Occasion, state_dir: str, named: str, *, starts: bool, until: float
) -> DistantQuestion:
    folder = occasion.cwd or os.getcwd()
    settings = load_settings({"project": named}, os.environ, folder)
    project = find_project(named, os.environ, folder)
    text = (project or "") if starts else occasion.prompt[:_QUERY]
    text = text if settings["redact"].value == "off" else redact(text)[0]
    phase = known_phase(occasion.phase) or known_phase(os.environ.get("ENGRAIN_PHASE", ""))
    asked = {"query": "", "phase": phase} if starts else {"query": text, "budget": PROMPT_BUDGET}
    return DistantQuestion(
        settings["remote.url"].value or "",
        token_file(settings, state_dir),
        settings["remote.ca_file"].value,
        {**asked, "project": project},
        text,
        until - _FOR_COPY * max(0.0, until - monotonic()),
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


def _find(question: DistantQuestion, path: str) -> tuple[Sequence[Json], str, str]:
    """Return (the entries that fit, a line saying that they are from the copy at `path`, why the
    server failed; both "" if it did not). Raises OSError if the copy can't be written."""
    copies = _Copies(path, question.url, time())
    try:
        found = _wait_for(lambda: _recall(question), question.until - monotonic())
    except (OSError, ValueError, LookupError, TypeError, ConfigError) as error:
        loss = f"{clean_line(urlsplit(question.url).netloc)} gave no answer: {_name(error)}"
        as_of = f"of {day_of(copies.at)}, and may have changed"
        return copies.find(question.text), f"\n{loss}. These are from a copy {as_of}.", loss
    copies.keep(found)
    return found, "", ""


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


def _telling_words(text: str) -> list[str]:
    small = read_words("words", "stop words")["goals"]
    return [word[:_STEM] for word in _WORD.findall(fold(text)) if word not in small]


class _Copies:
    """The copy of a server's answers, newest first, in a private file of limited size. `at` is the
    time of its last answer, in epoch seconds, 0 for none."""

    def __init__(self, path: str, url: str, now: float) -> None:
        self._path = path
        self._url = url
        self._now = now
        self.at = 0.0
        self._records: list[dict[str, Any]] = []
        try:
            kept = json.loads(read_text(path, 2 * _MOST_COPIED) or "{}")
            if kept["url"] == url:
                self._records = [one for one in kept["records"] if now - one["at"] < _KEPT]
                self.at = max((one["at"] for one in self._records), default=0.0)
        except (ValueError, LookupError, TypeError):
            return  # there is no copy, or it is of another version

    def keep(self, found: Sequence[Json]) -> None:
        """Add the entries of an answer. Raises OSError."""
        if not found:
            return
        new = {record["id"]: {**record, "at": self._now} for record in found}
        room = _MOST_COPIED
        records: list[Json] = []
        for record in (*new.values(), *(one for one in self._records if one["id"] not in new)):
            room -= len(json.dumps(record))
            if room < 0 or len(records) == _MOST_COPIES:
                break
            records.append(record)
        text = json.dumps({"url": self._url, "records": records})
        replace_file(self._path, text, private=True, durable=False)

    def find(self, text: str) -> list[Json]:
        """Return the entries that have most of the significant words of a text, the best first."""
        asked = list(dict.fromkeys(_telling_words(text)))
        having = [
            (record, set(_telling_words(f"{record['title']} {record['text']}")))
            for record in self._records
        ]
        count = Counter(word for _, words in having for word in words)
        rare = {word: math.log(1 + len(having) / (1 + count[word])) for word in asked}
        least = _LEAST_SHARE * sum(rare.values())
        scored = [
            (sum(rare[word] for word in asked if word in words), number)
            for number, (_, words) in enumerate(having)
            if len(words.intersection(asked)) >= min(_LEAST_WORDS, len(asked))
        ]
        best = sorted(scored, key=lambda one: (-one[0], one[1]))
        return [having[number][0] for score, number in best if asked and score >= least]
