"""Questions that a vault's own entries answer, made from their sentences by fixed rules.

A question has five words of one sentence, in their order, as somebody asks who remembers it well;
in every second one two of them are ordinary words in the place of forgotten ones. Words are left
out that are short or that many entries have. Silence is calibrated on questions of another making
(`engine.recall.own_questions`), so that what these show was not chosen by them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from random import Random
from zlib import crc32

from engrain.evaluation.haystack import Question
from engrain.evaluation.prompts import thin

WHOLE, HALF_FORGOTTEN = "words of one sentence", "two of five words replaced"
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
_ASKED = 5
_FORGOTTEN = 2
_EVERYWHERE = 0.2
"""A word that a larger share of the entries has is not asked for."""
_WORDS = """
afternoon bicycle bright carpet cheerful coffee corner curtain dinner family garden gentle holiday
kitchen laughing lemon morning neighbour painting quickly river season shoulder sister summer sunny
travel umbrella walking winter
"""
_ORDINARY = _WORDS.split()


def make_questions(texts: Iterable[tuple[str, str]], most: int) -> list[Question]:
    """At most so many questions of (id, text) pairs, one an entry; the same for the same texts."""
    entries = [(id_, _split(text)) for id_, text in texts]
    common = Counter(
        word for _, sentences in entries for word in {word for each in sentences for word in each}
    )
    bound = max(2.0, _EVERYWHERE * len(entries))
    found: list[Question] = []
    for id_, sentences in entries:
        chance = Random(crc32(id_.encode()))
        telling = [[word for word in each if common[word] <= bound] for each in sentences]
        telling = [words for words in telling if len(words) >= _ASKED]
        if telling:
            words = chance.choice(telling)
            asked = [words[place] for place in sorted(chance.sample(range(len(words)), _ASKED))]
            form = HALF_FORGOTTEN if len(found) % 2 else WHOLE
            if form == HALF_FORGOTTEN:
                for place in chance.sample(range(_ASKED), _FORGOTTEN):
                    asked[place] = chance.choice(_ORDINARY)
            found.append(Question(id_, " ".join(asked), frozenset((id_,)), category=form))
    return thin(found, most)


def _split(text: str) -> list[list[str]]:
    """The different words of each sentence, in order, casefolded."""
    return [
        list(dict.fromkeys(word.casefold() for word in _WORD.findall(part)))
        for part in _SENTENCE.split(text)
    ]
