"""The arguments of tools, which come from a model and through clients that mean well."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.mcp.description import TOOLS
from engrain.adapters.mcp.tools import read_arguments
from engrain.model.errors import UsageError

SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in TOOLS}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.mark.parametrize("limit", [7, 7.0, "7", " 7 "])
def test_a_whole_number_may_be_written_in_any_way(limit: object) -> None:
    found = read_arguments(SCHEMAS["memory_search"], {"query": "x", "limit": limit})
    nothing = dict.fromkeys(("kind", "project", "since", "tag", "until"))
    assert found == {"query": "x", "limit": 7, **nothing}


@pytest.mark.parametrize("limit", [True, 7.5, "seven", [7, 8], float("inf"), float("nan"), 0, 51])
def test_what_is_no_such_number_is_refused(limit: object) -> None:
    with pytest.raises(UsageError, match="limit"):
        read_arguments(SCHEMAS["memory_search"], {"query": "x", "limit": limit})


def test_a_null_is_as_good_as_nothing() -> None:
    nothing = dict.fromkeys(SCHEMAS["memory_recall"]["properties"], None)
    found = read_arguments(SCHEMAS["memory_recall"], {**nothing, "query": "x"})
    assert (found["budget"], found["profile"], found["phase"]) == (2000, "prompt", None)
    with pytest.raises(UsageError, match="query: is missing"):
        read_arguments(SCHEMAS["memory_recall"], nothing)


@pytest.mark.parametrize(
    ("tags", "read"),
    [
        (["ops", "deploy"], ["ops", "deploy"]),
        ('["ops", "deploy"]', ["ops", "deploy"]),
        ("['ops', 'deploy']", ["ops", "deploy"]),
        (['["ops", "deploy"]'], ["ops", "deploy"]),
        ("ops, deploy", ["ops", "deploy"]),
        ("ops\ndeploy", ["ops", "deploy"]),
        ("ops", ["ops"]),
        ('"ops"', ["ops"]),
        ([2026, "ops", None], ["2026", "ops"]),
        ("[", None),
        ("[]", None),
        ([], None),
        ("", None),
        ("null", None),
    ],
)
def test_a_list_may_be_written_in_any_way(tags: object, read: object) -> None:
    found = read_arguments(SCHEMAS["memory_append"], {"text": "x", "tags": tags})
    assert found["tags"] == read


@pytest.mark.parametrize("tags", [{"a": 1}, [["ops"], "x"], [True], True, '{"a": 1}x[{}]'])
def test_what_is_no_list_of_texts_is_refused_or_taken_for_words(tags: object) -> None:
    try:
        found = read_arguments(SCHEMAS["memory_append"], {"text": "x", "tags": tags})
    except UsageError as error:
        assert "tags" in error.message
    else:
        assert isinstance(tags, str) and all(found["tags"])


@pytest.mark.parametrize("tool", list(SCHEMAS))
@pytest.mark.parametrize("empty", ["", "  ", None, []])
def test_an_empty_value_of_what_is_not_required_is_none(tool: str, empty: object) -> None:
    schema = SCHEMAS[tool]
    required = dict.fromkeys(schema["required"], "x")
    optional = dict.fromkeys(set(schema["properties"]) - set(required), empty)
    assert read_arguments(schema, {**required, **optional}) == read_arguments(schema, required)


def test_a_number_is_a_text_and_a_list_of_one_is_the_one() -> None:
    found = read_arguments(SCHEMAS["memory_append"], {"text": 404, "kind": ["fix"]})
    assert (found["text"], found["kind"]) == ("404", "fix")
    found = read_arguments(SCHEMAS["memory_recall"], {"query": 1.5, "profile": " Task "})
    assert (found["query"], found["profile"]) == ("1.5", "task")


@given(tool=st.sampled_from(list(SCHEMAS)), data=st.data())
def test_whatever_is_given_is_refused_or_of_the_schemas_types(tool: str, data: Any) -> None:
    schema = SCHEMAS[tool]
    names = st.sampled_from(list(schema["properties"])) | st.text(max_size=8)
    given_ = data.draw(st.dictionaries(names, _JSON, max_size=6))
    try:
        found = read_arguments(schema, given_)
    except UsageError:
        return
    types = {"string": str, "integer": int, "array": list}
    assert set(given_) <= set(found) == set(schema["properties"])
    for name, value in found.items():
        assert value is None or isinstance(value, types[schema["properties"][name]["type"]])
