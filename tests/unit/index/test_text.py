"""What is asked for is found: text and queries are taken apart alike."""

from __future__ import annotations

import time
import unicodedata

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.index.tables import create_tables
from engrain.index.text import (
    IRREGULAR,
    QUERY_CHARS,
    QUERY_TERMS,
    STOP_WORDS,
    find_function_words,
    index_text,
    match_expression,
    query_terms,
    storable,
)

CONNECTION = apsw.Connection(":memory:")
create_tables(CONNECTION)

CJK = st.text("字検索数据库ロックかなデータ가나다잠금ກขค", min_size=1, max_size=12)
# FTS5's table of characters is older than Python's: those that both know for certain.
KNOWN = st.characters(max_codepoint=0x2FFF, exclude_categories=("Cn", "Cs", "Co")).filter(
    lambda char: unicodedata.ucd_3_2_0.category(char) == unicodedata.category(char)
)


def is_found(text: str, query: str) -> bool:
    """Whether FTS5 itself finds a text by a query."""
    expression = match_expression(query)
    assert expression is not None
    CONNECTION.execute("BEGIN")
    try:
        CONNECTION.execute("INSERT INTO texts(rowid, body) VALUES(1, ?)", (index_text(text),))
        return bool(
            CONNECTION.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (expression,)).get
        )
    finally:
        CONNECTION.execute("ROLLBACK")


def is_met(text: str, word: str) -> bool:
    """Whether a text has one word that is asked for, in any of its forms."""
    (term,) = query_terms(word)
    CONNECTION.execute("BEGIN")
    try:
        CONNECTION.execute("INSERT INTO texts(rowid, body) VALUES(1, ?)", (index_text(text),))
        return bool(
            CONNECTION.execute(
                "SELECT count(*) FROM texts WHERE texts MATCH ?", (term.expression,)
            ).get
        )
    finally:
        CONNECTION.execute("ROLLBACK")


@given(st.text())
def test_whatever_is_asked_is_a_query_that_fts5_takes(text: str) -> None:
    expression = match_expression(text)
    if expression is not None:
        CONNECTION.execute("SELECT * FROM texts WHERE texts MATCH ?", (expression,)).fetchall()


@given(st.text(KNOWN, max_size=60))
def test_a_text_is_found_by_itself(text: str) -> None:
    if match_expression(text) is not None:
        assert is_found(text, text)


@given(st.text(KNOWN, max_size=20), st.sampled_from(["NFC", "NFD"]))
def test_composed_and_decomposed_letters_are_the_same(text: str, form: str) -> None:
    other = unicodedata.normalize(form, text)  # type: ignore[arg-type]  # of the form's name
    assert index_text(other) == index_text(unicodedata.normalize("NFC", text))
    assert match_expression(other) == match_expression(unicodedata.normalize("NFC", text))


@given(CJK, CJK, CJK)
def test_any_part_of_a_sentence_without_spaces_finds_it(before: str, part: str, after: str) -> None:
    assert is_found(before + part + after, part)
    assert is_found(f"word{before}{part}{after}word", part)


@given(CJK)
def test_pairs_do_not_reach_over_what_parts_a_sentence(run: str) -> None:
    assert not is_found(f"亜。{run}、哀", "亜哀")


@given(st.text("abcdefgh ÄÖÜäöüß éèñ.,;-_12", max_size=80))
def test_text_in_scripts_with_spaces_stays_as_it_is(text: str) -> None:
    assert index_text(text) == unicodedata.normalize("NFC", text)


@given(st.text(st.characters(codec=None)))
def test_whatever_python_holds_can_be_stored(text: str) -> None:
    storable(text).encode()
    index_text(text).encode()


def test_a_single_character_is_asked_for_by_prefix() -> None:
    assert match_expression("字") == '"字"*'
    assert match_expression("x字y") == '"x" OR "字"* OR "y"'
    assert match_expression("é") == '"é"'


def test_words_are_quoted_and_told_once() -> None:
    assert match_expression('Lock "lock" LOCK or-else NEAR(x)') == (
        '"LOCK" OR "else" OR "NEAR" OR "x"'
    )


@pytest.mark.parametrize("text", ["", "  ", "?!", "\0", '""', "***", "\ud800", "—…", "©"])
def test_what_has_no_word_is_no_query(text: str) -> None:
    assert match_expression(text) is None


