"""What is read out of a token, and asked of its issuer."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace
from typing import Any

import pytest

from engrain_team.https.guard import READ, WRITE, Caller
from engrain_team.https.settings import Trust
from engrain_team.https.tokens import make_verifier, read_claims
from team.issuer import CLIENT, SECRET, Issuer

URL = "https://memory.example/mcp"


def verify(trust: Trust, token: str) -> tuple[Caller, float] | None:
    async def run() -> tuple[Caller, float] | None:
        return await make_verifier(trust)(token)

    return asyncio.run(run())


class TestAskingTheIssuer:
    @pytest.fixture
    def trust(self, issuer: Issuer) -> Trust:
        issuer.known.clear()
        return Trust(issuer.url, URL, "", "", f"{issuer.url}/introspect", CLIENT, SECRET)

    def test_tells_whose_an_opaque_token_is(self, issuer: Issuer, trust: Trust) -> None:
        issuer.known["opaque"] = issuer.claim(URL, sub="pia")
        found = verify(trust, "opaque")
        assert found is not None
        caller, ends = found
        assert caller.name == "pia by coder"
        assert caller.scopes == {READ, WRITE}
        assert time.time() < ends < time.time() + 3700

    def test_takes_a_token_without_issuer_or_end(self, issuer: Issuer, trust: Trust) -> None:
        issuer.known["opaque"] = issuer.claim(URL, iss=None, exp=None)
        found = verify(trust, "opaque")
        assert found is not None and found[1] == math.inf

    @pytest.mark.parametrize(
        "claims",
        [
            {"active": False},
            {"aud": "https://other.example/mcp"},
            {"aud": None},
            {"iss": "https://issuer.example"},
            {"exp": 1},
            {"exp": float("inf")},
            {"exp": 10**400},
            {"nbf": 10**12},
            {"sub": None, "client_id": None},
        ],
        ids=str,
    )
    def test_refuses_what_is_not_good(
        self, issuer: Issuer, trust: Trust, claims: dict[str, Any]
    ) -> None:
        issuer.known["opaque"] = issuer.claim(URL, **claims)
        assert verify(trust, "opaque") is None

    def test_refuses_what_the_issuer_does_not_know(self, trust: Trust) -> None:
        assert verify(trust, "unknown") is None

    def test_needs_the_secret(self, issuer: Issuer, trust: Trust) -> None:
        issuer.known["opaque"] = issuer.claim(URL)
        assert verify(replace(trust, client_secret="wrong"), "opaque") is None

    def test_refuses_while_the_issuer_is_gone(self, issuer: Issuer, trust: Trust) -> None:
        issuer.known["opaque"] = issuer.claim(URL)
        gone = replace(trust, introspection="http://127.0.0.1:9/introspect")
        assert verify(gone, "opaque") is None


class TestSignatures:
    def test_of_elliptic_curves_are_verified(self, issuer: Issuer) -> None:
        trust = Trust(issuer.url, URL, f"{issuer.url}/jwks", "ES256")
        token = issuer.sign(issuer.claim(URL), algorithm="ES256")
        assert verify(trust, token) is not None
        assert verify(trust, issuer.sign(issuer.claim(URL))) is None, "of the other algorithm"

    def test_are_not_taken_while_the_keys_are_gone(self, issuer: Issuer) -> None:
        trust = Trust(issuer.url, URL, "http://127.0.0.1:9/jwks", "RS256")
        assert verify(trust, issuer.issue(URL)) is None


class TestClaims:
    TRUST = Trust("https://issuer.example", URL, "https://issuer.example/jwks", "RS256")

    def claim(self, **more: object) -> dict[str, Any]:
        claims = {"iss": "https://issuer.example", "aud": URL, "exp": 10**10, "scope": [READ]}
        return {**claims, **more}

    def test_tell_two_clients_of_one_person_apart(self) -> None:
        found = [
            read_claims(self.claim(sub=subject, client_id=client), self.TRUST)
            for subject, client in (("ann", "a"), ("ann", "b"), ("anna", ""), ("ann", "a"))
        ]
        keys = [one[0].client for one in found if one]
        assert len(keys) == 4
        assert len(set(keys)) == 3
        assert keys[0] == keys[3]

    def test_may_name_the_client_by_azp(self) -> None:
        found = read_claims(self.claim(azp="desk"), self.TRUST)
        assert found is not None and found[0].name == "desk"

    @pytest.mark.parametrize(
        "ends", [None, "soon", True, float("nan"), float("inf"), 10**400, [], 0]
    )
    def test_without_an_end_are_refused(self, ends: object) -> None:
        assert read_claims(self.claim(sub="ann", exp=ends), self.TRUST) is None

    def test_of_other_scopes_give_none(self) -> None:
        found = read_claims(self.claim(sub="ann", scope=["admin", READ]), self.TRUST)
        assert found is not None and found[0].scopes == {READ}
