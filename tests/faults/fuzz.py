"""Feed one reader of untrusted bytes with what a fuzzer finds, until the time is over.

    python tests/faults/fuzz.py note|record|hook|mcp SECONDS

With atheris installed the fuzzer is led by coverage; without it, seeds are changed at random. An
input that makes the reader raise anything but its documented errors ends the run, and is printed.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType

import engrain.wiring  # noqa: F401 - registers the reader of every form of YAML
from engrain.adapters.hooks.payloads import read_payload
from engrain.adapters.mcp.bridge import Bridge
from engrain.model.errors import EngrainError
from engrain.model.history.record import check_link, decode_record
from engrain.model.note.entry import read_entry

MOST = 64 * 1024
PIECES = (b"\x00", b"[", b"{", b"---\n", b'"', b"\xff", b": ", b"\r\n", b"\xef\xbb\xbf")
MODULES = (
    "engrain.adapters.hooks.payloads", "engrain.adapters.mcp.bridge",
    "engrain.model.history.line", "engrain.model.history.record",
    "engrain.model.note.entry", "engrain.model.note.note",
)  # fmt: skip


def read_note(raw: bytes) -> None:
    """Read a note, and change a field of it."""
    entry = read_entry("Memory/fix/x.md", raw)
    entry.note.patch({"status": "archived", "weight": 0.5})


def read_record(raw: bytes) -> None:
    """Read a line of a history with its payload."""
    line, _, payload = raw.partition(b"\n")
    check_link(line, payload, "", 1)
    decode_record(line, payload)


def read_hook(raw: bytes) -> None:
    """Read what a host gives to a hook."""
    read_payload(raw)


class Echo:
    """A memory behind the bridge that answers each call with nothing."""

    def ask(self, request: dict[str, object], /) -> dict[str, object]:
        return {"result": {"content": []}}


def read_message(raw: bytes) -> None:
    """Answer the lines of a host of MCP; every answer must be JSON."""
    output = io.BytesIO()
    Bridge(lambda _: Echo(), output, lambda: None).run(io.BytesIO(raw))
    for line in output.getvalue().splitlines():
        json.loads(line)


_CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_search"}}
READERS: dict[str, tuple[Callable[[bytes], None], tuple[type[Exception], ...], list[bytes]]] = {
    "note": (
        read_note,
        (EngrainError,),
        [b"---\ntitle: A\ntags: [a, b]\nlinks:\n  - to: x\n---\nBody.\n", b"# No front matter\n"],
    ),
    "record": (
        read_record,
        (EngrainError,),
        [b'{"v":1,"device":"a","n":1,"at":1.5,"op":"save","entries":["x"],"agent":"","trust":"agent"}'
         b'\n{"salt":"x","reason":"","files":[]}'],
    ),
    "hook": (
        read_hook,
        (ValueError,),
        [b'{"session_id":"s","prompt":"why?","cwd":"/x"}', b'{"a":"\\u00e4\\""}'],
    ),
    "mcp": (
        read_message,
        (),
        [json.dumps(_CALL).encode() + b"\n", b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'],
    ),
}  # fmt: skip


def mutate(raw: bytes, chance: random.Random) -> bytes:
    """Return a text with some bytes changed, repeated, cut or put in."""
    changed = bytearray(raw)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0:
                changed[at:at] = chance.choice(
                    (b"\x00", b"[", b"{", b"---\n", b'"', b"\xff", b": ")
                )
            case 1:
                del changed[at : at + chance.randrange(1, 9)]
            case 2:
                changed[at:at] = changed[at : at + 40] * chance.randrange(1, 20)
            case 3 if at < len(changed):
                changed[at] = chance.randrange(256)
    return bytes(changed[:MOST])


def main(words: list[str]) -> None:
    """Fuzz one reader, and end the process; its exit code is 1 if an error escaped."""
    name, seconds = words[0], float(words[1])
    read, expected, seeds = READERS[name]
    count, until = 0, time.monotonic() + seconds

    def try_one(raw: bytes) -> None:
        nonlocal count
        count += 1
        try:
            read(raw)
        except expected:
            pass
        except Exception:
            print(f"{name}: an error escaped for {raw!r}", flush=True)
            raise
        if time.monotonic() > until:
            way = "led by coverage" if find_spec("atheris") else "changed at random"
            print(f"{name}: {count} inputs {way}, no error escaped", flush=True)
            os._exit(0)  # the fuzzer would go on

    if find_spec("atheris"):
        atheris = import_module("atheris")

        for module in MODULES:  # what was imported before
            for value in vars(import_module(module)).values():
                if isinstance(value, FunctionType):
                    atheris.instrument_func(value)
        atheris.Setup([sys.argv[0], f"-max_len={MOST}", "-verbosity=0"], try_one)
        atheris.Fuzz()  # ends the process
    chance = random.Random(name)
    while True:
        try_one(mutate(chance.choice(seeds), chance))


if __name__ == "__main__":
    main(sys.argv[1:])
