"""What the sentences of notes state of what holds (S2.9, S4.9): of which thing they speak, and what
they give as the value of which of its attributes, or what they deny.

Only what is understood is a statement: all words of a sentence tell the thing, the attribute or
the value, or say nothing. Where a sentence leaves out of what it speaks, the note's title says it.
What is asked, thought of, planned, was so once, changed, or is told as of a date states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engrain.language.statements.notes.attributes import find_attributes
from engrain.language.statements.notes.moods import read_clauses, take_denials
from engrain.language.statements.notes.subjects import (
    ENOUGH,
    FILLERS,
    WORDING,
    Subject,
    fold_written,
    stands_in,
    words_of,
)
from engrain.language.statements.notes.values import Value, find_values
from engrain.language.text.sentences import PLACES, WORD, Sentence
from engrain.language.text.vocabulary import vocabulary

_EMPTY = vocabulary("service system app application component module tool program")


class Statement:
    """That the `attribute` of what goes by `about` has one of `values`, or has not (`denied`);
    without values that it has none. `open` where `about` is all of the title, since the sentence
    does not say it, in this `order`, and `marks` by what the title is told from others. `scope` is
    which of several is meant."""

    __slots__ = (
        "about", "attribute", "denied", "marks", "open", "order", "scope", "text", "values",
    )  # fmt: skip

    def __init__(
        self,
        attribute: str,
        about: frozenset[str],
        is_open: bool,
        values: frozenset[str],
        denied: bool,
        scope: frozenset[str],
        marks: frozenset[str],
        order: tuple[str, ...],
        text: str,
    ) -> None:
        self.attribute = attribute
        self.about = about
        self.open = is_open
        self.values = values
        self.denied = denied
        self.scope = scope
        self.marks = marks
        self.order = order
        self.text = text


def read_statements(sentences: Iterable[Sentence], subject: Subject) -> Iterator[Statement]:
    """What the sentences of a note state, in order."""
    for sentence in sentences:
        for clause in read_clauses(sentence.text):
            yield from _read(clause, subject)


def _read(text: str, subject: Subject) -> Iterator[Statement]:
    denials, plain = take_denials(text)
    if denials > 1:
        return
    values = find_values(text)
    if len(values) > 1 and any(value.type == "date" for value in values):
        return
    if not (values or denials):
        return
    by_type: dict[str, list[Value]] = {}
    for value in values:
        if value.type not in ("name", "place") or not _is_about(value, subject):
            by_type.setdefault(value.type, []).append(value)
    words = [_Word(found) for found in WORD.finditer(plain)]
    all_words = frozenset(part for word in words for part in word.parts)
    for attribute in find_attributes(all_words, by_type):
        mine = [value for type_ in attribute.ordered for value in by_type.get(type_, ())]
        if not mine and not denials:
            continue
        if len(mine) > 1 and mine[0].type == "name" and not mine[0].start:
            mine = mine[1:]  # whom it is said of
        if any(value.key in subject.marks for value in mine):
            continue  # it is what the note is told from others by
        rest = [word for word in words if not any(v.start <= word.start < v.end for v in mine)]
        parts = frozenset(part for word in rest for part in word.parts)
        said = parts & attribute.cues
        if attribute.cues and not said:
            continue
        about = parts - attribute.cues - attribute.fillers - FILLERS
        named = about - subject.project - _EMPTY
        is_open = not named and not about & subject.project
        if is_open and not mine:
            continue
        if said and said <= subject.words and not is_open:
            continue  # a word of its name tells nothing of it
        if not named <= subject.words:
            if not mine:
                continue
            if (of := named & subject.words) and _is_wording(rest, named - of, of):
                named = of
            elif not (about & subject.project or _has_name(values, mine)):
                continue
        ours = bool(about & subject.project) or not named <= subject.words
        if named and not (ours or subject.is_named(named)):
            continue  # a thing that its title speaks of among others
        if _counts(words, mine, named):
            continue
        yield Statement(
            attribute.name,
            named or (subject.less(attribute.cues) if is_open else subject.project),
            is_open,
            frozenset(value.key for value in mine),
            bool(denials),
            PLACES.intersection(_unspent(rest, attribute.cues)) | subject.scope,
            subject.marks if is_open else frozenset(),
            subject.order if is_open else (),
            text,
        )


def _counts(words: list[_Word], values: list[Value], named: frozenset[str]) -> bool:
    """Whether a number says how many there are of what is spoken of."""
    ends = [value.end for value in values if value.type == "number"]
    following = (next((word for word in words if word.start >= end), None) for end in ends)
    return any(word is not None and not named.isdisjoint(word.parts) for word in following)


def _unspent(words: list[_Word], cues: frozenset[str]) -> Iterator[str]:
    """The words that are no cues, as they are written: "windows" of maintenance are no system."""
    return (word.low for word in words if cues.isdisjoint(word.parts))


class _Word:
    """A word of a sentence: where it starts, as it is written, and folded."""

    __slots__ = ("low", "parts", "start")

    def __init__(self, found: re.Match[str]) -> None:
        self.start = found.start()
        self.low = found[0].lower()
        self.parts = fold_written(found[0])


_MOST_WORDING = 2
_BEHIND = vocabulary("in on at over by with through to as via for from into up")


def _is_wording(words: list[_Word], more: frozenset[str], of: frozenset[str]) -> bool:
    """Whether some words beside the name of what is spoken of only put it in words: none stands
    in front of the name or is said to be a part of it, and behind it only a verb does."""
    if len(more) > _MOST_WORDING:
        return False
    for at, word in enumerate(words):
        if more.isdisjoint(word.parts):
            continue
        after = words[at + 1] if at + 1 < len(words) else None
        if after is not None and (after.low == "of" or not of.isdisjoint(after.parts)):
            return False
        if at and not of.isdisjoint(words[at - 1].parts):
            verbal = word.low.endswith(("s", "ed", "ly")) and not words[at - 1].low.endswith("'s")
            if not verbal or (after is not None and after.low not in _BEHIND and after.parts):
                return False
    return True


def _has_name(values: list[Value], mine: list[Value]) -> bool:
    """Whether somebody is named of whom it is said."""
    return any(value.type == "name" and " " in value.key and value not in mine for value in values)


def _is_about(value: Value, subject: Subject) -> bool:
    """Whether a name is that of what is spoken of."""
    words = words_of(value.key)
    return not words - subject.project - subject.words or bool(words & subject.project)


def are_at_odds(one: Statement, other: Statement) -> bool:
    """Whether two statements of different notes can't both hold."""
    if one.attribute != other.attribute or one.scope != other.scope:
        return False
    if not _same_thing(one, other):
        return False
    if one.denied != other.denied:
        denial, said = (one, other) if one.denied else (other, one)
        return bool(said.values) and (not denial.values or denial.values >= said.values)
    return not one.denied and bool(one.values and other.values) and not one.values & other.values


def _same_thing(one: Statement, other: Statement) -> bool:
    ours, theirs = one.about, other.about
    if one.open and other.open:
        if one.marks - other.marks and other.marks - one.marks:
            return False
        return ours - WORDING == theirs - WORDING and len(ours & theirs) >= ENOUGH
    if one.open or other.open:
        whole, named = (one, theirs) if one.open else (other, ours)
        if named >= whole.about - WORDING:
            return named <= whole.about
        return len(named) >= ENOUGH and stands_in(named, whole.order)
    return ours == theirs
