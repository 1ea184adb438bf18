"""A language model at a server that speaks one of three dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from engrain.inference.llm.anthropic import ANTHROPIC
from engrain.inference.llm.dialect import CUT, WITHHELD, Dialect, Question, Wording
from engrain.inference.llm.ollama import OLLAMA
from engrain.inference.llm.openai import OPENAI
from engrain.inference.posting import Peer, Refusal, check_url, post_json
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ConfigError, ModelError
from engrain.seam.llm import LLM, Completion

DIALECTS = {dialect.name: dialect for dialect in (OPENAI, ANTHROPIC, OLLAMA)}
AUTO = "auto"
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
_NOT_FOUND = 404
_REFUSALS = (400, _NOT_FOUND, 422, 501)
"""How servers refuse what they do not know; not found is a model or an address."""
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_BY_WORDS = (
    "{system}\n\nAnswer with one JSON object and nothing else, without a fence. It has this JSON"
    " schema:\n{schema}"
)


class ModelClient(LLM):
    """`model` at the server of `url`, which speaks `dialect`. `key` is sent as that wants it."""

    def __init__(
        self, dialect: Dialect, url: str, model: str, key: str | None, timeout: float = TIMEOUT_S
    ) -> None:
        self.name = model
        self._dialect = dialect
        self._url = url
        self._key = key
        self._timeout = timeout
        self._wording = Wording()

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        check_url(_PEER, self._url, bool(self._key))
        question = Question(self.name, _valid(system), _valid(text), schema, most_tokens)
        said = self._dialect.read(self._ask(question))
        answer = _THOUGHT.sub("", said.text, count=1).strip()
        taken, given = said.taken, said.given
        if taken is None:
            taken = estimate_tokens(question.system) + estimate_tokens(question.text)
        if given is None:
            given = estimate_tokens(said.text)
        if said.end in (CUT, WITHHELD) or not answer:
            what = f"was {said.end}" if said.end in (CUT, WITHHELD) else "has no text"
            raise ModelError(f"the model's answer {what}", answered=True, spent=(taken, given))
        return Completion(answer, taken, given)

    def _ask(self, question: Question) -> object:
        """The reply of the server, put as it takes it; what it took is kept for the next time."""
        wording = self._wording
        while True:
            try:
                reply = post_json(
                    _PEER,
                    self._dialect.endpoint(self._url),
                    self._dialect.compose(_in_words(question, wording), wording),
                    headers=self._dialect.headers(self._key),
                    timeout=self._timeout,
                    wanted=_REFUSALS,
                )
            except Refusal as refusal:
                other = self._dialect.concede(question, wording, refusal.text)
                if other is None or refusal.status == _NOT_FOUND:
                    raise ModelError(
                        f"{_PEER.name} refuses with status {refusal.status}",
                        remedy="see that llm_model and llm_api are right for llm_url",
                    ) from None
                wording = other
            else:
                self._wording = wording
                return reply


def choose_dialect(api: str, url: str) -> Dialect:
    """The dialect of a name; for `auto` the address decides. Raises ConfigError."""
    if api in DIALECTS:
        return DIALECTS[api]
    if api != AUTO:
        raise ConfigError(
            f"llm_api is {api[:40]!r}, not {AUTO}, {', '.join(DIALECTS)}",
            remedy=f"set llm_api to {AUTO}",
        )
    try:
        parts = urlsplit(url)
        host, port, path = parts.hostname or "", parts.port, parts.path.rstrip("/")
    except ValueError:  # which the client reports when it is asked
        return OPENAI
    if host == "api.anthropic.com" or path.endswith("/v1/messages"):
        return ANTHROPIC
    # Ollama speaks OpenAI's as well, under /v1.
    if path.endswith(("/api", "/api/chat")) or (port == 11434 and not path):
        return OLLAMA
    return OPENAI


def _in_words(question: Question, wording: Wording) -> Question:
    """The question with the schema in words, where the server is not bound by it."""
    if question.schema is None or not wording.structure:
        return question
    system = _BY_WORDS.format(system=question.system, schema=json.dumps(question.schema))
    return Question(question.model, system, question.text, question.schema, question.most_tokens)


def _valid(text: str) -> str:
    """The text with what is no Unicode (lone surrogates) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
