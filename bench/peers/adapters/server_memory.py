"""The reference memory server of the Model Context Protocol."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bench.peers.stdio import Server

NAME = "MCP server-memory"
NPM = "@modelcontextprotocol/server-memory"
SETTING = "MCP"
NEEDS = "Node.js"
MORE = "–"


class Peer:
    """A server of its own over one file."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._server = Server(serve(folder, home), os.environ | variables(folder), folder / "log")

    def save(self, title: str, text: str) -> None:
        self._create([(title, text)])

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        self._create(notes)

    def _create(self, notes: list[tuple[str, str]]) -> None:
        entities = [
            {"name": title, "entityType": "memory", "observations": [text]} for title, text in notes
        ]
        self._server.call("create_entities", {"entities": entities})

    def search(self, query: str) -> list[str]:
        found = json.loads(self._server.call("search_nodes", {"query": query}))
        return [f"{one['name']}\n{' '.join(one['observations'])}" for one in found["entities"]]

    def stored(self) -> str:
        return self._server.call("read_graph", {})

    def close(self) -> None:
        self._server.close()


def variables(folder: Path) -> dict[str, str]:
    return {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}


def serve(folder: Path, home: Path) -> list[str]:
    return ["node", str(home / "node_modules" / NPM / "dist/index.js")]
