"""Extraction by rules: deterministic, without a model, precision before recall (S4.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import (
    expand,
    read_fragments,
    read_lines,
    read_regexes,
    read_synonyms,
    read_words,
)
from engrain.language.prompts import request_in
from engrain.language.statements.predicates import COMPANY, PERSON, PROJECT, find_predicate
from engrain.language.text.fences import without_fences
from engrain.language.text.sentences import is_quoted
from engrain.learn.extraction import phrasing
from engrain.learn.extraction.phrasing import (
    SURE,
    Attributed,
    ClauseDraft,
    settle_times,
    split_sentences,
    to_they,
    trim_tail,
)
from engrain.learn.extraction.work import read_work
from engrain.model.facts.entity import OPERATOR_ENTITY
from engrain.model.facts.fact import AGENT, DOCUMENT, OPERATOR, FactDraft, Turn

FRAGMENTS = read_fragments("extraction")

_MY = re.compile(r"\bmy\b")
"""A pattern with "my" also reads "our"."""


@dataclass(frozen=True, slots=True, eq=False)
class PredicatePattern:
    """A predicate: its `name`, an `example` sentence that it reads, and the `predicate` of the
    relation it states ("" for none). A `lasting` one may say since when it has been so; `sure` is
    the confidence of a fact read by it, from 0 to 1."""

    name: str
    example: str
    read: re.Pattern[str]
    predicate: str = ""
    lasting: bool = False
    sure: float = SURE


def _read_patterns(section: str) -> tuple[PredicatePattern, ...]:
    found = []
    for head, (example, *lines) in read_lines("extraction", section).items():
        name, *flags = head.split(" | ")
        sure = next((float(flag.split()[1]) for flag in flags if flag.startswith("sure ")), SURE)
        predicate = next((flag for flag in flags if flag != "lasting" and " " not in flag), "")
        read = re.compile(_MY.sub("(?:my|our)", expand("".join(lines), FRAGMENTS)))
        found.append(PredicatePattern(name, example, read, predicate, "lasting" in flags, sure))
    return tuple(found)


STATES, COMPANIES, PROJECTS = map(_read_patterns, ("states", "companies", "projects"))

_FEWEST, _MOST_WORDS = 3, 34
"""Words of a statement."""

_STATED = read_regexes("extraction", "statements")
_POINTING = _STATED["pointing"]
_THEM = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_COMING = re.compile(r"am (?:moving|relocating|starting|switching|getting|opening)\b")
_NOT = re.compile(r"\b(?:not|never|no longer|neither)\b")
_DENIED = ("diet", "preference", "liking", "tools", "left", "no more")


def state(
    subject: str, predicate: str, at: float | None, table: Sequence[PredicatePattern] = STATES
) -> ClauseDraft | None:
    """Return the fact about `subject` in a predicate of the first person ("moved to Berlin
    yesterday"), as a table of patterns reads it; None if there is none."""
    pattern = _find(predicate, table)
    said = _core(predicate) if pattern else None
    if pattern is None or said is None or not (found := pattern.read.match(said)):
        return None
    timed = phrasing.settle_times(said, at, lasting=pattern.lasting)
    sentence = f"{subject} {phrasing.to_third(timed.text)}"
    if not _is_whole(sentence):
        return None
    edge, begun = _edge(pattern, found), timed.begun
    if _COMING.match(said) or (at is not None and begun is not None and begun > at):
        # What is to come does not hold yet and says nothing against what does; a deadline holds.
        row = find_predicate(pattern.predicate)
        edge, begun = edge if row and row.ahead else None, None
    content = f"{sentence[:1].upper()}{sentence[1:]}."
    return ClauseDraft(content, edge, begun, pattern.sure, pattern.name)


def _core(predicate: str) -> str | None:
    """Return a predicate without chatter, as far as it stands alone; None if it says too little."""
    if _STATED["clash"].search(predicate):
        return None
    said = by_itself(phrasing.trim_tail(predicate))
    if said is None or _STATED["bare"].search(said) or _STATED["open_end"].search(said):
        return None
    return said


def state_other(
    subject: str, said: str, at: float | None, table: Sequence[PredicatePattern] = STATES
) -> ClauseDraft | None:
    """Return the fact that a saying about somebody else ("moved to her flat yesterday") states."""
    predicate = phrasing.to_first(phrasing.drop_adverbs(said))
    if not predicate:
        return None
    statement = state(subject, phrasing.drop_adverbs(predicate), at, table)
    if statement:
        statement.content = phrasing.keep_pronoun(statement.content, said)
    return statement


def by_itself(text: str) -> str | None:
    """Return the text as far as it can be read alone; None for none of it."""
    while text:
        text = _trim_dangling(text)
        found = _POINTING.search(text) or _THEM.search(text)
        if found is None:
            return text
        joints = list(_STATED["joint"].finditer(text, 0, found.start()))
        if not joints or len(text[: joints[-1].start()].split()) < _FEWEST:
            return None
        text = text[: joints[-1].start()]
    return None


def _trim_dangling(text: str) -> str:
    while True:
        shorter = _STATED["dangling"].sub("", text).strip(" ,")
        if shorter == text:
            return text
        text = shorter


def _find(predicate: str, table: Sequence[PredicatePattern]) -> PredicatePattern | None:
    if _STATED["judged"].match(predicate):
        return None
    for pattern in table:
        if pattern.read.match(predicate):
            denied = _NOT.search(predicate)
            return None if denied and pattern.name not in _DENIED else pattern
    return None


def _edge(pattern: PredicatePattern, found: re.Match[str]) -> tuple[str, str] | None:
    if not pattern.predicate:
        return None
    named = found.groupdict()
    value = (named.get("o") or named.get("p") or "").strip(" ,.")
    if not value or (pattern.name == "moved" and "from" in found[0]):
        return None
    if pattern.name == "profession" and _STATED["no_job"].search(value):
        return None
    return pattern.predicate, value


def _is_whole(text: str) -> bool:
    closed = text.count('"') % 2 == 0 and text.count("(") == text.count(")")
    return closed and _FEWEST <= len(text.split()) <= _MOST_WORDS


_TOLD = read_regexes("extraction", "relations")["told"]
_PARTICULARS = read_synonyms("extraction", "particulars")


def _read_particular(speaker: str, clause: str) -> Attributed | None:
    """Return the fact in "my birthday is 3 May", None for another clause."""
    found = _TOLD.match(clause)
    if found is None:
        return None
    what, value = found["what"].lower(), found["value"].strip()
    predicate = _PARTICULARS.get(what)
    verb = "are" if what in ("pronouns", "hobbies") else "is"
    edge = (predicate, value) if predicate else None
    content = f"{speaker}'s {what} {verb} {to_they(value)}."
    return Attributed(speaker, PERSON, ClauseDraft(content, edge))


_BY_NAME = read_regexes("extraction", "named")
_SUBJECT = _BY_NAME["subject"]
_VALUE = re.compile(r"[A-Z0-9$€£\"']|.*\d|.*@")
_DECIDES = re.compile(r"\b(?:decided|decision|agreed|agree)\b", re.IGNORECASE)
_NOBODY = read_words("extraction", "words")["nobodies"]
_OWNED_TYPES = {
    **dict.fromkeys(("birthday", "email"), PERSON),
    **dict.fromkeys(("headquarters", "ceo", "cto", "cfo", "coo", "founder", "office"), COMPANY),
}


def read_named(clause: str, at: float | None, people: Collection[str]) -> Iterator[Attributed]:
    """Yield the facts of a clause about a subject that it names. `people` are known names."""
    found = _BY_NAME["owned"].match(clause) or _BY_NAME["owned_by"].match(clause)
    if found and _is_name(found["name"], people):
        yield from _owned(found, at)
    elif (found := _SUBJECT.match(clause)) and _is_name(found["name"], people):
        yield from _said_of(_written(found["name"], found["project"]), found["said"], at)


def read_decision(sentence: str, at: float | None) -> Iterator[Attributed]:
    """Yield the fact that a decision states about a project it names."""
    if not _DECIDES.search(sentence) or not (found := _BY_NAME["decided"].match(sentence)):
        return
    rest = found["rest"].strip()
    if use := _BY_NAME["use_for"].match(rest):
        name, tool = _written(use["name"], None), use["tool"]
        yield Attributed(name, PROJECT, ClauseDraft(f"{name} uses {tool}.", ("uses", tool), at))
    elif (said := _SUBJECT.match(rest)) and said["name"].split()[0].lower() not in _NOBODY:
        yield from _said_of(_written(said["name"], said["project"]), said["said"], at)


def _owned(found: re.Match[str], at: float | None) -> Iterator[Attributed]:
    name, what = _written(found["name"], found["project"]), found["what"]
    value = by_itself(trim_tail(found["value"]))
    if value is None or not (what == "status" or _VALUE.match(value)):
        return
    project = PROJECT if name.lower().startswith("project ") or found["project"] else ""
    value = settle_times(value, at).text
    key = re.sub(r"^(?:new|current|main|hard|next) ", "", what.lower()).replace(" ", "_")
    draft = ClauseDraft(f"{name}'s {what} is {value}.", (key, value))
    yield Attributed(name, _OWNED_TYPES.get(what.lower(), project), draft)


def _said_of(name: str, said: str, at: float | None) -> Iterator[Attributed]:
    for table, type_ in _tables(name):
        if statement := state_other(name, said, at, table):
            yield Attributed(name, type_, statement)
            return


def _tables(name: str) -> Sequence[tuple[Sequence[PredicatePattern], str]]:
    """By which tables a name is read, and what it is then: "moved to" is said of people and of
    projects, so that it takes a word that it is a project."""
    if name.lower().startswith("project "):
        return ((PROJECTS, PROJECT),)
    if _BY_NAME["company_mark"].search(name):
        return ((COMPANIES, COMPANY), (PROJECTS[:-1], COMPANY))
    return ((COMPANIES, COMPANY), (PROJECTS[:-1], ""), (STATES, PERSON))


def _written(name: str, project: str | None) -> str:
    name = name.removesuffix("'s")
    return f"Project {name}" if project else name[:1].upper() + name[1:]


def _is_name(name: str, people: Collection[str]) -> bool:
    if name in people:
        return True
    words = name.lower().split()
    vague = len(words) == 1 and words[0].endswith(("ing", "ly"))
    return words[0] not in _NOBODY and not vague and len(name) > 1


_CALLED = "The operator"
_NO_NAME = re.compile(
    r"^(?:unknown\b.*|(?:speaker|user|human|assistant|unknown|participant|person|guest|caller"
    r"|host|system|me|you|customer|agent|ai|bot)"
    r"[\s_#-]*+\w?\d*)$",
    re.IGNORECASE,
)


@dataclass(slots=True, eq=False)
class Speaker:
    """A speaker: the `entity` that facts of them are about, and what they are `called` in them."""

    entity: str
    called: str


def subject_of(turn: Turn) -> Speaker | None:
    """Return whom the first person of a turn means; None if it is unclear, and for the agent."""
    if turn.role in (AGENT, DOCUMENT):
        return None
    name = " ".join(turn.speaker.split())
    if name and not _NO_NAME.match(name):
        return Speaker(name, name)
    return Speaker(OPERATOR_ENTITY, _CALLED) if turn.role == OPERATOR else None


_FIRST = re.compile(r"^I (?P<said>.+)$")
_TOOLS = read_words("extraction", "words")["tools"]
_PATTERNS = read_regexes("extraction", "rules")
_WHOLE, _CLAUSE, _REQUEST, _REPORTED, _ENTREATY = map(
    _PATTERNS.__getitem__, ("whole", "clause", "request", "reported", "entreaty")
)
_PLACE = re.compile(r"[A-Z][^\W\dA-Z_]+(?:[ -][A-Z][^\W\dA-Z_]+)*")


def find_facts(turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
    """Return the durable facts in some turns of one conversation, in their order, as drafts whose
    source the caller fills in. `people` are names of known entities. No text makes it raise an
    error."""
    found: dict[tuple[str, str], FactDraft] = {}
    known = frozenset(people) | {turn.speaker for turn in turns if turn.speaker}
    for turn in turns:
        subject = subject_of(turn)
        for drawn in _read(turn, subject, known):
            statement = drawn.draft
            name = subject.entity if subject and drawn.name == subject.called else drawn.name
            draft = FactDraft(
                name,
                statement.content,
                entity_type=drawn.type,
                edge=statement.edge,
                at=turn.at,
                valid_from=statement.begun,
                confidence=statement.sure,
            )
            found.setdefault((draft.entity, draft.content), draft)
    # "Apollo" is "Project Apollo" where it is called that too.
    projects = {draft.entity for draft in found.values()}
    for draft in found.values():
        if (whole := f"Project {draft.entity}") in projects:
            draft.entity, draft.entity_type = whole, PROJECT
    return list(found.values())


def _read(turn: Turn, subject: Speaker | None, people: Collection[str]) -> Iterator[Attributed]:
    if turn.role == AGENT:
        return
    text = request_in(turn.text) if turn.role == OPERATOR else without_fences(turn.text)
    for sentence in split_sentences(text):
        said = _ENTREATY.sub("", phrasing.strip_openers(sentence.text))
        if sentence.asks or _WHOLE.search(said) or _REQUEST.match(said) or is_quoted(said):
            continue
        stated = list(read_work(said, turn.at)) if turn.role == OPERATOR else []
        yield from stated or _sentence(said, turn, subject, people)


def _sentence(
    text: str, turn: Turn, subject: Speaker | None, people: Collection[str]
) -> Iterator[Attributed]:
    yield from read_decision(text, turn.at)
    for clause in phrasing.clauses_of(text):
        core = phrasing.trim_tail(clause)
        if not _CLAUSE.search(core) and not _REPORTED.search(core):
            own = list(_own(subject.called, clause, turn)) if subject else []
            yield from own or read_named(clause, turn.at, people)


def _own(speaker: str, clause: str, turn: Turn) -> Iterator[Attributed]:
    if particular := _read_particular(speaker, clause):
        yield particular
        return
    said = _FIRST.match(clause)
    statement = state(speaker, said["said"], turn.at) if said else None
    # "I moved to Redux" is said at work, of work: one moves home to a place.
    if statement and (turn.role != OPERATOR or _is_placed(statement)):
        yield Attributed(speaker, PERSON, statement)


def _is_placed(statement: ClauseDraft) -> bool:
    """Return whether a move, if it is one, leads to something that looks like a place."""
    if statement.pattern != "moved":
        return True
    place = statement.edge[1] if statement.edge else ""
    return _PLACE.fullmatch(place) is not None and place.lower() not in _TOOLS
