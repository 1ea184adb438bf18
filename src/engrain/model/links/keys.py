"""The keys by which links are compared with the names of notes (S1.8, S1.11).

A module of its own, since a prompt needs it without the modules that read links.
"""

from __future__ import annotations

from engrain.language.text.folding import fold, name_key
from engrain.model.note.tiers import PERSONAL


def link_key(path: str) -> str:
    """Return the key of the file that a path leads to: its last part without `.md`, folded."""
    if path.startswith(PERSONAL):
        return fold(path)  # A path among the operator's notes never means an entry.
    return name_key(path.strip().rstrip("/").rpartition("/")[2])
