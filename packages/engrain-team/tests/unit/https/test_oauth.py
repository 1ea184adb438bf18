"""A client that knows only the server's address finds its issuer, registers there, is permitted by
a person and uses the tools: the official SDK's client, over real HTTPS (MCP, authorization)."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from support.loops import run_in_thread
from team.issuer import Issuer, make_certificate
from team.remotely import RemoteServer, reserved_port, serving_remotely
from unit.adapters.shell import Shell

httpx = pytest.importorskip("httpx2", reason="older SDKs have another client of HTTP")
BACK = "http://127.0.0.1:9/callback"
NOTE = "Staging listens on port 5544."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server whose issuer is this module's own."""
    folder = tmp_path_factory.mktemp("oauth")
    shell = Shell(folder)
    assert shell.run("init").code == 0
    shell.run("save", NOTE)
    with Issuer() as issuer, reserved_port() as port:
        url, jwks = f"https://localhost:{port}/mcp", f"{issuer.url}/jwks"
        certificate = make_certificate(folder)
        with serving_remotely(
            shell, issuer, certificate, port=port, url=url, jwks=jwks, requests="1000"
        ) as server:
            shell.environ["URL"] = url
            yield server


class Kept:
    """What a client keeps of its registration and of its token."""

    def __init__(self) -> None:
        self.client: OAuthClientInformationFull | None = None
        self.token: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """A person with a browser, who permits what they are asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self._back: dict[str, str] = {}

    async def visit(self, address: str) -> None:
        place = urlsplit(address)
        self.asked.append(dict(parse_qsl(place.query)))
        exchange = http.client.HTTPConnection(place.netloc, timeout=30)
        exchange.request("GET", f"{place.path}?{place.query}")
        reply = exchange.getresponse()
        assert reply.status == 302
        self._back = dict(parse_qsl(urlsplit(reply.headers["Location"]).query))
        exchange.close()

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**self._back)


async def use_tools(server: RemoteServer, kept: Kept, person: Person) -> tuple[list[str], str]:
    """The names of the tools, and what a search finds."""
    url = server.shell.environ["URL"]
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(BACK)], client_name="a coder", token_endpoint_auth_method="none"
    )
    auth = OAuthClientProvider(url, metadata, kept, person.visit, person.come_back)
    tls = ssl.create_default_context(cafile=str(server.certificate))
    async with (
        httpx.AsyncClient(auth=auth, verify=tls, timeout=30) as client,
        streamable_http_client(url, http_client=client) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = await session.list_tools()
        found: Any = await session.call_tool("memory_search", {"query": "port of staging"})
        return [tool.name for tool in tools.tools], found.content[0].text


def test_a_client_that_knows_the_address_alone_gets_in(server: RemoteServer) -> None:
    kept, person = Kept(), Person()
    names, found = run_in_thread(use_tools(server, kept, person))
    assert len(names) == 4 and NOTE in found
    (asked,) = person.asked
    assert asked["resource"] == server.shell.environ["URL"]
    assert asked["scope"] == "memory:read memory:write", "as the server's challenge says"
    assert asked["code_challenge_method"] == "S256"
    run_in_thread(use_tools(server, kept, person))
    assert len(person.asked) == 1, "the token is good for the next session too"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://other.example/mcp"},
        {"exp": 1_700_000_000},
        {"iss": "https://other.example"},
        {"sub": None, "client_id": None},
    ],
    ids=["another audience", "expired", "another issuer", "nobody's"],
)
def test_a_token_that_is_not_for_this_server_is_refused_although_the_issuer_gave_it(
    server: RemoteServer, claims: dict[str, object]
) -> None:
    server.issuer.claims = claims
    try:
        with pytest.raises(ExceptionGroup) as refused:
            run_in_thread(use_tools(server, Kept(), Person()))
    finally:
        server.issuer.claims = {}
    assert "the token has expired, or is not for this server" in repr(refused.value)


def test_a_code_is_good_once_and_only_for_its_client(server: RemoteServer) -> None:
    issuer = server.issuer
    asked = {"client_id": issuer.register(), "redirect_uri": BACK, "resource": "r", "state": "s"}
    sent = {**asked, "response_type": "code", "code_challenge_method": "S256"}
    back = issuer.authorize({**sent, "code_challenge": "x"})
    code = dict(parse_qsl(urlsplit(back).query))["code"]
    assert issuer.redeem({**asked, "code": code, "code_verifier": "guessed"})[0] == 400
    assert issuer.redeem({**asked, "code": code, "code_verifier": "guessed"})[0] == 400
