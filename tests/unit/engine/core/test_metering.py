"""What models cost is counted, and capped: a real server, a real file of this device."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.engine.core.metering import Metered, read_cap
from engrain.inference import posting
from engrain.inference.llm import ModelClient
from engrain.model.errors import ConfigError, ModelError
from engrain.model.note.strength import DAY
from engrain.state.local_state import LocalState
from support.model_server import GIVEN, TAKEN, ModelServer, model_server
from support.vaults import FakeClock

TODAY = 1_790_000_000.0 - 1_790_000_000.0 % DAY


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalState]:
    state = LocalState(str(tmp_path / "state"))
    yield state
    state.close()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)


def make(
    server: ModelServer, local: LocalState, clock: FakeClock, cue: str = "good", **cap: str
) -> Metered:
    client = ModelClient(server.url, cue, None, 0.3)
    settings = {f"llm.{name}": value for name, value in cap.items()}
    return Metered(client, "extract", lambda: local, clock, read_cap(settings))


def ask(llm: Metered) -> None:
    llm.complete("Find facts.", "m\nnone here\nm", most_tokens=50)


def spent(local: LocalState) -> list[tuple[str, str, int, int]]:
    return [(one.purpose, one.model, one.taken, one.given) for one in local.spent_since(0)]


def test_what_a_question_cost_is_kept_under_its_purpose(
    server: ModelServer, local: LocalState
) -> None:
    llm = make(server, local, FakeClock())
    assert llm.name == "good"
    ask(llm)
    ask(llm)
    assert spent(local) == [("extract", "good", TAKEN, GIVEN)] * 2


def test_beyond_the_cap_the_server_is_not_asked_before_the_next_day(
    server: ModelServer, local: LocalState
) -> None:
    clock = FakeClock(TODAY + 3600)
    llm = make(server, local, clock, cap_tokens="400")
    for _ in range(3):
        ask(llm)
    with pytest.raises(
        ModelError, match=r"the cap of 400 tokens a day .* until 2026-09-22T00:00:00Z"
    ) as caught:
        ask(llm)
    assert caught.value.remedy and not caught.value.answered
    assert len(server.requests) == len(spent(local)) == 3
    clock.at = TODAY + DAY
    ask(llm)
    assert len(server.requests) == 4
    # What a clock that was ahead has left is no debt of today.
    clock.at = TODAY + 7200
    with pytest.raises(ModelError, match="cap"):
        ask(llm)


def test_a_question_that_has_no_room_is_not_asked(server: ModelServer, local: LocalState) -> None:
    with pytest.raises(ModelError, match="cap"):
        ask(make(server, local, FakeClock(), cap_tokens="50"))
    with pytest.raises(ModelError, match="cap"):
        ask(make(server, local, FakeClock(), cap_tokens="0"))
    assert server.requests == [] and spent(local) == []


@pytest.mark.parametrize(
    ("cue", "kept"),
    [
        ("broken", []),  # refused: nothing was worked on
        ("nothing", [(TAKEN, GIVEN)]),  # answered, to no use
        ("garbage", [(9, 50)]),  # nobody can tell: the most that it may have cost
        ("slow", [(9, 50)]),
    ],
)
def test_what_failed_is_counted_at_what_it_may_have_cost(
    server: ModelServer, local: LocalState, cue: str, kept: list[tuple[int, int]]
) -> None:
    with pytest.raises(ModelError):
        ask(make(server, local, FakeClock(), cue))
    assert [(taken, given) for _, _, taken, given in spent(local)] == kept


ASKING = """
import sys
from engrain.engine.core.metering import Metered, read_cap
from engrain.inference.llm import ModelClient
from engrain.model.errors import ModelError
from engrain.state.local_state import LocalState
from support.vaults import FakeClock
local = LocalState(sys.argv[2])
client = ModelClient(sys.argv[1], "good", None)
cap = read_cap({"llm.cap_tokens": sys.argv[3]})
llm = Metered(client, "extract", lambda: local, FakeClock(step=0), cap)
for _ in range(4):
    try:
        llm.complete("Find facts.", "m\\nnone\\nm", most_tokens=50)
    except ModelError as error:
        assert "cap" in error.message, error.message
"""


def test_a_process_that_is_killed_while_it_asks_hides_nothing(
    server: ModelServer, local: LocalState, tmp_path: Path
) -> None:
    script = ASKING.replace('"good"', '"slow"')
    command = [sys.executable, "-c", script, server.url, str(tmp_path / "state"), "9999"]
    process = subprocess.Popen(command, env={"PYTHONPATH": ":".join(sys.path)})
    until = time.monotonic() + 20
    while not server.requests and time.monotonic() < until:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert spent(local) == [("extract", "slow", 8, 50)]


def test_several_processes_keep_to_the_cap_together(
    server: ModelServer, local: LocalState, tmp_path: Path
) -> None:
    cap = 10 * (TAKEN + GIVEN)
    command = [sys.executable, "-c", ASKING, server.url, str(tmp_path / "state"), str(cap)]
    running = [subprocess.Popen(command, env={"PYTHONPATH": ":".join(sys.path)}) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    told = sum(taken + given for _, _, taken, given in spent(local))
    # Each may overshoot by what its one question cost more than was thought.
    assert 6 * (TAKEN + GIVEN) <= told <= cap + 4 * (TAKEN + GIVEN)
    assert len(server.requests) == len(spent(local)) < 16


@pytest.mark.parametrize(
    "settings", [{"llm.cap_tokens": "many"}, {"llm.cap_tokens": "-1"}, {"llm.cap_tokens": "1.5"}]
)
def test_a_cap_that_is_none_is_refused(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError, match=r"llm\."):
        read_cap(settings)


def test_the_cap_is_200000_tokens_where_none_is_set() -> None:
    assert read_cap({}) == 200_000
