"""Prepare text for the full-text index, and turn a person's words into a query to it."""

from __future__ import annotations

import re

from engrain.index.scripts import belongs_to_word, is_grammar, is_pair, spaced_query, spaced_text

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

_SEPARATOR = re.compile(r"[\W_]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The places where a word in camel case is split."""

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

# Forms that the Porter stemmer does not reduce to one stem.
_FORMS = """
become became|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought
build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|deal dealt|dig dug
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone
grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid
lead led|learn learnt|leave left|lend lent|lie lain|light lit|lose lost|make made|mean meant
meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown
shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|speak spoke spoken
spend spent|spin spun|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn
sweep swept|swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|understand understood|wake woke woken|wear wore worn|win won|write wrote written
child children|person people|man men|woman women|foot feet|mouse mice|tooth teeth|wife wives
life lives|index indices|criterion criteria|datum data
"""
IRREGULAR = {
    form: tuple(forms.split())
    for forms in _FORMS.replace("\n", "|").split("|")
    for form in forms.split()
}


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
    """One word of a query: as written, its forms, and the FTS5 expression that matches them."""

    __slots__ = ("expression", "forms", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.forms = [*dict.fromkeys((text, *_irregular_forms(text), *_humps(text)))]
        self.expression = " OR ".join(map(_quoted, self.forms))


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
    terms = {term.casefold(): term for term in _SEPARATOR.sub(_part, head).split()}
    telling = {key: term for key, term in terms.items() if key not in STOP_WORDS} or terms
    if len(telling) > QUERY_TERMS:
        kept = set(sorted(telling, key=_rarity, reverse=True)[:QUERY_TERMS])
        telling = {key: term for key, term in telling.items() if key in kept}
    return [QueryTerm(term) for term in telling.values()]


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
