"""Embeddings from a server."""

from __future__ import annotations

import time

import pytest

from engrain.inference import posting
from engrain.inference.api import ApiLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, pack_unit
from engrain.seam.embedder import Embedder
from support.embedding_server import Request, answer_openai, as_json, serve, vector_of


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)


def open_at(url: str, key: str | None = None, timeout: float = 5.0) -> Embedder:
    return ApiLink(url, "tiny", key, timeout).open()


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/proxy/v1/", "/proxy/v1/embeddings"),
        ("/odd/embeddings", "/odd/embeddings"),
    ],
)
def test_a_server_is_asked_below_its_address(given: str, asked: str) -> None:
    with serve(answer_openai) as server:
        embedder = open_at(server.url + given)
        texts = ["banana", "", "kiwi"]
        vectors = embedder.embed(texts)
    assert {request.path for request in server.requests} == {asked}
    assert embedder.size == 3
    assert vectors == [pack_unit(vector_of(text or " ")) for text in texts]
    assert (embedder.link, embedder.cheap, embedder.model) == ("api", False, "tiny@127.0.0.1")


def test_many_texts_go_in_several_requests_and_keep_their_order() -> None:
    texts = ["a" * number for number in range(1, 151)]
    with serve(answer_openai) as server:
        vectors = open_at(server.url).embed(texts)
    assert vectors == [pack_unit(vector_of(text)) for text in texts]
    assert [len(request.texts) for request in server.requests] == [1, 64, 64, 22]


def test_any_text_can_be_sent() -> None:
    with serve(answer_openai) as server:
        vectors = open_at(server.url).embed(["\ud800 lone", "x" * 1_000_000, "\0", "日本"])
    for vector in vectors:
        check_vector(vector, 3)
    assert len(server.requests[-1].texts[1]) == 8192


def test_the_key_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(request: Request) -> tuple[int, dict[str, str], bytes]:
        return as_json({"error": request.headers["Authorization"]}, status=401)

    with serve(refuse) as server, pytest.raises(EmbeddingError) as caught:
        open_at(server.url, key="sesame")
    assert server.requests[0].headers["Authorization"] == "Bearer sesame"
    assert len(server.requests) == 1
    assert "401" in caught.value.message
    assert "sesame" not in repr(caught.value) + str(caught.value.remedy)


def test_a_key_does_not_travel_unencrypted() -> None:
    with pytest.raises(EmbeddingError, match="unencrypted"):
        open_at("http://192.0.2.1/v1", key="sesame")


def test_a_redirection_is_not_followed() -> None:
    with serve(answer_openai) as other:

        def redirect(_: Request) -> tuple[int, dict[str, str], bytes]:
            return 307, {"Location": other.url + "/v1/embeddings"}, b""

        with serve(redirect) as server, pytest.raises(EmbeddingError, match="307"):
            open_at(server.url, key="sesame")
    assert other.requests == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/x", "host/v1", "http://[", ""])
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(EmbeddingError):
        open_at(url)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status: int) -> None:
    calls = 0

    def answer(request: Request) -> tuple[int, dict[str, str], bytes]:
        nonlocal calls
        calls += 1
        return as_json({}, status=status) if calls < 3 else answer_openai(request)

    with serve(answer) as server:
        assert open_at(server.url).size == 3
    assert calls == 3


def test_a_server_that_stays_busy_is_given_up() -> None:
    with serve(lambda _: as_json({}, status=503)) as server:
        with pytest.raises(EmbeddingError, match="503"):
            open_at(server.url)
        assert len(server.requests) == 4


def test_a_pause_that_outlasts_the_deadline_is_not_made() -> None:
    with serve(answer_openai) as server:
        embedder = open_at(server.url)
    begun = time.monotonic()
    with serve(lambda _: as_json({}, status=429, Retry_After="9")) as busy:
        embedder._url = busy.url  # type: ignore[attr-defined]  # the same server, now busy
        with pytest.raises(EmbeddingError, match="no time to try again"):
            embedder.embed(["x"], deadline=begun + 2)
        assert len(busy.requests) == 1
    assert time.monotonic() - begun < 2


def test_a_server_that_does_not_answer_in_time_is_given_up() -> None:
    def wait(request: Request) -> tuple[int, dict[str, str], bytes]:
        time.sleep(0.5)
        return answer_openai(request)

    begun = time.monotonic()
    with serve(wait) as server:
        with pytest.raises(EmbeddingError, match="in time"):
            open_at(server.url, timeout=0.1)
        assert time.monotonic() - begun < 0.4


def test_a_time_that_ends_before_the_request_is_sent_is_reported_as_late() -> None:
    with serve(answer_openai) as server, pytest.raises(EmbeddingError, match="in time"):
        open_at(server.url, timeout=-0.001)


def test_a_server_that_is_not_there_is_reported() -> None:
    with serve(answer_openai) as server:
        pass
    with pytest.raises(EmbeddingError, match="can't be reached"):
        open_at(server.url)


def test_a_deadline_that_is_past_asks_nobody() -> None:
    with serve(answer_openai) as server:
        embedder = open_at(server.url)
        with pytest.raises(EmbeddingError, match="over"):
            embedder.embed(["x"], deadline=time.monotonic() - 1)
        assert len(server.requests) == 1


NAN = float("nan")


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>busy</html>",
        b"[" * 100_000,
        b"",
        b"null",
        b'{"data": []}',
        b'{"data": "none"}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 5, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": ["1"]}]}',
        b'{"data": [{"index": 0, "embedding": [true]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}",
        b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}',
        b'{"embeddings": [null]}',
        b'{"embeddings": []}',
    ],
)
def test_a_reply_that_is_garbage_is_refused(reply: bytes) -> None:
    with serve(lambda _: (200, {}, reply)) as server, pytest.raises(EmbeddingError):
        open_at(server.url)


def test_another_dimension_later_is_refused() -> None:
    def answer(request: Request) -> tuple[int, dict[str, str], bytes]:
        size = 3 if len(server.requests) < 2 else 4
        return as_json({"data": [{"embedding": [1.0] * size} for _ in request.texts]})

    with serve(answer) as server:
        embedder = open_at(server.url)
        with pytest.raises(EmbeddingError, match="4 dimensions after 3"):
            embedder.embed(["x"])


@pytest.mark.parametrize(
    ("url", "model", "lacks"),
    [(None, "m", "embedder_url"), ("http://x", None, "embedder_model"), ("http://x", "m", None)],
)
def test_what_is_not_set_is_reported(url: str | None, model: str | None, lacks: str | None) -> None:
    link = ApiLink(url, model, None, 1.0)
    assert (lacks in (link.missing() or "")) if lacks else link.missing() is None
    if lacks:
        with pytest.raises(EmbeddingError, match=lacks):
            link.open()


def test_a_link_is_opened_once() -> None:
    with serve(answer_openai) as server:
        link = ApiLink(server.url, "tiny", None, 5.0)
        assert link.open() is link.open()
        assert len(server.requests) == 1
