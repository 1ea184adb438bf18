from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.evaluation.questions import find_expected, read_questions
from engrain.model.errors import MalformedError
from engrain.seam.locator import make_locator
from engrain.seam.rows import Row

_LINE = '{"question": "why", "expected": ["a-note"]}'


def _row(id_: str, *, slug: str = "a-note", title: str = "A note", status: str = "active") -> Row:
    return Row(
        locator=make_locator(f"Memory/active/{id_}.md"),
        id=id_,
        hash="",
        kind="memory",
        slug=slug,
        title=title,
        status=status,
        project=None,
        tier="T3",
        zone="live",
        tags=(),
        source="agent",
        created=None,
        updated=None,
        primary=True,
    )


def _find(expected: str, *rows: Row) -> frozenset[str]:
    asked = read_questions(f'{{"question": "why", "expected": ["{expected}"]}}'.encode())
    return find_expected(asked, rows)[0].gold


def test_a_line_is_a_question_with_what_it_expects() -> None:
    asked = read_questions(b'\n{"id": "w", "question": "why", "expected": ["a"]}\n')
    (question,) = asked
    assert (question.id, question.text) == ("w", "why")
    assert question.expected == ("a",)
    assert question.line == 2


def test_a_question_without_an_id_goes_by_its_line() -> None:
    assert [question.id for question in read_questions(f"{_LINE}\n\n{_LINE}".encode())] == [
        "1",
        "3",
    ]


def test_a_foreign_question_expects_nothing() -> None:
    asked = read_questions(f'{_LINE}\n{{"question": "tides", "foreign": true}}'.encode())
    assert find_expected(asked, [_row("1")])[1].gold == frozenset()


@pytest.mark.parametrize("name", ["1", "a-note", "A-Note", "A note", "a NOTE"])
def test_an_entry_is_named_by_id_slug_or_title(name: str) -> None:
    assert _find(name, _row("1"), _row("2", slug="b", title="B")) == {"1"}


def test_of_entries_with_one_name_the_active_one_is_meant() -> None:
    assert _find("a-note", _row("1", status="superseded"), _row("2")) == {"2"}


def test_an_archived_entry_may_be_expected_where_it_is_the_only_one() -> None:
    assert _find("a-note", _row("1", status="superseded")) == {"1"}


def test_a_name_that_means_no_entry_is_reported_with_its_line() -> None:
    with pytest.raises(MalformedError, match="line 1: no entry 'nothing'") as caught:
        _find("nothing", _row("1"))
    assert caught.value.line == 1


def test_a_name_of_several_active_entries_is_refused() -> None:
    with pytest.raises(MalformedError, match="line 1: 'a-note' may mean 1, 2"):
        _find("a-note", _row("1"), _row("2"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 is no JSON"),
        ("[]", "line 2 is no object"),
        ('{"expected": ["a"]}', "question of line 2 is no text"),
        ('{"question": "q"}', "line 2 expects nothing"),
        ('{"question": "q", "expected": []}', "line 2 expects nothing"),
        ('{"question": "q", "expected": "a"}', "expected of line 2 is no list"),
        ('{"question": "q", "expected": [1]}', "what line 2 expects is no text"),
        ('{"question": "q", "expected": ["a"], "foreign": true}', "line 2 both expects"),
        ('{"question": "q", "foreign": "yes"}', "line 2: foreign is neither true nor false"),
        ('{"id": "1", "question": "q", "expected": ["a"]}', "line 2: a second '1'"),
    ],
)
def test_what_is_wrong_with_a_line_is_reported_by_its_number(line: str, said: str) -> None:
    with pytest.raises(MalformedError, match=said) as caught:
        read_questions(f"{_LINE}\n{line}\n".encode())
    assert caught.value.reason == "question-set"


@pytest.mark.parametrize("raw", [b"", b"\n \n", b'{"question": "q", "foreign": true}'])
def test_a_file_that_expects_nothing_at_all_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="no question that expects an entry"):
        read_questions(raw)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        assert read_questions(raw)
    except MalformedError as error:
        assert error.remedy
