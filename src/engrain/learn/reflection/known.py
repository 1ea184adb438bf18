"""The operator's statements in the vault, to compare a new one with (S1.15)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from engrain.engine.core.store import Store
from engrain.language.statements.instructions.reading import read_instruction
from engrain.language.statements.judge import CONTRADICT, REPEAT, UNRELATED, Verdict, compare
from engrain.language.statements.statement import Statement
from engrain.learn.reflection.by_rules import (
    DECISION,
    FEEDBACK,
    FIX,
    IDEA,
    INSIGHT,
    PREFERENCE,
    WORKFLOW,
)
from engrain.model.note.documents import object_of
from engrain.model.note.tiers import ACTIVE, INBOX, SUPERSEDED
from engrain.seam.rows import Filter, Row

KINDS = (PREFERENCE, FEEDBACK, WORKFLOW, DECISION, FIX, INSIGHT, IDEA)
_NOTE = "reflect.again"
_MOST_AGAIN = 2000
_UNRELATED = Verdict(UNRELATED)


@dataclass(slots=True, eq=False)
class Known:
    """One statement in the vault: `said` is when it was made, in epoch seconds, `ended` until when
    it held where it was replaced or archived, `again` when it was said last, as far as this device
    met it, and `learned` whether it is the agent's own to replace."""

    id: str
    title: str
    _: KW_ONLY
    status: str = ACTIVE
    project: str = ""
    said: float | None = None
    ended: float | None = None
    learned: bool = True
    again: float | None = field(init=False)
    _statement: Statement | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.again = self.said

    @property
    def statement(self) -> Statement:
        """Its title as it is compared; read on first use."""
        if self._statement is None:
            self._statement = read_instruction(self.title)
        return self._statement

    @property
    def waits(self) -> bool:
        """Whether it is in the inbox."""
        return self.status == INBOX

    def came_after(self, at: float | None) -> bool:
        """Whether it was said after a moment, or again after it."""
        return self.again is not None and at is not None and at < self.again


class KnownStatements:
    """The statements of a vault, and those that are added meanwhile. When one that holds was said
    again is kept on this device: repeating what is known changes no file."""

    def __init__(self, store: Store, *, dry_run: bool = False) -> None:
        rows = store.index.find(Filter(kinds=KINDS))
        self._all = {row.id: _read(row) for row in rows if row.primary}
        self._local = None if dry_run else store.local
        kept = object_of(store.local.read_note(_NOTE))
        self._again = {id_: at for id_, at in kept.items() if isinstance(at, float)}
        for id_, at in self._again.items():
            if id_ in self._all:
                self._meet(self._all[id_], at)

    def add(self, known: Known) -> None:
        """One that is there from now on, or is another than it was."""
        self._all[known.id] = known

    def meet(self, known: Known, at: float | None) -> None:
        """Take note that a statement was said again at a moment."""
        if at is None or known.came_after(at) or at == known.again:
            return
        self._meet(known, at)
        self._again.pop(known.id, None)
        self._again[known.id] = at
        for old in list(self._again)[:-_MOST_AGAIN]:
            del self._again[old]
        if self._local is not None:
            self._local.write_note(_NOTE, self._again)

    def _meet(self, known: Known, at: float) -> None:
        known.again = max(at, known.again or at)

    def find(self, title: str, project: str, at: float | None) -> tuple[Verdict, Known | None]:
        """What a statement that was made at a moment is to what is known, and to which of it: a
        repetition before a contradiction, and that before a doubtful one. A statement that was
        replaced or archived since then counts as known, one that was so before does not."""
        found: dict[tuple[bool, bool], tuple[Verdict, Known]] = {}
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
        return found[min(found)] if found else (_UNRELATED, None)

    def find_line(self, title: str, project: str) -> list[Known]:
        """What a statement takes back or was taken back by, the oldest first: what was learned in
        its project and has a date, whether it still holds or was replaced."""
        statement = read_instruction(title)
        line = [
            known
            for known in self._all.values()
            if known.project == project
            and known.learned
            and known.said is not None
            and known.status in (ACTIVE, SUPERSEDED)
            and (verdict := compare(statement, known.statement)).relation == CONTRADICT
            and not verdict.doubtful
        ]
        return sorted(line, key=lambda known: known.said or 0.0)


_LIVE = (ACTIVE, INBOX)


def _is_over(known: Known, at: float | None) -> bool:
    """Whether a statement was replaced or archived before the same was said once more. What was
    forgotten stays so."""
    if known.status not in (SUPERSEDED, "archived") or known.ended is None:
        return False
    return at is not None and at > known.ended


def _read(row: Row) -> Known:
    return Known(
        row.id,
        row.title,
        status=row.status,
        project=row.project or "",
        said=row.created if row.valid_from is None else row.valid_from,
        ended=row.updated if row.valid_to is None else row.valid_to,
        learned=row.tier == "T3" and row.source != "operator",
    )
