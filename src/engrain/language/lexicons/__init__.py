"""Vocabularies kept as data: words, phrases and patterns in the text files of this folder.

A file has rows `name: text` under headings `[section]`. An indented line continues its row, and a
line that begins with `#` is a comment. A file is read when a module that needs it is imported or
used for the first time; of the hooks only that of a turn's end needs one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

Rows: TypeAlias = "dict[str, list[str]]"

_FRAGMENT = re.compile(r"\{([A-Z_]+)\}")
_PIECE = r"(?s)(\\.|\[\^?\]?(?:\\.|[^\]\\]){0,200}+\]|.)([*+]|\{\d+,\})?([?+]?)"
"""One piece of a pattern, the sign that repeats it, and the sign of how."""
_MOST = {".": 400, ")": 8, r"\s": 20, " ": 20}
_MOST_OTHERS = 60
"""The most repetitions of a piece in a row: of any character, of a group, of blanks, of others."""


@lru_cache(maxsize=32)
def _read_file(file: str) -> dict[str, Rows]:
    """Return the lines of each row, by section and name. Raises ValueError for a name that comes
    twice."""
    sections: dict[str, Rows] = {}
    rows: Rows = {}
    lines: list[str] = []
    with open(f"{__path__[0]}/{file}.txt", encoding="utf-8") as opened:  # noqa: PTH123
        text_lines = opened.read().splitlines()
    for line in text_lines:
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), {})
        elif line.startswith(" "):
            lines.append(line[4:])
        elif line and not line.startswith("#"):
            name, _, text = line.partition(":")
            if name in rows:
                raise ValueError(f"{file}.txt has {name!r} twice")
            rows[name] = lines = [text[1:]] if text else []
    return sections


def read_table(file: str) -> str:
    """Return the text of a table, whose lines its reader parses, without its comments."""
    with open(f"{__path__[0]}/{file}.table", encoding="utf-8") as opened:  # noqa: PTH123
        return "".join(line for line in opened if not line.startswith("#")).strip()


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


def read_lines(file: str, section: str) -> Rows:
    """Return the rows of a section: by name the lines of its text, which begins behind the name."""
    return _read_file(file)[section]


def read_rows(file: str, section: str) -> dict[str, str]:
    """Return the rows of a section: by name its text on one line."""
    return {name: " ".join(lines) for name, lines in read_lines(file, section).items()}


def read_words(file: str, section: str) -> dict[str, frozenset[str]]:
    """Return the rows of a section: by name the words of its text."""
    return {name: vocabulary(text) for name, text in read_rows(file, section).items()}


def read_lists(file: str, section: str) -> dict[str, tuple[str, ...]]:
    """Return the rows of a section: by name the texts parted by commas."""
    rows = read_rows(file, section).items()
    return {name: tuple(map(str.strip, text.split(","))) for name, text in rows}


def read_pairs(file: str, section: str) -> dict[str, tuple[str, str]]:
    """Return the rows of a section: by name the two texts that `|` parts."""
    parted = ((name, text.partition("|")) for name, text in read_rows(file, section).items())
    return {name: (first.strip(), second.strip()) for name, (first, _, second) in parted}


def read_synonyms(file: str, section: str) -> dict[str, str]:
    """Return the rows of a section, turned: by each of the texts parted by commas the name of its
    row."""
    rows = read_lists(file, section).items()
    return {text: name for name, listed in rows for text in listed}


@lru_cache(maxsize=32)
def read_fragments(file: str) -> dict[str, str]:
    """Return the patterns of the section `fragments`; each may hold earlier ones by `{NAME}`."""
    known: dict[str, str] = {}
    for name, lines in _read_file(file).get("fragments", {}).items():
        known[name] = expand("".join(lines), known)
    return known


def expand(pattern: str, fragments: dict[str, str]) -> str:
    """Return a pattern with fragments in place of their names, `{NAME}`, and a bound to each
    repetition: a row is written with `*` and `+`, and a hostile text repeats without end."""
    return re.sub(_PIECE, _bound, _FRAGMENT.sub(lambda found: fragments[found[1]], pattern))


def _bound(found: re.Match[str]) -> str:
    what, sign, how = found.groups()
    if not sign or how == "+":  # possessive: it is never tried again
        return found[0]
    least = {"*": "0", "+": "1"}.get(sign, sign.strip("{,}"))
    return f"{what}{{{least},{_MOST.get(what, _MOST_OTHERS)}}}{how}"


def read_regexes(file: str, section: str) -> dict[str, re.Pattern[str]]:
    """Return the rows of a section as regular expressions, with the fragments of the file in
    them."""
    fragments = read_fragments(file)
    return {
        name: re.compile(expand("".join(lines), fragments))
        for name, lines in read_lines(file, section).items()
    }
