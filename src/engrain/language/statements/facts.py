"""Reads what a sentence says of its subject, and compares two such sentences (S4.3).

Only an edge, and a sentence that has one of the wordings of `claims.txt` from its first word to its
last, give a claim; any other plain sentence is a verb and what follows it, so that its denial is
recognised. A sentence that is not understood stays: hiding the truth is worse than keeping what is
old. Contradictions between free sentences are a model's work, which states them as edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import (
    expand,
    read_fragments,
    read_lines,
    read_regexes,
    read_rows,
    read_words,
)
from engrain.language.statements.predicates import COMPANY, PERSON, PLACE, find_predicate
from engrain.language.statements.verdicts import (
    AGREEMENT,
    CONTRADICT,
    REPETITION,
    UNRELATED_VERDICT,
    StatementVerdict,
)
from engrain.language.text.periods import Period, find_periods
from engrain.language.text.words import WORD, fold_word, numbers_of, spell_out, value_key

_SUBJECT = "§"
_MOODS = read_regexes("claims", "moods")
_DENIALS = re.compile(
    r"\b(?:no longer|never|(?:does|do|is|are|has|have|can|will)(?: ?n[o']t|not))\b ?", re.IGNORECASE
)
_OVER = re.compile(r",? any ?(?:more|longer)\b", re.IGNORECASE)
_VERB = re.compile(r"§ (?P<verb>[a-z]+)(?: (?P<v>.+))?")
_PRONOUN = re.compile(r"(?:She|He|They|It)\b|(?P<whose>Her|His|Their|Its)\b")
_NUMERIC = frozenset(("age", "headcount", "price", "valuation", "revenue", "budget", "port"))
_CAUTIOUS = frozenset(("job_title", "editor", "os", "browser", "phone", "laptop", "car"))
"""Relations of which one has several values more often than not: another value replaces one only
with a word of change."""
_LONGEST = 300
_FILLERS = read_words("claims", "words")["fillers"]
_LED = re.compile(r"^(?:set for|planned for|on|at|in|for|due) (?!a )")


@dataclass(frozen=True, slots=True)
class Claim:
    """One relation of a subject with its value. `denied`: the value is said not to hold, or no
    longer. `changed`: the sentence says that the value is new. `sure`: by an edge or a known
    wording; any other claim has a verb or a noun as its predicate, and contradicts its denial and
    what replaced it. `over` are the relations of a value that has ended, `*` for any."""

    predicate: str
    value: str
    denied: bool = False
    changed: bool = False
    sure: bool = True
    over: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class FactStatement:
    """A fact as it is compared: its claims, its words in order, and whether it denies."""

    claims: tuple[Claim, ...]
    words: tuple[str, ...]
    denied: bool


def read_fact(
    content: str, names: Sequence[str], edge: tuple[str, str] | None = None
) -> FactStatement:
    """Read a fact about the subject called `names`, with its edge (predicate, value) if it has
    one."""
    plain = " ".join(content[:_LONGEST].replace("’", "'").split()).rstrip(" .!")
    text = _with_subject(plain, names)
    claims = tuple(_read(text)) if not plain.endswith("?") else ()
    if edge is not None:
        known = find_predicate(edge[0])
        name = known.name if known else edge[0]
        others = (claim for claim in claims if claim.sure and claim.predicate != name)
        claims = (Claim(name, edge[1], changed=bool(_MOODS["now"].search(text))), *others)
    said, denials = _remove_denials(text)
    folded = (fold_word(found[0]) for found in WORD.finditer(said.lower()))
    words = tuple(word for word in folded if word not in _FILLERS)
    return FactStatement(claims, (*words, "?" * plain.endswith("?")), denials > 0)


def read_claims(content: str, names: Sequence[str]) -> tuple[Claim, ...]:
    """Return what a text says for sure of the subject called `names`."""
    return tuple(claim for claim in read_fact(content, names).claims if claim.sure)


def _with_subject(text: str, names: Sequence[str]) -> str:
    """Return the text with a sign in place of the subject's name, or of a pronoun that leads."""
    if found := _PRONOUN.match(text):
        text = ("§'s" if found["whose"] else _SUBJECT) + text[found.end() :]
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _SUBJECT, text, flags=re.IGNORECASE)
    firsts = "|".join(re.escape(name.split()[0]) for name in names if " " in name)
    return re.sub(rf"^(?:{firsts})(?!\w)", _SUBJECT, text) if firsts else text


def _remove_denials(text: str) -> tuple[str, int]:
    """Return a text without its denials, and how many it had."""
    denials = len(_DENIALS.findall(text)) or len(_OVER.findall(text))
    return _DENIALS.sub(_affirm, _OVER.sub("", text)), denials


