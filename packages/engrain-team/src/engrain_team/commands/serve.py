"""`engrain serve`: serve the vault to other machines over HTTPS, for tokens of OAuth 2.1."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from ssl import SSLContext

from engrain.adapters.cli.base import BaseCommand, flag, option, port
from engrain.adapters.cli.bridging import open_resolved, run_jobs_beside
from engrain.adapters.mcp.process import leaving_on_signals, require_fastmcp
from engrain.adapters.mcp.singleton import listen_tcp
from engrain.model.errors import UsageError
from engrain.resolution.settings import Setting, load_packaged
from engrain_team.https.serving import load_certificate, serve_remote
from engrain_team.https.settings import KEYS, read_remote

_PORT = 8443


@dataclass(kw_only=True)
class ServeCommand(BaseCommand):
    """Serve this vault to other machines over HTTPS, for tokens of OAuth 2.1."""

    examples = """
engrain serve --tls-cert memory.pem --tls-key memory.key
engrain serve --behind-proxy --port 8443
"""
    port: int | None = option("the port; else 8443", "N", type=port)
    listen: str | None = option("the address; else 0.0.0.0, behind a proxy 127.0.0.1", "ADDRESS")
    tls_cert: str | None = option("the certificate, in PEM; else serve.tls_cert", "FILE")
    tls_key: str | None = option("its key; else serve.tls_key", "FILE")
    behind_proxy: bool = flag("a proxy on this machine has the certificate")
    no_jobs: bool = flag("run no jobs while serving")

    def run(self) -> int:
        """Serve the tools and nothing else, beside whatever else serves this vault."""
        resolution = self.resolve()
        settings = load_packaged(os.environ, KEYS)
        remote = read_remote(settings)
        address = self.listen or ("127.0.0.1" if self.behind_proxy else "0.0.0.0")
        if self.behind_proxy and address not in ("127.0.0.1", "::1"):
            raise UsageError(
                f"behind a proxy {address} would be open to others without TLS",
                remedy="listen on 127.0.0.1 or ::1",
            )
        tls = None if self.behind_proxy else _load_certificate(self, settings)
        require_fastmcp()
        with leaving_on_signals() as is_asked_to_end, ExitStack() as beside:
            os.chdir(os.sep)
            memory = beside.enter_context(open_resolved(resolution, self.project))
            port = _PORT if self.port is None else self.port
            listening = beside.enter_context(listen_tcp(port, address))
            run_jobs_beside(beside, resolution, self.project, not self.no_jobs)
            address, port = listening.getsockname()[:2]
            told = {"url": remote.url, "address": address, "port": port, "pid": os.getpid()}
            lines = [
                f"serving {remote.url}",
                f"listening on {address}, port {port}, {'TLS' if tls else 'behind a proxy'}",
                f"tokens: of {remote.trust.issuer} for {remote.trust.audience}",
                f"add it: claude mcp add --transport http engrain {remote.url}",
            ]
            self.console.answer("serve", told, lines)
            self.console.flush()
            serve_remote(memory, remote, listening, tls, is_asked_to_end)
        return 0


def _load_certificate(args: ServeCommand, settings: Mapping[str, Setting]) -> SSLContext:
    certificate = args.tls_cert or settings["serve.tls_cert"].value
    key = args.tls_key or settings["serve.tls_key"].value
    if not certificate or not key:
        raise UsageError(
            "a remote server needs a certificate",
            remedy="give --tls-cert and --tls-key, or --behind-proxy where a proxy has it",
        )
    return load_certificate(certificate, key)


COMMAND = ServeCommand
