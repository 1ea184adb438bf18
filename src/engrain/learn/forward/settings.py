"""What the operator set about forward learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engrain.engine.core import metering
from engrain.model.errors import ConfigError

FORM = "learn.form"
_RELEVANCE, _LIMIT = "learn.relevance", "learn.limit"
_DEFAULTS = {_RELEVANCE: "0.6", _LIMIT: "5"}


@dataclass(slots=True, eq=False)
class Bounds:
    """The bounds of what is brought: the least relevance, and the most candidates of a source and
    of a run."""

    relevance: float = 0.6
    source: int = 5
    run: int = 20


def read_bounds(settings: Mapping[str, str | None], limit: int | None = None) -> Bounds:
    """The bounds that are set; `limit` is what one run is to bring at most. Raises ConfigError."""
    values = {name: settings.get(name) or default for name, default in _DEFAULTS.items()}
    try:
        relevance = float(values[_RELEVANCE])
    except ValueError:
        relevance = -1.0
    if not 0 <= relevance <= 1:
        raise ConfigError(f"{_RELEVANCE} is {values[_RELEVANCE][:40]!r}, not a number from 0 to 1")
    if not (values[_LIMIT].isascii() and values[_LIMIT].isdigit() and len(values[_LIMIT]) < 6):
        raise ConfigError(f"{_LIMIT} is {values[_LIMIT][:40]!r}, not a whole number from 0 up")
    source = int(values[_LIMIT])
    return (
        Bounds(relevance, source, 4 * source) if limit is None else Bounds(relevance, limit, limit)
    )


def check_learning(settings: Mapping[str, str | None]) -> None:
    """Check the settings of forward learning. Raises ConfigError."""
    read_bounds(settings)
    wants_model(settings)


def wants_model(settings: Mapping[str, str | None]) -> bool:
    """Whether a language model is to answer a question, where one is set. Raises ConfigError."""
    return metering.wants_model(settings, FORM)
