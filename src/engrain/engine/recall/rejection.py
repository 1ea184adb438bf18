"""Scores passages by the words of a query, and estimates whether anything found is relevant at all
(DESIGN section 9).

A passage scores as in BM25 (Robertson and Zaragoza, 2009) with little weight on repetition. A word
counts by its rarity in the vault and by its surprise in general English, since a word that is rare
here may be plain everywhere. Words that follow each other in the query and stand together in a
passage count more. In a thread a short fragment is understood from its neighbours, so they lend it
a part of their scores; a long one speaks for itself.

The weighted sum of some signals of the candidates is compared with a threshold. docs/recall.md
shows how the weights were chosen, and how well they separate questions that a vault answers from
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, log, sqrt
from typing import TYPE_CHECKING

from engrain.model.note.tiers import EXTERNAL, USED

if TYPE_CHECKING:
    from engrain.engine.recall.meaning import Distant
    from engrain.index.rows import Found, Matches, Met, Occurrence, Place
    from engrain.index.view import IndexView
    from engrain.seam.rows import Row


K1 = 0.4
"""Saturation of repetition (BM25)."""
FEW = 50
"""The least number of passages that count in the rarity of a word."""
B = 0.75
"""How far long passages are discounted (BM25)."""
AVERAGE = 42.0
"""The words of a passage that is neither discounted nor favoured for its length."""
CHARACTERS = 6.0
"""The assumed characters of a word with the blank after it."""
LABELLED = 1.3
"""The factor for a word that is in the title, heading, slug or tags but not in the text."""
TOGETHER = (0.8, 0.4)
"""The share of the lesser weight that two words add when they are side by side in a passage: for
words that are adjacent in the query, and for words with one between them there."""
APART = 12
"""The greatest distance in words at which two words still add something."""

LENT = {-2: 0.2, -1: 0.4, 1: 0.4, 2: 0.2}
"""The share of its score that a fragment lends, by the distance of the one that gets it."""
ANSWER = 0.9
"""The share that a question lends to the next fragment: answers seldom repeat their question."""
LEANING = 600.0
"""The characters of an entry that takes half of what its neighbours lend; longer ones take less."""
LOOKED_AT = 30
"""The most passages, the best by words, that signals and links are read from."""


class Evidence:
    """How strongly the words of a query speak for each passage that has one of them.

    `own` has the scores of the passages' own words; `labelled` has the weights of those words that
    are in the title, heading, slug or tags; `places` has the passages with a bit for each
    word they have, title and tags included; `threaded` has those in threads of several entries.
    `weights`, in unique words (see `rarity`), and `surprises` are by word of the query; `known` is
    the sum of the weights of the words that occur anywhere.
    """

    __slots__ = (
        "_best", "_totals", "known", "labelled", "own", "places", "surprises", "threaded",
        "weights",
    )  # fmt: skip

    def __init__(self, weights: Sequence[float], surprises: Sequence[float], known: float) -> None:
        self.weights = weights
        self.surprises = surprises
        self.known = known
        self.own: dict[int, float] = {}
        self.labelled: dict[int, float] = {}
        self.places: dict[int, Met] = {}
        self.threaded: list[Met] = []
        self._best: list[int] = []
        self._totals: dict[int, float] = {}

    def score(self, scores: Mapping[int, float]) -> None:
        """Replace the scores of some passages."""
        self.own.update(scores)
        self._best = []

    def credit(self, passage: int, words: int, place: Place | None = None) -> None:
        """Count the words whose bits are set as said by a passage, which has a `place` if no word
        of the query found it."""
        if met := self.places.get(passage):
            more = words & ~met[7]
            self.places[passage] = (*met[:7], met[7] | words, *met[8:])
        elif place:
            more = words
            self.places[passage] = (*place[:7], words, 0)
        else:
            return
        credit = sum([weight for i, weight in enumerate(self.weights) if more >> i & 1])
        self.score({passage: self.own.get(passage, 0.0) + credit})

    def drop(self, passages: Iterable[int]) -> None:
        """Forget what words say for some passages."""
        for passage in passages:
            self.own.pop(passage, None)
            self.places.pop(passage, None)
        self._best = []

    def best(self, most: int) -> list[int]:
        """Return the passages with the greatest scores, at most `LOOKED_AT`, ties by number."""
        if not self._best:
            own = self.own
            # Sorting a few hundred takes less time than loading `heapq`.
            least = sorted(own.values(), reverse=True)[:LOOKED_AT][-1:]
            among = [passage for passage, score in own.items() if score >= least[0]]
            among.sort(key=lambda passage: (-own[passage], passage))
            self._best = among[:LOOKED_AT]
        return self._best[:most]

    def words(self, passage: int) -> int:
        """Return the bits of the query's words that a passage has, 0 for none."""
        met = self.places.get(passage)
        return met[7] if met else 0

    def total_surprise(self, words: int) -> float:
        """Return the sum of the surprises of the words whose bits are set."""
        if words not in self._totals:  # few of all combinations occur
            among = enumerate(self.surprises)
            self._totals[words] = sum([value for i, value in among if words >> i & 1])
        return self._totals[words]


