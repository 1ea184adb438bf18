"""The regular expressions of the package, and texts on which one that is not linear takes long.

A pattern's own beginnings, what it repeats, and the marks of notes, prompts and transcripts are
repeated to a text. Where it takes long, one of thrice the size may take about thrice the time.
"""

from __future__ import annotations

import ast
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from math import inf
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import engrain

_FIRST, _SHORT, _LONG = 2000, 6000, 18000
"""The characters of the text that is tried first, and of the two that are compared."""
_SOON, _LEAST = 0.001, 0.012
"""Seconds in which most linear patterns are done with the first text, and processor seconds that
are measured well: some systems count them in steps of 0.004."""
_MOST_GROWTH = 5.5
"""How much longer the longer text may take: 9 times is the square, 3 times linear."""
_TOO_LONG = 2.0
"""Processor seconds after which a reading is stopped."""
_MANY = 64
"""The most repetitions that count as a bound."""
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_CHARACTERS = "a0 A\n-[]().,:/_<>\"'`*#|={}@é中;!?"
_UNITS = (
    "a", "A", "0", " ", "\n", "\t", "[", "]", "(", "<", ">", "{", "`", "*", "_", "#", "|", "-", "=",
    ":", '"', "'", "/", ".", ",", "\\", "~", "!", "@", "$", "é", "中", "a ", "a\n", " \n", "a.",
    "a-", "a_", "0.", "0-", "0:", "aA0", "[[", "[[a|", "![](", "[a](", "<a ", "https://a", "```\n",
    "- ", "# ", "> ", "a: ", "a=", "Aa ", "\r\n", "a@a.", "the ", "--", "|a", "[ ", "* ", "\n\n",
    ". ", "a, ", '"a"', "1 ", "1. ",
)  # fmt: skip
_ENDS = ("", "\0", " a b\n!a")


class Pattern(NamedTuple):
    """A pattern, its flags, its module and line, and the method that it is used by: `match` or
    `fullmatch` where it is used by no other, else `finditer`."""

    text: str
    flags: int
    module: str
    line: int
    method: str


def list_patterns() -> list[Pattern]:
    """List every pattern of the package, as its modules compile it when they are imported and as
    their calls of `re` have it. Another process imports them, since most are imported here."""
    done = subprocess.run(
        [sys.executable, "-c", _COLLECT], capture_output=True, check=True, timeout=300
    )
    found = json.loads(done.stdout)
    methods = _read_methods({(module, line) for _, _, module, line, _ in found})
    return [
        Pattern(text, flags, module, line, methods.get((module, line), method))
        for text, flags, module, line, method in found
    ]


_COLLECT = """
import ast, importlib, json, pkgutil, re, sys
from pathlib import Path
import engrain
found, compile_one = {}, re._compile
def note(pattern, flags):
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename.endswith("re/__init__.py"):
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "") if frame else ""
    if isinstance(pattern, str) and name.startswith("engrain."):
        found.setdefault((pattern, int(flags)), (name, frame.f_lineno, "finditer"))
def compile_noted(pattern, flags):
    note(pattern, flags)
    return compile_one(pattern, flags)
def read_flags(call, called):
    named = [part.value for part in call.keywords if part.arg == "flags"]
    return (named or call.args[1 if called == "re.compile" else 2 : 3] or [ast.Constant(0)])[0]
re._compile = compile_noted
for info in pkgutil.walk_packages(engrain.__path__, "engrain."):
    if info.name.endswith("__main__"):
        continue
    try:
        module = importlib.import_module(info.name)
    except ImportError:
        continue
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        called = isinstance(node, ast.Call) and node.args and ast.unparse(node.func)
        if called and called.startswith("re.") and called != "re.escape":
            try:
                pattern, flags = (
                    eval(compile(ast.Expression(part), "", "eval"), vars(module))
                    for part in (node.args[0], read_flags(node, called))
                )
            except Exception:  # made of what only a call knows
                continue
            if isinstance(pattern, str):
                method = called if called in ("re.match", "re.fullmatch") else "re.finditer"
                found.setdefault((pattern, int(flags)), (info.name, node.lineno, method[3:]))
from engrain.language.secrets.rules import RULES
for rule in RULES:  # compiled when a text has a keyword of theirs
    found.setdefault((rule.pattern, 0), ("engrain.language.secrets.rules", 1, "finditer"))
print(json.dumps([[*key, *place] for key, place in found.items()]))
"""


