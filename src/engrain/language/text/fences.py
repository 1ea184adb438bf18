"""Set recalled text off from what surrounds it in an agent's context, cut private text out of it,
and keep it on one line (DESIGN 2.8).

The mark in a fence is drawn at random for each block, so nothing that is stored can close it. Other
marks, of hosts and of models, are known to everybody: `defuse` takes their brackets away.

Text between the marks `<private>` and `</private>` is never learned, stored or given. These marks
are read in any case, with attributes, and escaped as hosts escape them, also inside code.
Marks nest; what is not closed is private to the end of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from unicodedata import category, normalize

WORD = "private"
_OPEN, _CLOSE = r"(?:<|&(?:amp;)?(?:lt|#60|#x3c);)", r"(?:>|&(?:amp;)?(?:gt|#62|#x3e);)"
_MARK = rf"(?i){_OPEN}[ \t]*+(/?)[ \t]*+{WORD}(?:[ \t\r\n][^<>&]*?)?(/?){_CLOSE}"


def strip_private(text: str, *, begins_inside: bool = False) -> str:
    """Return a text without what is between the marks. With `begins_inside`, for a text whose
    beginning is missing, what stands before a closing mark without an opening one is private."""
    return _strip(text, 0, begins_inside)[0]


def strip_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text without what is between the marks, which may be in other lines."""
    depth = 0
    for line in lines:
        line, depth = _strip(line, depth, False)
        yield line


def strip_values(value: object) -> object:
    """Return a value of JSON with `strip_private` applied to every text in it."""
    if isinstance(value, str):
        return strip_private(value)
    if isinstance(value, list):
        return [strip_values(part) for part in value]
    if isinstance(value, dict):
        return {key: strip_values(part) for key, part in value.items()}
    return value


def _strip(text: str, depth: int, begins_inside: bool) -> tuple[str, int]:
    """Return a text without what is private, and how many marks are open at its end; `depth` are
    those open at its beginning."""
    if "<" not in text and "&" not in text:
        return ("" if depth else text), depth
    kept: list[str] = []
    end = 0
    for mark in re.finditer(_MARK, text):
        if not depth:
            kept.append(text[end : mark.start()])
        if mark[1]:
            if not depth and begins_inside:
                kept.clear()
            depth = max(0, depth - 1)
        elif not mark[2]:
            depth += 1
        begins_inside = False
        end = mark.end()
    if not depth:
        kept.append(text[end:])
    return "".join(kept), depth


_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_TICKS = re.compile("`+")
_LINKS = re.compile(r"[\[\]<>]|%%")

_WIDE = "[\u2e80-\u9fff\ua960-\ua97f\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
"""A character of a script that is written without spaces: Chinese and Japanese."""


