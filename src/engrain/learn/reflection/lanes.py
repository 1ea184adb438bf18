"""Three lanes: what is sure is saved at once, what is likely waits until it was met in three
sessions, what is vague waits in the inbox (S1.20, DESIGN section 11).

A transcript is a transcript: nothing in it counts as more than the agent's, and what comes from
outside is saved by nobody's word but the operator's. A later statement that takes an earlier one
back replaces it; where that is not clear both stay, and are marked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.links.linking import link_entries
from engrain.engine.verbs.archive import archive_entry
from engrain.engine.verbs.inbox import file_entry
from engrain.engine.verbs.revise import evolve_entry
from engrain.engine.verbs.save import SaveRequest, save
from engrain.language.statements.instructions import Instruction, compare, read_instruction
from engrain.language.statements.verdicts import (
    CONTRADICT,
    REPEAT,
    UNRELATED_VERDICT,
    StatementVerdict,
)
from engrain.language.statements.withdrawals import Withdrawal, read_withdrawal
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.instants import format_instant
from engrain.learn.reflection.by_rules import (
    DECISION,
    FEEDBACK,
    FIX,
    IDEA,
    INSIGHT,
    PREFERENCE,
    WORKFLOW,
    Reflection,
)
from engrain.model.errors import ConflictError, MalformedError, UsageError
from engrain.model.note.documents import list_of, text_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, EXTERNAL, INBOX, SUPERSEDED, kind_of
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


def count_again(store: Store, id_: str, session: str, times: int) -> bool:
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


@dataclass(slots=True, eq=False)
class KnownStatement:
    """One statement in the vault: `said` is when it was made, in epoch seconds, `ended` until when
    it held if it was replaced or archived, and `learned` whether it is the agent's own to
    replace."""

    id: str
    title: str
    _: KW_ONLY
    status: str = ACTIVE
    project: str = ""
    said: float | None = None
    ended: float | None = None
    learned: bool = True
    _statement: Instruction | None = field(default=None, init=False)

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
        """Return whether it was said after a moment."""
        return self.said is not None and at is not None and at < self.said


class KnownStatements:
    """The statements of a vault, and those that are added meanwhile."""

    def __init__(self, store: Store) -> None:
        rows = store.index.find(Filter(kinds=KINDS))
        self._all = {row.id: _read(row) for row in rows if row.primary}

    def add(self, known: KnownStatement) -> None:
        """Add a statement, or replace what is known of it."""
        self._all[known.id] = known

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

    def find_ended(
        self, withdrawal: Withdrawal, projects: Collection[str], at: float | None
    ) -> list[KnownStatement]:
        """Return the statements in force or waiting that a withdrawal made at a moment may mean; of
        those that say the same the first."""
        found = [
            known
            for known in self._all.values()
            if known.status in _LIVE
            and known.project in projects
            and not known.came_after(at)
            and withdrawal.ends(known.statement)
        ]
        return list({known.statement.frame.key: known for known in reversed(found)}.values())


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


TIMES = 3
"""Sessions in which what is likely was met before the operator is asked."""
SURE = 0.8
"""The confidence from which a statement is saved at once."""
SURE_ENOUGH = 0.5
"""The confidence from which a statement that was met `TIMES` times is proposed."""


HIGH = "high"
MEDIUM = "medium"
LOW = "low"

CREATED = "created"
SUPERSEDING = "superseding"
DISPUTED = "disputed"
FILED = "filed"
MET = "met again"
KNOWN = "known"
FORGOTTEN = "forgotten"
OUTDATED = "outdated"
REFUSED = "refused"
WITHDRAWN = "withdrawn"
UNMATCHED = "unmatched"


@dataclass(slots=True, eq=False)
class Routed:
    """The result for a candidate: its lane, the outcome (one of the words above), the id of its
    entry, "" for none, and of the entry that it replaces or disputes."""

    reflection: Reflection
    session: str
    lane: str
    outcome: str
    id: str = ""
    other: str = ""

    @property
    def news(self) -> bool:
        """Return whether it changes the vault."""
        return self.outcome in (CREATED, SUPERSEDING, DISPUTED, FILED, MET, WITHDRAWN)


class Lanes:
    """Routes the candidates of one run; with `dry_run` it only reports. `store` acts for the agent
    of the sessions."""

    def __init__(self, store: Store, *, dry_run: bool = False) -> None:
        self._store = store
        self._dry_run = dry_run
        self._known = KnownStatements(store)
        self._redaction = Redaction(store)
        self._drafts = 0

    def route(self, reflection: Reflection, session: str, project: str) -> Routed:
        """Put one candidate of a session where it belongs. `project` is "" for none. One that can't
        be kept is `refused`, and stops no other."""
        try:
            return self._route(reflection, session, project)
        except (ConflictError, MalformedError, UsageError):
            return Routed(reflection, session, self._lane(reflection), REFUSED)

    def _route(self, reflection: Reflection, session: str, project: str) -> Routed:
        reflection.title = self._redaction.clean(reflection.title)
        about = project if reflection.here or not kind_of(reflection.kind).projectless else ""
        verdict, known = self._known.find(reflection.title, about, reflection.at)
        routed = Routed(reflection, session, self._lane(reflection), KNOWN)
        if known is not None and verdict.relation == REPEAT:
            return self._count_known(routed, known)
        text = _compose_text(reflection)
        done = self._withdraw(routed, {about} if reflection.here else {"", project}, about, text)
        return done or self._add(routed, verdict, known, about, text)

    def _withdraw(
        self, routed: Routed, places: Collection[str], about: str, text: str
    ) -> Routed | None:
        """Retire what a statement withdraws of what is known in the projects `places`; return None
        for one that withdraws nothing and says something by itself."""
        said = routed.reflection
        withdrawal = read_withdrawal(said.title, firm=not said.only_withdraws)
        ended = self._known.find_ended(withdrawal, places, said.at) if withdrawal else []
        if withdrawal and ended:
            return self._end(routed, withdrawal, ended, about, text)
        routed.outcome = UNMATCHED
        return routed if said.only_withdraws else None

    def _add(
        self,
        routed: Routed,
        verdict: StatementVerdict,
        known: KnownStatement | None,
        about: str,
        text: str,
    ) -> Routed:
        """Save a statement, or replace the known one that it contradicts."""
        changes = verdict.relation == CONTRADICT and not verdict.doubtful
        if known is not None and changes and self._settles(routed, known, text):
            return routed
        high = routed.lane == HIGH
        says_so = high or (changes and routed.lane == MEDIUM)
        against = [known] if known and says_so and not known.waits else []
        return self._save(routed, about, text, against, changes=changes and high)

    def _end(
        self,
        routed: Routed,
        withdrawal: Withdrawal,
        ended: Sequence[KnownStatement],
        about: str,
        text: str,
    ) -> Routed:
        """Retire the one statement that a withdrawal means. Where several may be meant, or one that
        learning may not replace, the withdrawal waits in the inbox beside what it contradicts."""
        known = ended[0]
        if routed.lane != HIGH or len(ended) > 1 or not known.learned:
            routed.lane = min(routed.lane, MEDIUM, key=(LOW, MEDIUM, HIGH).index)
            return self._save(routed, about, text, ended, changes=len(ended) == 1)
        if not known.waits and not withdrawal.only_ends:
            self._supersede(routed, known, text)
            return routed
        store = self._store.as_one_change()
        if not self._dry_run:
            self._archive(store, known, routed)
        known.status, known.ended = "archived", routed.reflection.at
        routed.outcome, routed.other = WITHDRAWN, known.id
        if withdrawal.only_ends:
            return routed
        return self._save(routed, about, text, (), changes=False, store=store)

    @staticmethod
    def _archive(store: Store, known: KnownStatement, routed: Routed) -> None:
        """Archive a statement that held until the moment of its withdrawal."""
        said = routed.reflection
        reason = f"withdrawn in session {routed.session}: {said.title}"
        if said.at is not None:
            over = format_instant(said.at)
            store.update(
                store.find_one(known.id, prefer="inbox").locator,
                lambda entry: entry.note.patch({"id": entry.id, "valid_to": over}),
                "learn",
                reason=reason,
            )
        archive_entry(store, known.id, reason=reason)

    def _settles(self, routed: Routed, known: KnownStatement, text: str) -> bool:
        """Return whether a statement that takes back a known one needs no entry beside that: it
        replaces it, or is older. A known one that waits in the inbox is dropped."""
        high = routed.lane == HIGH
        if known.came_after(routed.reflection.at):
            if known.waits:
                return False
            routed.outcome = OUTDATED
            return True
        if high and known.waits:
            if not self._dry_run:
                archive_entry(self._store, known.id, reason="taken back")
            known.status = "archived"
        elif high and known.learned:
            self._supersede(routed, known, text)
            return True
        return False

    def _lane(self, reflection: Reflection) -> str:
        if reflection.confidence < SURE_ENOUGH or self._store.actor.trust == EXTERNAL:
            return LOW
        return HIGH if reflection.confidence >= SURE else MEDIUM

    def _count_known(self, routed: Routed, known: KnownStatement) -> Routed:
        routed.id = known.id
        if known.status not in (ACTIVE, INBOX):
            routed.outcome = FORGOTTEN
        elif known.waits and routed.lane == HIGH:
            routed.outcome = FILED
            if not self._dry_run:
                file_entry(self._store, known.id, "the operator said so outright")
            known.status = ACTIVE
        elif known.waits and routed.lane == MEDIUM and not self._dry_run:
            met = count_again(self._store, known.id, routed.session, TIMES)
            routed.outcome = MET if met else KNOWN
        return routed

    def _supersede(self, routed: Routed, known: KnownStatement, text: str) -> None:
        said = routed.reflection
        routed.outcome, routed.other, routed.id = SUPERSEDING, known.id, known.id
        if not self._dry_run:
            reason = f"replaced in session {routed.session}"
            try:
                done = evolve_entry(
                    self._store, known.id, text, title=said.title, reason=reason, said=said.at
                )
            except ConflictError:
                routed.outcome = KNOWN  # somebody changed it this very moment
                return
            routed.id = done.id
        known.status, known.ended = "superseded", said.at
        self._remember(routed, known.project)

    @staticmethod
    def _file(store: Store, routed: Routed, project: str, text: str, status: str) -> Outcome:
        said = routed.reflection
        return save(
            store,
            SaveRequest(
                text,
                title=said.title,
                kind=said.kind,
                tags=(),
                project=project or None,
                status=status,
                created=said.at,
                confidence=said.confidence,
                source="session",
                ref=routed.session,
                op="learn",
            ),
        )

    def _save(
        self,
        routed: Routed,
        project: str,
        text: str,
        against: Sequence[KnownStatement],
        *,
        changes: bool,
        store: Store | None = None,
    ) -> Routed:
        """Save a candidate; one that is `against` what it may not replace is linked with that, and
        where it `changes` that says so, which is proposed to the operator."""
        routed.outcome = DISPUTED if against else CREATED
        routed.other = against[0].id if against else routed.other
        if self._dry_run:
            self._drafts += 1
            routed.id = f"draft-{self._drafts}"
        else:
            status = ACTIVE if routed.lane == HIGH else INBOX
            store = store or (self._store.as_one_change() if against else self._store)
            done = self._file(store, routed, project, text, status)
            routed.id = done.id
            for known in against:
                link_entries(store, done.id, known.id, "contradicts")
                if changes:
                    link_entries(store, done.id, known.id, "supersedes")
        self._remember(routed, project)
        return routed

    def _remember(self, routed: Routed, project: str) -> None:
        status = ACTIVE if routed.lane == HIGH else INBOX
        said = routed.reflection
        known = KnownStatement(routed.id, said.title, status=status, project=project, said=said.at)
        self._known.add(known)


_MOST_QUOTE = 500


def _compose_text(reflection: Reflection) -> str:
    """Return the text of an entry: the operator's words, with the reason that they gave."""
    words = f"{reflection.quote}. {reflection.why}" if reflection.why else reflection.quote
    return f"{quote_links(shorten(words, _MOST_QUOTE))}\n"
