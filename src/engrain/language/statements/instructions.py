"""An instruction as an action and what limits it, so that two can be compared.

"On Mondays, use drive D for backups" is the action `use drive d` with `on monday` and `for backup`.
Code is kept as it is written: flags, versions, paths and single letters are words like others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

from engrain.language.lexicons import read_regexes, read_rows, read_words
from engrain.language.statements.verdicts import (
    AGREEMENT,
    CONTRADICT,
    REPETITION,
    UNRELATED_VERDICT,
    StatementVerdict,
)
from engrain.language.text.folding import fold
from engrain.language.text.words import fold_word

_PATTERNS = read_regexes("instructions", "slots patterns")
_WORDS = read_words("instructions", "slots")
FILLERS = _WORDS["fillers"]
_ADDING = re.compile(
    r"\b(?:must|also|too|both|either|additionally|as well|besides|likewise|supports?)\b", re.I
)
"""Words of a statement that stands beside others of its form."""
LINKS = _WORDS["links"]
_LIMITS = _WORDS["limits"]
_PURPOSES = ("for", "to", "as", "about")
"""Links that say what something is chosen for."""
_OBJECT, LAST = "object", "last"
_FORMS = tuple(
    re.compile(form)
    for form in (
        r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d",
        r"v?\d[\d.,]*(?:[a-z%]+)?",
        r"--?[A-Za-z][\w=-]*",
        r"[a-z]",
        r"(?=\S{0,80}(?:[/*~]|\w\.\w|\w_\w))\S+",
    )
)
"""Ways to write a value: a time, a number or version, a flag, a letter that names one of several, a
path, a pattern or an address. Two of one form exclude each other."""
_FLAG = _FORMS[2]
_NUMBERED = re.compile(r"([A-Za-z]+)\d[\d.]*")
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def _value_places() -> dict[str, frozenset[str]]:
    """Return by verb, folded, where its one value stands."""
    return _by_word(read_rows("instructions", "values").items())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    return _by_word((row, row) for row in read_rows("instructions", "rivals").values())


def _by_word(rows: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return what rows of words have in common, by each word, folded."""
    table: dict[str, frozenset[str]] = {}
    for words, common in rows:
        for word in map(fold_word, words.split()):
            table[word] = table.get(word, frozenset()) | frozenset(common.split())
    return table


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    """Return the kinds of each tool, by its folded name."""
    kinds: dict[str, frozenset[str]] = {}
    for kind, listed in read_rows("kinds", "kinds").items():
        for phrase in re.split(r"[,|]", listed):
            name = _fold_name(phrase.strip().lstrip("!"))
            kinds[name] = kinds.get(name, frozenset()) | {kind}
    return kinds


def kinds_of(name: str) -> frozenset[str]:
    """Return the kinds of tool that a name is of."""
    return _kinds().get(_fold_name(name), _NONE)


def _fold_name(name: str) -> str:
    return " ".join(map(fold_word, name.split()))


