"""No write makes a circle of entries that replaced one another; what is there is found
(S1.15, S2.9)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, UsageError
from support.vaults import make_memory
from unit.engine.core.vault_files import notes, put

TEXT = "The pooler is {}."


def save(memory: Memory, name: str, text: str = "") -> str:
    return memory.save(text or TEXT.format(name), title=name, kind="fix").id


def recalled(memory: Memory) -> list[str]:
    return sorted(one.row.title for one in memory.recall("the pooler").results)


def ring(vault: Path, length: int, form: str = "supersedes: {}") -> None:
    """Notes that replaced one another in a circle, as another program leaves them."""
    for n in range(length):
        said = form.format(f"n{(n + 1) % length}")
        front, body = (said, "") if ":" in said and "[[" not in said[:2] else ("", said)
        put(
            vault,
            f"notes/n{n}.md",
            f"---\nid: id-n{n}\ncreated: 2026-01-0{n + 1}\n{front}\n---\n"
            f"# N{n}\nThe pooler {n}. {body}\n",
        )


@pytest.mark.parametrize("relation", ["supersedes", "superseded_by"])
def test_a_link_the_other_way_round_is_refused(memory: Memory, vault: Path, relation: str) -> None:
    old, new = save(memory, "Old"), save(memory, "New")
    memory.link(new, old, "supersedes")
    before = notes(vault)
    ends = (old, new) if relation == "supersedes" else (new, old)
    with pytest.raises(UsageError, match="in a circle") as raised:
        memory.link(*ends, relation)
    assert raised.value.remedy is not None
    assert f"engrain link {new} {old} --relation supersedes --remove" in raised.value.remedy
    assert notes(vault) == before
    assert memory.link(new, old, "supersedes").outcome == "unchanged"


def test_a_circle_through_others_is_refused(memory: Memory) -> None:
    ids = [save(memory, name) for name in ("A", "B", "C", "D")]
    for older, newer in pairwise(ids):
        memory.link(newer, older, "supersedes")
    with pytest.raises(UsageError, match="in a circle"):
        memory.link(ids[0], ids[-1], "supersedes")
    assert recalled(memory) == ["D"]


@pytest.mark.parametrize("verb", ["save", "edit", "evolve"])
def test_a_text_that_makes_one_is_refused(memory: Memory, vault: Path, verb: str) -> None:
    old, new = save(memory, "Old"), save(memory, "New")
    memory.link(new, old, "supersedes")
    before = notes(vault)
    said = "In the place of [[Supersedes:: new]]."
    with pytest.raises(UsageError, match="in a circle"):
        if verb == "edit":
            memory.edit(old, expect=memory.show(old).entry.hash, text=said)
        elif verb == "evolve":
            memory.evolve(new, "Not [[superseded-by:: old]].")
        else:
            memory.save(f"{said} Gone: [[superseded_by:: old]].", title="Third", kind="fix")
    assert notes(vault) == before


def test_what_another_entry_replaced_does_not_evolve(memory: Memory) -> None:
    old, new = save(memory, "Old"), save(memory, "New")
    memory.link(new, old, "supersedes")
    with pytest.raises(ConflictError, match="is superseded: only an active entry evolves"):
        memory.evolve(old, "The pooler is other.")
    memory.evolve(new, "The pooler is newer.")
    assert recalled(memory) == ["New"]


def test_an_import_leaves_out_what_would_close_a_circle(memory: Memory, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name, other in (("one", "two"), ("two", "one"), ("three", "nobody")):
        put(tree, f"{name}.md", f"# {name}\nThe pooler [[supersedes:: {other}]].\n")
    done = memory.import_folder(str(tree))
    assert done.counts["created"] == 2
    ((_, why),) = [(path, why) for path, why in done.problems if "circle" in why]
    assert "would lead round in a circle" in why


@pytest.mark.parametrize(
    "form",
    ["supersedes: {}", "superseded_by: [{}]", "links: [{{to: {}, relation: supersedes}}]",
     "[[supersedes:: {}]]", "[[superseded_by:: {}|that]]"],
)  # fmt: skip
@pytest.mark.parametrize("length", [2, 3])
def test_check_finds_a_circle(memory: Memory, vault: Path, form: str, length: int) -> None:
    ring(vault, length, form)
    titles = [f"N{n}" for n in range(length)]
    assert recalled(memory) == titles
    told = memory.check(["circle"]).found
    assert len(told) == 1
    assert ", ".join(f"id-n{n}" for n in range(length)) in told[0].message


def test_other_changes_of_what_is_in_a_circle_go_through(memory: Memory, vault: Path) -> None:
    ring(vault, 2)
    memory.scan()
    hash_ = memory.show("n0").entry.hash
    assert memory.edit("n0", expect=hash_, tags=["x"]).outcome == "updated"
    assert memory.link("n0", "n1", "elaborates").outcome == "updated"


def test_two_devices_that_link_the_other_way_round_lose_neither(tmp_path: Path) -> None:
    with (
        make_memory(tmp_path, trust="operator") as one,
        make_memory(tmp_path, device="other", trust="operator") as two,
    ):
        old, new = save(one, "Old"), save(one, "New")
        two.scan()
        path = tmp_path / "vault" / one.show(old).entry.path
        one.link(new, old, "supersedes")
        # What a synchroniser makes of two edits that it joined.
        path.write_text(path.read_text().replace("kind: fix", f"kind: fix\nsupersedes: {new}", 1))
        for memory in (one, two):
            memory.scan()
            memory.trust.attest(old)
            assert recalled(memory) == ["New", "Old"]
