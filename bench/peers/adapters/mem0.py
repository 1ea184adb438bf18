"""mem0 without a language model: texts are stored as they are and found by vectors."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.minilm import MiniLM

NAME = "mem0"
INSTALL = ["mem0ai", "langchain-core", "onnxruntime", "tokenizers"]
SETTING = "library; Qdrant on disk, MiniLM, `infer=False`"
NEEDS = "a model and its key"
MORE = "20 vector stores, a platform"
USER = "bench"


class Peer:
    """A memory of mem0 over a folder of Qdrant."""

    def __init__(self, folder: Path, home: Path) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder), OPENAI_API_KEY="unused")
        base: Any = import_module("langchain_core.embeddings").Embeddings
        model = MiniLM(home)

        class Embeddings(base):  # type: ignore[misc]
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return model.embed(texts)

            def embed_query(self, text: str) -> list[float]:
                return model.embed([text])[0]

        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "langchain", "config": {"model": Embeddings()}},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def save(self, title: str, text: str) -> None:
        self._memory.add(f"{title}\n{text}", user_id=USER, infer=False)

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for title, text in notes:
            self.save(title, text)

    def search(self, query: str) -> list[str]:
        try:
            found = self._memory.search(query, filters={"user_id": USER}, top_k=3)
        except TypeError:
            found = self._memory.search(query, user_id=USER, limit=3)
        return [one["memory"] for one in found["results"]]

    def stored(self) -> str:
        try:
            found = self._memory.get_all(filters={"user_id": USER}, top_k=100_000)
        except TypeError:
            found = self._memory.get_all(user_id=USER, limit=100_000)
        return "\n".join(one["memory"] for one in found["results"])

    def close(self) -> None:
        self._memory.vector_store.client.close()
