"""Makers of embedders, as the wiring passes them."""

from __future__ import annotations

from collections.abc import Callable

from engrain.inference.api import ApiLink
from engrain.inference.chain import Makers
from engrain.inference.model_client import ModelProcess
from engrain.seam.embedder import Embedder


def open_here(folder: str | None, stamps: str | None) -> Embedder:
    """Load a model into this process."""
    from engrain.inference.onnx import open_model

    return open_model(folder, stamps)


HERE = Makers(ApiLink, open_here)
"""Makers that load a local model into this process."""


def beside(find_socket: Callable[[], str]) -> Makers:
    """Makers that open a local model in a process of its own."""
    return Makers(ApiLink, lambda folder, stamps: ModelProcess(folder, stamps, find_socket))
