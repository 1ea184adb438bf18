"""Whom a remote server answers, and what: real HTTPS, real tokens of a real issuer."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from engrain.adapters.mcp import description
from engrain.adapters.mcp.guard import CALLER, MAX_BODY, Message, Receive, Send
from engrain_team.https.guard import (
    METADATA,
    MOST_AT_ONCE,
    READ,
    STRANGERS_PER_MINUTE,
    Caller,
    Doorkeeper,
    Limits,
    Rates,
    Verify,
)
from team.issuer import make_key
from team.remotely import HOST, REQUESTS, URL, RemoteServer
from unit.adapters.mcp.served import INITIALIZE, LIST


def ask(server: RemoteServer, token: str, method: str, *arguments: Any) -> Any:
    """What FastMCP's own client gets."""

    async def run() -> Any:
        tls = ssl.create_default_context(cafile=str(server.certificate))
        address = f"https://127.0.0.1:{server.port}/mcp"
        way = StreamableHttpTransport(address, {"Host": HOST}, auth=token, verify=tls)
        async with Client(way) as client:
            return await getattr(client, method)(*arguments)

    return asyncio.run(run())


class TestAClient:
    def test_with_a_token_saves_and_finds(self, remote: RemoteServer) -> None:
        token = remote.token(sub="saver")
        text = "Staging listens on port 5544 since the move of the cluster."
        ask(remote, token, "call_tool", "memory_append", {"text": text})
        found = ask(remote, token, "call_tool", "memory_recall", {"query": "port of staging"})
        (entry,) = found.structured_content["results"]
        assert entry["text"] == text
        assert entry["trust"] == "agent"

    def test_finds_the_four_tools_as_over_stdio_and_nothing_else(
        self, remote: RemoteServer
    ) -> None:
        token = remote.token(sub="lister")
        reply = remote.send(LIST, token)
        tools = reply.message["result"]["tools"]
        fields = ("name", "title", "description", "inputSchema", "annotations")
        assert [{name: one[name] for name in fields} for one in tools] == [
            {name: one[name] for name in fields} for one in description.TOOLS
        ]
        for what in ("resources", "prompts"):
            listed = remote.send({**LIST, "method": f"{what}/list"}, token).message
            assert not listed.get("result", {}).get(what), listed
        assert "error" in remote.send(
            {**LIST, "method": "resources/read", "params": {"uri": "memory://index"}}, token
        ).message  # fmt: skip

    def test_reads_the_same_instructions(self, remote: RemoteServer) -> None:
        told = remote.send(INITIALIZE, remote.token(sub="reader")).message["result"]
        assert told["instructions"] == description.INSTRUCTIONS

    def test_may_send_a_token_for_several_servers(self, remote: RemoteServer) -> None:
        token = remote.issuer.issue("", sub="several", aud=["https://other.example", URL])
        assert remote.send(LIST, token).status == 200


class TestOrigin:
    def test_of_an_external_writer_is_external(self, remote: RemoteServer) -> None:
        scopes = "memory:read memory:write-external"
        token = remote.token(sub="crawler", client_id="bot", scope=scopes)
        text = "The crawler read that the tariff of Emden rises in May."
        assert remote.call(token, "memory_append", text=text).status == 200
        found = remote.call(token, "memory_recall", query="tariff of Emden").message["result"]
        (entry,) = found["structuredContent"]["results"]
        assert entry["trust"] == "external"
        history = remote.shell.run("history", "--json").out
        assert "crawler by bot" in history

    def test_of_a_token_is_never_the_operator(self, remote: RemoteServer) -> None:
        token = remote.token(sub="boss", scope="memory:write operator admin", trust="operator")
        remote.call(token, "memory_append", text="Invoices of Husum are due in ten days.")
        found = remote.shell.run("recall", "invoices of Husum", "--json").answer
        assert isinstance(found["data"], dict)
        assert found["data"]["results"][0]["source"] == "agent"

    def test_sessions_of_two_clients_are_two(self, remote: RemoteServer) -> None:
        named = {"Engrain-Session": "one"}
        params = {"name": "memory_append"}
        message = {**LIST, "method": "tools/call"}
        for who, what in (("pia", "Pia likes tea with milk."), ("ole", "Ole likes strong coffee.")):
            body = {**message, "params": {**params, "arguments": {"text": what}}}
            assert remote.send(body, remote.token(sub=who), named).status == 200
        notes = [
            path.read_text()
            for path in remote.shell.vault.rglob("*.md")
            if "likes" in path.read_text()
        ]
        refs = {line for note in notes for line in note.splitlines() if "-one" in line}
        assert len(refs) == 2