def rarity(frequency: int, total: int) -> float:
    """Return how rare a word is that `frequency` of `total` passages have: from 0 to 1, where 1 is
    a word of at most one passage (Robertson's inverse document frequency over its greatest value).
    Fewer than `FEW` passages count as so many: that two of three notes have a word says little
    about it.
    """
    total = max(total, FEW)
    frequency = min(max(frequency, 1), total)
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5)) / log(1 + (total - 0.5) / 1.5)


def weigh_words(matches: Matches) -> Evidence:
    """Score each passage that has a word of the query, counting each of its words once."""
    weights = [
        rarity(frequency, matches.passages) * sqrt(surprise)
        for frequency, surprise in zip(matches.frequencies, matches.surprises, strict=True)
    ]
    pairs = zip(weights, matches.frequencies, strict=True)
    evidence = Evidence(weights, matches.surprises, sum(weight for weight, n in pairs if n))
    own, places = evidence.own, evidence.places
    by_words: dict[int, list[float]] = {}
    for met in sorted(matches.met, key=_first_word):
        passage, _, thread, _, _, characters, _, words, *_ = met
        if words not in by_words:
            by_words[words] = [weight for i, weight in enumerate(weights) if words >> i & 1]
        # As `_damp` does it, without a call for each of hundreds of passages.
        saturated = (K1 + 1) / (1 + K1 * (1 - B + B * (characters / CHARACTERS) / AVERAGE))
        score = 0.0
        for weight in by_words[words]:
            score += weight * saturated
        own[passage] = score
        places[passage] = met
        if thread is not None and thread > 0:
            evidence.threaded.append(met)
    return evidence


def _first_word(met: Met) -> int:
    return met[7] & -met[7]


def weigh_occurrences(
    evidence: Evidence,
    asked: Sequence[int],
    occurrences: Mapping[int, tuple[int, Mapping[int, Occurrence]]],
) -> None:
    """Score passages again by how often and where words occur in them. `asked` has the numbers of
    the words that were looked up; the other words count once."""
    weights = evidence.weights
    once = [(1 << i, weight) for i, weight in enumerate(weights) if i not in asked]
    steps = list(enumerate(TOGETHER, 1))
    scores = {}
    for passage, (size, found) in occurrences.items():
        words = evidence.places[passage][7]
        damped = _damp(size)
        single = (K1 + 1) / (1 + damped)
        score = sum([weight * single for bit, weight in once if words & bit])
        seen: dict[int, list[int]] = {}
        named = 0.0
        for word, (labelled, positions) in found.items():
            i = asked[word]
            weight = weights[i]
            named += weight if labelled else 0.0
            if not positions:
                score += weight * LABELLED if labelled else 0.0
                continue
            count = len(positions)
            said = count * (K1 + 1) / (count + damped)
            score += weight * (max(said, LABELLED) if labelled else said)
            for step, share in steps:
                if others := seen.get(i - step):
                    lesser = min(weight, weights[i - step])
                    score += share * lesser * _closeness(others, positions)
            seen[i] = positions
        scores[passage] = score
        evidence.labelled[passage] = named
    evidence.score(scores)


