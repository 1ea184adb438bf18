"""The questions that measure when to keep silent: a vault's own, and foreign ones that no vault
answers.

Own questions are made from a vault's entries by fixed rules. Each asks like a person who remembers
little: by two words of one sentence, in a talk also by a word said near it, within a phrase of
ordinary words. How much harder real questions are was measured; see docs/silence.md. Foreign
prompts are about other topics and ship with Engrain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from pkgutil import get_data
from random import Random
from zlib import crc32

from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.passages import read_passages, thread_of
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter
from engrain.seam.view import IndexView

PHRASES = (
    "what did we decide about {}",
    "how do we handle {}",
    "remind me about {}",
    "why was {} changed",
    "is there a note on {}",
    "tell me more about {}",
    "where is {} described",
    "what do I need to know about {}",
    "what was the problem with {}",
    "is there a good example of {}",
    "who can help me with {} today",
    "what is the next step for {}",
    "where did we leave off with {} last week",
    "what is the best way to do {}",
    "do we still need {} this year",
    "how long does {} take",
    "who was going to finish {} this month",
    "what happened with {} after the first attempt",
)
_KEPT = 2
"""Words of a sentence that a question has."""
_KEPT_NEAR = 1
"""Words of another fragment of the same thread."""
_TELLING = 4
"""Words that a sentence has at least from which a question is made."""
_TRIED = 12
"""Sentences of an entry that are looked at for one that says enough."""
_NEAR = (2, -2, 3, -3, 4, -4)
"""Places in a thread whose words are asked with those of one: not the next ones, which recall reads
with it in any case."""
_SPARE = 6
"""Entries looked at for each question: some are short, gone, or out of scope."""

_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|<[^<>\n]*>", re.DOTALL)
_LINK = re.compile(r"!?\[\[(?:[^\]|\n]*\|)?([^\]|\n]*)\]\]|!?\[([^\]\n]*)\]\([^)\n]*\)")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_MARKS = str.maketrans(dict.fromkeys("`*_#>{}|", " "))


def make_questions(store: Store, view: IndexView, only: Filter, most: int) -> Iterator[str]:
    """At most so many questions, each of another entry; the same for the same vault."""
    made = 0
    places = nsmallest(
        _SPARE * most,
        (place for place, _, hash_, _ in store.index.stamps() if hash_),
        key=lambda place: (crc32(place.encode()), place),
    )
    for place in places:
        if made == most:
            return
        entry = _read(store, place)
        question = entry and _make_question(store, view, only, entry)
        if question:
            made += 1
            yield question


def split_sentences(text: str) -> list[str]:
    """The sentences of a text less code, addresses and marks: what somebody may remember of it."""
    plain = _NO_PROSE.sub(" ", _LINK.sub(r" \1\2 ", text)).translate(_MARKS)
    return [sentence for part in _SENTENCE.split(plain) if (sentence := part.strip())]


def _make_question(store: Store, view: IndexView, only: Filter, entry: Entry) -> str | None:
    """Return a question; None for an entry out of scope or without a telling sentence."""
    chance = Random(crc32(entry.id.encode()))
    passages = view.with_keys([passage.key for passage in read_passages(entry)[:1]], only)
    words = passages and _choose_words(view, only, entry, chance)
    if not words:
        return None
    asked = chance.sample(words, _KEPT)
    if thread_of(entry) is not None:
        near = _words_near(store, view, only, passages[0][2:4], chance)
        asked += [word for word in near if word not in words][:_KEPT_NEAR]
    return chance.choice(PHRASES).format(" ".join(asked))


def _choose_words(view: IndexView, only: Filter, entry: Entry, chance: Random) -> Sequence[str]:
    """The words of one of its sentences that recall would look for; none where all are short."""
    sentences = split_sentences(entry.text)
    for sentence in chance.sample(sentences, min(_TRIED, len(sentences))):
        words = view.match(sentence, only, 1).words
        if len(words) >= _TELLING:
            return words
    return ()


def _words_near(
    store: Store, view: IndexView, only: Filter, at: tuple[int | None, int], chance: Random
) -> Sequence[str]:
    """The words of a sentence said near a place in a thread, in any order."""
    thread, place = at
    if thread is None:
        return ()
    near = [(thread, place + step) for step in chance.sample(_NEAR, len(_NEAR))]
    found = view.at_places([one for one in near if one[1] >= 0], only)
    for locator in view.locators([one[0] for one in found]).values():
        entry = _read(store, locator)
        words = _choose_words(view, only, entry, chance) if entry else ()
        if words:
            return chance.sample(words, len(words))
    return ()


def _read(store: Store, place: str) -> Entry | None:
    try:
        return read_entry(place, store.backend.read(Locator(place)).raw)
    except EngrainError:
        return None


_FILE = "foreign.txt"
_LINE_END = "⏎"
_NAME = re.compile(r"(?<=[^\s.!?:])(?P<blank>\s+[\"'(]?)[A-ZÀ-Þ][\w.'’-]*\w(?:['’]s)?")
"""A word that begins with a capital within a sentence."""


def read_foreign() -> list[str]:
    """The prompts as they are, in the order of the file."""
    raw = get_data(__package__, _FILE) or b""
    lines = raw.decode("utf-8").splitlines()
    return [line.replace(_LINE_END, "\n") for line in lines if line and not line.startswith("#")]


def without_names(prompt: str) -> str:
    """A prompt less the words that are written as names are."""
    return " ".join(_NAME.sub(r"\g<blank>", prompt).split())


def list_foreign() -> list[str]:
    """Every prompt, and behind them those that have names once more without these."""
    prompts = read_foreign()
    bare = [without_names(prompt) for prompt in prompts]
    named = [new for new, old in zip(bare, prompts, strict=True) if new != " ".join(old.split())]
    return prompts + named
