"""Whatever a document of the loki layout says, its note gives back what the layout has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.interchange.importing import Incoming
from engrain.interchange.loki import LOKI, SKILL_FORM
from engrain.interchange.table import (
    BODY,
    canonical,
    compose_document,
    compose_plain,
    describe_entry,
    read_file,
)
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import OWN
from engrain.model.note.note import compose_note

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
MARKUP = st.sampled_from(
    ["## When", "## Do\n", "# T", "- a\n- b", "---", "```\n", "[[x]]", "yes", "1.0", "\r\n", "~"]
)
WORDS = st.lists(TEXT | MARKUP, max_size=4).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
USUAL = {
    "conditions": st.lists(WORDS, max_size=4),
    "source_episodes": st.lists(TEXT, max_size=3),
    "sources": st.lists(TEXT, max_size=3),
    "actions": st.lists(TEXT, max_size=3),
    "confidence": st.floats(0, 1),
    "usage_count": st.integers(0, 10**6),
    "links": st.lists(
        st.fixed_dictionaries({"to": TEXT, "relation": TEXT}, optional={"why": VALUES}), max_size=3
    ),
}


FORMS = {row.kind: row.form for row in LOKI.rows if row.form and row.many}


def documents(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    names = (*FORMS[kind].fields, *FORMS[kind].added)
    known = {name: USUAL.get(name, WORDS) | VALUES for name in names}
    unknown = st.dictionaries(TEXT.filter(lambda key: key != OWN), VALUES, max_size=2)
    whole = st.fixed_dictionaries({}, optional=known)
    return st.builds(lambda rest, said: {**rest, **said}, unknown, whole)


@pytest.mark.parametrize("kind", list(FORMS))
@given(data=st.data())
def test_a_document_comes_back_as_it_is_understood(kind: str, data: st.DataObject) -> None:
    document = data.draw(documents(kind))
    first = go_round(kind, document)
    assert canonical(go_round(kind, first)) == canonical(first)
    form = FORMS[kind]
    unknown = {
        key: value for key, value in document.items() if key not in (*form.fields, *form.added)
    }
    assert canonical({key: first[key] for key in unknown}) == canonical(unknown)


def go_round(kind: str, document: dict[str, Any]) -> dict[str, Any]:
    """A document as the export of a vault that took it in has it."""
    row = LOKI.row_of(kind)
    incoming = Incoming(LOKI, row, "tree", row.pattern, document)
    fields, body = compose_document(FORMS[kind], document, incoming.id)
    note = compose_note({**fields, "id": incoming.id}, body)
    entry = read_entry(f"Memory/{kind}/x.md", note.raw)
    return describe_entry(LOKI, row, entry, row.pattern)


@given(body=WORDS, front=st.dictionaries(st.text("abc", min_size=1, max_size=5), WORDS, max_size=3))
def test_a_skill_comes_back_whole(body: str, front: dict[str, str]) -> None:
    row = LOKI.row_of("procedural")
    [document] = read_file(row, compose_plain({**front, BODY: body}).raw)
    assert document == {**front, BODY: body}
    fields, text = compose_document(SKILL_FORM, document, "x")
    raw = compose_note({**fields, "kind": "procedural"}, text).raw
    entry = read_entry("Memory/procedural/x.md", raw)
    back = describe_entry(LOKI, row, entry, "skills/x.md")
    assert read_file(row, compose_plain(back).raw) == [document]
