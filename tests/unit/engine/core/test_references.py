"""What a person may call an entry by, and which one is meant where several could be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, UsageError
from support.vaults import START

DAY = 86400.0


def test_a_title_is_found_whole_in_any_case_or_by_its_beginning(memory: Memory) -> None:
    kiln = memory.save("Fired on Fridays.", title="Kiln: how it is fired", kind="fix")
    memory.save("Other.", title="Mill", kind="fix")
    for reference in (
        "Kiln: how it is fired", "kiln: HOW it is  fired", "Kiln: how", "kiln: how it is …", "kil",
    ):  # fmt: skip
        assert memory.show(reference).entry.id == kiln.id


def test_the_beginning_of_a_slug_means_an_entry(memory: Memory) -> None:
    kiln = memory.save("Fired on Fridays.", title="Kiln: how it is fired", kind="fix")
    assert memory.show("kiln-how-it").entry.id == kiln.id


def test_words_in_a_title_are_answered_with_it(memory: Memory) -> None:
    kiln = memory.save("a", title="The northern kiln is fired on Fridays", kind="fix")
    memory.save("b", title="Mill stones", kind="fix")
    with pytest.raises(NotFoundError) as caught:
        memory.show("kiln Fridays")
    assert kiln.id in (caught.value.remedy or "")


def test_an_alias_and_a_slug_in_other_letters_mean_an_entry(memory: Memory, vault: Path) -> None:
    (vault / "Knowledge").mkdir(exist_ok=True)
    (vault / "Knowledge" / "oven.md").write_text("---\naliases: [The Hot Box]\n---\n# Oven\n")
    memory.scan()
    assert memory.show("the hot box").entry.title == "Oven"
    assert memory.show("OVEN").entry.title == "Oven"


def test_a_title_in_a_script_without_spaces_is_found_by_its_beginning(memory: Memory) -> None:
    memory.save("星期五烧制。", title="陶窑的烧制时间", kind="fix")
    assert memory.show("陶窑").entry.title == "陶窑的烧制时间"


def test_several_titles_are_listed_with_ids_and_none_is_picked(memory: Memory) -> None:
    first = memory.save("a", title="Kiln one", kind="fix")
    second = memory.save("b", title="Kiln two", kind="fix", created=START - 900 * DAY)
    with pytest.raises(UsageError, match="2 entries") as caught:
        memory.forget("kiln")
    assert first.id in caught.value.message
    assert second.id in caught.value.message
    assert "Kiln two" in caught.value.message


def test_a_whole_title_comes_before_a_longer_one_that_begins_so(memory: Memory) -> None:
    whole = memory.save("a", title="Kiln", kind="fix")
    memory.save("b", title="Kiln of the north", kind="fix")
    assert memory.show("KILN").entry.id == whole.id


def test_what_is_in_force_comes_before_what_was_forgotten(memory: Memory) -> None:
    gone = memory.save("a", title="Kiln rules", kind="fix")
    memory.forget(gone.id)
    there = memory.save("b", title="kiln rules", kind="decision")
    assert memory.show("Kiln rules").entry.id == there.id
    assert memory.restore("Kiln rules").id == gone.id


def test_a_mistyped_title_is_answered_with_near_ones(memory: Memory) -> None:
    kiln = memory.save("a", title="Kiln firing schedule", kind="fix")
    memory.save("b", title="Mill stones", kind="fix")
    with pytest.raises(NotFoundError, match="Kiln fring schedul") as caught:
        memory.show("Kiln fring schedul")
    assert caught.value.remedy == f"did you mean “Kiln firing schedule” ({kiln.id})?"
    with pytest.raises(NotFoundError) as caught:
        memory.show("entirely different")
    assert "did you mean" not in (caught.value.remedy or "")


def test_a_slug_comes_before_the_title_of_another(memory: Memory) -> None:
    slug = memory.save("a", title="Kiln plan", kind="fix")
    title = memory.save("b", title="kiln-plan", kind="decision", slug="another-name")
    assert memory.show("kiln-plan").entry.id == slug.id
    assert [row.id for row in memory.also_named("kiln-plan", slug.id)] == [title.id]


def test_a_title_that_is_an_id_never_stands_for_it(memory: Memory) -> None:
    first = memory.save("a", title="Kiln", kind="fix")
    planted = memory.save("b", title=first.id, kind="decision", slug="planted")
    assert memory.show(first.id).entry.id == first.id
    lost = "0" * 26
    memory.save("c", title=lost, kind="decision", slug="other")
    with pytest.raises(NotFoundError):
        memory.show(lost)
    assert memory.show("planted").entry.id == planted.id


def test_a_title_with_a_slash_does_not_mean_a_note_called_like_its_last_part(
    memory: Memory,
) -> None:
    memory.save("a", title="CD", kind="fix")
    both = memory.save("b", title="CI/CD", kind="fix")
    assert memory.show("ci/cd").entry.id == both.id
    with pytest.raises(NotFoundError):
        memory.show("CX/CD")


@pytest.mark.parametrize("verb", ["archive", "forget", "pin", "evolve", "rename", "link", "undo"])
def test_every_verb_takes_a_title(memory: Memory, verb: str) -> None:
    saved = memory.save("It is fired on Fridays.", title="Kiln of the north", kind="fix")
    other = memory.save("b", title="Mill of the south", kind="fix")
    verbs: dict[str, Callable[[], str | None]] = {
        "archive": lambda: memory.archive("kiln of").id,
        "forget": lambda: memory.forget("kiln of").id,
        "pin": lambda: memory.pin("Kiln of the North").id,
        "evolve": lambda: memory.evolve("kiln of", "On Mondays.").other,
        "rename": lambda: memory.rename("kiln of", "Oven").id,
        "link": lambda: memory.link("kiln of", "mill of").id,
        "undo": lambda: memory.history("kiln of the north")[0].entry,
    }
    assert verbs[verb]() == saved.id
    assert memory.show(other.id).entry.status == "active"


def test_the_id_that_an_agent_is_shown_means_its_entry_for_a_person_too(memory: Memory) -> None:
    kiln = memory.save("Fired on Fridays.", title="Kiln", kind="fix")
    for reference in (f"{kiln.id[:16]}@{kiln.hash[:8]}", f"{kiln.id}@{kiln.hash[:8]}"):
        assert memory.show(reference).entry.id == kiln.id
    with pytest.raises(NotFoundError):
        memory.show("kilnkilnkilnkiln@01234567")
