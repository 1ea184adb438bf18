"""basic-memory: markdown notes with an index in SQLite and a server for agents."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from bench.peers.stdio import Server

NAME = "basic-memory"
INSTALL = ["basic-memory"]
PYTHON = (3, 12)
SETTING = "MCP; words joined by OR; no vectors, as its Python here loads no SQLite extensions"
NEEDS = "Python 3.12; a model for vectors"
IS_SLOW = True
MORE = "cloud, schemas, canvas"


class Peer:
    """A server of its own over one project."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        (folder / "notes").mkdir(parents=True, exist_ok=True)
        self._server = Server(serve(folder, home), os.environ | variables(folder), folder / "log")

    def save(self, title: str, text: str) -> None:
        note = {"title": title, "content": f"# {title}\n\n{text}", "directory": "notes"}
        answer = self._server.call("write_note", note | {"output_format": "json"})
        if json.loads(answer).get("error"):
            raise ValueError(answer[:300])

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for number, (title, text) in enumerate(notes):
            path = self._folder / "notes" / f"{number}.md"
            path.write_text(f"---\ntitle: {json.dumps(title)}\n---\n# {title}\n\n{text}\n")
        command = [str(Path(sys.prefix) / "bin/basic-memory"), "reindex", "--search"]
        subprocess.run(command, env=os.environ | variables(self._folder), check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip

    def search(self, query: str) -> list[str]:
        words = list(dict.fromkeys(re.findall(r"\w{2,}", query.lower())))[:40]
        asked = {"query": " OR ".join(words), "page_size": 3, "output_format": "json"}
        found = json.loads(self._server.call("search_notes", asked | {"search_type": "text"}))
        return [f"{one.get('title')}\n{one.get('content')}" for one in found.get("results", [])]

    def stored(self) -> str:
        notes = (self._folder / "notes").rglob("*.md")
        return "\n".join(path.read_text(encoding="utf-8") for path in notes)

    def close(self) -> None:
        self._server.close()


def variables(folder: Path) -> dict[str, str]:
    return {
        "BASIC_MEMORY_HOME": str(folder / "notes"),
        "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
    }


def serve(folder: Path, home: Path) -> list[str]:
    return [str(Path(sys.prefix) / "bin/basic-memory"), "mcp"]