def is_loose(text: str) -> bool:
    """Return whether a sentence states nothing of now: it doubts, plans, reports or tells of
    before."""
    return bool(_MOODS["loose"].search(text))


def _read(text: str) -> Iterator[Claim]:
    if is_loose(text):
        return
    changed = bool(_MOODS["now"].search(text))
    said = " ".join(_MOODS["idle"].sub(" ", _MOODS["now"].sub(" ", text)).split()).strip(" ,")
    for over, pattern in _ends():
        if found := pattern.fullmatch(said):
            yield Claim("", found["v"], denied=True, over=over)
            return
    plain, denials = _remove_denials(said)
    if denials > 1:
        return
    claims = [
        claim
        for predicate, pattern, new in _forms()
        if (found := pattern.fullmatch(plain))
        and (claim := _claim(found, predicate, denied=denials > 0, changed=changed or new))
    ]
    yield from claims
    if not claims and (found := _VERB.fullmatch(plain)):
        verb, value = fold_word(found["verb"]), found["v"] or ""
        yield Claim(verb, value, denied=denials > 0, changed=changed, sure=False)


def _claim(found: re.Match[str], predicate: str, *, denied: bool, changed: bool) -> Claim | None:
    """Return the claim that a wording states; None if its value is none of that relation."""
    value = _LED.sub("", found["v"]).strip(" ,.")
    if predicate:
        elsewhere = predicate == "lives_in" and changed and not _place_in(value)
        return None if elsewhere else Claim(predicate, value, denied, changed)
    known = find_predicate(found["n"])
    if known is None:
        return Claim(f"its {found['n'].lower()}", value, denied, changed, sure=False)
    if known.range in (PERSON, COMPANY) and not found["v"][:1].isupper():
        return None
    return Claim(known.name, value, denied, changed)


def _affirm(found: re.Match[str]) -> str:
    """Return a denial without its negation: "is not" → "is", "does not" → ""."""
    verb = re.match(r"(?:is|are|has|have|can)(?![a-mo-z])", found[0])
    return verb[0] + " " if verb else ""


@lru_cache(maxsize=1)
def _forms() -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    """Return the wordings: the predicate ("" where a noun names it), the pattern, whether new."""
    lines = [
        (name, line)
        for name, rows in read_lines("claims", "forms").items()
        for line in rows
        if line
    ]
    lines += [("", line) for line in read_lines("claims", "nouns")["of"] if line]
    return tuple((name, _compile(line.removeprefix("> ")), line[0] == ">") for name, line in lines)


@lru_cache(maxsize=1)
def _ends() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    rows = read_lines("claims", "ends").items()
    return tuple(
        (frozenset(names.split()), _compile(line))
        for names, lines in rows
        for line in lines
        if line
    )


def _compile(line: str) -> re.Pattern[str]:
    return re.compile(expand(line, read_fragments("claims")))


def compare(later: FactStatement, earlier: FactStatement) -> StatementVerdict:
    """Compare a later fact with an earlier one of the same subject."""
    same = 0
    for new in later.claims:
        matches = [_compare_claims(new, old) for old in earlier.claims]
        for match in matches:
            if isinstance(match, StatementVerdict):
                return match
        same += _SAME in matches
    alike = later.words == earlier.words and later.denied == earlier.denied
    if alike or (same and same == len(later.claims) and _claims_only(later)):
        return REPETITION
    return AGREEMENT if same else UNRELATED_VERDICT


def _claims_only(statement: FactStatement) -> bool:
    """Return whether a statement says nothing beside sure claims."""
    said = {word for claim in statement.claims for word in value_key(claim.value)}
    beside = set(statement.words) - said - {"", _SUBJECT}
    return all(claim.sure for claim in statement.claims) and len(beside) <= _MOST_BESIDE


_MOST_BESIDE = 3
"""Words of a claim's wording beside its value."""
_SAME, _APART = "same", ""


def _compare_claims(new: Claim, old: Claim) -> StatementVerdict | str:
    """Return the verdict if two claims exclude each other, else whether they are the same."""
    if new.over:
        return _end_value(new, old)
    if new.predicate != old.predicate:
        return _APART
    if new.denied != old.denied:
        return _deny_value(new, old)
    values = _compare_values(new.predicate, new.value, old.value)
    if values != _OTHER or new.denied:
        return values if values == _SAME else _APART
    if not (_excludes(new, old) if new.sure else _is_swapped(new, old)):
        return _APART
    reason = f"{new.predicate.replace('_', ' ')} was {old.value} and is {new.value}"
    return StatementVerdict(CONTRADICT, reason)