def _are_rivals(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two different values of one place are known to exclude each other."""
    if kinds_of(" ".join(one)) & kinds_of(" ".join(other)):
        return True
    if len(one) != 1 or len(other) != 1:
        return False
    (a,), (b,) = one, other
    if any(form.fullmatch(a) and form.fullmatch(b) for form in _FORMS):
        return True
    first, second = _NUMBERED.fullmatch(a), _NUMBERED.fullmatch(b)
    if first and second:
        return first[1] == second[1]
    groups = _groups()
    return bool(groups.get(a, _NONE) & groups.get(b, _NONE))


Words: TypeAlias = "tuple[str, ...]"

_OPENING, _CLOSING = "([{<\"'“‘", ".,;:!?)]}>\"'”’"
_PAUSES = frozenset(",;:")
_MOST = 3
"""Words of a value at most."""
_LEAST_BEFORE, _PAIR = 2, 2
"""Words before a name at least, and words of two names at most."""
_ACTION = ""


class Frame:
    """An instruction as parts: under "" the words of its action, and under the word that begins it
    the words of each phrase. A `+` marks a phrase whose first word comes twice, or that stands
    before the action. `adds` is set if the text says that it holds beside others."""

    def __init__(self, text: str) -> None:
        self.adds = bool(_ADDING.search(text))
        self.parts: Mapping[str, Words] = _read(text)

    @property
    def words(self) -> frozenset[str]:
        """Return all words except those that begin a phrase."""
        return frozenset(word for words in self.parts.values() for word in words)

    @property
    def key(self) -> str:
        """Return a key that is equal for two instructions with the same action and limits: "avoid
        tabs" denies "use tabs"."""
        parts = {
            link: [word for word in words if word != "use"] for link, words in self.parts.items()
        }
        return "; ".join(" ".join((link, *words)) for link, words in sorted(parts.items()) if words)


class InstructionDifference:
    """The one phrase in which two instructions differ: the word that begins it ("" for the action),
    its new and its former value, and the words before and behind those."""

    def __init__(self, link: str, new: Words, old: Words) -> None:
        start = _shared(new, old)
        end = _shared(new[start:][::-1], old[start:][::-1])
        self.link = link
        self.before = new[:start]
        self.behind = new[len(new) - end :]
        self.value, self.former = (words[start : len(words) - end] for words in (new, old))

    @property
    def is_short(self) -> bool:
        """Return whether both values have few words; a longer difference is another instruction."""
        return 0 < len(self.value) <= _MOST and 0 < len(self.former) <= _MOST


def is_change(new: Frame, old: Frame) -> bool:
    """Return whether a new instruction gives another value to the one slot of an old one's action,
    and all else is the same. If a limit differs, both hold."""
    found = _find_difference(new, old)
    if found is None or not found.is_short:
        return False
    flags = all(map(_FLAG.fullmatch, (*found.value, *found.former)))
    if flags and found.before and found.link not in _LIMITS:
        return True
    verbs = _value_places()
    places = [verbs[word] for word in new.parts.get(_ACTION, ()) if word in verbs]
    if not places:
        return False
    return _is_replaced(found, frozenset[str]().union(*places), new)


def _find_difference(new: Frame, old: Frame) -> InstructionDifference | None:
    """Return the phrase in which two instructions differ; None if they differ in several, or stand
    beside each other."""
    links = new.parts.keys() | old.parts.keys()
    differing = [link for link in links if new.parts.get(link) != old.parts.get(link)]
    if len(differing) != 1 or new.adds or old.adds:
        return None
    (link,) = differing
    return InstructionDifference(link, new.parts.get(link, ()), old.parts.get(link, ()))


def _is_replaced(found: InstructionDifference, places: frozenset[str], new: Frame) -> bool:
    """Return whether the values exclude each other in the places where the action has its value."""
    place = found.link or _OBJECT
    if _are_rivals(found.value, found.former):
        return bool(places & {place, place + "?"})
    if found.link:
        return place in places
    if _OBJECT in places:
        return any(link in _PURPOSES for link in new.parts)
    long = len(found.value) + len(found.former) > _PAIR
    return LAST in places and not (found.behind or len(found.before) < _LEAST_BEFORE or long)


def _shared(one: Words, other: Words) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _read(text: str) -> dict[str, Words]:
    plain = _PATTERNS["choosing"].sub(
        "use", _PATTERNS["soft"].sub(" ", text.replace("`", " ").replace("’", "'"))
    )
    parts = _Parts()
    for word, ends in _words(plain):
        if parts.begins(word):
            parts.begin(word)
        elif word and word not in FILLERS:
            parts.add(fold_word(word) if word.isalpha() else word)
        if ends:
            parts.end_lead()
    return {link: tuple(words) for link, words in parts.words.items() if words}


class _Parts:
    """The parts of an instruction, read word by word. A phrase `before` the action ends at a comma
    or at the action's verb."""

    def __init__(self) -> None:
        self.words: dict[str, list[str]] = {_ACTION: []}
        self._link, self._before = _ACTION, False

    def begins(self, word: str) -> bool:
        """Return whether a word begins a phrase; after another such word "every" does not."""
        inside = word in ("every", "each") and self._link and not self.words[self._link]
        return word in LINKS and not inside

    def begin(self, word: str) -> None:
        self._before = not self.words[_ACTION]
        marked = word in self.words or (self._before and word not in _LIMITS)
        self._link = word + "+" if marked else word
        self.words.setdefault(self._link, [])

    def add(self, word: str) -> None:
        """Add a folded word to the phrase, or begin the action with its verb."""
        if word in _value_places():
            self.end_lead()
        self.words[self._link].append(word)

    def end_lead(self) -> None:
        if self._before and self.words[self._link]:
            self._link, self._before = _ACTION, False


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word, in lower case unless it is code, and whether the phrase ends behind it."""
    for at, written in enumerate(text.split()):
        word = written.lstrip(_OPENING).rstrip(_CLOSING)
        ends = bool(_PAUSES & set(written[len(written.rstrip(_CLOSING)) :]))
        plain = word.replace("'", "").replace("-", "").isalpha() and not word.startswith("-")
        # Small they are an article and a pronoun.
        letter = at and (word == "A" or (len(word) > 1 and word.isupper()))
        yield (fold(word) if plain and not letter else word), ends


_MOST_REST = 2
"""So few words a statement has beside what it chooses, for a choice against that to be its end."""
_COMPARING = read_regexes("instructions", "comparing patterns")
_REJECTING = re.compile(r" (?:not|instead of|rather than|over|never)(?= )", re.IGNORECASE)
_PARTS = re.compile(r"[,;]")

_SAME, _OTHER, _UNCLEAR, _COMPATIBLE = "same", "other", "unclear", "compatible"


@dataclass(slots=True, eq=False)
class Instruction:
    """What an instruction asks for, or forbids (`denied`): its `frame` with the content words, and,
    if it is a choice, the words of what it has `chosen` and of what it has `rejected`."""

    frame: Frame
    denied: bool
    content: frozenset[str]
    chosen: frozenset[str] = frozenset()
    rejected: frozenset[str] = frozenset()

    def match(self, older: Instruction) -> str | None:
        """Compare it with an older instruction; None if that is about something else."""
        choice = self._match_choice(older) if self.rejected else None
        if choice or (self.rejected and older.rejected):
            return choice
        forbids = self.denied and self.content <= older.chosen
        if forbids or self.frame.key == older.frame.key:
            return _SAME
        plain = self._is_plain and older._is_plain
        return _OTHER if plain and is_change(self.frame, older.frame) else None

    @property
    def _is_plain(self) -> bool:
        """Return whether it asks for something, and neither forbids nor rejects anything."""
        return not self.denied and not self.rejected

    def _match_choice(self, older: Instruction) -> str | None:
        """Compare a choice with an older instruction; None if it says nothing about that."""
        if older.rejected:
            if self.rejected == older.rejected and self.chosen == older.chosen:
                return _SAME
            swapped = self.rejected & older.chosen and self.chosen & older.rejected
            return _OTHER if swapped or self.rejected == older.chosen else None
        if not self.rejected <= older.content or self.chosen & older.content:
            return None
        if older.denied:
            return _COMPATIBLE  # it rejects the same
        return _OTHER if len(older.content - self.rejected) <= _MOST_REST else _UNCLEAR


def compare(later: Instruction, earlier: Instruction) -> StatementVerdict:
    """Compare a later instruction with an earlier one."""
    values = later.match(earlier) if later.content and earlier.content else None
    if values is None:
        return UNRELATED_VERDICT
    if later.denied != earlier.denied:
        contradicts = values == _SAME
    else:
        contradicts = not later.denied and values in (_OTHER, _UNCLEAR)
    if contradicts:
        return StatementVerdict(
            CONTRADICT, "they differ", ends=later.denied, doubtful=values == _UNCLEAR
        )
    return REPETITION if values == _SAME else AGREEMENT


def read_instruction(text: str) -> Instruction:
    """Return what a text asks for or forbids."""
    frame = Frame(text)
    chosen, rejected = _read_choice(text)
    denied = not rejected and bool(_COMPARING["negation"].search(text))
    return Instruction(frame, denied, frame.words - {"use"}, chosen, rejected)


def _read_choice(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of what a text chooses and of what it rejects, both empty for no choice."""
    for found in _REJECTING.finditer(text):
        before = text[: found.start()].removesuffix(" and").removesuffix(",")
        chosen = before[max(before.rfind(","), before.rfind(";")) + 1 :]
        rejected = _PARTS.split(text[found.end() :], maxsplit=1)[0]
        if chosen and rejected:  # the first choice counts, whether or not both sides say something
            sides = content_words(chosen), content_words(rejected)
            return sides if all(sides) else (frozenset(), frozenset())
    return frozenset(), frozenset()


def content_words(text: str) -> frozenset[str]:
    """Return the words that say what a statement is about, without inflection; code as it is."""
    return Frame(text).words - {"use"}


def count_words(text: str) -> int:
    """Return how many words of a text say what it is about; a digit by itself is none."""
    return sum(1 for word in content_words(text) if len(word) > 1 or word.isalpha())
