"""The client of language models, and summaries, against a server that speaks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from engrain.inference import posting
from engrain.inference.dialects import DIALECTS
from engrain.inference.llm import ModelClient, ModelSummarizer, choose_dialect
from engrain.model.errors import ConfigError, ModelError
from support.model_server import GIVEN, SLOW_S, TAKEN, ModelServer, model_server

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
TEXT = '{"n": 1, "text": "Alice works at Acme."}'
NAMES = sorted(DIALECTS)


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
    server: ModelServer, cue: str, dialect: str, key: str | None = None, timeout: float = 10.0
) -> ModelClient:
    # What follows the stroke lets a cue of several begin anew for each dialect.
    return ModelClient(DIALECTS[dialect], server.url, f"{cue}/{dialect}", key, timeout)


def ask(client: ModelClient, schema: bool = True) -> str:
    text = f"mark\n{TEXT}\nmark"
    given = SCHEMA if schema else None
    return client.complete("Find facts.", text, schema=given, most_tokens=50).text


def subjects(answer: str) -> list[str]:
    return [one["subject"] for one in json.loads(answer)["facts"]]


@pytest.mark.parametrize("dialect", NAMES)
def test_each_kind_of_server_is_asked_in_its_own_words(server: ModelServer, dialect: str) -> None:
    client = make(server, "good", dialect, key="sesame")
    done = client.complete("Find facts.", f"m\n{TEXT}\nm", schema=SCHEMA, most_tokens=50)
    assert subjects(done.text) == ["Alice"]
    assert (done.taken, done.given) == (TAKEN, GIVEN)
    assert client.name == f"good/{dialect}"
    (asked,) = server.requests
    assert asked.path == {
        "openai": "/v1/chat/completions", "anthropic": "/v1/messages", "ollama": "/api/chat",
    }[dialect]  # fmt: skip
    assert asked.system == "Find facts." and TEXT in asked.text
    body = asked.body
    if dialect == "openai":
        assert asked.headers["Authorization"] == "Bearer sesame"
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA
        assert body["response_format"]["json_schema"]["strict"] is True
        assert (body["max_tokens"], body["temperature"]) == (50, 0)
    elif dialect == "anthropic":
        assert asked.headers["X-Api-Key"] == "sesame"
        assert asked.headers["Anthropic-Version"] == "2023-06-01"
        assert "Authorization" not in asked.headers
        assert body["tools"][0]["input_schema"] == SCHEMA
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}
        assert body["max_tokens"] == 50
    else:
        assert body["format"] == SCHEMA
        assert body["stream"] is False
        assert body["options"]["num_predict"] == 50


@pytest.mark.parametrize("dialect", NAMES)
def test_without_a_schema_plain_text_is_asked_for(server: ModelServer, dialect: str) -> None:
    assert "Alice" in ask(make(server, "prose", dialect), schema=False)
    (asked,) = server.requests
    assert not {"response_format", "tools", "format"} & asked.body.keys()


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(("cue", "times"), [("noschema", 2), ("plain", 3)])
def test_a_server_that_binds_no_answer_is_asked_by_the_next_means(
    server: ModelServer, dialect: str, cue: str, times: int
) -> None:
    client = make(server, cue, dialect)
    assert subjects(ask(client)) == ["Alice"]
    assert len(server.requests) == times
    last = server.requests[-1]
    assert json.dumps(SCHEMA) in last.system
    # What it takes is known from then on.
    assert subjects(ask(client)) == ["Alice"]
    assert len(server.requests) == times + 1
    assert server.requests[-1].body.keys() == last.body.keys()


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_parameters_that_a_model_does_not_know_are_left_out(
    server: ModelServer, dialect: str
) -> None:
    assert subjects(ask(make(server, "modern", dialect))) == ["Alice"]
    body = server.requests[-1].body
    assert "temperature" not in body
    if dialect == "openai":
        assert body["max_completion_tokens"] == 50 and "max_tokens" not in body
        assert body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("dialect", NAMES)
def test_a_server_that_refuses_whatever_the_wording_is_given_up(
    server: ModelServer, dialect: str
) -> None:
    with pytest.raises(ModelError, match="400") as caught:
        ask(make(server, "stubborn", dialect))
    assert len(server.requests) == 3
    assert caught.value.spent == (0, 0) and not caught.value.answered


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(
    "cue", ["busy,good", "broken,busy,good", "overloaded,good", "cut,good", "gone,good"]
)
def test_what_fails_for_a_while_is_tried_again(server: ModelServer, dialect: str, cue: str) -> None:
    assert subjects(ask(make(server, cue, dialect))) == ["Alice"]
    assert len(server.requests) == cue.count(",") + 1


@pytest.mark.parametrize("dialect", NAMES)
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
    server: ModelServer, dialect: str, cue: str, told: str, times: int, spent: object
) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        ask(make(server, cue, dialect))
    assert len(server.requests) == times
    assert caught.value.spent == spent
    assert not caught.value.answered
    assert caught.value.message.startswith(("the model's server", "the reply of the model's"))


def test_a_pause_until_a_date_is_understood(server: ModelServer) -> None:
    with pytest.raises(ModelError, match=r"429 for \d{9,} seconds"):
        ask(make(server, "dated", "openai"))
    assert len(server.requests) == 1


@pytest.mark.parametrize("dialect", NAMES)
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
    server: ModelServer, dialect: str, cue: str, told: str
) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        ask(make(server, cue, dialect), schema=False)
    assert caught.value.answered
    taken, given = caught.value.spent or (0, 0)
    assert taken > 0 and given >= 0


def test_a_slow_server_is_not_waited_for(server: ModelServer) -> None:
    begun = time.monotonic()
    with pytest.raises(ModelError, match="in time") as caught:
        ask(make(server, "slow", "openai", timeout=0.2))
    assert time.monotonic() - begun < SLOW_S
    assert caught.value.spent is None


@pytest.mark.parametrize("dialect", NAMES)
def test_tokens_that_a_server_does_not_count_are_estimated(
    server: ModelServer, dialect: str
) -> None:
    client = make(server, "uncounted", dialect)
    done = client.complete("Find.", f"m\n{TEXT}\nm", schema=SCHEMA, most_tokens=50)
    assert 5 < done.taken < 60 and 5 < done.given < 150


def test_what_a_model_thinks_aloud_is_no_part_of_its_answer(server: ModelServer) -> None:
    assert subjects(ask(make(server, "thinking", "ollama"))) == ["Alice"]


def test_ollama_is_given_room_for_the_whole_question(server: ModelServer) -> None:
    client = make(server, "good", "ollama")
    client.complete("Find.", "m\n" + "word " * 12000 + "\nm", most_tokens=50)
    ask(client)
    sizes = [asked.body["options"]["num_ctx"] for asked in server.requests]
    assert sizes == [16384, 4096]


def test_any_text_can_be_sent(server: ModelServer) -> None:
    make(server, "good", "openai").complete("\ud800", "a\ud800\0 日本", most_tokens=50)
    assert server.requests[0].text == "a?\0 日本"


def test_a_key_is_never_told_and_never_travels_unencrypted(server: ModelServer) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make(server, "locked", "openai", key="sesame"))
    assert "llm_key_variable" in (caught.value.remedy or "")
    assert "sesame" not in repr(caught.value) + str(caught.value.remedy)
    with pytest.raises(ModelError, match="unencrypted"):
        ask(ModelClient(DIALECTS["openai"], "http://192.0.2.1", "m", "sesame"))
    with pytest.raises(ModelError, match="no http"):
        ask(ModelClient(DIALECTS["openai"], "file:///etc/passwd", "m", None))


@pytest.mark.parametrize(
    ("url", "name", "endpoint"),
    [
        ("https://api.openai.com", "openai", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/v1/", "openai", "https://api.openai.com/v1/chat/completions"),
        ("https://x/odd/chat/completions", "openai", "https://x/odd/chat/completions"),
        ("https://api.anthropic.com", "anthropic", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1", "anthropic", "https://api.anthropic.com/v1/messages"),
        ("https://proxy/v1/messages", "anthropic", "https://proxy/v1/messages"),
        ("http://localhost:11434", "ollama", "http://localhost:11434/api/chat"),
        ("http://localhost:11434/api", "ollama", "http://localhost:11434/api/chat"),
        ("http://box/api/chat", "ollama", "http://box/api/chat"),
        ("http://localhost:11434/v1", "openai", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:8080", "openai", "http://localhost:8080/v1/chat/completions"),
        ("http://[", "openai", "http://[/v1/chat/completions"),
    ],
)
def test_the_address_tells_what_the_server_speaks(url: str, name: str, endpoint: str) -> None:
    dialect = choose_dialect("auto", url)
    assert (dialect.name, dialect.endpoint(url)) == (name, endpoint)


def test_what_the_server_speaks_can_be_said() -> None:
    assert choose_dialect("ollama", "https://api.openai.com").name == "ollama"
    with pytest.raises(ConfigError, match="llm_api"):
        choose_dialect("grpc", "https://x")


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
PROSE = "Sure! I found that Alice works at Acme, which is great."


def make_writer(url: str, cue: str, key: str | None = None) -> ModelSummarizer:
    llm = ModelClient(DIALECTS["openai"], url, cue, key, timeout=5)
    return ModelSummarizer(cue, lambda: llm, lambda size: b"\x07" * size)


def test_the_model_is_asked_for_a_summary_and_shown_the_text_as_data(server: ModelServer) -> None:
    writer = make_writer(server.url, "prose", "secret-key")
    assert writer.name == "llm:prose"
    assert writer.summarize("Pooler", "It drops statements.", 60) == PROSE
    (asked,) = server.requests
    assert asked.headers["Authorization"] == "Bearer secret-key"
    assert asked.body["max_tokens"] == 180
    assert "at most 60 words" in asked.system and "never do it" in asked.system
    mark = "07" * 8
    assert asked.text == f"{mark}\nPooler\n\nIt drops statements.\n{mark}"
    assert mark in asked.system


def test_a_secret_does_not_leave_not_even_where_the_text_is_cut(server: ModelServer) -> None:
    filler = "x " * 23_980
    for text in (f"The token is {TOKEN} for now.", f"{filler}{TOKEN}"):
        make_writer(server.url, "prose").summarize("Key", text, 60)
    assert TOKEN[:12] not in server.log


@pytest.mark.parametrize("cue", ["nothing", "long", "withheld", "empty", "locked", "garbage"])
def test_what_is_no_whole_answer_is_an_error(server: ModelServer, cue: str) -> None:
    with pytest.raises(ModelError):
        make_writer(server.url, cue).summarize("t", "x", 60)


def test_a_key_does_not_travel_in_the_clear() -> None:
    with pytest.raises(ModelError, match="unencrypted"):
        make_writer("http://example.invalid", "prose", "secret-key").summarize("t", "x", 60)


def test_without_a_model_it_says_what_to_set() -> None:
    writer = ModelSummarizer("m", lambda: None, lambda size: b"\0" * size)
    with pytest.raises(ModelError) as caught:
        writer.summarize("t", "x", 60)
    assert "llm_url" in (caught.value.remedy or "")
