"""What the operator set about the life of memories, read from the settings (DESIGN section 10)."""

from __future__ import annotations

from engrain.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engrain.model.note.strength import DecayRule

AUTO = "auto"
STAGE = "stage"
RULES = "rules"
MODEL = "llm"
OFF, ON = "off", "on"
REVERSIBLE = "reversible"

_DEFAULTS = {
    "session.limit": "100",
    "decay.sessions": "7",
    "decay.weight": "0.6",
    "decay.recalls": "5",
    "decay.min_days": "30",
    "archive.t3": AUTO,
    "heat.window": "20",
    "heat.hits": "5",
    "heat.cold": "2",
    "heat.floor": "3",
    "heat.tokens": "400",
    "staging.days": "30",
    "inbox.days": "30",
    "episodes.full_days": "7",
    "episodes.summary_days": "30",
    "consolidate.hours": "24",
    "consolidate.confidence": "0.8",
    "skills.repeats": "3",
    "synthesis.days": "7",
    "synthesis.truncate_days": "182",
    "synthesis.form": RULES,
    "dream.days": "7",
    "dream.limit": "250",
    "dream.auto": OFF,
    "dream.auto_limit": "50",
    "crystallize.form": RULES,
    "crystallize.sessions": OFF,
    "transcripts.learn": OFF,
    "transcripts.episodes": ON,
    "transcripts.facts": ON,
    "transcripts.daily": ON,
}


class HeatRule:
    """Over the last `window` sessions of its scope an entry with `hits` is hot and one with fewer
    than `cold` is cold; `floor` promoted ones stay in any case, and all that one session gets
    have `tokens` at most."""

    __slots__ = ("cold", "floor", "hits", "tokens", "window")

    def __init__(self, window: int, hits: int, cold: int, floor: int, tokens: int) -> None:
        self.window = window
        self.hits = hits
        self.cold = cold
        self.floor = floor
        self.tokens = tokens


def read_decay_rule(settings: Mapping[str, str | None]) -> DecayRule:
    """Read the rule of decay. Raises ConfigError."""
    from engrain.model.note.strength import DecayRule  # which no hook needs

    return DecayRule(
        _count(settings, "decay.sessions"),
        _number(settings, "decay.weight", most=1.0),
        _count(settings, "decay.recalls"),
        _number(settings, "decay.min_days"),
    )


