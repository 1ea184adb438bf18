"""How far a dream came: kept on this device, so that one that was killed is gone on with (S1.17).

Only whole stages are kept, and of what they found only how much. A finder that was interrupted
looks again and finds the same; what it staged before is known by itself. So nothing that a note
says is kept outside the vault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.lifecycle.dreaming.finding import NAMES
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.ids import make_id
from engrain.model.note.strength import DAY
from engrain.seam.local_state import LocalState

_NOTE, _PAST = "dream", "dream.past"
_MOST_PAST = 12
"""Dreams that are looked back on."""
_STALE = 7 * DAY
"""Seconds after which a dream that was not finished is not gone on with: it was of another vault,
so to speak."""


@dataclass(slots=True, eq=False)
class Order:
    """What a dream is asked for: the stages it has (all if `only` is empty), how many findings of
    each it proposes at most, and whether it does by itself what can be taken back."""

    only: Sequence[str] = ()
    limit: int = 0
    auto: bool = False

    def __post_init__(self) -> None:
        self.only = tuple(name for name in NAMES if not self.only or name in self.only)

    def describe(self) -> dict[str, Any]:
        """As plain data, by which two are compared."""
        return {"only": list(self.only), "limit": self.limit, "auto": self.auto}


@dataclass(slots=True, eq=False)
class Journal:
    """One dream: its name, when it began (epoch seconds), what was asked for, the counts of each
    stage that is done, and the stage that was `tried` and not finished, "" for none. Without
    `local` nothing of it is kept."""

    run: str
    at: float
    order: Order
    done: dict[str, dict[str, int]] = field(default_factory=dict)
    local: LocalState | None = None
    tried: str = ""

    def finish(self, stage: str, counts: Mapping[str, int]) -> None:
        """A stage is done, with these counts."""
        self.done[stage] = dict(counts)
        self.tried = ""
        self.keep()

    def attempt(self, stage: str) -> bool:
        """A stage begins; whether it was begun before, and not finished."""
        again = self.tried == stage
        self.tried = stage
        self.keep()
        return again

    def close(self, entries: int) -> None:
        """The dream is over; `entries` is how many the vault had."""
        if self.local is None:
            return
        found = {name: counts.get("found", 0) for name, counts in self.done.items()}
        past = [one for one in read_past(self.local) if one.get("run") != self.run]
        past.append({"run": self.run, "at": self.at, "entries": entries, "found": found})
        self.local.write_note(_PAST, past[-_MOST_PAST:])
        self.local.write_note(_NOTE, None)

    def keep(self) -> None:
        """Write down how far it is."""
        if self.local is not None:
            far = {"at": self.at, "done": self.done, "tried": self.tried}
            self.local.write_note(_NOTE, {"run": self.run, **far, **self.order.describe()})


def begin(store: Store, order: Order, *, kept: bool = True) -> Journal:
    """A dream that begins now; one that is not `kept` leaves no trace."""
    now = store.clock.now()
    name = f"{format_instant(now)[:10]}-{make_id(now, store.entropy.draw(10))[-6:]}".lower()
    journal = Journal(name, now, order, local=store.local if kept else None)
    journal.keep()
    return journal


def find_unfinished(store: Store) -> Journal | None:
    """The dream that was not finished, None where there is none or it is too long ago."""
    note = object_of(store.local.read_note(_NOTE))
    run, at = text_of(note.get("run")), note.get("at")
    limit, only = note.get("limit"), note.get("only")
    if not run or not isinstance(at, int | float) or store.clock.now() - at > _STALE:
        return None
    if not isinstance(limit, int) or not isinstance(only, list):
        return None
    order = Order([str(name) for name in only], limit, note.get("auto") is True)
    done = {
        name: {key: count for key, count in object_of(counts).items() if isinstance(count, int)}
        for name, counts in object_of(note.get("done")).items()
    }
    return Journal(run, float(at), order, done, store.local, tried=text_of(note.get("tried")))


def read_past(local: LocalState) -> list[dict[str, Any]]:
    """The dreams before, oldest first: `run`, `at`, how many `entries` there were, and how many
    findings of each kind were `found`."""
    past = local.read_note(_PAST)
    return [one for one in map(object_of, past if isinstance(past, list) else ()) if one.get("run")]
