"""By which sentences one note says that it takes the place of another, or that another takes its
own (S1.15, S1.17).

A sentence counts only where the note itself is what it speaks of: it names this note, or stands at
its head without another subject. What a section, an option or a feature was replaced by says
nothing of the note, and neither does what is only planned, thought of, denied or told on a
condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.copies.replacement_words import (
    ADVICE,
    BY,
    CURRENT_IS,
    DOES_AFTER,
    ELLIPSIS,
    GONE,
    GONE_AFTER,
    GONE_BY,
    GONE_SEE,
    IGNORE,
    INSTEAD_OF,
    LEAD,
    LEADS,
    MOVED,
    NAME_OF,
    NOT,
    OLD_ONE,
    REPLACES,
    SEE,
    SUCCESSOR,
    THIS,
    THIS_TEXT,
    WHEN,
)
from engrain.language.lexicons import read_words
from engrain.language.text.folding import fold
from engrain.language.text.statement_blocks import CODE, HEADING, ROW, read_blocks
from engrain.language.text.words import content_words

OLDER, NEWER = "older", "newer"
"""What the other note is to the one that speaks of it."""


@dataclass(slots=True, eq=False)
class Replacement:
    """That of two notes one took the other's place: the other is named by `target`, is `role` to
    the one that says so, and `quote` is the sentence. `linked` is whether the target is a link,
    and `label` its other side. `plain` is whether the sentence names the note that it is in, so
    that it can mean no other thing."""

    role: str
    target: str
    linked: bool
    quote: str
    plain: bool
    label: str = ""


_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
_QUOTED = re.compile(
    r"(?<!\w)(?:[\"“‘]|(?P<mark>\*{1,2}|_{1,2}))(?P<title>[^\"“”‘’`*_\[\]\n]{4,120}?)"
    r"(?(mark)(?P=mark)|[\"”’])(?!\w)"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_TARGET = "\ue000"
"""Stands for the other note in a sentence."""
_CUED = re.compile(
    r"replac|supersed|obsolet|deprecat|outdated|out[ -]of[ -]date|stale|retire|overrid|overrode|"
    r"instead|successor|previous|earlier|older|former|version of|update|revision of|rewrite of|"
    r"(?:takes?|took) (?:the place|over)|v\d+ of|in place of|no longer|stands? in for|invalid|void|"
    r"moved to|current|latest|newe|correction|supplant|succeed|ignore|disregard|archived",
    re.I,
)
_SEEN = re.compile(r"\W*(?:$|instead\b|for\b|from\b|now\b|where\b|which\b)|[,(;]", re.I)
_PRONOUN = re.compile(r"(?:it|these)\b", re.I)
_MOST = 8
"""Links of a sentence that are looked at: one that has more is a list."""
_AROUND = 240
"""Characters on either side of a link in which it is told what it is."""
_STUB = 40
"""Words of a note that says little else."""
_LEAST_TITLE = 2
"""Words of a title that is quoted: a single one is a thing more often than a note."""
_WORDS = read_words("copies", "replacements")
_ABOUT_ITSELF = _WORDS["about_itself"]


def read_replacements(text: str, title: str = "") -> Iterator[Replacement]:
    """What a note's text says of notes whose place it took, and of such as took its own."""
    if not _CUED.search(text):
        return
    named = fold(title)
    mine = content_words(title)
    stub = len(text.split()) <= _STUB
    at_head = True
    for block in read_blocks(text):
        if block.kind == HEADING:
            told = fold(block.text)
            at_head = told == named or told in _ABOUT_ITSELF
        if block.kind in (HEADING, CODE, ROW) or not (
            "[[" in block.text or _CUED.search(block.text)
        ):
            continue
        gone = 0
        for number, sentence in enumerate(_SENTENCE.split(block.text)):
            context = _Context(mine, at_head, stub, gone, number == 0)
            if gone or _CUED.search(sentence):
                yield from _read(sentence, context)
            gone = context.tells_gone(sentence)


def _read(sentence: str, context: _Context) -> Iterator[Replacement]:
    for pattern, linked in ((_LINK, True), (_QUOTED, False)):
        for number, found in enumerate(pattern.finditer(sentence)):
            if number == _MOST:
                break
            before = sentence[max(0, found.start() - _AROUND) : found.start()]
            after = sentence[found.end() : found.end() + _AROUND]
            target, label = (found[1], found[2] or "") if linked else (found["title"], "")
            if "#" in target + label:
                continue  # a part of a note
            if not linked and len(content_words(target)) < _LEAST_TITLE:
                continue
            role, sure = context.judge(_plain(before), _plain(after))
            if role:
                quote = f"{before}{found[0]}{after}".strip()
                yield Replacement(role, target.strip(), linked, quote, sure, label.strip())


