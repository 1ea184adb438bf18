"""The operator's statements in the vault, to compare a new one with (S1.15)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from engrain.engine.core.store import Store
from engrain.language.statements.instructions import Instruction, compare, read_instruction
from engrain.language.statements.verdicts import (
    CONTRADICT,
    REPEAT,
    UNRELATED_VERDICT,
    StatementVerdict,
)
from engrain.language.text.instants import format_instant
from engrain.learn.reflection.by_rules import (
    DECISION,
    FEEDBACK,
    FIX,
    IDEA,
    INSIGHT,
    PREFERENCE,
    WORKFLOW,
)
from engrain.model.note.documents import list_of, object_of, text_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, INBOX, SUPERSEDED
from engrain.seam.rows import Filter, Row

SEEN = "seen"
SESSIONS = "sessions"
_MOST_SESSIONS = 8
_TRIAGE = "triage"
"""The job that proposes what was met often enough."""


def _sessions_of(entry: Entry) -> list[str]:
    """Return the sessions in which an entry that waits was met."""
    met = [text for one in list_of(entry.fields.get(SESSIONS)) if (text := text_of(one))]
    return met or [ref] if (ref := text_of(entry.source.get("ref"))) else met


def _seen_of(entry: Entry) -> int:
    """Return in how many sessions an entry that waits was met."""
    seen = entry.fields.get(SEEN)
    counted = seen if isinstance(seen, int) and not isinstance(seen, bool) else 1
    return max(counted, len(_sessions_of(entry)), 1)


def meet_again(store: Store, id_: str, session: str, times: int) -> bool:
    """Count a session in which an entry that waits was met; return whether it was not counted
    before. When it was met `times` times, the operator is asked."""
    row = store.find_one(id_, prefer="inbox")
    count = 0

    def change(entry: Entry) -> Note:
        nonlocal count
        met = _sessions_of(entry)
        if session in met or len(met) >= _MOST_SESSIONS:
            count = 0
            return entry.note
        count = _seen_of(entry) + 1
        now = format_instant(store.clock.now())
        sessions: list[Value] = [*met, session]
        fields: dict[str, Value] = {"id": entry.id, SEEN: count, SESSIONS: sessions}
        return entry.note.patch({**fields, "updated": now})

    store.update(row.locator, change, "learn", reason=f"met again in session {session}")
    if count >= times:
        store.device.job_log.request(_TRIAGE, store.clock.now())
    return count > 0


KINDS = (PREFERENCE, FEEDBACK, WORKFLOW, DECISION, FIX, INSIGHT, IDEA)
_AGAIN = "reflect.again"
_MOST_AGAIN = 2000


@dataclass(slots=True, eq=False)
class KnownStatement:
    """One statement in the vault: `said` is when it was made, in epoch seconds, `ended` until when
    it held if it was replaced or archived, `again` when it was said last, as far as this device met
    it, and `learned` whether it is the agent's own to replace."""

    id: str
    title: str
    _: KW_ONLY
    status: str = ACTIVE
    project: str = ""
    said: float | None = None
    ended: float | None = None
    learned: bool = True
    again: float | None = field(init=False)
    _statement: Instruction | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.again = self.said

    @property
    def statement(self) -> Instruction:
        """Return its title as a statement to compare; read on first use."""
        if self._statement is None:
            self._statement = read_instruction(self.title)
        return self._statement

    @property
    def waits(self) -> bool:
        """Return whether it is in the inbox."""
        return self.status == INBOX

    def came_after(self, at: float | None) -> bool:
        """Return whether it was said, or said again, after a moment."""
        return self.again is not None and at is not None and at < self.again


class KnownStatements:
    """The statements of a vault, and those that are added meanwhile. When one was said again is
    kept on this device: repeating what is known changes no file."""

    def __init__(self, store: Store, *, dry_run: bool = False) -> None:
        rows = store.index.find(Filter(kinds=KINDS))
        self._all = {row.id: _read(row) for row in rows if row.primary}
        self._local = None if dry_run else store.device.local
        kept = object_of(store.device.local.read_note(_AGAIN))
        self._again = {id_: at for id_, at in kept.items() if isinstance(at, float)}
        for id_, at in self._again.items():
            if known := self._all.get(id_):
                known.again = max(at, known.again or at)

    def add(self, known: KnownStatement) -> None:
        """Add a statement, or replace what is known of it."""
        self._all[known.id] = known

    def meet(self, known: KnownStatement, at: float | None) -> None:
        """Note that a statement was said again at a moment."""
        if at is None or known.came_after(at) or at == known.again:
            return
        known.again = max(at, known.again or at)
        self._again.pop(known.id, None)
        self._again[known.id] = at
        for old in list(self._again)[:-_MOST_AGAIN]:
            del self._again[old]
        if self._local is not None:
            self._local.write_note(_AGAIN, self._again)

    def find(
        self, title: str, project: str, at: float | None
    ) -> tuple[StatementVerdict, KnownStatement | None]:
        """Compare a statement that was made at a moment with what is known: return the verdict and
        the known statement, a repetition before a contradiction, and that before a doubtful one. A
        statement that was replaced or archived since then counts as known, one that was so before
        does not."""
        found: dict[tuple[bool, bool], tuple[StatementVerdict, KnownStatement]] = {}
        statement = read_instruction(title)
        for known in self._all.values():
            if known.project not in ("", project):
                continue
            verdict = compare(statement, known.statement)
            contradicts = verdict.relation == CONTRADICT
            if not contradicts and (verdict.relation != REPEAT or _is_over(known, at)):
                continue
            # What holds in one project says nothing against what holds elsewhere.
            if contradicts and (known.status not in _LIVE or known.project != project):
                continue
            found.setdefault((contradicts, verdict.doubtful), (verdict, known))
        return found[min(found)] if found else (UNRELATED_VERDICT, None)


_LIVE = (ACTIVE, INBOX)


def _is_over(known: KnownStatement, at: float | None) -> bool:
    """Return whether a statement was replaced or archived before the same was said once more. What
    was forgotten stays so."""
    if known.status not in (SUPERSEDED, "archived") or known.ended is None:
        return False
    return at is not None and at > known.ended


def _read(row: Row) -> KnownStatement:
    return KnownStatement(
        row.id,
        row.title,
        status=row.status,
        project=row.project or "",
        said=row.created if row.valid_from is None else row.valid_from,
        ended=row.updated if row.valid_to is None else row.valid_to,
        learned=row.tier == "T3" and row.source != "operator",
    )
