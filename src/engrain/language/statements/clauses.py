"""The clauses of a statement: what each is about, and how it is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements import phrases
from engrain.language.statements.endings import BOUNDARY, CUTS, find_gone, named_words
from engrain.language.text.sentences import split_statements
from engrain.language.text.words import (
    STOP,
    SUBJECT,
    WORD,
    Token,
    content_of,
    token_at,
    without_suffix,
)

_SUBJECT_WORDS = read_words("statements", "subject")
PREPOSITIONS = _SUBJECT_WORDS["prepositions"]
COPULAS = _SUBJECT_WORDS["copulas"]
PEOPLE = read_words("statements", "nouns")["people"]
"""Words for people who are related to the subject, such as "sister"."""
VERBS = _SUBJECT_WORDS["verbs"]


def find_topic(tokens: list[Token], hits: list[phrases.Hit]) -> tuple[str, ...]:
    """Return the words for a thing that the subject has, if the clause is about it: "§'s phone"."""
    owned = (
        at + 2
        for at in range(len(tokens) - 1)
        if (tokens[at].text, tokens[at + 1].text) == (SUBJECT, "'s")
        and token_at(tokens, at - 1).low not in PREPOSITIONS
    )
    start = next(owned, 0)
    if not start:
        return _topic_beside(tokens, hits)
    marked = {
        hit.start for hit in hits if hit.kind in (phrases.MARK, phrases.END) and hit.meaning != "-"
    }
    words: list[str] = []
    for at in range(start, min(start + 4, len(tokens))):
        low = tokens[at].low
        if (any(words) and at in marked) or _ends_topic(tokens, at, first=at == start):
            break
        words.append(content_of(low) if low != "new" else "")
    return tuple(filter(None, words))


def _ends_topic(tokens: list[Token], at: int, *, first: bool) -> bool:
    low = tokens[at].low
    if low in COPULAS or low in VERBS:
        return True
    verbal = low.endswith("ed") or (low.endswith("s") and not low.endswith("ss"))
    follows = token_at(tokens, at + 1).low or "is"
    return not first and (low in PREPOSITIONS or (verbal and follows not in COPULAS))


def _topic_beside(tokens: list[Token], hits: list[phrases.Hit]) -> tuple[str, ...]:
    """Return the topic in "the § offsite is": nouns between the subject and a copula."""
    marked = phrases.places_of(
        [hit for hit in hits if hit.meaning != "while"], phrases.MARK, phrases.END
    )
    for at, token in enumerate(tokens[:3]):
        for end in (at + 2, at + 3) if token.text == SUBJECT else ():
            lows = [inner.low for inner in tokens[at + 1 : end]]
            if (
                token_at(tokens, end).low in COPULAS - {":", "="}
                and marked.isdisjoint(range(at + 1, end))
                and all(low.isalpha() and content_of(low) for low in lows)
                and not any(low.endswith(("ed", "ly")) for low in lows)
            ):
                return tuple(map(content_of, lows))
    return ()


PARTNERS = _SUBJECT_WORDS["partners"]
_PEOPLE = frozenset(content_of(word) or word for word in PEOPLE)
_NEAR = 6


def is_of_another(tokens: list[Token], hits: list[phrases.Hit]) -> bool:
    """Return whether a clause is about somebody other than the subject: its sister, or a name that
    opens the clause. A clause about the subject's partner may still be about the subject."""
    for at in range(1, min(_NEAR, len(tokens))):
        owned = tokens[at - 1].low in ("'s", "the") or token_at(tokens, at - 2).low == "'s"
        if owned and tokens[at].fold in _PEOPLE:
            about = _is_about_person(tokens, at)
            if about is not None:
                return about
    known = any(
        hit.start == 0 and hit.kind in (phrases.TOOL, phrases.PLACE, phrases.CUE, phrases.STATE)
        for hit in hits
    )
    return all(token.low != SUBJECT for token in tokens) and tokens[0].name and not known


