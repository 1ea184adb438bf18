"""Reads a query, and compares it with passages by vectors: which lie near it, and how near (S1.18).

Each passage has a vector of itself and, if it is a short piece of a thread, one of itself with its
neighbours. Cosines of different models can't be compared, so they are measured in standard
deviations above the mean of the query's cosines with passages chosen independently of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from engrain.engine.core.vectors import context_key, own_key
from engrain.language.telling import MOST, find_telling
from engrain.language.text.instants import to_local
from engrain.language.text.periods import find_periods
from engrain.model.errors import ConfigError, EmbeddingError, IndexUnavailableError

if TYPE_CHECKING:
    from engrain.engine.core.vectors import Vectors
    from engrain.index.rows import Found, Keyed, Place
    from engrain.index.view import IndexView
    from engrain.language.text.periods import Period
    from engrain.seam.embedder import Embedder, EmbedderLink


_NAME_WORDS = 64
"""The words in which names are looked for, half at the beginning and half at the end."""
_LONGEST_NAME = 4

_WORD = r"[^\W_](?:[\w.'’/-]*\w)?"
_OWNERS = ("'s", "’s", "'", "’")
_TAG = re.compile(r"(?<!\S)#(\w[\w/-]{0,63})")
_ID = r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])"
_LINK = re.compile(r"\[\[\s*([^\[\]|#\s][^\[\]|#\n]{0,299})")


_CHATTER = """
a again ahead alright also and any but continue cool correct do does done exactly fine go going
good great hello help hey hi i in is it just keep let like looks makes maybe me more my nice no
not now of ok okay on perfect please proceed ready right sense so sorry start stop sure thank
thanks that the then there these this to try us wait want way we well what works yeah yep yes you
your
"""
CHATTER = frozenset(_CHATTER.split())
"""Words that speak to an agent without asking for anything."""


_LONGEST_TITLE = 8
"""The most words of a query that as a whole may be an entry's name."""


class Query:
    """A query: the `head`, its telling parts; the `ids`, `[[links]]` and `#tags` in it; the runs of
    words that may be `names`, and the longer ones, that may be `titles`; and its `periods` of time
    relative to `now`. `chatter` is true for a query that asks for nothing, such as "thanks, go on".
    """

    __slots__ = ("chatter", "head", "ids", "links", "names", "now", "periods", "tags", "titles")

    def __init__(self, text: str, now: float) -> None:
        whole = _compose(text[:MOST])
        self.head = _compose(find_telling(text))
        written = re.findall(_WORD, self.head)
        self.ids = re.findall(_ID, whole)
        self.links = _find_links(whole)
        self.tags = _TAG.findall(whole) if "#" in whole else []
        words = list(map(_without_owner, written))
        self.names = _make_runs(words, 1, _LONGEST_NAME)
        self.titles = _make_runs(written, 2, _LONGEST_TITLE)
        self.chatter = bool(words) and all(word.casefold() in CHATTER for word in words)
        self.now = now
        self.periods: list[Period] = find_periods(self.head, to_local(now))


def _find_links(head: str) -> list[str]:
    """Return the targets of links; a query that is only a path, slug, title or alias is one too."""
    if "[[" in head:
        return _LINK.findall(head)
    words = head.split(maxsplit=_LONGEST_TITLE)
    whole = " ".join(words)
    return [whole] if len(words) <= _LONGEST_TITLE and not whole.isalnum() and whole else []


def _without_owner(word: str) -> str:
    return next((word[: -len(end)] for end in _OWNERS if word.endswith(end)), word)


def without(text: str, names: Sequence[str]) -> str:
    """Return a text without some names and their possessive marks."""
    if not names:
        return text

    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b(?:['’]s|s['’])?", "", text, flags=re.IGNORECASE)
    return text


def _compose(text: str) -> str:
    """Return a text in NFC (letter and marks in one character), the form in which names are
    compared."""
    if text.isascii():
        return text
    return normalize("NFC", text)


