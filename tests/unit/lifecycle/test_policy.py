"""What the operator set about the life of memories: defaults, and values that are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from engrain.lifecycle.policy import (
    archives_by_itself,
    check_policy,
    learned_parts,
    read_decay_rule,
    read_heat_rule,
)
from engrain.model.errors import ConfigError
from engrain.model.settings import KEYS, read_number, read_session_limit

READERS: dict[str, Callable[[Mapping[str, str | None]], object]] = {
    "decay.sessions": read_decay_rule,
    "decay.recalls": read_decay_rule,
    "decay.weight": read_decay_rule,
    "decay.min_days": read_decay_rule,
    "heat.window": read_heat_rule,
    "heat.hits": read_heat_rule,
    "heat.cold": read_heat_rule,
    "heat.floor": read_heat_rule,
    "heat.tokens": read_heat_rule,
    "session.limit": read_session_limit,
    "staging.days": lambda settings: read_number(settings, "staging.days"),
}
COUNTS = sorted({*READERS} - {"decay.weight", "decay.min_days", "staging.days"})


def told(settings: Mapping[str, str | None]) -> list[object]:
    decay, heat = read_decay_rule(settings), read_heat_rule(settings)
    return [
        decay.sessions, decay.weight, decay.recalls, decay.min_days,
        heat.window, heat.hits, heat.cold, heat.floor, heat.tokens,
        read_session_limit(settings), read_number(settings, "staging.days"),
        archives_by_itself(settings),
    ]  # fmt: skip


def test_nothing_set_is_the_rule_of_the_design() -> None:
    default = [7, 0.6, 5, 30.0, 20, 5, 2, 3, 400, 100, 30.0, True]
    assert told({}) == default
    assert told(dict.fromkeys(READERS)) == default
    assert told({name: key.default for name, key in KEYS.items()}) == default


def test_every_setting_is_read_under_its_own_name() -> None:
    settings = {
        "decay.sessions": "1", "decay.weight": "0.2", "decay.recalls": "3", "decay.min_days": "4.5",
        "heat.window": "5", "heat.hits": "7", "heat.cold": "6", "heat.floor": "8",
        "heat.tokens": "9", "session.limit": "0", "staging.days": "11", "archive.t3": "stage",
    }  # fmt: skip
    assert told(settings) == [1, 0.2, 3, 4.5, 5, 7, 6, 8, 9, 0, 11.0, False]


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", ["-1", "1.5", "many", " 3", "3 ", "1e3", "٣", "²", "9" * 10])
def test_what_is_no_whole_number_is_reported(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        READERS[name]({name: value})
    assert caught.value.message == f"{name} is {value!r}, not a whole number from 0 up"


@pytest.mark.parametrize("name", ["decay.weight", "decay.min_days", "staging.days"])
@pytest.mark.parametrize("value", ["-0.1", "nan", "inf", "-inf", "1e10", "half", "0x1", ",5"])
def test_what_is_no_number_is_reported(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        READERS[name]({name: value})
    upto = "to 1" if name == "decay.weight" else "up"
    assert caught.value.message == f"{name} is {value!r}, not a number from 0 {upto}"


def test_nothing_is_learned_before_the_operator_agrees_and_then_what_is_on() -> None:
    assert learned_parts({"learn": "no"}) == frozenset()
    agreed = {"learn": "rules", "transcripts.facts": "off"}
    assert learned_parts(agreed) == {"statements", "episodes", "daily"}


def test_no_weight_is_over_one() -> None:
    with pytest.raises(ConfigError):
        READERS["decay.weight"]({"decay.weight": "60"})


@pytest.mark.parametrize("name", sorted(READERS))
def test_an_endless_value_is_reported_in_short(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        READERS[name]({name: "x" * 10_000})
    assert len(caught.value.message) < 120


@pytest.mark.parametrize("value", ["Auto", "auto ", "on", "staged", "x" * 1000])
def test_what_fades_is_archived_or_proposed_and_nothing_else(value: str) -> None:
    assert archives_by_itself({"archive.t3": "auto"}) is True
    assert archives_by_itself({"archive.t3": "stage"}) is False
    with pytest.raises(ConfigError, match="not auto or stage") as caught:
        archives_by_itself({"archive.t3": value})
    assert len(caught.value.message) < 120


@pytest.mark.parametrize(("hits", "cold"), [("5", "5"), ("5", "9"), ("0", "0"), ("2", "2")])
def test_a_rule_under_which_entries_would_flap_is_refused(hits: str, cold: str) -> None:
    with pytest.raises(ConfigError, match="entries would flap") as caught:
        read_heat_rule({"heat.hits": hits, "heat.cold": cold})
    assert caught.value.remedy == "set heat.cold lower"


@pytest.mark.parametrize("name", ["archive.t3", "transcripts.facts"])
def test_a_choice_that_there_is_not_is_refused_before_any_job_runs(name: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name} is 'nonsense', not \w+ or \w+"):
        check_policy({name: "nonsense"})


@pytest.mark.parametrize(("name", "value"), [("synthesis.days", "0"), ("synthesis.days", "many")])
def test_a_span_of_the_synthesis_is_checked_before_any_job_runs(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        check_policy({name: value})