class TestAToken:
    @pytest.mark.parametrize(
        "claims",
        [
            {"exp": 1_700_000_000},
            {"exp": None},
            {"exp": "tomorrow"},
            {"exp": float("inf")},
            {"exp": 10**400},
            {"nbf": float("-inf"), "exp": float("nan")},
            {"iat": float("inf"), "exp": float("inf")},
            {"nbf": 32_000_000_000},
            {"iss": "https://issuer.example"},
            {"iss": None},
            {"aud": "https://other.example/mcp"},
            {"aud": f"{URL}/"},
            {"aud": []},
            {"aud": None},
            {"sub": None, "client_id": None},
        ],
        ids=str,
    )
    def test_that_is_not_good_is_refused(
        self, remote: RemoteServer, claims: dict[str, object]
    ) -> None:
        reply = remote.send(LIST, remote.token(**claims))
        assert reply.status == 401
        assert 'error="invalid_token"' in reply.headers["www-authenticate"]
        assert b"tools" not in reply.body

    def test_of_a_foreign_key_is_refused(self, remote: RemoteServer) -> None:
        claims = remote.issuer.claim(URL)
        assert remote.send(LIST, remote.issuer.sign(claims, key=make_key())).status == 401

    def test_that_was_altered_is_refused(self, remote: RemoteServer) -> None:
        head, _, mark = remote.token(scope="memory:read").split(".")
        body = remote.token(scope="memory:read memory:write").split(".")[1]
        assert remote.send(LIST, f"{head}.{body}.{mark}").status == 401

    @pytest.mark.parametrize("algorithm", ["none", "HS256", "ES256"])
    def test_of_another_algorithm_is_refused(self, remote: RemoteServer, algorithm: str) -> None:
        public = json.dumps(remote.issuer.list_keys()[0]).encode()
        key = public if algorithm == "HS256" else None
        token = remote.issuer.sign(remote.issuer.claim(URL), algorithm=algorithm, key=key)
        assert remote.send(LIST, token).status == 401

    @pytest.mark.parametrize("token", ["", "x", "a.b.c", "....", "\xe9", "e" * 9000, "Bearer x"])
    def test_that_is_none_is_refused(self, remote: RemoteServer, token: str) -> None:
        assert remote.send(LIST, token).status == 401

    def test_is_taken_from_the_header_alone(self, remote: RemoteServer) -> None:
        token = remote.token(sub="query")
        assert remote.send(LIST, None, path=f"/mcp?access_token={token}").status == 401
        assert remote.send(LIST, None, {"Cookie": f"token={token}"}).status == 401

    def test_tells_what_it_lacks(self, remote: RemoteServer) -> None:
        token = remote.token(sub="looker", scope="memory:read")
        assert remote.call(token, "memory_search", query="tea").status == 200
        for tool, arguments in (("memory_append", {"text": "x"}), ("memory_forget", {"id": "x"})):
            reply = remote.call(token, tool, **arguments)
            assert reply.status == 403
            said = reply.headers["www-authenticate"]
            assert 'error="insufficient_scope", scope="memory:write"' in said
            assert METADATA in said

    @pytest.mark.parametrize(
        ("scope", "tool"),
        [
            ("memory:write", "memory_recall"),
            ("memory:write-external", "memory_forget"),
            ("profile", "memory_search"),
            ("memory:reader", "memory_search"),
            ("", "memory_search"),
        ],
    )
    def test_of_another_scope_gets_nothing(
        self, remote: RemoteServer, scope: str, tool: str
    ) -> None:
        reply = remote.call(remote.token(sub="wrong", scope=scope), tool, query="tea")
        assert reply.status == 403
        assert b"result" not in reply.body

    def test_without_any_scope_of_ours_lists_nothing(self, remote: RemoteServer) -> None:
        assert remote.send(LIST, remote.token(sub="odd", scope="email")).status == 403

    def test_is_written_nowhere(self, remote: RemoteServer) -> None:
        token = remote.token(sub="quiet")
        remote.call(token, "memory_append", text="The heron nests at the old lock.")
        remote.send(LIST, f"{token}x")
        places = [path for path in remote.shell.folder.rglob("*") if path.is_file()]
        assert places
        mark = token.rpartition(".")[2][:40].encode()
        assert [path for path in places if mark in path.read_bytes()] == []


