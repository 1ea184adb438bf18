"""Traces: episodes reduced to what consolidation compares (goal, files, actions, errors).

They are read leniently, since anybody may have written the document, and are small enough to hold
ten thousand in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from engrain.language.lexicons import read_words
from engrain.language.text.folding import fold
from engrain.model.experience.episode import UNKNOWN, is_failure
from engrain.model.note.documents import object_of, objects_of

_MOST_READ = 4000
_MOST = 200

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_MAIN = re.compile(
    r"\b(?:\w*error|\w*exception|fail(?:ed|ure|s)?|fatal|panic|cannot|can't|could not|couldn't|"
    r"not found|no such|missing|denied|refused|unexpected|undefined|invalid|timed? ?out|expected)"
    r"\b",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"(?<!\.)\.{4,200} ?(?:Passed|Failed|Skipped|\()|\[ {0,9}\d{1,3}%\]$"
    r"|^[=_*-]{3}.{0,200}[=_*-]{3}$|^[✓✔√] |\b(?:PASSED|ok)$|^(?:platform|rootdir|cachedir)\b"
    r"|^(?:configfile|testpaths|plugins|collect(?:ed|ing)|- hook id|- exit code|Using|Resolved)\b"
    r"|^(?:Installed|Downloading)\b|^… \+\d+ lines|\b0 (?:errors?|failed|failures|remaining)\b"
)
_MARKED = re.compile(r"^E\s+\S")
_NAMES = re.compile(
    r"(?:^|[\s(])(?:\w*[a-z]Error|\w+Exception|[Ee]rror(?:\[\w+\])?|ERROR|[Ff]atal|FATAL|panic)"
    r"(?::| TS\d+| in\b)|^Caused? ?(?:by)?:"
)
# The order counts: a text that an earlier pattern matches may contain one of a later pattern.
_VARYING = (
    (re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE), "<url>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"),
     "<time>"),
    (re.compile(r"(?<=\w)(?::\d+){1,2}(?=:? |$)|(?<=\w)\(\d+, ?\d+\)"), " "),
    (re.compile(r"(?<![\w<])(?:[a-z]:[\\/]|\.{0,2}[\\/]|~[\\/])[^\s'\"`:,;()<>]+", re.IGNORECASE),
     "<path>"),
    (re.compile(r"(?<![\w<])(?:[\w.@+-]{1,80}[\\/]){1,20}[\w.@+-]{0,80}\.\w{1,6}\b"), "<path>"),
    (re.compile(r"(?<![\w<])[\w@+-]{1,80}(?:\.[\w-]{1,40}){0,6}\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|c|h|cc|cpp|hpp|"
                r"java|kt|rb|php|sh|ya?ml|toml|json|md|txt|css|html|sql|lock|cfg|ini)\b",
                re.IGNORECASE), "<path>"),
    (re.compile(r"\b(?:tmp|temp)[\w-]{0,60}[_\d][\w-]*", re.IGNORECASE), "<tmp>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
                re.IGNORECASE), "<hex>"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"(?:[,:]? ?\b(?:line|lines|column|col|row)\b[: ]*\d+)+", re.IGNORECASE), " "),
    (re.compile(r"(?<![\w<.])[-+]?\d[\d.,_]*(?:e[-+]?\d+)?(?=\D|$)", re.IGNORECASE), "<n>"),
)  # fmt: skip
_QUOTES = re.compile("[\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb]")
_SIGNS = re.compile(r"[^\w<>$%&*+./\\=@#-]+")


def error_signature(type_: str, message: str) -> str:
    """Return the signature of an error: type and message without the parts that vary; "" if
    empty."""
    kind, signature = _normalise(type_), _normalise(main_line(message))
    if kind and kind != signature and not signature.startswith(f"{kind} "):
        signature = f"{kind} {signature}"
    return signature[:_MOST].strip()


def main_line(message: str) -> str:
    """Return the line of a message that says what went wrong: the last of a Python traceback, else
    the first that a test marks, that names an error, or that sounds like one, else the first. Lines
    that show the progress, or that something passed, say nothing."""
    text = _COLOURS.sub("", message[:_MOST_READ])
    lines = list(filter(None, map(str.strip, text.splitlines())))
    if not lines:
        return ""
    if any(line.startswith("Traceback (most recent") for line in lines):
        return lines[-1]
    lines = [line for line in lines if not _PROGRESS.search(line)] or lines
    found = (
        at
        for telling in (_MARKED, _NAMES, _MAIN)
        for at, line in enumerate(lines)
        if telling.search(line)
    )
    at = next(found, 0)
    line = lines[at].removeprefix("E ").strip()
    return " ".join([line, *lines[at + 1 : at + 2]]) if line.endswith(":") else line


def _normalise(text: str) -> str:
    text = _COLOURS.sub("", text[:_MOST_READ])
    text = _QUOTES.sub(" ", text)
    for pattern, stands_for in _VARYING:
        text = pattern.sub(f" {stands_for} ", text)
    text = _SIGNS.sub(" ", fold(text))
    return " ".join(filter(None, (word.strip("./\\-") for word in text.split())))


_MOST_ACTIONS = 64
_MOST_ERRORS = 50
_MOST_FILES = 50
_MOST_TEXT = 600


@dataclass(slots=True, eq=False)
class TraceError:
    """An error of an episode, with its resolution ("" for none) and the types of action in which
    it occurred."""

    type: str
    message: str
    resolution: str
    actions: Sequence[str]
    signature: str = field(init=False)

    def __post_init__(self) -> None:
        self.actions = tuple(self.actions)
        self.signature = error_signature(self.type, self.message)


class Trace:
    """One episode. `at` is when it began (epoch seconds, 0 if unknown); `actions` are distinct
    (type, target, whether it failed)."""

    __slots__ = (
        "actions", "at", "constraints", "errors", "files", "goal", "id", "outcome", "phase",
        "project",
    )  # fmt: skip

    def __init__(
        self, id_: str, document: Mapping[str, Any], *, project: str = "", at: float = 0.0
    ) -> None:
        context = object_of(document.get("context"))
        log = objects_of(document.get("action_log"))
        self.id = id_
        self.project = project
        self.at = at
        self.goal = _line(context.get("goal"))
        self.phase = _line(context.get("phase"))
        self.outcome = _line(document.get("outcome")) or UNKNOWN
        self.constraints = _lines(context.get("constraints"))
        files = _lines(context.get("files_involved")) + _lines(document.get("artifacts_produced"))
        self.files = tuple(dict.fromkeys(files))[:_MOST_FILES]
        done = (
            (_line(one.get("action")), _line(one.get("target")), is_failure(one)) for one in log
        )
        self.actions = tuple(dict.fromkeys(step for step in done if step[0]))[:_MOST_ACTIONS]
        self.errors = tuple(_read_errors(document, log))


def _read_errors(
    document: Mapping[str, Any], log: Sequence[Mapping[str, Any]]
) -> Iterator[TraceError]:
    """Yield each error once by its signature; a resolved one replaces an earlier unresolved one."""
    failed = [(_line(one.get("action")), _text(one.get("error"))) for one in log if is_failure(one)]
    met = [(action, error_signature("", error)) for action, error in failed if error]
    found: dict[str, TraceError] = {}
    for one in objects_of(document.get("errors_encountered")):
        message = _text(one.get("message"))
        error = TraceError(_line(one.get("type")), message, _line(one.get("resolution")), ())
        if not error.signature:
            continue
        bare = error_signature("", message)
        actions = [action for action, signature in met if signature and signature == bare]
        if not actions:  # then it may be the error of any action that failed
            actions = [action for action, _ in failed]
        before = found.get(error.signature)
        if before is None or (error.resolution and not before.resolution):
            error.actions = tuple(sorted(set(actions)))
            found[error.signature] = error
    yield from list(found.values())[:_MOST_ERRORS]


def _text(value: object) -> str:
    return value[: 8 * _MOST_TEXT] if isinstance(value, str) else ""


def _line(value: object) -> str:
    return " ".join(_text(value).split())[:_MOST_TEXT]


def _lines(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_line, value))) if isinstance(value, list) else ()


GOAL, FILES, ACTIONS, ERRORS = "goal", "files", "actions", "errors"
WEIGHTS: Mapping[str, float] = {GOAL: 1.0, FILES: 1.2, ERRORS: 0.2, ACTIONS: 0.05}
"""The weight of each kind of feature in the similarity of two episodes."""

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
    """Return the significant words of a goal, folded and stemmed, in order, each once. Chinese,
    Japanese and Korean give pairs of characters."""
    text = fold(_CAMEL.sub(" ", goal[:2000]))
    words = (part for word in _WORD.findall(text) for part in _cut(word) if part not in _STOP)
    return list(dict.fromkeys(map(_stem, words)))[:_MOST_WORDS]


def features_of(trace: Trace) -> dict[str, tuple[str, ...]]:
    """Return the features of a trace by kind."""
    paths = [short_path(path) for path in trace.files]
    return {
        GOAL: tuple(goal_words(trace.goal)),
        FILES: tuple(sorted({*paths, *(path.rpartition("/")[2] for path in paths)})),
        ACTIONS: tuple(sorted({f"{name}{'!' * failed}" for name, _, failed in trace.actions})),
        ERRORS: tuple(sorted({error.signature for error in trace.errors})),
    }


def short_path(path: str) -> str:
    """Return the last three parts of a path, which are the same in two checkouts of a project."""
    return "/".join(path.replace("\\", "/").rstrip("/").split("/")[-3:])


def _cut(word: str) -> Iterator[str]:
    if len(word) > 1 and any("\u2e80" <= char <= "\ud7a3" for char in word):
        yield from map("".join, pairwise(word))
    else:
        yield word


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    if not word.isascii():
        return word
    # Repeated, so that a word and its derivations get the same stem.
    while ending := next((one for one in _ENDINGS if word[_LEAST_STEM:].endswith(one)), ""):
        word = word[: -len(ending)]
    return word
