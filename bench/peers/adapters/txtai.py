"""txtai: an embeddings database with words and vectors in one index."""

from __future__ import annotations

import os
import uuid
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.minilm import MiniLM

NAME = "txtai"
INSTALL = ["torch==2.13.0", "txtai", "onnxruntime", "tokenizers"]
SETTING = "library; hybrid index, MiniLM"
NEEDS = "PyTorch"
IS_SLOW = True
MORE = "pipelines, many models"


def embed(texts: list[str]) -> object:
    """Return vectors as txtai takes them."""
    if not _MODELS:
        _MODELS.append(MiniLM(Path(os.environ["HOME"])))
    return import_module("numpy").array(_MODELS[0].embed(list(texts)), dtype="float32")


_MODELS: list[MiniLM] = []


class Peer:
    """An index that is saved to a folder after each change, as its pages show."""

    def __init__(self, folder: Path, home: Path) -> None:
        os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"  # to load an index with a function
        self._place = str(folder / "index")
        self._index: Any = import_module("txtai").Embeddings(
            method="external", transform=f"{__name__}.embed", hybrid=True, content=True
        )
        if self._index.exists(self._place):
            self._index.load(self._place)

    def save(self, title: str, text: str) -> None:
        self._add([(title, text)])

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        self._add(notes)

    def _add(self, notes: list[tuple[str, str]]) -> None:
        rows = [(str(uuid.uuid4()), f"{title}\n{text}", None) for title, text in notes]
        self._index.upsert(rows)
        self._index.save(self._place)

    def search(self, query: str) -> list[str]:
        return [one["text"] for one in self._index.search(query, 3)]

    def stored(self) -> str:
        rows = self._index.search("select text from txtai limit 100000", 100_000)
        return "\n".join(one["text"] for one in rows)

    def close(self) -> None:
        self._index.close()
