"""What is known before a task: what fits, what to avoid, how it is done, in one budget (S2.10)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core import upkeep
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.recall.excerpts import summarise
from engrain.engine.recall.filling import OVERHEAD
from engrain.engine.recall.mistakes import MISTAKES
from engrain.engine.recall.profiles import PHASES, PROFILES
from engrain.model.experience.patterns import AntiPattern, compose_anti_pattern
from engrain.model.note.note import compose_note
from support.loki import PATTERN, TREE
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, put
from unit.interchange.trees import take_in

TASK = "Implement the endpoint that deletes todos"


def save(memory: Memory, title: str, text: str, kind: str, **more: Any) -> str:
    return memory.save(text, title=title, kind=kind, project="", **more).id


def put_episode(vault: Path, id_: str, goal: str, outcome: str = "success", **more: Any) -> None:
    document = {
        "id": id_, "timestamp": "2026-09-20T10:00:00Z", "context": {"goal": goal},
        "action_log": [{"t": n, "action": "edit_file", "target": f"src/part{n}.ts"}
                       for n in range(500)],
        "outcome": outcome, **more,
    }  # fmt: skip
    put(vault, f"Memory/episodic/2026-09-20/{id_}.json", json.dumps(document))


def put_mistake(
    vault: Path, id_: str, fails: str, why: str, prevention: str, *actions: str
) -> None:
    anti = AntiPattern(id_, fails, why=why, prevention=prevention, actions=actions, confidence=0.9)
    put(vault, f"Memory/anti-pattern/{id_}.md", compose_note(*compose_anti_pattern(anti)).raw)


def put_learning(vault: Path, id_: str, message: str, anti_pattern: str) -> None:
    document = {
        "id": id_, "timestamp": "2026-09-20T10:00:00Z", "type": "compilation", "message": message,
        "resolution": "Added it", "lesson": f"Mind the {message}", "anti_pattern": anti_pattern,
    }  # fmt: skip
    put(vault, f"Memory/learnings/2026-09-20/{id_}.json", json.dumps(document))


@pytest.fixture
def experienced(memory: Memory, vault: Path) -> Memory:
    save(
        memory,
        "Todos endpoint handlers return void",
        "Declare the type of the endpoint.",
        "pattern",
    )
    save(memory, "Cranes are greased at noon", "The harbour crew does it.", "pattern")
    save(
        memory, "Endpoint implementation", "1. Read the spec.\n2. Write the endpoint.", "procedural"
    )
    put_episode(
        vault, "ep-won", "Implement the endpoint that lists todos",
        errors_encountered=[{"type": "compilation", "message": "no return type",
                             "resolution": "Added void"}],
    )  # fmt: skip
    put_episode(vault, "ep-lost", "Implement the endpoint that counts todos", "failure")
    put_mistake(
        vault, "anti-type", "The todos endpoint does not compile", "No return type.",
        "Declare void.",
        "run_test",
    )  # fmt: skip
    put_mistake(vault, "anti-port", "The port is taken", "EADDRINUSE.", "Stop the server.", "Serve")
    put_learning(vault, "learning-type", "todos endpoint return type", "anti-type")
    put_learning(vault, "learning-lone", "todos endpoint authorisation", "")
    memory.scan()
    return memory


def ids(found: Any) -> list[str]:
    return [one.row.id for one in found]


def kinds(found: Any) -> list[str]:
    return [one.row.kind for one in found]


def test_each_collection_brings_its_best_in_the_order_of_their_weights(experienced: Memory) -> None:
    found = experienced.before_task(TASK)
    assert kinds(found.results) == ["pattern", "episode", "procedural"]
    assert [one.row.score for one in found.results] == pytest.approx([0.5, 0.3, 0.2])
    assert found.skills == ()
    assert kinds(found.applicable_skills) == ["procedural"]


def test_only_episodes_that_succeeded_are_examples(experienced: Memory) -> None:
    found = experienced.before_task(TASK)
    assert "ep-won" in ids(found.results)
    assert "ep-lost" not in ids(found.given)
    by_tag = experienced.recall(TASK, profile="task", scope=Scope(tags=["failure"]))
    assert by_tag.results == ()
    both = experienced.recall(TASK, profile="task", scope=Scope(tags=["success", "failure"]))
    assert ids(both.results) == ["ep-won"]


def test_of_an_episode_is_told_how_it_went_and_not_every_step(experienced: Memory) -> None:
    found = experienced.before_task(TASK)
    (episode,) = [one for one in found.results if one.row.id == "ep-won"]
    assert "Outcome: success" in episode.text
    assert "Added void" in episode.text
    assert "part1" not in episode.text
    assert episode.part


def test_of_many_long_errors_some_are_reported_and_the_rest_counted(
    memory: Memory, vault: Path
) -> None:
    errors = [{"type": f"e{n}", "message": "x" * 5000, "resolution": None} for n in range(9)]
    put_episode(vault, "ep-bad", TASK, errors_encountered=errors)
    (episode,) = memory.before_task(TASK).results
    assert episode.text.count("Error:") == 5
    assert "and 4 more errors" in episode.text
    assert len(episode.text) < 5 * 400


def test_a_mistake_comes_by_the_task_s_words_and_what_was_learned_of_it_not_twice(
    experienced: Memory,
) -> None:
    avoid = experienced.before_task(TASK).avoid_these
    assert set(ids(avoid)) == {"anti-type", "learning-lone"}
    by_id = {one.row.id: summarise(one) for one in avoid}
    assert by_id["anti-type"] == "The todos endpoint does not compile: Declare void."
    assert by_id["learning-lone"] == "Mind the todos endpoint authorisation: Added it"


def test_the_type_of_action_alone_brings_a_mistake_only_where_it_is_given(
    experienced: Memory,
) -> None:
    assert "anti-port" not in ids(experienced.before_task(TASK).avoid_these)
    avoid = ids(experienced.before_task(TASK, action="serve").avoid_these)
    assert avoid[-1] == "anti-port"  # what fits the words comes first
    assert ids(experienced.before_task("Paint the ferry", action="serve").avoid_these) == [
        "anti-port"
    ]
    assert experienced.before_task("Paint the ferry", action="paint").avoid_these == ()


def test_a_mistake_met_at_the_action_comes_before_others_that_fit(experienced: Memory) -> None:
    avoid = experienced.before_task(TASK, action="run_test").avoid_these
    assert ids(avoid)[0] == "anti-type"


def test_what_went_wrong_at_tasks_like_it_is_reported_though_no_word_is_the_same(
    experienced: Memory, vault: Path
) -> None:
    anti = AntiPattern("anti-flush", "Stale cache", why="Old rows.", prevention="Flush it.")
    for name, source in (("anti-flush", "ep-lost"), ("anti-far", "ep-nowhere")):
        fields, body = compose_anti_pattern(replace(anti, id=name), [source])
        put(vault, f"Memory/anti-pattern/{name}.md", compose_note(fields, body).raw)
    avoid = ids(experienced.before_task(TASK).avoid_these)
    assert avoid[-1] == "anti-flush"  # what fits by its words comes first
    assert len(avoid) == 3
    assert "anti-flush" not in ids(experienced.before_task("Grease the cranes").avoid_these)
    assert "anti-flush" not in ids(
        experienced.recall(TASK, profile="task", scope=Scope(project="other", tags=["x"])).given
    )
    experienced.forget("anti-flush")
    assert "anti-flush" not in ids(experienced.before_task(TASK).avoid_these)


def test_what_is_said_twice_takes_no_room_from_other_mistakes(memory: Memory, vault: Path) -> None:
    for word in ("amber", "birch", "cedar", "daisy", "elder", "fern"):
        put_mistake(vault, f"anti-{word}", f"Todos endpoint {word}", word, f"No {word}.")
        put_learning(vault, f"learning-{word}", f"todos endpoint {word}", f"anti-{word}")
    memory.scan()
    avoid = memory.before_task("todos endpoint").avoid_these
    assert len(avoid) == 5
    assert len({one.row.id.partition("-")[2] for one in avoid}) == 5


def test_a_success_far_from_a_task_is_no_example_where_a_failure_is_close(
    memory: Memory, vault: Path
) -> None:
    put_episode(vault, "ep-close", "Implement the endpoint that deletes todos", "failure")
    put_episode(vault, "ep-far", "Implement the lighthouse")
    for number in range(9):
        put_episode(vault, f"ep-other-{number}", f"Paint the {'abcdefghi'[number] * 4} ferry")
    assert memory.before_task(TASK).results == ()


def test_a_mistake_that_was_taken_back_is_told_no_more(experienced: Memory) -> None:
    experienced.forget("anti-type")
    experienced.forget("learning-type")
    assert ids(experienced.before_task(TASK, action="run_test").avoid_these) == ["learning-lone"]


def test_a_task_that_nothing_is_known_of_gets_nothing_and_is_reported_so(
    experienced: Memory,
) -> None:
    found = experienced.before_task("Which vineyard near Zaragoza did Marguerite visit at noon?")
    assert (found.given, found.rejected) == ((), True)
    assert found.withheld > 0
    assert found.nearest
    nothing = experienced.before_task("zzyzx")
    assert (nothing.given, nothing.rejected, nothing.withheld) == ((), False, 0)


def test_at_most_five_of_all_come_and_the_skills_that_did_not_are_told_apart(
    experienced: Memory,
) -> None:
    for number in range(6):
        save(
            experienced,
            f"Endpoint rule {number}",
            f"Implement todos so: {'abcdef'[number]}.",
            "pattern",
        )
        save(
            experienced,
            f"Endpoint skill {number}",
            f"Endpoint step {'uvwxyz'[number]}.",
            "procedural",
        )
    found = experienced.before_task(TASK)
    assert len(found.results) == 5
    assert 0 < len(found.skills) <= 3
    assert set(ids(found.results)).isdisjoint(ids(found.skills))
    assert len(experienced.before_task(TASK, limit=2).results) == 2


@pytest.mark.parametrize("budget", [1, 60, 150, 300, 2000])
def test_all_parts_share_one_budget(experienced: Memory, budget: int) -> None:
    found = experienced.before_task(TASK, budget=budget)
    assert found.tokens == sum(one.tokens + OVERHEAD for one in found.given) <= budget
    assert found.given or found.over_budget


def test_what_the_reader_has_already_is_left_out_and_noted(experienced: Memory) -> None:
    full = experienced.before_task(TASK)
    found = experienced.before_task(TASK, loaded=ids(full.given))
    assert set(ids(found.given)).isdisjoint(ids(full.given))
    assert set(found.again) >= {full.results[0].row.id, full.avoid_these[0].row.id}


def test_a_phase_weighs_kinds_against_each_other_and_bounds_them(experienced: Memory) -> None:
    for number in range(3):
        name = ("first", "second", "third")[number]
        put_episode(
            Path(experienced._open_store().backend.describe()), f"ep-{name}",
            f"Implement the endpoint that renames todos, {name}",
        )  # fmt: skip
    found = experienced.before_task(TASK, phase="plan")
    assert kinds(found.results).count("episode") == PHASES["plan"].most("episode") == 1
    assert found.results[0].row.score == pytest.approx(0.5 * PHASES["plan"].prior("pattern"))


def test_a_scope_narrows_every_part(experienced: Memory) -> None:
    found = experienced.recall(TASK, profile="task", scope=Scope(kinds=["pattern"]))
    assert isinstance(found, TaskRecall)
    assert set(kinds(found.given)) == {"pattern"}
    other = experienced.recall(TASK, profile="task", scope=Scope(kinds=["fix"]))
    assert other.given == ()


def test_a_skill_from_outside_is_not_offered(experienced: Memory, tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external") as outside:
        id_ = save(outside, "Todos endpoint skill", "Implement the todos endpoint.", "procedural")
    if outside.show(id_).entry.status == "active":
        assert id_ not in ids(experienced.before_task(TASK).given)
    put(
        Path(experienced._open_store().backend.describe()), "Memory/procedural/planted.md",
        "---\nid: 01planted\nkind: procedural\n---\n# Todos endpoint deletes\nImplement it thus.\n",
    )  # fmt: skip
    assert "01planted" not in ids(experienced.before_task(TASK).given)


def test_a_skill_that_fails_more_than_it_serves_counts_less(experienced: Memory) -> None:
    def score() -> float:
        found = experienced.before_task(TASK, limit=20)
        return next(one.row.score for one in found.results if one.row.kind == "procedural")

    before = score()
    skill = next(one.row.id for one in experienced.skills.list())
    for _ in range(3):
        experienced.skills.note_use(skill, "failure")
    assert score() == pytest.approx(before * 0.7)


def test_an_explanation_adds_up_to_the_score(experienced: Memory) -> None:
    found = experienced.recall(TASK, profile="task", action="serve", explain=True)
    assert found.explanation is not None
    assert found.explanation.words
    for one in found.given:
        assert one.reasons is not None
        score = sum(part.score * part.factor for part in one.reasons.parts) or 1.0
        for factor in one.reasons.priors.values():
            score *= factor
        assert one.row.score == pytest.approx(score)
    plain = experienced.recall(TASK, profile="task", action="serve")
    assert ids(plain.given) == ids(found.given)


def test_in_a_session_every_part_is_noted_and_given_once(experienced: Memory) -> None:
    with experienced.sessions.open() as session:
        first = session.recall(TASK, profile="task", action="serve")
        again = session.recall(TASK, profile="task", action="serve")
        assert first.given
        assert again.given == ()
    for one in first.given:
        assert experienced.show(one.row.id).entry.recall_count == (one.row.id in first.leading)


def test_what_was_edited_since_is_reported_as_it_stands(experienced: Memory, vault: Path) -> None:
    (path,) = vault.glob("Memory/pattern/todos*.md")
    path.write_text(path.read_text().replace("Declare the type", "Always declare the type"))
    found = experienced.recall(TASK, profile="task", scan=False)
    assert any("Always declare" in one.text for one in found.results)


def test_a_mistake_whose_file_is_broken_is_left_out(experienced: Memory, vault: Path) -> None:
    put(vault, "Memory/anti-pattern/anti-type.md", b"---\n\xff\n")
    put(vault, "Memory/learnings/2026-09-20/learning-lone.json", "{")
    found = experienced.recall(TASK, profile="task", action="run_test", scan=False)
    assert {"anti-type", "learning-lone"}.isdisjoint(ids(found.given))


def test_without_an_index_every_file_is_read(
    experienced: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_index(tmp_path / "state")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    found = experienced.recall(TASK, profile="task")
    assert found.degraded
    assert isinstance(found, TaskRecall)
    assert "ep-won" in ids(found.results)
    assert "ep-lost" not in ids(found.given)
    assert "anti-type" in ids(found.avoid_these)


def test_what_shares_no_word_with_a_task_is_found_by_its_vector(
    experienced: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    experienced.embed()
    profile = replace(PROFILES["task"], reject=False)
    found = experienced.recall("implementational endpointing", profile=profile, explain=True)
    assert (found.embedder, found.explanation is not None) == ("stub", True)
    assert "procedural" in kinds(found.results)


def test_an_embedder_that_can_t_answer_is_told_of_once(
    experienced: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    experienced.embed()
    for number in range(80):
        save(experienced, f"Crane {number}", f"The crane {number}.", "pattern")
    found = experienced.recall(TASK, profile="task", scan=False, explain=True)
    assert found.results
    assert found.explanation is not None
    assert len(found.explanation.lost) == 1


def test_the_collections_are_those_of_the_seed() -> None:
    weights = {one.name: (one.limit, one.weight) for one in PROFILES["task"].collections}
    assert weights["patterns"] == (5, 0.5)
    assert weights["episodes"] == (3, 0.3)
    assert weights["skills"][1] == 0.2
    assert sum(weight for _, weight in weights.values()) == pytest.approx(1)
    assert PROFILES["task"].limit == 5
    asked = [kind for one in PROFILES["task"].collections for kind in one.kinds]
    assert len({*asked, *MISTAKES.kinds}) == len(asked) + len(MISTAKES.kinds)


def test_a_prompt_is_not_flooded_by_traces(memory: Memory, vault: Path) -> None:
    words = ["amber", "birch", "cedar", "daisy", "elder"]
    for word in words:
        put_episode(vault, f"ep-{word}", f"Grease the harbour crane by the {word}")
    save(memory, "Harbour crane", "Grease the harbour crane at noon.", "fix")
    found = memory.recall("grease the harbour crane")
    assert kinds(found.results)[0] == "fix"
    assert kinds(found.results).count("episode") <= 2


OTHER_WORDS = {
    "pattern": "Strict mode refuses an unannotated signature", "conditions": ["tsc --strict"],
    "correct_approach": "Annotate it", "incorrect_approach": "Leave it out", "links": [],
}  # fmt: skip


@pytest.mark.parametrize("words", [{}, OTHER_WORDS])
def test_a_pattern_comes_with_its_episodes_in_whatever_words(
    memory: Memory, words: dict[str, Any]
) -> None:
    take_in(memory, {**TREE, "semantic/patterns.json": [{**PATTERN, **words}]})
    goal = "Implement POST /api/todos endpoint with an Express handler"
    found = memory.recall(goal, profile="task", explain=True)
    assert [one.row.id for one in found.results][:2] == ["sem-001", "ep-2026-01-06-001"]
    assert found.results[0].row.score <= 0.5, "no higher than its collection's weight"
    again = memory.recall(goal, profile="task", loaded=["sem-001"])
    assert "sem-001" not in [one.row.id for one in again.results]
    unlike = memory.recall("Book a train to the seaside", profile="task")
    assert not unlike.results
