"""What a sentence of a note gives a value for: numbers with their unit, times, days, tools of a
kind, names of things, and which of several ways something is done (S4.9).

Two values of one type exclude each other where the same thing is spoken of; whether it is, is for
`engrain.model.note_statements` to tell.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_kinds import KINDS
from engrain.model.claim_numbers import NUMBERS, WEEKDAYS
from engrain.model.claim_words import fold_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Value:
    """A value: of which `type`, as it is compared (`key`), and the characters it stands at."""

    __slots__ = ("end", "key", "start", "type")

    def __init__(self, type_: str, key: str, start: int, end: int) -> None:
        self.type = type_
        self.key = key
        self.start = start
        self.end = end


_SECONDS = {"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60,
            "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "day": 86400, "week": 604800,
            "fortnight": 1209600, "month": 2592000, "quarter": 7776000,
            "year": 31536000}  # fmt: skip
_BYTES = {"b": 1, "byte": 1, "kb": 1e3, "kib": 1e3, "mb": 1e6, "mib": 1e6, "gb": 1e9, "gib": 1e9,
          "tb": 1e12, "tib": 1e12}  # fmt: skip
_UNITS = {**dict.fromkeys(_SECONDS, "time"), **dict.fromkeys(_BYTES, "bytes")}
_SCALES = {**_SECONDS, **_BYTES}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATES = (
    re.compile(r"(?<![\w-])(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d))?(?![\w-])"),
    re.compile(
        rf"\b(?P<m>{_MONTH})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
        rf"(?:,? (?P<y>(?:19|20)\d\d))?"
    ),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH})\b(?:,? (?P<y>(?:19|20)\d\d))?"
    ),
    re.compile(rf"\b(?P<m>{_MONTH})\b(?:,? (?P<y>(?:19|20)\d\d))?"),
)
_QUARTER = re.compile(r"\bQ[1-4]\b")
_CLOCK = re.compile(
    r"\b(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)|"
    r"\b(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?![\d:])|\b(?P<word>noon|midnight)\b",
    re.I,
)
_DAYS = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b", re.I)
_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?<![\w.])(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"(?P<mag>k|m|bn)?(?:st|nd|rd|th)?(?![\d:/]|\.\d)(?:\s?(?P<pc>%|percent\b|per cent\b))?"
    r"(?:[\s-]?(?P<unit>[A-Za-z]+))?",
)
_NUMBERED = re.compile(rf"\b(?:{'|'.join(word for word in NUMBERS if word != 'one')})\b", re.I)
_MAGNITUDES = {"k": 1e3, "m": 1e6, "bn": 1e9}
_CODE = re.compile(
    r"`([^`\n]{1,80})`|(?<![\w`])((?:~|\.{0,2})/[\w~-]+(?:[./][\w~-]+)*)|"
    r"(?<![\w`@])([A-Za-z][\w-]*(?:[._][\w-]+)+|[a-z]+-\w*\d\w*(?:-\w+)*)(?![\w`])"
)
_NAME = re.compile(r"(?<![\w.`/-])[A-ZÀ-Þ][\w'’+#]*(?: [A-ZÀ-Þ][\w'’+#]*){0,2}")
_WORD = re.compile(r"[^\W\d_][\w+#]*(?:[-.'][\w+#]+)*")


def find_values(text: str) -> list[Value]:
    """The values in a sentence, in order; none of them within another."""
    found: list[Value] = []
    taken = bytearray(len(text))
    for value in _read(text):
        if value.start < value.end and not any(taken[value.start : value.end]):
            taken[value.start : value.end] = b"1" * (value.end - value.start)
            found.append(value)
    return sorted(found, key=lambda value: value.start)


def _read(text: str) -> Iterator[Value]:
    for code in _CODE.finditer(text):
        written = next(filter(None, code.groups()))
        if (tool := _tools().get(written.lower())) is not None:
            yield Value(*tool, *code.span())
        elif not _NUMBER.fullmatch(written):
            yield Value("code", written.lower(), *code.span())
    for pattern in _DATES:
        for date in pattern.finditer(text):
            yield Value("date", _date_key(date), *date.span())
    for quarter in _QUARTER.finditer(text):
        yield Value("date", quarter[0].lower(), *quarter.span())
    for clock in _CLOCK.finditer(text):
        yield Value("clock", _clock_key(clock), *clock.span())
    for day in _DAYS.finditer(text):
        yield Value("day", day[1].lower(), *day.span())
    for number in _NUMBER.finditer(text):
        yield _number(number)
    for word in _NUMBERED.finditer(text):
        yield Value("number", str(NUMBERS[word[0].lower()]), *word.span())
    yield from _words(text)
    for name in _NAME.finditer(text):
        low = name[0].lower()
        if name.start() and low not in ("i", "i'm", "i've", "ok"):
            yield Value("name", low.replace("’", "'").removesuffix("'s"), *name.span())


def _date_key(date: re.Match[str]) -> str:
    parts = date.groupdict()
    month = parts["m"]
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    return f"{parts.get('y') or ''}-{number}-{int(parts.get('d') or 0) or ''}"


def _clock_key(clock: re.Match[str]) -> str:
    if word := clock["word"]:
        return "720" if word.lower() == "noon" else "0"
    if clock["h2"]:
        return str(int(clock["h2"]) * 60 + int(clock["m2"]))
    late = 12 if clock["half"].lower().startswith("p") else 0
    return str((int(clock["h"]) % 12 + late) * 60 + int(clock["m"] or 0))


def _number(found: re.Match[str]) -> Value:
    digits = found["n"].replace(",", "")
    start, end = found.start(), found.end("pc") if found["pc"] else found.end("n")
    if digits.count(".") > 1:
        return Value("number", digits, start, end)
    amount = float(digits) * _MAGNITUDES.get(found["mag"] or "", 1)
    if found["pc"]:
        return Value("percent", f"{amount:g}", start, end)
    if found["cur"]:
        return Value("money", f"{amount:g}", start, end)
    unit = (found["unit"] or "").lower()
    unit = unit if unit in _SCALES else fold_word(unit)
    if unit in _SCALES:
        key = f"{float(digits) * _SCALES[unit]:g}"
        return Value(_UNITS[unit], key, start, found.end("unit"))
    return Value("number", digits if "." in digits else f"{amount:g}", start, end)


def _words(text: str) -> Iterator[Value]:
    """Tools, of one word or two, and words that say which of several ways it is."""
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        if at + 1 < len(words):
            two = text[word.start() : words[at + 1].end()].lower()
            if (tool := _tools().get(two)) is not None:
                yield Value(*tool, word.start(), words[at + 1].end())
        low = word[0].lower()
        tool = _tools().get(low)
        if tool is not None and (word[0] != low or low not in _COMMON):
            yield Value(*tool, *word.span())
        elif (way := _ways().get(low)) is not None:
            yield Value(*way, *word.span())


_COMMON = frozenset(
    ("make", "go", "rust", "swift", "dart", "rails", "spring", "gin", "fly", "render", "remix",
     "react", "parcel", "poetry", "pip", "uv", "teams", "signal", "linear", "shortcut", "pivotal",
     "sublime", "helix", "zed", "cursor", "atom", "eclipse", "rider", "safari", "edge", "brave",
     "opera", "arc", "pixel", "galaxy", "golf", "polo", "civic", "ford", "focus", "fiesta", "zoe",
     "leaf", "micra", "mini", "amplitude", "segment", "plausible", "stripe", "square", "mollie",
     "notion", "roam", "intercom", "clerk", "apache", "karma", "cypress", "puppeteer", "sketch",
     "chef", "puppet", "rest", "soap", "starling", "mac", "android", "elastic", "express.js",
     "oracle", "seat", "mocha", "jest", "spock", "accord", "bulma", "node", "zoom", "bun", "vite",
     "chakra", "irc", "sphinx", "railway", "colo", "maven", "gradle", "drone")
)  # fmt: skip
"""Names of tools that are words: only those that are written like a name are meant."""


_PAIRS = """
switch: enabled enable enables activated active|disabled disable disables deactivated
    inactive