class TestWhatIsNotThere:
    @pytest.mark.parametrize(
        "path",
        [
            "/", "/console", "/console/", "/console/invite", "/mcp/", "/mcp/../console", "/admin",
            "/metrics", "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-authorization-server", "/sse", "//mcp", "/MCP",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_is_404_with_a_token_and_without(
        self, remote: RemoteServer, method: str, path: str
    ) -> None:
        token = remote.token(sub=f"{method} {path}")
        for given in (token, None):
            assert remote.send(b"{}", given, method=method, path=path).status == 404

    @pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
    def test_is_any_other_method(self, remote: RemoteServer, method: str) -> None:
        assert remote.send(b"", remote.token(sub=method), method=method).status == 405

    def test_is_a_socket_or_a_place(self, remote: RemoteServer) -> None:
        assert not list(remote.shell.state.rglob("*.sock"))
        assert "serving" not in remote.shell.run("status").out


class TestARequest:
    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost", "", f"{HOST}:80"])
    def test_for_another_host_is_refused(self, remote: RemoteServer, host: str) -> None:
        reply = remote.send(LIST, remote.token(sub="host"), {"Host": host})
        assert reply.status in (400, 421)

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", f"http://{HOST}", ""])
    def test_of_a_page_elsewhere_is_refused(self, remote: RemoteServer, origin: str) -> None:
        assert remote.send(LIST, remote.token(sub="page"), {"Origin": origin}).status == 403

    def test_of_a_page_of_its_own_host_is_taken(self, remote: RemoteServer) -> None:
        headers = {"Origin": f"https://{HOST}", "Host": f"{HOST}:443"}
        assert remote.send(LIST, remote.token(sub="own"), headers).status == 200

    def test_that_is_too_large_is_refused(self, remote: RemoteServer) -> None:
        reply = remote.send(b"x" * (MAX_BODY + 1), remote.token(sub="large"))
        assert reply.status == 413
        assert str(MAX_BODY) in reply.message["error"]["message"]

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 50_000])
    def test_of_garbage_is_refused(self, remote: RemoteServer, body: bytes) -> None:
        assert remote.send(body, remote.token(sub="garbage")).status == 400

    def test_without_a_token_is_reported_where_to_get_one(self, remote: RemoteServer) -> None:
        reply = remote.send(LIST, None)
        assert reply.status == 401
        said = reply.headers["www-authenticate"]
        assert said.startswith(f'Bearer resource_metadata="https://{HOST}{METADATA}"')
        assert said.endswith('scope="memory:read memory:write"')
        assert "error" not in said
        told = remote.send(b"", None, method="GET", path=METADATA)
        assert told.status == 200
        assert told.message["resource"] == URL
        assert told.message["authorization_servers"] == [remote.issuer.url]
        assert "memory:read" in told.message["scopes_supported"]

    def test_of_a_client_that_sent_too_many_is_put_off(self, remote: RemoteServer) -> None:
        busy = remote.token(sub="busy")
        replies = (remote.send(LIST, busy) for _ in range(20 * REQUESTS))
        refused = next(reply for reply in replies if reply.status == 429)
        assert int(refused.headers["retry-after"]) >= 1
        assert remote.send(LIST, remote.token(sub="busy", client_id="other")).status == 200
        assert remote.send(LIST, remote.token(sub="calm")).status == 200

    def test_of_a_client_that_sent_too_much_is_put_off(self, remote: RemoteServer) -> None:
        token = remote.token(sub="heavy")
        body = {**LIST, "padding": "x" * 1_000_000}
        replies = (remote.send(body, token) for _ in range(REQUESTS - 1))
        refused = next(reply for reply in replies if reply.status == 429)
        assert "bytes a minute" in refused.message["error"]["message"]


def test_plain_http_is_no_way_in(remote: RemoteServer) -> None:
    import http.client

    exchange = http.client.HTTPConnection("127.0.0.1", remote.port, timeout=30)
    with pytest.raises((http.client.HTTPException, OSError)):
        exchange.request("POST", "/mcp", b"{}")
        exchange.getresponse()
    exchange.close()


