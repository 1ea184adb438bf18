"""What the vault is about, and how near something from outside comes to it.

Three things tell: names that it knows (its projects, people and companies), its tags, and words of
its entries' titles. Where these say little nothing else is asked; where they say something, recall
is asked what the vault knows of it, and whether that is likely to be about the same.
"""

from __future__ import annotations

import re
from math import log

from engrain.engine.recall.query import CHATTER
from engrain.model.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.learn.forward.items import Passage
    from engrain.seam.rows import Row

_KNOWN = Filter(statuses=(ACTIVE,), zones=(LIVE,))
_ENTITY = "entity"
_WORD = re.compile(r"[^\W_](?:[\w'’+#-]*[^\W_+#]|[\w+#]*)")
_LEAST_NAME = 3
_LONGEST_NAME = 4
_MOST_WORDS = 400
_COMMON_SHARE, _COMMON = 0.02, 20
"""A word in more than so many titles tells nothing of any."""
_NAMED, _NAMED_IN_TITLE, _TAGGED, _TITLED = 0.45, 0.6, 0.12, 0.7
_MOST_TAGS = 2
_LEAST_WORDS = 2
_WORTH_ASKING = 0.2
_RECALLED = 0.6
_MOST_TOUCHED = 3
_QUERY = 240
STOP = frozenset(
    """about above after all also and are because been before being between both but can could did
    does down during each for from had has have her here him his how into its just more most new
    not off only other our out over own same she should some such than that the their them then
    there these they this those through too under until use used using very was were what when
    where which while who why will with would you your""".split()
) | CHATTER  # fmt: skip


class Nearness:
    """How near a passage comes to the vault, from 0 to 1; the names and tags of the vault that it
    has, and the rows of the entries that it touches. `words` are those that told."""

    __slots__ = ("names", "score", "tags", "touched", "words")

    def __init__(self) -> None:
        self.score = 0.0
        self.names: list[str] = []
        self.tags: list[str] = []
        self.touched: list[Row] = []
        self.words: frozenset[str] = frozenset()

    @property
    def project(self) -> str | None:
        """The one project of all that it touches, None where there are several or none."""
        found = {row.project for row in self.touched}
        return found.pop() if len(found) == 1 else None


class Topics:
    """What a vault is about, by the words of its entries' titles."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        self._by_word: dict[str, list[int]] = {}
        self._titles: list[tuple[Row, frozenset[str]]] = []
        for row in sorted(store.index.find(_KNOWN), key=lambda row: row.id):
            self._add(row)
        most = max(_COMMON, int(_COMMON_SHARE * len(self._titles)))
        self._weights = {
            word: log(1 + len(self._titles) / len(found))
            for word, found in self._by_word.items()
            if len(found) <= most
        }

    def look(self, passage: Passage) -> Nearness:
        """How near a passage comes by its words alone."""
        near = Nearness()
        title = passage.item.title
        words = _WORD.findall(f"{title} {passage.heading} {passage.text}")[:_MOST_WORDS]
        found = frozenset(map(str.casefold, words))
        near.names = self._find_names(words)
        in_title = self._find_names(_WORD.findall(title)) if near.names else []
        near.tags = sorted({self._tags[word] for word in found if word in self._tags})
        near.touched, titled, near.words = self._find_titles(found)
        named = _NAMED_IN_TITLE if in_title else _NAMED if near.names else 0.0
        tagged = _TAGGED * min(len(near.tags), _MOST_TAGS)
        near.score = 1 - (1 - named) * (1 - tagged) * (1 - _TITLED * titled)
        telling = {word for name in near.names for word in name.casefold().split()}
        near.words |= telling | set(near.tags)
        return near

    def ask(self, passage: Passage, near: Nearness) -> None:
        """Have recall say what the vault knows of it, where its words say something."""
        if near.score < _WORTH_ASKING:
            return
        from engrain.engine.recall.pipeline import Request, choose_profile, recall_entries
        from engrain.engine.scope import Scope

        told = [passage.item.title, passage.heading.rpartition(" > ")[2], *near.names]
        query = " ".join(dict.fromkeys(part for part in told if part))[:_QUERY]
        request = Request(
            query, choose_profile("deep", limit=_MOST_TOUCHED, budget=None, half_life=None),
            Scope(all_projects=True), scan=False,
        )  # fmt: skip
        recall = recall_entries(self._store, request)
        near.score = 1 - (1 - near.score) * (1 - _RECALLED * recall.relevance)
        there = {row.id for row in near.touched}
        near.touched += [found.row for found in recall.results if found.row.id not in there]
        del near.touched[_MOST_TOUCHED:]

    def _add(self, row: Row) -> None:
        if row.project and len(row.project) >= _LEAST_NAME:
            self._names.setdefault(_name_key(row.project), row.project)
        if row.kind == _ENTITY and len(row.title) >= _LEAST_NAME:
            self._names.setdefault(_name_key(row.title), row.title)
        for tag in row.tags:
            if len(tag) >= _LEAST_NAME:
                self._tags.setdefault(tag.casefold(), tag)
        words = frozenset(
            word
            for word in map(str.casefold, _WORD.findall(row.title))
            if len(word) > 1 and word not in STOP
        )
        if len(words) >= _LEAST_WORDS:
            for word in words:
                self._by_word.setdefault(word, []).append(len(self._titles))
            self._titles.append((row, words))

    def _find_names(self, words: list[str]) -> list[str]:
        """The names among some words; one of a single word counts as it is written, or as names
        begin."""
        found: dict[str, None] = {}
        for length in range(1, _LONGEST_NAME + 1):
            for start in range(len(words) - length + 1):
                said = " ".join(words[start : start + length])
                name = self._names.get(_name_key(said))
                if name is not None and (length > 1 or said[0].isupper() or not name[0].isupper()):
                    found[name] = None
        return list(found)

    def _find_titles(self, words: frozenset[str]) -> tuple[list[Row], float, frozenset[str]]:
        """The entries whose titles it has most of, how much of the first, and by which words."""
        shared: dict[int, float] = {}
        for word in words & self._weights.keys():
            for at in self._by_word[word]:
                shared[at] = shared.get(at, 0.0) + self._weights[word]
        ranked = []
        for at, weight in shared.items():
            row, title = self._titles[at]
            whole = sum(self._weights.get(word, 0.0) for word in title)
            if len(title & words & self._weights.keys()) >= _LEAST_WORDS:
                ranked.append((weight / whole, row.id, at))
        ranked.sort(key=lambda one: (-one[0], one[1]))
        best = [at for _, _, at in ranked[:_MOST_TOUCHED]]
        telling = frozenset[str]().union(*(self._titles[at][1] & words for at in best))
        return [self._titles[at][0] for at in best], ranked[0][0] if ranked else 0.0, telling


def _name_key(name: str) -> str:
    return " ".join(_WORD.findall(name)).casefold()
