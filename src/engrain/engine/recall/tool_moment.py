"""Chooses the entries for the moment a tool fails or a file is touched (DESIGN 18).

Nobody asked, so an entry comes only where the call speaks for it: by the words of the error, by the
program that was run, or by the path of the file. Whatever is in doubt is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

from engrain.engine.core.recalled import Recall
from engrain.engine.core.scope import Scope, counted_origin, recall_filter
from engrain.engine.recall.filling import Filler, Packer, refuse_loaded
from engrain.engine.recall.ranking import Ranked
from engrain.engine.recall.rejection import rarity
from engrain.language.telling import find_errors
from engrain.model.experience.traces import error_signature

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.index.view import IndexView
    from engrain.seam.rows import Filter, Row


MOST = 2
"""The most entries for one call of a tool."""
KINDS = ("fix", "anti-pattern", "workflow", "decision")
"""The kinds that answer; a decision only where it names a path."""
NAMING = (
    *KINDS, "crystallized", "design", "domain-reference", "feedback", "insight", "pattern",
    "preference", "procedural",
)  # fmt: skip
"""The kinds that answer where they name the file that is touched."""
_DECISION = "decision"

_LEAST_SAID = 1.0
"""The weight of an error's words that an entry needs, in unique words."""
_LEAST_SAID_PLACED = 0.5
"""The weight that an entry needs which names a path of the error."""
_PROGRAM = 0.6
"""The worth of the name of the program that was run."""
_MOST_PROGRAM = 1.2
"""The most that the name of a program counts, so that no entry comes for its program alone."""
_CODE = 0.7
"""The worth of a code or identifier of the error: E501, ERESOLVE, MissingGreenlet."""
_PLACE = 0.9
"""The worth of a path that the error names."""
_TEST = 1.5
"""The worth of the name of the test that failed."""
_LEAST = 0.8
"""The score from which an entry fits a failure."""
_BESIDE = 0.6
"""The share of the best score that a second entry needs."""

_RARE = 1.2
"""The weight from which a word is rare enough to be a code."""
_MOST_POSTINGS, _FEW_POSTINGS = 300, 1500
_PARTS = 4
"""The last parts of a path by which entries are looked for."""
_FEW_NAMING = 3
"""The most entries that have a name of one part, such as `tests/`, and yet are about it."""
_READ_AT_MOST = 20
"""The most entries that are read for one call."""
_OUTPUT = 20_000
"""The characters at the end of an output in which errors are looked for."""
_SHORT_OUTPUT, _HEAD = 8, 4
"""The lines of an output that says its error in plain words, and those that are read of it."""
_COMMAND = 2000

