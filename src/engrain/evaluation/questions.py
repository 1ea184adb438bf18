"""Questions about a user's own vault: read from a file, or made from its entries.

A file has one JSON object on each line. `expected` names entries by id, slug or title;
`foreign` marks questions that should get nothing. `id` is the line's number by default.

    {"question": "why do numbers skip", "expected": ["invoice-number-gap"], "category": "why"}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from zlib import crc32

from engrain.engine.recall.silence.own_questions import read_foreign as read_prompts
from engrain.engine.recall.silence.own_questions import without_names
from engrain.evaluation.question_set import GoldQuestion, QuestionRecord, read_lines, reject
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

_EXPECTED = (
    'lines like {"question": "…", "expected": ["slug"]} or {"question": "…", "foreign": true}'
)


@dataclass(slots=True, eq=False)
class QuestionLine:
    """A question of a line: `expected` are names of entries, none for a foreign question."""

    line: int
    id: str
    text: str
    expected: Sequence[str]
    category: str


def read_questions(raw: bytes) -> list[QuestionLine]:
    """Read every question of a JSONL file. Raises MalformedError, naming the line."""
    asked = [_read_line(line) for line in read_lines(raw, _EXPECTED)]
    seen = set()
    for question in asked:
        if question.id in seen:
            reject(f"line {question.line}: a second {question.id!r}", _EXPECTED, line=question.line)
        seen.add(question.id)
    if not any(question.expected for question in asked):
        reject("no question that expects an entry", _EXPECTED)
    return asked


def find_expected(asked: Iterable[QuestionLine], rows: Iterable[Row]) -> list[GoldQuestion]:
    """Return the questions with the ids of the entries that they expect. Of entries with the same
    name the active one counts. Raises MalformedError with the line if a name means no entry or
    several."""
    named: dict[str, list[Row]] = {}
    for row in rows:
        for name in dict.fromkeys((row.id, row.slug.casefold(), row.title.casefold())):
            named.setdefault(name, []).append(row)
    return [
        GoldQuestion(
            question.id,
            question.text,
            frozenset(_find_one(name, named, question.line) for name in question.expected),
            category=question.category,
        )
        for question in asked
    ]


def _read_line(line: QuestionRecord) -> QuestionLine:
    question = line.text("question")
    expected = tuple(
        line.as_text(name, f"what {line.where} expects") for name in line.list("expected")
    )
    foreign = line.fields.get("foreign", False)
    if not isinstance(foreign, bool):
        line.reject(": foreign is neither true nor false")
    if foreign == bool(expected):
        line.reject(" both expects something and is foreign" if foreign else " expects nothing")
    id_ = line.loose("id") or str(line.line)
    return QuestionLine(line.line, id_, question, expected, line.loose("category"))


def _find_one(name: str, named: dict[str, list[Row]], line: int) -> str:
    rows = named.get(name) or named.get(name.casefold(), [])
    rows = [row for row in rows if row.status == ACTIVE] or rows
    ids = sorted({row.id for row in rows})
    if not ids:
        reject(f"line {line}: no entry {name!r}", "ids, slugs or titles of entries", line=line)
    if len(ids) > 1:
        reject(f"line {line}: {name!r} may mean {', '.join(ids[:5])}", "one of the ids", line=line)
    return ids[0]


_SEED = 7


def shipped_prompts() -> list[GoldQuestion]:
    """Return the foreign prompts that come with Engrain, on which silence is calibrated."""
    return [
        GoldQuestion(f"foreign {number}", text, frozenset(), nameless=without_names(text))
        for number, text in enumerate(read_prompts(), 1)
    ]


def thin(questions: Sequence[GoldQuestion], most: int | None) -> list[GoldQuestion]:
    """Return at most so many questions in their order, all for None. They are drawn at random with
    a fixed seed, since files are regular: every tenth of two alternating forms is one form."""
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
"""Words that a larger share of the entries has are not used in questions."""
_WORDS = """
afternoon bicycle bright carpet cheerful coffee corner curtain dinner family garden gentle holiday
kitchen laughing lemon morning neighbour painting quickly river season shoulder sister summer sunny
travel umbrella walking winter
"""
_ORDINARY = _WORDS.split()


def make_questions(texts: Iterable[tuple[str, str]], most: int) -> list[GoldQuestion]:
    """Make at most so many questions from (id, text) pairs, one for each entry; the same for the
    same texts."""
    entries = [(id_, _split(text)) for id_, text in texts]
    common = Counter(
        word for _, sentences in entries for word in {word for each in sentences for word in each}
    )
    bound = max(2.0, _EVERYWHERE * len(entries))
    found: list[GoldQuestion] = []
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
            found.append(GoldQuestion(id_, " ".join(asked), frozenset((id_,)), category=form))
    return thin(found, most)


def _split(text: str) -> list[list[str]]:
    """Return the different words of each sentence, in order, casefolded."""
    return [
        list(dict.fromkeys(word.casefold() for word in _WORD.findall(part)))
        for part in _SENTENCE.split(text)
    ]