def test_stop_words_stay_when_there_is_nothing_else() -> None:
    assert match_expression("what is the lock") == '"lock"'
    assert match_expression("What is the") == '"What" OR "is" OR "the"'
    assert len(STOP_WORDS) > 100


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("write", "wrote"),
        ("writes", "written"),
        ("writing", "wrote"),
        ("running", "ran"),
        ("WENT", "gone"),
        ("going", "went"),
        ("children", "child"),
        ("mice", "a mouse"),
        ("ridden", "riding"),
        ("rode", "rides"),
        ("teaches", "teaching"),
    ],
)
def test_a_word_meets_its_irregular_forms(word: str, text: str) -> None:
    assert is_met(text, word)


@pytest.mark.parametrize(
    ("word", "text"),
    [("wring", "wrote"), ("sing", "sink"), ("lie", "lay"), ("thing", "think"), ("ring", "run")],
)
def test_a_word_does_not_meet_the_forms_of_another(word: str, text: str) -> None:
    assert not is_met(text, word)


@pytest.mark.parametrize("form", [form for form in IRREGULAR if form not in STOP_WORDS])
def test_every_form_of_an_irregular_word_meets_every_other(form: str) -> None:
    assert all(is_met(other, form) for other in IRREGULAR[form])


@given(st.text())
def test_each_word_asked_for_is_a_query_that_fts5_takes(text: str) -> None:
    terms = query_terms(text)
    assert len(terms) <= QUERY_TERMS
    assert len({term.text.casefold() for term in terms}) == len(terms)
    for term in terms:
        found = CONNECTION.execute("SELECT * FROM texts WHERE texts MATCH ?", (term.expression,))
        assert found.fetchall() == []


def test_of_many_terms_the_likeliest_rare_ones_are_kept_in_their_order() -> None:
    common = [f"{a}{b}" for a in "abcdefgh" for b in "bcdfg"]
    expression = match_expression(" ".join(["ORA00942", *common, "idempotency", "請求"]))
    assert expression is not None
    terms = expression.split(" OR ")
    assert len(terms) == QUERY_TERMS
    assert (terms[0], terms[-1]) == ('"ORA00942"', '"idempotency"')


def test_endings_give_way_to_words() -> None:
    expression = match_expression("".join(chr(0x3042 + n) for n in range(60)) + "請求書")
    assert expression is not None
    assert '"請求"' in expression
    assert '"求書"' in expression


@pytest.mark.parametrize("filler", ["word ", "x", "字", "か", "é", "🧠", "\0", '"', "ก"])
def test_only_the_head_of_a_huge_query_is_read(filler: str) -> None:
    huge = filler * (10_000_000 // len(filler))
    started = time.process_time()
    expression = match_expression(huge) or ""
    assert time.process_time() - started < 0.1
    assert len(expression) < 2 * QUERY_CHARS


@pytest.mark.parametrize("filler", ["字", "か。", "é ", "🧠", "word ", "ﾛｯｸ", "\u064b"])
def test_a_text_takes_time_by_its_length(filler: str) -> None:
    def spent(chars: int) -> float:
        text = filler * (chars // len(filler))
        started = time.process_time()
        index_text(text)
        return time.process_time() - started

    assert spent(600_000) < 40 * max(spent(60_000), 0.005)


@pytest.mark.parametrize(
    "text",
    ["LibraryPaths", "library_paths", "library-paths", "src/library/paths.py", "the library paths"],
)
def test_an_identifier_in_camel_case_is_found_however_it_is_written(text: str) -> None:
    assert is_met(f"Remove {text} again.", "LibraryPaths")
    assert is_met(f"Remove {text} again.", "libraryPaths")


def test_an_identifier_in_camel_case_is_not_met_by_one_of_its_parts() -> None:
    assert not is_met("The library is on one path.", "LibraryPaths")
    assert is_met("an HTTPServer", "HttpServer") and is_met("an http_server", "HTTPServer")


@pytest.mark.parametrize("word", ["paths", "library"])
def test_a_part_finds_what_is_written_with_marks_between(word: str) -> None:
    assert is_met("See `_library_paths` and src/library/paths.py.", word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Wie ist der Name der Datei?", {"wie", "ist", "der"}),
        ("Pourquoi l'export n'est-il pas en UTF-8 ?", {"pourquoi", "est", "il", "pas", "en"}),
        ("Zet de winkelwagen in een Redux store.", {"de", "een"}),
        ("run the tests of the returns page", set()),
        ("which die of the con is in the van, and is it as per un resolution", set()),
        ("Сколько хранятся логи?", set()),
        ("", set()),
    ],
)
def test_function_words_are_those_of_the_language_a_text_is_in(text: str, words: set[str]) -> None:
    assert find_function_words(text) == words
    assert not find_function_words(text) & STOP_WORDS
