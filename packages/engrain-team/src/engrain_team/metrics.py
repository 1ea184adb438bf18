"""The figures of `engrain admin metrics`, shown once or served in Prometheus' text format."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from engrain.adapters.cli.base import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.mcp.process import leaving_on_signals
from engrain.adapters.present.failures import EXIT_OK
from engrain.model.errors import EngrainError, StorageError, UsageError
from engrain_team.postgres.admin import Administration
from engrain_team.postgres.meter import Metric

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 0.2
_DOWN = Metric("engrain_up", "gauge", "1 if the database can be used.", [("", {}, 0)])
_UP = Metric(_DOWN.name, _DOWN.kind, _DOWN.meaning, [("", {}, 1)])


def show_metrics(console: Console, admin: Administration, listen: str | None) -> Answer | int:
    """Answer with the figures, or serve them at `--listen` until a signal ends it."""

    def ready(address: str) -> None:
        console.answer("admin", {"url": address}, [f"figures: {address}, until Ctrl-C"])
        console.flush()

    if listen:
        with leaving_on_signals() as is_asked_to_end:
            _serve_figures(admin, listen, ready, is_asked_to_end)
        return EXIT_OK
    text = _render_metrics(admin.measure())
    return {"metrics": text}, text.splitlines()


def _render_metrics(metrics: Iterable[Metric]) -> str:
    """Return the lines of some metrics."""
    return "".join(line + "\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.meaning}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for suffix, labels, value in metric.samples:
        pairs = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels.items())
        yield f"{metric.name}{suffix}{'{' + pairs + '}' if pairs else ''} {_number(value)}"


def _number(value: float) -> str:
    if math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(value)
    return "NaN" if math.isnan(value) else f"{value:+}".replace("inf", "Inf")


def _parse_place(text: str) -> tuple[str, int]:
    """Read a host and a port. Raises UsageError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit() and int(port[:6]) < 65536):
        raise UsageError(f"{text[:80]!a} is no place to listen at", remedy="write HOST:PORT")
    return host.strip("[]"), int(port)


def _read_figures(admin: Administration) -> str:
    """Return the figures as text, which says so if the database can't be used."""
    try:
        return _render_metrics([_UP, *admin.measure()])
    except EngrainError:
        return _render_metrics([_DOWN])


def _serve_figures(
    admin: Administration,
    place: str,
    ready: Callable[[str], None],
    is_asked_to_end: Callable[[], bool],
) -> None:
    """Answer `/metrics` and `/healthz` at HOST:PORT until `is_asked_to_end`; `ready` is called with
    the address. Raises UsageError, StorageError where the port is taken."""

    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE_SECONDS
        server_version = "engrain"
        sys_version = ""

        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, _CONTENT_TYPE, _read_figures(admin))
            elif self.path == "/healthz":
                fit = _read_figures(admin).startswith(_render_metrics([_UP]))
                said = "ok\n" if fit else "the database can't be used\n"
                self._answer(200 if fit else 503, "text/plain; charset=utf-8", said)
            else:
                self._answer(404, "text/plain; charset=utf-8", "/metrics or /healthz\n")

        def _answer(self, code: int, kind: str, text: str) -> None:
            raw = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            return

    host, port = _parse_place(place)

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True
        timeout = _LOOK_SECONDS

    try:
        server = Server((host, port), Handler)
    except OSError as error:
        raise StorageError(
            f"can't listen: {error.strerror}", path=place, remedy="give another --listen"
        ) from None
    with server:
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{server.server_address[1]}/metrics")
        while not is_asked_to_end():
            server.handle_request()
