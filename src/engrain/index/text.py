"""Prepare text for the full-text index, and turn a person's words into a query to it.

FTS5's `unicode61` splits words where a character is no letter, so a sentence in a script without
spaces is one word to it, and no part of the sentence is found. Runs of such scripts therefore
become overlapping pairs of characters: 全文検索 is indexed as 全文 文検 検索 索. Every character
begins one of the terms: one character is found as a prefix, two or more are found by their pairs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from engrain.index.english import find_surprises
from engrain.language.lexicons import read_lists, read_words

if TYPE_CHECKING:
    import apsw


QUERY_CHARS = 2048
"""The characters read of a query: a prompt may be megabytes long; its head says the subject."""
QUERY_TERMS = 16
"""The most terms of a query: each costs a walk over its entries."""
_PAIR_LENGTH = 6
"""The length that a pair of characters counts as among words: about one word."""
_GRAMMAR_LENGTH = 1
"""The length that an ending or a particle counts as."""
_DIGIT_LENGTH = 3
"""The length that digits add to a word: codes and numbers are rarer than words."""

_PARTICLES = frozenset(("in", "out", "up", "off", "down", "over"))
"""The second words of phrasal verbs, which are stop words."""
_SYNONYMS = os.path.join(os.path.dirname(__file__), "synonyms.txt")

_SEPARATOR = re.compile(r"[\W_]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The places where a word in camel case is split."""

_LANGUAGES = read_words("search", "stop")
STOP_WORDS = _LANGUAGES.pop("english")
_FUNCTIONS = tuple(words - STOP_WORDS for words in _LANGUAGES.values())
"""The most frequent words of languages that share the alphabet, without those that English has."""
_FEWEST_FUNCTIONS = 2
"""The function words of a language that a text in it has at least."""

IRREGULAR = {
    form: tuple(forms.split())
    for forms in read_lists("search", "forms")["irregular"]
    for form in forms.split()
}
"""The forms of a word that the Porter stemmer does not reduce to one stem, by each of them."""


