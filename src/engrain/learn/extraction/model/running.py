"""Facts found by a language model, where one is configured (S4.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engrain.engine.core.metering import wants_model
from engrain.engine.core.store import Store
from engrain.learn.extraction.model.answer import read_answer
from engrain.learn.extraction.model.question import (
    MOST_FACTS,
    QUESTION,
    Batch,
    list_lines,
    make_batches,
)
from engrain.model.errors import EngrainError
from engrain.model.facts.fact import FactDraft
from engrain.model.facts.turns import Turn
from engrain.seam.extractor import Extractor
from engrain.seam.llm import LLM
from engrain.seam.questions import Broken

PURPOSE = "extract"
"""What its tokens are counted under."""
UNANSWERED = "unanswered"
_PATIENCE = 2
"""After so many questions in a row without an answer the server is left alone."""


class ModelExtractor(Extractor):
    """Asks `llm` of each batch of turns, once more where its answer is of no use, and has the
    `rules` read what it can't; without one all of it.

    `lost` counts what it said that was not kept, by reason; `by_model` and `by_rules` count the
    batches that each form read, and `trouble` says why the last one was left to the rules.
    """

    def __init__(self, llm: LLM | None, rules: Extractor, entropy: Callable[[int], bytes]) -> None:
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
        """The form that ran: `llm:` and the model, `rules`, or both."""
        if self._llm is None or (self.by_rules and not self.by_model):
            return self._rules.name
        ran = f"llm:{self._llm.name}"
        return f"{ran}+{self._rules.name}" if self.by_rules else ran

    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
        if self._llm is None:
            return self._rules.extract(turns, people)
        found: list[FactDraft] = []
        for batch in make_batches(turns):
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

    def _ask(self, llm: LLM, batch: Batch, people: Sequence[str]) -> list[FactDraft] | None:
        """What the model finds in a batch; None where it is of no help."""
        if self._unanswered >= _PATIENCE:
            return None
        try:
            found = QUESTION.ask(
                llm,
                self._entropy,
                list_lines(batch, people),
                lambda text: read_answer(text, batch, self.lost),
                tries=2,
                note=self._note_useless,
                most=MOST_FACTS,
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


def choose_extractor(store: Store, rules: Extractor) -> Extractor:
    """The extractor by the setting `extract.form`. Raises ConfigError for a form, a cap or a
    dialect that is none."""
    if not wants_model(store.settings):
        return rules
    return ModelExtractor(store.llm(PURPOSE), rules, store.entropy.draw)
