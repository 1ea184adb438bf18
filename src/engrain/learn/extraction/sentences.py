"""A turn's text as sentences that somebody says: code, logs, quotations and markup are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes
from engrain.language.text.sentences import Said, split_speech

_MOST = 20_000
"""Characters of a turn that are read: what is longer was pasted, not said."""
_LONGEST = 400
"""Characters of a sentence that is read."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_PATTERNS = read_regexes("extraction", "sentences")
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_BREAK = re.compile(r"([.!?…]+)[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9]|\s*$)")
_TICKED = re.compile(r"`([^`\s]{1,40})`")


def split_sentences(text: str) -> Iterator[Said]:
    """The sentences of a text in their order, each on one line."""
    text = _FENCE.sub("\n", text[:_MOST].replace("\r\n", "\n")).replace("’", "'")
    for line in text.split("\n"):
        if _PATTERNS["passed"].search(line):
            continue
        line = _TICKED.sub(r"\1", _MARKER.sub("", line)).replace("**", "").replace("__", "")
        for part in _PATTERNS["pictures"].split(line):
            for said in split_speech(part, _BREAK, _PATTERNS["short"], " ,"):
                if said.text and len(said.text) <= _LONGEST and "`" not in said.text:
                    yield said
