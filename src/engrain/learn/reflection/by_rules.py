"""The deterministic form of reflection: a table of rules over the operator's sentences (S1.20)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.language.lexicons import expand, read_fragments, read_lines, read_regexes
from engrain.language.prompts import names_project, prompt_in
from engrain.language.statements.instructions import count_words
from engrain.language.statements.withdrawals import read_withdrawal, takes_back
from engrain.language.text.fences import shorten
from engrain.language.text.sentences import SaidSentence, split_speech
from engrain.model.facts.fact import OPERATOR, Turn

PREFERENCE = "preference"
FEEDBACK = "feedback"
WORKFLOW = "workflow"
DECISION = "decision"
FIX = "fix"
IDEA = "idea"
INSIGHT = "insight"


@dataclass(slots=True, eq=False)
class Reflection:
    """One candidate: an entry of `kind` called `title`, in the operator's own words (`quote`), with
    a reason in the words behind (`why`, "" for none).

    `confidence` is from 0 to 1; `at` is when it was said, in epoch seconds. `here` says that the
    words name the current project. With `only_withdraws` they say nothing but that an earlier
    statement is over.
    """

    kind: str
    title: str
    quote: str
    confidence: float
    _: KW_ONLY
    why: str = ""
    at: float | None = None
    here: bool = False
    only_withdraws: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ReflectionRule:
    """A rule: the `kind` of entry that a sentence becomes, and how sure that is, from 0 to 1.

    `again` is the confidence where the sentence corrects what the agent did. `questions` says
    whether it may be a question, `alone` that it has to be the whole message: what is said beside a
    request is mostly about that.
    """

    kind: str
    confidence: float
    again: float
    questions: bool
    alone: bool
    pattern: re.Pattern[str]


def _read_rules() -> Iterator[ReflectionRule]:
    fragments = read_fragments("reflection")
    for head, lines in read_lines("reflection", "rules").items():
        _, kind, sure, *options = head.split(" | ")
        given = dict(option.partition(" ")[::2] for option in options)
        yield ReflectionRule(
            kind,
            float(sure),
            float(given.get("again", sure)),
            "questions" in given,
            "alone" in given,
            re.compile(expand("".join(lines), fragments), re.IGNORECASE),
        )


RULES = tuple(_read_rules())
"""In the order in which they are tried: the first that fits decides."""

_MOST = 6000
"""Characters of a turn that somebody types; of a longer one most was pasted."""
_LONGEST = 400
_WIDTH = 90
"""Characters from which on a line was broken by a terminal."""
_MOST_WORDS = 70
_SPEAKERS = 2
"""Lines that begin with a name and a colon, from which on a message holds a chat or fields."""

_COMMAND = re.compile(r"^[/!#][\w:-]+(?:\s|$)")
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_DOCUMENT = re.compile(r"^(?:#{1,6} |\*\*[^*]+\*\*:?\s*$|---\s*$|<\w)", re.MULTILINE)
"""From such a line on a message is a document that was pasted."""
_PATTERNS = read_regexes("reflection", "utterances")
_CUES = read_regexes("reflection", "cues")
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_BREAK = re.compile(r"(?<=[\w)\"'`\]’”])([.!?…]+)(?=[\s)\"'”’]|$)|\s[—–]\s|\s--\s")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Dr|St)$", re.IGNORECASE)
_EDGE = " \t,;:()[]*_"
_QUOTES = re.compile(r"[\"“][^\"”]*[\"”]?|(?<!\w)'[^']*'(?!\w)")


def read_sentences(text: str) -> list[SaidSentence]:
    """Return the sentences that were typed, of a message that may hold more than those; none of
    one that asks for work on a text in it, or about words in it."""
    text = prompt_in(text)
    if len(text) > _MOST or _COMMAND.match(text):
        return []
    text = _FENCE.sub("\n```\n", text.replace("\r\n", "\n").replace("’", "'"))
    document = _DOCUMENT.search(text)
    lines = text[: document.start()].split("\n") if document else text.split("\n")
    typed = _typed_lines(lines)
    every = [
        sentence
        for line in _join_lines(lines)
        for sentence in split_speech(line, _BREAK, _SHORT, _EDGE)
    ]
    foreign = len(typed) < len(lines) or bool(document)
    if any(_CUES["text_work"].search(_strip_lead(one.text)) for one in every) and (
        foreign or len(every) > 1 or ":" in text
    ):
        return []
    read = [
        sentence
        for line in _join_lines(typed)
        for sentence in _outside_quotes(split_speech(line, _BREAK, _SHORT, _EDGE))
    ]
    return [] if _is_asked_about(read) else [one for one in read if _is_said(one)]


def _typed_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines before the first that was pasted, without what announces it; of a chat or of
    fields none."""
    if sum(bool(_PATTERNS["speaker"].match(line)) for line in lines) >= _SPEAKERS:
        return []
    for number, line in enumerate(lines):
        follows = line.rstrip().endswith(":") and any(map(str.strip, lines[number + 1 :]))
        foreign = _PATTERNS["presenting"].search(line) or not _PATTERNS["own_list"].search(line)
        if follows and foreign:
            return list(lines[:number])
        if line.startswith("```") or _PATTERNS["pasted"].search(line):
            return [one for one in lines[:number] if not one.rstrip().endswith(":")]
    return list(lines)


