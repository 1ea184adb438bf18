"""Ollama's own chat (`POST /api/chat`)."""

from __future__ import annotations

from engrain.inference.llm.dialect import (
    CUT,
    STOPPED,
    Body,
    Dialect,
    Question,
    Said,
    Wording,
    count_at,
    field_of,
    text_at,
)
from engrain.inference.posting import bearer
from engrain.language.text.tokens import estimate_tokens

_LEAST_CONTEXT = 4096


def _body(question: Question, _: Wording) -> Body:
    needed = estimate_tokens(question.system) + estimate_tokens(question.text)
    return {
        "model": question.model,
        "stream": False,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.text},
        ],
        "options": {
            "temperature": 0,
            "num_predict": question.most_tokens,
            # It drops the beginning of what does not fit, and says nothing. A power of two, since
            # the model is loaded anew for each other size.
            "num_ctx": _power_of_two(needed + question.most_tokens),
        },
    }


def _power_of_two(needed: int) -> int:
    size = _LEAST_CONTEXT
    while size < needed:
        size *= 2
    return size


def _read(reply: object) -> Said:
    ended = field_of(reply, "done") is not False and field_of(reply, "done_reason") != "length"
    return Said(
        text_at(reply, "message", "content"),
        STOPPED if ended else CUT,
        count_at(reply, "prompt_eval_count"),
        count_at(reply, "eval_count"),
    )


OLLAMA = Dialect(
    "ollama",
    path="/api/chat",
    ending="/api/chat",
    root="/api",
    headers=bearer,
    body=_body,
    structures=(lambda schema: {"format": schema}, lambda _: {"format": "json"}, lambda _: {}),
    optional=(),
    read=_read,
)
