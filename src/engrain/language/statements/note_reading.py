"""The statements in the sentences of notes: a thing, one of its attributes, and the value that the
sentence gives or denies (S2.9, S4.9).

A sentence is read only if each of its words belongs to the thing, the attribute or the value, or
carries no meaning. If it leaves out the thing, the note's title names it. Questions, plans, past
states, changes and snapshots of a date state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements import note_claim
from engrain.language.statements.judge import ENDED, HOLDS, Statement
from engrain.language.statements.note_values import Value, find_values
from engrain.language.text.folding import in_small
from engrain.language.text.sentences import PLACES, WORD, Sentence

_PATTERNS = read_regexes("notes", "moods patterns")
_CLAUSES = re.compile(
    r";\s{1,20}|,?\s{1,20}but\s{1,20}|,\s{1,20}(?:never|not|no longer|and not)\s[^,;]*"
)
_DENYING = _PATTERNS["denying"]
_LOOSE = _PATTERNS["loose"]
_FORBIDDING = re.compile(r"\b(?:forbidden|prohibited|banned|disallowed|not allowed)\b", re.I)
_TWICE = re.compile(r"\b(?:nothing|nobody|no one|no|never|not)\b([^,;]{0,200})\bwithout\b", re.I)


@lru_cache(maxsize=256)
def read_clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a sentence, without what is set against what it says; none if it asks,
    plans, tells of what was, changed or held as of a date, or of a part. What is denied twice is
    said."""
    low = in_small(text)
    if _LOOSE.search(low):
        return ()
    plain = _TWICE.sub(r"\1 only with", text) if "without" in low else text
    return tuple(_CLAUSES.split(plain))


def _take_denials(text: str) -> tuple[int, str]:
    """Return how often a clause denies, and what it says without that, each word in its place."""
    denials = len(_DENYING.findall(text)) + len(_FORBIDDING.findall(text))
    return denials, _FORBIDDING.sub(_blank, _DENYING.sub(_blank, text)) if denials else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


_ONLY = re.compile(r",\s+only\s")
_RULE = re.compile(r"(?:always|never|do not|don['’]t)\b", re.I)
_OF_ITS_OWN = re.compile(r"\b(?:this|these|that|those|such|following|above|below|here)\b")
"""By which a sentence speaks of what only its own note says."""
_LEAST, _LEAST_RULE = 3, 2
"""Words that name what it is about, and what it says; of a rule, what to do."""


def read_sayings(sentences: Iterable[Sentence], project: str) -> Iterator[Statement]:
    """Yield the sentences of a note about somebody or something that they name, and the rules that
    they give for a project, each as a whole: the aspect of its claim are its words, the same for
    all ways of phrasing it."""
    for sentence in sentences:
        clauses = () if _OF_ITS_OWN.search(in_small(sentence.text)) else read_clauses(sentence.text)
        if clauses and (key := _key(sentence, *_take_denials(_ONLY.split(clauses[0])[0]), project)):
            words, denied = key
            mode = ENDED if denied else HOLDS
            claim = note_claim.NoteClaim(words, mode, about=frozenset(), values=_SO)
            yield Statement(sentence.text, [claim])


_SO = frozenset(("so",))
"""The one value that a whole sentence gives or denies."""


def _key(sentence: Sentence, denials: int, plain: str, project: str) -> tuple[str, bool] | None:
    """Return the words to compare a sentence by, and whether it denies; None if they are few."""
    rule = _RULE.match(sentence.text) is not None
    words = sorted(note_claim.words_of(plain) - note_claim.FILLERS)
    named = len(words) >= _LEAST and bool(sentence.names or sentence.first in words)
    if denials > 1 or not (named or (rule and len(words) >= _LEAST_RULE)):
        return None
    key = " ".join(words)
    return key if named else f"{project}: {key}", bool(denials)


_WORDS = read_words("notes", "subjects")


def read_statements(
    sentences: Iterable[Sentence], subject: note_claim.NoteSubject
) -> Iterator[Statement]:
    """Yield what the sentences of a note state, in order."""
    for sentence in sentences:
        for text in read_clauses(sentence.text):
            denials, plain = _take_denials(text)
            values = find_values(text)
            dated = len(values) > 1 and any(value.type == "date" for value in values)
            if denials <= 1 and not dated and (values or denials):
                clause = _Clause(text, plain, bool(denials), values, subject)
                yield from filter(None, map(clause.read, clause.attributes()))


