"""Text of others on one line: cut to a length, or as code that is no markup and no link."""

from __future__ import annotations

from engrain.language.text.patterns import late

_SPAN = late(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_TICKS = late("`+")
_LINKS = late(r"[\[\]<>]|%%")


def shorten(text: str, most: int) -> str:
    """`text` on one line of `most` characters at most; what is cut ends at a word, and a mark."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    # Text of a script without spaces, or a long URL, is cut where the room ends.
    line = line[: most - 2]
    return (line.rpartition(" ")[0] or line) + " …"


def code_span(text: str) -> str:
    """`text` on one line as a code span, whatever backticks are in it (CommonMark 6.1)."""
    text = " ".join(text.split())
    mark = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{blank}{text}{blank}{mark}"


def quote_links(text: str) -> str:
    """`text`, as a code span where a link, an image, HTML or a hidden comment would be read in it
    outside of those that it has."""
    return code_span(text) if _LINKS.search(_SPAN.sub("", text)) else text
