"""Prompts to put to a collection that is there: what it answers, and what it does not.

    {"q": "How do I show window font server?", "stem": "xprop", "form": "words of one sentence"}
    {"src": "beam-question", "q": "Which flight did I book for May?", "nl": "Which flight …?"}

The first line is of own questions: `stem` is the name of the file that answers, or a list of
them. The second is of foreign prompts: `src` says whence, `nl` is the prompt with names removed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from zlib import crc32

from engrain.engine.recall.silence.foreign import read_foreign as read_prompts
from engrain.engine.recall.silence.foreign import without_names
from engrain.evaluation.fields import as_list, as_record, as_text, read_lines, reject
from engrain.evaluation.haystack import Question

_SEED = 7
_OWN = 'lines like {"q": "…", "stem": "name of the file that answers"}'
_FOREIGN = 'lines like {"src": "whence", "q": "…", "nl": "… without names"}'


def read_own(raw: bytes) -> list[Question]:
    """Own questions, numbered by their lines. Raises MalformedError."""
    found = []
    for number, value in read_lines(raw, _OWN):
        record = as_record(value, f"line {number}", _OWN)
        stem = record.get("stem")
        stems = [stem] if isinstance(stem, str) else as_list(stem, f"line {number}: stem", _OWN)
        if not stems:
            reject(f"line {number}: no stem", _OWN, line=number)
        found.append(
            Question(
                str(number),
                as_text(record.get("q"), f"line {number}: q", _OWN),
                frozenset(as_text(each, f"line {number}: stem", _OWN) for each in stems),
                category=str(record.get("form") or ""),
            )
        )
    if not found:
        reject("no question", _OWN)
    return found


def read_foreign(raw: bytes) -> list[Question]:
    """Foreign prompts, numbered by their lines; the group is `src`. Raises MalformedError."""
    found = []
    for number, value in read_lines(raw, _FOREIGN):
        record = as_record(value, f"line {number}", _FOREIGN)
        found.append(
            Question(
                f"foreign {number}",
                as_text(record.get("q"), f"line {number}: q", _FOREIGN),
                frozenset(),
                group=str(record.get("src") or ""),
                nameless=as_text(record.get("nl") or "", f"line {number}: nl", _FOREIGN),
            )
        )
    if not found:
        reject("no prompt", _FOREIGN)
    return found


def shipped_prompts() -> list[Question]:
    """The foreign prompts that come with Engrain, on which silence is calibrated."""
    return [
        Question(f"foreign {number}", text, frozenset(), nameless=without_names(text))
        for number, text in enumerate(read_prompts(), 1)
    ]


def leave_out(prompts: Sequence[Question], sources: str) -> list[Question]:
    """The prompts whose source does not begin with `sources`; all of them for ""."""
    return [each for each in prompts if not sources or not each.group.startswith(sources)]


def thin(questions: Sequence[Question], most: int | None) -> list[Question]:
    """At most so many of them in their order, drawn as in every run; all for None.

    They are drawn at random, since files are often regular: of two forms in turn every tenth line
    would be one form.
    """
    if most is None or len(questions) <= most:
        return list(questions)
    places = Random(_SEED).sample(range(len(questions)), most)
    return [questions[place] for place in sorted(places)]


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
