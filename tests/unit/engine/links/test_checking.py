"""`links check`: every link by state, with the reason (S1.11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, UsageError
from engrain.engine.links.checking import LinkReport
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory
from unit.engine.core.vault_files import put

Told = tuple[str, int, str, str]


def told(report: LinkReport) -> list[Told]:
    """(source, line, target, reason) of what a check tells."""
    return [
        (link.place, link.line, link.reference.target, link.verdict.reason) for link in report.links
    ]


def candidates(report: LinkReport) -> list[list[str]]:
    return [[row.locator for row in link.verdict.candidates] for link in report.links]


def test_links_that_lead_to_one_note_are_counted_and_not_told(memory: Memory, vault: Path) -> None:
    put(
        vault,
        "notes/Target Note.md",
        "---\naliases: [Nick]\n---\n# Its title\n\n## Part\n\nx ^b1\n",
    )
    put(
        vault,
        "notes/source.md",
        "[[Target Note]] [[target note]] [[Its title|x]] [[Nick]] [[Target Note#Part]]\n"
        "[[Target Note#^b1]] ![[Target Note]] [[notes/Target Note]] [[elaborates:: Target Note]]\n"
        "[a](Target%20Note.md) [b](<../notes/Target Note.md#part>) [[#Here]]\n\n# Here\n",
    )
    report = memory.links.check()
    assert told(report) == []
    assert report.counts["resolved"] == report.total == 12
    assert report.share == 1.0


def test_each_reason_is_told_with_the_line_it_stands_in(memory: Memory, vault: Path) -> None:
    gone = memory.save("Text.", title="Gone", kind="fix")
    memory.forget(gone.id)
    put(vault, "n.md", "# N\n\n## Part\n")
    put(vault, "files/there.png", b"\x89PNG")
    put(vault, "large.md", "x" * (MAX_NOTE_BYTES + 1))
    put(
        vault,
        "source.md",
        "---\nkind: fix\n---\n# Source\n\n[[nobody]]\n[[gone]]\n[[n#Other]]\n[[n#^no]]\n"
        "[[#Nowhere]]\n"
        "![[there.png]]\n![[missing.png]]\n[[dir/n]]\n[[{{title}}]]\n[[large]]\n[t](no.md)\n",
    )
    report = memory.links.check()
    assert told(report) == [
        ("source.md", 6, "nobody", "no-note"),
        ("source.md", 7, "gone", "forgotten"),
        ("source.md", 8, "n", "no-heading"),
        ("source.md", 9, "n", "no-block"),
        ("source.md", 12, "missing.png", "no-file"),
        ("source.md", 13, "dir/n", "moved"),
        ("source.md", 14, "{{title}}", "placeholder"),
        ("source.md", 15, "large", "unreadable"),
        ("source.md", 16, "no.md", "no-note"),
        ("source.md", 10, "", "no-heading"),
    ]
    counts = report.counts
    assert (counts["resolved"], counts["broken"], counts["moved"]) == (6, 5, 1)


def test_of_several_notes_of_one_name_the_one_that_obsidian_opens_comes_first(
    memory: Memory, vault: Path
) -> None:
    for folder in ("a", "b", "b/c"):
        put(vault, f"{folder}/same.md", f"# Of {folder}\n")
    put(vault, "b/source.md", "[[same]]\n[[a/same]]\n")
    report = memory.links.check()
    assert told(report) == [("b/source.md", 1, "same", "several")]
    assert candidates(report) == [["b/same.md", "a/same.md", "b/c/same.md"]]
    assert report.counts["ambiguous"] == 1


def test_what_stands_in_code_is_no_link(memory: Memory, vault: Path) -> None:
    put(vault, "n.md", "# N\n")
    put(vault, "source.md", "`[[n]]` `[[example]]` <!-- [[n]] -->\n")
    report = memory.links.check()
    assert (told(report), report.total) == ([], 0)


def test_a_vault_of_dendron_is_read_in_its_own_order(memory: Memory, vault: Path) -> None:
    for name in ("dev.one", "dev.two"):
        put(vault, f"{name}.md", f"---\ntitle: {name}\n---\n\n## First part\n")
    put(
        vault,
        "dev.md",
        "[[Docs|dev.one]] [[More|dendron://this/dev.two#first-part]] ![[dev.one#first-part,1:#*]]\n"
        "[[Docs|dev.one#no-part]]\n[[Else|dendron://other/dev.three]]\n[[Gone|dendron://this/dev.no]]\n",
    )
    report = memory.links.check()
    assert report.label_first
    assert [(line, reason) for _, line, _, reason in told(report)] == [
        (2, "no-heading"),
        (3, "no-note"),
        (4, "no-note"),
    ]
    assert report.reasons == {"no-heading": 1, "no-note": 2}
    assert memory.links.check(limit=0).reasons == report.reasons


def test_links_to_the_operators_own_notes_are_not_followed(memory: Memory, vault: Path) -> None:
    put(vault, "one.md", "---\nlinks: [{to: 'personal:x.md', relation: related_to}]\n---\nText.\n")
    report = memory.links.check()
    assert (report.counts["personal"], report.total) == (1, 0)


def test_orphans_and_notes_of_one_title_are_told(memory: Memory, vault: Path) -> None:
    put(vault, "a/one.md", "# Same\n\n[[other]]\n")
    put(vault, "b/two.md", "# same\n")
    put(vault, "other.md", "# Other\n")
    report = memory.links.check()
    assert [row.locator for row in report.orphans] == ["b/two.md"]
    assert [[row.locator for row in rows] for rows in report.same_titles] == [
        ["a/one.md", "b/two.md"]
    ]


@pytest.mark.parametrize(
    ("state", "targets"), [("broken", ["no", "a"]), ("ambiguous", ["same"]), ("moved", ["x/a"])]
)
def test_one_state_alone_can_be_asked_for(
    memory: Memory, vault: Path, state: str, targets: list[str]
) -> None:
    put(vault, "a.md", "# A\n\n[[no]] [[same]] [[x/a]] [[a#no]] [[a]]\n")
    put(vault, "1/same.md", "")
    put(vault, "2/same.md", "")
    report = memory.links.check(state)
    assert [link.reference.target for link in report.links] == targets
    assert report.orphans == ()


def test_a_limit_cuts_what_is_told_and_not_what_is_counted(memory: Memory, vault: Path) -> None:
    put(vault, "a.md", "".join(f"[[no {number}]]\n" for number in range(9)))
    report = memory.links.check(limit=2)
    assert [len(report.links), report.listed, report.counts["broken"]] == [2, 9, 9]
    report = memory.links.check("orphans", 0)
    assert (list(report.orphans), report.orphans_in_all) == ([], 1)


def test_an_unknown_state_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="'lost' is no state"):
        memory.links.check("lost")


def test_a_store_without_files_of_other_kinds_is_checked_too(tmp_path: Path) -> None:
    with make_memory(tmp_path, backend="ram") as memory:
        memory.save("See [[nobody]] and ![[a.png]].", title="One", kind="fix")
        assert [reason for *_, reason in told(memory.links.check())] == ["no-note", "no-file"]


def test_links_in_a_note_whose_frontmatter_is_broken_are_judged_all_the_same(
    memory: Memory, vault: Path
) -> None:
    put(vault, "a/n.md", "# N\n")
    put(vault, "b/n.md", "# N\n")
    put(
        vault,
        "b/broken.md",
        "---\ntitle: one: two\n---\n[[./n]] [[n]] [[nobody]]\n`[[n]]` [[#No]] [t](../a/n.md)\n",
    )
    report = memory.links.check()
    assert told(report) == [
        ("b/broken.md", 4, "n", "several"),
        ("b/broken.md", 4, "nobody", "no-note"),
        ("b/broken.md", 5, "", "no-heading"),
    ]
    counts = report.counts
    assert (counts["resolved"], counts["ambiguous"], counts["broken"]) == (3, 1, 1)


def test_a_path_of_a_note_that_can_not_be_read_means_no_other(memory: Memory, vault: Path) -> None:
    put(vault, "a/n.md", b"\xff\x00")
    put(vault, "b/n.md", "# N\n")
    put(vault, "c/n.md", "# N\n")
    put(vault, "by.md", "[[a/n|n]] [[d/n]] [t](a/n.md)\n")
    put(vault, "root.md", b"\xff\x00")
    put(vault, "a/root.md", "# Below\n")
    put(vault, "c/by.md", "[[root]] [[a/root]]\n")
    put(vault, "a/by.md", "[[Below]]\n")
    assert [one[2:] for one in told(memory.links.check())] == [
        ("a/n", "unreadable"),
        ("d/n", "several"),
        ("a/n.md", "unreadable"),
        ("root", "unreadable"),
    ]


def test_a_label_does_not_hide_that_a_path_has_moved(memory: Memory, vault: Path) -> None:
    put(vault, "new/n.md", "# N\n")
    put(vault, "by.md", "[[old/n|label]] [[n|and/or]] [[new/n|old/n]]\n")
    report = memory.links.check()
    assert told(report) == [("by.md", 1, "old/n", "moved")]
    assert report.counts["moved"] == 1


def test_what_people_read_of_a_link_is_no_file_that_it_leads_to(
    memory: Memory, vault: Path
) -> None:
    put(vault, "photo.png", b"\x89PNG")
    put(vault, "bad.md", b"\xff\x00")
    put(vault, "by.md", "[[gone|photo.png]] [[lost|bad]] [[photo.png|bad]]\n")
    assert [one[2:] for one in told(memory.links.check())] == [
        ("gone", "no-note"),
        ("lost", "no-note"),
    ]


def test_proposals_and_digests_are_no_notes_whose_links_anybody_wrote(
    memory: Memory, vault: Path
) -> None:
    put(vault, "n.md", "# N\n")
    put(vault, "Memory/_dream-staging/run/digest.md", "---\nkind: proposal\n---\n[[n]] [[no]]\n")
    assert memory.links.check().total == 0
