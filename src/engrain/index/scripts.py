"""Prepare scripts and signs that FTS5's `unicode61` does not split into words.

It splits words where a character is no letter, so a sentence in a script without spaces is one word
to it, and no part of it is found. Runs of such scripts therefore become overlapping pairs of
characters: 全文検索 is indexed as 全文 文検 検索 索. Every character begins one of the terms, so
a single one is found as a prefix, and two or more by their pairs.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

# Scripts written without spaces between words: Han, Hiragana, Katakana, Bopomofo, Hangul (whose
# words carry particles), Thai, Lao, Burmese, Khmer. Digits and punctuation are left out.
_HIRAGANA = "\u3041-\u309a\u309d-\u309f"
_SPACELESS = (
    _HIRAGANA + "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f\u31a0-\u31bf"
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9fe\uaa60-\uaa7f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd"
)
_RUN = re.compile(f"[{_SPACELESS}]+")
_HIRAGANA_RUN = re.compile(f"[{_HIRAGANA}]+")

# What follows an emoji only changes its look: variation selectors, joiner, skin tone.
_EMOJI = re.compile(
    "([\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
    "[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
_EMOJI_PLANE = 0xF0000
"""The plane that emoji are moved to: FTS5 skips symbols, but takes private use for letters."""

_WIDTH_FORMS = re.compile("[\uff01-\uffee]+")
# Vowel signs and the lengthening bar of Arabic and Hebrew, which are mostly left unwritten.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]+"
)
_WORD_CATEGORIES = frozenset(("Mn", "Mc", "Me", "Co"))


def spaced_text(text: str) -> str:
    """Return `text` with each run as pairs and its last character, and each emoji as a term.

    It is in NFC, with full- and halfwidth forms made plain and without vowel points.
    """
    return _RUN.sub(lambda run: f" {' '.join([*_pairs(run[0]), run[0][-1]])} ", _plain(text))


def spaced_query(text: str) -> str:
    """Space a query as `spaced_text` does; a run is found by its pairs or its one character."""
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]) or [run[0]])} ", _plain(text))


def belongs_to_word(char: str) -> bool:
    """Whether a character that is neither letter nor digit is part of a word all the same."""
    return category(char) in _WORD_CATEGORIES


def is_pair(term: str) -> bool:
    """Whether a term is of a script without spaces: a pair, or one character."""
    return _RUN.fullmatch(term) is not None


def is_grammar(term: str) -> bool:
    """Whether a term is likely an ending or a particle: Hiragana."""
    return _HIRAGANA_RUN.fullmatch(term) is not None


def _plain(text: str) -> str:
    text = _WIDTH_FORMS.sub(lambda found: normalize("NFKC", found[0]), normalize("NFC", text))
    return _EMOJI.sub(
        lambda found: f" {chr(_EMOJI_PLANE + (ord(found[1]) & 0xFFFF))} ", _POINTS.sub("", text)
    )


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]
