"""Skills from outside, and skills given out as hosts load them (S2.4)."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.model.experience.skills import Skill
from support.vaults import make_memory


def found(memory: Memory, task: str, *, outside: bool = False) -> list[str]:
    return [one.row.title for one in memory.skills.find(task, outside=outside)]


def test_a_skill_from_outside_is_not_applied_silently(memory: Memory, tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external", seed=8) as outside:
        taken = outside.skills.add(Skill("Pooler", "Mend the pooler.", steps=["Restart it"]))
    assert found(memory, "mend the pooler") == []
    assert found(memory, "mend the pooler", outside=True) == ["Skill: Pooler"]
    assert memory.skills.show(taken.id).origin == "external"
    name, raw = memory.skills.export(taken.id)
    assert name == "pooler"
    assert raw.startswith(
        b"---\nname: pooler\ndescription: Mend the pooler.\n---\n\n# Skill: Pooler\n"
    )
    memory.trust.attest(taken.id)
    assert found(memory, "mend the pooler") == ["Skill: Pooler"]
