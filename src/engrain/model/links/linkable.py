"""Where in a text a link may stand: not in code, comments, links, headings, addresses, paths and
tables (S1.11)."""

from __future__ import annotations

import re

from engrain.language.text.link_tokens import prose

_UNFIT = re.compile(
    r"""
      ^[ \t>]*+ (?: \#{1,6}[ \t] [^\n]*+                      # a heading
                  | \| [^\n]*+                                # a row of a table
                  | \[[^\]\n]++\]: [^\n]*+                    # where a link leads
                  | [^\n]++ \n (?= (?: =+ | -{2,} ) [ \t\r]* $ ) )  # a heading with a line under it
    | ^(?: [ ]{4} | \t ) (?! [ \t]*+ (?: [-*+] | [0-9]{1,9}[.)] ) \s ) [^\n]*+  # code by its indent
    | !?\[\[ [^\[\]\r\n]*+ (?: \[[^\[\]\r\n]*+\] [^\[\]\r\n]*+ )*+ \]\]
    | !?\[ (?: [^\[\]\n] | \[[^\[\]\n]*+\] )*+ \]
        (?: \( [^()\n]*+ (?: \([^()\n]*+\) [^()\n]*+ )*+ \) | \[[^\]\n]*+\] )
    | \{\{ [^{}\n]*+ \}\}
    | < [^<>\n]*+ >
    | (?<!\S) [\w-]++ ::
    | (?<![\w&]) [\#@] [\w/-]++
    """,
    re.MULTILINE | re.VERBOSE,
)
_ADDRESS = re.compile(r"(?<!\S)[^\s/@\\]*+[/@\\]\S*+")
_WITHIN = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{4,}")


def count_capitals(body: str) -> tuple[int, int]:
    """Of the longer words within the sentences of a text: how many begin with a capital, and how
    many there are."""
    words = _WITHIN.findall(linkable(body))
    return sum(1 for word in words if word != word.lower()), len(words)


def linkable(body: str) -> str:
    """`body` with all blanked in which no link belongs; every other character keeps its place."""
    fit = _UNFIT.sub(_blank, prose(body))
    if "/" in fit or "@" in fit or "\\" in fit:
        fit = _ADDRESS.sub(_blank_address, fit)
    return fit


def _blank(found: re.Match[str]) -> str:
    return " " * (found.end() - found.start())


def _blank_address(found: re.Match[str]) -> str:
    """Blank an address or a path; two words with a stroke between them are none."""
    text = found[0]
    words = text.count("/") == 1 and text[0] != "/" and not set("@\\.:~") & set(text.rstrip(".,:;"))
    return text if words else " " * len(text)
