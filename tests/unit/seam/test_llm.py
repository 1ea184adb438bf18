"""The one way to ask a language model: what leaves, what comes back, and what is asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from engrain.seam.llm import LLM, NO_JSON, TEXT, WRONG_SCHEMA, Broken, Completion, Question, one_of
from support.vaults import FakeEntropy

QUESTION = Question("Read what stands between two {mark}.", "items", {"text": TEXT}, 100)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
GOOD = json.dumps({"items": [{"text": "one"}, "no object", {"text": "two"}]})
FOUND = [{"text": "one"}, "no object", {"text": "two"}]


class Scripted(LLM):
    """A model that gives these answers one after the other."""

    name = "scripted"

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, str, Mapping[str, Any] | None, int]] = []

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        self.asked.append((system, text, schema, most_tokens))
        return Completion(self._answers.pop(0), 1, 1)


def test_the_data_stands_between_marks_as_lines_of_json_without_secrets() -> None:
    llm = Scripted(GOOD, GOOD)
    draw = FakeEntropy().draw
    for _ in range(2):
        QUESTION.ask(llm, draw, [{"n": 1, "text": f"a\nb {TOKEN}"}, TOKEN])
    marks = []
    for system, text, schema, most_tokens in llm.asked:
        first, line, plain, last = text.split("\n")
        assert first == last and system == f"Read what stands between two {first}."
        assert json.loads(line)["text"].startswith("a\nb [redacted:")
        assert TOKEN[:12] not in line + plain
        assert (schema, most_tokens) == (QUESTION.schema, 100)
        marks.append(first)
    assert marks[0] != marks[1]


def test_the_schema_wants_every_field_and_no_other() -> None:
    schema = Question("", "found", {"kind": one_of(("a", "b")), "text": TEXT}, 1).schema
    items = schema["properties"]["found"]["items"]
    assert schema["required"] == ["found"]
    assert items["required"] == ["kind", "text"] and items["additionalProperties"] is False
    assert items["properties"]["kind"] == {"type": "string", "enum": ["a", "b"]}


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is:\n```\n{GOOD}\n```\nIs that {{good}}?",
        f"The set {{a, b}} has: {GOOD}",
    ],
)
def test_the_list_is_found_in_a_fence_and_in_prose(text: str) -> None:
    assert QUESTION.ask(Scripted(text), FakeEntropy().draw, ["x"]) == FOUND


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NO_JSON),
        ("no json", NO_JSON),
        ("[]", NO_JSON),
        ('{"items": 3}', WRONG_SCHEMA),
        ("{" * 100_000, NO_JSON),
        ('{"a":' * 100_000, NO_JSON),
    ],
)
def test_an_answer_without_a_list_is_of_no_use(text: str, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        QUESTION.ask(Scripted(text), FakeEntropy().draw, [])
