"""Question files: a user's own, prompts for a collection, and questions about sessions of coding.

A user's own set has one JSON object on each line. `expected` names entries by id, slug or title;
`foreign` marks questions that should get nothing. `id` is the line's number by default.

    {"question": "why do numbers skip", "expected": ["invoice-number-gap"], "category": "why"}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from random import Random
from zlib import crc32

from engrain.engine.recall.silence.own_questions import read_foreign as read_prompts
from engrain.engine.recall.silence.own_questions import without_names
from engrain.evaluation.benchmarks import read_beam, read_locomo
from engrain.evaluation.question_set import (
    Haystack,
    Passage,
    Question,
    QuestionSet,
    Record,
    read_lines,
    reject,
)
from engrain.model.facts.fact import Turn
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

_KINDS = {"dendron": "notes", "tldr": "command pages"}
"""The kinds of text in vaults of the development sets; others are called by their names."""
NOTE = "note"
"""The unit of a collection of notes."""


@dataclass(slots=True, eq=False)
class Domain:
    """A question set with the name of its kind of text. Silence is measured on the first of
    `units`."""

    name: str
    known: QuestionSet

    @property
    def units(self) -> list[str]:
        return list(self.known.haystacks)


def make_talk(raw: bytes) -> Domain:
    """Read talk, by turns and by sessions; the questions of another conversation are foreign.
    Raises MalformedError."""
    return Domain("talk", read_locomo(raw))


def make_chats(raw: bytes, prompts: Sequence[Question]) -> Domain:
    """Read chats of a user with an assistant, by messages. Raises MalformedError."""
    return Domain("chats", with_foreign(read_beam(raw), leave_out(prompts, "beam")))


def make_notes(vault: str, folder: str, raw: bytes, prompts: Sequence[Question]) -> Domain:
    """Read a vault of notes in `folder` with its own questions. Raises MalformedError."""
    haystack = Haystack(vault, [], read_own(raw), folder=folder)
    known = QuestionSet(vault, {NOTE: [haystack]})
    return Domain(_KINDS.get(vault, vault), with_foreign(known, prompts))


def with_foreign(known: QuestionSet, prompts: Sequence[Question]) -> QuestionSet:
    """Return the set with foreign prompts, which are dealt to the haystacks in turn."""

    def add(each: Haystack, place: int, size: int) -> Haystack:
        return replace(each, foreign=[*each.foreign, *prompts[place::size]])

    return _with_haystacks(known, add)


def with_limit(known: QuestionSet, most: int | None) -> QuestionSet:
    """Return the set with at most so many own and foreign questions of each haystack, see
    `thin`."""

    def limit(each: Haystack, _place: int, _size: int) -> Haystack:
        return replace(each, questions=thin(each.questions, most), foreign=thin(each.foreign, most))

    return _with_haystacks(known, limit)


def _with_haystacks(
    known: QuestionSet, change: Callable[[Haystack, int, int], Haystack]
) -> QuestionSet:
    """Change each haystack; `change` gets its place among those of its unit, and their number."""
    return replace(
        known,
        haystacks={
            unit: [change(each, place, len(members)) for place, each in enumerate(members)]
            for unit, members in known.haystacks.items()
        },
    )


_EXPECTED = (
    'lines like {"question": "…", "expected": ["slug"]} or {"question": "…", "foreign": true}'
)


@dataclass(slots=True, eq=False)
class Asked:
    """A question of a line: `expected` are names of entries, none for a foreign question."""

    line: int
    id: str
    text: str
    expected: Sequence[str]
    category: str


def read_questions(raw: bytes) -> list[Asked]:
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


def find_expected(asked: Iterable[Asked], rows: Iterable[Row]) -> list[Question]:
    """Return the questions with the ids of the entries that they expect. Of entries with the same
    name the active one counts. Raises MalformedError with the line if a name means no entry or
    several."""
    named: dict[str, list[Row]] = {}
    for row in rows:
        for name in dict.fromkeys((row.id, row.slug.casefold(), row.title.casefold())):
            named.setdefault(name, []).append(row)
    return [
        Question(
            question.id,
            question.text,
            frozenset(_find_one(name, named, question.line) for name in question.expected),
            category=question.category,
        )
        for question in asked
    ]


def _read_line(line: Record) -> Asked:
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
    return Asked(line.line, id_, question, expected, line.loose("category"))


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
_OWN = 'lines like {"q": "…", "stem": "name of the file that answers"}'
_FOREIGN = 'lines like {"src": "whence", "q": "…", "nl": "… without names"}'


def read_own(raw: bytes) -> list[Question]:
    """Read own questions, numbered by their lines. Raises MalformedError."""
    found = []
    for line in read_lines(raw, _OWN):
        stem = line.fields.get("stem")
        stems = [stem] if isinstance(stem, str) else line.list("stem")
        if not stems:
            line.reject(": no stem")
        gold = frozenset(line.as_text(each, f"stem of {line.where}") for each in stems)
        form = line.loose("form")
        found.append(Question(str(line.line), line.text("q"), gold, category=form))
    if not found:
        reject("no question", _OWN)
    return found


def read_foreign(raw: bytes) -> list[Question]:
    """Read foreign prompts, numbered by their lines; the group is `src`. Raises MalformedError."""
    found = [
        Question(
            f"foreign {line.line}",
            line.text("q"),
            frozenset(),
            group=line.loose("src"),
            nameless=line.text("nl") if line.fields.get("nl") else "",
        )
        for line in read_lines(raw, _FOREIGN)
    ]
    if not found:
        reject("no prompt", _FOREIGN)
    return found


def shipped_prompts() -> list[Question]:
    """Return the foreign prompts that come with Engrain, on which silence is calibrated."""
    return [
        Question(f"foreign {number}", text, frozenset(), nameless=without_names(text))
        for number, text in enumerate(read_prompts(), 1)
    ]


def leave_out(prompts: Sequence[Question], sources: str) -> list[Question]:
    """Return the prompts whose source does not begin with `sources`, all for ""."""
    return [each for each in prompts if not sources or not each.group.startswith(sources)]


def thin(questions: Sequence[Question], most: int | None) -> list[Question]:
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


def make_questions(texts: Iterable[tuple[str, str]], most: int) -> list[Question]:
    """Make at most so many questions from (id, text) pairs, one for each entry; the same for the
    same texts."""
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
    """Return the different words of each sentence, in order, casefolded."""
    return [
        list(dict.fromkeys(word.casefold() for word in _WORD.findall(part)))
        for part in _SENTENCE.split(text)
    ]


NAME = "code-sessions"
SPLITS = ("dev", "held")
_SESSIONS = "lines of labelled questions over transcripts that are there"
_SHA = 8


def read_code_sessions(
    raw: bytes, sources: Mapping[str, Sequence[Turn]], split: str | None = None
) -> QuestionSet:
    """Read the questions of a file, of one split if named, over the turns of all `sources`. Turns
    that a transcript repeats, as a resumed session does, are one passage. Raises MalformedError for
    an invalid line, and for evidence that has changed."""
    places = {}
    passages = []
    for source, turns in sorted(sources.items()):
        for number, turn in enumerate(turns):
            said = source, turn.role, turn.text
            if said not in places:
                places[said] = f"{source}#{number}"
                # They are a second apart, so that their order is that of creation.
                passages.append(
                    Passage(places[said], "", turn.text, thread=source, created=float(number))
                )
    questions = [
        _read_question(line, sources, places, split) for line in read_lines(raw, _SESSIONS)
    ]
    asked = [question for question in questions if question is not None]
    return QuestionSet(NAME, {"turn": [Haystack(NAME, passages, asked)]})


def _read_question(
    line: Record,
    sources: Mapping[str, Sequence[Turn]],
    places: Mapping[tuple[str, str, str], str],
    split: str | None,
) -> Question | None:
    part = line.text("split")
    if part not in SPLITS:
        line.reject(f": no split {part!r}")
    source = line.text("source")
    gold = set()
    for named in line.records("evidence", "evidence"):
        there = named.text("source") if "source" in named.fields else source
        turn, turns = named.fields.get("turn"), sources.get(there, ())
        if not isinstance(turn, int) or not 0 <= turn < len(turns):
            line.reject(f": {there} has no turn {turn}")
        found = turns[turn]
        if sha256(found.text.encode()).hexdigest()[:_SHA] != named.fields.get("sha"):
            line.reject(f": turn {turn} of {there} says something else")
        gold.add(places[there, found.role, found.text])
    if not gold:
        line.reject(" has no evidence")
    question = Question(
        line.text("id"), line.text("q"), frozenset(gold), category=line.text("kind"), group=source
    )
    return question if split in (None, part) else None