class _Clause:
    """A clause with at most one denial: its values and the words of the `plain` text."""

    def __init__(
        self,
        text: str,
        plain: str,
        denied: bool,
        values: list[Value],
        subject: note_claim.NoteSubject,
    ) -> None:
        self.text = text
        self.denied = denied
        self.subject = subject
        self.values = values
        self.words = [_Word(found) for found in WORD.finditer(plain)]
        self.by_type: dict[str, list[Value]] = {}
        for value in values:
            if value.type not in ("name", "place") or not _is_about(value, subject):
                self.by_type.setdefault(value.type, []).append(value)

    def attributes(self) -> Iterator[note_claim.Attribute]:
        words = frozenset(part for word in self.words for part in word.parts)
        return note_claim.find_attributes(words, self.by_type)

    def read(self, attribute: note_claim.Attribute) -> Statement | None:
        """Return what the clause states about an attribute; None if that is nothing, or unclear."""
        subject = self.subject
        mine = self._values_of(attribute)
        if mine is None:
            return None
        rest = [word for word in self.words if not any(v.start <= word.start < v.end for v in mine)]
        parts = frozenset(part for word in rest for part in word.parts)
        found_cues = parts & attribute.cues
        about = parts - attribute.cues - attribute.fillers - note_claim.FILLERS
        thing = self._thing(about, found_cues, mine, rest)
        if (attribute.cues and not found_cues) or thing is None or _counts(rest, mine, thing):
            return None
        is_open = not thing and not about & subject.project
        claim = note_claim.NoteClaim(
            attribute.name,
            ENDED if self.denied else HOLDS,
            about=thing or (subject.less(attribute.cues) if is_open else subject.project),
            values=frozenset(value.key for value in mine),
            open=is_open,
            scope=PLACES.intersection(_unspent(rest, attribute.cues)) | subject.scope,
            marks=subject.marks if is_open else frozenset(),
            order=subject.order if is_open else (),
        )
        return Statement(self.text, [claim])

    def _values_of(self, attribute: note_claim.Attribute) -> list[Value] | None:
        """Return the values that may be an attribute's; None if the clause says nothing of it."""
        mine = [value for type_ in attribute.ordered for value in self.by_type.get(type_, ())]
        if len(mine) > 1 and mine[0].type == "name" and not mine[0].start:
            mine = mine[1:]  # the first one is whom the clause is about
        in_title = any(value.key in self.subject.marks for value in mine)
        return None if in_title or not (mine or self.denied) else mine

    def _thing(
        self,
        about: frozenset[str],
        found_cues: frozenset[str],
        mine: list[Value],
        rest: list[_Word],
    ) -> frozenset[str] | None:
        """Return the words that name what the clause is about, none for the note's own subject;
        None if that is unclear, or something of which the note's title speaks among others."""
        subject = self.subject
        named = about - subject.project - _WORDS["empty"]
        of_project = bool(about & subject.project)
        if not named and not of_project:
            return named if mine else None
        thing = named if named <= subject.words else self._narrow(named, of_project, mine, rest)
        if thing is None or (found_cues and found_cues <= subject.words):
            return None  # a word of the thing's name does not express an attribute
        is_own = of_project or not thing <= subject.words
        return thing if not thing or is_own or subject.is_named(thing) else None

    def _narrow(
        self, named: frozenset[str], of_project: bool, mine: list[Value], rest: list[_Word]
    ) -> frozenset[str] | None:
        """Return the name of a thing without words that only phrase the sentence; None for a thing
        that may be another than the note's."""
        if not mine:
            return None
        of = named & self.subject.words
        if of and _is_wording(rest, named - of, of):
            return of
        person = any(
            value.type == "name" and " " in value.key and value not in mine for value in self.values
        )
        return named if of_project or person else None


def _counts(words: list[_Word], values: list[Value], named: frozenset[str]) -> bool:
    """Return whether a number counts the thing itself."""
    ends = [value.end for value in values if value.type == "number"]
    following = (next((word for word in words if word.start >= end), None) for end in ends)
    return any(word is not None and not named.isdisjoint(word.parts) for word in following)


def _unspent(words: list[_Word], cues: frozenset[str]) -> Iterator[str]:
    """Yield the words that are no cues: "windows" of maintenance are no system."""
    return (word.low for word in words if cues.isdisjoint(word.parts))


class _Word:
    """A word of a sentence: where it starts, as it is written, and folded."""

    __slots__ = ("low", "parts", "start")

    def __init__(self, found: re.Match[str]) -> None:
        self.start = found.start()
        self.low = found[0].lower()
        self.parts = note_claim.fold_written(found[0])


_MOST_WORDING = 2


def _is_wording(words: list[_Word], more: frozenset[str], of: frozenset[str]) -> bool:
    """Return whether extra words only phrase the sentence: none of them stands before the thing's
    name or names a part of it, and behind the name there is only a verb."""
    if len(more) > _MOST_WORDING:
        return False
    return all(
        _is_verb_of(words, at, of)
        for at, word in enumerate(words)
        if not more.isdisjoint(word.parts)
    )


def _is_verb_of(words: list[_Word], at: int, of: frozenset[str]) -> bool:
    """Return whether a word stands apart from a name, or is a verb behind it."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else None
    if after is not None and (after.low == "of" or not of.isdisjoint(after.parts)):
        return False
    before = words[at - 1] if at else None
    if before is None or of.isdisjoint(before.parts):
        return True
    verbal = word.low.endswith(("s", "ed", "ly")) and not before.low.endswith("'s")
    return verbal and (after is None or after.low in _WORDS["behind"] or not after.parts)


def _is_about(value: Value, subject: note_claim.NoteSubject) -> bool:
    words = note_claim.words_of(value.key)
    return not words - subject.project - subject.words or bool(words & subject.project)
