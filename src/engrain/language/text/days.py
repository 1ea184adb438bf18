"""Days as numbers since 1970-01-01 in the Gregorian calendar, without the datetime module.

A cold process pays for every import, and recall needs no more of a calendar than this.
"""

from __future__ import annotations

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

_CYCLE = 146_097  # days in 400 years
_EPOCH = 719_468  # days from 0000-03-01 to 1970-01-01


def day_number(year: int, month: int, day: int) -> int:
    """The number of a day. A month outside 1 to 12 is one of another year, as a day is."""
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
