"""By which words one note says that it takes the place of another, or that another takes its own
(S1.15, S1.17): in a sentence about a link or a title, and by a version in its own title.

What is only planned, thought of or denied says nothing.
"""

from __future__ import annotations

import re
from itertools import islice

from engrain.model.claim_numbers import NUMBERS
from engrain.model.folding import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OLDER, NEWER = "older", "newer"
"""What the other note is to the one that speaks of it."""


class Replacement:
    """That of two notes one took the other's place: the other is named by `target`, is `role` to
    the one that says so, and `quote` is the sentence. `linked` is whether the target is a link."""

    __slots__ = ("linked", "quote", "role", "target")

    def __init__(self, role: str, target: str, linked: bool, quote: str) -> None:
        self.role = role
        self.target = target
        self.linked = linked
        self.quote = quote


_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]+)?\]\]")
_QUOTED = re.compile(r"[\"“‘`*_]{1,2}([^\"“”’`*\n]{4,120}?)[\"”’`*_]{1,2}")
_SENTENCE = re.compile(r"\n+|(?<=[.!?;])\s+")
_CUED = re.compile(
    r"replac|supersed|obsolet|deprecat|outdated|out of date|out-of-date|stale|retire|overrid|"
    r"instead|successor|previous|earlier|older|former|version of|update of|revision of|rewrite of|"
    r"takes? (?:the place|over)|v\d+ of|took over|in place of|no longer|stands? in for|invalid|"
    r"moved to|now in|current|follow|latest|see |used to",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|n't|(?-i:may)|might|could|would|should|will|shall|plans?|planned|planning|propos\w+|"
    r"if|unless|whether|maybe|perhaps|consider\w*|going to|intend\w*|someday|eventually|once we|"
    r"until|without|beside|besides|alongside|in addition|complement\w*|keeps?|still (?:valid|holds|"
    r"applies|current|in use|stands))\b|\w+n['’]t\b|\?",
    re.I,
)
_OF_THIS = (
    r"(?:(?:the|our|my|this|that|an?|all|what|whatever)\s+)?"
    r"(?:(?!(?:see|use|by|with|follow|read|in|is|are|was|to)\b)[\w-]+\s+){0,4}?"
    r"(?:(?:note|page|entry|procedure|runbook|guide|document|doc|version|memo|steps?|instructions?|"
    r"checklist|write-?up|process|policy|rule|rules|advice|plan|setup|text|one|in|from|under|at|of|"
    r"by|described|written|recorded)\s+(?:(?:in|from|under|at|of|called|named|titled|on)\s+)?)*"
)
_REPLACES = re.compile(
    r"(?:\b(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)|obsolet(?:es|ed|ing)|overrid(?:es|ing)|"
    r"overrode|deprecat(?:es|ed|ing)|retir(?:es|ed|ing)|in place of|instead of|"
    r"tak(?:es|ing) the place of|took the place of|tak(?:es|ing) over from|took over from|"
    r"stands? in for|successor (?:to|of)|replacement (?:for|of)|follow-?up version of|"
    r"(?:updat(?:es|ed|ing)|new(?:er)?|revised|reworked|rewritten|current|second|third|latest|corrected)"
    r" (?:version|revision|edition|form|copy|take|variant|rewrite) (?:of|on)|"
    r"(?:update|rewrite|revision|correction) (?:of|to)|v(?:ersion )?\d+ of|updates|"
    r"(?:older|earlier|previous|former|old|first|original) (?:version|revision|procedure|note|one|"
    r"text|edition|page|steps?|runbook|guide|form|draft|write-?up|instructions?|entry|advice|rule|"
    r"policy|process|plan)s?(?: (?:is|was|are))?(?: (?:in|at|under|of))?|"
    r"(?:ignore|disregard|forget|do not use|don't use|do not follow|don't follow|no longer use|"
    r"stop using))\s*[:,(]?\s*)" + _OF_THIS + r"[\"“‘`*_(]*$",
    re.I,
)
_REPLACED = re.compile(
    r"\b(?:replaced|superseded|obsoleted|overridden|overtaken|taken over|made obsolete|outdated|"
    r"succeeded|followed) (?:\w+ ){0,3}?(?:by|with|in favou?r of)\b[^.;]{0,60}$|"
    r"(?:^\W*(?:\w+ ){0,2}?|\b(?:this|it|these|here|note|page|procedure|runbook|guide|document|doc|"
    r"version|checklist|process|steps|entry|instructions) (?:[\w'’]+ ){0,3}?)"
    r"(?:obsolete|deprecated|outdated|out of date|out-of-date|superseded|stale|retired|archived|"
    r"no longer (?:valid|current|true|used|in use|applies|holds|correct|followed|maintained))\b"
    r"[^.]{0,60}?\b(?:see|use|follow|read|go to|now in|now at|by|in favou?r of|moved to|"
    r"refer to|lives in|live in|continues in|continued in|is in|are in|go by|->|→|:)[^.]{0,40}$|"
    r"^\W*(?:(?:for|the) (?:the )?)?(?:current|latest|newer|newest|up-to-date|live|present|valid)\b"
    r"[^.]{0,40}(?:see|is|are|in|:)[^.]{0,20}$|"
    r"\b(?:use|follow|see|read|go by|prefer)\s+(?:the )?[\"“‘`*_(]*$",
    re.I,
)
_INSTEAD = re.compile(r"\b(?:use|follow|see|read|go by|prefer)\s+(?:the )?[\"“‘`*_(]*$", re.I)
_GONE_AFTER = re.compile(
    r"^[\"”’`*_)]*,?\s*(?:(?:note|page|procedure|runbook|guide|version|document|memo)\s*,?\s*)?"
    r"(?:\([^)]{0,60}\)\s*)?(?:which |that )?"
    r"(?:(?:is|are|was|has been|have been|became|counts? as|should be considered|gets?)\s+"
    r"(?:now |thereby |hereby |therefore |thus |since |long |both |all )*"
    r"(?:obsolete|outdated|deprecated|out of date|out-of-date|stale|superseded|retired|replaced|"
    r"void|history|invalid|no longer (?:valid|current|true|used|in use|correct|followed|"
    r"maintained|right))|(?:no longer (?:applies|holds|counts|works|describes)))\b"
    r"(?!\s+(?:by|with)\b)",
    re.I,
)
_GONE_BY = re.compile(
    r"^[\"”’`*_)]*,?\s*(?:(?:is|are|was|has been|have been)\s+(?:now |since )*"
    r"(?:superseded|replaced|obsoleted|overridden)) by (?:this|the (?:above|below|present|steps "
    r"(?:here|below)|note (?:here|below))|what)",
    re.I,
)
_DOES_AFTER = re.compile(
    r"^[\"”’`*_)]*,?\s*(?:which |that |has |now |have |since )*"
    r"(?:replac(?:es|ed)|supersed(?:es|ed)|obsolet(?:es|ed)|overrid(?:es|den)|overrode|"
    r"took over|takes over|takes the place of|took the place of|is the (?:current|newer|latest|"
    r"updated|newest|valid)|has the (?:current|newer|latest|updated|newest)|instead)\b",
    re.I,
)
_THIS = re.compile(
    r"\b(?:this|these|it|here|the above|below|instead|current|newer|latest|updated|newest|valid)\b",
    re.I,
)


