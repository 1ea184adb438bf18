"""Sentences of notes as a whole, so that one is found that denies what another says (S2.9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from zlib import crc32

from engrain.language.statements.notes.moods import read_clauses, take_denials
from engrain.language.statements.notes.subjects import FILLERS, words_of
from engrain.language.text.sentences import Sentence

_ONLY = re.compile(r",\s+only\s")
_RULE = re.compile(r"(?:always|never|do not|don['’]t)\b", re.I)
_OF_ITS_OWN = re.compile(r"\b(?:this|these|that|those|such|following|above|below|here)\b", re.I)
"""By which a sentence speaks of what only its own note says."""
_LEAST, _LEAST_RULE = 3, 2
"""Words that name what it is about, and what it says; of a rule, what to do."""


@dataclass(slots=True, eq=False)
class Saying:
    """What a sentence says as a whole: a `key` of its words that is the same for all ways in which
    it is put, and whether it denies it."""

    key: int
    denied: bool
    text: str


def read_sayings(sentences: Iterable[Sentence], project: str) -> Iterator[Saying]:
    """The sentences of a note about somebody or something that they name, and the rules that they
    give for a project."""
    for sentence in sentences:
        clauses = () if _OF_ITS_OWN.search(sentence.text) else read_clauses(sentence.text)
        if clauses and (key := _key(sentence, *take_denials(_ONLY.split(clauses[0])[0]), project)):
            yield Saying(crc32(key[0].encode()), key[1], sentence.text)


def _key(sentence: Sentence, denials: int, plain: str, project: str) -> tuple[str, bool] | None:
    """The words that a sentence is compared by, and whether it denies them; None if they do not
    name enough."""
    rule = _RULE.match(sentence.text) is not None
    words = sorted(words_of(plain) - FILLERS)
    named = len(words) >= _LEAST and bool(sentence.names or sentence.first in words)
    if denials > 1 or not (named or (rule and len(words) >= _LEAST_RULE)):
        return None
    key = " ".join(words)
    return key if named else f"{project}: {key}", bool(denials)
