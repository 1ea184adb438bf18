"""Faults of facts that a language model gives, whatever the text says (S4.4)."""

from __future__ import annotations

import re
from unicodedata import normalize

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.secrets.finding import redact
from engrain.learn.extraction.timing import settle_times

_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """The words of a text, folded, with one blank between them."""
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def name_words(name: str, words: str) -> bool:
    """Whether a name stands in `words`, as whole words where its script has blanks between them."""
    wanted = words_of(name)
    if not wanted:
        return False
    return f" {wanted} " in f" {words} " if wanted.isascii() else wanted in words


INSTRUCTION = "an instruction"
MARKUP = "markup"
SECRET = "a secret"
UNCLEAR = "not understood alone"
UNSURE = "unsure"

LEAST_CONFIDENCE = 0.5
_WINDOW = 300
"""Characters around a quote in which nothing may speak to a model."""

_MARKUP = re.compile(r"```|<[^<>]*>|\[\[|\]\(|https?://|^[#>|*-]|\[redacted:", re.IGNORECASE)
_NO_NAMES = read_words("extraction", "words")["no_names"]
_PERSONAL = re.compile(r"\b(?:I|I'm|I've|[Mm]y|[Mm]e|[Ww]e|[Oo]ur|[Yy]ou|[Yy]our|[Uu]s)\b")
_PATTERNS = read_regexes("extraction", "model")
_FLOATING = _PATTERNS["floating"]
_INSTRUCTION = _PATTERNS["instruction"]


def is_name(text: str) -> bool:
    """Whether it can name somebody or something: a pronoun can't."""
    return bool(words := words_of(text)) and words not in _NO_NAMES


def is_markup(text: str) -> bool:
    """Whether a reader would take part of it for markup or a link."""
    return bool(_MARKUP.search(text))


def settle_statement(statement: str, at: float | None) -> tuple[str, float | None]:
    """The statement with dates, seen from `at`, in place of words like yesterday; and the first of
    them, in epoch seconds, None where there is none."""
    if not _FLOATING.search(statement):
        return statement, None
    timed = settle_times(statement, at)
    return timed.text, timed.begun


def find_fault(subject: str, statement: str, quote: str, confidence: float) -> str:
    """The fault of a fact by itself, "" for none."""
    said = f"{subject} {statement}"
    if confidence < LEAST_CONFIDENCE:
        return UNSURE
    if "[redacted:" in said or redact(said)[1]:
        return SECRET
    if not said.isprintable() or any(map(is_markup, (subject, statement))):
        return MARKUP
    if _INSTRUCTION.search(statement) or _INSTRUCTION.search(quote):
        return INSTRUCTION
    if not is_name(subject) or len(words_of(statement)) <= len(words_of(subject)) + 1:
        return UNCLEAR
    if _PERSONAL.search(statement) or _FLOATING.search(statement):
        return UNCLEAR
    return ""


def speaks_to_a_model(quote: str, text: str) -> bool:
    """Whether the text around a quote instructs a model: what a text wants to be noted is not
    noted."""
    at = text.find(quote.strip())
    around = text if at < 0 else text[max(0, at - _WINDOW) : at + len(quote) + _WINDOW]
    return bool(_INSTRUCTION.search(around))
