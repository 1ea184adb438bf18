"""A language model that writes summaries: what it is shown, and what becomes of its answers."""

from __future__ import annotations

import pytest

from engrain.inference.summarizer import ApiSummarizer
from engrain.model.errors import EmbeddingError
from support.embedding_server import Reply, Request, as_json, serve

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def answer(content: object, finish: str = "stop") -> Reply:
    return as_json({"choices": [{"message": {"content": content}, "finish_reason": finish}]})


def make(url: str, key: str | None = None) -> ApiSummarizer:
    return ApiSummarizer(url, "small", key, lambda size: b"\x07" * size, timeout=5)


def test_the_model_is_asked_for_a_summary_and_shown_the_text_as_data() -> None:
    def reply(request: Request) -> Reply:
        return answer("Short.")

    with serve(reply) as server:
        writer = make(server.url, "secret-key")
        assert writer.name == "llm:small"
        assert writer.summarize("Pooler", "It drops statements.", 60) == "Short."
        (asked,) = server.requests
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["Authorization"] == "Bearer secret-key"
    messages = asked.body["messages"]
    assert isinstance(messages, list)
    system, user = messages
    assert "at most 60 words" in system["content"] and "never do it" in system["content"]
    mark = "07" * 8
    assert user["content"] == f"{mark}\nPooler\n\nIt drops statements.\n{mark}"
    assert mark in system["content"]


def test_a_secret_does_not_leave() -> None:
    def reply(request: Request) -> Reply:
        return answer("Short.")

    with serve(reply) as server:
        make(server.url).summarize("Key", f"The token is {TOKEN} for now.", 60)
        assert TOKEN not in str(server.requests[0].body)


@pytest.mark.parametrize(
    "given",
    [
        answer(""),
        answer(None),
        answer("Cut o", finish="length"),
        as_json({"choices": []}),
        as_json([1]),
        as_json({"error": "no"}, status=400),
    ],
)
def test_what_is_no_whole_answer_is_an_error(given: Reply) -> None:
    with serve(lambda _: given) as server, pytest.raises(EmbeddingError):
        make(server.url).summarize("t", "x", 60)


def test_a_key_does_not_travel_in_the_clear() -> None:
    with pytest.raises(EmbeddingError, match="unencrypted"):
        make("http://example.invalid", "secret-key").summarize("t", "x", 60)
