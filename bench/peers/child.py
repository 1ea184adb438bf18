"""One task of one peer, in the peer's own environment; results are lines of JSON.

python -m bench.peers.child NAME FOLDER HOME recall MEMORIES PROMPTS
python -m bench.peers.child NAME FOLDER HOME save FIRST COUNT   a line for each save
python -m bench.peers.child NAME FOLDER HOME search QUERY
python -m bench.peers.child NAME FOLDER HOME stored    of the marks given, those it lists
python -m bench.peers.child NAME FOLDER HOME tools
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.stdio import Server


def save_and_ask(peer: Any, memories: str, prompts: str) -> dict[str, Any]:
    """Save every memory, then ask every prompt; return the ids of the first three answers of
    each."""
    with open(memories, encoding="utf-8") as file:
        known = json.load(file)
    with open(prompts, encoding="utf-8") as file:
        asked = json.load(file)
    notes = [(one["title"], one["text"]) for one in known]
    started = time.perf_counter()
    peer.save_all(notes, [one["kind"] for one in known])
    bulk = time.perf_counter() - started
    peer.search("a first search loads what is loaded late")
    found, took = {}, []
    inject = getattr(peer, "inject", None)
    given = {}
    for prompt in asked:
        started = time.perf_counter()
        texts = peer.search(prompt["q"])
        took.append(time.perf_counter() - started)
        found[prompt["n"]] = name(texts[:3], known)
        injected = inject(prompt["q"]) if inject else texts[:3]
        given[prompt["n"]] = [name(injected, known), sum(map(len, injected))]
    return {"bulk_s": bulk, "searches_s": took, "found": found, "given": given}


def name(texts: list[str], known: list[dict[str, Any]]) -> list[str | None]:
    """Return the id of the memory that each text shows."""
    return [next((one["id"] for one in known if shows(text, one)), None) for text in texts]


def shows(text: str, memory: dict[str, Any]) -> bool:
    """Return whether a text shows a memory: its own beginning, or its title where that is cut."""
    plain = " ".join(text.split())
    return " ".join(memory["text"].split())[:40] in plain or (
        memory["title"] in plain and len(plain) < 120
    )


def save_many(peer: Any, first: str, count: str) -> None:
    """Save notes one after another, and print a line once each is acknowledged."""
    print(json.dumps({"ready": True}), flush=True)
    for number in range(int(count)):
        mark = f"mark-{first}-{number}."
        started = time.perf_counter()
        try:
            peer.save(f"Step {mark}", compose(mark))
        except Exception as error:  # a refusal is a figure, not a failure of the measurement
            print(json.dumps({"refused": str(error)[:200]}), flush=True)
            continue
        print(json.dumps({"mark": mark, "s": time.perf_counter() - started}), flush=True)


WORDS = (
    "invoice worker timeout bank compiler header region balancer connection minute customer "
    "import date month cache shard deploy cold pool lock queue retry webhook token cookie "
    "proxy tenant index vacuum replica migration column trigger cursor batch stream topic "
    "partition offset schema avro json yaml docker image layer registry helm chart pod node "
    "volume secret vault rotation certificate domain cdn purge origin font lazy hydration "
    "bundle chunk router store reducer effect suspense locale currency rounding tax refund "
    "voucher basket checkout courier parcel label warehouse shelf picker scan barcode printer "
    "driver kernel socket epoll thread fiber coroutine deadlock race fence barrier atomic "
    "profile flame trace span metric gauge histogram alert pager runbook rota handover audit "
    "ledger export "
)


def compose(mark: str) -> str:
    """Return a text of words drawn by its mark, so that no two are alike."""
    return f"{mark} {' '.join(random.Random(mark).sample(WORDS.split(), 20))}"


def main(words: list[str]) -> None:
    """Do the task that the words name."""
    adapter, folder, home, task, *rest = words
    module = import_module(f"bench.peers.adapters.{adapter}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if task == "tools":
        environment = os.environ | getattr(module, "variables", lambda _: {})(place)
        server = Server(module.serve(place, Path(home)), environment, place / "log")
        tools = server.list_tools()
        size = len(json.dumps(tools)) + len(server.instructions)
        print(json.dumps({"tools": len(tools), "tool_characters": size}), flush=True)
        server.close()
        return
    peer = module.Peer(place, Path(home))
    if task == "recall":
        print(json.dumps(save_and_ask(peer, *rest)), flush=True)
    elif task == "save":
        save_many(peer, *rest)
    elif task == "search":
        print(json.dumps(peer.search(*rest)), flush=True)
    elif task == "stored":
        text = peer.stored()
        marks = json.loads(sys.stdin.read())
        print(json.dumps([mark for mark in marks if mark in text]), flush=True)
    peer.close()


if __name__ == "__main__":
    main(sys.argv[1:])
