"""Files that libraries of earlier versions left below the user's home."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

_TELEMETRY = os.path.join("Microsoft", "DeveloperTools", ".onnxruntime")
"""Where onnxruntime keeps an id of the device and unsent reports, below the cache folder, unless
its telemetry is off."""


def find_leftovers(environ: Mapping[str, str]) -> list[str]:
    """Return the folders that exist. Another program that uses onnxruntime may have made them."""
    home = environ.get("HOME", "")
    caches = [environ.get("XDG_CACHE_HOME", ""), os.path.join(home, ".cache") if home else ""]
    folders = [os.path.join(cache, _TELEMETRY) for cache in dict.fromkeys(caches) if cache]
    return [folder for folder in folders if os.path.isdir(folder)]


def describe_leftover(folder: str) -> tuple[str, str]:
    """Return what a folder is, and how it is removed."""
    what = (
        "onnxruntime, which runs the model, noted an id of this device here before Engrain"
        " switched its telemetry off"
    )
    return what, f"unless another program uses onnxruntime: rm -r {shlex.quote(folder)}"
