"""By which sentences one note says that it takes the place of another, or that another takes its
own (S1.15, S1.17).

A sentence counts only where the note itself is what it speaks of: it names this note, or stands at
its head without another subject. What a section, an option or a feature was replaced by says
nothing of the note, and neither does what is only planned, thought of, denied or said on a
condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import read_fragments, read_regexes, read_words
from engrain.language.text.folding import fold
from engrain.language.text.sentences import CODE, HEADING, ROW, read_blocks, split_statements
from engrain.language.text.words import content_words

OLDER, NEWER = "older", "newer"
"""The role of the other note: what it is to the one that mentions it."""


@dataclass(slots=True, eq=False)
class Replacement:
    """A sentence by which a note says that it took another's place, or the other its own: the other
    is named by `target` and has the `role`, and `quote` is the sentence. `linked` is whether the
    target is a link, and `label` its other side. `plain` is whether the sentence names the note
    that it is in, so that it can mean no other thing."""

    role: str
    target: str
    linked: bool
    quote: str
    plain: bool
    label: str = ""


_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
_PATTERNS = read_regexes("copies", "more patterns")
_TARGET = "\ue000"
"""Stands for the other note in a sentence."""
_CUED = _PATTERNS["cued"]
_SEEN = re.compile(r"\W*(?:$|instead\b|for\b|from\b|now\b|where\b|which\b)|[,(;]", re.I)
_PRONOUN = re.compile(r"(?:it|these)\b", re.I)
_MOST = 8
"""Links of a sentence that are looked at: one that has more is a list."""
_AROUND = 240
"""Characters on either side of a link that are read."""
_STUB = 40
"""Words of a note that says little else."""
_LEAST_TITLE = 2
"""Words of a title that is quoted: a single one is a thing more often than a note."""
_SAID = read_regexes("copies", "replacements")
_NOT = _SAID["not"]
_GONE = read_fragments("copies")["GONE"]
_WORDS = read_words("copies", "words")


def read_replacements(text: str, title: str = "") -> Iterator[Replacement]:
    """The notes that a note's text says it replaced, or was replaced by."""
    if not _CUED.search(text):
        return
    named = fold(title)
    mine = content_words(title)
    stub = len(text.split()) <= _STUB
    at_head = True
    for block in read_blocks(text):
        if block.kind == HEADING:
            heading = fold(block.text)
            at_head = heading == named or heading in _WORDS["about_itself"]
        if block.kind in (HEADING, CODE, ROW) or not (
            "[[" in block.text or _CUED.search(block.text)
        ):
            continue
        gone = 0
        for number, sentence in enumerate(split_statements(block.text)):
            context = _Context(mine, at_head, stub, gone, number == 0)
            if gone or _CUED.search(sentence):
                yield from _read(sentence, context)
            gone = context.says_gone(sentence)


def _read(sentence: str, context: _Context) -> Iterator[Replacement]:
    for pattern, linked in ((_LINK, True), (_PATTERNS["quoted"], False)):
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
        """The role of the note that is named between two parts of a sentence, "" for none, and
        whether the sentence surely means this note as the other one."""
        whole = before + _TARGET + after
        before = _without_lead(before)
        for name, role in _BEFORE_NAME:
            found = _SAID[name].search(before)
            if (
                found
                and not _NOT.search(before[: found.start()])
                and not _is_passive(name, found[0])
            ):
                return self._settle(role, self._subject(before[: found.start()]))
        role, subject = _judge_after(before, after, whole)
        return self._settle(*((role, subject) if role else self._judge_pointer(before, after)))

    def _judge_pointer(self, before: str, after: str) -> tuple[str, int]:
        """The same of a sentence such as "see X", which is plain where the note is history."""
        found = _SAID["see"].search(before)
        if found is None or _NOT.search(before):
            return "", 0
        asked = before[: found.start()].strip(" ,:;—–-")
        alone = not asked or (self.gone and _SAID["advice"].fullmatch(asked))
        if self.gone and alone and _SEEN.match(after):
            return NEWER, self.gone
        if alone and re.fullmatch(r"\)?\s*instead\W*", after, re.I):
            return NEWER, 1
        return "", 0

    def says_gone(self, sentence: str) -> int:
        """Whether a sentence says that the note is history: 2 where it names it, 1 where it stands
        at the head without another subject, 0 where it does not."""
        if found := re.search(rf"\b{_GONE}\b", sentence, re.I):
            before = _without_lead(sentence[: found.start()])
            if not _NOT.search(before):
                return self._subject(before)
        return 0

    def _settle(self, role: str, subject: int) -> tuple[str, bool]:
        if subject == 2 or (subject == 1 and self.at_head):
            return role, subject == 2 or self.stub
        return "", False

    def _subject(self, before: str) -> int:
        """How plainly the note is what a sentence begins with: 2 by its name, 1 by a pronoun or by
        nothing, 0 not at all."""
        subject = before.strip(" \t,:;*_(>!-–—\"'“‘") + " "
        if not self.opening and _PRONOUN.match(subject):
            return 0
        if (
            subject == " "
            or _SAID["ellipsis"].fullmatch(subject)
            or _SAID["this"].fullmatch(subject)
        ):
            return 1
        if _SAID["this_text"].fullmatch(subject):
            return 2
        words = content_words(subject)
        least = 1 if subject.lower().startswith("this ") else _LEAST_TITLE
        return 2 if len(words) >= least and words <= self.mine else 0


_BEFORE_NAME = (
    ("replaces", OLDER), ("by", NEWER), ("moved", NEWER), ("gone_see", NEWER),
    ("successor", OLDER), ("instead_of", OLDER), ("ignore", OLDER), ("old_one", OLDER),
)  # fmt: skip
"""The patterns that end where the other note is named, and what that note then is."""


def _is_passive(name: str, matched: str) -> bool:
    """Whether "replaced by" was found, where "replaces" is looked for."""
    return name == "replaces" and re.search(r"\bby\b", matched) is not None


def _judge_after(before: str, after: str, whole: str) -> tuple[str, int]:
    """The role of a note that the words behind its name speak about, "" for none, and how plainly
    they name this note."""
    if _SAID["current_is"].fullmatch(before):
        return NEWER, 2 if re.search(r"\bthis \w", before) else 1
    if not _SAID["name_of"].fullmatch(before):
        return "", 0
    if _SAID["gone_by"].match(after):
        return OLDER, 2
    if does := _SAID["does_after"].match(after):
        return NEWER, 2 if does["text"] else 1
    if _SAID["gone_after"].match(after):
        return OLDER, 2 if re.search(r"\bthis (?:one|note)\b", whole, re.I) else 1
    return "", 0


def _without_lead(before: str) -> str:
    """The first part of a sentence without a label such as "Note:", and without when it holds."""
    if (lead := _SAID["lead"].match(before)) and all(
        word in _WORDS["leads"] or word.isdigit() for word in re.findall(r"\w+", lead[1].lower())
    ):
        before = before[lead.end() :]
    before = before.lstrip(" \t>*_!⚠️-–—([")
    while when := _SAID["when"].match(before):
        before = before[when.end() :]
    return before
