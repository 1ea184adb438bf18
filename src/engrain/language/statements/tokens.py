"""A statement as tokens: the subject as one sign, contractions written out, names marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import read_words, vocabulary
from engrain.language.statements.phrases import is_phrase
from engrain.language.text.prose import split_statements
from engrain.language.text.words import STOP, SUBJECT, WORD, Token, without_suffix

_MOST = 2_000

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - "})
_WRITTEN_OUT = tuple(
    (re.compile(pattern, re.I), meant)
    for pattern, meant in (
        (r"->|=>|⇒|➜|➡️?", " → "),
        (r"\bwon't\b", "will not"), (r"\b(can)(?:'t|not)\b", r"\1 not"),
        (r"\bain't\b", "is not"), (r"\b(\w+)n't\b", r"\1 not"),
        (r"\bI'm\b", "I am"), (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ve\b", r"\1 have"),
        (r"\b(\w+)'ll\b", r"\1 will"), (r"\b(he|she|it|they|we|you|I)'d\b", r"\1 would"),
        (r"\b(it|that|there|who|what|here|he|she)'s\b", r"\1 is"),
        (r"\bany (?:more|longer)\b", "anymore"), (r"\bw/o\b", "without"), (r"\bw/ ?", "with "),
        (r"\b(mr|mrs|ms|dr|st|vs|approx|dept|no|inc|ltd|corp|co|est)\.(?= )", r"\1"),
        (r"\bas per\b", "per"),
        (r"(?<=\s)@(?=\s)", "at"), (r"\bt\.b\.d\.?", "tbd"), (r"\b1-1\b", "1:1"),
    )
)  # fmt: skip
_WORDS = read_words("statements", "tokens")
_IS_NEXT = _WORDS["is_next"]
_PRONOUNS = {
    **dict.fromkeys(vocabulary("he she they it him them i me we us"), (SUBJECT,)),
    **dict.fromkeys(vocabulary("his her hers their theirs its my our"), (SUBJECT, "'s")),
}


@dataclass(slots=True, eq=False)
class Sentence:
    """The tokens of a sentence, and whether it asks."""

    tokens: Sequence[Token]
    asks: bool


def read_sentences(content: str, names: Iterable[str]) -> list[Sentence]:
    """The sentences of a statement, its subject and the pronouns as `§`."""
    text = " ".join(content[:_MOST].translate(_MARKS).split())
    for name in _name_forms(tuple(names)):
        pattern = rf"(?<![\w§]){re.escape(name)}(?!\w|\.\w|@)"
        text = re.sub(pattern, SUBJECT, text, flags=_flags(name))
    for written, meant in _WRITTEN_OUT:
        text = written.sub(meant, text)
    text = re.sub(rf"{SUBJECT}'(?!s\b)", f"{SUBJECT}'s", text)
    return [
        Sentence(tokens, sentence.rstrip('" )').endswith("?"))
        for sentence in split_statements(text)
        if (tokens := _tokens(sentence))
    ]


def _tokens(sentence: str) -> list[Token]:
    found = WORD.findall(sentence)
    tokens: list[Token] = []
    for at, text in enumerate(found):
        low = text.lower()
        if low == "'s":
            follows = found[at + 1].lower() if at + 1 < len(found) else ""
            verbal = follows.endswith(("ing", "ed")) and follows not in ("wedding", "building")
            tokens.append(Token("is" if follows in _IS_NEXT or verbal else "'s"))
        elif low in _PRONOUNS and text not in ("IT", "US"):
            tokens.extend(map(Token, _PRONOUNS[low]))
        elif text != SUBJECT or not tokens or tokens[-1].text != SUBJECT:
            tokens.append(Token(text, _is_name(text, at == 0 or found[at - 1] == ":")))
    return tokens


def _is_name(text: str, first: bool) -> bool:
    """Whether a word is written like a name; a sentence's first word must not be a known phrase."""
    if not any(char.isupper() for char in text) or "@" in text or text[0] == "-":
        return False
    low = text.lower()
    if low in _NEVER or low in STOP:
        return False
    if first and (low in _STARTERS or low.endswith(("ing", "ed", "ly"))):
        return False
    return not (first and is_phrase(low)) or text[1:] != low[1:]


def _flags(name: str) -> re.RegexFlag:
    return re.IGNORECASE if " " in name or len(name) > 3 else re.NOFLAG


@lru_cache(maxsize=256)
def _name_forms(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names and the parts by which people call those who have several, the longest first."""
    forms = {" ".join(name.split()) for name in names if name.strip()}
    for name in list(forms):
        parts = name.split()
        if len(parts) > 1:
            trimmed = without_suffix(parts)
            forms.add(" ".join(trimmed) or name)
            if len(parts) <= 3 and all(part[:1].isupper() for part in parts):
                forms.update(part for part in trimmed if len(part) > 2 and part.isalpha())
    return tuple(sorted(filter(None, forms), key=lambda form: (-len(form), form)))


_NEVER = _WORDS["never"]


_STARTERS = _WORDS["starters"]
