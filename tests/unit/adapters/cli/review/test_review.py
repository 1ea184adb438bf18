"""archive, pin, undo --cascade and review at the command line."""

from __future__ import annotations

import pytest

from engrain import open_memory
from unit.adapters.shell import CommandLine
from unit.adapters.shell import ask as data_of

LONG = "The pooler drops prepared statements. " + "Nothing much happened on that day at all. " * 30


def propose(cli: CommandLine, action: str, target: str, reason: str = "") -> None:
    with open_memory(cli.vault, state_dir=cli.state) as memory:
        assert memory.review.propose(action, target, reason) is not None


def open_ids(cli: CommandLine) -> list[str]:
    found = data_of(cli, "review", "list")["proposals"]
    return [proposal["id"] for proposal in found]


def test_pin_loads_an_entry_always_and_unpin_leaves_it_to_heat(cli: CommandLine) -> None:
    saved = cli.save("Never on Fridays.", "--title", "Release", "--kind", "workflow")
    assert data_of(cli, "edit", saved["id"], "--pin")["path"] == "Memory/_always-load/release.md"
    assert data_of(cli, "edit", "release", "--unpin")["outcome"] == "updated"


def test_undo_with_cascade_tells_what_went(cli: CommandLine) -> None:
    source = cli.save("A page.", "--title", "Source", "--kind", "fix")
    changes = data_of(cli, "history", source["id"])["changes"]
    child = cli.save(
        "Summed up.", "--title", "Child", "--kind", "fix", "--derived-from", source["id"]
    )
    data = data_of(cli, "undo", changes[0]["change"], "--cascade")
    assert data["cascaded"] is True
    derived = data["derived"]
    assert [row["id"] for row in derived] == [child["id"]]
    assert data_of(cli, "show", child["id"])["status"] == "deleted"


def test_a_proposal_is_listed_shown_with_its_diff_and_accepted(cli: CommandLine) -> None:
    saved = cli.save(LONG, "--title", "Pooler", "--kind", "fix")
    assert cli("review", "list").out == "No proposal is open.\n"
    propose(cli, "archive", saved["id"], "not recalled in 9 sessions")
    listed = cli("review", "list").out
    assert "archive: Pooler" in listed and "not recalled in 9 sessions" in listed
    (id_,) = open_ids(cli)
    shown = cli("review", "show", id_).out
    assert "--- Memory/fix/pooler.md" in shown and "+status: archived" in shown
    assert cli("review", "accept", id_).out.startswith("accepted  archive: Pooler")
    assert data_of(cli, "show", saved["id"])["status"] == "archived"
    assert "[accepted]" in cli("review", "list", "--decided").out
    refused = cli("review", "accept", id_)
    assert refused.code == 4
    assert "was decided on" in refused.err


def test_several_are_rejected_at_once_with_a_reason(cli: CommandLine) -> None:
    ids = [cli.save(LONG, "--title", f"Pooler {n}", "--kind", "fix")["id"] for n in range(2)]
    for id_ in ids:
        propose(cli, "archive", id_)
    decisions = data_of(cli, "review", "reject", *open_ids(cli), "--reason", "in use")["decisions"]
    assert [one["decision"] for one in decisions] == ["rejected"] * 2
    assert open_ids(cli) == []


def test_all_of_a_kind_are_accepted(cli: CommandLine) -> None:
    saved = [cli.save(LONG, "--title", f"Pooler {n}", "--kind", "fix")["id"] for n in range(2)]
    propose(cli, "archive", saved[0])
    propose(cli, "attest", saved[1])
    decisions = data_of(cli, "review", "accept", "--all", "--kind", "archive")["decisions"]
    assert [(one["target"], one["decision"]) for one in decisions] == [(saved[0], "accepted")]
    assert len(open_ids(cli)) == 1


@pytest.mark.parametrize(
    "argv",
    [
        ("accept",),
        ("accept", "x", "--all"),
        ("accept", "x", "--kind", "archive"),
        ("accept", "--all", "--kind", "destroy"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(cli: CommandLine, argv: tuple[str, ...]) -> None:
    done = cli("review", *argv)
    assert done.code == 2, done.out
    assert done.err.startswith("engrain: ")


def test_restore_all_takes_back_everything_that_was_forgotten_in_one_change(
    cli: CommandLine,
) -> None:
    ids = [cli.save(f"Number {n}.", "--title", f"N{n}")["id"] for n in range(3)]
    assert cli("restore").code == cli("restore", ids[0], "--all").code == 2
    for id_ in ids[:2]:
        cli("forget", id_)
    assert set(data_of(cli, "restore", "--all")["restored"]) == set(ids[:2])
    assert "3 in all" in cli("list").out
    cli("undo")
    assert "1 in all" in cli("list").out
    cli("undo", "--yes")
    assert cli("restore", "--all").out


def test_vouching_for_all_asks_somebody_and_is_one_change(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    notes.mkdir()
    for number in range(3):
        (notes / f"n{number}.md").write_text(f"# N{number}\n\nText {number}.\n")
    cli("import", str(notes))
    own = cli.save("Mine.", "--title", "Mine", "--trust", "agent")
    refused = cli("review", "vouch", "--all")
    assert refused.code == 6
    assert refused.err == (
        "engrain: 3 active entries from outside, and there is no terminal to ask; give --yes\n"
    )
    vouched = data_of(cli, "review", "vouch", "--all", "--yes")["vouched"]
    assert len(vouched) == 3 and own["id"] not in vouched
    with open_memory(cli.vault, state_dir=cli.state) as memory:
        assert {memory.show(id_).origin for id_ in vouched} == {"operator"}
        assert memory.show(str(own["id"])).origin == "agent"
    again = cli("review", "vouch", "--all")
    assert (again.code, again.out) == (0, "0 entries from outside: yours now\n")
