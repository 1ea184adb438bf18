"""Anthropic's messages (`POST /v1/messages`, version 2023-06-01). An answer of a schema is asked
for as the input of a tool that it must call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engrain.inference.llm.dialect import (
    CUT,
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

_VERSION = "2023-06-01"
_TOOL = "answer"
_ENDS = {"max_tokens": CUT, "model_context_window_exceeded": CUT, "refusal": WITHHELD}
_TAKEN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}


def _body(question: Question, wording: Wording) -> Body:
    body: Body = {
        "model": question.model,
        "max_tokens": question.most_tokens,
        "system": question.system,
        "messages": [{"role": "user", "content": question.text}],
    }
    if TEMPERATURE not in wording.refused:
        body[TEMPERATURE] = 0
    return body


def _call(schema: Mapping[str, Any], choice: Mapping[str, str]) -> Body:
    tool = {"name": _TOOL, "description": "Gives the answer.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": choice}


def _read(reply: object) -> Said:
    taken = [count_at(reply, "usage", name) for name in _TAKEN]
    return Said(
        _input(reply) or text_at(reply, "content"),
        _ENDS.get(str(field_of(reply, "stop_reason")), STOPPED),
        None if taken[0] is None else sum(count or 0 for count in taken),
        count_at(reply, "usage", "output_tokens"),
    )


def _input(reply: object) -> str:
    """What the tool was called with, "" where it was not."""
    blocks = field_of(reply, "content")
    for block in blocks if isinstance(blocks, list) else []:
        if field_of(block, "type") == "tool_use" and field_of(block, "name") == _TOOL:
            return json.dumps(field_of(block, "input"))
    return ""


ANTHROPIC = Dialect(
    "anthropic",
    path="/v1/messages",
    ending="/messages",
    root="/v1",
    headers=_headers,
    body=_body,
    structures=(
        lambda schema: _call(schema, {"type": "tool", "name": _TOOL}),
        # A model that thinks may not be forced to a tool.
        lambda schema: _call(schema, {"type": "auto"}),
        lambda _: {},
    ),
    optional=(TEMPERATURE,),
    read=_read,
)
