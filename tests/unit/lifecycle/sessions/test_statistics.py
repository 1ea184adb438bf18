"""Statistics: what tasks cost, how they went, and what of the memory was of use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engrain import Memory, UsageError
from engrain.engine.verbs.records import compose_record, save_record
from engrain.language.text.instants import format_instant
from engrain.lifecycle.policy import check_policy
from engrain.lifecycle.sessions.statistics import Attempt, Cost, read_attempt
from engrain.model.errors import ConfigError, ModelError
from engrain.seam.llm import LLM
from support.model_server import GIVEN, TAKEN, ModelServer, model_server
from support.vaults import FakeClock
from unit.lifecycle.sessions.living import DAY, live_through, store_of


def leave_episode(
    memory: Memory,
    id_: str,
    at: float,
    *,
    metrics: dict[str, Any] | None = None,
    project: str | None = None,
    **document: Any,
) -> None:
    """The trace of a task, as the engine files it."""
    stamp = format_instant(at)
    whole = {"id": id_, "timestamp": stamp, "context": {"goal": id_}, **document}
    store = store_of(memory)
    extra = {"metrics": metrics} if metrics else None
    note = compose_record(store, "episode", whole, project=project, extra=extra)
    save_record(store, f"Memory/episodic/{stamp[:10]}/{id_}.json", note)


ATTEMPTS = [
    Attempt("t1", 2.0, seconds=20, outcome="success", tokens=7, errors=2, resolved=1),
    Attempt("t1", 1.0, seconds=10, outcome="failure", retries=3),
    Attempt("t2", 3.0, seconds=30, outcome="partial"),
    Attempt("t3", 4.0, seconds=60, outcome="unknown"),
]


def test_a_task_is_what_its_attempts_came_to() -> None:
    cost = Cost(ATTEMPTS)
    assert (cost.tasks, cost.outcomes) == (3, {"partial": 1, "success": 1, "unknown": 1})
    assert (cost.seconds, cost.seconds_median) == (120, 30)
    assert (cost.retries, cost.tokens, cost.errors) == (1 + 3, 7, 2)
    assert (cost.success_rate, cost.recovery_rate) == (0.5, 0.5)


def test_of_nothing_nothing_is_known() -> None:
    cost = Cost([])
    assert (cost.tasks, cost.seconds, cost.retries) == (0, 0, 0)
    assert (cost.success_rate, cost.seconds_median, cost.recovery_rate) == (None,) * 3


def test_an_episode_tells_its_cost() -> None:
    attempt = read_attempt(
        {
            "task_id": "task-042", "agent": "eng", "duration_seconds": 342, "outcome": "success",
            "errors_encountered": [{"message": "x", "resolution": "y"}, {"message": "z"}, "?"],
        },
        {"retries": 2, "tokens": 900},
        5.0,
    )  # fmt: skip
    assert (attempt.task, attempt.seconds) == ("task-042", 342)
    assert (attempt.retries, attempt.tokens) == (2, 900)
    assert (attempt.errors, attempt.resolved) == (2, 1)


@pytest.mark.parametrize(
    "wrong", [None, "long", True, -5, float("nan"), float("inf"), [], {"a": 1}], ids=repr
)
def test_a_value_of_the_wrong_form_counts_as_none(wrong: object) -> None:
    document = {"task_id": wrong, "duration_seconds": wrong, "errors_encountered": wrong}
    attempt = read_attempt(document, {"retries": wrong, "tokens": wrong}, 5.0, "by-its-id")
    assert attempt.task == (wrong if wrong == "long" else "by-its-id")
    assert (attempt.seconds, attempt.retries, attempt.tokens, attempt.errors) == (0, 0, 0, 0)
    assert Cost([read_attempt({}, wrong, 5.0, "x")]).retries == 0


def test_of_an_empty_memory_nothing_is_known(memory: Memory) -> None:
    found = memory.episodes.statistics()
    assert (found.days, found.cost.tasks, found.cost.success_rate) == (7, 0, None)
    assert (found.access.entries, found.access.sessions, found.access.never) == (0, 0, 0)


def test_the_episodes_of_the_days_tell_the_cost(memory: Memory, clock: FakeClock) -> None:
    leave_episode(
        memory, "e1", clock.at - DAY, task_id="t1", agent="eng", duration_seconds=60,
        outcome="failure", errors_encountered=[{"message": "x", "resolution": "y"}],
        metrics={"retries": 2, "tokens": 100},
    )  # fmt: skip
    leave_episode(
        memory, "e2", clock.at, task_id="t1", agent="qa", duration_seconds=30, outcome="success"
    )
    leave_episode(memory, "e3", clock.at, task_id="t2", agent="eng", outcome="failure")
    cost = memory.episodes.statistics().cost
    assert (cost.tasks, cost.outcomes) == (2, {"failure": 1, "success": 1})
    assert (cost.seconds, cost.retries, cost.tokens) == (90, 3, 100)
    assert cost.recovery_rate == 1.0


def test_the_days_roll(memory: Memory, clock: FakeClock) -> None:
    for number, days in enumerate((1, 6, 8, 13, 15)):
        leave_episode(memory, f"e{number}", clock.at - days * DAY, outcome="success")
    assert memory.episodes.statistics().cost.tasks == 2
    assert memory.episodes.statistics(days=14).cost.tasks == 4
    clock.at += 30 * DAY
    assert memory.episodes.statistics().cost.tasks == 0


@pytest.mark.parametrize("days", [0, -1, 100_000])
def test_a_time_that_is_none_is_refused(memory: Memory, days: int) -> None:
    with pytest.raises(UsageError):
        memory.episodes.statistics(days=days)


def test_other_projects_count_where_that_is_asked(memory: Memory, clock: FakeClock) -> None:
    leave_episode(memory, "e1", clock.at, outcome="success")
    leave_episode(memory, "e2", clock.at, outcome="success", project="elsewhere")
    assert memory.episodes.statistics().cost.tasks == 1
    assert memory.episodes.statistics(all_projects=True).cost.tasks == 2


def test_what_was_recalled_and_what_never_was_is_counted(memory: Memory, clock: FakeClock) -> None:
    often, once, _ = (
        memory.save(f"Text {name}.", title=name, kind="fix").id for name in ("A", "B", "C")
    )
    live_through(memory, "s1", [often, once])
    live_through(memory, "s2", [often])
    access = memory.episodes.statistics().access
    assert (access.entries, access.sessions, access.recalled, access.never) == (3, 2, 2, 1)
    clock.at += 8 * DAY
    access = memory.episodes.statistics().access
    assert (access.sessions, access.recalled, access.never) == (0, 0, 1)


def test_what_a_session_used_is_told_apart(memory: Memory) -> None:
    used, recalled = (memory.save(f"Text {n}.", title=n, kind="fix").id for n in "AB")
    store = store_of(memory)
    store.device.local.end_session(
        "s1", "", store.clock.now(), [used, recalled, "gone"], [used, "gone"]
    )
    access = memory.episodes.statistics().access
    assert (access.recalled, access.used) == (2, 1)


def test_nothing_in_the_vault_is_written(memory: Memory, clock: FakeClock) -> None:
    leave_episode(memory, "e1", clock.at, outcome="success")
    before = len(memory.history())
    memory.episodes.statistics()
    assert len(memory.history()) == before


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


def llm_of(memory: Memory, purpose: str) -> LLM:
    llm = store_of(memory).models.llm(purpose)
    assert llm is not None
    return llm


def ask(memory: Memory, purpose: str) -> None:
    llm_of(memory, purpose).complete("Find facts.", "m\nnone\nm", most_tokens=50)


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, server: ModelServer, memory: Memory) -> None:
    server.forget()
    monkeypatch.setenv("ENGRAIN_LLM_URL", server.url)
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "good")


def test_without_an_address_and_a_model_there_is_none(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store_of(memory).models.llm("extract") is None
    monkeypatch.setenv("ENGRAIN_LLM_URL", "http://127.0.0.1:9")
    assert store_of(memory).models.llm("extract") is None
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "m")
    assert store_of(memory).models.llm("extract") is not None


def test_what_was_spent_is_reported_by_purpose_and_model(
    configure: None, memory: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.episodes.statistics().spending == []
    ask(memory, "summary")
    for _ in range(2):
        ask(memory, "extract")
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "good/2")
    ask(memory, "extract")
    told = [
        (one.purpose, one.model, one.questions, one.taken, one.given)
        for one in memory.episodes.statistics().spending
    ]
    assert told == [
        ("extract", "good", 2, 2 * TAKEN, 2 * GIVEN),
        ("extract", "good/2", 1, TAKEN, GIVEN),
        ("summary", "good", 1, TAKEN, GIVEN),
    ]
    clock.at += 8 * DAY
    assert memory.episodes.statistics().spending == []


def test_the_server_is_asked_as_the_settings_say(
    configure: None, server: ModelServer, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_LLM_KEY_VARIABLE", "MY_KEY")
    monkeypatch.setenv("MY_KEY", "sesame")
    ask(memory, "extract")
    (asked,) = server.requests
    assert asked.headers["Authorization"] == "Bearer sesame"
    monkeypatch.setenv("ENGRAIN_LLM_CAP_TOKENS", "10")
    with pytest.raises(ModelError, match="the cap of 10 tokens"):
        ask(memory, "extract")
    # Nothing else is disturbed by that.
    assert memory.save("A text.").id


@pytest.mark.parametrize("settings", [{"llm.cap_tokens": "x"}, {"learn": "magic"}])
def test_a_setting_that_is_none_is_refused_when_it_is_set(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError):
        check_policy(settings)