_LINT = re.compile(r":\d+:? (?:error |warning )?[A-Z]{1,6}\d{2,5}\b")
_CODE_WORD = re.compile(r"\w{0,60}(?:[a-z][A-Z]|[A-Za-z]\d|[A-Z]{4})\w{0,60}")
_TEST_NAME = re.compile(r"\S{0,200}::\S{0,200}")
_TEST_LINE = re.compile(
    r"\s*(?:FAILED|FAIL|ERROR)\s+\S|\S{1,200}:\d{1,9}: \w{0,80}(?:Error|Exception)\b"
)
_FAILED_TEST = re.compile(
    r"(?m)^(?:FAILED \S{1,200}::| {0,20}--- FAIL: )([A-Za-z]\w{0,80}(?:_|[a-z][A-Z])\w{0,80})"
)
_SAYS_NOTHING = re.compile(r"\b(?:assert(?:ion(?:error)?)?|fail(?:ed|s|ures?)?|tests?|passed)\b")
_PLACEHOLDER = re.compile(r"<\w+>")
_STEP = re.compile(r"&&|\|\|?|;|\n|\$\(")
_PROGRAM_NAME = re.compile(r"[\w.+-]+")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]+")
_PREFIXES = frozenset(
    ["sudo", "time", "env", "exec", "nice", "nohup", "xargs", "command", "then", "do"]
)
_NO_PROGRAMS = ("cd", "source", "export", "set", "echo", "true", "EOF")
_MOST_PROGRAMS = 8
_MOST_PATHS = 6
_SEVERAL_WORDS = re.compile(r"[a-z0-9](?:[_-][A-Za-z0-9]|[A-Z])[\w@+.-]{0,80}\.\w{1,20}$")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/?[\w.@+-]{1,80}+(?:/[\w.@+*-]{1,80}+){1,30}+/?|[\w.@+-]{1,80}+/"
    r"|\.?[\w@+-]{1,80}+(?:\.\w{1,80}+){1,8}+"
    r"|\.env\b"
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool: its command line or name, its output, whether it failed, the files that it
    touched, and the folder in which it ran."""

    command: str = ""
    output: str = ""
    failed: bool = False
    paths: Sequence[str] = ()
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """How strongly a failed call speaks for an entry: the weight of the error's words that the
    entry has (`said`) and their `share` of all, the weight of the programs' names (`program`),
    whether one of the words is a code (`coded`), and whether the entry names a path of the error
    (`placed`) or the test that failed (`tested`)."""

    said: float = 0.0
    share: float = 0.0
    program: float = 0.0
    coded: bool = False
    placed: bool = False
    tested: bool = False

    @property
    def score(self) -> float:
        return (
            self.said * self.share
            + _PROGRAM * min(self.program, _MOST_PROGRAM)
            + _CODE * self.coded
            + _PLACE * self.placed
            + _TEST * self.tested
        )


def choose(fits: Mapping[int, Fit]) -> list[int]:
    """Return the entries that fit a failure, the best first; none where none surely does."""
    ranked = sorted(fits, key=lambda entry: (-fits[entry].score, entry))
    least = max(_LEAST, _BESIDE * fits[ranked[0]].score) if ranked else _LEAST
    return [entry for entry in ranked if _is_clear(fits[entry], least)]


def _is_clear(fit: Fit, least: float) -> bool:
    """Whether an entry names the test that failed or has enough of an error's words, fewer where
    it names a path of the error, and a score of at least so much."""
    said = _LEAST_SAID_PLACED if fit.placed else _LEAST_SAID
    return (fit.tested or fit.said >= said) and fit.score >= least


def read_message(output: str) -> tuple[str, str]:
    """Return the error that an output tells, without paths, numbers and other parts that vary, and
    the same lines as they are. Both are "" where it tells none; the error is where a test only
    says that it failed."""
    lines = [line for line in output[-_OUTPUT:].splitlines() if line.strip()]
    told = find_errors(lines) or [line for line in lines if _LINT.search(line)][:3]
    if not told and len(lines) <= _SHORT_OUTPUT:
        told = lines[:_HEAD]
    plain = (error_signature("", _TEST_NAME.sub(" ", line)) for line in told)
    message = "\n".join(_PLACEHOLDER.sub(" ", line) for line in plain)
    return message if re.search(r"\w", _SAYS_NOTHING.sub("", message)) else "", "\n".join(told)


def read_paths(output: str) -> list[str]:
    """Return the paths in the lines of an output that say what failed, a test's file included."""
    lines = [line for line in output[-_OUTPUT:].splitlines() if line.strip()]
    told = [*find_errors(lines), *(line for line in lines if _TEST_LINE.match(line))]
    paths = (path[0].rstrip(".") for line in told for path in _PATH.finditer(line))
    return list(dict.fromkeys(path for path in paths if "/" in path.strip("/")))[:_MOST_PATHS]


def read_tests(output: str) -> list[str]:
    """Return the names of the tests that an output says have failed."""
    return list(dict.fromkeys(_FAILED_TEST.findall(output[-_OUTPUT:])))[:_MOST_PATHS]


def list_programs(command: str) -> list[str]:
    """Return the programs that a command line runs, each with its subcommand."""
    found: dict[str, None] = {}
    for step in _STEP.split(command[:_COMMAND]):
        words = step.split()
        while words and (words[0] in _PREFIXES or re.match(r"\w+=", words[0])):
            del words[0]
        name = re.split("[(:]", words[0].rsplit("/", 1)[-1])[0] if words else ""
        if name in _NO_PROGRAMS or not _PROGRAM_NAME.fullmatch(name):
            continue
        found[name] = None
        if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1]):
            found[words[1]] = None
    return list(found)[:_MOST_PROGRAMS]


def find_name(text: str, path: str, folder: str = "") -> str:
    """Return the longest name by which a text names a file, "" for none: its path, its path within
    `folder`, its last parts, a name of several words such as `queryKeys.ts`, or a folder above it
    with the slash at its end. A path that goes on differently before these is another file. Of a
    test, `path` is its name."""
    path = path.replace("\\", "/")
    inside = path.removeprefix(folder.replace("\\", "/").rstrip("/") + "/") if folder else path
    names = [path] if path.isidentifier() and re.search(rf"\b{path}\b", text) else []
    for found in _PATH.finditer(text):
        named = found[0].rstrip(".").removeprefix("./").removeprefix("~/").lstrip("/")
        if (
            named == inside
            or (f"/{path}".endswith(f"/{named}") and ("/" in named or _SEVERAL_WORDS.search(named)))
            or (named.endswith("/") and f"/{named}" in f"/{path}")
        ):
            names.append(named)
    return max(names, key=len, default="")


