"""Makes the questions for the calibration of silence: a vault's own, and foreign ones that no vault
can answer.

Own questions are made from a vault's entries by fixed rules. Each asks like a person who remembers
little: with two words of one sentence, in a thread also one word said near it, in a phrase of
ordinary words. docs/recall.md says how much harder real questions are. Foreign prompts are about
other topics and ship with Engrain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from pkgutil import get_data
from random import Random
from zlib import crc32

from engrain.engine.core.store import Store
from engrain.index.view import IndexView
from engrain.language.lexicons import read_rows
from engrain.model.errors import EngrainError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.passages import read_passages, thread_of
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

PHRASES = tuple(read_rows("questions", "own").values())
_KEPT = 2
"""The number of words that a question takes from a sentence."""
_KEPT_NEAR = 1
"""The number of words that it takes from another fragment of the same thread."""
_TELLING = 4
"""The least words of a sentence that a question is made from."""
_TRIED = 12
"""The most sentences of an entry that are tried."""
_NEAR = (2, -2, 3, -3, 4, -4)
"""The distances in a thread of that other fragment: direct neighbours are left out, since recall
reads them with the fragment anyway."""
_SPARE = 6
"""The entries to try for each question, since some are short, gone or out of scope."""

_LONGEST = 2_000
"""The characters of a sentence that are read: more without a full stop is no prose."""

_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|<[^<>\n]*>", re.DOTALL)
_LINK = re.compile(r"!?\[\[(?:[^\[\]|\n]*+\|)?([^\[\]|\n]*+)\]\]|!?\[([^\[\]\n]*+)\]\([^()\n]*+\)")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_MARKS = str.maketrans(dict.fromkeys("`*_#>{}|", " "))


def make_questions(
    store: Store,
    view: IndexView,
    only: Filter,
    most: int,
    out_of_time: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """Yield at most `most` questions, each from a different entry; always the same for a vault, if
    there is time for all."""
    made = 0
    places = nsmallest(
        _SPARE * most,
        (place for place, _, hash_, _ in store.index.stamps() if hash_),
        key=lambda place: (crc32(place.encode()), place),
    )
    for place in places:
        if made == most or out_of_time():
            return
        entry = _read(store, place)
        question = entry and _make_question(store, view, only, entry)
        if question:
            made += 1
            yield question


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text without code, addresses and markup."""
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
    """Return the words that recall would search for of one sentence; none if all are too short."""
    sentences = split_sentences(entry.text)
    for sentence in chance.sample(sentences, min(_TRIED, len(sentences))):
        words = view.match(sentence[:_LONGEST], only, 1).words
        if len(words) >= _TELLING:
            return words
    return ()


def _words_near(
    store: Store, view: IndexView, only: Filter, at: tuple[int | None, int], chance: Random
) -> Sequence[str]:
    """Return the words of a sentence near a place in a thread, shuffled."""
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
"""A capitalised word that does not begin a sentence."""


def read_foreign() -> list[str]:
    """Return the foreign prompts in the order of their file."""
    raw = get_data(__package__, _FILE) or b""
    lines = raw.decode("utf-8").splitlines()
    return [line.replace(_LINE_END, "\n") for line in lines if line and not line.startswith("#")]


def without_names(prompt: str) -> str:
    """Return a prompt without words that look like names."""
    return " ".join(_NAME.sub(r"\g<blank>", prompt).split())


def list_foreign() -> list[str]:
    """Return all foreign prompts, and then those with names a second time without the names."""
    prompts = read_foreign()
    bare = [without_names(prompt) for prompt in prompts]
    named = [new for new, old in zip(bare, prompts, strict=True) if new != " ".join(old.split())]
    return prompts + named
