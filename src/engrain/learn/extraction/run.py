"""One extraction: what was said in some conversations, by rules, through the validated path into
the facts of those it is about (S4.4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.entities.facts import REFUSED, FactOutcome, add_facts
from engrain.engine.entities.resolution import list_entities
from engrain.engine.verbs.commitments import list_commitments
from engrain.engine.verbs.save import SaveRequest, save
from engrain.language.text.folding import fold
from engrain.learn.extraction.rules import find_facts
from engrain.learn.extraction.work import find_promises
from engrain.learn.sources.formats import HOSTS
from engrain.learn.sources.reading import SourceReading
from engrain.model.facts.entity import OPERATOR_ENTITY, OPERATOR_NAME
from engrain.model.facts.fact import OPERATOR, FactDraft, Turn
from engrain.model.note.tiers import COMMITMENT

_BATCH = 100
"""Turns that are read at once."""
_MOST_KEPT = 1_000
"""Facts that are reported one by one."""
_MOST_KNOWN = 200
_PREFERS = re.compile(r"^.{1,60}? (?:prefers|likes|dislikes|hates|avoids|detests|cannot stand) ")


@dataclass(slots=True, eq=False)
class Drawn:
    """A fact that was drawn: its draft, and its outcome, None if nothing was written."""

    draft: FactDraft
    outcome: FactOutcome | None


@dataclass(slots=True, eq=False)
class Extracted:
    """The result of an extraction: how many facts by `outcomes` (of a dry run `found`), the first
    of them one by one, why some were refused, and how many turns of how many conversations were
    read."""

    outcomes: Counter[str] = field(default_factory=Counter)
    drawn: list[Drawn] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    conversations: dict[str, int] = field(default_factory=dict)
    turns: int = 0


def extract(
    store: Store,
    readings: Iterable[SourceReading],
    *,
    trust: str | None = None,
    dry_run: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> Extracted:
    """Extract facts from what was read and add them; with `dry_run` only return them. Each reading
    is committed once its facts are in the vault; `tell` hears how many turns were read by then.

    `trust` is the origin of all of it. Without one what a host's operator and agent said there has
    the trust of an agent, else it is that of the source, which is the operator's word. Raises
    IndexUnavailableError, LockedError, StorageError.
    """
    done = Extracted()
    known: dict[str, None] | None = None
    for reading in readings:
        operator = " ".join((store.settings.get(OPERATOR_NAME) or "").split())
        turns = _named(reading.turns, operator)
        drafts: list[FactDraft] = []
        if known is None:
            known = dict.fromkeys(filed.entity.name for filed in list_entities(store))
        for start in range(0, len(turns), _BATCH):
            batch = turns[start : start + _BATCH]
            drafts += find_facts(batch, _met(known, batch))
        if reading.format in HOSTS:
            drafts = [one for one in drafts if not _is_preference(one, operator)]
        origin = trust or trust_of(reading)
        drafts = list(_without_secrets(store, drafts, done))
        for draft in drafts:
            draft.source, draft.ref = reading.conversation.kind, reading.conversation.ref
            draft.trust = origin
            draft.at = reading.conversation.at if draft.at is None else draft.at
        _add(store.acting_as(Actor(store.actor.agent, origin)), drafts, done, dry_run=dry_run)
        if not dry_run:
            _save_promises(store, reading, turns, origin)
            reading.commit()
            known |= dict.fromkeys(draft.entity for draft in drafts)
        done.turns += len(turns)
        ref = reading.conversation.ref
        done.conversations[ref] = done.conversations.get(ref, 0) + len(drafts)
        tell(done.turns)
    return done


def _is_preference(draft: FactDraft, operator: str) -> bool:
    """Whether a fact is a preference of the operator, which reflection keeps as such, and withdraws
    when it is taken back."""
    own = draft.entity in (OPERATOR_ENTITY, operator)
    return own and _PREFERS.search(draft.content) is not None


def _save_promises(
    store: Store, reading: SourceReading, turns: Sequence[Turn], origin: str
) -> None:
    """Save what the operator promised with a date as commitments, each once."""
    promises = [promise for turn in turns for promise in find_promises(turn)]
    if not promises:
        return
    acting = store.acting_as(Actor(store.actor.agent, origin))
    if cwd := reading.conversation.cwd:  # a promise belongs to the session's own project
        acting.project = store.device.sources.find_project(cwd)
    known = {one.entry.title for one in list_commitments(store, all_projects=True)}
    for promise in promises:
        if promise.text not in known:
            save(
                acting,
                SaveRequest(
                    promise.text,
                    title=promise.text,
                    kind=COMMITMENT,
                    project=reading.source.project or None,
                    due=promise.due,
                    created=promise.at,
                    source=reading.conversation.kind,
                    ref=reading.conversation.ref,
                    op="learn",
                ),
            )


def _without_secrets(
    store: Store, drafts: Iterable[FactDraft], done: Extracted
) -> Iterator[FactDraft]:
    """Yield the drafts without a secret. The others are refused: a redacted fact says nothing."""
    redaction = Redaction(store)
    for draft in drafts:
        if redaction.finds((draft.entity, draft.content, *(draft.edge or ()))):
            done.outcomes[REFUSED] += 1
            done.refused["a secret stands in it"] += 1
        else:
            yield draft


def trust_of(reading: SourceReading) -> str:
    """Return the origin of what a reading says."""
    if reading.format in HOSTS and reading.source.trust != "operator":
        return "agent"
    return reading.source.trust


def _add(store: Store, drafts: Sequence[FactDraft], done: Extracted, *, dry_run: bool) -> None:
    outcomes: Sequence[FactOutcome | None] = [None] * len(drafts)
    if dry_run:
        done.outcomes["found"] += len(drafts)
    elif drafts:
        outcomes = add_facts(store, drafts, reason="extracted")
    for draft, outcome in zip(drafts, outcomes, strict=True):
        if outcome is not None:
            done.outcomes[outcome.outcome] += 1
            if outcome.outcome == REFUSED:
                done.refused[outcome.reason] += 1
        if len(done.drawn) < _MOST_KEPT:
            done.drawn.append(Drawn(draft, outcome))


def _named(turns: Sequence[Turn], operator: str) -> list[Turn]:
    """Return the turns, those of the operator under their name if that is set."""
    return [
        Turn(operator, turn.role, turn.text, turn.at, turn.key)
        if operator and turn.role == OPERATOR and not turn.speaker
        else turn
        for turn in turns
    ]


def _met(known: Iterable[str], turns: Sequence[Turn]) -> list[str]:
    text = fold("\n".join(f"{turn.speaker}\n{turn.text}" for turn in turns))
    return list(islice((name for name in known if name and fold(name) in text), _MOST_KNOWN))
