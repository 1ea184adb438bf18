"""A web site on loopback, whose pages a test sets, and which tells what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """`pages` has what is answered, by path; `asked` the path and headers of each request."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    def put(
        self,
        path: str,
        body: str | bytes,
        type_: str = "application/rss+xml",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Answer a path with a body; its URL."""
        raw = body.encode() if isinstance(body, str) else body

        def answer(request: BaseHTTPRequestHandler) -> None:
            etag = (headers or {}).get("ETag")
            if etag and request.headers.get("If-None-Match") == etag:
                request.send_response(304)
                request.end_headers()
                return
            request.send_response(status)
            if type_:
                request.send_header("Content-Type", type_)
            for name, value in (headers or {}).items():
                request.send_header(name, value)
            if "Content-Length" not in (headers or {}):
                request.send_header("Content-Length", str(len(raw)))
            request.end_headers()
            request.wfile.write(raw)

        self.pages[path] = answer
        return self.url + path


@contextmanager
def serve(host: str = "127.0.0.1") -> Iterator[Site]:
    """A site that is up for the length of a block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers)))
            answer = site.pages.get(self.path)
            if answer is None:
                self.send_error(404)
                return
            try:
                answer(self)
            except OSError:
                self.close_connection = True  # whoever asked went away

        def do_CONNECT(self) -> None:
            site.asked.append((f"CONNECT {self.path}", dict(self.headers)))
            self.send_error(403)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    site = Site(f"http://{host}:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def rss(*items: Mapping[str, str]) -> str:
    """A feed of RSS 2.0 whose items have these elements."""
    told = "".join(
        "<item>" + "".join(f"<{name}>{text}</{name}>" for name, text in item.items()) + "</item>"
        for item in items
    )
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>{told}</channel></rss>'
    )
