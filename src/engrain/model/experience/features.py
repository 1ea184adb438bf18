"""What makes two episodes alike: words of the goal, files, actions and errors (S2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from engrain.language.lexicons import read_words
from engrain.language.text.folding import fold
from engrain.model.experience.traces import Trace

GOAL, FILES, ACTIONS, ERRORS = "goal", "files", "actions", "errors"
WEIGHTS: Mapping[str, float] = {GOAL: 1.0, FILES: 1.2, ERRORS: 0.2, ACTIONS: 0.05}
"""What each kind of feature counts for in how alike two episodes are."""

_MOST_WORDS = 60
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STOP = read_words("words", "stop words")["goals"]
_ENDINGS = (
    "ations", "ation", "ements", "ement", "ments", "ment", "ings", "ing", "ions", "ion", "ers",
    "ies", "ed", "er", "es", "ly", "e", "s", "y",
)  # fmt: skip
_LEAST_STEM = 4


def goal_words(goal: str) -> list[str]:
    """The telling words of a goal, folded and without endings, in order, each once. Chinese,
    Japanese and Korean give pairs of characters."""
    text = fold(_CAMEL.sub(" ", goal[:2000]))
    words = (part for word in _WORD.findall(text) for part in _cut(word) if part not in _STOP)
    return list(dict.fromkeys(map(_stem, words)))[:_MOST_WORDS]


def features_of(trace: Trace) -> dict[str, tuple[str, ...]]:
    """The features of each kind."""
    return {
        GOAL: tuple(goal_words(trace.goal)),
        FILES: tuple(sorted(set(_file_features(trace.files)))),
        ACTIONS: tuple(sorted({f"{name}{'!' * failed}" for name, _, failed in trace.actions})),
        ERRORS: tuple(sorted({error.signature for error in trace.errors})),
    }


def short_path(path: str) -> str:
    """The last three parts of a path: what two checkouts of a project have in common."""
    return "/".join(path.replace("\\", "/").rstrip("/").split("/")[-3:])


def _file_features(files: Iterable[str]) -> Iterator[str]:
    for path in files:
        short = short_path(path)
        yield short
        yield short.rpartition("/")[2]


def _cut(word: str) -> Iterator[str]:
    if len(word) > 1 and any("\u2e80" <= char <= "\ud7a3" for char in word):
        yield from map("".join, pairwise(word))
    else:
        yield word


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    if not word.isascii():
        return word
    while ending := next((one for one in _ENDINGS if _ends(word, one)), ""):
        word = word[: -len(ending)]  # again, so that a word and what is made of it meet
    return word


def _ends(word: str, ending: str) -> bool:
    return word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM
