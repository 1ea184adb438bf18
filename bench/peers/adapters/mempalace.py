"""MemPalace: verbatim texts in Chroma, searched by meaning and words."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from bench.peers.stdio import Server

NAME = "MemPalace"
INSTALL = ["mempalace"]
SETTING = "MCP; MiniLM, `candidate_strategy: union`"
NEEDS = "a model (downloaded)"
MORE = "whole transcripts, searchable"
ROOM = {"wing": "shop", "room": "work"}


class Peer:
    """A server of its own over one palace."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._server = Server(serve(folder, home), dict(os.environ), folder / "log")

    def save(self, title: str, text: str) -> None:
        answer = self._server.call("mempalace_add_drawer", {**ROOM, "content": f"{title}\n{text}"})
        if not json.loads(answer).get("success"):
            raise ValueError(answer[:300])

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for title, text in notes:
            self.save(title, text)

    def search(self, query: str) -> list[str]:
        asked = {"query": query[:250], "limit": 3, "candidate_strategy": "union"}
        found = json.loads(self._server.call("mempalace_search", asked))
        return [one["text"] for one in found["results"]]

    def stored(self) -> str:
        pages: list[str] = []
        for offset in range(0, 100_000, 100):
            asked = {"limit": 100, "offset": offset}
            page = json.loads(self._server.call("mempalace_list_drawers", asked))
            if not page.get("drawers"):
                return "\n".join(pages)
            pages.append(json.dumps(page))
        return "\n".join(pages)

    def close(self) -> None:
        self._server.close()


def serve(folder: Path, home: Path) -> list[str]:
    return [str(Path(sys.prefix) / "bin/mempalace-mcp"), "--palace", str(folder / "palace")]
