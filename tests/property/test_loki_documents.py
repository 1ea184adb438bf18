"""Whatever a document of the loki layout says, its note gives it back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.interchange.loki_document import IncomingDocument
from engrain.model.interchange.documents import canonical
from engrain.model.interchange.loki import (
    compose_document,
    compose_skill,
    describe_skill,
    read_skill,
    write_document,
    write_skill,
)
from engrain.model.interchange.loki_forms import FORMS
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


def documents(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    names = (*FORMS[kind].fields, *FORMS[kind].added)
    known = {name: USUAL.get(name, WORDS) | VALUES for name in names}
    unknown = st.dictionaries(TEXT.filter(lambda key: key != OWN), VALUES, max_size=2)
    whole = st.fixed_dictionaries({}, optional=known)
    return st.builds(lambda rest, said: {**rest, **said}, unknown, whole)


@pytest.mark.parametrize("kind", list(FORMS))
@given(data=st.data())
def test_a_document_comes_back_whole(kind: str, data: st.DataObject) -> None:
    document = data.draw(documents(kind))
    id_ = IncomingDocument(kind, "tree", "semantic/x.json", document).id
    fields, body = compose_document(FORMS[kind], document, id_)
    note = compose_note(fields, body)
    back = write_document(FORMS[kind], read_entry(f"Memory/{kind}/x.md", note.raw))
    back.pop(OWN, None)
    assert canonical(back) == canonical(document)


@given(body=WORDS, front=st.dictionaries(st.text("abc", min_size=1, max_size=5), WORDS, max_size=3))
def test_a_skill_comes_back_whole(body: str, front: dict[str, str]) -> None:
    document = read_skill(write_skill({"body": body, "front": front}))
    assert (document["body"], document["front"]) == (body, front)
    fields, text = compose_skill(document, "x")
    entry = read_entry("Memory/procedural/x.md", compose_note(fields, text).raw)
    assert read_skill(write_skill(describe_skill(entry))) == document