def read_heat_rule(settings: Mapping[str, str | None]) -> HeatRule:
    """Read the rule of heat. Raises ConfigError."""
    rule = HeatRule(
        *(
            _count(settings, f"heat.{name}")
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
    read_decay_rule(settings)
    read_heat_rule(settings)
    archives_by_itself(settings)
    session_limit(settings)
    staging_days(settings)
    inbox_days(settings)
    episode_days(settings)
    consolidation_seconds(settings)
    least_confidence(settings)
    skill_repeats(settings)
    dream_days(settings)
    dream_limit(settings)
    dreams_by_itself(settings)
    dream_auto_limit(settings)
    words_by_model(settings)
    crystallizes_by_model(settings)
    crystallizes_sessions(settings)
    learned_parts(settings)
    from engrain.engine.core.metering import read_cap, wants_model  # which no hook needs

    read_cap(settings)
    wants_model(settings)


def archives_by_itself(settings: Mapping[str, str | None]) -> bool:
    """Whether faded entries of the agent's own are archived at once, and not proposed. Raises
    ConfigError."""
    return _choose(settings, "archive.t3", AUTO, STAGE) == AUTO


def session_limit(settings: Mapping[str, str | None]) -> int:
    """Entries that one session is given at most (S3.9). Raises ConfigError."""
    return _count(settings, "session.limit")


def staging_days(settings: Mapping[str, str | None]) -> float:
    """Days after which a proposal expires. Raises ConfigError."""
    return _number(settings, "staging.days")


def inbox_days(settings: Mapping[str, str | None]) -> float:
    """Days after which what waits in the inbox and was not met is archived. Raises ConfigError."""
    return _number(settings, "inbox.days")


def episode_days(settings: Mapping[str, str | None]) -> tuple[float, float]:
    """Days for which an episode is kept in full, and for which it is kept at all where nothing
    refers to it. Raises ConfigError."""
    full = _number(settings, "episodes.full_days")
    summary = _number(settings, "episodes.summary_days")
    if summary < full:
        raise ConfigError(
            f"episodes.summary_days {summary:g} is under episodes.full_days {full:g}",
            remedy="set episodes.summary_days higher",
        )
    return full, summary


def consolidation_seconds(settings: Mapping[str, str | None]) -> float:
    """The seconds back to which episodes are looked at again although a pattern has them. Raises
    ConfigError."""
    return 3600 * _number(settings, "consolidate.hours")


def least_confidence(settings: Mapping[str, str | None]) -> float:
    """The confidence from which a pattern is kept. Raises ConfigError."""
    return _number(settings, "consolidate.confidence", most=1.0)


def skill_repeats(settings: Mapping[str, str | None]) -> int:
    """The number of tasks that must succeed alike before a skill is drafted. Raises ConfigError."""
    repeats = _count(settings, "skills.repeats")
    if repeats < 2:
        raise ConfigError(f"skills.repeats is {repeats}, and the least is 2")
    return repeats


def synthesis_days(settings: Mapping[str, str | None]) -> int:
    """Days from one synthesis to the next. Raises ConfigError."""
    days = _count(settings, "synthesis.days")
    if days < 1:
        raise ConfigError("synthesis.days is 0, and the least is 1")
    return days


def truncation_seconds(settings: Mapping[str, str | None]) -> float:
    """Seconds after which a fact that holds no longer is cut short. Raises ConfigError."""
    return 86_400 * _number(settings, "synthesis.truncate_days")


def dream_days(settings: Mapping[str, str | None]) -> int:
    """Days from one dream to the next. Raises ConfigError."""
    days = _count(settings, "dream.days")
    if days < 1:
        raise ConfigError("dream.days is 0, and the least is 1")
    return days


def dream_limit(settings: Mapping[str, str | None]) -> int:
    """Findings of each kind that a dream proposes at most. Raises ConfigError."""
    return _count(settings, "dream.limit")


def dreams_by_itself(settings: Mapping[str, str | None]) -> bool:
    """Whether a dream does by itself what can be taken back and loses nothing. Raises
    ConfigError."""
    return _choose(settings, "dream.auto", OFF, REVERSIBLE) == REVERSIBLE


def dream_auto_limit(settings: Mapping[str, str | None]) -> int:
    """Changes that a dream makes by itself at most. Raises ConfigError."""
    return _count(settings, "dream.auto_limit")


def words_by_model(settings: Mapping[str, str | None]) -> bool:
    """Whether a language model writes the summaries of entities. Raises ConfigError."""
    return _choose(settings, "synthesis.form", RULES, MODEL) == MODEL


def crystallizes_by_model(settings: Mapping[str, str | None]) -> bool:
    """Whether a language model chooses the lines of a digest. Raises ConfigError."""
    return _choose(settings, "crystallize.form", RULES, MODEL) == MODEL


def crystallizes_sessions(settings: Mapping[str, str | None]) -> bool:
    """Whether the job makes a digest of each session that ended, as of each phase. Raises
    ConfigError."""
    return _choose(settings, "crystallize.sessions", OFF, ON) == ON


def learned_parts(settings: Mapping[str, str | None]) -> frozenset[str]:
    """What is made of the transcripts of sessions: `episodes`, `statements`, `facts`, `daily`; none
    of them where the operator has not agreed. Raises ConfigError."""
    parts = {name for name in ("episodes", "facts", "daily") if _is_on(settings, name)}
    if settings.get("reflect.form") != OFF:
        parts.add("statements")
    return frozenset(parts if _is_on(settings, "learn") else ())


def _is_on(settings: Mapping[str, str | None], name: str) -> bool:
    return _choose(settings, f"transcripts.{name}", OFF, ON) == ON


def _value(settings: Mapping[str, str | None], name: str) -> str:
    return settings.get(name) or _DEFAULTS[name]


def _choose(settings: Mapping[str, str | None], name: str, *choices: str) -> str:
    value = _value(settings, name)
    if value not in choices:
        raise ConfigError(f"{name} is {value[:40]!r}, not {' or '.join(choices)}")
    return value


def _count(settings: Mapping[str, str | None], name: str) -> int:
    value = _value(settings, name)
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise ConfigError(f"{name} is {value[:40]!r}, not a whole number from 0 up")


def _number(settings: Mapping[str, str | None], name: str, most: float = 1e9) -> float:
    value = _value(settings, name)
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        upto = "up" if most > 1 else f"to {most:g}"
        raise ConfigError(f"{name} is {value[:40]!r}, not a number from 0 {upto}")
    return number