def storable(text: str) -> str:
    """Return `text` with what UTF-8 can't encode (such as bytes of a file name) replaced."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def index_text(text: str) -> str:
    """Return `text` for the full-text table, see `scripts`, in time linear in its length."""
    if text.isascii():
        return text
    return spaced_text(storable(text))


class QueryTerm:
    """One word of a query: as written, its forms and synonyms, and the FTS5 expression that matches
    any of them."""

    __slots__ = ("expression", "forms", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        forms = (
            text,
            *_irregular_forms(text),
            *_humps(text),
            *_read_synonyms().get(text.lower(), ()),
        )
        self.forms = [*dict.fromkeys(forms)]
        self.expression = " OR ".join(map(_quoted, self.forms))


@lru_cache(maxsize=1)
def _read_synonyms() -> dict[str, tuple[str, ...]]:
    """Read for each word of `synonyms.txt` the words and phrases that mean the same."""
    groups: dict[str, tuple[str, ...]] = {}
    with open(_SYNONYMS, encoding="utf-8") as file:  # noqa: PTH123
        for line in file:
            if line[0] != "#":
                group = tuple(map(str.strip, line.split(";")))
                groups.update(dict.fromkeys(group, group))
    return groups


def _humps(word: str) -> tuple[str, ...]:
    """Return the parts of a word in camel case as a phrase: `Library Paths` for `LibraryPaths`,
    which matches `library_paths` too, since FTS5 splits words where a character is no letter."""
    parts = _HUMP.sub(" ", word)
    return (parts,) if parts != word else ()


def _irregular_forms(word: str) -> tuple[str, ...]:
    """Return the forms of an English word that have another stem: `wrote` for `writing`."""
    if not word.isascii():
        return ()
    word = word.casefold()
    stem = word.removesuffix("ing")
    # As written, without -s, without -ing, and with the -e or without the doubling it changed.
    for base in (word, word.removesuffix("s"), stem, stem + "e", stem[:-1]):
        if base in IRREGULAR:
            return IRREGULAR[base]
    return ()


def query_terms(text: str) -> list[QueryTerm]:
    """Return the words of `text` to search for, in order, each once.

    Each is quoted, so that no character is an operator. English stop words count only if there are
    no other words. Only the first `QUERY_CHARS` characters are read, and only the `QUERY_TERMS`
    terms that are probably the rarest are kept.
    """
    head = text[:QUERY_CHARS]
    if not head.isascii():
        head = spaced_query(storable(head))
    words = _join_phrasal_verbs(_SEPARATOR.sub(_part, head).split())
    terms = {term.casefold(): term for term in words}
    telling = {key: term for key, term in terms.items() if key not in STOP_WORDS} or terms
    if len(telling) > QUERY_TERMS:
        surprises = dict(zip(telling, find_surprises(telling.values()), strict=True))
        order = sorted(telling, key=lambda key: (surprises[key], _rarity(key)), reverse=True)
        kept = set(order[:QUERY_TERMS])
        telling = {key: term for key, term in telling.items() if key in kept}
    return [QueryTerm(term) for term in telling.values()]


def _join_phrasal_verbs(words: list[str]) -> list[str]:
    """Return the words with each phrasal verb of `synonyms.txt` as the one word that it means:
    `times out` becomes `timeout`, whose forms have both. Its second word alone says nothing."""
    nouns = _read_phrasal_verbs()
    joined: list[str] = []
    for word in words:
        after = nouns.get(word.casefold(), {})
        base = next((base for base in _bases(joined[-1]) if base in after), "") if joined else ""
        if base:
            joined[-1] = after[base]
        else:
            joined.append(word)
    return joined


def _bases(word: str) -> tuple[str, ...]:
    """Return the base forms that a verb may have: `log` for `logged`, `time` for `timing`."""
    word = word.casefold()
    cut = next((word.removesuffix(end) for end in ("ing", "ed", "s") if word.endswith(end)), word)
    return word, cut, cut + "e", cut[:-1]


@lru_cache(maxsize=1)
def _read_phrasal_verbs() -> dict[str, dict[str, str]]:
    """Read, by the second word of each phrasal verb of `synonyms.txt`, what each verb means."""
    found: dict[str, dict[str, str]] = {}
    for group in _read_synonyms().values():
        for verb, _, second in (member.partition(" ") for member in group):
            if second in _PARTICLES:
                found.setdefault(second, {})[verb] = next(one for one in group if " " not in one)
    return found


def find_function_words(text: str) -> frozenset[str]:
    """Return the function words of the language that a text seems to be in, casefolded; none for
    English and for languages that are not known here."""
    words = {word.casefold() for word in re.findall(r"\w+", text[:QUERY_CHARS])}
    found = max((one & words for one in _FUNCTIONS), key=len)
    known = len(found) >= _FEWEST_FUNCTIONS and len(found) > len(words & STOP_WORDS)
    return found if known else frozenset()


def match_expression(text: str) -> str | None:
    """Return an FTS5 query that matches any word of `text`, None if it has no word."""
    return " OR ".join(_quoted(term.text) for term in query_terms(text)) or None


def _part(found: re.Match[str]) -> str:
    """Return a blank for a separator, but keep a character that FTS5 takes for part of a word."""
    char = found[0]
    if char.isascii():
        return " "
    return char if belongs_to_word(char) else " "


def _rarity(term: str) -> int:
    if not term.isascii() and is_pair(term):
        return _GRAMMAR_LENGTH if is_grammar(term) else _PAIR_LENGTH
    return len(term) + _DIGIT_LENGTH * any(map(str.isdigit, term))


def is_beginning(term: str) -> bool:
    """Whether a term also matches words that begin with it: one character of a script without
    spaces."""
    if len(term) > 1 or term.isascii():
        return False
    return is_pair(term)


def _quoted(term: str) -> str:
    return f'"{term}"*' if is_beginning(term) else f'"{term}"'


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
_RUN = f"[{_SPACELESS}]+"
_HIRAGANA_RUN = re.compile(f"[{_HIRAGANA}]+")

# What follows an emoji only changes its look: variation selectors, joiner, skin tone.
_EMOJI = (
    "([\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
    "[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
_EMOJI_PLANE = 0xF0000
"""The plane that emoji are moved to: FTS5 skips symbols, but takes private use for letters."""

_WIDTH_FORMS = re.compile("[\uff01-\uffee]+")
# Vowel signs and the lengthening bar of Arabic and Hebrew, which are mostly left unwritten.
_POINTS = "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]+"
_WORD_CATEGORIES = frozenset(("Mn", "Mc", "Me", "Co"))


def spaced_text(text: str) -> str:
    """Return `text` with each run as pairs and its last character, and each emoji as a term.

    It is in NFC, with full- and halfwidth forms made plain and without vowel points.
    """
    return re.sub(_RUN, lambda run: f" {' '.join([*_pairs(run[0]), run[0][-1]])} ", _plain(text))


def spaced_query(text: str) -> str:
    """Space a query as `spaced_text` does; a run is found by its pairs or its one character."""
    return re.sub(_RUN, lambda run: f" {' '.join(_pairs(run[0]) or [run[0]])} ", _plain(text))


def belongs_to_word(char: str) -> bool:
    """Whether a character that is neither letter nor digit is part of a word all the same."""
    return category(char) in _WORD_CATEGORIES


def is_pair(term: str) -> bool:
    """Whether a term is of a script without spaces: a pair, or one character."""
    return re.fullmatch(_RUN, term) is not None


def is_grammar(term: str) -> bool:
    """Whether a term is likely an ending or a particle: Hiragana."""
    return _HIRAGANA_RUN.fullmatch(term) is not None


def _plain(text: str) -> str:
    text = _WIDTH_FORMS.sub(lambda found: normalize("NFKC", found[0]), normalize("NFC", text))
    return re.sub(
        _EMOJI,
        lambda found: f" {chr(_EMOJI_PLANE + (ord(found[1]) & 0xFFFF))} ",
        re.sub(_POINTS, "", text),
    )


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


_LEAST_LETTERS = 4
"""The letters that a beginning has at least; a misspelt word has one more."""
_STEM_ENDINGS = ("", "s", "es", "ed", "e", "ing")
"""Endings that the index, which keeps stems, may lack."""


def find_spelled(connection: apsw.Connection, word: str) -> str | None:
    """Return the most frequent word of the index that begins with `word`, else the most frequent
    one that differs from it by one letter: one missing, one too many, one other, or two swapped;
    None if there is none. The first two letters have to be right, so that few words are read."""
    word = word.casefold()
    if len(word) < _LEAST_LETTERS or not (word.isascii() and word.isalpha()):
        return None
    words = _read_words(connection, word[:2])
    begun = {term: count for term, count in words.items() if term.startswith(word)}
    if not begun and len(word) > _LEAST_LETTERS:
        stems = {word.removesuffix(ending) for ending in _STEM_ENDINGS if word.endswith(ending)}
        begun = {
            term: count
            for term, count in words.items()
            if len(term) >= _LEAST_LETTERS and any(is_near(stem, term) for stem in stems)
        }
    return max(begun, key=lambda term: (begun[term], term), default=None)


def is_near(first: str, second: str) -> bool:
    """Return whether two words differ by one letter, or by two neighbours that are swapped."""
    if abs(len(first) - len(second)) > 1 or first == second:
        return False
    same = next(_differences(first, second), min(len(first), len(second)))
    left, right = first[same:], second[same:]
    if len(first) != len(second):
        longer, shorter = sorted((left, right), key=len, reverse=True)
        return longer[1:] == shorter
    return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])


def _differences(first: str, second: str) -> Iterator[int]:
    return (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other)


def _read_words(connection: apsw.Connection, beginning: str) -> dict[str, int]:
    """Return the words of the index that begin so, with the number of passages of each."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, texts, row)"
    )
    behind = beginning[:-1] + chr(ord(beginning[-1]) + 1)
    found = connection.execute(
        "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?", (beginning, behind)
    )
    return {str(term): int(str(count)) for term, count in found}