def _plain(words: str) -> str:
    """Words without what makes them a link or bold."""
    return _LINK.sub(_shown, words).replace("**", "").replace("__", "")


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1].rpartition("/")[2]


@dataclass(slots=True, eq=False)
class _Context:
    """Where a sentence stands: in a note with `mine` in its title, at its head or not, in one that
    is a `stub` or not; `gone` is how plainly the sentence before said that the note is history, and
    `opening` whether none is before it, so that a pronoun can mean no other thing."""

    mine: frozenset[str]
    at_head: bool
    stub: bool
    gone: int
    opening: bool

    def judge(self, before: str, after: str) -> tuple[str, bool]:
        """What the note is that stands between two parts of a sentence, "" where it is neither, and
        whether this note is named as the other of the two."""
        whole = before + _TARGET + after
        before = _without_lead(before)
        for pattern, role in ((REPLACES, OLDER), (BY, NEWER), (MOVED, NEWER)):
            if (said := pattern.search(before)) and not NOT.search(before[: said.start()]):
                if pattern is REPLACES and re.search(r"\bby\b", said[0]):
                    continue
                return self._told(role, self._subject(before[: said.start()]))
        if (said := GONE_SEE.search(before)) and not NOT.search(before[: said.start()]):
            return self._told(NEWER, self._subject(before[: said.start()]))
        for pattern in (SUCCESSOR, INSTEAD_OF, IGNORE, OLD_ONE):
            if (said := pattern.search(before)) and not NOT.search(before[: said.start()]):
                return self._told(OLDER, self._subject(before[: said.start()]))
        if CURRENT_IS.fullmatch(before):
            return self._told(NEWER, 2 if re.search(r"\bthis \w", before) else 1)
        if NAME_OF.fullmatch(before):
            if GONE_BY.match(after):
                return self._told(OLDER, 2)
            if does := DOES_AFTER.match(after):
                return self._told(NEWER, 2 if does["text"] else 1)
            if GONE_AFTER.match(after):
                return self._told(
                    OLDER, 2 if re.search(r"\bthis (?:one|note)\b", whole, re.I) else 1
                )
        if (said := SEE.search(before)) and not NOT.search(before):
            asked = before[: said.start()].strip(" ,:;—–-")
            alone = not asked or (self.gone and ADVICE.fullmatch(asked))
            if self.gone and alone and _SEEN.match(after):
                return self._told(NEWER, self.gone)
            if alone and re.fullmatch(r"\)?\s*instead\W*", after, re.I):
                return self._told(NEWER, 1)
        return "", False

    def tells_gone(self, sentence: str) -> int:
        """Whether a sentence says that the note is history: 2 where it names it, 1 where it stands
        at the head without another subject, 0 where it does not."""
        if said := re.search(rf"\b{GONE}\b", sentence, re.I):
            before = _without_lead(sentence[: said.start()])
            if not NOT.search(before):
                return self._subject(before)
        return 0

    def _told(self, role: str, subject: int) -> tuple[str, bool]:
        if subject == 2 or (subject == 1 and self.at_head):
            return role, subject == 2 or self.stub
        return "", False

    def _subject(self, before: str) -> int:
        """How plainly the note is what a sentence begins with: 2 by its name, 1 by a pronoun or by
        nothing, 0 not at all."""
        said = before.strip(" \t,:;*_(>!-–—\"'“‘") + " "
        if not self.opening and _PRONOUN.match(said):
            return 0
        if said == " " or ELLIPSIS.fullmatch(said) or THIS.fullmatch(said):
            return 1
        if THIS_TEXT.fullmatch(said):
            return 2
        words = content_words(said)
        least = 1 if said.lower().startswith("this ") else _LEAST_TITLE
        return 2 if len(words) >= least and words <= self.mine else 0


def _without_lead(before: str) -> str:
    """The first part of a sentence without a label such as "Note:", and without when it holds."""
    if (lead := LEAD.match(before)) and all(
        word in LEADS or word.isdigit() for word in re.findall(r"\w+", lead[1].lower())
    ):
        before = before[lead.end() :]
    before = before.lstrip(" \t>*_!⚠️-–—([")
    while when := WHEN.match(before):
        before = before[when.end() :]
    return before
