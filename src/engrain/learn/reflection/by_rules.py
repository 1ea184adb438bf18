"""The deterministic form of reflection: a table of rules over the operator's sentences (S1.20)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_regexes
from engrain.language.statements.instructions.reading import count_words
from engrain.language.text.lines import shorten
from engrain.language.text.prose import Said
from engrain.learn.reflection.rules import (
    FEEDBACK,
    IDEA,
    INSIGHT,
    PREFERENCE,
    RULES,
    WORKFLOW,
    Rule,
)
from engrain.learn.reflection.utterances import is_request, read_sentences
from engrain.model.facts.turns import OPERATOR, Turn
from engrain.seam.reflector import Reflection, Reflector

_CUES = read_regexes("reflection", "cues")
HABIT = 0.6
"""Confidence of a request that comes again and again."""
_MOST_TITLE = 120
_MOST_ABOUT = 160
_LEAST_WORDS = 2
_HABIT_WORDS = (2, 10)
_POINTING_COST = 0.35
"""Confidence that a statement loses if it can't be understood by itself."""
_LEAST = (0.4, 0.2)
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
            if is_request(turn.text) and all(one.habit for one in said):
                about = shorten(turn.text, _MOST_ABOUT)
        return found


def _read(turn: Turn, about: str) -> Iterator[Reflection]:
    sentences = read_sentences(turn.text)
    corrects = bool(_CUES["correcting"].match(turn.text))
    stated = False
    for number, sentence in enumerate(sentences):
        found = _judge(sentence, corrects)
        if found is None:
            continue
        rule, match, confidence = found
        stated = True
        behind = sentences[number + 1] if number + 1 < len(sentences) else None
        why = (
            behind.text if behind and not behind.asks and _CUES["reason"].match(behind.text) else ""
        )
        yield Reflection(
            _kind(rule, match["act"]),
            make_title(sentence.text),
            sentence.text,
            round(confidence, 2),
            why=why,
            at=turn.at,
            key=turn.key,
            about=about,
            here=bool(_CUES["names_project"].search(sentence.text)),
        )
    if not stated and (habit := _habit(turn, sentences)):
        yield habit


def _judge(sentence: Said, corrects: bool) -> tuple[Rule, re.Match[str], float] | None:
    """The rule that reads something to keep in a sentence, its match, and the confidence."""
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
        return (rule, match, confidence) if confidence >= _LEAST[rule.kind == IDEA] else None
    return None


def _kind(rule: Rule, act: str) -> str:
    """The kind of entry: a statement about the operator is a preference."""
    return PREFERENCE if rule.kind == INSIGHT and act.lower().startswith(_PERSONAL) else rule.kind


def make_title(text: str) -> str:
    """The title of an entry, made from a sentence."""
    text = _CUES["lead_in"].sub("", text).removeprefix("please ").strip() or text
    return shorten(text[:1].upper() + text[1:], _MOST_TITLE)


def _habit(turn: Turn, sentences: Sequence[Said]) -> Reflection | None:
    """A short request, all of a message, that may be one that is always made."""
    if len(sentences) != 1 or sentences[0].asks or not is_request(turn.text):
        return None
    text = _CUES["lead_in"].sub("", sentences[0].text).removeprefix("please ")
    least, most = _HABIT_WORDS
    if (
        not _CUES["bare"].match(text)
        or not least <= len(text.split()) <= most
        or _CUES["pointing"].match(text)
    ):
        return None
    if count_words(text) < _LEAST_WORDS:
        return None
    kind = FEEDBACK if text.lower().startswith(("don't", "do not", "stop")) else WORKFLOW
    return Reflection(
        kind, make_title(text), sentences[0].text, HABIT, at=turn.at, key=turn.key, habit=True
    )
