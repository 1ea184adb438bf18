"""The client of language models, and summaries, against a server that speaks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from engrain.inference import posting
from engrain.inference.llm import ModelClient, find_endpoint
from engrain.model.errors import ModelError
from support.model_server import GIVEN, SLOW_S, TAKEN, ModelServer, model_server

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
TEXT = '{"n": 1, "text": "Alice works at Acme."}'


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)


def make(
    server: ModelServer, cue: str, key: str | None = None, timeout: float = 10.0
) -> ModelClient:
    return ModelClient(server.url, cue, key, timeout)


def ask(client: ModelClient, schema: bool = True) -> str:
    text = f"mark\n{TEXT}\nmark"
    given = SCHEMA if schema else None
    return client.complete("Find facts.", text, schema=given, most_tokens=50).text


def subjects(answer: str) -> list[str]:
    return [one["subject"] for one in json.loads(answer)["facts"]]


def test_a_server_is_asked_for_an_answer_of_a_schema(server: ModelServer) -> None:
    client = make(server, "good", key="sesame")
    done = client.complete("Find facts.", f"m\n{TEXT}\nm", schema=SCHEMA, most_tokens=50)
    assert subjects(done.text) == ["Alice"]
    assert (done.taken, done.given) == (TAKEN, GIVEN)
    assert client.name == "good"
    (asked,) = server.requests
    assert asked.path == "/v1/chat/completions"
    assert asked.system.startswith("Find facts.\n") and TEXT in asked.text
    assert json.dumps(SCHEMA) in asked.system
    assert asked.headers["Authorization"] == "Bearer sesame"
    assert asked.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert (asked.body["max_tokens"], asked.body["temperature"]) == (50, 0)


def test_without_a_schema_plain_text_is_asked_for(server: ModelServer) -> None:
    assert "Alice" in ask(make(server, "prose"), schema=False)
    (asked,) = server.requests
    assert "response_format" not in asked.body and asked.system == "Find facts."


@pytest.mark.parametrize(("cue", "times"), [("noschema", 2), ("plain", 2)])
def test_a_server_that_binds_no_answer_is_asked_by_words_alone(
    server: ModelServer, cue: str, times: int
) -> None:
    client = make(server, cue)
    assert subjects(ask(client)) == ["Alice"]
    assert len(server.requests) == times
    last = server.requests[-1]
    assert "response_format" not in last.body
    # What it takes is known from then on.
    assert subjects(ask(client)) == ["Alice"]
    assert len(server.requests) == times + 1
    assert server.requests[-1].body.keys() == last.body.keys()


def test_parameters_that_a_model_does_not_know_are_left_out(server: ModelServer) -> None:
    assert subjects(ask(make(server, "modern"))) == ["Alice"]
    body = server.requests[-1].body
    assert "temperature" not in body
    assert body["max_completion_tokens"] == 50 and "max_tokens" not in body
    assert body["response_format"]["type"] == "json_schema"


def test_a_server_that_refuses_whatever_the_wording_is_given_up(server: ModelServer) -> None:
    with pytest.raises(ModelError, match="400") as caught:
        ask(make(server, "stubborn"))
    assert len(server.requests) == 2
    assert caught.value.spent == (0, 0) and not caught.value.answered


@pytest.mark.parametrize(
    "cue", ["busy,good", "broken,busy,good", "overloaded,good", "cut,good", "gone,good"]
)
def test_what_fails_for_a_while_is_tried_again(server: ModelServer, cue: str) -> None:
    assert subjects(ask(make(server, cue))) == ["Alice"]
    assert len(server.requests) == cue.count(",") + 1


@pytest.mark.parametrize(
    ("cue", "told", "times", "spent"),
    [
        ("broken", "500", 4, (0, 0)),
        ("quota", "429 for 3600 seconds", 1, (0, 0)),
        ("locked", "401", 1, (0, 0)),
        ("missing", "404", 1, (0, 0)),
        ("cut", "breaks off", 4, None),
        ("gone", "can't be reached", 4, None),
        ("garbage", "no JSON", 1, None),
        ("deep", "no JSON", 1, None),
        ("huge", "too long", 1, None),
    ],
)
def test_what_goes_on_failing_is_an_error_that_says_what_may_have_been_spent(
    server: ModelServer, cue: str, told: str, times: int, spent: object
) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        ask(make(server, cue))
    assert len(server.requests) == times
    assert caught.value.spent == spent
    assert not caught.value.answered
    assert caught.value.message.startswith(("the model's server", "the reply of the model's"))


def test_a_pause_until_a_date_is_understood(server: ModelServer) -> None:
    with pytest.raises(ModelError, match=r"429 for \d{9,} seconds"):
        ask(make(server, "dated"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("cue", "told"),
    [
        ("nothing", "no text"),
        ("long", "cut off"),
        ("withheld", "withheld|no text"),
        ("empty", "no text"),
    ],
)
def test_an_answer_of_no_use_may_be_asked_for_again_and_has_cost(
    server: ModelServer, cue: str, told: str
) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        ask(make(server, cue), schema=False)
    assert caught.value.answered
    taken, given = caught.value.spent or (0, 0)
    assert taken > 0 and given >= 0


def test_a_slow_server_is_not_waited_for(server: ModelServer) -> None:
    begun = time.monotonic()
    with pytest.raises(ModelError, match="in time") as caught:
        ask(make(server, "slow", timeout=0.2))
    assert time.monotonic() - begun < SLOW_S
    assert caught.value.spent is None


def test_tokens_that_a_server_does_not_count_are_estimated(server: ModelServer) -> None:
    client = make(server, "uncounted")
    done = client.complete("Find.", f"m\n{TEXT}\nm", schema=SCHEMA, most_tokens=50)
    assert 50 < done.taken < 150 and 5 < done.given < 150


def test_what_a_model_thinks_aloud_is_no_part_of_its_answer(server: ModelServer) -> None:
    assert subjects(ask(make(server, "thinking"))) == ["Alice"]


def test_any_text_can_be_sent(server: ModelServer) -> None:
    make(server, "good").complete("\ud800", "a\ud800\0 日本", most_tokens=50)
    assert server.requests[0].text == "a?\0 日本"


def test_a_key_is_never_reported_and_never_travels_unencrypted(server: ModelServer) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make(server, "locked", key="sesame"))
    assert "llm_key_variable" in (caught.value.remedy or "")
    assert "sesame" not in repr(caught.value) + str(caught.value.remedy)
    with pytest.raises(ModelError, match="unencrypted"):
        ask(ModelClient("http://192.0.2.1", "m", "sesame"))
    with pytest.raises(ModelError, match="no http"):
        ask(ModelClient("file:///etc/passwd", "m", None))


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
        ("https://x/odd/chat/completions", "https://x/odd/chat/completions"),
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/chat/completions"),
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        ("http://[", "http://[/v1/chat/completions"),
    ],
)
def test_a_server_or_its_root_is_enough_of_an_address(url: str, endpoint: str) -> None:
    assert find_endpoint(url) == endpoint
