"""A language model at a server that speaks OpenAI's chat completions.

Nearly every server does (`POST /v1/chat/completions`): llama.cpp, vLLM, LM Studio, Ollama under
`/v1`, Anthropic, and other vendors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from engrain.inference.posting import Peer, ServerRefusal, bearer, check_url, post_json
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ModelError
from engrain.seam.llm import LLM, Completion

TIMEOUT_S = 120.0
"""Seconds for one answer: a small machine's model writes slowly, and jobs have minutes in all."""

_PEER = Peer(
    "the model's server",
    "llm_url",
    "llm_key_variable",
    4 * 1024 * 1024,
    lambda reason, remedy, worked: ModelError(
        reason, remedy=remedy, spent=None if worked else (0, 0)
    ),
)
_PATH = "/chat/completions"
_NOT_FOUND = 404
_REFUSALS = (400, _NOT_FOUND, 422, 501)
"""How servers refuse a parameter that they don't know; 404 is about the model or the address."""
_TEMPERATURE, _MOST, _FORMAT = "temperature", "max_tokens", "response_format"
_ENDS = {"length": "was cut off", "content_filter": "was withheld"}
_THOUGHT = re.compile(r"\s{0,40}<think>(?:[^<]++|<(?!/?think>))*+</think>")
_BY_WORDS = (
    "{system}\n\nAnswer with one JSON object and nothing else, without a fence. It has this JSON"
    " schema:\n{schema}"
)
"""Says the schema in words too, since some servers silently ignore the parameter for it."""


class ModelClient(LLM):
    """The `model` at the server of `url`, which is sent a `key`."""

    def __init__(self, url: str, model: str, key: str | None, timeout: float = TIMEOUT_S) -> None:
        self.name = model
        self._url = url
        self._key = key
        self._timeout = timeout
        self._refused: frozenset[str] = frozenset()

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        check_url(_PEER, self._url, bool(self._key))
        if schema is not None:
            system = _BY_WORDS.format(system=system, schema=json.dumps(schema))
        system, text = _valid(system), _valid(text)
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
            _MOST: most_tokens,
            _TEMPERATURE: 0,
        }
        if schema is not None:
            answer = {"name": "answer", "strict": True, "schema": schema}
            body[_FORMAT] = {"type": "json_schema", "json_schema": answer}
        reply = self._ask(body)
        said, end = _read_text(reply), _value_at(reply, "choices", 0, "finish_reason")
        taken = _count_at(reply, "usage", "prompt_tokens")
        given = _count_at(reply, "usage", "completion_tokens")
        if taken is None:
            taken = estimate_tokens(system) + estimate_tokens(text)
        if given is None:
            given = estimate_tokens(said)
        answer_text = _THOUGHT.sub("", said, count=1).strip()
        what = _ENDS.get(str(end), "" if answer_text else "has no text")
        if _value_at(reply, "choices", 0, "message", "refusal"):
            what = "was withheld"
        if what:
            raise ModelError(f"the model's answer {what}", answered=True, spent=(taken, given))
        return Completion(answer_text, taken, given)

    def _ask(self, body: Mapping[str, Any]) -> object:
        """Ask without the parameters that the server refused, remember these for the next time, and
        return the reply."""
        refused = self._refused
        while True:
            try:
                reply = post_json(
                    _PEER,
                    find_endpoint(self._url),
                    _without(body, refused),
                    headers=bearer(self._key),
                    timeout=self._timeout,
                    wanted=_REFUSALS,
                )
            except ServerRefusal as refusal:
                name = _find_refused(body, refused, refusal.text)
                if not name or refusal.status == _NOT_FOUND:
                    raise ModelError(
                        f"{_PEER.name} refuses with status {refusal.status}",
                        remedy="see that llm_model is right for llm_url",
                    ) from None
                refused |= {name}
            else:
                self._refused = refused
                return reply


def find_endpoint(url: str) -> str:
    """Return the whole address, where only a server or its `/v1` is named."""
    bare = url.rstrip("/")
    return bare if bare.endswith(_PATH) else f"{bare.removesuffix('/v1')}/v1{_PATH}"


def _find_refused(body: Mapping[str, Any], refused: frozenset[str], text: str) -> str:
    """Return the parameter to leave out after a refusal with this text, "" for none."""
    lowered = text.lower()
    for name in (_MOST, _TEMPERATURE):
        if name in lowered and name not in refused:
            return name
    return _FORMAT if _FORMAT in body and _FORMAT not in refused else ""


def _without(body: Mapping[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    """Return a request without the refused parameters. Models that reason know the bound of an
    answer by its new name only, other servers often by the old one only."""
    left = {name: value for name, value in body.items() if name not in refused}
    return left | {"max_completion_tokens": body[_MOST]} if _MOST in refused else left


def _value_at(reply: object, *path: str | int) -> object:
    """Return the value in a reply under keys and places, None where there is nothing."""
    for step in path:
        if isinstance(reply, dict) and isinstance(step, str):
            reply = reply.get(step)
        elif isinstance(reply, list) and isinstance(step, int) and step < len(reply):
            reply = reply[step]
        else:
            return None
    return reply


def _count_at(reply: object, *path: str | int) -> int | None:
    """Return a number of tokens in a reply, None if it is no such number."""
    found = _value_at(reply, *path)
    return found if type(found) is int and found >= 0 else None


def _read_text(reply: object) -> str:
    """Return the text of an answer: as it stands, or in parts of type `text`."""
    found = _value_at(reply, "choices", 0, "message", "content")
    if isinstance(found, str):
        return found
    said = (_value_at(part, "text") for part in (found if isinstance(found, list) else []))
    return "".join(text for text in said if isinstance(text, str))


def _valid(text: str) -> str:
    """Return the text with lone surrogates (no Unicode) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
