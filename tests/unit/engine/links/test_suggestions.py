"""Links that could be made: mentions that are meant, and neighbours; never what is linked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.links.suggestions import MENTION, NEIGHBOUR, SURE, Suggestion, suggest_links
from support.vaults import make_memory
from unit.engine.core.vault_files import put


def save(memory: Memory, title: str, text: str, project: str = "") -> str:
    return memory.save(text, title=title, kind="fix", project=project).id


def suggest(memory: Memory, least: float = SURE, about: str | None = None) -> list[Suggestion]:
    store = memory._ready(scan=True)
    return list(suggest_links(store, ActiveNotes(store), least=least, about=about))


def pairs(found: Sequence[Suggestion]) -> set[tuple[str, str]]:
    return {(one.source, one.target) for one in found}


def test_a_mention_of_a_title_suggests_a_link_with_its_words_and_its_line(
    memory: Memory, vault: Path
) -> None:
    target = save(memory, "Nightly ledger backup", "It runs at two.")
    source = save(memory, "Disk full", "First.\n\nThen the nightly ledger backup failed.")
    (found,) = suggest(memory)
    assert (found.kind, found.source, found.target) == (MENTION, source, target)
    assert found.words == "nightly ledger backup"
    assert found.quote == "Then the nightly ledger backup failed."
    lines = (vault / found.place).read_text().splitlines()
    assert "nightly ledger backup" in lines[found.line - 1]


@pytest.mark.parametrize("linking", ["source", "target"])
def test_notes_of_which_one_links_the_other_get_no_suggestion(memory: Memory, linking: str) -> None:
    target = save(memory, "Nightly ledger backup", "It runs at two.")
    source = save(memory, "Disk full", "The nightly ledger backup failed.")
    ends = (source, target) if linking == "source" else (target, source)
    memory.link(*ends, "elaborates")
    assert suggest(memory) == []


def test_an_alias_and_a_file_name_are_names_too(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/ledger-lock-order.md", "---\naliases: [Quorum handbook]\n---\n# Locks\n")
    save(memory, "One", "We went by the quorum handbook here.")
    save(memory, "Two", "It is about the ledger lock order.")
    assert {one.title for one in suggest(memory)} == {"Locks"}
    assert len(suggest(memory)) == 2


def test_of_two_names_of_one_note_the_surer_counts(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/nightly-job.md", "# Backup of the ledger at night\n")
    save(memory, "Disk", "The Backup of the Ledger at Night is a nightly job.")
    (found,) = suggest(memory)
    assert found.words == "Backup of the Ledger at Night"


def test_a_name_that_two_notes_have_means_neither(memory: Memory) -> None:
    save(memory, "Nightly ledger backup", "One.")
    save(memory, "Nightly ledger backup", "Another.")
    save(memory, "Disk full", "The nightly ledger backup failed.")
    assert suggest(memory, 0.1) == []


def test_a_note_does_not_mention_itself(memory: Memory) -> None:
    save(memory, "Nightly ledger backup", "The nightly ledger backup runs at two.")
    assert suggest(memory, 0.1) == []


def test_a_word_that_is_written_small_elsewhere_is_no_name(memory: Memory) -> None:
    save(memory, "Deployment", "How it is done.")
    for number in range(12):
        save(memory, f"Note {number} on ships", f"Each deployment number{number} takes a while.")
    save(memory, "Friday", "We wait for the Deployment to end.")
    assert suggest(memory) == []


def test_a_word_that_is_only_written_as_a_name_is_one(memory: Memory) -> None:
    target = save(memory, "Kestrel", "The queue.")
    source = save(memory, "Friday", "We moved the jobs to Kestrel at last.")
    assert pairs(suggest(memory)) == {(source, target)}


def test_where_every_noun_has_a_capital_it_makes_no_name(memory: Memory) -> None:
    save(memory, "Bereitstellung", "So geht die Arbeit mit dem Werkzeug und dem Rechner.")
    save(memory, "Freitag", "Wir warten auf die Bereitstellung und trinken einen Kaffee im Garten.")
    assert suggest(memory) == []
    save(memory, "Samstag", "Wir warten auf die “Neue Bereitstellung Ost” und auf das Wetter.")
    target = save(memory, "Neue Bereitstellung Ost", "Sie kommt.")
    assert {one.target for one in suggest(memory)} == {target}


def test_a_phrase_that_many_notes_have_is_no_name(memory: Memory) -> None:
    save(memory, "Open questions", "A form.")
    for number in range(20):
        save(memory, f"Talk {number} with the desk", f"There are open questions, item{number}.")
    assert suggest(memory, 0.1) == []


def test_templates_are_no_ends(memory: Memory, vault: Path) -> None:
    put(vault, "templates/meeting.md", "# Weekly planning meeting\n")
    save(memory, "Friday", "Before the weekly planning meeting we ate.")
    assert suggest(memory, 0.1) == []


def test_only_those_about_one_note_are_told_if_it_is_named(memory: Memory) -> None:
    one = save(memory, "Nightly ledger backup", "It runs at two.")
    save(memory, "Quorum handbook pages", "How we vote.")
    source = save(memory, "Disk full", "The nightly ledger backup, the quorum handbook pages.")
    assert len(suggest(memory)) == 2
    assert pairs(suggest(memory, about=one)) == {(source, one)}


def test_near_neighbours_share_rare_words_and_are_only_a_hint(memory: Memory) -> None:
    words = "marzipan almond praline nougat ganache"
    one = save(memory, "Winter sweets", f"In the shop there are {words} and snow.")
    two = save(memory, "Orders of the confectioner", f"He asked for {words} by the tray.")
    for number in range(20):
        save(memory, f"Item {number} of ships", f"The shop asked for tray{number} there, vessel.")
    (found,) = [one for one in suggest(memory, 0.3) if one.kind == NEIGHBOUR]
    assert {found.source, found.target} == {one, two}
    assert found.score < SURE
    assert "marzipan" in found.words
    memory.link(one, two)
    assert [one for one in suggest(memory, 0.3) if one.kind == NEIGHBOUR] == []


def test_twice_over_the_same_vault_it_says_the_same(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        names = [f"Procedure {word} of ledger" for word in ("alder", "birch", "cedar", "elm")]
        for name in names:
            save(memory, name, " and ".join(names))
        told = [(one.source, one.target, one.score) for one in suggest(memory)]
        assert len(told) == 12
        assert [(one.source, one.target, one.score) for one in suggest(memory)] == told


def test_looking_up_the_names_of_few_notes_finds_the_same_as_listing_all_names(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(
        vault,
        "Memory/fix/a.md",
        "---\nid: a-1\naliases: [Ledger sync job]\n---\n# Backup one\nIt.\n",
    )
    save(memory, "Disk full", "Then the Ledger sync job failed, and Backup one as well.")
    few = suggest(memory)
    monkeypatch.setattr("engrain.engine.links.suggestions._FEW", 0)
    assert few != []
    assert [vars_of(one) for one in few] == [vars_of(one) for one in suggest(memory)]


def vars_of(one: Suggestion) -> tuple[object, ...]:
    return one.source, one.target, one.score, one.words, one.quote, one.line
