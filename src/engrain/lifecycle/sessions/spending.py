"""What language models were asked for, by purpose and model (S4.10)."""

from __future__ import annotations

from engrain.engine.core.metering import read_prices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.core.store import Store


class Spending:
    """Of one purpose and model: how many questions, the tokens taken and given, and US dollars at
    the prices that are set now, None where none are."""

    __slots__ = ("given", "model", "purpose", "questions", "taken", "usd")

    def __init__(self, purpose: str, model: str) -> None:
        self.purpose = purpose
        self.model = model
        self.questions = 0
        self.taken = 0
        self.given = 0
        self.usd: float | None = None


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
