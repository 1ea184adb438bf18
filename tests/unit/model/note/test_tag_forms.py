"""Tags that are one word in another form."""

from __future__ import annotations

import pytest

from engrain.model.note.tag_forms import fold_tag


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
