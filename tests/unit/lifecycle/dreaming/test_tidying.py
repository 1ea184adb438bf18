"""What is out of order in the agent's own part."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.finding import DreamFinding
from engrain.lifecycle.dreaming.tidying import find_untidy, fold_tag
from support.vaults import START
from unit.lifecycle.dreaming.sleepers import DAY, put
from unit.lifecycle.sessions.living import store_of

OLD = START - 90 * DAY


def find(memory: Memory) -> dict[str, list[tuple[str, ...]]]:
    """The entries of each finding, by its action."""
    store = store_of(memory)
    found: dict[str, list[tuple[str, ...]]] = {}
    now = store.clock.now()
    for one in find_untidy(store, ActiveNotes(store), now):
        assert isinstance(one, DreamFinding)
        if one.due < now:
            found.setdefault(one.action, []).append(one.entries)
    return found


def test_notes_that_have_said_nothing_for_long_are_found(memory: Memory) -> None:
    put(memory, "Memory/fix/empty.md", "Empty", "", at=OLD)
    put(memory, "Memory/fix/stub.md", "Stub", "See later.", at=OLD)
    put(memory, "Memory/fix/short.md", "Short", "Use port 5433.", at=OLD)
    put(memory, "Memory/fix/young.md", "Young", "", at=START - DAY)
    assert find(memory) == {"archive": [("id-empty",), ("id-stub",)]}


def test_one_that_something_leads_to_says_something_by_where_it_is(memory: Memory) -> None:
    put(memory, "Memory/fix/hub.md", "Hub", "", at=OLD)
    put(memory, "Memory/fix/leaf.md", "Leaf", "It is one of those under [[hub]].", at=OLD)
    put(memory, "Memory/fix/links.md", "Links", "[[leaf]]", at=OLD)
    assert find(memory) == {}


def test_the_operators_own_notes_are_left_where_and_as_they_are(memory: Memory) -> None:
    put(memory, "empty.md", "Empty", "", at=OLD, by="operator")
    put(memory, "notes/else.md", "Else", "It was so decided.", kind="decision", by="operator")
    assert find(memory) == {}


def test_a_note_in_another_kinds_folder_is_found(memory: Memory) -> None:
    put(memory, "Memory/fix/astray.md", "Astray", "It was so decided.", kind="decision")
    put(memory, "Memory/decision/2026/right.md", "Right", "It was so decided.", kind="decision")
    put(memory, "Memory/fix/own.md", "Own", "A kind of our own.", kind="own")
    assert find(memory) == {"refile": [("id-astray",)]}


def test_tags_in_two_forms_are_led_to_the_commoner_one(memory: Memory) -> None:
    for number, tags in enumerate((["Lock"], ["locks", "pg"], ["lock"], ["lock", "new"], ["news"])):
        text = f"Door {number} is opened with key number {number * 3}."
        put(memory, f"Memory/fix/door-{number}.md", f"Door {number}", text, tags=tags)
    assert find(memory) == {"retag": [("id-door-0", "id-door-1", "id-door-2")]}


def test_a_note_that_has_both_forms_is_among_them(memory: Memory) -> None:
    for number, tags in enumerate((["lock"], ["lock", "locks"])):
        text = f"Door {number} is opened with key number {number * 3}."
        put(memory, f"Memory/fix/door-{number}.md", f"Door {number}", text, tags=tags)
    assert find(memory) == {"retag": [("id-door-1", "id-door-0")]}


def test_what_was_forgotten_in_the_inbox_is_found(memory: Memory, vault: Path) -> None:
    for name, at in (("old", START - 100 * DAY), ("new", START - 80 * DAY)):
        put(memory, f"Memory/_inbox/{name}.md", name, "A page said so.", at=at)
        path = vault / f"Memory/_inbox/{name}.md"
        path.write_text(path.read_text().replace("status: active", "status: inbox"))
    memory._ready(scan=True)
    assert find(memory) == {"archive": [("id-old",)]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Postgres", "postgres"),
        ("lock", "locks"),
        ("policy", "policies"),
        ("branch", "branches"),
        ("index", "indexes"),
        ("code_review", "code-reviews"),
        ("#inbox", "inbox"),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert fold_tag(one) == fold_tag(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("new", "news"), ("bus", "bu"), ("access", "acces"), ("analysis", "analysi"), ("c", "c++")],
)
def test_other_words_do_not(one: str, other: str) -> None:
    assert fold_tag(one) != fold_tag(other)