def lend_scores(evidence: Evidence) -> dict[tuple[int, int], float]:
    """Return the score that neighbours in a thread offer each fragment, by thread and place;
    `lent_to` says how much of it a passage takes. A fragment with no word of the query is offered
    only the greater contribution of its direct neighbours, not the sum."""
    own = evidence.own
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for met in evidence.threaded:
        at = met[2] or 0, met[3]
        offered = own[met[0]], met[4]
        if at not in best or offered > best[at]:
            best[at] = offered
    lent: dict[tuple[int, int], float] = {}
    for (thread, number), (score, asks) in best.items():
        for distance, share in LENT.items():
            at = thread, number + distance
            if asks and distance == 1:
                share = ANSWER
            if at in best:
                lent[at] = lent.get(at, 0.0) + share * score
            elif abs(distance) == 1 and at[1] >= 0:
                lent[at] = max(lent.get(at, 0.0), share * score)
    return lent


def lent_to(place: Place, lent: Mapping[tuple[int, int], float]) -> float:
    """Return the part of `lend_scores` that a passage takes: the longer its entry, the less."""
    thread = place[2]
    if thread is None or not (score := lent.get((thread, place[3]), 0.0)):
        return 0.0
    return score / (1 + (place[6] / LEANING) ** 2)


def spread_words(evidence: Evidence, passages: Iterable[int]) -> dict[int, int]:
    """Return the bits of each passage's words and of its neighbours' in its thread or note."""
    places = evidence.places
    found = {passage: places[passage][7] for passage in passages}
    beside: dict[tuple[int | None, int], list[int]] = {}
    for passage in found:
        thread, number = places[passage][2:4]
        if thread is not None:
            for near in (number - 1, number, number + 1):
                beside.setdefault((thread, near), []).append(passage)
    threads = {thread for thread, _ in beside}
    for met in [met for met in places.values() if met[2] in threads] if threads else ():
        for passage in beside.get(met[2:4], ()):
            found[passage] |= met[7]
    return found


def _damp(size: float) -> float:
    """Return by what a passage of `size` words damps its words: BM25's factor for a word that
    occurs n times is n (K1 + 1) / (n + this)."""
    return K1 * (1 - B + B * size / AVERAGE)


def _closeness(first: Sequence[int], second: Sequence[int]) -> float:
    """Return how near `second` follows `first`: 1 for side by side, 0 beyond `APART`."""
    steps = min(
        (there - here for here in first for there in second if there > here), default=APART + 1
    )
    return max(0.0, 1 - (steps - 1) / APART)


class Candidates:
    """The passages that the channels of a search found.

    `places` has them by number, and `scores` has each channel's scores by passage. `rows` and
    `found` have the entries and passages that were loaded, by number; `whole` says that all were.
    `words` has the words of the query with the number of passages that have each, `evidence` is
    the evidence of these words, and `speakers` are people whom the query names. `links` has, for
    the entries with the best words, the entries they link to. `cosines` are the similarities of
    passages alone and with their neighbours; `crowd` is the mean of the ten after the greatest.
    `threshold` is the vault's, and `bar` has the usual and the high similarity of foreign prompts
    there, None if they were not measured. `covering` says that what is covered counts alone, see
    `COVERING`; `asked` that somebody asked, and not a hook; `judging` that a model judges too.
    `distant` has passages that are not compared yet, if any.
    """

    __slots__ = (
        "asked", "bar", "cosines", "covering", "crowd", "distant", "evidence", "found", "judging",
        "links", "places", "rows", "scores", "speakers", "threshold", "whole", "words",
    )  # fmt: skip

    def __init__(
        self,
        words: Sequence[tuple[str, int]],
        evidence: Evidence,
        speakers: Sequence[str],
        threshold: float,
    ) -> None:
        self.words = words
        self.evidence = evidence
        self.speakers = speakers
        self.places: dict[int, Place] = {}
        self.found: dict[int, Found] = {}
        self.whole = False
        self.covering = False
        self.asked = False
        self.judging = False
        self.links: dict[int, set[int]] = {}
        self.rows: dict[int, Row] = {}
        self.scores: dict[str, dict[int, float]] = {}
        self.cosines: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.crowd = 0.0
        self.threshold = threshold
        self.bar: tuple[float, float] | None = None
        self.distant: Distant | None = None

    def load(self, view: IndexView, entries: Iterable[int], *, alone: bool = True) -> list[Row]:
        """Load those of the entries that are not loaded yet, with their passages, and return their
        rows. `alone` is passed on to `view.details`."""
        new = {entry for entry in entries if entry not in self.rows}
        if not new:
            return []
        found = self.found
        passages = [p for p, place in self.places.items() if place[1] in new and p not in found]
        if self.distant:
            found.update(self.distant.compare(view, passages, self.scores))
        else:
            found.update(view.details(passages, alone=alone))
        rows = view.rows(list(new))
        self.rows.update(rows)
        return list(rows.values())