def _outside_quotes(sentences: Iterable[SaidSentence]) -> Iterator[SaidSentence]:
    """Yield the sentences of a line that no quotation is open before."""
    opened = False
    for sentence in sentences:
        if not opened:
            yield sentence
        opened ^= sentence.text.count('"') % 2 == 1


def _is_asked_about(sentences: Sequence[SaidSentence]) -> bool:
    """Return whether a question points back at a sentence before it."""
    return any(
        one.asks and number and _CUES["asking_back"].match(one.text)
        for number, one in enumerate(sentences)
    )


def _join_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines that were wrapped as one."""
    held, wrapped = "", False
    for line in lines:
        if not line.strip():
            if held:
                yield held
            held = ""
            continue
        item = _MARKER.match(line)
        said = line[item.end() :].strip() if item else line.strip()
        goes_on = held and not item and held[-1] not in ".!?:"
        if goes_on and (wrapped or said[:1].islower()):
            held = f"{held} {said}"
        else:
            if held:
                yield held
            held = said
        wrapped = len(line) >= _WIDTH
    if held:
        yield held


def _is_said(sentence: SaidSentence) -> bool:
    words = len(sentence.text.split())
    return words <= _MOST_WORDS and len(sentence.text) <= _LONGEST


_MOST_TITLE = 120
_POINTING_COST = 0.35
"""Confidence that a statement loses if it can't be understood by itself."""
_LEAST_SURE = 0.4
"""Confidence below which nothing is kept."""
_SURE = 0.85
_ASIDE = re.compile(r"(?<=\S )\([^()]*\)")
_PERSONAL = ("i ", "i'm ", "i've ", "my ")
_LEAST_REMEMBERED = 3
"""Words of a sentence that is remembered because the next one asks for it."""


def find_statements(turns: Sequence[Turn]) -> list[Reflection]:
    """Return what is worth keeping of the operator's words in some turns of one session, in their
    order. Turns of others are only context. No text makes it raise an error."""
    found: list[list[Reflection]] = [[]]
    for turn in turns:
        if turn.role == OPERATOR:
            found.append(_read(turn, found[-1]))
    return [one for said in found for one in said]


def _read(turn: Turn, before: list[Reflection]) -> list[Reflection]:
    """Return the candidates in a turn. What it takes back at once is removed, also from those of
    the turn `before`."""
    found: list[Reflection] = []
    sentences = read_sentences(turn.text)
    corrects = bool(_CUES["correcting"].match(turn.text))
    for number, sentence in enumerate(sentences):
        if takes_back(_strip_lead(sentence.text)) and not sentence.asks:
            (found or before)[-1:] = []
            continue
        behind = next(iter(sentences[number + 1 :]), SaidSentence("", "?"))
        alone = sum(bool(one.text) for one in sentences) == 1 and "\n" not in turn.text.strip()
        one = _candidate(sentence, behind, corrects=corrects, alone=alone)
        if one is not None:
            one.at = turn.at
            found.append(one)
    return found


