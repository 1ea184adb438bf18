"""A server on loopback that says what it is told to say, as an OpenAI-compatible one would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


@contextmanager
def serving(says: str, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """A server that says one thing whatever it is asked; its address, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            choice = {"message": {"content": says}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1}
            body = json.dumps({"choices": [choice], "usage": usage}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def operation(op: str, quote: str, **more: object) -> dict[str, object]:
    """One operation of an answer, with every field of its schema."""
    empty = dict.fromkeys(("entry", "kind", "title", "text", "project"))
    return {"op": op, **empty, "quote": quote, **more}


def answer(*operations: object) -> str:
    return json.dumps({"operations": operations})
