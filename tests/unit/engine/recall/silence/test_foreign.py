"""The prompts about anything that ship with Engrain."""

from __future__ import annotations

from engrain.engine.recall.silence.own_questions import list_foreign, read_foreign, without_names


def test_there_are_enough_of_them_long_and_short_with_and_without_names() -> None:
    prompts = read_foreign()
    assert len(prompts) >= 250
    assert len(set(prompts)) == len(prompts)
    words = [len(prompt.split()) for prompt in prompts]
    assert min(words) <= 3
    assert max(words) >= 50
    bare = [without_names(prompt) for prompt in prompts]
    named = sum(new != " ".join(old.split()) for new, old in zip(bare, prompts, strict=True))
    assert named >= 100
    assert len(list_foreign()) == len(prompts) + named


def test_a_trace_has_its_lines() -> None:
    assert any(prompt.startswith("Traceback") and "\n  File" in prompt for prompt in read_foreign())
    assert not any("⏎" in prompt or prompt.startswith("#") for prompt in read_foreign())


def test_names_are_taken_out_with_what_marks_an_owner() -> None:
    assert without_names("Where did Greta put Ole's skis in Lund?") == "Where did put skis in ?"
    assert without_names("no names here") == "no names here"
