"""A language model that writes summaries: what it is shown, and what becomes of its answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engrain.inference.llm.client import DIALECTS, ModelClient
from engrain.inference.summarizer import ModelSummarizer
from engrain.model.errors import ModelError
from support.model_server import ModelServer, model_server

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
PROSE = "Sure! I found that Alice works at Acme, which is great."


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


def make(url: str, cue: str, key: str | None = None) -> ModelSummarizer:
    llm = ModelClient(DIALECTS["openai"], url, cue, key, timeout=5)
    return ModelSummarizer(cue, lambda: llm, lambda size: b"\x07" * size)


def test_the_model_is_asked_for_a_summary_and_shown_the_text_as_data(server: ModelServer) -> None:
    writer = make(server.url, "prose", "secret-key")
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
        make(server.url, "prose").summarize("Key", text, 60)
    assert TOKEN[:12] not in server.log


@pytest.mark.parametrize("cue", ["nothing", "long", "withheld", "empty", "locked", "garbage"])
def test_what_is_no_whole_answer_is_an_error(server: ModelServer, cue: str) -> None:
    with pytest.raises(ModelError):
        make(server.url, cue).summarize("t", "x", 60)


def test_a_key_does_not_travel_in_the_clear() -> None:
    with pytest.raises(ModelError, match="unencrypted"):
        make("http://example.invalid", "prose", "secret-key").summarize("t", "x", 60)


def test_without_a_model_it_says_what_to_set() -> None:
    writer = ModelSummarizer("m", lambda: None, lambda size: b"\0" * size)
    with pytest.raises(ModelError) as caught:
        writer.summarize("t", "x", 60)
    assert "llm_url" in (caught.value.remedy or "")
