"""Questions that a vault answers, made of its own entries, and the prompts that ship with us."""

from __future__ import annotations

from engrain import Memory
from engrain.engine.core.scope import Scope, filter_for, in_every_project
from engrain.engine.recall.silence.own_questions import (
    PHRASES,
    list_foreign,
    make_questions,
    read_foreign,
    split_sentences,
    without_names,
)
from unit.lifecycle.sessions.living import store_of

HEADS = tuple(phrase.partition("{}")[0] for phrase in PHRASES)


def ask(memory: Memory, most: int = 20) -> list[str]:
    store = store_of(memory)
    only = in_every_project(filter_for(store, Scope()))
    with store.index.view() as view:
        return list(make_questions(store, view, only, most))


def test_each_asks_by_two_words_of_one_sentence(memory: Memory) -> None:
    memory.save("Walrus herds limp across northern ice.", title="Animals", kind="fix")
    [question] = ask(memory)
    assert question.startswith(HEADS)
    asked = set(question.split()) & {"Walrus", "herds", "limp", "across", "northern", "ice"}
    assert len(asked) == 2


def test_they_are_the_same_each_time_and_at_most_so_many(memory: Memory) -> None:
    for number in range(12):
        text = f"Lorry {number} brings gravel, timber and mortar to the quarry."
        memory.save(text, title=f"Lorry {number}", kind="fix")
    questions = ask(memory)
    assert len(questions) == 12
    assert ask(memory) == questions
    assert ask(memory, 5) == questions[:5]


def test_in_a_talk_a_word_of_what_was_said_nearby_is_asked_with_them(memory: Memory) -> None:
    fragments = ["Walrus herds limp across northern ice.", "Oh.", "Penguins waddle toward rocks."]
    for text in fragments:
        memory.save(text, title="Said", kind="memory", source="session", ref="s1")
    [first, second] = [set(question.split()) for question in ask(memory)]
    animals = {"Walrus", "herds", "limp", "across", "northern", "ice"}
    birds = {"Penguins", "waddle", "toward", "rocks"}
    for question in (first, second):
        assert sorted((len(question & animals), len(question & birds))) == [1, 2]


def test_nothing_is_asked_of_what_is_short_or_code_or_out_of_scope(memory: Memory) -> None:
    memory.save("Walrus ice.", title="Short", kind="fix")
    memory.save("```\nimport walrus, penguin, seal, herring\n```", title="Code", kind="fix")
    memory.save("Draft walrus herds limp across ice.", title="Inbox", kind="fix", status="inbox")
    assert ask(memory) == []


def test_sentences_are_prose_without_marks() -> None:
    text = (
        "# Title\nUse `rm -rf` with **care**. See [[notes/a|the note]] and [this](http://x.y)!\n"
        "```sh\nmake walrus\n```\nThe end"
    )
    assert split_sentences(text) == [
        "Title",
        "Use   with   care  .",
        "See  the note  and  this !",
        "The end",
    ]


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
