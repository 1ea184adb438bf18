"""JSON changed in place: what is added takes the style of its neighbours, the rest stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.hosts import json_text
from engrain.adapters.hosts.json_text import parse

VALUE = {"type": "command", "args": ["a", "b"], "more": {"n": 1}}


def add(text: str, key: str | None = "new", path: tuple[str, ...] = ()) -> str:
    root = parse(text, comments=True)
    box = root
    for name in path:
        item = box.find(name)
        assert item
        box = item.value
    return json_text.append(text, root, box, key, VALUE)


def take_out(text: str, key: str = "new") -> str:
    root = parse(text, comments=True)
    item = root.find(key)
    assert item
    return json_text.remove(text, root, item)


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1\n}\n',
        '{\n\t"a": [\n\t\t1\n\t]\n}',
        '{\r\n    "a": "é\\u00e9"\r\n}\r\n',
        '\ufeff{\n  "a": {}\n}\n',
        '{"a": 1}',
        '{"a":1,"b":[{"c":2}]}',
        "{}",
        '{\n  // why\n  "a": 1, // this\n  /* and */ "b": 2,\n}\n',
        '{\n  "a": 1, // this\n  "b": 2 // that\n}\n',
    ],
)
def test_what_is_added_and_taken_out_again_leaves_the_text_as_it_was(text: str) -> None:
    added = add(text)
    assert added != text
    if "//" not in text:
        assert json.loads(added.removeprefix("\ufeff"))["new"] == VALUE
    assert take_out(added) == text


def test_what_is_added_is_written_as_its_neighbours_are() -> None:
    assert add('{\n\t"a": 1\n}') == (
        '{\n\t"a": 1,\n\t"new": {\n\t\t"type": "command",\n\t\t"args": ["a", "b"],\n'
        '\t\t"more": {\n\t\t\t"n": 1\n\t\t}\n\t}\n}'
    )
    assert add('{"a": 1}') == '{"a": 1, "new": ' + json.dumps(VALUE) + "}"
    assert "\r\n" in add('{\r\n  "a": 1\r\n}')
    assert "\n" not in add('{\r\n  "a": 1\r\n}').replace("\r\n", "")


def test_a_comment_behind_the_last_member_stays_with_it() -> None:
    added = add('{\n  "a": 1 // one\n}')
    assert added.startswith('{\n  "a": 1, // one\n  "new": {')
    assert "// c\n" in add('{"a": 1, // c\n}')


def test_comments_around_what_is_taken_out_stay() -> None:
    text = '{\n  "a": 1, // one\n  // about new\n  "new": 2, // new\n  "b": 3\n}'
    left = take_out(text)
    assert [note in left for note in ("// one", "// about new", "// new")] == [True] * 3
    root = parse(left, comments=True)
    assert root.read(left) == {"a": 1, "b": 3}
    left = take_out('{"a": 1, // one\n "new": 2}')
    assert parse(left, comments=True).read(left) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a" 1}', '{"a": 1 "b": 2}', "[1, 2", "{'a': 1}", '{"a": 01}', '{"a": "\n"}', "1 2"],
)
def test_what_is_no_json_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        parse(text, comments=True)


@pytest.mark.parametrize("text", ['{"a": 1,}', '// c\n{"a": 1}', '{"a": [1,]}'])
def test_strict_json_has_neither_comments_nor_trailing_commas(text: str) -> None:
    parse(text, comments=True)
    with pytest.raises(ValueError, match="line"):
        parse(text, comments=False)


def test_hostile_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="deep"):
        parse("[" * 100_000 + "]" * 100_000, comments=False)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
INDENT = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), INDENT, st.booleans())
def test_any_document_is_read_as_the_standard_library_reads_it(
    document: dict[str, object], indent: int | str | None, escape: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=escape)
    root = parse(text, comments=False)
    assert root.read(text) == json.loads(text)
    if "new" not in document:
        added = add(text)
        assert json.loads(added) == {**document, "new": VALUE}
        assert json.loads(take_out(added)) == document
