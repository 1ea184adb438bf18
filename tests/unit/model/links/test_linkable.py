"""Where a link may stand: what is blanked keeps its place, and capitals are counted in prose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.linkable import count_capitals, linkable


@given(st.text(alphabet="a[]()|`<>{}#@/\\ \n-:=~%!.*_é設", max_size=300))
def test_what_is_blanked_keeps_every_other_character_in_its_place(body: str) -> None:
    fit = linkable(body)
    assert len(fit) == len(body)
    assert all(new in (old, " ") for new, old in zip(fit, body, strict=True))


def test_capitals_are_counted_within_sentences_and_not_in_code() -> None:
    body = "The Harbour has a Lantern; `see Quay there`.\n\n# Head Line\n\nEverybody knows that."
    assert count_capitals(body) == (2, 4)


def test_code_that_is_blanked_is_not_looked_through_again_from_each_of_its_lines() -> None:
    body = "```\n~~~\n" * 60_000  # a minute, were it so
    assert linkable(body).isspace()
