"""A function for the full-text table: where the phrases of a query stand in a row."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

LOCATE = "locate"
_BODY = 2


def locate(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    """The words of the row's text, and for each phrase of the query and each column the places
    where it stands, in words from 0, as JSON."""
    places = [api.phrase_locations(phrase) for phrase in range(api.phrase_count)]
    return str([api.column_size(_BODY), places])  # JSON as well, and quicker
