"""Puts the newer of two statements about one thing before the older one (DESIGN 18).

A later entry of the same kind and project is taken for the newer statement if it begins with what
the earlier one ends with ("We submit to JMLR", "JMLR is too slow"), speaks of a change ("now",
"moved", "no longer"), or fits the question by the same words and nearly as well. That is how people
correct themselves; where the two are about different things, both are given, and only their order
is wrong. docs/recall.md says how often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from engrain.engine.core.scope import Scope, recall_filter
from engrain.engine.recall.rejection import weigh_words
from engrain.language.text.folding import fold

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.ranking import Ranked
    from engrain.engine.recall.rejection import Evidence
    from engrain.seam.rows import Row


LOOKED_AT = 10
"""The number of best entries among which a newer one is looked for."""
SHARE = 0.25
"""The least share of the older one's score that the newer one has."""
GOOD = 0.8
"""The least share of the best score that the older one has; weaker ones are about other things."""
NEARLY = 0.6
"""The least share of the older one's score for the newer one that has the same words."""
LIKE = 0.25
"""The least share of the words of the older title that the title of such a newer one has."""
HALF = 0.5
"""The least share of the weight of the older one's words of the question that the newer one has if
it speaks of a change."""
ASKED = 0.3
"""The least share of the weight of the question's words that both have, for a mark."""
LATER = 86_400.0
"""The least seconds between the two: what is noted within a day belongs together."""
SAME = 0.4
"""The share of the words of the older title, from which on it is called an older statement."""

_LEAST = 1e-9
_MOST_MATCHED = 20
_MOST_READ = 3
_HEAD = 400
"""The characters of a text that are compared."""
_WORD = re.compile(r"[^\W_]{3,}")
# What people write where something is not as it was.
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|instead|these days|nowadays|since|switched|moved|changed"
    r"|replaced|replaces|raised|lowered|increased|reduced|relaxed|retired|cancell?ed|dropped|gone"
    r"|agreed|coming (?:year|month|week)|shut down|migrated|upgraded|as of|insisted|became|used to"
    r"|after all|(?-i:new) [a-z]+)\b",
    re.IGNORECASE,
)
_LITTLE = frozenset(
    {
        "all", "and", "any", "are", "before", "but", "can", "did", "does", "for", "from", "had",
        "has", "have", "how", "into", "its", "may", "must", "not", "now", "one", "our", "over",
        "should", "since", "some", "that", "the", "there", "these", "this", "those", "until", "use",
        "was", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would",
        "you", "your",
    }
)  # fmt: skip


def put_newer_first(
    ranked: Sequence[Ranked], evidence: Evidence, question: str
) -> tuple[list[Ranked], dict[str, str]]:
    """Return entries in their order, but each newer statement at the place and with the score of
    the older one; and by the id of each that is surely an older statement, the id of the newer."""
    items = list(ranked)
    asked = _telling(question)
    older: dict[str, str] = {}
    moved: set[str] = set()
    at = 0
    while at < min(LOOKED_AT, len(items)) and items[at].score >= GOOD * items[0].score:
        old = items[at]
        later = [
            new
            for new in items[at + 1 : LOOKED_AT]
            if new.row.id not in moved
            and _may_replace(new, old)
            and (_takes_up(new.row.title, old.row.title, asked) or _changes(new, old, evidence))
        ]
        if later:
            newest = max(later, key=lambda item: item.row.created or 0.0)
            items.remove(newest)
            items.insert(at, newest)
            moved.add(newest.row.id)
            newest.priors["newer"] = old.score / newest.score
            newest.score = old.score
            newest.fit = newest.fit or old.fit
        at += 1
    for at, new in enumerate(items[:LOOKED_AT]):
        for old in items[at + 1 : LOOKED_AT]:
            if _may_replace(new, old) and _says_again(new, old, evidence, asked):
                older.setdefault(old.row.id, new.row.id)
    return items, older


def find_older(store: Store, reference: str) -> Row | None:
    """Return the current entry that looks most like an older statement of what an entry says, None
    if none does. It reads three entries at most, whatever the vault's size. Raises
    NotFoundError."""
    row = store.find_one(reference)
    said = _read_words(store, row)
    older = [one for one in find_near(store, row) if (one.created or 0) <= (row.created or 0)]
    alike = [(_alike(said, _read_words(store, one)), one) for one in older[:_MOST_READ]]
    best, found = max(alike, key=itemgetter(0), default=(0.0, row))
    return found if best >= SAME else None