def _end_value(new: Claim, old: Claim) -> StatementVerdict | str:
    """Return the verdict if a claim says that the value of an older one is over. What happened
    once, such as a move, is not over."""
    ends = new.over & {"*", old.predicate} and not (old.denied or old.over or old.changed)
    if not ends or not value_key(new.value) <= value_key(old.value):
        return _APART
    return StatementVerdict(CONTRADICT, f"says that this is over: {new.value}", ends=True)


def _deny_value(new: Claim, old: Claim) -> StatementVerdict | str:
    """Return the verdict if one of two claims denies the whole of what the other says."""
    denied, said = (new, old) if new.denied else (old, new)
    if not value_key(denied.value) <= value_key(said.value):
        return _APART
    over = f"{new.predicate.replace('_', ' ')} is no longer {old.value}"
    return StatementVerdict(CONTRADICT, over if new.denied else "says what was denied", new.denied)


def _excludes(new: Claim, old: Claim) -> bool:
    """Return whether another value of a relation replaces the one before."""
    known = find_predicate(new.predicate)
    if known is None or not known.functional:
        return False
    if known.name not in _CAUTIOUS or new.changed:
        return True
    return known.name == "job_title" and new.value.split()[-1:] == old.value.split()[-1:]


def _is_swapped(new: Claim, old: Claim) -> bool:
    """Return whether the later claim has another value for the same words, as of now."""
    first, second = value_key(new.value), value_key(old.value)
    few = all(0 < len(words) <= _MOST_SWAPPED for words in (first - second, second - first))
    return new.changed and " " in new.predicate and few


_MOST_SWAPPED = 2

_LONG_NAMES = (
    "san francisco", "los angeles", "palo alto", "mountain view", "san jose", "san diego",
    "bay area", "silicon valley", "new york", "las vegas", "north carolina",
)  # fmt: skip
"""Names of several words."""


@lru_cache(maxsize=1)
def _places() -> dict[str, frozenset[str]]:
    """Return every place, with those in which it lies."""
    wider: dict[str, set[str]] = {}
    for whole, parts in read_rows("places", "places").items():
        wider.setdefault(whole, set())
        for name in _LONG_NAMES:
            if name in parts:
                wider.setdefault(name, set()).add(whole)
                parts = parts.replace(name, " ")
        for part in parts.split():
            wider.setdefault(part, set()).add(whole)
    for name, areas in wider.items():
        wider[name] = areas.union(*(wider.get(area, set()) for area in areas))
    return {name: frozenset(areas) for name, areas in wider.items()}


def _lies_in(part: str, whole: str) -> bool:
    """Return whether one place is known to lie in another."""
    return whole in _places().get(part, frozenset())


@lru_cache(maxsize=1024)
def _place_in(text: str) -> str:
    """Return the narrowest place that a text names, in lower case, "" for none."""
    lower = f" {spell_out(text)} "
    found = [name for name in _places() if f" {name} " in lower]
    return max(found, key=lambda name: (len(_places()[name]), len(name)), default="")


_OTHER, _UNCLEAR = "other", "unclear"


def _compare_values(predicate: str, one: str, other: str) -> str:
    first, second = value_key(one), value_key(other)
    if first == second or one.lower() == other.lower():
        return _SAME
    if places := _places_in(predicate, one, other):
        return _compare_places(*places)
    times = _period_in(one), _period_in(other)
    if times[0] and times[1]:
        return _compare_periods(times[0], times[1])
    if predicate in _NUMERIC:
        return _SAME if numbers_of(one) == numbers_of(other) else _OTHER
    return _UNCLEAR if any(times) or _is_part(one, other) or _is_part(other, one) else _OTHER


def _is_part(one: str, other: str) -> bool:
    """Return whether a value may be another in fewer words or letters."""
    return other.endswith(one) or value_key(one) <= value_key(other)


def _places_in(predicate: str, one: str, other: str) -> tuple[str, str] | None:
    """Return the known places that two values of a relation to a place name."""
    known = find_predicate(predicate)
    places = _place_in(one), _place_in(other)
    return places if known is not None and known.range == PLACE and all(places) else None


def _compare_places(one: str, other: str) -> str:
    within = _lies_in(one, other) or _lies_in(other, one)
    return _SAME if one == other else _UNCLEAR if within else _OTHER


_NOON = 1_735_732_800.0
"""The moment from which dates without a year are read, the same for both."""


@lru_cache(maxsize=1024)
def _period_in(value: str) -> Period | None:
    found = find_periods(value, _NOON) if any(map(str.isdigit, value)) or "day" in value else []
    return found[0] if len(found) == 1 else None


def _compare_periods(one: Period, other: Period) -> str:
    if (one.start, one.end) == (other.start, other.end):
        return _SAME
    year_open = one.yearless != other.yearless
    within = one.start <= other.start and other.end <= one.end
    around = other.start <= one.start and one.end <= other.end
    return _UNCLEAR if within or around or year_open else _OTHER
