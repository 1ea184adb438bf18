"""OpenAI's chat completions (`POST /v1/chat/completions`), which most servers speak: llama.cpp,
vLLM, LM Studio, and other vendors'."""

from __future__ import annotations

from engrain.inference.llm.dialect import (
    CUT,
    MAX_TOKENS,
    STOPPED,
    TEMPERATURE,
    WITHHELD,
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

_ENDS = {"length": CUT, "content_filter": WITHHELD}


def _body(question: Question, wording: Wording) -> Body:
    # Models that reason take the new name only, other servers often know the old one only.
    most = "max_completion_tokens" if MAX_TOKENS in wording.refused else MAX_TOKENS
    body: Body = {
        "model": question.model,
        most: question.most_tokens,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.text},
        ],
    }
    if TEMPERATURE not in wording.refused:
        body[TEMPERATURE] = 0
    return body


def _read(reply: object) -> Said:
    end = field_of(reply, "choices", 0, "finish_reason")
    refused = field_of(reply, "choices", 0, "message", "refusal")
    return Said(
        text_at(reply, "choices", 0, "message", "content"),
        WITHHELD if refused else _ENDS.get(str(end), STOPPED),
        count_at(reply, "usage", "prompt_tokens"),
        count_at(reply, "usage", "completion_tokens"),
    )


OPENAI = Dialect(
    "openai",
    path="/v1/chat/completions",
    ending="/chat/completions",
    root="/v1",
    headers=bearer,
    body=_body,
    structures=(
        lambda schema: {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        },
        lambda _: {"response_format": {"type": "json_object"}},
        lambda _: {},
    ),
    optional=(MAX_TOKENS, TEMPERATURE),
    read=_read,
)
