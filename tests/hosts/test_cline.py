"""Cline CLI itself, which runs no hook of ours: its model is offered the tools, and one saves."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hosts.clients import Client, Home
from hosts.contract import LEARNED, TOOLS
from hosts.model import Call, serving


def _configure(home: Path, url: str) -> Mapping[str, str]:
    del home, url
    return {}


CLINE = Client(
    "cline",
    "cline",
    "3.0.65",
    "cline",
    _configure,
    ["--auto-approve", "true"],
    ("run_commands", "command"),
)


def test_its_first_request_offers_our_tools_and_one_saves(tmp_path: Path) -> None:
    saving = {"title": "Invoice export fails", "text": LEARNED, "kind": "fix"}
    with serving() as model:
        home = Home(tmp_path, CLINE, model)
        home.engrain("setup", "cline")
        key = ["--apikey", "none", "--modelid", "fake", "--baseurl", f"{model.url}/v1"]
        home.run(home.program, "auth", "--provider", "openai-compatible", *key)
        try:
            session = home.ask("Mend the export.", Call("memory_append", saving), "All done.")
        finally:
            _end_daemon(home.path)
        assert session.code == 0, session.err
        names = [name.rpartition("memory_")[2] for name in session.turns[0].own_tools]
        assert sorted(f"memory_{name}" for name in names) == TOOLS
        (found,) = home.vault.glob("Memory/fix/invoice-export-fails.md")
        assert LEARNED in found.read_text()


def _end_daemon(home: Path) -> None:
    """End what it leaves running in this home for sessions in the background."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            around = (folder / "environ").read_bytes().split(b"\0")
            if f"HOME={home}".encode() in around and b"cline" in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGTERM)
