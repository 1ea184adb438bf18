"""What a clause says is over: sold, given up, replaced, no longer so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements.phrases import END, MARK, Hit
from engrain.language.text.words import SUBJECT, Token, content_of, contents_of, token_at

_WORDS = read_words("statements", "endings")
BOUNDARY = _WORDS["boundary"]
CUTS = _WORDS["cuts"]
GENERIC = contents_of(_WORDS["generic"])
_MOST = 6
_PREPOSITIONS = _WORDS["prepositions"]
_PATTERNS = read_regexes("statements", "endings patterns")
_TRAVEL = _PATTERNS["travel"]


def named_words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words by which something is named, without generic ones beside others."""
    words = tuple(word for token in tokens for word in content_of(token.low).split())
    return tuple(word for word in words if word not in GENERIC) or words


def find_gone(tokens: list[Token], hits: Sequence[Hit]) -> list[tuple[int, int]]:
    """Return the spans of the words for what is over."""
    ends = [hit for hit in hits if hit.kind == END]
    before = [hit for hit in ends if hit.meaning == "end_before"]
    text = " ".join(token.low for token in tokens)
    spans = []
    for hit in ends:
        covered = hit.meaning == "end_after" and any(
            other.start <= hit.start < other.end and len(other.places()) >= len(hit.places())
            for other in before
        )
        if not covered and not _leaves_only(tokens, hit, text):
            spans.append(_span(tokens, hit))
    changed = any(hit.kind == MARK and hit.meaning == "now" for hit in hits)
    if changed and not _TRAVEL.search(text):
        spans += _from_to(tokens)
    return spans + _arrows(tokens)


def _from_to(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    for at, token in enumerate(tokens):
        within = range(at + 2, min(at + 7, len(tokens))) if token.low == "from" else ()
        if stop := next((to for to in within if tokens[to].low in ("to", "→", "into")), 0):
            yield at + 1, stop


def _arrows(tokens: list[Token]) -> list[tuple[int, int]]:
    spans = []
    for at in range(1, len(tokens)):
        if tokens[at].text == "→":
            start = at
            while start and tokens[start - 1].low not in (":", "from"):
                start -= 1
            spans.append((start, at))
    return spans


def _leaves_only(tokens: list[Token], hit: Hit, text: str) -> bool:
    """Return whether "leave" only means to go away for a while, or "left" what remains."""
    low = tokens[hit.start].low
    if low in ("left", "leaves", "leave", "went") and _TRAVEL.search(text):
        return True
    counted = any(char.isdigit() for token in tokens[: hit.start] for char in token.fold)
    return low == "left" and counted


def _span(tokens: list[Token], hit: Hit) -> tuple[int, int]:
    """The places of what a phrase of the table says is over."""
    prior = token_at(tokens, hit.start - 1).fold
    verbal = tokens[hit.end - 1].low == "longer" or tokens[hit.start].fold == "stop"
    if verbal and prior == "be" and token_at(tokens, hit.end).low.endswith("ed"):
        return max(0, hit.start - _MOST), hit.end + 1
    if hit.meaning == "end_within":
        return hit.start + 1, hit.end
    if hit.meaning == "end_after":
        stop = _stop(tokens, hit, verbal)
        if not _is_passive(tokens, hit, prior) and not _is_headless(tokens, hit, stop):
            return hit.end, stop
    start = hit.start
    while start and hit.start - start < _MOST and tokens[start - 1].low not in (":", "→", ";"):
        start -= 1
    return start, hit.start


def _is_passive(tokens: list[Token], hit: Hit, prior: str) -> bool:
    participle = tokens[hit.start].low.endswith(("ed", "en", "wn", "ut", "ld"))
    led = tokens[hit.end - 1].low in _PREPOSITIONS
    return prior in ("be", "get") and participle and not led


def _is_headless(tokens: list[Token], hit: Hit, stop: int) -> bool:
    """Return whether nothing is named behind a phrase, and no subject before it: "X is gone"."""
    nothing = not any(content_of(token.low) for token in tokens[hit.end : stop])
    return nothing and hit.start > 0 and not _is_subject(tokens[: hit.start])


def _stop(tokens: list[Token], hit: Hit, verbal: bool) -> int:
    """The end of the words behind a phrase that name what is over."""
    cuts = CUTS | {"after", ","} if verbal else BOUNDARY
    most = min(len(tokens), hit.end + _MOST)
    stop = hit.end
    if stop < most and tokens[stop].low in _WORDS["leading"]:
        stop += 1
    while stop < most and tokens[stop].low not in cuts:
        stop += 1
    named = {word for token in tokens[hit.end : stop] if (word := content_of(token.low))}
    if named and named <= GENERIC and token_at(tokens, stop).low in _PREPOSITIONS:
        stop += 1  # "support for X", "the idea of X"
        while stop < most and tokens[stop].low not in BOUNDARY:
            stop += 1
    return stop


def _is_subject(tokens: Sequence[Token]) -> bool:
    """Return whether the subject of the statement is that of the verb which follows."""
    return any(
        token.text == SUBJECT
        and (not at or tokens[at - 1].low not in _PREPOSITIONS)
        and token_at(tokens, at + 1).low != "'s"
        for at, token in enumerate(tokens)
    )
