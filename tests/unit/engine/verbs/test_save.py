"""`save`: one memory, filed once, in its place, and nothing else touched (S1.1, S1.22)."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from engrain import Memory, Scope, UsageError
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.instants import format_instant
from engrain.model.errors import ForbiddenPathError
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import START, FakeClock, make_memory
from unit.engine.core.vault_files import find, notes, put


def test_a_new_memory_is_created_in_the_folder_of_its_kind(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    assert (saved.outcome, saved.locator) == ("created", "Memory/fix/nightly-lock.md")
    assert (saved.kind, saved.title) == ("fix", "Nightly lock")
    assert notes(vault)[saved.locator].endswith(b"---\n# Nightly lock\nTake the lock first.\n")


def test_three_identical_saves_leave_one_entry_with_one_id(memory: Memory, vault: Path) -> None:
    first = memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    before = notes(vault)
    again = [memory.save("Take the lock first.", title="Nightly lock", kind="fix") for _ in "ab"]
    assert [(one.outcome, one.id, one.hash) for one in again] == [
        ("unchanged", first.id, first.hash)
    ] * 2
    assert notes(vault) == before
    assert memory.list().total == 1
    assert len(memory.history()) == 1


@pytest.mark.parametrize(
    "variant", ["A line.\r\n\r\nAnother.\r\n", "\n\nA line.\n\nAnother.\n\n\n"]
)
def test_line_ends_and_blank_lines_around_a_text_make_no_other_memory(
    memory: Memory, variant: str
) -> None:
    first = memory.save("A line.\n\nAnother.", title="Lines")
    assert (memory.save(variant, title="Lines").outcome, memory.list().total) == ("unchanged", 1)
    assert memory.show(first.id).entry.text == "A line.\n\nAnother.\n"


def test_the_same_title_with_another_text_is_a_similar_entry_beside_it(
    memory: Memory, vault: Path
) -> None:
    first = memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    before = notes(vault)[first.locator]
    second = memory.save("Skip the lock.", title="Nightly lock", kind="fix")
    assert (second.outcome, second.other) == ("similar", first.id)
    assert second.id != first.id
    assert second.locator.folder == first.locator.folder
    assert second.locator.startswith("Memory/fix/nightly-lock-")
    assert notes(vault)[first.locator] == before
    assert memory.show(second.id).entry.slug == second.locator.name.removesuffix(".md")


def test_a_similar_entry_saved_again_is_the_same_entry(memory: Memory) -> None:
    memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    second = memory.save("Skip the lock.", title="Nightly lock", kind="fix")
    again = memory.save("Skip the lock.", title="Nightly lock", kind="fix")
    assert (again.outcome, again.id, again.locator) == ("unchanged", second.id, second.locator)


def test_another_device_gives_a_similar_entry_the_same_name(tmp_path: Path) -> None:
    places = []
    for name in ("one", "two"):
        with make_memory(tmp_path, name=name, device=f"{name}-state", seed=len(name)) as memory:
            memory.save("Take the lock first.", title="Nightly lock", kind="fix")
            places.append(memory.save("Skip the lock.", title="Nightly lock", kind="fix").locator)
    assert places[0] == places[1]


def test_what_was_forgotten_and_is_saved_again_is_restored(memory: Memory) -> None:
    first = memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    memory.forget(first.id)
    again = memory.save("Take the lock first.", title="Nightly lock", kind="fix")
    assert (again.outcome, again.id) == ("restored", first.id)
    entry = memory.show(first.id).entry
    assert (entry.status, "deleted_at" in entry.fields) == ("active", False)
    assert find(memory, "nightly") == ["Nightly lock"]


def test_a_name_taken_in_another_project_gives_a_similar_entry_of_this_one(memory: Memory) -> None:
    first = memory.save("Take the lock.", title="Nightly lock", kind="fix", project="billing")
    second = memory.save("Take the lock.", title="Nightly lock", kind="fix", project="payroll")
    assert (second.outcome, second.other) == ("similar", first.id)
    again = memory.save("Take the lock.", title="Nightly lock", kind="fix", project="payroll")
    assert (again.outcome, again.id) == ("unchanged", second.id)
    assert find_in(memory, "billing") == [first.id]
    assert find_in(memory, "payroll") == [second.id]


def find_in(memory: Memory, project: str) -> list[str]:
    return [found.row.id for found in memory.recall("lock", scope=Scope(project=project)).results]


def test_a_preference_that_the_operator_states_is_shared_with_the_operator(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        saved = memory.save("Small pull requests.", title="Review size", kind="preference")
        entry = memory.show(saved.id).entry
    assert saved.locator == "preferences/review-size.md"
    assert (entry.tier, entry.trust) == ("T2", "operator")


def test_a_preference_that_the_agent_learned_is_its_own(memory: Memory) -> None:
    saved = memory.save("Small pull requests.", title="Review size", kind="preference")
    entry = memory.show(saved.id).entry
    assert saved.locator == "Memory/preference/review-size.md"
    assert (entry.tier, entry.trust) == ("T3", "agent")


@pytest.mark.parametrize("kind", ["preference", "feedback"])
def test_what_is_said_of_this_project_belongs_to_it_also_when_it_replaces(
    tmp_path: Path, kind: str
) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        here = memory.save("In this project use tabs.", title="Indent", kind=kind)
        titled = memory.save("Tabs.", title="Indent in this repository", kind=kind)
        loose = memory.save("Use four spaces.", title="Width", kind=kind)
        evolved = memory.evolve(loose.id, "In this codebase use two spaces.")
        named = memory.evolve(here.id, "In this project use spaces.", project="payroll")
        found = [memory.show(one.id).entry.project for one in (here, titled, loose, evolved, named)]
        assert found == ["billing", "billing", None, "billing", "payroll"]
        outside = memory.within("shipping").save("For this repo: tabs.", title="T", kind=kind)
        assert memory.show(outside.id).entry.project == "shipping"


def test_a_preference_belongs_to_no_project_unless_one_is_named(tmp_path: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        loose = memory.save("Small pull requests.", title="Review size", kind="preference")
        bound = memory.save("Tabs.", title="Indent", kind="preference", project="billing")
        fix = memory.save("Take the lock.", title="Lock", kind="fix")
        assert [memory.show(one.id).entry.project for one in (loose, bound, fix)] == [
            None,
            "billing",
            "billing",
        ]


def test_a_design_is_filed_under_its_project(memory: Memory, tmp_path: Path) -> None:
    saved = memory.save("Two queues.", title="Queues", kind="design", project="Billing API")
    assert saved.locator == "projects/billing-api/designs/queues.md"
    assert memory.show(saved.id).entry.project == "Billing API"


def test_a_design_without_a_project_is_refused(memory: Memory, vault: Path) -> None:
    with pytest.raises(UsageError, match="belongs to a project") as caught:
        memory.save("Two queues.", title="Queues", kind="design")
    assert "--project" in (caught.value.remedy or "")
    assert notes(vault) == {}


def test_a_project_name_that_climbs_stays_in_the_vault(memory: Memory, vault: Path) -> None:
    saved = memory.save("Two queues.", title="Queues", kind="design", project="../../etc")
    assert saved.locator == "projects/etc/designs/queues.md"
    assert list(notes(vault)) == [saved.locator]


def test_a_raw_candidate_goes_to_the_inbox_whatever_its_kind(memory: Memory) -> None:
    saved = memory.save("Maybe.", title="A thought", kind="fix", status="inbox")
    assert saved.locator == "Memory/_inbox/a-thought.md"
    entry = memory.show(saved.id).entry
    assert (entry.kind, entry.status, entry.zone) == ("fix", "inbox", "inbox")


def test_an_unknown_kind_is_filed_under_its_own_name(memory: Memory) -> None:
    assert memory.save("x", title="A smell", kind="odour").locator == "Memory/odour/a-smell.md"


@pytest.mark.parametrize("kind", ["../fix", "a/b", "Fix", ".engrain", "_archive", "", "CON", "\0"])
def test_a_kind_that_names_no_folder_is_refused(memory: Memory, vault: Path, kind: str) -> None:
    if kind == "":
        assert memory.save("x", title="T", kind=kind).decided["kind"] == ("memory", "default")
        return
    with pytest.raises(UsageError):
        memory.save("x", title="T", kind=kind)
    assert notes(vault) == {}


# Detection and the tier that decided


def test_what_is_given_is_not_reported_as_detected(memory: Memory) -> None:
    saved = memory.save("x", title="T", kind="fix", status="active", tags=["locks"])
    assert saved.decided == {}


def test_kind_status_and_tags_are_detected_from_the_text_and_reported(memory: Memory) -> None:
    saved = memory.save(
        "Status: draft\n\nRoot cause: the pool was too small. #postgres #locks", title="Stalls"
    )
    assert saved.decided == {
        "kind": ("fix", "text"),
        "status": ("active", "default"),
        "tags": ("postgres, locks", "text"),
    }
    entry = memory.show(saved.id).entry
    assert (entry.kind, entry.status, entry.tags) == ("fix", "active", ("postgres", "locks"))


def test_a_slug_that_names_a_kind_decides_by_convention(memory: Memory) -> None:
    saved = memory.save("We chose two queues.", title="ADR 12: queues")
    assert saved.decided["kind"] == ("decision", "convention")
    assert saved.locator == "Memory/decision/adr-12-queues.md"


def test_what_nothing_tells_is_a_plain_active_memory_by_default(memory: Memory) -> None:
    saved = memory.save("It rained.", title="Weather")
    assert saved.decided == {
        "kind": ("memory", "default"),
        "status": ("active", "default"),
        "tags": ("", "default"),
    }
    assert saved.locator == "Memory/active/weather.md"


# Title and text


def test_the_title_is_the_heading_that_the_text_opens_with(memory: Memory, vault: Path) -> None:
    saved = memory.save("# Nightly lock\n\nTake it first.", kind="fix")
    assert (saved.title, saved.locator) == ("Nightly lock", "Memory/fix/nightly-lock.md")
    assert notes(vault)[saved.locator].endswith(b"---\n# Nightly lock\nTake it first.\n")


def test_without_a_heading_the_title_is_the_first_line(memory: Memory) -> None:
    saved = memory.save("\n- Take the lock   first.\nThen run.", kind="fix")
    assert saved.title == "Take the lock first."
    assert memory.show(saved.id).entry.text == "- Take the lock   first.\nThen run.\n"


def test_a_text_that_opens_with_a_rule_is_named_by_the_line_behind_it(memory: Memory) -> None:
    saved = memory.save("---\n\nThe plan, revised\n\n- lock first")
    assert saved.title == "The plan, revised"
    assert "lock first" in memory.show(saved.id).entry.text


def test_a_long_first_line_gives_a_title_that_ends_at_a_word(memory: Memory) -> None:
    assert memory.save("word " * 100).title == "word " * 15 + "…"
    assert memory.save("Before the deployment " * 9).title.endswith(" Before the …")
    assert memory.save("星期五早上八点烧制陶窑" * 20).title.endswith(" …")


def test_a_title_of_several_lines_becomes_one(memory: Memory) -> None:
    assert memory.save("x", title="Nightly\n lock\t here").title == "Nightly lock here"


def test_a_heading_that_repeats_the_title_is_kept_once(memory: Memory, vault: Path) -> None:
    saved = memory.save("# Nightly lock\nTake it.", title="Nightly lock", kind="fix")
    assert notes(vault)[saved.locator].count(b"Nightly lock") == 1
    other = memory.save("# Details\nTake it.", title="Morning lock", kind="fix")
    assert notes(vault)[other.locator].endswith(b"# Morning lock\n# Details\nTake it.\n")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", None),
        (" \n\t\n", None),
        ("###\n", None),
        ("", "  "),
        ("a\0b", None),
        ("text", "a\0b"),
        ("lone \ud800 surrogate", None),
        ("text", "lone \udc80 surrogate"),
        ("text", "t" * 500),
        ("a" * (MAX_NOTE_BYTES + 1), "Too long"),
        ("日" * (MAX_NOTE_BYTES // 3), "Too long in bytes"),
    ],
)
def test_a_text_or_title_that_can_not_be_kept_is_refused(
    memory: Memory, vault: Path, text: str, title: str | None
) -> None:
    with pytest.raises(UsageError):
        memory.save(text, title=title, kind="fix")
    assert notes(vault) == {}
    assert memory.history() == []


@pytest.mark.parametrize("field", ["project", "ref", "tag", "derived_from"])
def test_a_field_that_is_no_unicode_is_refused(memory: Memory, vault: Path, field: str) -> None:
    bad = "\udcff"
    with pytest.raises(UsageError):
        memory.save(
            "x",
            title="T",
            kind="fix",
            project=bad if field == "project" else None,
            ref=bad if field == "ref" else None,
            tags=[bad] if field == "tag" else None,
            derived_from=[bad] if field == "derived_from" else (),
        )
    assert notes(vault) == {}


@pytest.mark.parametrize(
    "tag",
    ["a, b", "a b", "#x y", "true", "12", "null", "a: b", "[x", "é", "日本", "a\nb", "- x", "'"],
)
def test_a_tag_comes_back_as_it_was_given(memory: Memory, tag: str) -> None:
    saved = memory.save("x", title="T", kind="fix", tags=[tag, "last"])
    assert memory.show(saved.id).entry.tags == (tag.lstrip("#"), "last")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("CON", "con-note.md"),
        ("nul", "nul-note.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("C:\\Windows\\x", "c-windows-x.md"),
        (".engrain", "engrain.md"),
        ("_archive", "archive.md"),
        ("日本語のメモ", "日本語のメモ.md"),
        ("t" * 200, "t" * 80 + ".md"),
    ],
)
def test_a_title_becomes_a_name_that_every_file_system_takes(
    memory: Memory, vault: Path, title: str, name: str
) -> None:
    saved = memory.save("text", title=title, kind="fix")
    assert saved.locator == f"Memory/fix/{name}"
    assert list(notes(vault)) == [saved.locator]
    assert memory.show(saved.id).entry.title == title


@pytest.mark.parametrize("title", ["..", "😀🎉", "***", "\u200b"])
def test_a_title_without_a_letter_gets_a_name_from_its_text(memory: Memory, title: str) -> None:
    first = memory.save("text", title=title, kind="fix")
    assert first.locator.startswith("Memory/fix/note-")
    assert memory.save("text", title=title, kind="fix").id == first.id
    assert memory.save("other text", title=title, kind="fix").locator != first.locator


def test_a_slug_may_be_given(memory: Memory) -> None:
    saved = memory.save("x", title="A long title of many words", kind="fix", slug="../Short")
    assert saved.locator == "Memory/fix/short.md"
    assert memory.show("short").entry.id == saved.id


# Times, confidence and provenance


def test_an_entry_is_stamped_with_the_clock_that_was_injected(memory: Memory) -> None:
    entry = memory.show(memory.save("x", title="T").id).entry
    assert entry.created is not None
    assert START < entry.created < START + 60


def test_when_it_was_created_and_when_it_held_may_be_given(memory: Memory) -> None:
    saved = memory.save(
        "x", title="T", created=START - 9e6, valid_from=START - 8e6, valid_to=START - 7e6
    )
    entry = memory.show(saved.id).entry
    assert (entry.created, entry.valid_from, entry.valid_to) == (
        START - 9e6,
        START - 8e6,
        START - 7e6,
    )
    earlier = memory.save("y", title="U", created=START - 9.5e6)
    assert earlier.id < saved.id
    assert entry.updated is not None
    assert entry.updated >= START


def test_provenance_and_confidence_are_kept(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="tool") as memory:
        source = memory.save("x", title="Source")
        saved = memory.save(
            "y", title="T", confidence=0.5, derived_from=[source.id], source="session", ref="s1"
        )
        entry = memory.show(saved.id).entry
    assert (entry.confidence, entry.derived_from) == (0.5, (source.id,))
    assert entry.source == {"kind": "session", "ref": "s1", "trust": "tool"}


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_outside_zero_to_one_is_refused(
    memory: Memory, vault: Path, confidence: float
) -> None:
    with pytest.raises(UsageError, match="confidence"):
        memory.save("x", title="T", confidence=confidence)
    assert notes(vault) == {}


@pytest.mark.parametrize("at", [float("nan"), float("inf"), 1e18, -1e18])
@pytest.mark.parametrize("field", ["created", "valid_from", "valid_to"])
def test_a_time_that_no_calendar_has_is_refused(
    memory: Memory, vault: Path, field: str, at: float
) -> None:
    with pytest.raises(UsageError, match=field):
        memory.save(
            "x",
            title="T",
            created=at if field == "created" else None,
            valid_from=at if field == "valid_from" else None,
            valid_to=at if field == "valid_to" else None,
        )
    assert notes(vault) == {}


def test_a_time_before_the_epoch_is_kept(memory: Memory) -> None:
    entry = memory.show(memory.save("x", title="T", created=-86400.0).id).entry
    assert entry.created == -86400.0
    assert format_instant(entry.created) == "1969-12-31T00:00:00Z"


def test_an_unknown_status_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="active, inbox, proposed"):
        memory.save("x", title="T", status="done")


# What stands in the way


@pytest.mark.parametrize(
    "raw",
    [
        b"---\nkind: [unclosed\n---\nmine\n",
        b"---\nnever closed\n",
        b"\xff\xfeu\x00t\x00f\x00",
        b"bin\0ary",
        b"x" * (MAX_NOTE_BYTES + 1),
        b"",
        b"A note of somebody's own, without frontmatter.\n",
        b"---\nid: foreign\nkind: fix\n---\n# Nightly lock\nTake it.\n",
    ],
)
def test_a_file_in_the_way_is_left_alone_and_the_entry_lands_beside_it(
    memory: Memory, vault: Path, raw: bytes
) -> None:
    path = put(vault, "Memory/fix/nightly-lock.md", raw)
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    assert saved.outcome == "similar"
    assert saved.locator.startswith("Memory/fix/nightly-lock-")
    assert path.read_bytes() == raw
    assert memory.save("Take it first.", title="Nightly lock", kind="fix").id == saved.id
    assert memory.show(saved.id).entry.text == "Take it first.\n"


@pytest.mark.parametrize("what", ["folder", "link", "dangling link", "pipe"])
def test_what_is_no_file_is_left_alone_and_the_entry_lands_beside_it(
    memory: Memory, vault: Path, tmp_path: Path, what: str
) -> None:
    path = vault / "Memory" / "fix" / "nightly-lock.md"
    path.parent.mkdir(parents=True)
    outside = put(tmp_path, "outside.md", "outside\n")
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(outside if what == "link" else tmp_path / "nothing")
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    assert saved.locator.startswith("Memory/fix/nightly-lock-")
    assert outside.read_text() == "outside\n"
    assert not (tmp_path / "nothing").exists()
    assert not path.is_file() or path.is_symlink()


def test_a_folder_that_is_a_link_is_not_written_through(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (vault / "Memory").mkdir()
    (vault / "Memory" / "fix").symlink_to(tmp_path / "outside")
    with pytest.raises(ForbiddenPathError):
        memory.save("x", title="T", kind="fix")
    assert list((tmp_path / "outside").iterdir()) == []


def test_of_many_that_save_the_same_at_once_one_creates_it(tmp_path: Path) -> None:
    outcomes: list[Outcome] = []

    def save(seed: int) -> None:
        with make_memory(tmp_path, clock=FakeClock(), seed=seed) as memory:
            for _ in range(4):
                outcomes.append(memory.save("Take it first.", title="Nightly lock", kind="fix"))

    with make_memory(tmp_path):
        threads = [Thread(target=save, args=[seed]) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(outcome.outcome for outcome in outcomes) == ["created"] + ["unchanged"] * 23
    assert len({outcome.id for outcome in outcomes}) == 1
    assert len(notes(tmp_path / "vault")) == 1