def _is_about_person(tokens: list[Token], at: int) -> bool | None:
    """Return whether a clause is about the person at a place; None if it only says who that is."""
    after, second = token_at(tokens, at + 1), token_at(tokens, at + 2)
    if after.low == "is" and second.low in _SUBJECT_WORDS["naming"]:
        return False
    if after.low in ("", ":", "=") or (after.low == "is" and (not second.text or second.name)):
        return None
    return tokens[at].low not in PARTNERS or (after.low != "is" and not after.name)


_WORDS = read_words("statements", "clauses")
_MOST = 2_000

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - "})
_WRITTEN_OUT = tuple(
    (re.compile(pattern, re.I), meant)
    for pattern, meant in (
        (r"->|=>|⇒|➜|➡️?", " → "),
        (r"\bwon't\b", "will not"), (r"\b(can)(?:'t|not)\b", r"\1 not"),
        (r"\bain't\b", "is not"), (r"\b(\w+)n't\b", r"\1 not"),
        (r"\bI'm\b", "I am"), (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ve\b", r"\1 have"),
        (r"\b(\w+)'ll\b", r"\1 will"), (r"\b(he|she|it|they|we|you|I)'d\b", r"\1 would"),
        (r"\b(it|that|there|who|what|here|he|she)'s\b", r"\1 is"),
        (r"\bany (?:more|longer)\b", "anymore"), (r"\bw/o\b", "without"), (r"\bw/ ?", "with "),
        (r"\b(mr|mrs|ms|dr|st|vs|approx|dept|no|inc|ltd|corp|co|est)\.(?= )", r"\1"),
        (r"\bas per\b", "per"),
        (r"(?<=\s)@(?=\s)", "at"), (r"\bt\.b\.d\.?", "tbd"), (r"\b1-1\b", "1:1"),
    )
)  # fmt: skip
_PRONOUNS = {
    **dict.fromkeys(_WORDS["pronouns"], (SUBJECT,)),
    **dict.fromkeys(_WORDS["possessives"], (SUBJECT, "'s")),
}


def _read_sentences(content: str, names: Iterable[str]) -> Iterator[tuple[list[Token], bool]]:
    """Yield the tokens of each sentence, the subject and pronouns as `§`, and whether it asks."""
    text = " ".join(content[:_MOST].translate(_MARKS).split())
    for name in _name_forms(tuple(names)):
        pattern = rf"(?<![\w§]){re.escape(name)}(?!\w|\.\w|@)"
        flags = re.IGNORECASE if " " in name or len(name) > 3 else re.NOFLAG
        text = re.sub(pattern, SUBJECT, text, flags=flags)
    for written, meant in _WRITTEN_OUT:
        text = written.sub(meant, text)
    text = re.sub(rf"{SUBJECT}'(?!s\b)", f"{SUBJECT}'s", text)
    for sentence in split_statements(text):
        if tokens := _tokens(sentence):
            yield tokens, sentence.rstrip('" )').endswith("?")


def _tokens(sentence: str) -> list[Token]:
    found = WORD.findall(sentence)
    tokens: list[Token] = []
    for at, text in enumerate(found):
        low = text.lower()
        if low == "'s":
            follows = found[at + 1].lower() if at + 1 < len(found) else ""
            verbal = follows.endswith(("ing", "ed")) and follows not in ("wedding", "building")
            tokens.append(Token("is" if follows in _WORDS["is_next"] or verbal else "'s"))
        elif low in _PRONOUNS and text not in ("IT", "US"):
            tokens.extend(map(Token, _PRONOUNS[low]))
        elif text != SUBJECT or not tokens or tokens[-1].text != SUBJECT:
            tokens.append(Token(text, _is_name(text, at == 0 or found[at - 1] == ":")))
    return tokens


def _is_name(text: str, first: bool) -> bool:
    """Whether a word is written like a name; a sentence's first word must not be a known phrase."""
    if not any(char.isupper() for char in text) or "@" in text or text[0] == "-":
        return False
    low = text.lower()
    if low in _WORDS["never"] or low in STOP:
        return False
    if first and (low in _WORDS["starters"] or low.endswith(("ing", "ed", "ly"))):
        return False
    return not (first and phrases.is_phrase(low)) or text[1:] != low[1:]


@lru_cache(maxsize=256)
def _name_forms(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names and the parts of them by which people are called, the longest first."""
    forms = {" ".join(name.split()) for name in names if name.strip()}
    for name in list(forms):
        parts = name.split()
        if len(parts) > 1:
            trimmed = without_suffix(parts)
            forms.add(" ".join(trimmed) or name)
            if len(parts) <= 3 and all(part[:1].isupper() for part in parts):
                forms.update(part for part in trimmed if len(part) > 2 and part.isalpha())
    return tuple(sorted(filter(None, forms), key=lambda form: (-len(form), form)))


NEW, UNKNOWN = "§new", "§unknown"
"""Values: that it is another than before, and that there is one, without its being understood."""
STATE_OF, TOOL_OF, COUNT_OF, MEASURE_OF, WHICH, ATTRIBUTE = SIGNS = "=+#~^@"
"""What an aspect begins with that is no predicate: a state, a tool of a kind, a number of things, a
number of a unit, which one of a kind, or an attribute of something the subject has."""


@dataclass(slots=True, eq=False)
class ClauseFinding:
    """A finding in a clause: an `aspect`, its `value` and the place `at` which it stands; `strong`
    if a word names the relation, `scope` the words that narrow it, `mode` if that is plain."""

    aspect: str
    value: str
    at: int
    _: KW_ONLY
    strong: bool = True
    scope: frozenset[str] = frozenset()
    mode: str = ""


_SPLIT = frozenset(",;()!?")
_SUBORDINATE = _WORDS["subordinate"]
_SHORT = 6


class Clause:
    """A part of a sentence.

    `words` are its content words, `core` those outside of marks, `rest` those outside of all known
    phrases. `marks` say how the clause is meant; `held` is set if it reports the past, `turned` if
    it says that something changed, `other` if it is about somebody else. `topic` names the thing of
    the subject that it is about. `gone` names what it says is over, at the `spans`; `denied` what
    it denies, and `pending` what it says is still wanted.
    """

    def __init__(self, tokens: list[Token]) -> None:
        lows = [token.low for token in tokens]
        self.tokens = tokens
        self.text = " ".join(token.text for token in tokens)
        self.hits = hits = phrases.find_phrases(tokens)
        self.turned = bool(_PATTERNS["turned"].search(" ".join(lows)))
        now = frozenset(("now",)) if self.turned else frozenset()
        self.marks = now | {hit.meaning for hit in hits if hit.kind == phrases.MARK}
        self.words = self._without(set())
        self.core = self._without(phrases.places_of(hits, phrases.MARK))
        self.rest = self._without(
            {at for hit in hits if hit.meaning not in _OPEN_MARKS for at in hit.places()}
        )
        self.spans = find_gone(tokens, hits)
        self.gone = tuple(filter(None, (named_words(tokens[a:b]) for a, b in self.spans)))
        self.denial = _denial(tokens, hits)
        self.denied = _denied(tokens, self.denial)
        pending = next((hit for hit in hits if hit.meaning == "pending"), None)
        saying = {tokens[at].fold for at in pending.places()} if pending else set()
        self.pending = tuple(word for word in self.words if pending and word not in saying)
        self.topic = find_topic(tokens, hits)
        self.other = is_of_another(tokens, hits)
        self.held = "past" in self.marks or _is_past(tokens, hits)

    def _without(self, places: set[int]) -> tuple[str, ...]:
        return tuple(
            word
            for at, token in enumerate(self.tokens)
            if at not in places
            for word in (
                (token.low,) if at and token.text in _LETTERS else content_of(token.low).split()
            )
        )


_LETTERS = ("A", "S")
"""Letters that name one of several, and small are no words by themselves."""
_OPEN_MARKS = ("pending", "settled")
_PATTERNS = read_regexes("statements", "clauses patterns")


def read_clauses(content: str, names: tuple[str, ...]) -> list[Clause]:
    """Return the clauses of a statement about the subject that goes by `names`."""
    clauses: list[Clause] = []
    for tokens, asks in _read_sentences(content, names):
        other = False
        parts = [Clause(part) for part in _split(tokens)]
        for clause in parts:
            # Who is spoken of first is spoken of till the subject is named again.
            named = any(token.text == SUBJECT for token in clause.tokens)
            other = clause.other = clause.other or (other and not named)
        if asks or any("hedge" in clause.marks for clause in parts):
            for clause in parts:
                clause.marks |= {"hedge"}
        clauses += parts
    return clauses


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for at, token in enumerate(tokens):
        texts = {each.text for each in part}
        # Behind the subject or a thing of it a dash stands for a colon.
        colon = len(part) <= 2 or (len(part) < _SHORT and {SUBJECT, "'s"} <= texts)
        if token.text == "-" and colon:
            part.append(Token(":"))
        elif token.text == "-" or _splits(tokens, at):
            if part:
                yield part
            part = [token] if token.low in _WORDS["kept"] or _subordinates(tokens, at) else []
        else:
            part.append(token)
    if part:
        yield part


def _splits(tokens: Sequence[Token], at: int) -> bool:
    token, after = tokens[at], token_at(tokens, at + 1)
    if token.text == "," and after.low[:1].isdigit():
        return len(tokens) > at + 3  # else a date that is given twice: "by two weeks, 28th"
    if token.low == "and":
        return after.text == SUBJECT or after.low in _WORDS["and_verbs"] or after.low.endswith("ed")
    return token.text in _SPLIT or token.low in _WORDS["conjunctions"] or _subordinates(tokens, at)


def _subordinates(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word opens a clause such as "after moving"."""
    follows = token_at(tokens, at + 1).low
    return at > 0 and tokens[at].low in _SUBORDINATE and follows.endswith("ing")


def _denial(tokens: list[Token], hits: list[phrases.Hit]) -> phrases.Hit | None:
    denials = (hit for hit in hits if hit.meaning == "deny")
    for hit in denials:
        after = token_at(tokens, hit.end).low
        # "Has never been to" and "hates not being" deny nothing that holds.
        if after != "been" and not after.endswith("ing"):
            return hit
    return None


def _denied(tokens: list[Token], denial: phrases.Hit | None) -> tuple[str, ...]:
    lows = [token.low for token in tokens]
    if denial is None:
        return named_words(tokens) if "anymore" in lows else ()
    cuts = BOUNDARY if "anymore" in lows else CUTS
    stop = next((at for at in range(denial.end + 1, len(lows)) if lows[at] in cuts), len(lows))
    return named_words(tokens[denial.end : stop])


_PAST_VERBS, _ONCE_VERBS = _WORDS["past_verbs"], _WORDS["once_verbs"]
_IN_YEAR = re.compile(r"\bin (?:19|20)\d\d\b")


def _is_past(tokens: list[Token], hits: list[phrases.Hit]) -> bool:
    """Whether a clause reports what was, or what somebody did once."""
    lows = [token.low for token in tokens]
    text = " ".join(lows)
    if len(lows) > 1 and lows[0] in _SUBORDINATE and lows[1].endswith("ing"):
        return True
    if _PATTERNS["dated"].search(text) or (_IN_YEAR.search(text) and _ONCE_VERBS & set(lows)):
        return True
    return any(_is_past_verb(tokens, at) for at in range(len(tokens))) or _is_event(tokens, hits)


def _is_past_verb(tokens: list[Token], at: int) -> bool:
    low, follows = tokens[at].low, token_at(tokens, at + 1).low
    passive = low in ("was", "were") and (
        follows.endswith("ed") or follows in _WORDS["participles"]
    )
    done = token_at(tokens, at - 1).fold in ("be", "have", "get")
    return low in _PAST_VERBS and not done and not passive


def _is_event(tokens: list[Token], hits: list[phrases.Hit]) -> bool:
    """Whether its verb is a past tense that belongs to no known phrase."""
    known = {at for hit in hits for at in hit.places()}
    for at, token in enumerate(tokens):
        if token.low.endswith("ed") and len(token.low) > 4 and at not in known:
            before = tokens[at - 1] if at else token
            return before.text == SUBJECT or before.low.endswith("ly") or before.name
    return False
