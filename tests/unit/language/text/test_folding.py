"""Folds and link keys: which names may be one file, and which mean one note (S1.8, S1.11)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engrain.language.text import folding
from engrain.language.text.folding import drop_invisible, fold, words_of
from engrain.model.note.tiers import link_key

any_text = st.text(st.characters())  # lone surrogates too
scripts = st.text(st.sampled_from("aZ09 -_./éßİıſΣςДжकि्中日か゛が́̈\u200d\u00ad\u3164ﬁ½①Ǆ가ᄀ퓨힣❤️"))
titles = st.one_of(any_text, scripts)


@given(titles)
@example("\u03b1\u0345\u0301")  # folding the iota below moves it past the accent
def test_names_that_differ_in_case_or_normal_form_have_one_fold(name: str) -> None:
    key = fold(name)
    assert fold(key) == key
    ordered = unicodedata.normalize("NFC", name)
    assert fold(ordered) == key
    assert fold(unicodedata.normalize("NFD", name)) == key
    assert fold(ordered.lower()) == key
    assert fold(ordered.casefold()) == key
    dotless = ordered.replace("ı", "")  # its upper case is that of another letter, i
    assert fold(dotless.upper()) == fold(dotless)


@given(st.text(st.sampled_from("ab_1- -.\n\t\0\x1c\x7fZ'é"), max_size=12))
@example("- run --force -x a--b ---c")
def test_words_and_options_are_found_as_the_pattern_says(text: str) -> None:
    assert words_of(text) == frozenset(folding._WORD.findall(text.casefold()))


def test_names_that_differ_in_compatibility_forms_keep_their_own_fold() -> None:
    assert fold("x²") != fold("x2")
    assert fold("kır") != fold("kir")


def test_invisible_characters_do_not_part_names() -> None:
    assert fold("no\u00adte\u200d.md\ufeff") == "note.md"


@given(titles)
def test_invisible_characters_are_dropped_at_once_and_part_no_names(text: str) -> None:
    dropped = drop_invisible(text)
    assert drop_invisible(dropped) == dropped
    assert fold(dropped) == fold(text)


@pytest.mark.parametrize("character", "\u00ad\u061c\u200b\u202e\u2066\u3164\ufe0f\ufeff\U000e0041")
def test_a_character_without_a_shape_is_dropped(character: str) -> None:
    assert drop_invisible(f"a{character}b") == "ab"


@pytest.mark.parametrize("text", ["a b", "a\tb\n", "日本", "e\u0301", "🚀", "\ud800"])
def test_a_character_that_is_seen_is_kept(text: str) -> None:
    assert drop_invisible(text) == text


@pytest.mark.parametrize(
    "name", ["Café", "Cafe\u0301", "CAFÉ.md", "notes/café.MD", "/a/b/Café/", " café "]
)
def test_ways_to_write_one_name_have_one_key(name: str) -> None:
    assert link_key(name) == "café"


@given(name=titles, folder=st.sampled_from(["", "a/", "/", "Notes/Deep er/"]))
def test_a_link_means_a_note_whatever_its_folder_and_ending(name: str, folder: str) -> None:
    assume(name and name == name.strip() and "/" not in name and not fold(name).endswith(".md"))
    assert link_key(f"{folder}{name}") == link_key(f" {folder}{name}.md ") == fold(name)


@pytest.mark.parametrize("name", ["", "/", " / ", ".md", "a/.md", "//", "\u200b"])
def test_what_names_nothing_has_no_key(name: str) -> None:
    assert link_key(name) == ""
