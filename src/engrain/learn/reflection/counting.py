"""How often something was met: one that waits in the inbox keeps its sessions itself; of a habit,
which may come to nothing, this device keeps digests until it has come often enough."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.language.statements.instructions.reading import statement_key
from engrain.language.text.instants import format_instant
from engrain.model.note.documents import list_of, object_of, text_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import Stored

SEEN = "seen"
SESSIONS = "sessions"
_NOTE = "reflect.habits"
_MOST_HABITS = 2000
_MOST_SESSIONS = 8
_DIGEST = 16
TRIAGE = "triage"
"""The job that proposes what was met often enough."""


def sessions_of(entry: Entry) -> list[str]:
    """The sessions in which one that waits was met."""
    met = [text for one in list_of(entry.fields.get(SESSIONS)) if (text := text_of(one))]
    return met or [ref] if (ref := text_of(entry.source.get("ref"))) else met


def seen_of(entry: Entry) -> int:
    """In how many sessions one that waits was met."""
    seen = entry.fields.get(SEEN)
    counted = seen if isinstance(seen, int) and not isinstance(seen, bool) else 1
    return max(counted, len(sessions_of(entry)), 1)


def meet_again(store: Store, id_: str, session: str, times: int) -> bool:
    """Count a session in which one that waits was met; whether it was not counted before. From so
    many `times` on the operator is asked."""
    row = store.find_one(id_, prefer="inbox")
    count = 0

    def change(stored: Stored) -> bytes:
        nonlocal count
        entry = read_entry(row.locator, stored.raw)
        met = sessions_of(entry)
        if session in met or len(met) >= _MOST_SESSIONS:
            count = 0
            return stored.raw
        count = seen_of(entry) + 1
        now = format_instant(store.clock.now())
        sessions: list[Value] = [*met, session]
        fields: dict[str, Value] = {"id": entry.id, SEEN: count, SESSIONS: sessions}
        return entry.note.patch({**fields, "updated": now}).raw

    store.update(row.locator, change, "learn", id_, reason=f"met again in session {session}")
    if count >= times:
        store.job_log.request(TRIAGE, store.clock.now())
    return count > 0


class Tally:
    """How often each habit came, without its words: in the sessions that this device reflected."""

    def __init__(self, store: Store, *, dry_run: bool = False) -> None:
        self._store = store
        self._dry_run = dry_run
        self._kept = {
            key: [text for one in list_of(value) if (text := text_of(one))]
            for key, value in object_of(store.local.read_note(_NOTE)).items()
        }

    def count(self, statement: str, session: str) -> int:
        """Count a session in which a habit came; in how many it came by now."""
        key = _digest(statement_key(statement))
        met = [*self._kept.pop(key, ()), _digest(session)]
        self._kept[key] = list(dict.fromkeys(met))[-_MOST_SESSIONS:]
        for old in list(self._kept)[:-_MOST_HABITS]:
            del self._kept[old]
        if not self._dry_run:
            self._store.local.write_note(_NOTE, self._kept)
        return len(self._kept[key])

    def hand_over(self, store: Store, id_: str, statement: str) -> None:
        """Write how often a habit came into the entry that it has become."""
        row = store.find_one(id_, prefer="inbox")
        count = len(self._kept.get(_digest(statement_key(statement)), ()))

        def change(stored: Stored) -> bytes:
            entry = read_entry(row.locator, stored.raw)
            return entry.note.patch({"id": entry.id, SEEN: count}).raw

        store.update(row.locator, change, "learn", id_)
        store.job_log.request(TRIAGE, store.clock.now())


def _digest(text: str) -> str:
    return hash_bytes(text.encode(errors="replace"))[:_DIGEST]
