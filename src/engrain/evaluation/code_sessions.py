"""Questions that a developer asks a later day about sessions with a coding agent.

    {"id": "4587ea", "q": "Why did …?", "kind": "cause", "split": "dev",
     "source": "console/day-021.md", "evidence": [{"turn": 3, "sha": "b87c445d"}]}

A `source` is a transcript; a `turn` is its place, from 0, among all turns that are read from there,
and `sha` the first eight hex digits of the SHA-256 of what it says. Evidence may name a `source` of
its own. All transcripts are one memory, as recall is asked of all that there is. Whoever tunes on
these questions takes those of the split `dev`, and checks on `held`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from engrain.evaluation.fields import as_list, as_record, as_text, parse_json, reject
from engrain.evaluation.haystack import Haystack, Passage, Question, QuestionSet
from engrain.model.facts.turns import Turn

NAME = "code-sessions"
SPLITS = ("dev", "held")
_EXPECTED = "lines of labelled questions over transcripts that are there"
_SHA = 8


def read_code_sessions(
    raw: bytes, sources: Mapping[str, Sequence[Turn]], split: str | None = None
) -> QuestionSet:
    """The questions of a file, of one split if named, over the turns of all `sources`.

    What a transcript repeats, as that of a resumed session does, is one passage. Raises
    MalformedError for a line that is wrong, and for evidence that says something else now.
    """
    places: dict[tuple[str, str, str], str] = {}
    passages: list[Passage] = []
    for source, turns in sorted(sources.items()):
        for number, turn in enumerate(turns):
            said = source, turn.role, turn.text
            if said not in places:
                places[said] = f"{source}#{number}"
                # A second apart, so that the order of speech is the order of creation.
                passages.append(
                    Passage(places[said], "", turn.text, thread=source, created=float(number))
                )
    questions = [
        _read_question(line, number, sources, places, split)
        for number, line in enumerate(raw.decode().splitlines(), 1)
        if line.strip()
    ]
    asked = [question for question in questions if question is not None]
    return QuestionSet(NAME, {"turn": [Haystack(NAME, passages, asked)]})


def _read_question(
    line: str,
    number: int,
    sources: Mapping[str, Sequence[Turn]],
    places: Mapping[tuple[str, str, str], str],
    split: str | None,
) -> Question | None:
    where = f"line {number}"
    record = as_record(parse_json(line.encode(), _EXPECTED), where, _EXPECTED)
    part = as_text(record.get("split"), f"{where}: split", _EXPECTED)
    if part not in SPLITS:
        reject(f"{where}: no split {part!r}", _EXPECTED, line=number)
    source = as_text(record.get("source"), f"{where}: source", _EXPECTED)
    gold = set()
    for named in as_list(record.get("evidence"), f"{where}: evidence", _EXPECTED):
        one = as_record(named, f"{where}: evidence", _EXPECTED)
        there = as_text(one.get("source", source), f"{where}: source", _EXPECTED)
        turn = one.get("turn")
        turns = sources.get(there, ())
        if not isinstance(turn, int) or not 0 <= turn < len(turns):
            reject(f"{where}: {there} has no turn {turn}", _EXPECTED, line=number)
        found = turns[turn]
        if sha256(found.text.encode()).hexdigest()[:_SHA] != one.get("sha"):
            reject(f"{where}: turn {turn} of {there} says something else", _EXPECTED, line=number)
        gold.add(places[there, found.role, found.text])
    if not gold:
        reject(f"{where} has no evidence", _EXPECTED, line=number)
    return (
        Question(
            as_text(record.get("id"), f"{where}: id", _EXPECTED),
            as_text(record.get("q"), f"{where}: q", _EXPECTED),
            frozenset(gold),
            category=as_text(record.get("kind"), f"{where}: kind", _EXPECTED),
            group=source,
        )
        if split in (None, part)
        else None
    )
