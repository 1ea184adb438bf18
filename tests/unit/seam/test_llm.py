"""The one way to ask a language model: what leaves, what comes back, and what is asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from engrain.model.errors import ModelError
from engrain.seam.llm import LLM, NO_JSON, TEXT, WRONG_SCHEMA, Broken, Completion, Question, one_of
from support.vaults import FakeEntropy

QUESTION = Question("Read what stands between two {mark}: {most} items.", "items", {"text": TEXT})
PLAIN = Question("Say it again, between {mark}.")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
GOOD = json.dumps({"items": [{"text": "one"}, "no object", {"text": "two"}]})


class Scripted(LLM):
    """A model that gives these answers one after the other; an error among them is raised."""

    name = "scripted"

    def __init__(self, *answers: str | ModelError) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, str, Mapping[str, Any] | None, int]] = []

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        self.asked.append((system, text, schema, most_tokens))
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return Completion(answer, 1, 1)


def find(llm: Scripted, *lines: Mapping[str, object] | str) -> list[dict[str, Any]] | None:
    return QUESTION.find(llm, FakeEntropy().draw, lines or [{"n": 1}], most=3)


def test_the_data_stands_between_marks_as_lines_of_json_without_secrets() -> None:
    llm = Scripted(GOOD, GOOD)
    draw = FakeEntropy().draw
    for _ in range(2):
        QUESTION.find(llm, draw, [{"n": 1, "text": f"a\nb {TOKEN}"}, TOKEN], most=3)
    marks = []
    for system, text, _, _ in llm.asked:
        first, line, plain, last = text.split("\n")
        assert first == last and system == f"Read what stands between two {first}: 3 items."
        assert json.loads(line)["text"].startswith("a\nb [redacted:")
        assert TOKEN[:12] not in line + plain
        marks.append(first)
    assert marks[0] != marks[1]


def test_the_schema_wants_every_field_and_no_other() -> None:
    assert PLAIN.schema is None
    schema = Question("", "found", {"kind": one_of(("a", "b")), "text": TEXT}).schema
    assert schema is not None
    items = schema["properties"]["found"]["items"]
    assert schema["required"] == ["found"]
    assert items["required"] == ["kind", "text"] and items["additionalProperties"] is False
    assert items["properties"]["kind"] == {"type": "string", "enum": ["a", "b"]}


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```"])
def test_objects_are_found_in_a_code_fence_too(text: str) -> None:
    assert find(Scripted(text)) == [{"text": "one"}, {"text": "two"}]


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"items": 3}', "[" * 100_000])
def test_an_answer_without_a_list_finds_nothing(text: str) -> None:
    assert find(Scripted(text)) == []


@pytest.mark.parametrize("answered", [True, False])
def test_a_model_that_is_of_no_help_finds_none(answered: bool) -> None:
    assert find(Scripted(ModelError("cut off", answered=answered))) is None


def test_what_is_of_no_use_is_asked_again_with_the_reason_and_the_schema() -> None:
    llm, noted = Scripted("prose", ModelError("cut off", answered=True), GOOD), list[str]()
    found = QUESTION.ask(
        llm, FakeEntropy().draw, ["x"], QUESTION.read_items, tries=3, note=noted.append, most=1
    )
    assert found[0] == {"text": "one"}
    assert noted == [NO_JSON, "cut off"]
    systems = [system for system, *_ in llm.asked]
    assert "of no use" not in systems[0]
    assert f"of no use: {NO_JSON}" in systems[1] and json.dumps(QUESTION.schema) in systems[1]


def test_the_last_reason_is_told_when_no_try_is_left() -> None:
    with pytest.raises(Broken, match=WRONG_SCHEMA):
        QUESTION.ask(
            Scripted("prose", "{}"), FakeEntropy().draw, [], QUESTION.read_items, tries=2, most=1
        )


def test_a_server_that_does_not_answer_is_not_asked_again() -> None:
    llm = Scripted(ModelError("away"), GOOD)
    with pytest.raises(ModelError, match="away"):
        QUESTION.ask(llm, FakeEntropy().draw, [], QUESTION.read_items, tries=2, most=1)
    assert len(llm.asked) == 1


def test_a_question_without_a_key_is_answered_in_plain_text() -> None:
    llm = Scripted("plainly")
    assert PLAIN.ask(llm, FakeEntropy().draw, ["x"], str, most_tokens=7) == "plainly"
    assert llm.asked[0][2:] == (None, 7)
