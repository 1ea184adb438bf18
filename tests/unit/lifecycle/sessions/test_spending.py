"""What language models cost is told with the statistics: a real server, a configured vault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.lifecycle.policy import check_policy
from engrain.model.errors import ConfigError, ModelError
from engrain.seam.llm import LLM
from support.model_server import GIVEN, TAKEN, ModelServer, model_server
from support.vaults import FakeClock, FakeEntropy
from unit.lifecycle.sessions.living import DAY, store_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


def llm_of(memory: Memory, purpose: str) -> LLM:
    llm = store_of(memory).llm(purpose)
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
    assert store_of(memory).llm("extract") is None
    monkeypatch.setenv("ENGRAIN_LLM_URL", "http://127.0.0.1:9")
    assert store_of(memory).llm("extract") is None
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "m")
    assert store_of(memory).llm("extract") is not None


def test_what_was_spent_is_told_by_purpose_and_model(
    configure: None, memory: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.episodes.statistics().spending == []
    ask(memory, "summary")
    for _ in range(2):
        ask(memory, "extract")
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "good/2")
    ask(memory, "extract")
    told = [
        (one.purpose, one.model, one.questions, one.taken, one.given, one.usd)
        for one in memory.episodes.statistics().spending
    ]
    assert told == [
        ("extract", "good", 2, 2 * TAKEN, 2 * GIVEN, None),
        ("extract", "good/2", 1, TAKEN, GIVEN, None),
        ("summary", "good", 1, TAKEN, GIVEN, None),
    ]
    monkeypatch.setenv("ENGRAIN_LLM_PRICE_IN", "1")
    monkeypatch.setenv("ENGRAIN_LLM_PRICE_OUT", "10")
    assert memory.episodes.statistics().spending[0].usd == pytest.approx(
        2 * (TAKEN + 10 * GIVEN) / 1e6
    )
    clock.at += 8 * DAY
    assert memory.episodes.statistics().spending == []


def test_the_server_is_asked_as_the_settings_say(
    configure: None, server: ModelServer, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_LLM_API", "anthropic")
    monkeypatch.setenv("ENGRAIN_LLM_KEY_VARIABLE", "MY_KEY")
    monkeypatch.setenv("MY_KEY", "sesame")
    ask(memory, "extract")
    (asked,) = server.requests
    assert asked.path == "/v1/messages" and asked.headers["X-Api-Key"] == "sesame"
    monkeypatch.setenv("ENGRAIN_LLM_CAP_TOKENS", "10")
    with pytest.raises(ModelError, match="the cap of 10 tokens"):
        ask(memory, "extract")
    monkeypatch.setenv("ENGRAIN_LLM_API", "grpc")
    with pytest.raises(ConfigError, match="llm_api"):
        llm_of(memory, "extract")
    # Nothing else is disturbed by that.
    assert memory.save("A text.").id


def test_an_archived_entry_is_summarised_by_the_same_client_and_counted(
    configure: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "prose")
    monkeypatch.setenv("ENGRAIN_ARCHIVE_SUMMARY", "llm")
    with open_memory(
        tmp_path / "other", state_dir=tmp_path / "state", create=True, clock=clock,
        entropy=FakeEntropy(),
    ) as memory:  # fmt: skip
        saved = memory.save("Alice works at Acme. " * 60, title="Alice", kind="fix")
        memory.archive(saved.id)
        entry = memory.show(saved.id).entry
        assert "Sure! I found that Alice works" in entry.text
        assert entry.fields["summary"] == "llm:prose"
        assert [one.purpose for one in memory.episodes.statistics().spending] == ["summary"]


@pytest.mark.parametrize(
    "settings",
    [{"llm.cap_tokens": "x"}, {"llm.cap_usd": "3"}, {"extract.form": "magic"}],
)
def test_a_setting_that_is_none_is_refused_when_it_is_set(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError):
        check_policy(settings)
