"""The sentences that the operator typed: code, quotations and what was pasted are not theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_regexes
from engrain.language.prompts.tasks import is_go_ahead
from engrain.language.text.prose import Said, is_quoted, split_speech

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
_PASTED = _PATTERNS["pasted"]
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_BREAK = re.compile(r"(?<=[\w)\"'`\]’”])([.!?…]+)(?=[\s)\"'”’]|$)|\s[—–]\s|\s--\s")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Dr|St)$", re.IGNORECASE)
_EDGE = " \t,;:()[]*_"


def read_sentences(text: str) -> list[Said]:
    """The sentences that were typed, of a message that may hold more than those."""
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
    """Whether a message asks for something by itself, and not only goes on."""
    text = text.strip()
    return (
        bool(text)
        and not _COMMAND.match(text)
        and not _CONTINUED.match(text)
        and not (is_go_ahead(text))
    )


def _join_lines(lines: Sequence[str]) -> Iterator[str]:
    """Lines that a terminal or a person wrapped, as one; those that were pasted are left out."""
    held, wrapped = "", False
    for line in lines:
        if _PASTED.search(line) or not line.strip():
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


def _is_said(sentence: Said) -> bool:
    words = len(sentence.text.split())
    fits = _SHORTEST <= words <= _MOST_WORDS and len(sentence.text) <= _LONGEST
    return fits and not is_quoted(sentence.text)