def _make_runs(words: Sequence[str], least: int, most: int) -> list[str]:
    """Return the runs of `least` to `most` words."""
    if len(words) > _NAME_WORDS:
        words = [*words[: _NAME_WORDS // 2], *words[-_NAME_WORDS // 2 :]]
    runs = (
        " ".join(words[start : start + length])
        for length in range(least, most + 1)
        for start in range(len(words) - length + 1)
    )
    return list(dict.fromkeys(runs))


VECTOR_CHANNELS = ("meaning", "surroundings")
"""The channels of vectors: of passages by themselves, and with their neighbours."""
_CROWD = 10
"""The number of passages after the nearest one that show whether it stands out."""
ENOUGH = 0.9
"""The share of the passages that must have vectors of a model before it takes part."""


class Meaning:
    """The vectors of one recall, which come from the first link of the chain that can answer.

    `link` and `model` name it, "" for none; `lost` says why each earlier link could not answer.
    `crowd` is the mean cosine of the ten passages after the nearest one.
    """

    def __init__(self, vectors: Vectors, *, deadline: float | None = None) -> None:
        self._vectors = vectors
        self._deadline = deadline
        self._embedder: Embedder | None = None
        self._vector = b""
        self._asked = False
        self._nearest: dict[int, list[int]] = {}
        self._known: dict[bytes, float] = {}
        self._most: dict[int, float] = {}
        self.lost: list[str] = []
        self.background = (0.0, 1.0)
        self.crowd = 0.0

    @property
    def possible(self) -> bool:
        """Whether there are any vectors, and an embedder for the query. Raises ConfigError if the
        embedder that the settings name can't run; under a deadline that is noted in `lost` instead,
        and words answer alone."""
        vectors = self._vectors
        try:
            if vectors.named and not vectors.links:
                return False
            return vectors.exist() and bool(vectors.links)
        except ConfigError as error:
            if self._deadline is None:
                raise
            self.lost.append(error.message)
            return False

    @property
    def link(self) -> str:
        return self._embedder.link if self._embedder else ""

    @property
    def model(self) -> str:
        return self._embedder.model if self._embedder else ""

    @property
    def orders_only(self) -> bool:
        """Whether vectors can only order what words find: the chain has token vectors alone, and a
        caller with a deadline is not shown the nearest entries."""
        hurried = self._deadline is not None
        return hurried and all(link.name == "static" for link in self._vectors.links)

    @property
    def judge(self) -> str:
        """The model whose cosines help to decide on silence, "" for none."""
        return self._embedder.model if self._embedder and self._embedder.answers else ""

    def ask(self, query: Query, speakers: Sequence[str], sample: Collection[Found]) -> None:
        """Embed the query with the first link that can run and has vectors of most of the sample.
        Only the first call does anything.

        Speakers whom the query names are left out of its text, since another channel matches them.
        """
        if self._asked:
            return
        self._asked = True
        text = without(query.head, speakers).strip() or query.head
        for link in self._vectors.links:
            reason = self._try(link, text, sample)
            if reason is None:
                return
            self.lost.append(f"{link.name}: {reason}")

    def _try(self, link: EmbedderLink, text: str, sample: Collection[Found]) -> str | None:
        missing = link.missing()
        if missing:
            return missing
        waits = self._deadline is None and not self._vectors.served
        try:
            embedder = link.open() if waits else link.begin()
            if embedder is None:
                return "the model is being loaded"
            keys = {own_key(found.key) for found in sample}
            lacking = len(self._vectors.index.missing(embedder.model, keys))
            if lacking > (1 - ENOUGH) * len(keys):
                return f"{lacking} of {len(keys)} passages lack vectors; run `engrain jobs embed`"
            [self._vector] = embedder.embed([text], deadline=self._deadline)
            self.background = self._vectors.index.background(embedder.model, self._vector)
        except (EmbeddingError, IndexUnavailableError) as error:
            return error.message
        self._embedder = embedder
        return None

    def leave_english(self) -> None:
        """Take no part with the vectors of English words, which say nothing about others."""
        if self.link == "static":
            self._embedder = None
            self.lost.append("static: the question is in another language than the vault")

    def nearest(self, limit: int) -> list[int]:
        """Return the keys of the nearest passages."""
        if self._embedder is None:
            return []
        if limit not in self._nearest:
            found = self._vectors.index.nearest(self.model, self._vector, limit)
            cosines: dict[int, float] = {}
            for key, cosine in found:
                cosines.setdefault(int.from_bytes(key[:8], "little", signed=True), cosine)
            next_ones = list(cosines.values())[1 : 1 + _CROWD]
            self.crowd = sum(next_ones) / len(next_ones) if next_ones else 0.0
            self._nearest[limit] = list(cosines)
            self._known, self._most = dict(found), cosines
        return self._nearest[limit]

    def compare(self, passages: Iterable[Found]) -> tuple[dict[int, float], dict[int, float]]:
        """Return the cosines of some passages: by themselves, and with their neighbours."""
        if self._embedder is None:
            return {}, {}
        keys = {found.passage: (own_key(found.key), context_key(found)) for found in passages}
        wanted = {key for pair in keys.values() for key in pair}
        cosines = self._vectors.index.similarities(self.model, self._vector, wanted)
        own = {p: cosines[pair[0]] for p, pair in keys.items() if pair[0] in cosines}
        around = {p: cosines.get(pair[1], own[p]) for p, pair in keys.items() if p in own}
        return own, around

    def bound(self, keys: Iterable[int]) -> dict[int, tuple[float, float]]:
        """Return the cosine of each of some nearest passages by its key, and the most that it can
        have with its neighbours: a vector that is not among the nearest is no nearer than these."""
        alone = {key: own_key(key) for key in keys}
        unknown = [key for key in alone.values() if key not in self._known]
        known = self._known | self._vectors.index.similarities(self.model, self._vector, unknown)
        own = {key: known[whole] for key, whole in alone.items() if whole in known}
        return {key: (cosine, max(cosine, self._most[key])) for key, cosine in own.items()}

    def calibrate(self, cosines: dict[int, float]) -> dict[int, float]:
        """Return cosines in standard deviations above the mean of unrelated passages."""
        mean, deviation = self.background
        return {passage: (cosine - mean) / deviation for passage, cosine in cosines.items()}


class Distant:
    """Passages that only vectors found, and that may be too far to be shown, until they are
    compared: `most` has the greatest sum of weighted scores that each can have.

    A short text that a thousand entries share has one vector, so each of these entries is found by
    it. What a passage can score at most is known from that vector alone. Only what may reach the
    best entries is read and compared together with its neighbours.
    """

    __slots__ = ("_meaning", "_spoken", "most")

    def __init__(
        self,
        places: Collection[Keyed],
        meaning: Meaning,
        speakers: Collection[str],
        weights: Mapping[str, float],
    ) -> None:
        self._meaning = meaning
        self._spoken = {place[0] for place in places if place[8] in speakers}
        bounds = meaning.bound({place[7] for place in places})
        sums = dict.fromkeys(bounds, 0.0)
        for at, name in enumerate(VECTOR_CHANNELS):
            cosines = {key: pair[at] for key, pair in bounds.items()}
            for key, score in meaning.calibrate(cosines).items():
                sums[key] += weights.get(name, 0.0) * score
        said = weights.get("speaker", 0.0)
        self.most = {
            place[0]: sums.get(place[7], 0.0) + said * (place[0] in self._spoken)
            for place in places
        }

    def find(self, places: Mapping[int, Place], least: float) -> set[int]:
        """Return the entries of those passages that may score `least`."""
        return {places[passage][1] for passage, most in self.most.items() if most >= least}

    def compare(
        self, view: IndexView, passages: Sequence[int], scores: dict[str, dict[int, float]]
    ) -> dict[int, Found]:
        """Read some of the passages, and add their scores; they are no longer distant."""
        if not passages:
            return {}
        found = view.details(passages)
        compared = self._meaning.compare(found.values())
        for name, cosines in zip(VECTOR_CHANNELS, compared, strict=True):
            scores[name].update(self._meaning.calibrate(cosines))
        spoken = self._spoken.intersection(found)
        scores["speaker"].update(dict.fromkeys(spoken, 1.0))
        for passage in found:
            del self.most[passage]
        return found
