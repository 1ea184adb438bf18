"""`engrain serve`: serve the vault to other machines over HTTPS, for tokens of OAuth 2.1."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from ssl import SSLContext

from engrain.adapters.cli.bridging import open_resolved, run_jobs_beside
from engrain.adapters.cli.options import Arguments, Command, resolve_from
from engrain.adapters.mcp.process import leaving_on_signals, require_fastmcp
from engrain.adapters.mcp.singleton import listen_tcp
from engrain.model.errors import UsageError
from engrain.resolution.settings import Setting, load_packaged
from engrain_team.https.serving import load_certificate, serve_remote
from engrain_team.https.settings import KEYS, read_remote

_PORT = 8443


def _serve(args: Arguments) -> int:
    """Serve the tools and nothing else, beside whatever else serves this vault."""
    resolution = resolve_from(args)
    settings = load_packaged(os.environ, KEYS)
    remote = read_remote(settings)
    address = args.listen or ("127.0.0.1" if args.behind_proxy else "0.0.0.0")
    if args.behind_proxy and address not in ("127.0.0.1", "::1"):
        raise UsageError(
            f"behind a proxy {address} would be open to others without TLS",
            remedy="listen on 127.0.0.1 or ::1",
        )
    tls = None if args.behind_proxy else _load_certificate(args, settings)
    require_fastmcp()
    with leaving_on_signals() as leave_if_told, ExitStack() as beside:
        os.chdir(os.sep)
        memory = beside.enter_context(open_resolved(resolution, args.project))
        port = _PORT if args.port is None else args.port
        listening = beside.enter_context(listen_tcp(port, address))
        run_jobs_beside(beside, resolution, args.project, not args.no_jobs)
        address, port = listening.getsockname()[:2]
        told = {"url": remote.url, "address": address, "port": port, "pid": os.getpid()}
        lines = [
            f"serving {remote.url}",
            f"listening on {address}, port {port}, {'TLS' if tls else 'behind a proxy'}",
            f"tokens: of {remote.trust.issuer} for {remote.trust.audience}",
            f"add it: claude mcp add --transport http engrain {remote.url}",
        ]
        args.console.answer("serve", told, lines)
        args.console.flush()
        serve_remote(memory, remote, listening, tls, leave_if_told)
    return 0


def _load_certificate(args: Arguments, settings: Mapping[str, Setting]) -> SSLContext:
    certificate = args.tls_cert or settings["serve.tls_cert"].value
    key = args.tls_key or settings["serve.tls_key"].value
    if not certificate or not key:
        raise UsageError(
            "a remote server needs a certificate",
            remedy="give --tls-cert and --tls-key, or --behind-proxy where a proxy has it",
        )
    return load_certificate(certificate, key)


COMMAND = Command(
    _serve,
    """
--port N/port     the port; else 8443
--listen ADDRESS  the address; else 0.0.0.0, behind a proxy 127.0.0.1
--tls-cert FILE   the certificate, in PEM; else serve.tls_cert
--tls-key FILE    its key; else serve.tls_key
--behind-proxy    a proxy on this machine has the certificate
--no-jobs         run no jobs while serving
$ engrain serve --tls-cert memory.pem --tls-key memory.key
$ engrain serve --behind-proxy --port 8443
""",
    opens=None,
)
