"""Skills taken in from folders and given out as such (S2.4)."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.engine.verbs.intake import Terms
from engrain.model.experience.folders import SkillFolder, read_skill_folder
from engrain.model.experience.skills import Skill
from support.vaults import make_memory
from unit.engine.core.vault_files import notes

SECRET = "ghp_" + "aB3dE6gH9" * 4
RELEASE = Skill(
    "Release a version",
    "When a new version of the package goes out to the registry.",
    steps=["Tag the commit", "Run the pipeline"],
)


def found(memory: Memory, task: str, *, outside: bool = False) -> list[str]:
    return [one.row.title for one in memory.skills.find(task, outside=outside)]


def folder(body: str = "# Pooler\n\nMend the pooler.\n\n## Steps\n1. Restart it\n") -> SkillFolder:
    return SkillFolder("pooler", body, ["pg"], {"allowed-tools": "Bash(psql:*)"}, [])


def test_a_skill_from_outside_is_not_applied_silently(memory: Memory, tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external", seed=8) as outside:
        taken = outside.skills.import_folder(folder())
    assert taken.outcome == "created"
    assert found(memory, "mend the pooler") == []
    assert found(memory, "mend the pooler", outside=True) == ["Pooler"]
    assert memory.skills.show(taken.id).origin == "external"
    given = memory.skills.export(taken.id)
    assert given.left_out == ("allowed-tools",)
    main = dict(given.files)["SKILL.md"]
    assert b"\nallowed-tools:" not in main
    with make_memory(tmp_path, trust="external", seed=9) as outside:
        assert (
            outside.skills.import_folder(read_skill_folder(given.name, main)).outcome == "unchanged"
        )
    memory.trust.attest(taken.id)
    assert found(memory, "mend the pooler") == ["Pooler"]
    assert b"\nallowed-tools:" in dict(memory.skills.export(taken.id).files)["SKILL.md"]


def test_taking_in_again_is_unchanged_and_another_is_filed_beside(
    memory: Memory, vault: Path
) -> None:
    taken = memory.skills.import_folder(folder())
    memory.skills.note_use(taken.id, "success")
    before = notes(vault)
    assert memory.skills.import_folder(folder()).outcome == "unchanged"
    assert notes(vault) == before
    other = memory.skills.import_folder(folder("# Pooler\n\nAnother.\n"))
    assert (other.outcome, other.other) == ("similar", taken.id)
    assert memory.skills.import_folder(folder("# Pooler\n\nAnother.\n")).outcome == "unchanged"
    memory.forget(taken.id)
    assert memory.skills.import_folder(folder()).outcome == "stays deleted"
    back = memory.skills.import_folder(folder(), terms=Terms(restore_deleted=True))
    assert (back.outcome, memory.show(taken.id).entry.status) == ("restored", "active")


def test_a_skill_that_is_imported_again_gets_the_trust_that_is_named(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external") as outside:
        taken = outside.skills.import_folder(folder())
        assert outside.show(taken.id).origin == "external"
    with make_memory(tmp_path, trust="operator", seed=8) as memory:
        assert memory.skills.import_folder(folder()).outcome == "unchanged"
        assert (
            memory.skills.import_folder(folder(), terms=Terms("operator")).outcome
            == "trust changed"
        )
        assert memory.show(taken.id).origin == "operator"
        assert memory.skills.import_folder(folder(), terms=Terms("operator")).outcome == "unchanged"


def test_what_was_given_out_comes_back_as_it_is(memory: Memory, vault: Path) -> None:
    added = memory.skills.add(RELEASE, tags=["ci", "pypi"])
    taken = memory.skills.import_folder(folder())
    before = notes(vault)
    for id_ in (added.id, taken.id):
        given = memory.skills.export(id_)
        main, *beside = given.files
        read = read_skill_folder(given.name, main[1], [(path, raw, "") for path, raw in beside])
        again = memory.skills.import_folder(read)
        assert (again.outcome, again.id) == ("unchanged", id_)
    assert notes(vault) == before


def test_secrets_in_a_folder_are_not_taken_in(memory: Memory, vault: Path) -> None:
    taken = memory.skills.import_folder(folder(f"# Pooler\n\nUse `{SECRET}`.\n"))
    assert taken.redacted == ("github-token",)
    assert SECRET not in (vault / taken.locator).read_text()
