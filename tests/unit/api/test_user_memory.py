"""One vault for many people: nobody meets another's entries, and all meet what is shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, Scope, UsageError
from support.vaults import make_memory


def titles(memory: Memory, user: str, scope: Scope | None = None) -> list[str]:
    return sorted(row.title for row in memory.for_user(user).list(scope=scope).rows)


def test_an_entry_of_a_user_is_theirs_alone(memory: Memory) -> None:
    ada, ben = memory.for_user("ada"), memory.for_user("ben")
    nuts = ada.save("I am allergic to hazel nuts.", title="Nuts", kind="preference")
    ben.save("I am allergic to cow milk.", title="Milk", kind="preference")
    assert titles(memory, "ada") == ["Nuts"]
    assert titles(memory, "ben") == ["Milk"]
    assert [found.row.id for found in ada.recall("what am I allergic to").results] == [nuts.id]
    assert ada.read("Nuts").fields["project"] == "user/ada"


def test_a_user_meets_what_is_shared_and_what_belongs_to_the_project(memory: Memory) -> None:
    memory.save("The quay is long.", title="Project quay", kind="fix")
    memory.save("Answers are short.", title="For everybody", kind="preference")
    memory.save("The mill is old.", title="Another project", kind="fix", project="mill")
    memory.for_user("ada").save("I like tea.", title="Tea")
    assert titles(memory, "ada") == ["For everybody", "Project quay", "Tea"]
    assert titles(memory, "ada", Scope(project="mill")) == [
        "Another project",
        "For everybody",
        "Tea",
    ]


def test_without_a_user_the_entries_of_users_are_met_only_in_all_projects(memory: Memory) -> None:
    memory.for_user("ada").save("I like tea.", title="Tea")
    assert memory.list().rows == ()
    assert memory.recall("tea").results == ()
    assert [row.title for row in memory.list(scope=Scope(all_projects=True)).rows] == ["Tea"]
    assert [row.title for row in memory.list(scope=Scope(user="ada")).rows] == ["Tea"]


@pytest.mark.parametrize("scope", [Scope(all_projects=True), Scope(project="user/ben")])
def test_no_scope_widens_to_other_users(memory: Memory, scope: Scope) -> None:
    memory.for_user("ben").save("I like coffee.", title="Coffee")
    ada = memory.for_user("ada")
    with pytest.raises(UsageError, match="no other users"):
        ada.list(scope=scope)
    with pytest.raises(UsageError, match="no other users"):
        ada.recall("coffee", scope=scope)


def test_a_scope_of_another_user_is_that_of_the_user(memory: Memory) -> None:
    memory.for_user("ben").save("I like coffee.", title="Coffee")
    assert titles(memory, "ada", Scope(user="ben")) == []


def test_another_users_entry_is_not_found_by_any_reference(memory: Memory) -> None:
    saved = memory.for_user("ben").save("I like coffee.", title="Coffee")
    ada = memory.for_user("ada")
    for reference in (saved.id, saved.id[:12], saved.locator, "Coffee", "coffee"):
        for verb in (ada.read, ada.history, ada.forget, ada.restore):
            with pytest.raises(NotFoundError, match="ada has no entry"):
                verb(reference)
        with pytest.raises(NotFoundError):
            ada.evolve(reference, "I like cocoa.")


def test_a_title_that_two_users_have_means_their_own_entry(memory: Memory) -> None:
    ada, ben = memory.for_user("ada"), memory.for_user("ben")
    first = ada.save("I like tea.", title="Drink")
    second = ben.save("I like coffee.", title="Drink")
    assert second.other is None, "the outcome names another user's entry"
    assert ada.read("Drink").id == first.id
    assert ben.read("Drink").id == second.id
    assert [change.op for change in ben.history("Drink")] == ["save"]


def test_the_same_text_of_two_users_is_two_entries(memory: Memory) -> None:
    first = memory.for_user("ada").save("I like tea.", title="Drink")
    second = memory.for_user("ben").save("I like tea.", title="Drink")
    assert first.id != second.id
    assert memory.for_user("ada").save("I like tea.", title="Drink").outcome == "unchanged"


def test_a_user_changes_their_own_entries_and_no_shared_one(memory: Memory) -> None:
    shared = memory.save("The quay is long.", title="Quay", kind="fix")
    ada = memory.for_user("ada")
    own = ada.save("I like tea.", title="Drink")
    ada.edit(own.id, expect=ada.read(own.id).hash, tags=["drinks"])
    newer = ada.evolve(own.id, "I like coffee.", title="Drink")
    assert ada.read(newer.id).project == "user/ada"
    ada.forget(newer.id)
    assert titles(memory, "ada") == ["Quay"]
    ada.restore(newer.id)
    assert titles(memory, "ada") == ["Drink", "Quay"]
    entry = ada.read(shared.id)
    with pytest.raises(UsageError, match="is shared"):
        ada.edit(shared.id, expect=entry.hash, tags=["x"])
    with pytest.raises(UsageError, match="is shared"):
        ada.evolve(shared.id, "The quay is short.")
    with pytest.raises(UsageError, match="is shared"):
        ada.forget(shared.id)


def test_a_preference_of_a_user_holds_for_that_user(memory: Memory) -> None:
    """A preference without a user holds in every project."""
    memory.for_user("ada").save("Always answer in verse.", kind="preference", title="Verse")
    assert titles(memory, "ben") == []
    assert memory.list().rows == ()


def test_what_no_user_matches_says_nothing_of_others(memory: Memory) -> None:
    memory.for_user("ben").save("My locker code is 4711.", title="Locker")
    found = memory.for_user("ada").recall("what is the locker code")
    assert found.results == ()
    assert list(found.nearest) == []
    assert found.elsewhere == 0


def test_a_note_that_changes_hands_in_its_file_changes_hands_at_once(tmp_path: Path) -> None:
    with make_memory(tmp_path, backend="obsidian-vault") as memory:
        saved = memory.for_user("ada").save("I like tea.", title="Drink")
        path = tmp_path / "vault" / saved.locator
        path.write_text(path.read_text().replace("user/ada", "user/ben"))
        with pytest.raises(NotFoundError):
            memory.for_user("ada").read(saved.id)
        assert memory.for_user("ben").read(saved.id).id == saved.id


@pytest.mark.parametrize("name", ["", "Ada", "a b", "../ben", "ada/ben", "user/ada", "_x", "a\n"])
def test_a_name_that_is_no_slug_is_refused_with_what_is_one(memory: Memory, name: str) -> None:
    with pytest.raises(UsageError, match="no name of a user") as refused:
        memory.for_user(name)
    assert "lower-case" in (refused.value.remedy or "")


def test_a_kind_of_a_project_is_not_saved_for_a_user(memory: Memory) -> None:
    with pytest.raises(UsageError, match="belongs to a project"):
        memory.for_user("ada").save("One pooler for all.", kind="design")
