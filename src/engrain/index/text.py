"""Text as the full-text index takes it, and a person's words as a query to it.

FTS5's `unicode61` parts words at what is no letter, so that a sentence in a script without spaces
is one word to it, and nobody finds a part of it. Runs of such scripts become overlapping pairs of
characters here: 全文検索 is indexed as 全文 文検 検索 索. Every character begins one of the
terms, so a single one is found by prefix and two or more by their pairs.
"""

from __future__ import annotations

import re

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
_HIRAGANA_ONLY = re.compile(f"[{_HIRAGANA}]+")

# What follows an emoji and changes its look: variation selectors, joiner, skin tone.
_EMOJI = re.compile(
    "([\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
    "[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
_EMOJI_PLANE = 0xF0000
"""Emoji are symbols, which FTS5 skips; private-use characters it takes for letters."""

_WIDTH_FORMS = re.compile("[\uff01-\uffee]+")
# Vowel signs and the lengthening bar of Arabic and Hebrew, which are mostly left unwritten.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]+"
)

_SEPARATOR = re.compile(r"[\W_]")
_WORD_CATEGORIES = frozenset(("Mn", "Mc", "Me", "Co"))

QUERY_CHARS = 4096
"""So much of a query is read: a prompt may be megabytes long; its head says what it is about."""
QUERY_TERMS = 24
"""So many terms a query has at most: each costs a walk over its entries."""
_PAIR_LENGTH = 6
"""What a pair of characters counts for among words by length: about one word."""
_GRAMMAR_LENGTH = 1
"""What a pair of Hiragana counts for: mostly endings and particles."""
_DIGIT_LENGTH = 3
"""What a digit adds: codes and numbers are rarer than words."""

_ENGLISH = """
a about above after again against all am an and any are aren as at be because been before being
below between both but by can cannot could couldn d did didn do does doesn doing don down during
each few for from further had hadn has hasn have haven having he her here hers herself him himself
his how i if in into is isn it its itself just let ll m me more most mustn my myself no nor not now
of off on once only or other ought our ours ourselves out over own please re s same shan she should
shouldn so some such t than that the their theirs them themselves then there these they this those
through to too under until up us ve very was wasn we were weren what when where which while who
whom why will with won would wouldn you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_ENGLISH.split())


def storable(text: str) -> str:
    """`text` with what is no Unicode (bytes of a file name, say) replaced, as UTF-8 needs it."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def index_text(text: str) -> str:
    """`text` for the full-text table; takes time linear in its length.

    NFC. Runs of scripts without spaces become pairs, emoji terms of their own; full- and
    halfwidth forms become plain ones, vowel points of Arabic and Hebrew go. The rest is unchanged.
    """
    return text if text.isascii() else _RUN.sub(_indexed_run, _prepared(storable(text)))


def match_expression(text: str) -> str | None:
    """The words of `text` as an FTS5 query that any of them meets; None when it has no word.

    Each term is quoted, so that no character is an operator. English stop words count only when
    there is nothing else. The first `QUERY_CHARS` characters are read, and of more than
    `QUERY_TERMS` terms the likeliest rare ones are kept.
    """
    terms = _terms(text[:QUERY_CHARS])
    telling = {key: term for key, term in terms.items() if key not in STOP_WORDS} or terms
    if len(telling) > QUERY_TERMS:
        kept = set(sorted(telling, key=_rarity, reverse=True)[:QUERY_TERMS])
        telling = {key: term for key, term in telling.items() if key in kept}
    return " OR ".join(map(_quoted, telling.values())) or None


def _terms(text: str) -> dict[str, str]:
    """The terms of a query in order, by what makes two of them one."""
    if not text.isascii():
        text = _RUN.sub(_asked_run, _prepared(storable(text)))
    return {term.casefold(): term for term in _SEPARATOR.sub(_part, text).split()}


def _part(found: re.Match[str]) -> str:
    """What stands between words, unless FTS5 takes it for a part of one."""
    char = found[0]
    if char.isascii():
        return " "
    from unicodedata import category

    return char if category(char) in _WORD_CATEGORIES else " "


def _rarity(term: str) -> int:
    if _RUN.match(term):
        return _GRAMMAR_LENGTH if _HIRAGANA_ONLY.fullmatch(term) else _PAIR_LENGTH
    return len(term) + _DIGIT_LENGTH * any(map(str.isdigit, term))


def _quoted(term: str) -> str:
    lone = len(term) == 1 and _RUN.match(term)
    return f'"{term}"*' if lone else f'"{term}"'


def _prepared(text: str) -> str:
    from unicodedata import normalize

    text = _WIDTH_FORMS.sub(lambda found: normalize("NFKC", found[0]), normalize("NFC", text))
    return _EMOJI.sub(_emoji_term, _POINTS.sub("", text))


def _emoji_term(found: re.Match[str]) -> str:
    return f" {chr(_EMOJI_PLANE + (ord(found[1]) & 0xFFFF))} "


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _indexed_run(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join([*_pairs(run), run[-1]])} "


def _asked_run(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join(_pairs(run) or [run])} "