_MOST = 8
"""Links of a sentence that are looked at: one that has more is a list."""
_AROUND = 400
"""Characters on either side of a link in which it is told what it is."""


def read_replacements(text: str) -> Iterator[Replacement]:
    """What a note's text says of notes whose place it took, and of such as took its own."""
    if not _CUED.search(text):
        return
    for sentence in _SENTENCE.split(text):
        if not _CUED.search(sentence):
            continue
        for pattern, linked in ((_LINK, True), (_QUOTED, False)):
            for found in islice(pattern.finditer(sentence), _MOST):
                before = sentence[max(0, found.start() - _AROUND) : found.start()]
                after = sentence[found.end() : found.end() + _AROUND]
                role = _role(_LINK.sub(r"\1", before), after)
                if role:
                    yield Replacement(
                        role, found[1].strip(), linked, f"{before}{found[0]}{after}".strip()
                    )


def _role(before: str, after: str) -> str | None:
    """What the one is that stands between two parts of a sentence."""
    before, after = before[-240:], after[:160]
    told = _REPLACES.search(before)
    passive = re.search(r"\bby\s+(?:the\s+)?(?:\w+\s+){0,2}?\W*$", before)
    if told and not passive:
        return None if _NOT.search(before[: told.start()]) else OLDER
    if _GONE_AFTER.match(after) or _GONE_BY.match(after):
        return OLDER
    if (does := _DOES_AFTER.match(after)) and not _NOT.search(before[-60:]):
        return NEWER if _THIS.search(after[does.start() : does.end() + 60]) else None
    if found := _REPLACED.search(before):
        weak = _INSTEAD.fullmatch(found[0].lstrip()) is not None
        if weak and not re.match(r"^[^.;]{0,40}\binstead\b", after):
            return None
        return None if _NOT.search(before[: found.start()]) else NEWER
    return None


