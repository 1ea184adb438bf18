"""Kinds of text with their questions: talk, chats, collections of notes, sessions of coding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from bench.sets.benchmarks import read_beam, read_locomo
from bench.sets.foreign import thin
from bench.sets.haystacks import Haystack, Passage, QuestionSet
from bench.sets.question_set import GoldQuestion, QuestionRecord, read_lines, reject
from engrain.model.facts.fact import Turn

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


def make_chats(raw: bytes, prompts: Sequence[GoldQuestion]) -> Domain:
    """Read chats of a user with an assistant, by messages. Raises MalformedError."""
    return Domain("chats", with_foreign(read_beam(raw), leave_out(prompts, "beam")))


def make_notes(vault: str, folder: str, raw: bytes, prompts: Sequence[GoldQuestion]) -> Domain:
    """Read a vault of notes in `folder` with its own questions. Raises MalformedError."""
    haystack = Haystack(vault, [], read_own(raw), folder=folder)
    known = QuestionSet(vault, {NOTE: [haystack]})
    return Domain(_KINDS.get(vault, vault), with_foreign(known, prompts))


def with_foreign(known: QuestionSet, prompts: Sequence[GoldQuestion]) -> QuestionSet:
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


_OWN = 'lines like {"q": "…", "stem": "name of the file that answers"}'
_FOREIGN = 'lines like {"src": "whence", "q": "…", "nl": "… without names"}'


def read_own(raw: bytes) -> list[GoldQuestion]:
    """Read own questions, numbered by their lines. Raises MalformedError."""
    found = []
    for line in read_lines(raw, _OWN):
        stem = line.fields.get("stem")
        stems = [stem] if isinstance(stem, str) else line.list("stem")
        if not stems:
            line.reject(": no stem")
        gold = frozenset(line.as_text(each, f"stem of {line.where}") for each in stems)
        form = line.loose("form")
        found.append(GoldQuestion(str(line.line), line.text("q"), gold, category=form))
    if not found:
        reject("no question", _OWN)
    return found


def read_foreign(raw: bytes) -> list[GoldQuestion]:
    """Read foreign prompts, numbered by their lines; the group is `src`. Raises MalformedError."""
    found = [
        GoldQuestion(
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


def leave_out(prompts: Sequence[GoldQuestion], sources: str) -> list[GoldQuestion]:
    """Return the prompts whose source does not begin with `sources`, all for ""."""
    return [each for each in prompts if not sources or not each.group.startswith(sources)]


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
    line: QuestionRecord,
    sources: Mapping[str, Sequence[Turn]],
    places: Mapping[tuple[str, str, str], str],
    split: str | None,
) -> GoldQuestion | None:
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
    question = GoldQuestion(
        line.text("id"), line.text("q"), frozenset(gold), category=line.text("kind"), group=source
    )
    return question if split in (None, part) else None
