"""Reads the settings of the lifecycle (DESIGN section 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engrain.engine.core.metering import read_cap, wants_model
from engrain.model.errors import ConfigError
from engrain.model.note.strength import DecayRule
from engrain.model.settings import read_choice, read_count, read_number, read_session_limit

AUTO = "auto"
STAGE = "stage"
OFF, ON = "off", "on"


@dataclass(frozen=True, slots=True)
class HeatRule:
    """The conditions of heat: over the last `window` sessions of its scope, an entry with at least
    `hits` is hot and one with fewer than `cold` is cold. `floor` promoted entries stay promoted in
    any case; the promoted entries of one session have at most `tokens` tokens together."""

    window: int
    hits: int
    cold: int
    floor: int
    tokens: int


def read_decay_rule(settings: Mapping[str, str | None]) -> DecayRule:
    """Read the rule of decay. Raises ConfigError."""
    return DecayRule(
        read_count(settings, "decay.sessions"),
        read_number(settings, "decay.weight", most=1.0),
        read_count(settings, "decay.recalls"),
        read_number(settings, "decay.min_days"),
    )


def read_heat_rule(settings: Mapping[str, str | None]) -> HeatRule:
    """Read the rule of heat. Raises ConfigError."""
    rule = HeatRule(
        *(
            read_count(settings, f"heat.{name}")
            for name in ("window", "hits", "cold", "floor", "tokens")
        )
    )
    if rule.cold >= rule.hits:
        raise ConfigError(
            f"heat.cold {rule.cold} is not under heat.hits {rule.hits}: entries would flap",
            remedy="set heat.cold lower",
        )
    return rule


def check_policy(settings: Mapping[str, str | None]) -> None:
    """Check every setting that a job reads. Raises ConfigError."""
    for read in (
        read_decay_rule, read_heat_rule, archives_by_itself, read_session_limit, staging_days,
        inbox_days, episode_days, consolidation_seconds, least_confidence,
        synthesis_days, truncation_seconds, dream_days, dream_limit, learned_parts, read_cap,
        wants_model,
    ):  # fmt: skip
        read(settings)


def archives_by_itself(settings: Mapping[str, str | None]) -> bool:
    """Whether the agent's own faded entries are archived without a proposal. Raises ConfigError."""
    return read_choice(settings, "archive.t3", AUTO, STAGE) == AUTO


def staging_days(settings: Mapping[str, str | None]) -> float:
    """Return the days after which a proposal expires. Raises ConfigError."""
    return read_number(settings, "staging.days")


def inbox_days(settings: Mapping[str, str | None]) -> float:
    """Return the days after which an unconfirmed inbox entry is archived. Raises ConfigError."""
    return read_number(settings, "inbox.days")


def episode_days(settings: Mapping[str, str | None]) -> tuple[float, float]:
    """Return the days for which an episode is kept in full, and those after which an episode that
    nothing refers to is archived. Raises ConfigError."""
    full = read_number(settings, "episodes.full_days")
    summary = read_number(settings, "episodes.summary_days")
    if summary < full:
        raise ConfigError(
            f"episodes.summary_days {summary:g} is under episodes.full_days {full:g}",
            remedy="set episodes.summary_days higher",
        )
    return full, summary


def consolidation_seconds(settings: Mapping[str, str | None]) -> float:
    """Return for how many seconds episodes are clustered again even if a pattern refers to them.
    Raises ConfigError."""
    return 3600 * read_number(settings, "consolidate.hours")


def least_confidence(settings: Mapping[str, str | None]) -> float:
    """Return the least confidence of a pattern that is kept. Raises ConfigError."""
    return read_number(settings, "consolidate.confidence", most=1.0)


def synthesis_days(settings: Mapping[str, str | None]) -> int:
    """Return the days from one synthesis to the next. Raises ConfigError."""
    return _at_least(1, settings, "synthesis.days")


def truncation_seconds(settings: Mapping[str, str | None]) -> float:
    """Return the seconds after which a historical fact is shortened. Raises ConfigError."""
    return 86_400 * read_number(settings, "synthesis.truncate_days")


def dream_days(settings: Mapping[str, str | None]) -> int:
    """Return the days from one dream to the next. Raises ConfigError."""
    return _at_least(1, settings, "dream.days")


def dream_limit(settings: Mapping[str, str | None]) -> int:
    """Return the most findings of each kind that a dream proposes. Raises ConfigError."""
    return read_count(settings, "dream.limit")


def learned_parts(settings: Mapping[str, str | None]) -> frozenset[str]:
    """Return which of `episodes`, `statements`, `facts` and `daily` are learned from transcripts,
    none unless the operator has agreed. Raises ConfigError."""
    parts = {name for name in ("episodes", "facts", "daily") if _is_on(settings, name)}
    if settings.get("reflect.form") != OFF:
        parts.add("statements")
    return frozenset(parts if _is_on(settings, "learn") else ())


def _is_on(settings: Mapping[str, str | None], name: str) -> bool:
    return read_choice(settings, f"transcripts.{name}", OFF, ON) == ON


def _at_least(least: int, settings: Mapping[str, str | None], name: str) -> int:
    number = read_count(settings, name)
    if number < least:
        raise ConfigError(f"{name} is {number}, and the least is {least}")
    return number
