"""An operator's settings of a remote server: its address, the issuer of tokens, the limits of a
client. They may not come from a project's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from engrain.adapters.mcp.guard import PATH
from engrain.model.errors import ConfigError
from engrain.model.settings import SettingKey
from engrain.resolution.files import read_secret
from engrain.resolution.settings import Setting, read_whole_number
from engrain_team.https.guard import Limits

KEYS = {
    key.name: key
    for key in map(
        SettingKey,
        """
serve.url  the remote server's address, as its clients see it: https://HOST/mcp
serve.issuer  the issuer whose tokens the remote server takes
serve.audience  the audience that tokens must name; else serve.url
serve.jwks  the address of the issuer's keys, where its tokens are JWTs
serve.algorithm=RS256  the algorithm by which JWTs are signed
serve.introspection  the issuer's address for questions about tokens (RFC 7662)
serve.client_id  the remote server's name with the issuer, for these questions
serve.client_secret_file  the file, of mode 600, with its secret for them
serve.tls_cert  the remote server's certificate and what is behind it, in PEM
serve.tls_key  the key of that certificate, in PEM
serve.requests=120  most requests a minute by one client
serve.kilobytes=4096  most kilobytes a minute from one client
""".strip().splitlines(),
    )
}
"""The settings of the server."""
_SIZES = ("256", "384", "512")
_ALGORITHMS = [*(kind + size for kind in ("RS", "PS", "ES") for size in _SIZES), "EdDSA"]
"""Algorithms of signatures whose verifier can't make a token."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Trust:
    """The accepted tokens: those of `issuer`, for `audience`. They are JWTs signed by `algorithm`
    with a key from `jwks`, or the issuer verifies them at `introspection`, where this server is
    `client_id` with `client_secret`."""

    issuer: str
    audience: str
    jwks: str
    algorithm: str
    introspection: str = ""
    client_id: str = ""
    client_secret: str = ""


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote server, at `url`."""

    url: str
    trust: Trust
    limits: Limits


def read_remote(settings: Mapping[str, Setting]) -> Remote:
    """Return the remote server that is configured. Raises ConfigError."""

    def get(name: str) -> str:
        return settings[f"serve.{name}"].value or ""

    url = _check_address("serve.url", get("url"))
    parts = urlsplit(url)
    if parts.scheme != "https" or parts.path != PATH or parts.query or parts.fragment:
        raise ConfigError(
            f"serve.url is {url[:200]!r}", remedy=f"give it as clients see it: https://HOST{PATH}"
        )
    limits = Limits(
        read_whole_number(settings, "serve.requests") or 1,
        1024 * (read_whole_number(settings, "serve.kilobytes") or 1),
    )
    issuer = _check_address("serve.issuer", get("issuer"))
    audience = get("audience") or url
    if bool(get("jwks")) == bool(get("introspection")):
        raise ConfigError(
            "there is no one way to verify tokens",
            remedy="set serve.jwks or serve.introspection, and not both",
        )
    if get("jwks"):
        trust = Trust(issuer, audience, _check_address("serve.jwks", get("jwks")), get("algorithm"))
        if trust.algorithm not in _ALGORITHMS:
            raise ConfigError(
                f"serve.algorithm is {trust.algorithm[:40]!r}",
                remedy=f"use one of {', '.join(_ALGORITHMS)}",
            )
    else:
        address = _check_address("serve.introspection", get("introspection"))
        if not get("client_id") or not get("client_secret_file"):
            raise ConfigError(
                "the issuer answers to those that it knows",
                remedy="set serve.client_id and serve.client_secret_file",
            )
        secret = read_secret("serve.client_secret_file", get("client_secret_file"))
        trust = Trust(issuer, audience, "", "", address, get("client_id"), secret)
    return Remote(url, trust, limits)


def _check_address(name: str, address: str) -> str:
    """Return the address. Raises ConfigError for one whose traffic others could read."""
    try:
        parts = urlsplit(address)
        local = parts.scheme == "http" and parts.hostname in _LOOPBACK
        if (parts.scheme == "https" or local) and parts.hostname and parts.username is None:
            _ = parts.port
            return address
    except ValueError:
        pass
    said = f"{name} is {address[:200]!r}" if address else f"{name} is not set"
    raise ConfigError(said, remedy="give an https address; only of this machine may it be http")