def find_near(store: Store, row: Row) -> list[Row]:
    """Return the current entries of an entry's kind and project whose words are nearest to its own,
    the nearest first."""
    only = recall_filter(store, Scope(kinds=[row.kind], project=row.project or ""))
    with store.index.view() as view:
        words = " ".join(_read_words(store, row))
        evidence = weigh_words(view.match(words, only, _MOST_MATCHED))
        numbers = [evidence.places[passage][1] for passage in evidence.best(_MOST_MATCHED)]
        rows = view.rows(numbers)
    near = [rows[number] for number in dict.fromkeys(numbers) if number in rows]
    return [one for one in near if one.id != row.id]


def _read_words(store: Store, row: Row) -> list[str]:
    entry = store.find_entry(row.locator)
    return list(dict.fromkeys(_telling(f"{row.title} {entry.text[:_HEAD] if entry else ''}")))


def _alike(words: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of the fewer words that are in both texts, 0 for a single word."""
    both = set(words).intersection(others)
    return len(both) / min(len(words), len(others)) if len(both) > 1 else 0.0


def _may_replace(new: Ranked, old: Ranked) -> bool:
    """Whether an entry is later than another of the same kind and project, and nearly as good; what
    was said in talk stays in its order of scores."""
    one, other = new.row, old.row
    return (
        not (_is_talk(new) or _is_talk(old))
        and one.created is not None
        and other.created is not None
        and one.created >= other.created + LATER
        and (one.kind, one.project) == (other.kind, other.project)
        and new.score >= SHARE * old.score
    )


def _is_talk(item: Ranked) -> bool:
    return (item.passages[0].thread or 0) > 0


def _says_again(new: Ranked, old: Ranked, evidence: Evidence, asked: Sequence[str]) -> bool:
    """Whether two entries surely say something of one thing: both have the same words of the
    question, or the later one takes the earlier one up, and their titles are alike."""
    has, had = _words(new, evidence), _words(old, evidence)
    if _share(has & had, evidence) < ASKED:
        return False
    same = has == had
    if not same and not _takes_up(new.row.title, old.row.title, asked):
        return False
    return _share_title(new, old) >= SAME


def _share_title(new: Ranked, old: Ranked) -> float:
    """Return the share of the words of the older title that are in the newer one, 0 for a title of
    one word."""
    words = set(_telling(old.row.title))
    return len(words.intersection(_telling(new.row.title))) / len(words) if len(words) > 1 else 0.0


def _changes(new: Ranked, old: Ranked, evidence: Evidence) -> bool:
    """Whether a later entry fits the question by the same words and nearly as well as the earlier
    one, or speaks of a change and has half of what the earlier one has of the question."""
    had = _words(old, evidence)
    both = had & _words(new, evidence)
    if had and both == had and new.fit and new.score >= NEARLY * old.score:
        return _share_title(new, old) >= LIKE
    enough = _share(both, evidence) >= HALF * _share(had, evidence) > 0
    return bool(enough and _CHANGE.search(new.row.title))


def _words(item: Ranked, evidence: Evidence) -> int:
    return evidence.words(item.passages[0].passage) if item.passages else 0


def _share(words: int, evidence: Evidence) -> float:
    """Return the share of the question's weight that some of its words have."""
    return _weigh(words, evidence.weights) / max(sum(evidence.weights), _LEAST)


def _weigh(words: int, weights: Iterable[float]) -> float:
    return sum(weight for i, weight in enumerate(weights) if words >> i & 1)


def _takes_up(new: str, old: str, asked: Sequence[str]) -> bool:
    """Whether a later title begins with a word of the second half of an earlier one, beyond the
    words of the question: with what was said of the thing."""
    first, said = _telling(new)[:1], _telling(old)
    return any(word not in asked and word in said[len(said) // 2 :] for word in first)


def _telling(text: str) -> list[str]:
    """Return the telling words of a text, folded, without the s of a plural or an owner."""
    words = _WORD.findall(fold(text))
    return [
        word[:-1] if len(word) > 4 and word.endswith("s") else word
        for word in words
        if word not in _LITTLE
    ]
