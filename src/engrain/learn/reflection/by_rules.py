"""The deterministic form of reflection: a table of rules over the operator's sentences (S1.20)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import expand, read_fragments, read_lines, read_regexes
from engrain.language.prompts import is_go_ahead, names_project
from engrain.language.statements.instructions import count_words
from engrain.language.text.fences import shorten
from engrain.language.text.sentences import SaidSentence, is_quoted, split_speech
from engrain.model.facts.fact import OPERATOR, Turn
from engrain.seam.llm import Reflection, Reflector

PREFERENCE = "preference"
FEEDBACK = "feedback"
WORKFLOW = "workflow"
DECISION = "decision"
FIX = "fix"
IDEA = "idea"
INSIGHT = "insight"


@dataclass(frozen=True, slots=True, eq=False)
class ReflectionRule:
    """A rule: the `kind` of entry that a sentence becomes, and how sure that is, from 0 to 1.

    `again` is the confidence where the sentence corrects what the agent did. `questions` says
    whether it may be a question; `least` is how many words of content it needs.
    """

    name: str
    kind: str
    confidence: float
    again: float
    least: int
    questions: bool
    pattern: re.Pattern[str]


def _read_rules() -> Iterator[ReflectionRule]:
    fragments = read_fragments("reflection")
    for head, lines in read_lines("reflection", "rules").items():
        name, kind, sure, *options = head.split(" | ")
        given = dict(option.partition(" ")[::2] for option in options)
        yield ReflectionRule(
            name,
            kind,
            float(sure),
            float(given.get("again", sure)),
            int(given.get("least", _LEAST)),
            "questions" in given,
            re.compile(expand("".join(lines), fragments), re.IGNORECASE),
        )


_LEAST = 2
RULES = tuple(_read_rules())
"""In the order in which they are tried: the first that fits decides."""

_MOST = 6000
"""Characters of a turn that somebody types; of a longer one most was pasted."""
_LONGEST = 400
_WIDTH = 90
"""Characters from which on a line was broken by a terminal."""
_SHORTEST, _MOST_WORDS = 2, 70

_CONTINUED = re.compile(r"^This session is being continued from a previous conversation\b")
_COMMAND = re.compile(r"^[/!#][\w:-]+(?:\s|$)")
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_DOCUMENT = re.compile(r"^(?:#{1,6} |\*\*[^*]+\*\*:?\s*$|---\s*$|<\w)", re.MULTILINE)
"""From such a line on a message is a document that was pasted."""
_PATTERNS = read_regexes("reflection", "utterances")
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_BREAK = re.compile(r"(?<=[\w)\"'`\]’”])([.!?…]+)(?=[\s)\"'”’]|$)|\s[—–]\s|\s--\s")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Dr|St)$", re.IGNORECASE)
_EDGE = " \t,;:()[]*_"


def read_sentences(text: str) -> list[SaidSentence]:
    """Return the sentences that were typed, of a message that may hold more than those."""
    text = text.strip()
    if len(text) > _MOST or _CONTINUED.match(text) or _COMMAND.match(text):
        return []
    text = _FENCE.sub("\n", text.replace("\r\n", "\n").replace("’", "'"))
    if document := _DOCUMENT.search(text):
        text = text[: document.start()]
    return [
        sentence
        for line in _join_lines(text.split("\n"))
        for sentence in split_speech(line, _BREAK, _SHORT, _EDGE)
        if _is_said(sentence)
    ]


def is_request(text: str) -> bool:
    """Return whether a message asks for something by itself, and not only goes on."""
    text = text.strip()
    command = _COMMAND.match(text) or _CONTINUED.match(text)
    return bool(text) and not command and not is_go_ahead(text)


def _join_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines that were wrapped as one; those that were pasted are left out."""
    held, wrapped = "", False
    for line in lines:
        if _PATTERNS["pasted"].search(line) or not line.strip():
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
    fits = _SHORTEST <= words <= _MOST_WORDS and len(sentence.text) <= _LONGEST
    return fits and not is_quoted(sentence.text)


_CUES = read_regexes("reflection", "cues")
_MOST_TITLE = 120
_MOST_ABOUT = 160
_POINTING_COST = 0.35
"""Confidence that a statement loses if it can't be understood by itself."""
_LEAST_SURE = (0.4, 0.2)
"""Confidence below which nothing is kept; of an idea the second."""
_ASIDE = re.compile(r"(?<=\S )\([^()]*\)")
_PERSONAL = ("i ", "i'm ", "i've ", "my ")


class RuleReflector(Reflector):
    """Reads each sentence of the operator by the table."""

    name = "rules"

    def reflect(self, turns: Sequence[Turn]) -> list[Reflection]:
        found: list[Reflection] = []
        about = ""
        for turn in turns:
            if turn.role != OPERATOR:
                continue
            said = list(_read(turn, about))
            found += said
            if is_request(turn.text) and not said:
                about = shorten(turn.text, _MOST_ABOUT)
        return found


def _read(turn: Turn, about: str) -> Iterator[Reflection]:
    sentences = read_sentences(turn.text)
    corrects = bool(_CUES["correcting"].match(turn.text))
    for number, sentence in enumerate(sentences):
        found = _judge(sentence, corrects)
        if found is None:
            continue
        rule, match, confidence = found
        behind = next(iter(sentences[number + 1 :]), SaidSentence("", "?"))
        reason = not behind.asks and _CUES["reason"].match(behind.text)
        # A statement about the operator is a preference.
        own = rule.kind == INSIGHT and match["act"].lower().startswith(_PERSONAL)
        yield Reflection(
            PREFERENCE if own else rule.kind,
            make_title(sentence.text),
            sentence.text,
            round(confidence, 2),
            why=behind.text if reason else "",
            at=turn.at,
            key=turn.key,
            about=about,
            here=names_project(sentence.text),
        )


def _judge(
    sentence: SaidSentence, corrects: bool
) -> tuple[ReflectionRule, re.Match[str], float] | None:
    """Return the rule that reads something to keep in a sentence, its match, and the confidence."""
    text = " ".join(_ASIDE.sub(" ", _CUES["lead_in"].sub("", sentence.text)).split())
    text = text.removesuffix(" please").rstrip(",")
    corrects = corrects or bool(_CUES["correcting"].match(sentence.text))
    for rule in RULES:
        if sentence.asks and not rule.questions:
            continue
        match = rule.pattern.search(text)
        if match is None:
            continue
        if count_words(match["act"]) < rule.least and "`" not in match["act"]:
            return None
        confidence = rule.again if corrects else rule.confidence
        if _CUES["pointing"].search(match["act"]):
            confidence -= _POINTING_COST
        return (rule, match, confidence) if confidence >= _LEAST_SURE[rule.kind == IDEA] else None
    return None


def make_title(text: str) -> str:
    """Make the title of an entry from a sentence."""
    text = _CUES["lead_in"].sub("", text).removeprefix("please ").strip() or text
    return shorten(text[:1].upper() + text[1:], _MOST_TITLE)
