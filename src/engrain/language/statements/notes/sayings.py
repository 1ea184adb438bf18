"""The clauses of a note's sentences that state facts, and whole sentences of which one denies what
another says (S2.9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engrain.language.lexicons import read_regexes
from engrain.language.statements.notes.claim import NoteClaim
from engrain.language.statements.notes.subjects import FILLERS, words_of
from engrain.language.statements.statement import ENDED, HOLDS, Statement
from engrain.language.text.sentences import Sentence

_PATTERNS = read_regexes("notes", "moods patterns")
_LOOSE = _PATTERNS["loose"]
_CLAUSES = re.compile(r";\s+|,?\s+but\s+|,\s+(?:never|not|no longer|and not)\s[^,;]*")
_DENYING = _PATTERNS["denying"]
_FORBIDDING = re.compile(r"\b(?:forbidden|prohibited|banned|disallowed|not allowed)\b", re.I)
_TWICE = re.compile(r"\b(?:nothing|nobody|no one|no|never|not)\b([^,;]*)\bwithout\b", re.I)


@lru_cache(maxsize=256)
def read_clauses(text: str) -> tuple[str, ...]:
    """The clauses of a sentence, without what is set against what it says; none where it asks,
    plans, tells of what was, changed or held as of a date, or of a part. What is denied twice is
    said."""
    if _LOOSE.search(text):
        return ()
    return tuple(_CLAUSES.split(_TWICE.sub(r"\1 only with", text)))


def take_denials(text: str) -> tuple[int, str]:
    """How often a clause denies, and what it says without that, each word in its place."""
    denials = len(_DENYING.findall(text)) + len(_FORBIDDING.findall(text))
    return denials, _FORBIDDING.sub(_blank, _DENYING.sub(_blank, text)) if denials else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


_ONLY = re.compile(r",\s+only\s")
_RULE = re.compile(r"(?:always|never|do not|don['’]t)\b", re.I)
_OF_ITS_OWN = re.compile(r"\b(?:this|these|that|those|such|following|above|below|here)\b", re.I)
"""By which a sentence speaks of what only its own note says."""
_LEAST, _LEAST_RULE = 3, 2
"""Words that name what it is about, and what it says; of a rule, what to do."""


def read_sayings(sentences: Iterable[Sentence], project: str) -> Iterator[Statement]:
    """The sentences of a note about somebody or something that they name, and the rules that they
    give for a project, each as a whole: the aspect of its claim are its words, the same for all
    ways of phrasing it."""
    for sentence in sentences:
        clauses = () if _OF_ITS_OWN.search(sentence.text) else read_clauses(sentence.text)
        if clauses and (key := _key(sentence, *take_denials(_ONLY.split(clauses[0])[0]), project)):
            words, denied = key
            mode = ENDED if denied else HOLDS
            claim = NoteClaim(words, mode, about=frozenset(), values=_SO)
            yield Statement(sentence.text, [claim])


_SO = frozenset(("so",))
"""The one value that a whole sentence gives or denies."""


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
