"""What the operator set about reflection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engrain.model.errors import ConfigError

FORM = "reflect.form"
RULES = "rules"
BY_MODEL = "llm"
OFF = "off"
TIMES = 3
"""Sessions in which what is likely was met before the operator is asked."""
_DEFAULTS = {"reflect.high": "0.8", "reflect.medium": "0.5"}


@dataclass(slots=True, eq=False)
class Bounds:
    """The lanes' bounds: from `high` on saved at once, from `medium` on proposed when it was met
    `times`."""

    high: float = 0.8
    medium: float = 0.5
    times: int = TIMES


def read_bounds(settings: Mapping[str, str | None]) -> Bounds:
    """Raises ConfigError."""
    high, medium = (_number(settings, name) for name in _DEFAULTS)
    if medium > high:
        raise ConfigError(
            f"reflect.medium {medium:g} is over reflect.high {high:g}",
            remedy="set reflect.medium lower",
        )
    return Bounds(high, medium)


def wants_model(settings: Mapping[str, str | None]) -> bool:
    """Whether a language model is to reflect, where one is set. Raises ConfigError."""
    return _read_form(settings) == BY_MODEL


def goes_unasked(settings: Mapping[str, str | None]) -> bool:
    """Whether the job reflects; else only the operator's own call does. Raises ConfigError."""
    return _read_form(settings) != OFF


def _read_form(settings: Mapping[str, str | None]) -> str:
    form = settings.get(FORM) or RULES
    if form not in (RULES, BY_MODEL, OFF):
        raise ConfigError(f"{FORM} is {form[:40]!r}, not {RULES}, {BY_MODEL} or {OFF}")
    return form


def _number(settings: Mapping[str, str | None], name: str) -> float:
    value = settings.get(name) or _DEFAULTS[name]
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigError(f"{name} is {value[:40]!r}, not a number from 0 to 1")
    return number
