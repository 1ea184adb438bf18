"""Finds the marks that git leaves where two versions of a text could not be merged."""

from __future__ import annotations

import re

from engrain.language.text.link_tokens import prose

_MARK = r"(?m)^(?:(<{7} \S)|(={7}[ \t\r]*+$)|(>{7} \S))"


def find_merge_mark(text: str) -> int | None:
    """Return where the first mark begins, None if there is none outside of code. A closing mark
    counts behind a dividing one only, since people quote quotes."""
    divided = False
    for found in re.finditer(_MARK, prose(text)):
        if found[1] or (found[3] and divided):
            return found.start()
        divided = divided or bool(found[2])
    return None
