"""What of the ranked entries goes into the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.filling import COPY, KIND, LIMIT, LOADED, OVERHEAD, Packer, compared_text
from engrain.engine.recall.profiles import PHASES
from engrain.language.text.folding import is_near_copy, words_of

WORD = st.sampled_from(["lock", "pooler", "port", "5432", "6432", "night", "tax", "café", "v2"])
TEXT = st.lists(WORD, max_size=12).map(" ".join)
ENTRY = st.tuples(st.sampled_from(["fix", "decision", "idea"]), TEXT, st.integers(0, 400))
LONG = " ".join(f"{first}{second}" for first in "abcdefgh" for second in "ijklmnop")


@given(
    st.lists(ENTRY, max_size=20),
    st.integers(1, 8),
    st.none() | st.integers(1, 1500),
    st.sampled_from([None, *PHASES.values()]),
)
def test_what_is_taken_keeps_to_every_bound(
    entries: list[tuple[str, str, int]], limit: int, budget: int | None, phase: object
) -> None:
    from engrain.engine.recall.profiles import Phase

    chosen = phase if isinstance(phase, Phase) else None
    packer = Packer(limit, budget, chosen)
    taken: list[tuple[str, str, int]] = []
    for kind, text, tokens in entries:
        if packer.refuse(kind, text) is None and packer.fits(tokens):
            packer.admit(kind, text, tokens)
            taken.append((kind, text, tokens))
    assert packer.count == len(taken) <= limit
    assert packer.tokens == sum(tokens + OVERHEAD for _, _, tokens in taken)
    assert budget is None or packer.tokens <= budget
    kinds = [kind for kind, _, _ in taken]
    assert chosen is None or all(kinds.count(kind) <= chosen.most(kind) for kind in kinds)
    words = [words_of(text) for _, text, _ in taken]
    for number, one in enumerate(words):
        assert not any(is_near_copy(one, other) for other in words[number + 1 :])


def test_what_is_refused_is_refused_for_the_reason_that_holds() -> None:
    packer = Packer(3, None, PHASES["plan"])
    packer.refuse_copies("The reader has this already.")
    assert packer.refuse("idea", "The reader has this already!") == LOADED
    packer.admit("fix", "Take the lock first.", 5)
    assert packer.refuse("fix", "Another matter altogether.") == KIND
    assert packer.refuse("idea", "take the LOCK, first") == COPY
    assert packer.refuse("idea", "Another matter altogether.") is None
    packer.admit("idea", "Another matter altogether.", 5)
    packer.admit("idea", "And a third one.", 5)
    assert packer.full
    assert packer.refuse("idea", "A fourth.") == LIMIT


def test_a_text_fits_if_what_is_said_about_it_does_too() -> None:
    packer = Packer(9, 10 + OVERHEAD, None)
    assert packer.fits(10)
    assert not packer.fits(11)
    packer.admit("fix", "Ten tokens.", 10)
    assert not packer.fits(0)
    assert Packer(9, None, None).fits(10**9)


# Parts of one answer


def test_the_next_part_gets_what_is_left_and_its_own_and_repeats_nothing() -> None:
    first = Packer(1, 100 + OVERHEAD, None)
    first.refuse_copies("Release the lock.")
    first.admit("fix", "Take the lock.", 60)
    second = first.next_part(1, 50)
    assert second.fits(40 + 50 - OVERHEAD)
    assert not second.fits(40 + 50 - OVERHEAD + 1)
    assert second.refuse("fix", "Take the lock.") == COPY
    assert second.refuse("fix", "Release the lock.") == LOADED
    assert second.refuse("fix", "Paint the crane.") is None
    assert (second.tokens, second.full) == (0, False)


def test_the_next_part_of_an_answer_without_a_bound_has_none() -> None:
    assert Packer(1, None, None).next_part(1, None).fits(10**9)


# Near-copies


@given(TEXT, TEXT)
def test_of_two_texts_each_is_a_copy_of_the_other_or_neither(one: str, other: str) -> None:
    first, second = words_of(one), words_of(other)
    assert is_near_copy(first, second) == is_near_copy(second, first)
    assert is_near_copy(first, first) == bool(first)


@pytest.mark.parametrize(
    ("one", "other", "copy"),
    [
        (LONG, LONG.upper(), True),
        (LONG, LONG.replace(" ", ",\n"), True),
        (LONG, LONG + " more", True),
        (LONG, LONG[: len(LONG) // 2], False),
        (LONG + " port 5432", LONG + " port 6432", False),
        (LONG + " in 2025", LONG, False),
        (LONG + " on drive D", LONG + " on drive E", False),
        (LONG + " with -q", LONG + " with -x", False),
        (LONG + " with --fix", LONG + " with --diff", False),
        (LONG + " a lock", LONG + " lock", True),
        ("Take the lock.", "Release the lock.", False),
        ("", "", False),
        ("", "lock", False),
    ],
)
def test_a_copy_has_nearly_all_of_the_words_and_the_same_numbers(
    one: str, other: str, copy: bool
) -> None:
    assert is_near_copy(words_of(one), words_of(other)) is copy


def test_of_a_short_entry_the_title_is_compared_too_and_of_a_long_one_the_text_alone() -> None:
    long = "Take the lock before the table is read. " * 5
    assert compared_text("Port 1", long) == compared_text("Port 2", long)
    assert compared_text("Port 1", "Busy.") != compared_text("Port 2", "Busy.")
