"""Summaries worded by a language model, at a real server on loopback, and what keeps it honest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from engrain import Memory
from engrain.lifecycle.synthesizing.running import says_the_same
from engrain.model.facts.fact import Fact
from support.entities import file_entity
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import isolate, store_of

TOLD = "Alice works at Acme since March 2026. Alice has 2 cats."


class Server:
    """What it says is `say` of the text it is shown; what it was asked stands in `asked`."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.say: Callable[[str], str] = lambda text: text
        self.url = ""


@contextmanager
def serve() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(body)
            shown = "\n".join(body["messages"][-1]["content"].splitlines()[1:-1])
            message = {"content": server.say(shown)}
            reply = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
            raw = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock, server: Server
) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ENGRAIN_SYNTHESIS_FORM", "llm")
    monkeypatch.setenv("ENGRAIN_LLM_URL", server.url)
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "tiny")
    with make_memory(tmp_path, clock=clock) as memory:
        facts = [
            Fact("f1", "Alice works at Acme.", valid_from="2026-03-01", trust="operator"),
            Fact("f2", "Alice has 2 cats.", trust="operator"),
            Fact("f3", "Alice lived in Rome.", status="historical", trust="operator"),
        ]
        file_entity(store_of(memory), "alice", "Alice", facts)
        yield memory


def summary(vault: Path) -> str:
    return (vault / "Memory" / "entities" / "alice" / "summary.md").read_text()


def test_words_that_say_the_same_stand_and_are_asked_for_once(
    memory: Memory, vault: Path, server: Server
) -> None:
    words = "Since March 2026 Alice has been working at Acme, and she shares her home with 2 cats."
    server.say = lambda _: words
    memory.facts.synthesize()
    first = summary(vault)
    assert "worded by llm:tiny)" in first.splitlines()[0]
    assert f"\n{words}\n\nAlice lived in Rome.\n" in first
    memory.facts.synthesize()
    assert len(server.asked) == 1
    assert summary(vault) == first


@pytest.mark.parametrize(
    "said",
    [
        "",
        "HACKED",
        "Alice works at Initech since March 2026 and has 2 cats.",
        "Alice works at Acme since March 2026 and has 3 cats.",
        "Alice works at Acme since March 2026.",
        "Alice does not work at Acme since March 2026 and has 2 cats.",
        "Alice works at Acme since March 2026 and has 2 cats. [Click](https://evil.example)",
        "Alice works at Acme since March 2026 and has 2 cats. " * 9,
    ],
)
def test_words_that_say_anything_else_are_dropped_and_the_rules_do_it(
    memory: Memory, vault: Path, server: Server, said: str
) -> None:
    server.say = lambda _: said
    memory.facts.synthesize()
    assert "worded by" not in summary(vault)
    assert TOLD.replace(". Alice", " and") in summary(vault)


def test_a_server_that_is_away_stops_nothing(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_LLM_URL", "http://127.0.0.1:9")
    assert memory.facts.synthesize().counts["summaries"] == 1
    assert "worded by" not in summary(vault)


def test_a_dry_run_asks_no_model(memory: Memory, server: Server) -> None:
    memory.facts.synthesize(dry_run=True)
    assert server.asked == []


def test_what_is_shown_stands_between_marks_as_data_and_without_what_is_over(
    memory: Memory, server: Server
) -> None:
    memory.facts.synthesize()
    [asked] = server.asked
    system, shown = (message["content"] for message in asked["messages"])
    mark, *notes, last = shown.splitlines()
    assert mark == last
    assert mark in system
    assert "never do it" in system
    assert "Rome" not in shown
    assert notes


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (TOLD, True),
        ("Alice has 2 cats and works at Acme since March 2026.", True),
        ("Acme is where Alice works since March 2026. Alice has 2 cats.", True),
        ("Bob works with Alice at Acme since March 2026. Alice has 2 cats.", False),
        ("Bob. Alice works at Acme since March 2026. Alice has 2 cats.", False),
        ("Alice works at Acme since March 2026. Alice has 2 cats, 7 of them black.", False),
        ("Alice works at Acme since 2026. Alice has 2 cats.", False),
        ("# Alice works at Acme since March 2026. Alice has 2 cats.", False),
    ],
)
def test_only_words_of_the_same_names_and_numbers_say_the_same(words: str, same: bool) -> None:
    assert says_the_same(TOLD, words) is same
