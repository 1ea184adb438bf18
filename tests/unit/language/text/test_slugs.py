"""Slugs and safe components (S1.8, S1.10)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engrain.language.text.folding import COMPONENT_BYTES, SLUG_BYTES, fold, safe_component, slugify

RESERVED = [
    "con", "prn", "aux", "nul", "com0", "com1", "com9", "lpt0", "lpt9", "com¹", "lpt³", "conin$",
]  # fmt: skip

any_text = st.text(st.characters())  # lone surrogates too
scripts = st.text(st.sampled_from("aZ09 -_./éßİıſΣςДжकि्中日か゛が́̈\u200d\u00ad\u3164ﬁ½①Ǆ가ᄀ퓨힣❤️"))
titles = st.one_of(any_text, scripts)
names = st.one_of(
    titles,
    st.text(st.sampled_from('a.é <>:"/\\|?*\x00\x1f\x7f')),
    st.builds(
        "".join, st.tuples(st.sampled_from(RESERVED), st.sampled_from(["", ".md", " .x", " "]))
    ),
    st.text(min_size=100, max_size=400),
)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Fix: PostgreSQL advisory lock!", "fix-postgresql-advisory-lock"),
        ("  --Hello,   World--  ", "hello-world"),
        ("Straße nach Köln", "strasse-nach-köln"),
        ("日本語 メモ", "日本語-メモ"),
        ("हिन्दी में नोट", "हिन्दी-में-नोट"),
        ("نامه‌ها", "نامهها"),
        ("ﬁle №１２", "file-no12"),
        ("../../etc/passwd", "etc-passwd"),
        ("_always-load", "always-load"),
        (".engrain", "engrain"),
    ],
)
def test_a_title_becomes_its_words_in_lower_case(title: str, slug: str) -> None:
    assert slugify(title, "note") == slug


@pytest.mark.parametrize("title", ["", "!!!", "❤️", "\u200b", "\u3164", "\u0301", "\ud800", "._-"])
def test_a_title_without_a_letter_or_digit_gives_the_fallback(title: str) -> None:
    assert slugify(title, "note") == "note"


@pytest.mark.parametrize("name", RESERVED)
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_a_reserved_windows_name_is_never_a_slug(name: str, case: Callable[[str], str]) -> None:
    slug = slugify(case(name), "note")
    assert slug not in RESERVED
    if name.isalnum() and name.isascii():
        assert slug == f"{name}-note"


@pytest.mark.parametrize("title", ["con.txt", "Aux .md", "lpt¹.log"])
def test_a_reserved_name_before_an_extension_is_never_a_slug(title: str) -> None:
    assert "." not in slugify(title, "note")
    assert slugify(title, "note").count("-") == 1


def test_a_long_title_is_cut_between_characters() -> None:
    assert slugify("é" * 100, "note") == "é" * 40
    assert slugify("日" * 100, "note") == "日" * 26


def test_a_long_title_is_not_cut_between_a_letter_and_its_marks() -> None:
    cut = slugify("a" * 78 + "q\u0323\u0307", "note")
    assert cut == "a" * 78


def test_a_letter_with_more_marks_than_fit_is_still_a_slug() -> None:
    slug = slugify("q" + "\u0323\u0307" * 100, "note")
    assert slug.startswith("q\u0323")
    assert len(slug.encode()) <= SLUG_BYTES


@given(titles)
@example("con")
@example("q" + "\u0323" * 100)
@example("a" * 79 + " b")
def test_a_slug_is_its_own_slug(title: str) -> None:
    slug = slugify(title, "note")
    assert slugify(slug, "other") == slug


@given(st.one_of(titles, st.text(min_size=60, max_size=200)))
def test_a_slug_is_portable(title: str) -> None:
    slug = slugify(title, "note")
    assert 0 < len(slug.encode()) <= SLUG_BYTES
    assert safe_component(slug) == slug
    assert slug[0] not in "_.-"
    assert slug[-1] not in "_.-"
    assert "--" not in slug
    assert slug not in RESERVED
    assert all(c == "-" or unicodedata.category(c)[0] in "LNM" for c in slug)
    assert unicodedata.normalize("NFC", slug) == slug


@given(titles)
def test_titles_that_differ_in_case_or_normal_form_have_one_slug(title: str) -> None:
    slug = slugify(title, "note")
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert slugify(unicodedata.normalize(form, title), "note") == slug
    assert slugify(unicodedata.normalize("NFC", title).casefold(), "note") == slug


@given(titles)
def test_a_slug_is_its_own_fold(title: str) -> None:
    slug = slugify(title, "note")
    assert fold(slug) == slug


@pytest.mark.parametrize(
    "name",
    [
        "dendron.ref.config.preview.enableNoteTitleForLink",
        "_ref",
        "Meeting (2) — très bien",
        "a.b.c",
        "console",
        "com10",
        "日" * 66,
    ],
)
def test_a_portable_name_is_kept(name: str) -> None:
    assert safe_component(name) == name


@pytest.mark.parametrize(
    ("name", "repaired"),
    [
        ("e\u0301te\u0301", "été"),
        ("what? a/b\\c:d", "what- a-b-c-d"),
        ("tab\there\x7f\x85", "tab-here--"),
        ("trailing. . ", "trailing"),
        (".hidden", "-hidden"),
        ("..", "--"),
        ("CON", "CON-note"),
        ("con.txt", "con-note.txt"),
        ("Aux .tar.gz", "Aux -note.tar.gz"),
        ("com¹", "com¹-note"),
        ("nul. ", "nul-note"),
        ("bad\udcff", "bad-"),
    ],
)
def test_a_name_that_is_not_portable_gets_the_smallest_repair(name: str, repaired: str) -> None:
    assert safe_component(name) == repaired


def test_long_names_stay_apart() -> None:
    one, two = safe_component("x" * 300 + "1"), safe_component("x" * 300 + "2")
    assert one != two
    assert len(one) == len(two) == COMPONENT_BYTES
    assert one[:180] == two[:180]


def test_names_of_blanks_alone_stay_apart() -> None:
    assert safe_component(" ") != safe_component("  ")
    assert safe_component(" ").startswith("note-")


@given(names)
@example("con" + " " * 300 + ".x")
@example("é" * 150)
def test_a_safe_component_is_portable_and_idempotent(name: str) -> None:
    safe = safe_component(name)
    assert safe_component(safe) == safe
    assert 0 < len(safe.encode()) <= COMPONENT_BYTES
    assert not set(safe) & set('<>:"/\\|?*')
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in safe)
    assert safe[-1] not in ". "
    assert safe[0] != "."
    assert safe.partition(".")[0].rstrip(" ").lower() not in RESERVED
    assert unicodedata.normalize("NFC", safe) == safe
    assert safe_component(unicodedata.normalize("NFD", name)) == safe