def _candidate(
    sentence: SaidSentence, behind: SaidSentence, *, corrects: bool, alone: bool
) -> Reflection | None:
    """Return the candidate in a sentence, None for none; `behind` is the sentence after it."""
    confirmed = not behind.asks and bool(_CUES["remember_it"].match(_strip_lead(behind.text)))
    judged = _judge(sentence, corrects=corrects, alone=alone)
    text = _CUES["remember_tail"].sub("", sentence.text)
    if judged is None and (confirmed or text != sentence.text):
        judged = _remembered(SaidSentence(text, sentence.mark))
    ends = not sentence.asks and _is_own(text.removesuffix(" now"))
    withdrawal = read_withdrawal(_strip_lead(text)) if ends else None
    weak = withdrawal is not None and (judged is None or withdrawal.only_ends)
    judged = (DECISION, _SURE) if weak else judged
    if judged is None:
        return None
    reason = not behind.asks and _CUES["reason"].match(behind.text)
    return Reflection(
        judged[0],
        make_title(text),
        text,
        round(judged[1], 2),
        why=behind.text if reason else "",
        here=names_project(text),
        only_withdraws=weak,
    )


def _remembered(sentence: SaidSentence) -> tuple[str, float] | None:
    """Return the kind and confidence of a sentence that is to be remembered as it is."""
    words = len(sentence.text.split())
    clear = not sentence.asks and not _CUES["pointing"].search(_strip_lead(sentence.text))
    fits = words >= _LEAST_REMEMBERED and clear and _is_own(sentence.text)
    return (INSIGHT, _SURE) if fits else None


def _is_own(text: str) -> bool:
    """Return whether a sentence is the operator's own, and about more than the work at hand."""
    text = _strip_lead(text)
    return not _CUES["others"].search(text) and not _CUES["moment"].search(text)


def _strip_lead(text: str) -> str:
    return _CUES["lead_in"].sub("", text)


def _judge(sentence: SaidSentence, *, corrects: bool, alone: bool) -> tuple[str, float] | None:
    """Return the kind and the confidence by the first rule that fits a sentence."""
    text = " ".join(_QUOTES.sub(_blank, _ASIDE.sub(" ", _strip_lead(sentence.text))).split())
    text = text.removesuffix(" please").rstrip(",")
    corrects = corrects or bool(_CUES["correcting"].match(sentence.text))
    if not _is_own(text):
        return None
    fitting = _find_rule(text, asks=sentence.asks, alone=alone)
    if fitting is None:
        return None
    rule, act = fitting
    confidence = rule.again if corrects else rule.confidence
    if _CUES["pointing"].search(act):
        confidence -= _POINTING_COST
    says_much = count_words(act) or "`" in act
    if not says_much or confidence < _LEAST_SURE:
        return None
    # A statement about the operator is a preference.
    own = rule.kind == INSIGHT and act.lower().startswith(_PERSONAL)
    return PREFERENCE if own else rule.kind, confidence


def _find_rule(text: str, *, asks: bool, alone: bool) -> tuple[ReflectionRule, str] | None:
    """Return the first rule that fits a sentence, and what the sentence tells to do."""
    for rule in RULES:
        if (rule.questions or not asks) and (alone or not rule.alone):
            match = rule.pattern.search(text)
            if match is not None:
                return rule, match["act"] or text
    return None


def _blank(quoted: re.Match[str]) -> str:
    """Return a quotation of one word as it is, a longer one as a mark."""
    return quoted[0] if " " not in quoted[0].strip() else '"…"'


def make_title(text: str) -> str:
    """Make the title of an entry from a sentence."""
    text = _strip_lead(text).removeprefix("please ").strip() or text
    return shorten(text[:1].upper() + text[1:], _MOST_TITLE)
