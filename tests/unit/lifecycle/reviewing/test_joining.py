"""Two notes become one at the word of whoever asks: nothing is lost, doubled or trusted more."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.lifecycle.reviewing.joining import join_texts
from unit.lifecycle.dreaming.sleepers import put

DAY = 86400.0


def texts(vault: Path) -> dict[str, bytes]:
    files = (path for path in vault.rglob("*.md") if ".engrain" not in path.parts)
    return {str(path.relative_to(vault)): path.read_bytes() for path in files}


def test_the_newer_text_leads_and_the_older_adds_what_is_not_there() -> None:
    newer = "Fired on Mondays.\n\n## Wood\n\n- beech\n- oak\n"
    older = (
        "fired on  mondays.\n\nIt cools for two days.\n\n## Wood\n\n- oak\n- ash\n\n"
        "## Tools\n\nTongs hang left.\n\n```\na\n\nb\n```\n"
    )
    assert join_texts(newer, older) == (
        "Fired on Mondays.\n\n## Wood\n\n- beech\n- oak\n\nIt cools for two days.\n\n## Wood\n\n"
        "- ash\n\n## Tools\n\nTongs hang left.\n\n```\na\n\nb\n```"
    )
    assert join_texts(newer, newer) == newer


def test_two_notes_become_one_with_the_tags_aliases_and_links_of_both(memory: Memory) -> None:
    old = memory.save("On Fridays.\n\nCools two days.", title="Kiln", kind="fix", tags=["a", "b"])
    new = memory.save("On Mondays.", title="Kiln schedule", kind="fix", tags=["b", "c"])
    mill = memory.save("Stones.", title="Mill", kind="fix")
    memory.link(old.id, mill.id, "elaborates")
    pointer = memory.save("See [[Kiln]] first.", title="Pointer", kind="fix")
    memory.edit(new.id, expect=new.hash, text="On Mondays now.")
    merged = memory.merge(old.id, new.id)
    kept = memory.show(new.id).entry
    assert merged.kept.id == kept.id == new.id
    assert kept.title == "Kiln schedule"
    assert kept.text.strip() == "On Mondays now.\n\nOn Fridays.\n\nCools two days."
    assert list(kept.tags) == ["b", "c", "a"]
    assert kept.fields["aliases"] == ["Kiln"]
    assert (mill.id, "elaborates") in kept.links
    gone = memory.show(old.id)
    assert gone.entry.status == "superseded"
    assert (new.id, "superseded_by") in gone.entry.links
    assert memory.show(pointer.id).links_from[0][2].id == new.id  # type: ignore[union-attr]
    assert "[[Kiln schedule]]" in memory.show(pointer.id).entry.text
    assert memory.show("Kiln").entry.id == new.id


def test_one_undo_takes_the_whole_merge_back(memory: Memory, vault: Path) -> None:
    old = memory.save("On Fridays.", title="Kiln", kind="fix", tags=["a"])
    new = memory.save("On Mondays.", title="Kiln schedule", kind="fix")
    memory.save("See [[Kiln]] first.", title="Pointer", kind="fix")
    before = texts(vault)
    memory.merge(new.id, old.id)
    assert texts(vault) != before
    assert len({one.change for one in memory.history(limit=5) if one.op == "merge"}) == 1
    memory.undo()
    assert texts(vault) == before
    memory.redo()
    assert memory.show(old.id).entry.status == "superseded"


def test_a_dry_run_says_the_same_and_writes_nothing(memory: Memory, vault: Path) -> None:
    old = memory.save("On Fridays.", title="Kiln", kind="fix")
    new = memory.save("On Mondays.", title="Kiln schedule", kind="fix")
    before = texts(vault)
    plan = memory.merge(old.id, new.id, dry_run=True)
    assert (plan.kept.id, plan.gone.id) == (new.id, old.id)
    assert texts(vault) == before


@pytest.mark.parametrize("trusted_is_newer", [True, False])
def test_a_merge_is_trusted_no_more_than_the_less_trusted_of_both(
    memory: Memory, trusted_is_newer: bool
) -> None:
    def save(trust: str, title: str) -> str:
        return memory.acting_as(trust).save(f"As {trust} says.", title=title, kind="fix").id

    order = ["tool", "operator"] if trusted_is_newer else ["operator", "tool"]
    ids = {trust: save(trust, f"Kiln of the {trust}") for trust in order}
    merged = memory.acting_as("operator").merge(*ids.values())
    assert memory.show(merged.kept.id).row.source == "tool"
    assert merged.kept.title == f"Kiln of the {order[1]}"
    assert merged.kept.text.startswith(f"As {order[1]} says.")
    assert memory.show(merged.gone.id).entry.status == "superseded"


def test_what_comes_from_outside_supersedes_an_own_note_only_for_the_operator(
    memory: Memory, vault: Path
) -> None:
    own = memory.save("On Fridays.", title="Kiln", kind="fix")
    outside = put(memory, "Memory/fix/outside.md", "Kiln schedule", "On Mondays.", by="external")
    before = texts(vault)
    with pytest.raises(ConflictError, match="comes from outside"):
        memory.merge(own.id, outside)
    assert texts(vault) == before
    merged = memory.acting_as("operator").merge(own.id, outside)
    assert merged.kept.id == outside
    assert memory.show(outside).row.source == "external"


def test_what_can_not_be_merged_is_refused_and_nothing_is_written(
    memory: Memory, vault: Path
) -> None:
    kiln = memory.save("On Fridays.", title="Kiln", kind="fix")
    gone = memory.save("Gone.", title="Gone", kind="fix")
    memory.forget(gone.id)
    old = memory.save("Old.", title="Evolved", kind="fix")
    memory.evolve(old.id, "New.")
    episode = memory.episodes.save(
        {"context": {"goal": "Ship it"}, "timestamp": "2026-02-03T04:05:06Z"}
    )
    before = texts(vault)
    for other, error in (
        (kiln.id, UsageError),
        ("Kiln", UsageError),
        (gone.id, ConflictError),
        (old.id, ConflictError),
        (episode.id, UsageError),
        ("nothing of that name", NotFoundError),
    ):
        with pytest.raises(error):
            memory.merge(kiln.id, other)
        with pytest.raises(error):
            memory.merge(other, kiln.id)
    assert texts(vault) == before
