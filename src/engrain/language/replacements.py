"""The sentences by which a note says that it replaced another or was replaced, the chains that such
steps make, and the versions that titles name (S1.15, S1.17).

A sentence counts only if it is about the note itself: it names this note, or stands at its head
without another subject. What a section, an option or a feature was replaced by says nothing about
the note, nor does a sentence that plans, doubts, denies or sets a condition. Chains take time
linear in the steps, apart from sorting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from engrain.language.lexicons import read_fragments, read_regexes, read_words
from engrain.language.text.folding import fold, in_small
from engrain.language.text.sentences import CODE, HEADING, ROW, read_blocks, split_statements
from engrain.language.text.words import NUMBERS, content_words

OLDER, NEWER = "older", "newer"
"""The role of the other note: what it is to the one that mentions it."""


@dataclass(slots=True, eq=False)
class Replacement:
    """A sentence by which a note says that it took another's place, or the other its own: the other
    is named by `target` and has the `role`, and `quote` is the sentence. `linked` is whether the
    target is a link, and `label` its other side. `plain` is whether the sentence names the note
    that it is in."""

    role: str
    target: str
    linked: bool
    quote: str
    plain: bool
    label: str = ""


_LINK = re.compile(r"!?\[\[(?:[\w-]++::\s*+)?([^\[\]|\n]++)(?:\|([^\[\]\n]++))?\]\]")
_PATTERNS = read_regexes("copies", "more patterns")
_TARGET = "\ue000"
"""Stands for the other note in a sentence."""
_CUED = _PATTERNS["cued"]
"""Searched for in small letters."""
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
    """Yield the notes that a note's text says it replaced, or was replaced by."""
    if not _CUED.search(in_small(text)):
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
            "[[" in block.text or _CUED.search(in_small(block.text))
        ):
            continue
        gone = 0
        for number, sentence in enumerate(split_statements(block.text)):
            context = _Context(mine, at_head, stub, gone, number == 0)
            if gone or _CUED.search(in_small(sentence)):
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
    """Return words without what makes them a link or bold."""
    shown = _LINK.sub(lambda link: link[2] or link[1].rpartition("/")[2], words)
    return shown.replace("**", "").replace("__", "")


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
        """Return the role of the note that is named between two parts of a sentence, "" for none,
        and whether the sentence surely means this note as the other one."""
        whole = before + _TARGET + after
        before = _without_lead(before)
        for name, role in _BEFORE_NAME:
            found = _SAID[name].search(before)
            if found is None or _NOT.search(lead := before[: found.start()]):
                continue
            if name != "replaces" or not re.search(r"\bby\b", found[0]):
                return self._settle(role, self._subject(lead))
        role, subject = _judge_after(before, after, whole)
        return self._settle(*((role, subject) if role else self._judge_pointer(before, after)))

    def _judge_pointer(self, before: str, after: str) -> tuple[str, int]:
        """Return the same for a sentence such as "see X", which is plain if the note is history."""
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
        """Return whether a sentence says that the note is history: 2 if it names it, 1 if it stands
        at the head without another subject, 0 if it does not."""
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
        """Return how plainly a sentence begins with the note itself: 2 by its name, 1 by a pronoun
        or by nothing, 0 not at all."""
        subject = before.strip(" \t,:;*_(>!-–—\"'“‘") + " "
        if not self.opening and _PRONOUN.match(subject):
            return 0
        if subject == " " or any(_SAID[form].fullmatch(subject) for form in ("ellipsis", "this")):
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


def _judge_after(before: str, after: str, whole: str) -> tuple[str, int]:
    """Return a note's role by the words behind its name, and how plainly they name this note."""
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
    """Return the start of a sentence without a label such as "Note:" and without a date."""
    if (lead := _SAID["lead"].match(before)) and all(
        word in _WORDS["leads"] or word.isdigit() for word in re.findall(r"\w+", lead[1].lower())
    ):
        before = before[lead.end() :]
    before = before.lstrip(" \t>*_!⚠️-–—([")
    while when := _SAID["when"].match(before):
        before = before[when.end() :]
    return before


@dataclass(slots=True, eq=False)
class ReplacementStep:
    """A replacement: `newer` took the place of `older`, which is `sure` from 0 to 1; the entry `by`
    says so in the words of `quote`."""

    older: str
    newer: str
    sure: float
    by: str
    quote: str = ""


@dataclass(slots=True, eq=False)
class Chain:
    """Members from the oldest to the newest, the `steps` between them, and whether they lead round
    in a circle, so that only their dates order them."""

    members: tuple[str, ...]
    steps: tuple[ReplacementStep, ...]
    circular: bool


