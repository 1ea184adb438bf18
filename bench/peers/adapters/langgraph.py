"""LangGraph's store in SQLite, with an index of vectors."""

from __future__ import annotations

import uuid
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.minilm import MiniLM

NAME = "LangGraph store"
INSTALL = ["langgraph-checkpoint-sqlite", "sqlite-vec", "onnxruntime", "tokenizers"]
SETTING = "library; SqliteStore, MiniLM"
NEEDS = "an embedding function"
MORE = "checkpoints of agents' graphs"
PLACE = ("bench",)


class Peer:
    """A store over one database."""

    def __init__(self, folder: Path, home: Path) -> None:
        store: Any = import_module("langgraph.store.sqlite").SqliteStore
        index = {"dims": 384, "embed": MiniLM(home).embed, "fields": ["text"]}
        self._context = store.from_conn_string(str(folder / "store.db"), index=index)
        self._store = self._context.__enter__()
        self._store.setup()

    def save(self, title: str, text: str) -> None:
        self._store.put(PLACE, str(uuid.uuid4()), {"text": f"{title}\n{text}"})

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        put: Any = import_module("langgraph.store.base").PutOp
        self._store.batch(
            [put(PLACE, str(uuid.uuid4()), {"text": f"{title}\n{text}"}) for title, text in notes]
        )

    def search(self, query: str) -> list[str]:
        return [one.value["text"] for one in self._store.search(PLACE, query=query, limit=3)]

    def stored(self) -> str:
        return "\n".join(one.value["text"] for one in self._store.search(PLACE, limit=100_000))

    def close(self) -> None:
        self._context.__exit__(None, None, None)