def recall_for_call(
    store: Store,
    call: ToolCall,
    *,
    project: str | None = None,
    loaded: Sequence[str] = (),
    limit: int = MOST,
    deadline: float | None = None,
) -> Recall:
    """Recall the entries for a call of a tool: for a failure those that know its error, and those
    that name a file which the call touches; nothing where none surely fits, and nothing from
    outside. `loaded` are the ids of entries that the reader has; with a `deadline` no index is
    built. Raises IndexUnavailableError."""
    only = recall_filter(store, Scope(kinds=KINDS, project=project))
    if limit < 1 or store.ensure_index(hurried=deadline is not None):
        return Recall(())
    naming = replace(only, kinds=NAMING)
    with store.index.view() as view:
        touched = _find_naming(store, view, call, call.paths, naming)
        ranked = [Ranked(row, 1.0, [], {}) for row in touched.values()]
        if call.failed:
            ranked += _rank_failure(store, view, call, only)
    order = list({item.row.id: item for item in reversed(ranked)}.values())[::-1]
    filler, packer = Filler(store, loaded), Packer(limit, None, None)
    refuse_loaded(store, loaded, packer)
    results = filler.fill(order, packer, reject=False)
    return Recall(results, again=tuple(filler.again), tokens=packer.tokens)


def _rank_failure(store: Store, view: IndexView, call: ToolCall, only: Filter) -> list[Ranked]:
    message, told = read_message(call.output)
    said = _match(view, message, only)
    ran = _match(view, " ".join(list_programs(call.command)), only)
    named = _find_naming(store, view, call, read_paths(call.output), only)
    tested = _find_naming(store, view, call, read_tests(call.output), only)
    codes = {
        word for word, weight in said.weights.items() if weight >= _RARE and _is_code(word, told)
    }
    whole = sum(said.weights.values()) or 1.0
    fits = {}
    for entry in {**said.entries, **named, **tested}:
        words = said.entries.get(entry, set())
        weight = sum(said.weights[word] for word in words)
        program = sum(ran.weights[word] for word in ran.entries.get(entry, ()))
        coded = not codes.isdisjoint(words)
        known = entry in named, entry in tested
        fits[entry] = Fit(weight, weight / whole, program, coded, *known)
    chosen = choose(fits)[:_READ_AT_MOST]
    rows = view.rows(chosen)
    scored = [(rows[entry], fits[entry].score) for entry in chosen if entry in rows]
    return [
        Ranked(row, score, [], {})
        for row, score in scored
        if _is_vouched(store, row) and (row.kind != _DECISION or _PATH.search(_read(store, row)))
    ]


def _find_naming(
    store: Store, view: IndexView, call: ToolCall, paths: Sequence[str], only: Filter
) -> dict[int, Row]:
    """Return the entries that name one of these paths, the most exact name first. A name of one
    part that more than a few entries have says little."""
    found: dict[str, dict[int, Row]] = {}
    for path in paths:
        tail = " ".join(path.replace("\\", "/").split("/")[-_PARTS:])
        matched = _match(view, tail, only)
        most = sorted(matched.entries, key=lambda entry: (-len(matched.entries[entry]), entry))
        for entry, row in view.rows(most[:_READ_AT_MOST]).items():
            if _is_vouched(store, row):
                name = find_name(_read(store, row), path, call.folder)
                found.setdefault(name, {})[entry] = row
    found.pop("", None)
    telling = [name for name in found if "/" in name.strip("/") or len(found[name]) <= _FEW_NAMING]
    telling.sort(key=lambda name: (name.endswith("/"), -len(name)))
    order: dict[int, Row] = {}
    for name in telling:
        order |= {entry: row for entry, row in found[name].items() if entry not in order}
    return order


@dataclass(slots=True)
class _Matched:
    """The weights of a text's words, and for each entry those words that it has."""

    weights: dict[str, float]
    entries: dict[int, set[str]]


def _match(view: IndexView, text: str, only: Filter) -> _Matched:
    matches = view.match(text, only, _MOST_POSTINGS, _FEW_POSTINGS)
    counted = zip(matches.words, matches.frequencies, matches.surprises, strict=True)
    weights = {
        word: rarity(frequency, matches.passages) * sqrt(surprise)
        for word, frequency, surprise in counted
    }
    entries: dict[int, set[str]] = {}
    for met in matches.met:
        words = (word for number, word in enumerate(matches.words) if met[7] >> number & 1)
        entries.setdefault(met[1], set()).update(words)
    return _Matched(weights, entries)


def _is_code(word: str, told: str) -> bool:
    """Whether a word, in small letters, is a code or an identifier where the lines have it."""
    found = re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", told)
    return found is not None and _CODE_WORD.fullmatch(found[0]) is not None


def _is_vouched(store: Store, row: Row) -> bool:
    row.source = counted_origin(row, store)
    return row.source != "external"


def _read(store: Store, row: Row) -> str:
    """Return the title and text of an entry as its file is now, "" if that has changed."""
    said = Filler(store, ()).read(row, store.backend.read)
    return f"{row.title}\n{said[0]}" if said else ""