ENOUGH = 0.5
"""The relevance below which nothing is returned."""

THRESHOLD = 1.45
"""The weighted sum that has the relevance `ENOUGH` in a vault that was not calibrated;
`calibration` finds the threshold of each vault."""

FIRST_ENTRIES = range(150, 20_001)
"""The sizes, in entries, of a vault for which a first recall asks for the job `CALIBRATE`. In a
smaller one the prior weighs nearly as much; a larger one's index isn't built in a recall either."""

CALIBRATE = "calibrate"
"""The job that calibrates."""

UNCONFIRMED = 0.85
"""The factor for evidence from an external entry that nobody confirmed. At .85 a vault that is
wholly external loses 7 to 8 of 100 of its own questions instead of 2; see docs/recall.md."""

TAIL = 0.5
"""The share of the best score below which a result is withheld: on LoCoMo these are 1 in 100 of the
right results, and a tenth of all results."""

WEIGHTS: dict[str, float] = {
    "own": 1.0,
    "near": 0.5,
    "text": 0.25,
    "share": 0.75,
    "title": 0.3,
    "meaning": 0.25,
    "similarity": 1.0,
}
COVERING: dict[str, float] = {"own": 1.6, "near": 0.8, "surprise": 0.16, "similarity": 3.2}
"""The weights where what is covered counts alone: for a fragment of a thread, which is short and
understood from its neighbours, and for a task, since the words of tasks are common in a memory of
tasks."""
_STEEPNESS = 8.0

USUAL = 2.0
"""Standard deviations by which the best passages for foreign prompts are nearer than unrelated
passages; the signal is from -1.5 to 3 beyond these."""
JUDGING = (3.0, 2.0)
"""For a model that judges too: what is usual, and how often the signal counts."""

TELLING = 1.5
"""The surprise below which the shares of a prompt that is covered count less: of a prompt of one
plain word all is easily covered. Who asks by one plain word, and not by a prompt, means it."""
_ALL = 0.8
"""The share of a query's surprise that is all of it, also of an unconfirmed external entry."""

CROWD = 0.3
"""The share of the mean cosine of the next ten passages that is subtracted from the nearest one's:
if many passages are as near, the query is about a field rather than about one of them."""
_LEAST_SPREAD = 0.02


def silence_key(model: str) -> str:
    """Return the prefix of the index's figures about silence for recalls with the vectors of a
    model, or without vectors for ""."""
    return f"silence:{model}:"


def tried_key() -> str:
    """Return the prefix of the index's figures about attempts to calibrate that had no result."""
    return "calibrating:"


def stand_out(cosine: float, crowd: float) -> float:
    """Return how far a passage's cosine stands out from the `crowd` of the next nearest ones."""
    return cosine - CROWD * crowd


def rise_beyond(nearness: float, bar: tuple[float, float] | None) -> float:
    """Return how far `nearness` is above the `high` of `bar`, which 95 of 100 foreign prompts don't
    exceed, from 0 to 1, in units of `high` minus `usual`, their median. Return 0 without a `bar`.
    """
    if bar is None:
        return 0.0
    usual, high = bar
    return min(1.0, max(0.0, nearness - high) / max(high - usual, _LEAST_SPREAD))


def weigh_signals(signals: Mapping[str, float]) -> float:
    """Return the weighted sum of signals, which is compared with the threshold."""
    weights = COVERING if signals.get("covering") else WEIGHTS
    return sum(weight * signals.get(name, 0.0) for name, weight in weights.items())


def estimate_relevance(value: float, threshold: float = THRESHOLD) -> float:
    """Return how likely it is, from 0 to 1, that something answers the query, from the weighted sum
    of signals."""
    if value == -inf:
        return 0.0
    return 1 / (1 + exp(-max(-30.0, min(30.0, _STEEPNESS * (value - threshold)))))


