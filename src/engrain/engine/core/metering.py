"""Counts the tokens that language models use, and stops asking at the cap (S4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engrain.language.text.instants import format_instant
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ModelError
from engrain.model.note.strength import DAY
from engrain.model.settings import read_count
from engrain.seam.clock import Clock
from engrain.seam.llm import LLM, Completion
from engrain.state.local_state import LocalState, Spend

CAP_TOKENS = "llm.cap_tokens"


def read_cap(settings: Mapping[str, str | None]) -> int:
    """Return the most tokens that may be used per day (UTC). Raises ConfigError."""
    return read_count(settings, CAP_TOKENS, digits=15)


class Metered(LLM):
    """A language model whose tokens are counted on this device under a purpose. At the cap it is
    no longer asked, and `complete` raises ModelError until the day is over.

    A question is counted before it is asked, at the most that it may cost, and corrected
    afterwards. So several processes together keep to the cap, and a killed one hides no cost.
    """

    def __init__(
        self, llm: LLM, purpose: str, local: Callable[[], LocalState], clock: Clock, cap: int
    ) -> None:
        self.name = llm.name
        self._llm = llm
        self._purpose = purpose
        self._local = local
        self._clock = clock
        self._cap = cap

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        asked = estimate_tokens(system) + estimate_tokens(text)
        number = self._reserve(asked, most_tokens)
        try:
            done = self._llm.complete(system, text, schema=schema, most_tokens=most_tokens)
        except ModelError as error:
            if error.spent is not None:
                self._local().correct_spend(number, *error.spent)
            raise
        self._local().correct_spend(number, done.taken, done.given)
        return done

    def _reserve(self, taken: int, given: int) -> int:
        at = self._clock.now()
        today = at - at % DAY
        number = self._local().add_spend(Spend(self._purpose, self.name, taken, given, at))
        spends = self._local().spent_since(today)
        used = sum(spend.taken + spend.given for spend in spends if spend.at < today + DAY)
        if used > self._cap:
            self._local().correct_spend(number, 0, 0)
            raise ModelError(
                f"the cap of {self._cap} tokens a day ({CAP_TOKENS}) is reached until"
                f" {format_instant(today + DAY)}",
                remedy="set it higher, or wait: work that needs no model goes on",
            )
        return number
