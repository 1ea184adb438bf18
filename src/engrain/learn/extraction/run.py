"""One extraction: what was said in some conversations, by the extractor that is asked for, through
the validated path into the facts of those it is about (S4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from engrain.engine.core.metering import wants_model
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.entities.facts import REFUSED, FactOutcome, add_facts
from engrain.engine.entities.resolution import list_entities
from engrain.engine.verbs.commitments import list_commitments
from engrain.engine.verbs.save import save
from engrain.language.text.folding import fold
from engrain.learn.extraction import question
from engrain.learn.extraction.rules import RulesExtractor
from engrain.learn.extraction.work import find_promises
from engrain.learn.sources.formats import HOSTS
from engrain.learn.sources.reading import SourceReading
from engrain.model.errors import ConfigError, EngrainError, UsageError
from engrain.model.facts.entity import OPERATOR_NAME
from engrain.model.facts.fact import OPERATOR, FactDraft, Turn
from engrain.model.note.tiers import COMMITMENT
from engrain.seam.llm import LLM as Model
from engrain.seam.llm import Broken, Extractor

PURPOSE = "extract"
"""The purpose under which its tokens are counted."""
UNANSWERED = "unanswered"
_PATIENCE = 2
"""After so many questions in a row without an answer the server is left alone."""


class ModelExtractor(Extractor):
    """Asks `llm` of each batch of turns, once more where its answer is of no use, and has the
    `rules` read what it can't; without one all of it.

    `lost` counts what it said that was not kept, by reason; `by_model` and `by_rules` count the
    batches that each form read, and `trouble` says why the last one was left to the rules.
    """

    def __init__(
        self, llm: Model | None, rules: Extractor, entropy: Callable[[int], bytes]
    ) -> None:
        self._llm = llm
        self._rules = rules
        self._entropy = entropy
        self._unanswered = 0
        self.by_model = 0
        self.by_rules = 0
        self.lost: dict[str, int] = {}
        self.trouble = "" if llm else "no language model is set (llm_url, llm_model)"

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the form that ran: `llm:` and the model, `rules`, or both."""
        if self._llm is None or (self.by_rules and not self.by_model):
            return self._rules.name
        ran = f"llm:{self._llm.name}"
        return f"{ran}+{self._rules.name}" if self.by_rules else ran

    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
        if self._llm is None:
            return self._rules.extract(turns, people)
        found: list[FactDraft] = []
        for batch in question.make_batches(turns):
            if not batch.tells:
                continue
            drafts = self._ask(self._llm, batch, people)
            if drafts is None:
                self.by_rules += 1
                drafts = self._rules.extract(batch.turns, people)
            else:
                self.by_model += 1
            found += drafts
        return found

    def _ask(
        self, llm: Model, batch: question.TurnBatch, people: Sequence[str]
    ) -> list[FactDraft] | None:
        """Return what the model finds in a batch; None if it is of no help."""
        if self._unanswered >= _PATIENCE:
            return None
        try:
            found = question.QUESTION.ask(
                llm,
                self._entropy,
                question.list_lines(batch, people),
                lambda text: question.read_answer(text, batch, self.lost),
                tries=2,
                note=self._note_useless,
                most=question.MOST_FACTS,
            )
        except Broken as error:
            self.trouble = f"the model's answer is of no use: {error}"
            return None
        except EngrainError as error:
            self._unanswered += 1
            self.lost[UNANSWERED] = self.lost.get(UNANSWERED, 0) + 1
            self.trouble = error.message
            return None
        self._unanswered = 0
        return found

    def _note_useless(self, reason: str) -> None:
        self._unanswered = 0
        self.lost[reason] = self.lost.get(reason, 0) + 1


RULES, LLM = "rules", "llm"
FORMS = (RULES, LLM)

_BATCH = 100
"""Turns that an extractor is given at once."""
_MOST_KEPT = 1_000
"""Facts that are reported one by one."""
_MOST_KNOWN = 200


@dataclass(slots=True, eq=False)
class Drawn:
    """A fact that was drawn: its draft, and its outcome, None if nothing was written."""

    draft: FactDraft
    outcome: FactOutcome | None


@dataclass(slots=True, eq=False)
class Extracted:
    """The result of an extraction: how many facts by `outcomes` (of a dry run `found`), the first
    of them one by one, why some were refused, how many turns of how many conversations were read,
    which `form` ran and what of a model's answers was `lost`."""

    outcomes: Counter[str] = field(default_factory=Counter)
    drawn: list[Drawn] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    conversations: dict[str, int] = field(default_factory=dict)
    turns: int = 0
    form: str = ""
    lost: dict[str, int] = field(default_factory=dict)
    trouble: str = ""


def make_extractor(store: Store, form: str | None = None) -> Extractor:
    """Return the extractor of a form; without one that of the setting `extract.form`. Raises
    ConfigError if the form takes a model and none is configured, or for a setting that is wrong,
    UsageError for an unknown form."""
    rules = RulesExtractor()
    if form == RULES or (form is None and not wants_model(store.settings)):
        return rules
    if form not in (None, *FORMS):
        raise UsageError(f"no form {form[:40]!r}", remedy="one of " + ", ".join(FORMS))
    llm = store.models.llm(PURPOSE)
    if llm is None and form is not None:
        raise ConfigError(
            "no language model is configured",
            remedy="set llm_url and llm_model, or take --form rules",
        )
    return ModelExtractor(llm, rules, store.entropy.draw)


def extract(
    store: Store,
    readings: Iterable[SourceReading],
    extractor: Extractor,
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
            drafts += extractor.extract(batch, _met(known, batch))
        origin = trust or trust_of(reading)
        drafts = list(_without_secrets(store, drafts, done))
        for draft in drafts:
            draft.source, draft.ref = reading.conversation.kind, reading.conversation.ref
            draft.trust = origin
            draft.at = reading.conversation.at if draft.at is None else draft.at
        _add(store.acting_as(Actor(store.actor.agent, origin)), drafts, done, dry_run=dry_run)
        if not dry_run:
            _keep_promises(store, reading, turns, origin)
            reading.commit()
            known |= dict.fromkeys(draft.entity for draft in drafts)
        done.turns += len(turns)
        ref = reading.conversation.ref
        done.conversations[ref] = done.conversations.get(ref, 0) + len(drafts)
        tell(done.turns)
    done.form = extractor.name
    done.lost = dict(getattr(extractor, "lost", {}))
    done.trouble = getattr(extractor, "trouble", "")
    return done


def _keep_promises(
    store: Store, reading: SourceReading, turns: Sequence[Turn], origin: str
) -> None:
    """Save what the operator promised with a date as commitments, each once."""
    promises = [promise for turn in turns for promise in find_promises(turn)]
    if not promises:
        return
    acting = store.acting_as(Actor(store.actor.agent, origin))
    known = {one.entry.title for one in list_commitments(store, all_projects=True)}
    for promise in promises:
        if promise.text not in known:
            save(
                acting,
                promise.text,
                title=promise.text,
                kind=COMMITMENT,
                project=reading.source.project or None,
                due=promise.due,
                created=promise.at,
                source=reading.conversation.kind,
                ref=reading.conversation.ref,
                op="learn",
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
