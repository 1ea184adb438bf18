"""The telling parts of a long prompt: what it asks, and of a pasted log or trace the lines that say
what went wrong (DESIGN 18).

A log has hundreds of words that no memory has, and a search for all of them finds whatever is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

MOST = 2048
"""The characters of a prompt that are read: a prompt may be megabytes long."""
_PLAIN_LINES = 4
"""Up to so many lines a prompt is read as it is."""
_EDGE = 64 * 1024
"""The characters at each end of a prompt in which lines are looked for."""
_ERRORS = 3
"""The most lines of errors that count: the last of a trace says most."""
_SENTENCES = 4
"""The most lines of prose that count, from both ends."""
_LONGEST_LINE = 400

# Not compiled here: few prompts are long, and these take long to compile.
_NAMED = r"\b[A-Za-z_][\w.]*(?:Error|Exception|Failure|Fault|Panic|DoesNotExist|NotFound|Timeout)\b"
_CODED = (
    r"\b(?:E|W|F|C|TS|ORA-|SQLSTATE\W?|ERR_|errno\W?|error code\W?|exit (?:code|status)\W?)\d[\w-]*"
    r"|\bE[A-Z]{4,}\b|\b[A-Z]+_[A-Z_]*ERR\w*\b|\bOOM\w*"
)
_SAID = (
    r"(?i)\b(?:errors?|exception|fail(?:ed|ure|s)?|fatal|panic|cannot|can't|could not|couldn't"
    r"|killed|not found|no such|do(?:es)? not exist|doesn't exist|missing|denied|refused|rejected"
    r"|unexpected|undefined|invalid"
    r"|timed? ?out|unable|unknown|mismatch|conflict|unauthorized|forbidden|locked|exceeded"
    r"|too (?:long|many))\b"
)
_MARKED = r"E {2,}\S"  # by pytest
_FRAME = r"\s*(?:File \"[^\"]*\", line \d+|at \S.*[:(]|\d+: 0x|#\d+ +)"
_SUMMARY = (
    r"\s*(?:[=*_~+-]{4,}|Traceback \(most recent|make(?:\[\d+\])?: \*\*\*|Found \d+ error"
    r"|npm (?:ERR!|error) (?:A complete log|code )|\d+ (?:passed|failed|errors?)\b"
    r"|.*\.{4,} ?(?:Passed|Failed|Skipped)|(?:FAILED|ERROR)S?\s*[=:]*$)"
)
_STAMP = r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]?[\d:.,]*(?:Z|[+-]\d\d:?\d\d)?\]?|\d\d:\d\d:\d\d[\d.,]*)\s*"
_PROSE_WORD = r"(?<!\S)[A-Za-z\u00c0-\u024f']{2,}[,.;:?!]*(?!\S)"
_LETTERS = r"[^\W\d_]{2,}"


_CODE = re.compile(
    r"(?<![\w-])(?:(?!AES|ES20|HS|HTTP|ISO|RFC|RS|SHA|UTF)[A-Z]{1,8}[-_]?\d{3,6}"  # TS2345
    r"|\d\d[A-Z]\d\d"  # 42P01 of SQL
    r"|0x[0-9A-Fa-f]{6,}"
    r"|E(?:ACCES|ADDR|AI_|BUSY|CONN|HOST|INTEGRITY|INVAL|LIFE|MFILE|NO|PERM|PIPE|RESOLVE|TIMED)[A-Z]*"
    r"|(?=[A-Z_]*(?:ERR|FAIL|INVALID|DENIED|EXCEEDED|EXPIRED|TIMEOUT|NOT_|UNA))[A-Z]+(?:_[A-Z]+)+"
    r")(?![\w-])|(?<=exit code )\d{3}\b|(?<=exit status )\d{3}\b|(?<=SQLSTATE )\w{5}\b"
)


def find_codes(text: str) -> list[tuple[str, str]]:
    """Return the codes of errors in a text, such as TS2345, ORA-01555 and ECONNREFUSED, each once,
    with its line."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        for code in _CODE.findall(line):
            found.setdefault(code, line)
    return list(found.items())


def find_telling(text: str) -> str:
    """Return the parts of a prompt by which memories are looked for, at most `MOST` characters; a
    short prompt is returned as it is. Lines of errors come first, the last of each trace before the
    others; then what is asked."""
    if len(text) <= MOST and text.count("\n") < _PLAIN_LINES:
        return text
    lines = _read_lines(text)
    errors = find_errors(lines)
    if not errors:
        return text[:MOST]
    return "\n".join([*errors, *_find_prose(lines, set(errors))])[:MOST]


def find_errors(lines: Sequence[str]) -> list[str]:
    """Return the lines that say what went wrong, the most telling first; of equal ones the last
    first, since a trace ends with its cause."""
    scored: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(lines):
        if score := _score(line):
            scored[re.sub(_STAMP, "", line).strip()[:_LONGEST_LINE]] = score, number
    best = sorted(scored, key=scored.__getitem__, reverse=True)
    least = scored[best[0]][0] - 1 if best else 0
    return [line for line in best[:_ERRORS] if scored[line][0] >= least]


def _score(line: str) -> int:
    """Return how likely a line says what went wrong, 0 for not at all."""
    if not re.search(_LETTERS, line) or re.match(_SUMMARY, line) or re.match(_FRAME, line):
        return 0
    named, coded, said = (bool(re.search(one, line)) for one in (_NAMED, _CODED, _SAID))
    return 2 * named + 2 * coded + said + bool(re.match(_MARKED, line))


def _read_lines(text: str) -> list[str]:
    if len(text) > 2 * _EDGE:
        text = f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    return text.splitlines()


def _find_prose(lines: Sequence[str], but: set[str]) -> Iterator[str]:
    """Yield lines of prose, those at the beginning and at the end first, where requests stand."""
    prose = [line.strip() for line in lines if _is_prose(line) and line.strip() not in but]
    half = _SENTENCES // 2
    yield from islice(dict.fromkeys([*prose[:half], *reversed(prose[half:])]), _SENTENCES)


def _is_prose(line: str) -> bool:
    """Return whether most of a line is words with blanks around them."""
    if any(re.match(one, line) for one in (_FRAME, _SUMMARY, _STAMP)):
        return False
    words = line.split()
    return len(words) >= 3 and 2 * len(re.findall(_PROSE_WORD, line)) >= len(words)
