"""mcp-memory-service: vectors in SQLite with a server for agents."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

from bench.peers.stdio import Server

NAME = "mcp-memory-service"
INSTALL = ["mcp-memory-service", "onnxruntime", "tokenizers"]
SETTING = (
    "MCP; sqlite-vec, MiniLM, `mode: hybrid`, with conversation ids (none is refused as alike)"
)
NEEDS = "a model (downloaded)"
MORE = "PDF and CSV uploads, Cloudflare"


class Peer:
    """A server of its own over one database."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._server = Server(serve(folder, home), os.environ | variables(folder), folder / "log")

    def save(self, title: str, text: str) -> None:
        given = {"content": f"{title}\n{text}", "conversation_id": "bench"}
        answer = self._server.call("memory_store", given)
        if not answer.startswith("Memory stored"):
            raise ValueError(answer[:300])

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for title, text in notes:
            self.save(title, text)

    def search(self, query: str) -> list[str]:
        asked = {"query": query, "mode": "hybrid", "limit": 3}
        answer = self._server.call("memory_search", asked)
        return re.split(r"^\d+\. ", answer, flags=re.MULTILINE)[1:]

    def stored(self) -> str:
        pages = []
        for page in range(1, 1000):
            answer = self._server.call("memory_list", {"page": page, "page_size": 100})
            pages.append(answer)
            if not json.loads(answer)["has_more"]:
                break
        return "\n".join(pages)

    def close(self) -> None:
        self._server.close()


def variables(folder: Path) -> dict[str, str]:
    return {
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_MEMORY_SQLITE_PATH": str(folder / "memory.db"),
        "MCP_MEMORY_USE_ONNX": "1",
    }


def serve(folder: Path, home: Path) -> list[str]:
    return [str(Path(sys.prefix) / "bin/memory"), "server"]