_VERSION = re.compile(
    r"[\s,:_(\[–—-]*\b(?:v|ver\.?|version|rev\.?|revision|edition|take|part two of|issue|iteration)"
    r"\s?\.?(?P<number>\d{1,3}(?:\.\d+)*|one|two|three|four|five|six)\b[)\]\s]*$",
    re.I,
)
_ORDINAL = re.compile(
    r"[\s,:_(\[–—-]*\b(?P<number>first|second|third|fourth|fifth|2nd|3rd|4th|5th) "
    r"(?:version|edition|revision|take|draft)\b[)\]\s]*$",
    re.I,
)
_WORD = re.compile(
    r"(?:\s*[(\[]\s*|\s*[,:–—-]\s+)(?:(?P<new>new|updated|revised|reworked|rewritten|current|latest|"
    r"corrected|refreshed|update|revision)|(?P<old>old|older|obsolete|deprecated|outdated|superseded|"
    r"legacy|previous|original|first version))(?:\s+(?:version|procedure|edition|one))?\s*[)\]]?"
    r"\s*$|^(?:(?P<new2>new|updated|revised|reworked)|"
    r"(?P<old2>old|obsolete|deprecated|outdated|superseded|previous))\s*:?\s+(?=\w)",
    re.I,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3,
             "4th": 4, "5th": 5}  # fmt: skip


class Version:
    """A title without the mark of its version, folded, and that: 0 where there is none, below it
    what is called old, above it what is called new. `plain` is whether what has versions is a text,
    and not what the text is about."""

    __slots__ = ("base", "number", "plain")

    def __init__(self, base: str, number: tuple[int, ...], plain: bool) -> None:
        self.base = base
        self.number = number
        self.plain = plain


_TEXTS = re.compile(
    r"\b(?:procedures?|runbooks?|guides?|guidelines?|checklists?|plans?|polic(?:y|ies)|notes?|"
    r"playbooks?|how[ -]?to\b.*|howto|process(?:es)?|workflows?|templates?|steps|recipes?|rules?|"
    r"instructions?|conventions?|manual|agenda|proposal|design|draft|strategy|routine|"
    r"schedule|setup|onboarding|handbook|cheat ?sheet|style ?guide|rotation|approach|"
    r"protocol|drill|ritual|practices?|walkthrough|standard|agreement|decision|doc|document)$",
    re.I,
)


def read_version(title: str) -> Version:
    """The version that a title names."""
    for pattern in (_VERSION, _ORDINAL):
        if found := pattern.search(title):
            told = found["number"].lower()
            number = _ORDINALS.get(told) or NUMBERS.get(told)
            parts = (number,) if number else tuple(int(part) for part in told.split("."))
            base = title[: found.start()].strip()
            bracketed = found[0].lstrip()[:1] in ("(", "[")
            return Version(_key(base), parts, bracketed or bool(_TEXTS.search(base)))
    if found := _WORD.search(title):
        base = (title[: found.start()] + title[found.end() :]).strip()
        new = found["new"] or found["new2"]
        return Version(_key(base), (_NEW,) if new else (-1,), True)
    return Version(_key(title), (0,), True)


_NEW = 1_000_000


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", fold(title)))