class TestRates:
    def test_fill_up_within_a_minute(self) -> None:
        now = [0.0]
        rates = Rates(60, lambda: now[0])
        assert [rates.take("a", 20) for _ in range(3)] == [0, 0, 0]
        assert rates.take("a", 20) == 20
        assert rates.take("b", 60) == 0
        now[0] = 19
        assert rates.take("a", 20) == 1
        now[0] = 20
        assert rates.take("a", 20) == 0
        now[0] = 1000
        assert rates.take("a", 61) == 0, "what is more than a bucket holds takes a full one"
        assert rates.take("a", 1) > 0


class TestDoorkeeper:
    """What depends on the clock, or on what a verifier says, without a server."""

    def test_asks_again_about_a_token_that_has_ended(self) -> None:
        ends = [time.time() + 1000, time.time() - 1]
        asked = []

        async def verify(token: str) -> tuple[Caller, float] | None:
            asked.append(token)
            return (Caller("ann", "ann", {READ}), ends.pop()) if ends else None

        door = Door(verify)
        assert [door.knock("ended"), door.knock("ended"), door.knock("ended")] == [200, 200, 200]
        assert asked == ["ended", "ended"], "the first had ended, the second is kept"
        assert [door.knock("other"), door.knock("other")] == [401, 401]
        assert len(asked) == 4, "what is refused is not kept"

    def test_hides_the_token_from_what_is_behind_it(self) -> None:
        async def verify(token: str) -> tuple[Caller, float]:
            return Caller("ann", "ann", {READ}), time.time() + 1000

        door = Door(verify)
        assert door.knock("good") == 200
        assert b"authorization" not in dict(door.passed["headers"])
        assert door.passed[CALLER].name == "ann"

    def test_sends_away_an_address_that_only_guesses(self) -> None:
        async def verify(token: str) -> tuple[Caller, float] | None:
            return (Caller("ann", "ann", {READ}), time.time() + 1000) if token == "good" else None

        door = Door(verify)
        assert door.knock("good") == 200
        got = [door.knock(f"guess {number}") for number in range(20 * STRANGERS_PER_MINUTE)]
        assert got[:10] == [401] * 10
        assert 429 in got
        assert door.knock("good") == 200, "a client that is known is not among them"

    def test_answers_so_many_of_one_client_at_once(self) -> None:
        async def verify(token: str) -> tuple[Caller, float]:
            return Caller(token, token, {READ}), time.time() + 1000

        door = Door(verify)
        assert door.knock_together(["ann"] * MOST_AT_ONCE + ["bob"]) == [200] * (MOST_AT_ONCE + 1)
        more = door.knock_together(["ann"] * (MOST_AT_ONCE + 3) + ["bob"])
        assert sorted(more) == [200] * (MOST_AT_ONCE + 1) + [429] * 3
        assert more[-1] == 200


class Door:
    """A doorkeeper before an application that answers when all that came in are there."""

    def __init__(self, verify: Verify) -> None:
        self.passed: dict[str, Any] = {}
        self._inside = 0
        limits = Limits(10_000, 10_000_000)
        self._keeper = Doorkeeper(
            self._answer, URL, "https://issuer.example", verify, limits, proxied=False
        )

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        self.passed = dict(scope)
        for _ in range(50):  # so often whoever else is ready has its turn
            await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def knock(self, token: str) -> int:
        return self.knock_together([token])[0]

    def knock_together(self, tokens: list[str]) -> list[int]:
        async def knock(token: str) -> int:
            said: list[Any] = []
            headers = [
                (b"host", HOST.encode()), (b"authorization", b"Bearer " + token.encode())
            ]  # fmt: skip
            body = json.dumps(LIST).encode()

            async def receive() -> Message:
                return {"type": "http.request", "body": body}

            async def send(message: Message) -> None:
                said.append(message)

            scope = {
                "type": "http", "method": "POST", "path": "/mcp", "headers": headers,
                "client": ("192.0.2.7", 4711),
            }  # fmt: skip
            await self._keeper(scope, receive, send)
            return int(said[0]["status"])

        async def run() -> list[int]:
            return await asyncio.gather(*(knock(token) for token in tokens))

        return asyncio.run(run())