def find_chains(
    steps: Iterable[ReplacementStep], created: Mapping[str, float | None]
) -> Iterator[Chain]:
    """Yield the chains that steps make, in order. Of several that replaced the same, the one
    `created` last, in epoch seconds, continues its chain."""
    best = _surest(steps)

    def age(id_: str) -> tuple[float, str]:
        return created.get(id_) or 0.0, id_

    onward: dict[str, list[str]] = {}
    for older, newer in sorted(best):
        onward.setdefault(older, []).append(newer)
        onward.setdefault(newer, [])
    for members in _components(onward):
        order, circular = _sort(members, onward, age)
        last: dict[str, str] = {}
        chains: dict[str, list[str]] = {}
        for id_ in reversed(order):
            after = [last[newer] for newer in onward[id_] if newer in last]
            last[id_] = max(after, key=age, default=id_)
            chains.setdefault(last[id_], []).append(id_)
        for end in sorted(chains):
            chain = tuple(reversed(chains[end]))
            if len(chain) > 1:
                pairs = sorted((a, b) for a in chain for b in onward[a] if last[b] == end)
                yield Chain(chain, tuple(best[pair] for pair in pairs), circular)


def _surest(steps: Iterable[ReplacementStep]) -> dict[tuple[str, str], ReplacementStep]:
    """Return by pair the surest step; of two that contradict each other only the surer one."""
    best: dict[tuple[str, str], ReplacementStep] = {}
    for step in steps:
        pair = (step.older, step.newer)
        if step.older != step.newer and (pair not in best or best[pair].sure < step.sure):
            best[pair] = step
    for pair, step in sorted(best.items()):
        back = best.get((pair[1], pair[0]))
        if back is not None and back.sure > step.sure:
            del best[pair]
    return best


def _components(onward: Mapping[str, list[str]]) -> list[list[str]]:
    beside: dict[str, list[str]] = {id_: list(newer) for id_, newer in onward.items()}
    for older, newer in onward.items():
        for id_ in newer:
            beside[id_].append(older)
    seen: set[str] = set()
    found = []
    for first in sorted(beside):
        part, waiting = [], [first]
        while waiting:
            if (id_ := waiting.pop()) not in seen:
                seen.add(id_)
                part.append(id_)
                waiting += beside[id_]
        if part:
            found.append(sorted(part))
    return found


def _sort(
    members: list[str], onward: Mapping[str, list[str]], age: Callable[[str], tuple[float, str]]
) -> tuple[list[str], bool]:
    """Return the members, each behind what it replaced, and whether a circle prevents that."""
    before = dict.fromkeys(members, 0)
    for id_ in members:
        for newer in onward[id_]:
            before[newer] += 1
    ready = [(*age(id_), id_) for id_ in members if not before[id_]]
    heapify(ready)
    order: list[str] = []
    while ready:
        id_ = heappop(ready)[-1]
        order.append(id_)
        for newer in onward[id_]:
            before[newer] -= 1
            if not before[newer]:
                heappush(ready, (*age(newer), newer))
    left = set(members).difference(order)
    return order + sorted(left, key=age), bool(left)


_VERSIONS = read_regexes("words", "version patterns")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3,
             "4th": 4, "5th": 5}  # fmt: skip


@dataclass(slots=True, eq=False)
class TitleVersion:
    """A title without the mark of its version, folded, and that `number`: 0 for none, below 0 for
    "old", above it for "new". `plain` is whether what has versions is a text, and not its
    subject."""

    base: str
    number: tuple[int, ...]
    plain: bool


def read_version(title: str) -> TitleVersion:
    """Return the version that a title names."""
    for pattern in (_VERSIONS["version"], _VERSIONS["ordinal"]):
        if found := pattern.search(title):
            written = found["number"].lower()
            number = _ORDINALS.get(written) or NUMBERS.get(written)
            parts = (number,) if number else tuple(int(part) for part in written.split("."))
            base = title[: found.start()].strip()
            bracketed = found[0].lstrip()[:1] in ("(", "[")
            return TitleVersion(
                _key(base), parts, bracketed or bool(_VERSIONS["texts"].search(base))
            )
    if found := _VERSIONS["word"].search(title):
        base = (title[: found.start()] + title[found.end() :]).strip()
        new = found["new"] or found["new2"]
        return TitleVersion(_key(base), (_NEW,) if new else (-1,), True)
    return TitleVersion(_key(title), (0,), True)


_NEW = 1_000_000


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", fold(title)))
