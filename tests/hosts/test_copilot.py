"""Copilot CLI itself, which runs no hook of ours: its model is offered the tools, and one saves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hosts.clients import Client, Home
from hosts.contract import LEARNED, TOOLS
from hosts.model import Call, serving


def _configure(home: Path, url: str) -> Mapping[str, str]:
    del home
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_MODEL": "fake",
        "COPILOT_OFFLINE": "true",
    }


COPILOT = Client(
    "copilot",
    "@github/copilot",
    "1.0.102",
    "copilot",
    _configure,
    ["--allow-all-tools", "--no-auto-update", "-p"],
    ("bash", "command"),
)


def test_its_first_request_offers_our_tools_and_one_saves(tmp_path: Path) -> None:
    saving = {"title": "Invoice export fails", "text": LEARNED, "kind": "fix"}
    with serving() as model:
        home = Home(tmp_path, COPILOT, model)
        home.engrain("setup", "copilot")
        session = home.ask("Mend the export.", Call("memory_append", saving), "All done.")
        assert session.code == 0, session.err
        names = [name.rpartition("memory_")[2] for name in session.turns[0].own_tools]
        assert sorted(f"memory_{name}" for name in names) == TOOLS
        (found,) = home.vault.glob("Memory/fix/invoice-export-fails.md")
        assert LEARNED in found.read_text()
        home.engrain("setup", "copilot", "--remove")
        assert "engrain" not in "".join(
            path.read_text() for path in home.path.glob(".copilot/*.json")
        )