leave: allowed allow allows permitted permit permits ok fine welcome may|forbidden forbid forbids
    banned ban bans prohibited disallowed disallow denied deny denies refused blocked
need: required require requires mandatory compulsory must obligatory|optional voluntary
reach: public|private
pace: synchronous synchronously sync|asynchronous asynchronously async
indent: tabs tab|spaces
joining: squash squashed squashing|rebase rebased rebasing|merge-commit fast-forward
hand: manual manually hand|automatic automatically automated auto
case: camelcase|snakecase|kebabcase|pascalcase
zone: utc|localtime
theme: dark|light
order: ascending oldest|descending newest
place: remote remotely|onsite on-site office in-person
end: succeeded succeeds pass passes passed green|failed fails failing red
door: open opened|closed close
state: live launched shipped released|cancelled canceled scrapped dropped abandoned shelved
own: inhouse in-house|outsourced vendor external
hold: blocking|non-blocking nonblocking advisory
keep: keep keeps kept retain retains retained|delete deletes deleted discard discards discarded
    purge purges purged
cadence: hourly|daily nightly everyday|weekly|biweekly fortnightly|monthly|quarterly|yearly
    annually annual
step: before|after
reply: accept accepted accepts approve approved|reject rejected rejects decline declined
likes: prefers prefer preferred likes like loves favours favors|dislikes dislike hates avoids avoid
    dislikes
size: small smaller short shorter|large larger long longer big bigger
amount: single one|multiple several many
speed: fast faster quick|slow slower
height: increase increased raise raised|decrease decreased lower lowered reduce reduced
share: shared common|separate dedicated own individual
side: client client-side|server server-side
"""


@lru_cache(maxsize=1)
def _ways() -> dict[str, tuple[str, str]]:
    """By a word its (type, side)."""
    found: dict[str, tuple[str, str]] = {}
    for row in re.split(r"\n(?=\w)", _PAIRS.strip()):
        name, _, sides = row.partition(":")
        for number, side in enumerate(sides.split("|")):
            for word in side.split():
                found[word] = ("way:" + name, str(number))
    return found


@lru_cache(maxsize=1)
def _tools() -> dict[str, tuple[str, str]]:
    """By a name of one or two words, folded, its (type, name)."""
    found: dict[str, tuple[str, str]] = {}
    for row in re.split(r"\n(?=\w)", KINDS.strip()):
        kind, _, tools = row.partition(":")
        for tool in " ".join(tools.split()).split(", "):
            first, *others = (form.strip().lstrip("!") for form in tool.split("|"))
            for form in (first, *others):
                found[form.lower()] = ("tool:" + kind, first.lower())
    return found
