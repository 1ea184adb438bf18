"""Embeddings from a server that speaks OpenAI's `/v1/embeddings`, as Ollama's does too."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from engrain.inference.embedders import SlowLink, readable
from engrain.inference.posting import Peer, bearer, check_url, post_json
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import FLOAT_BYTES, pack_unit
from engrain.seam.embedder import Embedder

_BATCH = 64
"""Texts in one request: the reply stays below a few megabytes."""
_OPENAI = "/v1/embeddings"
_COMPLETE = "/embeddings"
_REPLY_BYTES = 64 * 1024 * 1024
_PEER = Peer(
    "the embedder",
    "embedder_url",
    "embedder_key_variable",
    _REPLY_BYTES,
    lambda reason, remedy, _: EmbeddingError(reason, remedy=remedy),
)


class ApiLink(SlowLink):
    """The `model` at the server of `url`, which gets a `key`, if there is one, as a bearer token.
    `timeout` is in seconds, for one request."""

    name = "api"

    def __init__(self, url: str | None, model: str | None, key: str | None, timeout: float) -> None:
        super().__init__()
        self._url = url
        self._model = model
        self._key = key
        self._timeout = timeout

    def missing(self) -> str | None:
        if not self._url:
            return "no address is set (embedder_url)"
        if not self._model:
            return "no model is set (embedder_model)"
        return None

    def _load(self) -> Embedder:
        """Ask the server for one vector, which shows that it answers and in what size."""
        assert self._url and self._model  # else one of them is missing
        check_url(_PEER, self._url, bool(self._key))
        url = self._url.rstrip("/")
        if not url.endswith(_COMPLETE):  # the address names only a server or its `/v1`
            url = url.removesuffix("/v1") + _OPENAI
        return _ApiEmbedder(url, self._model, self._key, self._timeout)


class _ApiEmbedder(Embedder):
    link = "api"
    cheap = False

    def __init__(self, url: str, model: str, key: str | None, timeout: float) -> None:
        # Two servers may run one model so that the vectors differ.
        self.model = f"{model}@{urlsplit(url).hostname}"
        self._asked = model
        self._url = url
        self._key = key
        self._timeout = timeout
        self.size = 0
        self.size = len(self.embed(["engrain"])[0]) // FLOAT_BYTES

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        vectors: list[bytes] = []
        for start in range(0, len(texts), _BATCH):
            batch = [readable(text) or " " for text in texts[start : start + _BATCH]]
            reply = post_json(
                _PEER,
                self._url,
                {"model": self._asked, "input": batch},
                headers=bearer(self._key),
                timeout=self._timeout,
                deadline=deadline,
            )
            for values in _rows(reply, len(batch)):
                if self.size and len(values) != self.size:
                    raise EmbeddingError(
                        f"the embedder gives {len(values)} dimensions after {self.size}"
                    )
                vectors.append(pack_unit(values))
        return vectors


def _rows(reply: object, count: int) -> list[list[float]]:
    """Return the vectors of a reply, in the order of the texts. Raises EmbeddingError."""
    rows = _ordered_rows(reply)
    if rows is None:
        raise EmbeddingError("the embedder's reply has no vectors")
    if len(rows) != count:
        raise EmbeddingError(f"the embedder gives {len(rows)} vectors for {count} texts")
    return [_numbers(row) for row in rows]


def _ordered_rows(reply: object) -> list[object] | None:
    data = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return None
    places = [item.get("index", at) for at, item in enumerate(data)]
    if sorted(map(str, places)) != sorted(map(str, range(len(data)))):
        return None
    ordered = sorted(zip(map(int, places), data, strict=True), key=lambda pair: pair[0])
    return [item.get("embedding") for _, item in ordered]


def _numbers(row: object) -> list[float]:
    if not isinstance(row, list) or not row:
        raise EmbeddingError("the embedder's reply has something else for a vector")
    for value in row:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise EmbeddingError("the embedder's reply has something else for a number")
    try:
        return [float(value) for value in row]
    except OverflowError:
        raise EmbeddingError("a vector has a component that is no number") from None
