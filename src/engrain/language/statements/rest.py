"""Conflicts of two clauses that show in their words, where no relation is understood."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from engrain.language.lexicons import read_words
from engrain.language.statements.clauses import Clause
from engrain.language.statements.phrases import END
from engrain.language.statements.reading import Statement
from engrain.language.text.words import fold_word

_WORDS = read_words("statements", "rest")
CARRIERS = frozenset(fold_word(word) for word in _WORDS["carriers"])
_TASTES = frozenset(("lik", "hat"))
_MOST_BESIDE = 2
_BESIDE = frozenset(("add", "part"))


def compare_clauses(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[tuple[str, bool]]:
    """The reasons why an older clause no longer holds, each with whether the newer one says so."""
    if new.marks & {"hedge", "ahead"} or ("once" in new.marks and new.denied):
        return
    if "hedge" in old.marks or old.held or not old.words or "while" in new.marks:
        return
    for words in _over(new, old, later, earlier):
        yield "says that this is over: " + " ".join(words), True
    if new.held or "ahead" in old.marks:
        return
    for reason in (_came(new, old), _reversed(new, old), _affirmed(new, old), _swapped(new, old)):
        if reason:
            yield reason, False


def _over(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[tuple[str, ...]]:
    """What the later clause says is over, if the earlier one states that."""
    if old.denied or old.gone or any(hit.kind == END for hit in old.hits):
        return
    for words in (*new.gone, new.denied):
        named = set(words) - CARRIERS
        if not named and set(old.core) <= CARRIERS | set(words):
            named = set(words)
        if not named or set(new.topic) - named - earlier.words:
            continue
        known = CARRIERS | later.words | named
        beside = sum(word not in known and not word[0].isdigit() for word in old.core)
        if named & set(old.words) and named <= earlier.words and beside <= _MOST_BESIDE:
            yield words


def _came(new: Clause, old: Clause) -> str:
    """The reason if something that was wanted has come."""
    if not old.pending or "settled" not in new.marks or new.denied:
        return ""
    wanted, said = set(old.pending), set(new.words)
    fresh = set(new.core) - set(old.words) - CARRIERS
    met = wanted & said
    if not met or len(fresh) > _MOST_BESIDE or len(wanted - said) > _MOST_BESIDE:
        return ""
    return "says that it came: " + " ".join(sorted(met)) if 2 * len(met) >= len(wanted) else ""


def _reversed(new: Clause, old: Clause) -> str:
    """The reason if one clause likes what the other hates."""
    was, now = set(old.words), set(new.words)
    tastes = was & _TASTES, now & _TASTES
    if old.denied or new.denied or tastes[0] == tastes[1] or any(len(one) != 1 for one in tastes):
        return ""
    return "likes and hates the same" if was - _TASTES == now - _TASTES else ""


def _affirmed(new: Clause, old: Clause) -> str:
    """The reason if the later clause says what the earlier one denies."""
    if not old.denied or new.denied or new.gone:
        return ""
    denied, said = set(old.denied), set(new.words)
    fresh = said - denied - set(old.words) - CARRIERS
    whole = denied <= said and len(fresh) <= 1
    again = "now" in new.marks and old.denied[-1] in said and len(fresh) <= _MOST_BESIDE
    return "says what was denied" if whole or again else ""


def _swapped(new: Clause, old: Clause) -> str:
    """The reason if the later clause gives another value for the same thing, as it is now."""
    if not new.turned or new.other or new.gone or set(new.topic) - set(old.words):
        return ""
    if old.denied or new.denied or "while" in old.marks or _BESIDE & (new.marks | old.marks):
        return ""
    ours, theirs = (_without(one.core, CARRIERS) for one in (new, old))
    was, now = _without(theirs, new.words), _without(ours, old.words)
    few = 0 < len(was) <= _MOST_BESIDE and 0 < len(now) <= _MOST_BESIDE
    return f"{' '.join(was)} is {' '.join(now)} now" if few and ours[0] == theirs[0] else ""


def _without(words: Sequence[str], others: Collection[str]) -> list[str]:
    return [word for word in words if word not in others]
