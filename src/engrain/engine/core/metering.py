"""Counts the tokens that language models use, and stops asking at the cap (S4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.language.text.instants import format_instant
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ConfigError, ModelError
from engrain.model.note.strength import DAY
from engrain.model.settings import read_count, read_number
from engrain.seam.clock import Clock
from engrain.seam.llm import LLM, Completion
from engrain.seam.local_state import LocalState, Spend

CAP_TOKENS = "llm.cap_tokens"
CAP_USD = "llm.cap_usd"
PRICE_IN = "llm.price_in"
PRICE_OUT = "llm.price_out"

_PRICED = 1_000_000
"""The number of tokens that a price is for."""


@dataclass(slots=True, eq=False)
class Prices:
    """Prices in US dollars of a million tokens that a model reads, and of a million it writes."""

    taken: float
    given: float

    def cost(self, taken: int, given: int) -> float:
        """Return the price in US dollars."""
        return (taken * self.taken + given * self.given) / _PRICED


@dataclass(slots=True, eq=False)
class Cap:
    """The most that may be spent per day (UTC): tokens, and dollars if prices are known."""

    tokens: int
    usd: float | None
    prices: Prices | None

    def exceeded(self, spends: Sequence[Spend]) -> str:
        """Return in words the cap that these spends exceed together, "" if none."""
        taken = sum(spend.taken for spend in spends)
        given = sum(spend.given for spend in spends)
        if taken + given > self.tokens:
            return f"{self.tokens} tokens a day ({CAP_TOKENS})"
        if self.usd is not None and self.prices and self.prices.cost(taken, given) > self.usd:
            return f"{self.usd:g} US dollars a day ({CAP_USD})"
        return ""


def read_prices(settings: Mapping[str, str | None]) -> Prices | None:
    """Return the configured prices, None if one is missing. Raises ConfigError."""
    taken, given = (_amount(settings, name) for name in (PRICE_IN, PRICE_OUT))
    return None if taken is None or given is None else Prices(taken, given)


def read_cap(settings: Mapping[str, str | None]) -> Cap:
    """Return the configured cap. Raises ConfigError."""
    tokens = read_count(settings, CAP_TOKENS, digits=15)
    usd, prices = _amount(settings, CAP_USD), read_prices(settings)
    if usd is not None and prices is None:
        raise ConfigError(
            f"{CAP_USD} is set, and what tokens cost is not",
            remedy=f"set {PRICE_IN} and {PRICE_OUT}, in US dollars for a million tokens",
        )
    return Cap(tokens, usd, prices)


class Metered(LLM):
    """A language model whose tokens are counted on this device under a purpose. At the cap it is
    no longer asked, and `complete` raises ModelError until the day is over.

    A question is counted before it is asked, at the most that it may cost, and corrected
    afterwards. So several processes together keep to the cap, and a killed one hides no cost.
    """

    def __init__(
        self, llm: LLM, purpose: str, local: Callable[[], LocalState], clock: Clock, cap: Cap
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
        if cap := self._cap.exceeded([spend for spend in spends if spend.at < today + DAY]):
            self._local().correct_spend(number, 0, 0)
            raise ModelError(
                f"the cap of {cap} is reached until {format_instant(today + DAY)}",
                remedy="set it higher, or wait: work that needs no model goes on",
            )
        return number


def _amount(settings: Mapping[str, str | None], name: str) -> float | None:
    """Return an amount of dollars, None if it is not set. Raises ConfigError."""
    return read_number(settings, name) if settings.get(name) else None
