"""Instants: seconds since the epoch as a float, written as ISO-8601 in UTC.

Days are read and shown by the clock of this device. An instant at midnight in UTC is a plain date,
as notes and people write it: it is that day everywhere.

Writing needs only the time module; the datetime module is imported to read one, since a cold
process pays for every import.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

SECONDS = 86_400
"""In a day."""
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
"""The numbers of the months, by their names and short names in lower case."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_DATE = len("2026-09-01")
_CYCLE = 146_097  # days in 400 years
_EPOCH = 719_468  # days from 0000-03-01 to 1970-01-01


def day_number(year: int, month: int, day: int) -> int:
    """Return the number of a day. A month outside 1 to 12 is one of another year, as a day is."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    # Years counted from March have the leap day last (Hinnant, chrono-compatible date algorithms).
    if month <= 2:
        year -= 1
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    century, rest = divmod(year, 400)
    return century * _CYCLE + rest * 365 + rest // 4 - rest // 100 + of_year - _EPOCH


def civil(number: int) -> tuple[int, int, int]:
    """Year, month and day of a number."""
    cycle, rest = divmod(number + _EPOCH, _CYCLE)
    year = (rest - rest // 1_460 + rest // 36_524 - rest // 146_096) // 365
    rest -= 365 * year + year // 4 - year // 100
    month = (5 * rest + 2) // 153
    day = rest - (153 * month + 2) // 5 + 1
    return cycle * 400 + year + (month >= 10), (month + 2) % 12 + 1, day


def month_length(year: int, month: int) -> int:
    return day_number(year, month + 1, 1) - day_number(year, month, 1)


def weekday(number: int) -> int:
    """0 for Monday to 6 for Sunday."""
    return (number + 3) % 7


_PLAIN = ((0, 4), (5, 2), (8, 2), (11, 2), (14, 2), (17, 2))
"""Where the numbers of a written instant begin, and their digits."""
_MOST_READ = 1024
_read: dict[str, float] = {}
"""Instants that were read: a note says one twice, and many notes the same."""


def format_instant(at: float) -> str:
    """`at` to the second, as `YYYY-MM-DDTHH:MM:SSZ`."""
    # By hand: strftime writes the year 987 with three digits on some systems.
    year, month, day, hour, minute, second, *_ = time.gmtime(at)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"


def local_offset(at: float) -> int:
    """Return the seconds that this device's clock is ahead of UTC at `at`."""
    try:
        return time.localtime(at).tm_gmtoff
    except (OverflowError, ValueError, OSError):
        return 0


def to_local(at: float) -> float:
    """Return what this device's clock shows at `at`, as if it were UTC; a plain date as it is."""
    return at if is_plain_date(at) else at + local_offset(at)


def from_local(shown: float) -> float:
    """Return the instant at which this device's clock shows `shown`; the later one of two."""
    return shown - local_offset(shown - local_offset(shown))


def is_plain_date(at: float) -> bool:
    """Whether `at` is midnight in UTC."""
    return int(at) % SECONDS == 0


def format_day(at: float) -> str:
    """Return the day of `at` on this device, as `YYYY-MM-DD`."""
    return format_instant(to_local(at))[:10]


def format_local(at: float) -> str:
    """`at` to the second by this device's clock, with its offset from UTC: Z for none."""
    offset = 0 if is_plain_date(at) else local_offset(at)
    sign, minutes = "-" if offset < 0 else "+", abs(offset) // 60
    zone = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" if minutes else "Z"
    return format_instant(at + offset)[:-1] + zone


def parse_local(text: str) -> float:
    """Read an ISO-8601 date or date-time; without an offset it is by this device's clock.

    Raises ValueError when it is neither.
    """
    at = parse_instant(text)
    return at if datetime.fromisoformat(text.strip()).tzinfo else from_local(at)


def parse_dated(text: str) -> float:
    """Read as `parse_local`, but a date alone as the plain date."""
    return parse_instant(text) if len(text.strip()) == _DATE else parse_local(text)


def parse_moment(text: str) -> float:
    """Read as `parse_local`, but a date alone as a moment of that day at which what begins on the
    plain date has begun."""
    return max(parse_local(text), parse_dated(text))


def parse_end(text: str) -> float:
    """Read as `parse_local`, but a date alone as the last second of that day."""
    if len(text.strip()) != _DATE:
        return parse_local(text)
    return from_local(parse_instant(text) + SECONDS - 1)


def parse_instant(text: str) -> float:
    """Read an ISO-8601 date or date-time; without an offset it is UTC.

    Raises ValueError when it is neither.
    """
    if (known := _read.get(text)) is not None:
        return known
    if (plain := _read_plain(text)) is not None:
        if len(_read) >= _MOST_READ:
            _read.clear()
        _read[text] = plain
        return plain
    at = datetime.fromisoformat(text.strip())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _read_plain(text: str) -> float | None:
    """Return an instant in the form of `format_instant`, without the datetime module."""
    if len(text) != 20 or text[4::3] != "--T::Z" or text[:4] == "0000":
        return None
    try:
        year, month, day, hour, minute, second = (int(text[at : at + n]) for at, n in _PLAIN)
    except ValueError:
        return None
    at = day_number(year, month, day) * SECONDS + hour * 3600 + minute * 60 + second
    return float(at) if format_instant(at) == text else None


def read_instant(value: object) -> float | None:
    """Return an instant from a frontmatter value: ISO text, epoch seconds or epoch milliseconds."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        seconds = value / 1000 if 1e11 < abs(value) < 1e15 else value
        return float(seconds) if abs(seconds) < 1e11 else None
    try:
        return parse_instant(str(value))
    except (ValueError, OverflowError):
        return None
