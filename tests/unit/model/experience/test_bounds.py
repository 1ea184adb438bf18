"""How large an episode may be, and what is kept of one that is larger (S2.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain.model.experience.episode import is_failure
from engrain.model.experience.reading import MOST_ACTIONS, MOST_BYTES, is_large, read_episode
from unit.model.experience.test_reading import NOW, SEED, with_log

MANY = 200_000


def long_log(count: int) -> list[dict[str, Any]]:
    return [
        {"t": n, "action": "run", **({"result": "fail"} if n in (400, 700) else {})}
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [MOST_ACTIONS, MOST_ACTIONS - 1, 150])
def test_a_log_within_the_bound_is_kept_whole(count: int) -> None:
    reading = read_episode(with_log(long_log(count)), NOW)
    assert reading.document["action_log"] == long_log(count)
    assert reading.omitted == {}


@pytest.mark.parametrize("streamed", [False, True])
def test_of_a_long_log_the_ends_and_the_failures_with_what_followed_are_kept(
    streamed: bool,
) -> None:
    log = long_log(1000)
    reading = read_episode(with_log(iter(log) if streamed else log), NOW)
    kept = [action["t"] for action in reading.document["action_log"]]
    assert kept == [*range(100), 400, 401, 700, 701, *range(800, 1000)]
    assert reading.omitted == {"actions": 1000 - len(kept)}


def test_very_many_failing_actions_are_bounded_and_counted() -> None:
    log = ({"t": n, "action": "run", "error": f"e{n}"} for n in range(MANY))
    reading = read_episode(with_log(log), NOW)
    kept = reading.document["action_log"]
    assert len(kept) <= MOST_ACTIONS
    assert (kept[0]["t"], kept[-1]["t"]) == (0, MANY - 1)
    assert reading.omitted == {"actions": MANY - len(kept)}


def test_long_texts_are_cut_at_both_ends_kept_and_the_characters_counted() -> None:
    text = "begin" + "x" * 10_000 + "end"
    reading = read_episode(with_log([{"t": 0, "action": "run", "error": text}]), NOW)
    error = reading.document["action_log"][0]["error"]
    assert error.startswith("begin")
    assert error.endswith("end")
    assert reading.omitted == {"characters": len(text) - len(error) + len(" […] ")}


def test_an_episode_is_never_larger_than_a_note_may_be() -> None:
    huge = {
        **SEED,
        "context": {"goal": "g" * 50_000, "constraints": ["\x01" * 5000] * 5000},
        "action_log": [{"t": n, "action": "é" * 9999, "error": "\x01" * 9999} for n in range(600)],
        "errors_encountered": [{"type": "t", "message": "m" * 9999}] * 3000,
        "artifacts_produced": ["a" * 9999] * 3000,
    }
    reading = read_episode(huge, NOW)
    assert not is_large(reading.document)
    assert len(json.dumps(reading.document, indent=2, ensure_ascii=False).encode()) <= MOST_BYTES
    assert sorted(reading.omitted) == ["actions", "characters", "items"]
    assert any(is_failure(action) for action in reading.document["action_log"])
