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
    assert found == {"query": "x", "limit": 7, "kind": None, "project": None}


@pytest.mark.parametrize("limit", [True, 7.5, "seven", "", [7], float("inf"), float("nan"), 0, 51])
def test_what_is_no_such_number_is_refused(limit: object) -> None:
    with pytest.raises(UsageError, match="limit"):
        read_arguments(SCHEMAS["memory_search"], {"query": "x", "limit": limit})


def test_a_null_is_as_good_as_nothing() -> None:
    nothing = dict.fromkeys(SCHEMAS["memory_recall"]["properties"], None)
    found = read_arguments(SCHEMAS["memory_recall"], {**nothing, "query": "x"})
    assert (found["budget"], found["profile"], found["phase"]) == (2000, "prompt", None)
    with pytest.raises(UsageError, match="query: is missing"):
        read_arguments(SCHEMAS["memory_recall"], nothing)


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
