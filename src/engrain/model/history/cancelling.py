"""Conclusions that proved wrong, and the operation that takes them back.

A scan that meets bytes which no record explains puts them into the history as `external`. The
record that explains them may only be late: a synchroniser brings notes and history in any order.
Once it is here, a record with the operation `cancel` names the conclusions that are void. It has no
files, and its field `undoes` lists the conclusions: the name of each `external` change, and behind
a colon the places of the files in it that are meant, counted from 0, as in `7q2mz4ke-12:0,3`.
"""

from __future__ import annotations

from engrain.model.history.record import split_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CANCEL = "cancel"
"""The operation of the record that names conclusions which are void."""
EXTERNAL = "external"
"""The operation of a conclusion: another program left these bytes."""
CANCELLED = "cancelled"
"""The operation under which an index keeps a conclusion that is void. No record bears it."""


def write_cancelled(conclusions: Iterable[tuple[str, int]]) -> str:
    """What a `cancel` record's `undoes` says of some conclusions, by change and place."""
    places: dict[str, list[int]] = {}
    for change, place in conclusions:
        places.setdefault(change, []).append(place)
    return " ".join(
        f"{change}:{','.join(map(str, sorted(those)))}" for change, those in places.items()
    )


def read_cancelled(undoes: str | None) -> Iterator[tuple[str, int]]:
    """The conclusions that a `cancel` record names. Words that name none are passed over."""
    for word in (undoes or "").split():
        change, _, places = word.partition(":")
        if split_change(change):
            for place in places.split(","):
                if place.isascii() and place.isdigit() and len(place) <= _MAX_DIGITS:
                    yield change, int(place)


_MAX_DIGITS = 9
