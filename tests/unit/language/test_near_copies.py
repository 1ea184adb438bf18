"""Near copies: what differs decides, and not how much is the same."""

from __future__ import annotations

import pytest

from engrain.language.near_copies import SAME_WORDS, ComparedNote, compare_notes

TITLE = "Restarting the ledger importer"
TEXT = (
    "The ledger importer hangs after a failover of the message broker. Restart it with the runbook "
    "command and wait for 3 minutes. Mara knows the credentials of the vault."
)


def alike(text: str, title: str = TITLE, *, to: str = TEXT) -> bool:
    found = compare_notes(ComparedNote(TITLE, to), ComparedNote(title, text))
    return found is not None and found.score >= SAME_WORDS


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        # In another order, with a slip, a longer opening, and something added.
        "Restart it with the runbook command and wait for 3 minutes. The ledger importer hangs "
        "after a failover of the message broker. Mara knows the credentials of the vault.",
        TEXT.replace("credentials", "credentails"),
        "As seen last month: " + TEXT,
        TEXT + " It was worth a page of its own, and the team agreed on 4 May.",
    ],
)
def test_another_wording_of_the_same_is_a_copy(text: str) -> None:
    assert alike(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3 minutes", "30 minutes"),
        ("Mara", "Jonas"),
        ("Restart", "Never restart"),
        ("after a failover", "before a failover"),
        ("knows", "doesn't know"),
        ("the runbook command", "the runbook command -q"),
    ],
)
def test_another_number_name_or_negation_makes_another_note(old: str, new: str) -> None:
    assert not alike(TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("one", "other"),
    [("-q", "-x"), ("`--fix`", "`--diff`"), ("drive D", "drive E"), ("drive d", "drive e"),
     ("drive A", "drive S"), ("git log -p", "git log -s")],
)  # fmt: skip
def test_another_flag_or_letter_makes_another_note(one: str, other: str) -> None:
    texts = [TEXT.replace("runbook", f"runbook {said}") for said in (one, other)]
    assert not alike(texts[1], to=texts[0])


@pytest.mark.parametrize(
    "title", ["Restarting the ledger importer on staging", "Restarting the ledger importer 2"]
)
def test_a_title_that_names_another_thing_makes_another_note(title: str) -> None:
    assert not alike(TEXT, title)


def test_two_that_say_almost_nothing_are_not_told_to_be_copies() -> None:
    assert not alike("To be done.", to="To be done.")


def test_how_much_more_either_says_is_reported() -> None:
    found = compare_notes(
        ComparedNote(TITLE, TEXT), ComparedNote(TITLE, TEXT + " Ask the operators first.")
    )
    assert found is not None
    assert (found.more, found.other_more) == (0, 1)


FIELD = "- type: `boolean`\n- default: `true`\n\n## Example\n\nShown in every page of the site.\n\n"


def test_pages_of_a_template_that_are_named_by_what_is_named_so_in_code_are_no_copies() -> None:
    ours = FIELD + "```yml\npublish:\n  enableEdit: true\n```"
    theirs = FIELD + "```yml\npreview:\n  enableEdit: true\n```"
    assert not alike(ours, "enableEdit", to=theirs)
    assert (
        compare_notes(ComparedNote("enableEdit", ours), ComparedNote("enableEdit", theirs)) is None
    )
    assert (
        compare_notes(ComparedNote("Editing", ours), ComparedNote("Editing", theirs)) is None
    )  # the code


def test_what_a_template_fills_in_is_not_what_a_note_says() -> None:
    stub = "## Summary\n\n{{fm.desc}}\n\nBelow is an overview of what the namespace looks like."
    assert compare_notes(ComparedNote("Overview", stub), ComparedNote("Overview", stub)) is None


def test_a_short_note_inside_a_long_one_of_a_wider_title_is_no_copy() -> None:
    long = " ".join(f"Shelf {at} holds the spare {word}s." for at, word in enumerate(_WORDS))
    assert not alike(TEXT + " " + long, "Restarting the ledger importer and the shelves")


_WORDS = ("lamp", "cable", "paper", "toner", "filter", "screw", "hinge", "socket", "ladder")
