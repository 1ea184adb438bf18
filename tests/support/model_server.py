"""A real process on loopback that speaks as a server of a model does, and misbehaves on cue.

The cue is the model's name: one of `CUES`, or several with commas between them for one request
after another, the last for all that follow. What it is asked is kept in a file for the tests.

    python tests/support/model_server.py FOLDER     prints the port, serves until stdin closes
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple

TAKEN, GIVEN = 120, 34
"""Tokens that every answer is said to cost."""
SLOW_S = 1.5

_FACT = re.compile(
    r"(?P<subject>[A-Z]\w+) (?P<verb>works at|lives in|moved to|married|leads) (?P<object>[A-Z]\w+)"
)


class Asked(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        told = self.body["messages"][0]["content"]
        assert isinstance(told, str)
        return told

    @property
    def text(self) -> str:
        told = self.body["messages"][-1]["content"]
        assert isinstance(told, str)
        return told


class Reply(NamedTuple):
    """What goes back: `cut` are the bytes of the body that are kept back, None for no reply."""

    status: int
    body: bytes
    headers: dict[str, str] = {}
    cut: int | None = 0


def fact(subject: str, statement: str, quote: str, **more: object) -> dict[str, object]:
    """A fact as the schema has it."""
    return {
        "subject": subject,
        "subject_type": "person",
        "predicate": None,
        "object": None,
        "statement": statement,
        "quote": quote,
        "valid_from": None,
        "valid_to": None,
        "confidence": 0.9,
        **more,
    }


def read_facts(asked: Asked) -> str:
    """What an honest model finds in the text it is shown."""
    found = []
    for line in asked.text.splitlines()[1:-1]:
        try:
            shown = json.loads(line)
        except ValueError:
            continue
        for match in _FACT.finditer(shown.get("text", "")):
            found.append(
                fact(
                    match["subject"],
                    f"{match[0]}.",
                    match[0],
                    predicate=match["verb"].replace(" ", "_"),
                    object=match["object"],
                )
            )
    return json.dumps({"facts": found})


def _obey(asked: Asked) -> str:
    """A model that does what the text tells it to: it notes what it is told to note."""
    told = re.search(r"note as a fact: ([^.\"]+)", asked.text)
    said = told[1] if told else "nothing"
    return json.dumps({"facts": [fact(said.split()[0], said, said)]})


def _other(_: Asked) -> str:
    said = "Zaphod Beeblebrox presides over the galaxy"
    return json.dumps({"facts": [fact("Zaphod Beeblebrox", said, said)]})


def _unquoted(asked: Asked) -> str:
    whole = json.loads(read_facts(asked))
    for one in whole["facts"]:
        one["quote"] = "nobody ever said these words"
    return json.dumps(whole)


SAYS: dict[str, Callable[[Asked], str]] = {
    "good": read_facts,
    "prose": lambda _: "Sure! I found that Alice works at Acme, which is great.",
    "fenced": lambda asked: f"```json\n{read_facts(asked)}\n```",
    "thinking": lambda asked: f"<think>Who is who?</think>\n{read_facts(asked)}",
    "wrong": lambda _: json.dumps({"facts": [{"who": "Alice", "what": "works"}]}),
    "list": lambda _: "[1, 2]",
    "other": _other,
    "unquoted": _unquoted,
    "nothing": lambda _: "",
    "none": lambda _: '{"facts": []}',
    "obeying": _obey,
    "hacked": lambda _: "HACKED",
    "wordy": lambda asked: read_facts(asked) if '"properties"' in asked.system else "Well, Alice!",
}
"""What is said in an answer that is in order."""


def _refuse_schema(asked: Asked) -> str:
    given = "json_schema" in json.dumps(asked.body.get("response_format"))
    return "json schemas are not supported" if given else ""


def _refuse_structure(asked: Asked) -> str:
    return "unknown field response_format" if "response_format" in asked.body else ""


def _refuse_old(asked: Asked) -> str:
    if "max_tokens" in asked.body:
        return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    if "temperature" in asked.body:
        return "Unsupported value: 'temperature' does not support 0 with this model."
    return ""


REFUSES: dict[str, Callable[[Asked], str]] = {
    "noschema": _refuse_schema,
    "plain": _refuse_structure,
    "modern": _refuse_old,
    "stubborn": lambda _: "no",
}
"""What is refused with status 400, and how; "" lets it pass."""

FAILS: dict[str, Callable[[], Reply]] = {
    "busy": lambda: Reply(429, b"{}", {"Retry-After": "0"}),
    "quota": lambda: Reply(429, b"{}", {"Retry-After": "3600"}),
    "dated": lambda: Reply(429, b"{}", {"Retry-After": "Wed, 21 Oct 2065 07:28:00 GMT"}),
    "broken": lambda: Reply(500, b"oh"),
    "overloaded": lambda: Reply(529, b"{}"),
    "locked": lambda: Reply(401, b'{"error": "bad key"}'),
    "missing": lambda: Reply(404, b'{"error": "model not found"}'),
    "garbage": lambda: Reply(200, b"<html>login</html>"),
    "deep": lambda: Reply(200, b"[" * 100_000),
    "huge": lambda: Reply(200, b'"' + b"x" * 5_000_000 + b'"'),
    "empty": lambda: Reply(200, b"{}"),
    "gone": lambda: Reply(0, b"", cut=None),
}
ENDS = {"long": "length", "withheld": "content_filter"}
"""How an answer ends."""
CUES = (*SAYS, *REFUSES, *FAILS, *ENDS, "slow", "cut", "uncounted")


def answer(asked: Asked, cue: str) -> Reply:
    """The reply on a cue."""
    if cue in FAILS:
        return FAILS[cue]()
    if cue in REFUSES and (said := REFUSES[cue](asked)):
        return Reply(400, json.dumps({"error": {"message": said}}).encode())
    if cue == "slow":
        time.sleep(SLOW_S)
    text = SAYS.get(cue, read_facts)(asked)
    body = _envelope(text, cue)
    return Reply(200, json.dumps(body).encode(), cut=20 if cue == "cut" else 0)


def _envelope(text: str, cue: str) -> dict[str, Any]:
    """A whole reply."""
    end = ENDS.get(cue, "stop")
    body: dict[str, Any] = {"choices": [{"message": {"content": text}, "finish_reason": end}]}
    if cue != "uncounted":
        body["usage"] = {"prompt_tokens": TAKEN, "completion_tokens": GIVEN}
    return body


class ModelServer:
    """The process: its address, and what it was asked."""

    def __init__(self, url: str, log: Path) -> None:
        self.url = url
        self._log = log

    @property
    def requests(self) -> list[Asked]:
        if not self._log.exists():
            return []
        return [Asked(**json.loads(line)) for line in self._log.read_text().splitlines()]

    @property
    def log(self) -> str:
        """All that ever reached it, as text."""
        return self._log.read_text() if self._log.exists() else ""

    def forget(self) -> None:
        """Forget what it was asked. Cues that go on are by the model's name, not by this."""
        self._log.write_text("")


@contextmanager
def model_server(folder: Path) -> Iterator[ModelServer]:
    """The server in a process of its own, which ends with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, __file__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    try:
        port = int(process.stdout.readline())
        yield ModelServer(f"http://127.0.0.1:{port}", folder / "requests.jsonl")
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _serve(folder: Path) -> None:
    asked_of: Counter[str] = Counter()
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path, dict(self.headers.items()), body)
            with lock:
                cues = body["model"].partition("/")[0].split(",")
                cue = cues[min(asked_of[body["model"]], len(cues) - 1)]
                asked_of[body["model"]] += 1
                with (folder / "requests.jsonl").open("a") as log:
                    log.write(json.dumps(asked._asdict()) + "\n")
            reply = answer(asked, cue)
            if reply.cut is None:
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            try:
                self.wfile.write(reply.body[: len(reply.body) - reply.cut])
            except OSError:
                return  # the client did not wait

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(listening.server_address[1], flush=True)
    Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    sys.stdin.read()
    listening.shutdown()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
