"""The signature of an error: what two messages of the same error have in common (S2.5).

Of a message it keeps the line that tells, without what differs from one occurrence to the next:
paths, addresses, numbers, hexadecimal, quotes and names of temporary files.
"""

from __future__ import annotations

import re

from engrain.language.text.folding import fold

_MOST_READ = 4000
_MOST = 200

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_MAIN = re.compile(
    r"\b(?:\w*error|\w*exception|fail(?:ed|ure|s)?|fatal|panic|cannot|can't|could not|couldn't|"
    r"not found|no such|missing|denied|refused|unexpected|undefined|invalid|timed? ?out|expected)"
    r"\b",
    re.IGNORECASE,
)
# In this order: what comes first may hold what comes later.
_VARYING = (
    (re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE), "<url>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"),
     "<time>"),
    (re.compile(r"(?<=\w)(?::\d+){1,2}(?=:? |$)|(?<=\w)\(\d+, ?\d+\)"), " "),
    (re.compile(r"(?<![\w<])(?:[a-z]:[\\/]|\.{0,2}[\\/]|~[\\/])[^\s'\"`:,;()<>]+", re.IGNORECASE),
     "<path>"),
    (re.compile(r"(?<![\w<])(?:[\w.@+-]+[\\/])+[\w.@+-]*\.\w{1,6}\b"), "<path>"),
    (re.compile(r"(?<![\w<])[\w@+-]+(?:\.[\w-]+)*\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|c|h|cc|cpp|hpp|"
                r"java|kt|rb|php|sh|ya?ml|toml|json|md|txt|css|html|sql|lock|cfg|ini)\b",
                re.IGNORECASE), "<path>"),
    (re.compile(r"\b(?:tmp|temp)[\w-]*[_\d][\w-]*", re.IGNORECASE), "<tmp>"),
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
    """The signature of an error of a type with a message; "" where neither says anything."""
    kind, signature = _normalise(type_), _normalise(main_line(message))
    if kind and kind != signature and not signature.startswith(f"{kind} "):
        signature = f"{kind} {signature}"
    return signature[:_MOST].strip()


def main_line(message: str) -> str:
    """The line of a message that says what went wrong: the last of a Python traceback, else the
    first that sounds like an error, else the first."""
    lines = [line.strip() for line in _COLOURS.sub("", message[:_MOST_READ]).splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    if any(line.startswith("Traceback (most recent") for line in lines):
        return lines[-1]
    return next((line for line in lines if _MAIN.search(line)), lines[0])


def _normalise(text: str) -> str:
    text = _COLOURS.sub("", text[:_MOST_READ])
    text = _QUOTES.sub(" ", text)
    for pattern, stands_for in _VARYING:
        text = pattern.sub(f" {stands_for} ", text)
    text = _SIGNS.sub(" ", fold(text))
    words = [stripped for word in text.split() if (stripped := word.strip("./\\-"))]
    return " ".join(words)