def _read_methods(places: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return by module and line of the patterns at these `places` the only method that each is used
    by, if it has a name."""
    root = Path(engrain.__file__).parent.parent
    modules = {module for module, _ in places}
    texts = {name: _find_source(root, name).read_text(encoding="utf-8") for name in modules}
    everything = "\n".join(texts.values())
    found: dict[tuple[str, int], str] = {}
    for module, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            here = [(module, line) for line in lines if (module, line) in places]
            if not here:
                continue
            name = node.targets[0].id
            seen = text if name.startswith("_") else everything
            uses = set(re.findall(rf"(?<![\w.]){name}\b\.(\w+)", seen))
            if uses in ({"match"}, {"fullmatch"}):
                found.update(dict.fromkeys(here, uses.pop()))
    return found


def _find_source(root: Path, module: str) -> Path:
    path = root.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def measure_growth(pattern: Pattern) -> tuple[float, str]:
    """Return how much longer the worst text of thrice the size takes, and that text's beginning; 0
    if no text takes long."""
    worst = (0.0, "")
    for head, unit in _list_attacks(pattern.text, pattern.flags):
        for end in _ENDS:
            worst = max(worst, (_compare(pattern, head, unit, end), f"{head}{unit}…{end}"))
            if not is_linear(worst[0]):
                return worst
    return worst


def _compare(pattern: Pattern, head: str, unit: str, end: str) -> float:
    """Return how much longer the long text takes than the short one, 0 if that is soon read."""
    compiled = re.compile(pattern.text, pattern.flags)

    def read(size: int) -> tuple[float, float]:
        text = head + (unit * (size // len(unit) + 1))[:size] + end
        return _time(compiled, pattern.method, text)

    if read(_FIRST)[0] < _SOON:
        return 0
    growth = inf
    for _ in range(3):  # what another process disturbed is not slow each time
        short = read(_SHORT)[1]
        if short < _LEAST:
            return 0
        long = read(_LONG)[1]
        growth = min(growth, inf if long == inf else long / short)
        if is_linear(growth):
            break
    return growth


def is_linear(growth: float) -> bool:
    """Whether a growth is that of a linear pattern."""
    return growth <= _MOST_GROWTH


def _time(compiled: re.Pattern[str], method: str, text: str) -> tuple[float, float]:
    """Return the seconds of reading a text by a pattern, and the processor seconds; endless for
    more than `_TOO_LONG`."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    begun = time.perf_counter(), time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _TOO_LONG)
        if method == "finditer":
            for _ in compiled.finditer(text):
                pass
        else:
            getattr(compiled, method)(text)
        return time.perf_counter() - begun[0], time.process_time() - begun[1]
    except TimeoutError:
        return inf, inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@cache
def _list_attacks(pattern: str, flags: int) -> list[tuple[str, str]]:
    """Return beginnings and units that are repeated behind them."""
    tree = parser.parse(pattern, flags)
    repeats: list[tuple[list[str], list[str]]] = []
    _walk(tree, [""], repeats)
    if not repeats:
        return []
    units = dict.fromkeys(_UNITS)
    heads: dict[tuple[str, str], None] = {}
    for before, bodies in repeats:
        for start in before:
            units |= dict.fromkeys((start, *(start + body for body in bodies[:6])))
            heads |= dict.fromkeys((start, body) for body in bodies[:6] if start)
        units |= dict.fromkeys(bodies)
        units |= dict.fromkeys(one + other for one in bodies[:4] for other in bodies[:4])
    units |= dict.fromkeys(_sample(tree)[:6])
    return [("", unit) for unit in units if unit][:160] + list(heads)[:80]


def _walk(tree: Any, before: list[str], repeats: list[tuple[list[str], list[str]]]) -> None:
    """Add what may stand before each unbounded repetition, and what it repeats."""
    for code, value in tree:
        if code in _REPEATS:
            most, inside = value[1:]
            if most is codes.MAXREPEAT or most >= _MANY:
                repeats.append((list(before), [body for body in _bodies(inside) if body]))
            _walk(inside, before, repeats)
        elif code is codes.BRANCH:
            for branch in value[1]:
                _walk(branch, before, repeats)
        elif code is codes.SUBPATTERN:
            _walk(value[3], before, repeats)
        elif code is codes.ATOMIC_GROUP:
            _walk(value, before, repeats)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            _walk(value[1], before, repeats)
        longer = [start + sample for start in before for sample in _sample_node(code, value)]
        before = list(dict.fromkeys(start for start in longer if len(start) <= 200))[:6] or before


def _bodies(inside: Any) -> list[str]:
    if len(inside) == 1 and inside[0][0] is codes.IN:
        return _sample_set(inside[0][1])[:14]
    if len(inside) == 1 and inside[0][0] in (codes.ANY, codes.NOT_LITERAL):
        return list("a 0.[-<\"'`*|")
    return _sample(inside)[:6]


def _sample(tree: Any) -> list[str]:
    """Return some short texts that a pattern matches."""
    found = [""]
    for code, value in tree:
        found = [start + more for start in found for more in _sample_node(code, value)][:8]
    return found


def _sample_node(code: Any, value: Any) -> Sequence[str]:
    if code is codes.LITERAL:
        return (chr(value),)
    if code is codes.NOT_LITERAL:
        return [char for char in _CHARACTERS if ord(char) != value][:2]
    if code is codes.ANY:
        return ("a", " ")
    if code is codes.IN:
        return _sample_set(value)[:2]
    if code is codes.BRANCH:
        return [_sample(branch)[0] for branch in value[1]][:6]
    if code in _REPEATS:
        least, _, inside = value
        samples = [sample * max(least, 1) for sample in _sample(inside)[:2]]
        return samples if least else [*samples, ""]
    if code is codes.SUBPATTERN:
        return _sample(value[3])
    return _sample(value) if code is codes.ATOMIC_GROUP else ("",)


def _sample_set(items: Any) -> list[str]:
    """Return characters of a set: what it names first, then common ones."""
    negated = items[0][0] is codes.NEGATE
    named = [chr(code) for code in _named_in(items)]
    fits = re.compile(_write_set(items))
    chars = [*([] if negated else named), *_CHARACTERS]
    return list(dict.fromkeys(char for char in chars if fits.match(char))) or ["a"]


def _named_in(items: Any) -> Iterator[int]:
    for code, value in items:
        if code is codes.LITERAL:
            yield value
        elif code is codes.RANGE:
            yield from value


def _write_set(items: Any) -> str:
    parts = []
    for code, value in items:
        if code is codes.NEGATE:
            parts.append("^")
        elif code is codes.LITERAL:
            parts.append(re.escape(chr(value)))
        elif code is codes.RANGE:
            parts.append("-".join(re.escape(chr(end)) for end in value))
        elif code is codes.CATEGORY:
            name = str(value).removeprefix("CATEGORY_")
            letter = name.removeprefix("NOT_")[0].lower()
            parts.append("\\" + (letter.upper() if name.startswith("NOT_") else letter))
    return f"[{''.join(parts)}]"
