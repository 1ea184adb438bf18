"""Makers of embedders, as the wiring passes them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from engrain.inference.api import ApiLink
from engrain.inference.chain import Makers
from engrain.inference.local import MINILM, PackagedModel
from engrain.inference.model_client import ModelProcess
from engrain.seam.embedder import Embedder


def open_here(folder: str | None, stamps: str | None, packaged: PackagedModel = MINILM) -> Embedder:
    """Load a model into this process."""
    opened: Embedder = getattr(import_module(packaged.module), packaged.opener)(folder, stamps)
    return opened


HERE = Makers(ApiLink, open_here)
"""Makers that load a local model into this process."""


def beside(find_socket: Callable[[], str]) -> Makers:
    """Makers that open a local model in a process of its own."""
    return Makers(
        ApiLink,
        lambda folder, stamps, packaged: ModelProcess(folder, stamps, find_socket, packaged),
    )