BEST = 10
"""The number of best passages whose words are looked at."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Return the signals by name (docs/recall.md), those of words from the passage that has the
    greatest sum of them; `meaning` and `similarity` only if vectors took part, `trust` only if it
    is not 1, and `covering` only where it counts."""
    evidence = candidates.evidence
    read = _read_words(candidates, evidence.best(BEST))
    sums = {passage: weigh_signals(signals) for passage, signals in read.items()}
    leading = max(sums, key=lambda passage: (sums[passage], -passage), default=None)
    signals = dict.fromkeys(_BY_WORDS, 0.0) if leading is None else read[leading]
    if candidates.cosines[0]:
        signals["meaning"] = _read_meaning(candidates, leading)
        signals["similarity"] = rise_beyond(read_nearness(candidates), candidates.bar)
    if leading is not None:
        trust = _trust(candidates, evidence.places[leading][1])
        if trust != 1:
            signals["trust"] = trust
    return signals


def weigh_alone(candidates: Candidates, passages: Iterable[int]) -> dict[int, float]:
    """Return for each of some passages the weighted sum of its own signals, as if nothing else had
    been found; without those that neither words nor vectors found."""
    evidence = candidates.evidence
    cosines, _ = candidates.cosines
    here = {passage for passage in passages if passage in evidence.places or passage in cosines}
    read = _read_words(candidates, [passage for passage in here if passage in evidence.places])
    sums = {}
    for passage in here:
        trust = _trust(candidates, candidates.found[passage].entry)
        nearness = stand_out(trust * cosines.get(passage, 0.0), candidates.crowd)
        vectors = {
            "meaning": _read_meaning(candidates, passage),
            "similarity": rise_beyond(nearness, candidates.bar),
        }
        sums[passage] = weigh_signals({**read.get(passage, {}), **vectors})
    return sums


def _read_meaning(candidates: Candidates, passage: int | None) -> float:
    """Return the signal `meaning` of a passage, 0 where no vectors took part."""
    near = candidates.scores.get("surroundings", {})
    if passage not in near:
        return 0.0
    usual, times = JUDGING if candidates.judging else (USUAL, 1.0)
    return times * min(3.0, max(-1.5, near[passage] - usual))


_BY_WORDS = ("own", "near", "surprise", "text", "share", "title")


def _read_words(candidates: Candidates, passages: Sequence[int]) -> dict[int, dict[str, float]]:
    """Return the signals `_BY_WORDS` of passages that have words of the query."""
    evidence = candidates.evidence
    asked = sum(evidence.surprises) or 1.0
    weights = sum(evidence.weights) or 1.0
    around = spread_words(evidence, passages)
    signals = {}
    for passage in passages:
        trust = _trust(candidates, evidence.places[passage][1])
        surprise = trust * evidence.total_surprise(evidence.words(passage))
        near = trust * evidence.total_surprise(around[passage])
        text = trust * evidence.own[passage]
        title = trust * evidence.labelled.get(passage, 0.0)
        whole = candidates.asked and near >= _ALL * asked
        floor = 1.0 if whole else min(1.0, near / TELLING)
        shares = floor * surprise / asked, floor * near / asked
        values = *shares, surprise, text, floor * text / weights, title
        signals[passage] = dict(zip(_BY_WORDS, values, strict=True))
        if candidates.covering or (evidence.places[passage][2] or 0) > 0:
            signals[passage]["covering"] = 1.0
    return signals


def is_unconfirmed(row: Row) -> bool:
    """Whether an entry is external and, if it was imported, was never used here."""
    return row.source == EXTERNAL and row.imported != USED


def read_nearness(candidates: Candidates) -> float:
    """Return how far the nearest passage stands out (see `stand_out`); 0 without vectors."""
    found = candidates.found
    own = candidates.cosines[0]
    trusted = (_trust(candidates, found[p].entry) * cosine for p, cosine in own.items())
    return stand_out(max(trusted), candidates.crowd) if own else 0.0


def _trust(candidates: Candidates, entry: int) -> float:
    """Return the factor for an entry's evidence, which is below 1 if nobody confirmed the entry."""
    row = candidates.rows.get(entry)
    return UNCONFIRMED if row is not None and is_unconfirmed(row) else 1.0
