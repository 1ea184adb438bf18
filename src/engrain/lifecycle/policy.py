"""Reads the settings of the lifecycle (DESIGN section 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engrain.engine.core.metering import read_cap
from engrain.model.errors import ConfigError
from engrain.model.note.strength import DecayRule
from engrain.model.settings import read_choice, read_count, read_number

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


_COUNTS = ("session.limit", "staging.weekly")
_NUMBERS = ("staging.days", "inbox.days")


def check_policy(settings: Mapping[str, str | None]) -> None:
    """Check every setting that a job reads. Raises ConfigError."""
    for read in (
        read_decay_rule, read_heat_rule, archives_by_itself, episode_days, learned_parts, read_cap,
        read_judge_rule,
    ):  # fmt: skip
        read(settings)
    for name in _COUNTS:
        read_count(settings, name)
    for name in _NUMBERS:
        read_number(settings, name)
    for name in ("synthesis.days", "dream.days"):
        check_interval(settings, name)
    read_number(settings, "consolidate.confidence", most=1.0)


def check_interval(settings: Mapping[str, str | None], name: str) -> None:
    """Check the days from one run of a job to the next. Raises ConfigError."""
    if read_count(settings, name) < 1:
        raise ConfigError(f"{name} is 0, and the least is 1")


def archives_by_itself(settings: Mapping[str, str | None]) -> bool:
    """Whether the agent's own faded entries are archived without a proposal. Raises ConfigError."""
    return read_choice(settings, "archive.t3", AUTO, STAGE) == AUTO


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


RULES, AGENT, MODEL, NO = "rules", "agent", "model", "no"
LEARN = "learn"


def read_learn(settings: Mapping[str, str | None]) -> str:
    """Return who judges what sessions teach: RULES, AGENT, MODEL, or NO for nobody. Raises
    ConfigError."""
    return read_choice(settings, LEARN, RULES, AGENT, MODEL, NO)


@dataclass(frozen=True, slots=True)
class JudgeRule:
    """What an agent or a model may judge on a day: `sessions` and `tokens`."""

    sessions: int
    tokens: int


def read_judge_rule(settings: Mapping[str, str | None]) -> JudgeRule:
    """Read the rule of judging. Raises ConfigError."""
    return JudgeRule(read_count(settings, "judge.sessions"), read_count(settings, "judge.tokens"))


def learned_parts(settings: Mapping[str, str | None]) -> frozenset[str]:
    """Return which of `episodes`, `statements`, `facts` and `daily` are learned from transcripts,
    none unless the operator has agreed. Raises ConfigError."""
    parts = {name for name in ("episodes", "facts", "daily") if _is_on(settings, name)}
    return frozenset({"statements", *parts} if read_learn(settings) != NO else ())


def _is_on(settings: Mapping[str, str | None], name: str) -> bool:
    return read_choice(settings, f"transcripts.{name}", OFF, ON) == ON
