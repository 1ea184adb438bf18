"""Code spans: text of a record that is no markup and no link where it is read as a note."""

from __future__ import annotations

from re import findall


def code_span(text: str) -> str:
    """`text` on one line as a code span, whatever backticks are in it (CommonMark 6.1)."""
    text = " ".join(text.split())
    mark = "`" * (1 + max(map(len, findall("`+", text)), default=0))
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{blank}{text}{blank}{mark}"
