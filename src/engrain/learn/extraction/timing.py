"""Turns relative times ("last week") into dates that stay true (S4.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes
from engrain.language.text.instants import MONTHS, SECONDS, WEEKDAYS, civil, day_number
from engrain.language.text.periods import Period, find_periods

_MONTHS = tuple(name.title() for name in MONTHS if len(name) > 4 or name in ("may", "june", "july"))
_COUNT = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\d{1,3}|a couple(?: of)?)"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_UNIT = r"(?:day|week|weekend|month|year)"
_RELATIVE = re.compile(
    r",?\s*\b(?:"
    r"(?:just |only )?(?:the day before )?yesterday(?: (?:morning|afternoon|evening|night))?"
    r"|(?:(?:just|only|like) )?(?P<rough>(?:about|around|over|almost|nearly"
    rf"|maybe|roughly) )?(?P<count>{_COUNT}) {_UNIT}s? (?:ago|back)"
    rf"|(?:just |only )?(?P<some>a few|several|some) {_UNIT}s (?:ago|back)"
    rf"|(?:just |only |over |in |during |on )?(?:the )?(?:last|this past|past|this|next) "
    rf"(?:{_UNIT}|night|morning|afternoon|evening|summer|winter|spring|autumn|fall|{_DAY}"
    r"|january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b(?! of)"
    rf"|on {_DAY}|today|tonight|tomorrow(?: (?:morning|afternoon|evening|night))?"
    r"|earlier (?:today|this (?:week|month|year))"
    r")(?!')\b",
    re.IGNORECASE,
)
_PATTERNS = read_regexes("extraction", "timing")
_LASTING = re.compile(
    r"\b(?:for|over|in)?\s*(?:(?:about|around|over|almost|nearly|more than"
    r"|just under|just over|well over|the (?:last|past)|like)\s)*"
    rf"(?P<count>{_COUNT})\s(?P<unit>month|year)s?\b(?! old|-| later| after"
    r"| before|ly| of )(?:\snow)?",
    re.IGNORECASE,
)
_BACK = re.compile(r"\bback$", re.IGNORECASE)
_LED = re.compile(r"\b(?:for|from|until|till|by|since|before|after)$")
_YEARLESS = re.compile(
    rf"\b(?:in|on|since|by|of) (?:the )?(?:\d{{1,2}}(?:st|nd|rd"
    rf"|th)? (?:of )?)?(?:{'|'.join(_MONTHS)})"
    r"(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?!,? \d{4})"
)
_AHEAD = re.compile(r"am (?:\w+ing|to)\b")
_DATED = re.compile(r"\b(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)?\b|" + "|".join(_MONTHS) + ")")
_DAYS = {name[:3]: name for name in WEEKDAYS}


@dataclass(slots=True, eq=False)
class _Timed:
    """A text with absolute times, and when its state began, in epoch seconds (None if unknown)."""

    text: str
    begun: float | None


def settle_times(text: str, at: float | None, *, lasting: bool = False) -> _Timed:
    """The text with its relative times as dates seen from `at` (epoch seconds, None: unknown, so
    that they are dropped). `lasting`: it says for how long something has been so, which becomes the
    year since when it is so."""
    begun: float | None = None
    text = _PATTERNS["vague"].sub("", text)
    text = _PATTERNS["nth"].sub(lambda found: _nth(found, at), text)

    def settle(found: re.Match[str]) -> str:
        nonlocal begun
        period = _period_of(found[0].replace(found["rough"] or "\0", ""), at)
        if period is None:
            return ""
        begun = period.start if begun is None else begun
        worded = _word_period(period, rough=bool(found["some"] or found["rough"]))
        # "for next month": the preposition is there.
        return " " + (worded.partition(" ")[2] if _LED.search(text[: found.start()]) else worded)

    if lasting and at is not None and (found := _LASTING.search(text)):
        month = found["unit"].lower() == "month"
        if period := _period_of(f"{found['count']} {found['unit']}s ago", at):
            begun = period.start
            worded = _word_period(period).removeprefix("in ")
            since = f"since {'about ' if not month else ''}{worded}"
            text = f"{text[: found.start()].rstrip()} {since}{text[found.end() :]}"
    else:
        text = _RELATIVE.sub(settle, text)
    if begun is None and at is not None and _DATED.search(text):
        periods = find_periods(text, at)
        if len(periods) == 1:
            text, begun = _with_year(text, periods[0])
    return _Timed(" ".join(text.split()).strip(" ,"), begun)


def _with_year(text: str, period: Period) -> tuple[str, float]:
    """A date without its year with it: the latest, but of what is to come the next."""
    if not period.yearless or not (found := _YEARLESS.search(text)):
        return text, period.start
    year, month, day = civil(int(period.start // SECONDS))
    ahead = bool(_AHEAD.match(text))
    year += ahead
    begun = day_number(year, month, day) * SECONDS if ahead else period.start
    return f"{text[: found.end()]} {year}{text[found.end() :]}", float(begun)


def _nth(found: re.Match[str], at: float | None) -> str:
    """ "The 15th" as the latest day of that number."""
    if at is None:
        return ""
    year, month, today = civil(int(at // SECONDS))
    day = int(found["day"])
    months = year * 12 + month - 1 - (day > today)
    return f" on {day} {_MONTHS[months % 12]} {months // 12}"


def _word_period(period: Period, *, rough: bool = False) -> str:
    """A period in words, as they follow an event: "in May 2023"."""
    first = int(period.start // SECONDS)
    year, month, day = civil(first)
    days = int(period.end // SECONDS) - first
    if days == 1:
        return f"on {day} {_MONTHS[month - 1]} {year}"
    if days > 300:
        return f"around {year}" if rough else f"in {year}"
    if rough:
        return f"around {_MONTHS[month - 1]} {year}"
    if days > 80:
        return f"in the season from {_MONTHS[month - 1]} {year}"
    if days > 8:
        return f"in {_MONTHS[month - 1]} {year}"
    if days == 7:
        return f"in the week of {day} {_MONTHS[month - 1]} {year}"
    return f"on the weekend of {day} {_MONTHS[month - 1]} {year}"


def _period_of(phrase: str, at: float | None) -> Period | None:
    if at is None:
        return None
    words = " ".join(
        _DAYS.get(word[:3], word) if _is_day(word) else word for word in _words(phrase)
    )
    words = _BACK.sub("ago", words).replace("this past", "last").replace("earlier ", "")
    if words.startswith("this ") and _is_day(words[5:]):
        words = "on " + words[5:]
    periods = find_periods(words, at)
    return periods[0] if periods else None


def _words(phrase: str) -> list[str]:
    return phrase.lower().strip(" ,").split()


def _is_day(word: str) -> bool:
    return re.fullmatch(_DAY, word, re.IGNORECASE) is not None