def shorten(text: str, most: int) -> str:
    """`text` on one line of `most` characters at most; what is cut ends at a word, and a mark."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    at = room = max(1, most - 2)
    while at > 1 and line[at] != " " and not re.search(_WIDE, line[at - 1 : at + 1]):
        at -= 1
    if at <= 1:  # a long URL, or a script without spaces, is cut where the room ends
        at = room
        # An accent, a vowel sign or a joiner belongs to the character before it.
        while at > 1 and (category(line[at])[0] == "M" or line[at] == "\u200d"):
            at -= 1
    return line[:at].rstrip() + " …"


def code_span(text: str) -> str:
    """`text` on one line as a code span, whatever backticks are in it (CommonMark 6.1)."""
    text = " ".join(text.split())
    mark = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{blank}{text}{blank}{mark}"


def quote_links(text: str) -> str:
    """`text`, as a code span where a link, an image, HTML or a hidden comment would be read in it
    outside of those that it has."""
    return code_span(text) if _LINKS.search(_SPAN.sub("", text)) else text


TAG = "engrain-memory"
MARK_BYTES = 4
MARK_LETTERS = 7
"""The length of a mark: enough for all values of its bytes. Letters cost a model fewer tokens than
digits; earlier versions wrote 16 hexadecimal digits."""
FENCE = (
    r"(?:<|&(?:amp;)?(?:lt|#60|#x3c);|\\u003c)"
    rf"(/?){TAG} ([a-z]{{{MARK_LETTERS}}}|[0-9a-f]{{16}})"
    r"(?:>|&(?:amp;)?(?:gt|#62|#x3e);|\\u003e)"
)
"""A regular expression of the line before a block and, with a slash, of the one behind it. Hosts
escape angle brackets as HTML or JSON do."""
_LINE = FENCE + r"\n?"
_LETTERS = 26


def write_mark(drawn: bytes) -> str:
    """Return the mark for `MARK_BYTES` random bytes."""
    number, letters = int.from_bytes(drawn), []
    for _ in range(MARK_LETTERS):
        number, letter = divmod(number, _LETTERS)
        letters.append(chr(ord("a") + letter))
    return "".join(letters)


def open_fence(mark: str) -> str:
    """Return the line before a block; see `write_mark`."""
    return f"<{TAG} {mark}>"


def close_fence(mark: str) -> str:
    """Return the line behind it."""
    return f"</{TAG} {mark}>"


def without_fences(text: str) -> str:
    """`text` less every whole block that was recalled, so that it is never learned again (S1.20).

    A block that is not closed by its own mark is text like any other.
    """
    if TAG not in text:
        return text
    fences = list(re.finditer(_LINE, text))
    closings: dict[str, list[int]] = {}
    for found in fences:
        if found[1]:
            closings.setdefault(found[2], []).append(found.start())
    ends = {found.start(): found.end() for found in fences if found[1]}
    kept: list[str] = []
    end = 0
    for found in fences:
        if found[1] or found.start() < end:
            continue
        places = closings.get(found[2], [])
        first = bisect_right(places, found.start())
        if first < len(places):
            kept.append(text[end : found.start()])
            end = ends[places[first]]
    return "".join([*kept, text[end:]])


_OPEN = r"(?:[<\uff1c\ufe64]|&(?:amp;){0,3}(?:lt|#0{0,4}60|#x0{0,4}3c);?|\\u003c|\\x3c)"
_CLOSE = r"(?:[>\uff1e\ufe65]|&(?:amp;){0,3}(?:gt|#0{0,4}62|#x0{0,4}3e);?|\\u003e|\\x3e)"
_BAR = r"[|\uff5c\u2223\u2502\u00a6]"
_SUSPICIOUS = r"[<\uff1c\ufe64&\\\[\uff3b]"
_TAG = (
    rf"(?i)((?<!\w))?({_OPEN}{{1,2}})([\s/!?]{{0,8}})([^\W\d_][^<>\uff1c\uff1e\ufe64\ufe65&\\]{{0,200}})"
    rf"({_CLOSE}{{1,2}})?"
)
_TOKEN = (
    rf"(?i)({_OPEN})(\s{{0,4}}{_BAR})([^<>\uff1c\uff1e|\uff5c\u2223\u2502\u00a6&\\\n]{{1,60}})"
    rf"({_BAR}\s{{0,4}})?({_CLOSE})?"
)
_BRACKET = (
    r"(?i)((?<!\w))?(?:[\[\uff3b]|&#0{0,4}91;|&lbrack;|&lsqb;)([\s/]{0,4})([^\[\]\uff3b\uff3d&\n]{1,24})"
    r"(?:[\]\uff3d]|&#0{0,4}93;|&rbrack;|&rsqb;)"
)
_IMAGE = (
    r"(?i)((?<!\w))?!\[((?:[^\[\]]|\[[^\[\]]{0,200}\]){0,400})\]"
    r"(?=(\(\s{0,8}<?\s{0,8}(?:[a-z][a-z0-9+.-]{1,20}:|//|\\\\|&))|\s?\[)"
)
_REMOTE = r"""(?i)\b(?:src|srcset|href|data|poster)\s{0,8}=\s{0,8}["']?\s{0,8}(?:\w+:|//)"""
_WORDS = """
admin antml assistant bos context developer environment eos function functions human inst
instruction instructions invoke pad parameter permissions policy prompt reminder response s sys
system think thinking thought tool user
"""
_PART_WORDS = """
admin antml assistant bash calls command context developer diagnostics engrain environment eos
function functions hook human ide im instruction instructions invoke mcp memory message
notification output permissions policy prompt reminder results skill skills system think thinking
tool tools turn untrusted user
"""
_LOADING_WORDS = "img image iframe embed object video audio source link script"
_BRACKETED_WORDS = "inst sys systemprompt toolcalls toolresults availabletools endinst"
_MARKS = frozenset(_WORDS.split())
"""Names of tags that hosts and models give a meaning."""
_PARTS = frozenset(_PART_WORDS.split())
"""Words of such names that have several, as `system-reminder` and `command_name`."""
_LOADING = frozenset(_LOADING_WORDS.split())
_BRACKETED = frozenset(_BRACKETED_WORDS.split())
_COMPOUNDS = (
    "engrainmemory", "systemreminder", "systemprompt", "systemmessage", "imstart", "imend",
    "startofturn", "endofturn", "functioncall", "functionresult", "toolcall", "toolresult",
    "tooluse", "untrustedcontext", "userprompt", "userinstructions", "environmentcontext",
)  # fmt: skip
_TWINS = str.maketrans("аеорсухѕіјһԁոɡмтκονρτιυαʏｅ", "aeopcyxsijhdngmtkovptiuaye")
"""Letters of other alphabets that look like Latin ones."""


def defuse(text: str) -> str:
    """Return a text whose look-alikes of a fence, of a host's tags and of a model's own marks have
    lost their brackets, and whose remote pictures are plain links. It stays readable, and code that
    has none of these stays as it is."""
    if not re.search(_SUSPICIOUS, text):
        return text
    text = re.sub(_TOKEN, _defuse_token, text)
    text = re.sub(_TAG, _defuse_tag, text)
    text = re.sub(_IMAGE, _defuse_image, text)
    return re.sub(_BRACKET, _defuse_bracket, text)


def _defuse_token(found: re.Match[str]) -> str:
    """Rewrite `<|name|>`; the operators `<|` and `|>` of programs are surrounded by blanks."""
    opening, bar, name, closing_bar, closing = found.groups()
    if closing_bar and closing:
        return f"‹{bar.strip()}{name}{closing_bar.strip()}›"
    if len(bar) == 1 and name[0].isalnum():
        return f"‹{bar}{found[0][len(opening) + 1 :]}"
    return found[0]


def _defuse_tag(found: re.Match[str]) -> str:
    free, _, slash, inside, closing = found.groups()
    first, several = _split_name(inside)
    # `List<User>` is a type.
    if not several and free is None and inside[0].isupper() and not (slash or inside.isupper()):
        return found[0]
    is_mark = several or (first in _MARKS and closing is not None)
    if not is_mark and not (first in _LOADING and re.search(_REMOTE, inside)):
        return found[0]
    end = "" if closing is None else "›"
    return f"‹{slash}{inside}{end}"


def _split_name(inside: str) -> tuple[str, bool]:
    """Return the first word in a tag, folded, and whether the words there make a mark's name."""
    head = inside[:60]
    if not head.isascii():
        head = normalize("NFKC", head).casefold().translate(_TWINS)
    head = head.casefold()
    squeezed = "".join(filter(str.isalnum, head))
    first = head.split()[0].split("=")[0].strip("/>\"'")
    if squeezed.startswith(_COMPOUNDS):
        return first, True
    words = first.replace("-", " ").replace("_", " ").replace(":", " ").split()
    is_path = "::" in first or "." in first
    return first, len(words) > 1 and not is_path and not _PARTS.isdisjoint(words)


def _defuse_image(found: re.Match[str]) -> str:
    free, name, is_remote = found.groups()
    if free is None and not is_remote:
        return found[0]  # `vec![1][0]` is a program
    return f"[image: {name}]" if name else "[image]"


def _defuse_bracket(found: re.Match[str]) -> str:
    free, slash, inside = found.groups()
    first, _ = _split_name(inside if inside.strip() else "-")
    name = "".join(filter(str.isalnum, first if " " not in inside.strip() else inside.casefold()))
    if name not in _BRACKETED or (free is None and inside.islower() and not slash):
        return found[0]
    return f"‹{slash}{inside}›"


def without_private(text: str) -> str:
    """`text` less what a person marked as private."""
    if "<" not in text and "&" not in text:
        return text
    return strip_private(text)
