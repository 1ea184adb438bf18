"""What language models were asked for, by purpose and model (S4.10)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engrain.engine.core.metering import read_prices
from engrain.engine.core.store import Store


@dataclass(slots=True, eq=False)
class Spending:
    """Of one purpose and model: how many questions, the tokens taken and given, and US dollars at
    the prices that are set now, None where none are."""

    purpose: str
    model: str
    questions: int = field(default=0, init=False)
    taken: int = field(default=0, init=False)
    given: int = field(default=0, init=False)
    usd: float | None = field(default=None, init=False)


def sum_spending(store: Store, since: float) -> list[Spending]:
    """What was spent on this device, the most first. Raises ConfigError."""
    prices = read_prices(store.settings)
    found: dict[tuple[str, str], Spending] = {}
    for spend in store.local.spent_since(since):
        key = (spend.purpose, spend.model)
        one = found.setdefault(key, Spending(*key))
        one.questions += 1
        one.taken += spend.taken
        one.given += spend.given
    for one in found.values():
        one.usd = prices.cost(one.taken, one.given) if prices else None
    return sorted(found.values(), key=lambda one: (-(one.taken + one.given), one.purpose))
