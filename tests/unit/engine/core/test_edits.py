"""Whose an edit is that another program made: a person's in an editor, on the device with the
vault's key, is the operator's, and nothing gains by it that came from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.save import STATED
from engrain.lifecycle.upkeep.digest import STATED as SECTION
from engrain.model.errors import ConfigError
from support.vaults import make_memory
from unit.lifecycle.sessions.living import with_settings


def origin(memory: Memory, reference: str) -> str:
    memory.scan()
    return memory.show(reference).origin


def rewrite(vault: Path, memory: Memory, reference: str, old: str, new: str) -> None:
    path = vault / memory.show(reference).locator
    path.write_text(path.read_text().replace(old, new))


def test_a_note_that_is_written_in_an_editor_is_the_operators_wherever_it_lies(
    memory: Memory, vault: Path
) -> None:
    memory.save("One change makes the key.", title="First", kind="fix")
    for place in ("preferences/tabs.md", "Memory/fix/lock.md"):
        (vault / place).parent.mkdir(parents=True, exist_ok=True)
        (vault / place).write_text("# Mine\n\nBy hand.\n")
    assert origin(memory, "tabs") == origin(memory, "lock") == "operator"
    assert not memory.show("lock").attested


def test_what_a_person_writes_over_an_agents_note_is_the_operators(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("The lock is taken at nine.", title="Lock", kind="fix")
    assert origin(memory, saved.id) == "agent"
    rewrite(vault, memory, saved.id, "nine", "ten")
    assert origin(memory, saved.id) == "operator"
    found = memory.recall("when is the lock taken").results
    assert [one.row.source for one in found] == ["operator"]


@pytest.mark.parametrize("how", ["over", "derived", "moved", "claimed", "record"])
def test_nothing_from_outside_gains_by_an_edit(
    memory: Memory, vault: Path, tmp_path: Path, how: str
) -> None:
    with make_memory(tmp_path, trust="external") as outside:
        saved = outside.save("Always push at once.", title="Push", kind="fix")
    memory.scan()
    path = vault / memory.show(saved.id).locator
    if how == "over":
        rewrite(vault, memory, saved.id, "push", "Push")
        assert origin(memory, saved.id) == "external"
    elif how == "derived":
        note = vault / "Memory/insight/sum.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"---\nderived_from: [{saved.id}]\n---\n# Sum\n\nPush at once.\n")
        origin(memory, "sum")
        made = memory.save(
            "So we push.", title="So", kind="insight", derived_from=[memory.show("sum").entry.id]
        )
        assert memory.show(made.id).origin == "external"
    elif how == "moved":
        place = vault / "Memory/_always-load" / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
        assert origin(memory, saved.id) == "external"
    elif how == "claimed":
        # A note with an id of ours without a record: another device's, still on its way.
        note = vault / "Memory/fix/other.md"
        note.write_text(path.read_text().replace(saved.id, "01k8zzzzzzzzzzzzzzzzzzzzzz"))
        assert origin(memory, "other") == "external"
    else:
        episode = vault / "Memory/handoffs/h.json"
        episode.parent.mkdir(parents=True, exist_ok=True)
        episode.write_text('{"kind": "handoff", "title": "Go", "text": "Push."}')
        memory.scan()
        rows = memory.list(scope=Scope(kinds=["handoff"], all_projects=True)).rows
        assert all(row.source == "external" for row in rows)


def test_without_the_key_an_edit_is_external_as_before(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("One change makes the key.", title="First", kind="fix")
    (vault / "Memory/fix/lock.md").write_text("# Mine\n\nBy hand.\n")
    assert origin(memory, "lock") == "operator"
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "elsewhere/config.toml"))
    with make_memory(tmp_path, device="elsewhere") as other:
        assert not other.trust.survey().has_key
        assert origin(other, "lock") == "external"


@pytest.mark.parametrize("edits", ["ask", "external"])
def test_a_setting_holds_edits_in_both_tiers(memory: Memory, vault: Path, edits: str) -> None:
    memory.save("One change makes the key.", title="First", kind="fix")
    for place in ("preferences/tabs.md", "Memory/fix/lock.md"):
        (vault / place).parent.mkdir(parents=True, exist_ok=True)
        (vault / place).write_text("# Mine\n\nBy hand.\n")
    memory.scan()
    held = memory._with(lambda store: with_settings(store, {"edits": edits}))
    assert held.show("tabs").origin == held.show("lock").origin == "external"


def test_a_setting_that_is_none_is_reported(memory: Memory, vault: Path) -> None:
    (vault / "lock.md").write_text("# Mine\n")
    memory.scan()
    wrong = memory._with(lambda store: with_settings(store, {"edits": "mien"}))
    with pytest.raises(ConfigError, match="edits is 'mien', not mine, ask or external"):
        wrong.show("lock")


def test_what_an_agent_files_as_the_users_words_stays_the_agents_and_is_reported(
    memory: Memory,
) -> None:
    saved = memory.save("Use tabs.", title="Tabs", kind="preference", stated_by="user")
    shown = memory.show(saved.id)
    assert (shown.origin, shown.entry.source["stated_by"]) == ("agent", "user")
    (item,) = memory.review.digest().sections[SECTION]
    assert (item.entry, item.reason) == (saved.id, STATED)
    memory.undo(item.change)
    assert memory.list().total == 0


def test_nobody_says_so_of_what_comes_from_outside_or_was_changed_since(
    memory: Memory, tmp_path: Path
) -> None:
    with make_memory(tmp_path, trust="external") as outside:
        foreign = outside.save("Push.", title="Push", kind="fix", stated_by="user")
        assert "stated_by" not in outside.show(foreign.id).entry.source
    memory.scan()
    told = memory.save(
        "We push.", title="We", kind="fix", derived_from=[foreign.id], stated_by="user"
    )
    assert memory.show(told.id).origin == "external"
    assert "stated_by" not in memory.show(told.id).entry.source
    saved = memory.save("Use tabs.", title="Tabs", kind="fix", stated_by="user")
    memory.edit(saved.id, expect=saved.hash, text="Use spaces.")
    assert "stated_by" not in memory.show(saved.id).entry.source
