"""Verify access tokens by FastMCP's verifiers: JWTs by the issuer's keys (RFC 9068), others by
asking the issuer (RFC 7662). Checks that only some of their releases make are made here too."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from fastmcp.server.auth import TokenVerifier
from fastmcp.server.auth.providers.introspection import IntrospectionTokenVerifier
from fastmcp.server.auth.providers.jwt import JWTVerifier

from engrain_team.https.guard import SCOPES, Caller, Verify
from engrain_team.https.settings import Trust

_TIMEOUT = 4  # seconds
_LATEST = 10.0**11
"""The latest time of a token (epoch seconds): the verifiers make dates of it."""
_SKEW = 30.0  # seconds by which an issuer's clock may be ahead


def make_verifier(trust: Trust) -> Verify:
    """Return the verifier of tokens that an operator has configured."""
    verifier: TokenVerifier
    if trust.jwks:
        verifier = JWTVerifier(
            jwks_uri=trust.jwks,
            issuer=trust.issuer,
            audience=trust.audience,
            algorithm=trust.algorithm,
        )
    else:
        verifier = IntrospectionTokenVerifier(
            introspection_url=trust.introspection,
            client_id=trust.client_id,
            client_secret=trust.client_secret,
            timeout_seconds=_TIMEOUT,
        )

    async def verify(token: str) -> tuple[Caller, float] | None:
        try:
            found = await verifier.verify_token(token)
        except (ValueError, ArithmeticError, TypeError, RecursionError):
            return None  # claims that the verifier can't compute with, such as an infinite `exp`
        if found is None:
            return None
        return read_claims({**found.claims, "scope": found.scopes}, trust)

    return verify


def read_claims(claims: Mapping[str, Any], trust: Trust) -> tuple[Caller, float] | None:
    """Return (the caller with these claims, the end of the token), infinity if the issuer is asked
    each time. Return None for a token of another issuer, for another server (RFC 8707), without a
    name, or outside of its time."""
    asked = bool(trust.introspection)
    ends = _number(claims, "exp", math.inf if asked else 0.0)
    begins = _number(claims, "nbf", 0.0)
    audience = claims.get("aud")
    is_ours = (
        claims.get("iss", trust.issuer if asked else None) == trust.issuer
        and trust.audience in (audience if isinstance(audience, list) else [audience])
        and begins - _SKEW <= time.time() < ends
    )
    subject = _text(claims, "sub")
    client = _text(claims, "client_id") or _text(claims, "azp")
    if not is_ours or not subject + client:
        return None
    key = sha256("\0".join((trust.issuer, subject, client)).encode()).hexdigest()[:32]
    name = " by ".join(dict.fromkeys(filter(None, (subject, client))))
    return Caller(key, name[:100], frozenset(SCOPES).intersection(claims["scope"])), ends


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) and value.isprintable() else ""


def _number(claims: Mapping[str, Any], name: str, default: float) -> float:
    """Return a claim that is a number, `default` if it is missing, NaN if it is no number or none
    that a clock can show: JSON as Python reads it has `Infinity` and numbers of any length."""
    if name not in claims:
        return default
    value = claims[name]
    fits = isinstance(value, int | float) and abs(value) < _LATEST
    return float(value) if fits else math.nan
