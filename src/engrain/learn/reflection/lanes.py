"""Three lanes: what is sure is saved at once, what is likely waits until it was met in three
sessions, what is vague waits in the inbox (S1.20, DESIGN section 11).

A transcript is a transcript: nothing in it counts as more than the agent's, and what comes from
outside is saved by nobody's word but the operator's. A later statement that takes an earlier one
back replaces it; where that is not clear both stay, and are marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.links.linking import link_entries
from engrain.engine.verbs.archive import EXTRACT, archive_entry
from engrain.engine.verbs.inbox import file_entry
from engrain.engine.verbs.revise import evolve_entry
from engrain.engine.verbs.save import save
from engrain.language.statements.verdicts import CONTRADICT, REPEAT
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.instants import format_day
from engrain.learn.reflection.known import KnownStatement, KnownStatements, meet_again
from engrain.model.errors import ConfigError, ConflictError, MalformedError, UsageError
from engrain.model.note.tiers import ACTIVE, EXTERNAL, INBOX, kind_of
from engrain.model.settings import read_choice, read_number
from engrain.seam.llm import Reflection

FORM = "reflect.form"
RULES = "rules"
BY_MODEL = "llm"
OFF = "off"
TIMES = 3
"""Sessions in which what is likely was met before the operator is asked."""


@dataclass(slots=True, eq=False)
class LaneBounds:
    """The lanes' bounds: saved at once from `high`, proposed from `medium` if met `times`."""

    high: float = 0.8
    medium: float = 0.5
    times: int = TIMES


def read_bounds(settings: Mapping[str, str | None]) -> LaneBounds:
    """Return the lanes' bounds that are set. Raises ConfigError."""
    high, medium = (read_number(settings, f"reflect.{name}", 1.0) for name in (HIGH, MEDIUM))
    if medium > high:
        raise ConfigError(
            f"reflect.medium {medium:g} is over reflect.high {high:g}",
            remedy="set reflect.medium lower",
        )
    return LaneBounds(high, medium)


def wants_model(settings: Mapping[str, str | None]) -> bool:
    """Return whether a language model is to reflect, if one is set. Raises ConfigError."""
    return _read_form(settings) == BY_MODEL


def goes_unasked(settings: Mapping[str, str | None]) -> bool:
    """Return whether the job reflects, not only the operator's call. Raises ConfigError."""
    return _read_form(settings) != OFF


def _read_form(settings: Mapping[str, str | None]) -> str:
    return read_choice(settings, FORM, RULES, BY_MODEL, OFF)


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
        return self.outcome in (CREATED, SUPERSEDING, DISPUTED, FILED, MET)


class Lanes:
    """Routes the candidates of one run; with `dry_run` it only reports. `store` acts for the agent
    of the sessions."""

    def __init__(self, store: Store, bounds: LaneBounds, *, dry_run: bool = False) -> None:
        self._store = store
        self._bounds = bounds
        self._dry_run = dry_run
        self._known = KnownStatements(store, dry_run=dry_run)
        self._redaction = Redaction(store)
        self._drafts = 0

    def route(self, reflection: Reflection, session: str, project: str, place: str = "") -> Routed:
        """Put one candidate of a session where it belongs. `project` is "" for none; `place` is
        what the session's folder is called. One that can't be kept is `refused`, and stops no
        other."""
        try:
            return self._route(reflection, session, project, place)
        except (ConflictError, MalformedError, UsageError):
            return Routed(reflection, session, self._lane(reflection), REFUSED)

    def _route(self, reflection: Reflection, session: str, project: str, place: str) -> Routed:
        reflection.title = self._redaction.clean(reflection.title)
        about = project if reflection.here or not kind_of(reflection.kind).projectless else ""
        verdict, known = self._known.find(reflection.title, about, reflection.at)
        routed = Routed(reflection, session, self._lane(reflection), KNOWN)
        if known is not None and verdict.relation == REPEAT:
            return self._meet(routed, known)
        text = _compose_text(reflection, place or project)
        changes = verdict.relation == CONTRADICT and not verdict.doubtful
        if known is not None and changes and self._settles(routed, known, text):
            return routed
        return self._save(routed, about, text, known, changes=changes)

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
                archive_entry(self._store, known.id, reason="taken back", summarizer=EXTRACT)
            known.status = "archived"
        elif high and known.learned:
            self._supersede(routed, known, text)
            return True
        return False

    def _lane(self, reflection: Reflection) -> str:
        if reflection.confidence < self._bounds.medium or self._store.actor.trust == EXTERNAL:
            return LOW
        return HIGH if reflection.confidence >= self._bounds.high else MEDIUM

    def _meet(self, routed: Routed, known: KnownStatement) -> Routed:
        routed.id = known.id
        self._known.meet(known, routed.reflection.at)
        if known.status not in (ACTIVE, INBOX):
            routed.outcome = FORGOTTEN
        elif known.waits and routed.lane == HIGH:
            routed.outcome = FILED
            if not self._dry_run:
                file_entry(self._store, known.id, "the operator said so outright")
            known.status = ACTIVE
        elif known.waits and routed.lane == MEDIUM and not self._dry_run:
            met = meet_again(self._store, known.id, routed.session, self._bounds.times)
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
        )

    def _save(
        self,
        routed: Routed,
        project: str,
        text: str,
        against: KnownStatement | None,
        *,
        changes: bool,
    ) -> Routed:
        """Save a candidate; one that is `against` what it may not replace is linked with that, and
        where it `changes` that says so, which is proposed to the operator."""
        against = against if against and routed.lane == HIGH and not against.waits else None
        routed.outcome = DISPUTED if against else CREATED
        routed.other = against.id if against else ""
        if self._dry_run:
            self._drafts += 1
            routed.id = f"draft-{self._drafts}"
        else:
            status = ACTIVE if routed.lane == HIGH else INBOX
            store = self._store.as_one_change() if against else self._store
            done = self._file(store, routed, project, text, status)
            routed.id = done.id
            if against:
                link_entries(store, done.id, against.id, "contradicts")
                if changes:
                    link_entries(store, done.id, against.id, "supersedes")
        self._remember(routed, project)
        return routed

    def _remember(self, routed: Routed, project: str) -> None:
        status = ACTIVE if routed.lane == HIGH else INBOX
        said = routed.reflection
        known = KnownStatement(routed.id, said.title, status=status, project=project, said=said.at)
        self._known.add(known)


_MOST_QUOTE = 500


def _compose_text(reflection: Reflection, place: str) -> str:
    """Return the text of an entry, that can be read by itself; `place` is the project or folder."""
    on = "" if reflection.at is None else f" on {format_day(reflection.at)}"
    where = f", in {quote_links(place)}" if place else ""
    words = f"{reflection.quote}. {reflection.why}" if reflection.why else reflection.quote
    text = f"The operator said{on}{where}:\n\n> {quote_links(shorten(words, _MOST_QUOTE))}\n"
    if reflection.about:
        text += f"\nBefore that they had asked: {quote_links(reflection.about)}\n"
    return text
