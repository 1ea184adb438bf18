"""memsearch: markdown files with an index of words and vectors in Milvus Lite."""

from __future__ import annotations

import asyncio
import os
import uuid
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.minilm import MiniLM

NAME = "memsearch"
INSTALL = ["memsearch[onnx]"]
SETTING = "library; Milvus Lite, words and MiniLM (for bge-m3, which a hub serves)"
NEEDS = "a model (downloaded)"
MORE = "a reranker, Milvus servers"


class Provider:
    """The interface that memsearch asks of a provider of vectors."""

    model_name = "all-MiniLM-L6-v2"
    dimension = 384
    batch_size = 32

    def __init__(self, **_: object) -> None:
        self._model = MiniLM(Path(os.environ["HOME"]))

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed(texts)


class Peer:
    """A folder of notes, one file each, and its index."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._notes = folder / "notes"
        self._notes.mkdir(exist_ok=True)
        providers: Any = import_module("memsearch.embeddings")
        providers._PROVIDERS["bench"] = (__name__, "Provider")
        self._search: Any = import_module("memsearch").MemSearch(
            [str(self._notes)], embedding_provider="bench", milvus_uri=str(folder / "milvus.db")
        )

    def _write(self, title: str, text: str) -> Path:
        path = self._notes / f"{uuid.uuid4()}.md"
        path.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        return path

    def save(self, title: str, text: str) -> None:
        if not asyncio.run(self._search.index_file(self._write(title, text))):
            raise ValueError("nothing was indexed")

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for title, text in notes:
            self._write(title, text)
        asyncio.run(self._search.index())

    def search(self, query: str) -> list[str]:
        return [one["content"] for one in asyncio.run(self._search.search(query, top_k=3))]

    def stored(self) -> str:
        asyncio.run(self._search.index())
        return "\n".join(path.read_text(encoding="utf-8") for path in self._notes.glob("*.md"))

    def close(self) -> None:
        self._search.close()
