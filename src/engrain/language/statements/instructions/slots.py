"""The words by which a statement is taken apart: data, without grammar.

A statement is one action and what limits it. Which words of an action hold its one value, and which
values exclude each other, stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engrain.language.statements.phrases import kinds_of
from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import fold_word

SOFT = re.compile(
    r"\b(?:from (?:now|here) on|going forward|in (?:the )?future|next time|no longer|no more"
    r"|(?:please )?(?:remember|note|keep in mind|bear in mind)(?: that| to)?|fyi|let's"
    r"|(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|opted|settled)(?: to| on| that| for)?"
    r"|i(?:'d like| want| need| expect) you to|(?:we|i|you)(?: are|'re| am|'m)"
    r"|(?:the |our )?decision(?: is(?: to)?|:)|any ?more|any longer|make sure(?: to| that)?)\b",
    re.IGNORECASE,
)
"""Phrases that only ask for what a statement says."""
CHOOSING = re.compile(
    r"\b(?:(?:go|going|stick|sticking) (?:with|to)|(?:switch(?:ed|ing)?|migrat(?:e|ed|ing))"
    r" (?:over )?to|mov(?:e|ed|ing) (?:over )?to"
    r"|(?:settle|standardi[sz]e) on|prefer|using|choose|pick|want)\b",
    re.IGNORECASE,
)
"""Phrases that stand for `use`."""
FILLERS = vocabulary(
    """a again all also always am an and any anything are's be been can could decided did do does
    doesn't don't each ever everything forward get have i i'd i'll i'm i've it its just kindly may
    might mine much mustn't my need never not now ought our really shall should shouldn't so some
    still sure that the their them then there these they this those us we we'd we'll we're we've
    will would yet you you'd you'll you're your yours avoid quit skip stop against dislike hate
    don’t more whole entire simply only please"""
)
"""Words that say nothing of what a statement is about."""
ADDING = re.compile(
    r"\b(?:must|also|too|both|either|additionally|as well|besides|likewise|supports?)\b", re.I
)
"""Words of a statement that stands beside others of its form."""
LINKS = vocabulary(
    """about after as at because before by during every each for from if in into on onto over per
    since so than to under unless until via when whenever where while with within without"""
)
"""Words that begin a phrase which limits the action, or tells its place, time or means."""
LIMITS = vocabulary(
    "after because before during for if since unless until when whenever where while without"
)
"""Of those the ones that say when something holds, wherever they stand."""
PURPOSES = ("for", "to", "as", "about")
"""Of those the ones that say what something is chosen for."""
OBJECT, LAST, NAME = "object", "last", "name"
_VALUES = """
use follow target ask take apply adopt: object
call name address greet: last object?
be: name object? at on? in?
put store save move clone place file host dump mirror: in to into under at on
keep: object? in to into under at on
write document answer reply respond speak talk log: in? to into at with?
send publish push forward post report upload mail route assign escalate connect: to into via
deploy: to with? on? at? every?
format draw compile lint package sign install: with
build work start: with?
run: object? with? on? at? in? every?
listen live begin end start release plan meet schedule hold: on? at? in? every?
set limit wrap indent cap pin bump raise retry: object? to at by
print book: on in
commit merge rebase: on to into
open: against in? with?
tag label mark address: as
round: to
"""
"""By verb where its one value stands: in its object, in the last word or a name of that, or behind
one of the words given; with `?` only where two values are known to exclude each other."""
_SCOPED = vocabulary(
    """dev development stage staging prod production local locally laptop server ci qa
    preview canary sandbox windows linux macos mac ubuntu debian fedora ios android iphone ipad arm
    x86 hourly daily weekly monthly quarterly yearly annual chat commit email mail frontend backend
    client"""
)
"""Words for places, and for one of several that recur, in which several things hold at once: one
does not exclude another."""
DEFINITE = re.compile(r"\bthe ([\w-]+) [a-z]")
"""The word that says which one of a sort is meant."""
GENERAL = re.compile(r"\ban? ([a-z]+)|\b([a-z]{2,}(?:[^\Ws]s|ing))\b")
"""A word for any of a sort, and no name of one: several serve one purpose."""
_RIVALS = """
tab space; single double; dark light; short long; camelcase snake_case kebab-case pascalcase;
british american; metric imperial; upper lower; window aisle; tea coffee; debug release;
debug info warning error trace; test check verify; npm pnpm yarn bun; pip pipx uv poetry conda;
black ruff autopep8 yapf; apt snap brew dnf yum flatpak; bash zsh fish powershell cmd;
squash rebase merge; euro dollar pound franc yen; http https; json yaml toml xml; gcc clang msvc;
markdown rst restructuredtext asciidoc html;
monday tuesday wednesday thursday friday saturday sunday;
january february march april may june july august september october november december;
hour day night week month quarter year;
morning noon afternoon evening; german english french spanish italian dutch portuguese polish
japanese chinese russian; first second third last; big small; verbose quiet terse; light heavy;
left right; top bottom; horizontal vertical; ascending descending; public private
"""
_FORMS = tuple(
    map(
        re.compile,
        (
            r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d",
            r"v?\d[\d.,]*(?:[a-z%]+)?",
            r"--?[A-Za-z][\w=-]*",
            r"[a-z]",
            r"(?=.*[/*~]|.*\w\.\w|.*\w_\w)\S+",
        ),
    )
)
"""Ways to write a value: a time, a number or version, a flag, a letter that names one of several, a
path, a pattern or an address. Two of one form exclude each other."""
_NUMBER, _FLAG = _FORMS[1:3]
_NUMBERED = re.compile(r"([A-Za-z]+)\d[\d.]*")
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def value_places() -> dict[str, frozenset[str]]:
    """By verb, folded, where its one value stands."""
    return _by_word(line.split(":") for line in _VALUES.strip().splitlines())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    return _by_word((line, line) for line in _RIVALS.split(";"))


def _by_word(rows: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Of rows of words and what they have in common: that by each word, folded."""
    table: dict[str, frozenset[str]] = {}
    for words, told in rows:
        for word in map(fold_word, words.split()):
            table[word] = table.get(word, frozenset()) | frozenset(told.split())
    return table


@lru_cache(maxsize=1)
def _scoped() -> frozenset[str]:
    return frozenset(map(fold_word, _SCOPED))


def are_rivals(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two different values of one place are known to exclude each other."""
    if are_apart(one, other):
        return False
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


def are_apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two values are known not to exclude each other: words for places where several things
    hold, or words of which only one is of a sort, or both of different ones."""
    if _scoped() & {*one, *other}:
        return True
    sorts = [
        frozenset[str]().union(*(_groups().get(word, _NONE) for word in words))
        for words in (one, other)
    ]
    return bool(sorts[0] or sorts[1]) and not sorts[0] & sorts[1]


def are_quantities(one: Sequence[str], other: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether two values are numbers of what the words `behind` them count."""
    counted = bool(behind) and behind[0].isalpha() and behind[0] != "of"
    return counted and all(map(_NUMBER.fullmatch, (*one, *other)))


def are_flags(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two values are options of a command."""
    return all(map(_FLAG.fullmatch, (*one, *other)))
