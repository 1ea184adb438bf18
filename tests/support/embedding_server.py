"""A real HTTP server on this machine that stands for a paid one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Reply = tuple[int, dict[str, str], bytes]
Answer = Callable[["Request"], Reply]


class Request:
    """What a client sent."""

    def __init__(self, path: str, headers: dict[str, str], body: dict[str, object]) -> None:
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def texts(self) -> list[str]:
        texts = self.body["input"]
        assert isinstance(texts, list)
        return texts


class Server:
    """Its address, and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[Request] = []


def as_json(value: object, status: int = 200, **headers: str) -> Reply:
    return status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode()


def vector_of(text: str) -> list[float]:
    """Three dimensions by which the tests' texts differ."""
    return [1.0, float(len(text)), float(text.count("a"))]


def answer_openai(request: Request) -> Reply:
    """As OpenAI does, the last first: `index` tells the order."""
    rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(request.texts)]
    return as_json({"object": "list", "data": rows[::-1]})


@contextmanager
def serve(answer: Answer) -> Iterator[Server]:
    """A server that gives what `answer` says."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = Request(self.path, dict(self.headers.items()), body)
            server.requests.append(request)
            status, headers, raw = answer(request)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            try:
                self.wfile.write(raw)
            except OSError:
                return  # the client did not wait

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{listening.server_address[1]}")
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
