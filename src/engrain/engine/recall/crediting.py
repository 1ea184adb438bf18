"""Counts words of a query as said by passages that answer them otherwise: the code of an error
stands for its line, a title for the words around it, and the time and kind of an entry for the
words that ask for them (DESIGN 18).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engrain.engine.recall.rejection import Evidence
from engrain.language.lexicons import read_words
from engrain.language.telling import find_codes

if TYPE_CHECKING:
    from engrain.engine.recall.meaning import Query
    from engrain.engine.recall.rejection import Candidates
    from engrain.index.rows import Place


MOST_CODED = 6
"""The most passages with a code that stands for its line; a code of more is a common word there."""

_WORD = re.compile(r"[^\W_]+")
_ASKED_BY = {word: kind for kind, words in read_words("search", "kinds").items() for word in words}
"""The kind of entry that a word asks for."""
_ANY = read_words("search", "times")["any"]
"""Words that ask for whatever is of a time."""
_ASKS = re.compile(
    r"\b(?:what|which|anything|everything|list|recap|remind|show|summari[sz]e)\b", re.IGNORECASE
)


def credit_codes(evidence: Evidence, query: Query, words: Sequence[tuple[str, int]]) -> None:
    """Count the words of a line with the code of an error as said by the passages that have the
    code, if these are few. `words` are the query's words, with the passages that have each."""
    if not (codes := find_codes(query.head)):
        return
    said = [word.casefold() for word, _ in words]
    for code, line in codes:
        wanted = _WORD.findall(code)
        parts = _find(said, wanted)
        if not parts or len(parts) < len(wanted):
            continue
        bits = _make_bits(parts)
        has = [passage for passage in evidence.places if evidence.words(passage) & bits == bits]
        if len(has) <= MOST_CODED:
            whole = _make_bits(_find(said, _WORD.findall(line)))
            for passage in has:
                evidence.credit(passage, whole)


def credit_titles(evidence: Evidence, places: Iterable[Place]) -> None:
    """Put passages whose whole title is in the query before all others, each by the weight of the
    words of its title."""
    named = {place[0]: evidence.labelled.get(place[0], 0.0) for place in places}
    best = max(evidence.own.values(), default=0.0)
    evidence.score({passage: best + weight for passage, weight in named.items() if weight})


def credit_time(candidates: Candidates, query: Query, period: Mapping[int, float]) -> None:
    """Count the words that name a time as said by the passages from it, or else by those from
    shortly after it (both in `period`, with a score of 1 or less), and so the word
    that asks for the kind of the entry, such as "decide"; but only by passages that then lack no
    word of the query, since a time by itself says little. A question with no other word is asked
    of the memory, even in a prompt, and answered by nothing else: not by "the last of a month"."""
    if not query.periods:
        return
    said = [word.casefold() for word, _ in candidates.words]
    named = [word for one in query.periods for word in one.words]
    times = _make_bits(_find(said, [*named, *_ANY]))
    evidence = candidates.evidence
    asked: dict[int, int] = {}
    inside = [passage for passage, share in period.items() if share == 1]
    for passage in inside or period:
        row = candidates.rows.get(candidates.places[passage][1])
        kind = row.kind if row else ""
        bits = times | _make_bits(i for i, word in enumerate(said) if _ASKED_BY.get(word) == kind)
        if (evidence.words(passage) | bits).bit_count() == len(said):
            asked[passage] = bits
    for passage, bits in asked.items():
        evidence.credit(passage, bits, candidates.places[passage])
    answering = {passage for passage, bits in asked.items() if bits.bit_count() == len(said)}
    if answering and _ASKS.search(query.head):
        candidates.asked = True
        evidence.drop(evidence.places.keys() - answering)


def _find(said: Sequence[str], words: Iterable[str]) -> list[int]:
    wanted = {word.casefold() for word in words}
    return [i for i, word in enumerate(said) if word in wanted]


def _make_bits(numbers: Iterable[int]) -> int:
    return sum(1 << i for i in numbers)
