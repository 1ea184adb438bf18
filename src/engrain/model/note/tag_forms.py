"""Tags that are one word: they differ in case, in the marks between their parts, or by a plural's
ending (S1.17)."""

from __future__ import annotations

from engrain.language.text.folding import fold

_LEAST = 4
"""Letters of a word before its plural's ending; fewer are another word: `new` and `news`."""
_SINGULAR = ("ss", "us", "is", "as")
"""Endings that look like a plural's and are none."""


def fold_tag(tag: str) -> str:
    """What all forms of a tag share."""
    word = fold(tag).strip("#").replace("_", "-").replace(" ", "-")
    if word.endswith("ies") and len(word) > _LEAST + 1:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")) and len(word) > _LEAST + 1:
        return word[:-2]
    if word.endswith("s") and not word.endswith(_SINGULAR) and len(word) > _LEAST:
        return word[:-1]
    return word
