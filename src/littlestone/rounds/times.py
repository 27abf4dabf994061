"""Dates and date-times in the cells of a table or the values of a dict, and the features that one gives.

A moment is read as the clock showed it: an offset from UTC may stand behind it, and moves nothing.
"""

import re
from datetime import date, datetime
from typing import Any, NamedTuple

TEXT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?", re.ASCII
)
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PARTS = ("hour", "weekday", "month", "days")  # what a date-time gives; a date has no hour
DAY = 86_400_000_000.0  # microseconds
EXPECTED = "a date or a date-time, such as 2026-11-19 or 2026-11-19T20:05:00"


class ClockTime(NamedTuple):
    """A date-time, or the midnight at which a date begins: `timed` is False for a date alone."""

    at: datetime
    timed: bool


def moment_of(value: Any) -> ClockTime | None:
    """Return the moment that a value is, or None: ISO text, a date, or a date-time of Python, NumPy or pandas.

    >>> moment_of("2026-11-19"), moment_of("2026-13-19"), moment_of("2026-11-19T20:05:00.25+01:00").at.isoformat()
    (ClockTime(at=datetime.datetime(2026, 11, 19, 0, 0), timed=False), None, '2026-11-19T20:05:00.250000')
    """
    if isinstance(value, str):
        match = TEXT.fullmatch(value.strip())
        if match is None:
            return None
        year, month, day, hour, minute, second, fraction = match.groups()
        try:
            at = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
        except ValueError:
            return None
        return ClockTime(at.replace(microsecond=int((fraction or "")[:6].ljust(6, "0"))), hour is not None)
    if type(value).__name__ == "datetime64":
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime):
        known = value == value  # pandas' NaT is a datetime, and no moment
        return ClockTime(datetime(*value.timetuple()[:6], value.microsecond), True) if known else None
    return ClockTime(datetime(value.year, value.month, value.day), False) if isinstance(value, date) else None


def features_of_time(column: str, moment: ClockTime, first: ClockTime | None) -> list[tuple[str, float]]:
    """Return the features of a moment: its hour, weekday and month as categories, and the days since the first row's as a number, where
    that is known.

    >>> features_of_time("sent", moment_of("2026-11-19T20:05"), moment_of("2026-11-18T08:05"))
    [('sent.hour=20', 1.0), ('sent.weekday=Thu', 1.0), ('sent.month=11', 1.0), ('sent.days', 1.5)]
    """
    at, since = moment.at, moment.at - (moment if first is None else first).at
    hour = [(f"{column}.hour={at.hour}", 1.0)] if moment.timed else []
    days = float((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) / DAY
    number = [(f"{column}.days", days)] if days else []
    return [*hour, (f"{column}.weekday={WEEKDAYS[at.weekday()]}", 1.0), (f"{column}.month={at.month}", 1.0), *number]
