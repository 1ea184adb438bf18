"""Vectors as they are stored and compared: float32, little-endian, of length 1, as bytes.

The cosine of two of them is their dot product. The arithmetic is plain, because a query in a cold
process can't afford to load an array library.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from math import hypot, isfinite
from operator import mul

from engrain.model.errors import EmbeddingError

FLOAT_BYTES = 4
_SLACK = 1e-3
"""The tolerance of a length of 1, larger than the error of float32 sums over all dimensions."""


def pack_unit(values: Iterable[float]) -> bytes:
    """Return `values` scaled to length 1. Raises EmbeddingError for NaN, infinity and all zeros."""
    floats = list(values)
    length = hypot(*floats)
    if not isfinite(length):
        raise EmbeddingError("a vector has a component that is no number")
    if not length:
        raise EmbeddingError("a vector is zero in every component")
    return pack([value / length for value in floats])


def pack(values: Iterable[float]) -> bytes:
    """Return `values` as float32 numbers."""
    floats = array("f", values)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tobytes()


def unpack(raw: bytes) -> array[float]:
    """Return the components of a packed vector. Raises EmbeddingError if the bytes are none."""
    if len(raw) % FLOAT_BYTES:
        raise EmbeddingError(f"{len(raw)} bytes are no row of float32 numbers")
    values = array("f", raw)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def check_vector(raw: bytes, size: int) -> None:
    """Raise EmbeddingError unless `raw` is a vector of `size` dimensions and length 1."""
    if len(raw) != size * FLOAT_BYTES:
        raise EmbeddingError(
            f"a vector has {len(raw) / FLOAT_BYTES:g} dimensions where the model has {size}"
        )
    length = hypot(*unpack(raw))
    if not isfinite(length):
        raise EmbeddingError("a vector has a component that is no number")
    if abs(length - 1) > _SLACK:
        raise EmbeddingError(f"a vector has length {length:.4g} instead of 1")


def dot(left: bytes, right: bytes) -> float:
    """Return the cosine of two packed vectors. Raises EmbeddingError when their sizes differ."""
    if len(left) != len(right):
        raise EmbeddingError("vectors of different sizes can't be compared")
    cosine: float = sum(map(mul, unpack(left), unpack(right)))
    return cosine
