"""JSON is read and written as by the module `json`."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text import json_codec

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
BROKEN = (
    "", " ", "{", "[1,]", '{"a" 1}', "01", "tru", "1 2", "\ufeff1", '"\t"', "nul", b"\xff",
    b"", "'a'",
)  # fmt: skip


@given(VALUES, st.booleans(), st.booleans())
def test_what_is_written_is_what_json_writes(value: object, ascii_: bool, sort: bool) -> None:
    written = json_codec.dumps(value, ensure_ascii=ascii_, sort_keys=sort)
    assert written == json.dumps(value, ensure_ascii=ascii_, sort_keys=sort)
    compact = json_codec.dumps(value, separators=(",", ":"))
    assert compact == json.dumps(value, separators=(",", ":"))
    assert json_codec.loads(compact) == value


@given(VALUES, st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-32")))
def test_what_is_read_is_what_json_reads(value: object, encoding: str) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    assert json_codec.loads(f" \n{text}\t") == value
    raw = text.encode(encoding, "surrogatepass")
    assert json_codec.loads(raw) == json.loads(raw)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_text_gets_the_error_of_json(text: str | bytes) -> None:
    with pytest.raises(ValueError) as expected:
        json.loads(text)
    with pytest.raises(type(expected.value)) as found:
        json_codec.loads(text)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("text", BROKEN)
def test_a_process_that_has_not_loaded_json_gets_that_error_too(text: str | bytes) -> None:
    code = (
        "import sys; from engrain.language.text import json_codec\n"
        "assert 'json' not in sys.modules\n"
        f"try: json_codec.loads({text!r})\n"
        "except ValueError as error: print(type(error).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{_error_of(text)}\n", "")


def _error_of(text: str | bytes) -> str:
    with pytest.raises(ValueError) as expected:
        json.loads(text)
    return type(expected.value).__name__


def test_control_characters_are_read_where_that_is_asked_for() -> None:
    assert json_codec.loads('"a\tb"', strict=False) == "a\tb"


def test_numbers_that_json_has_no_form_for_are_read_and_written_as_json_does() -> None:
    values = json_codec.loads("[NaN, Infinity, -Infinity]")
    assert math.isnan(values[0])
    assert values[1:] == [math.inf, -math.inf]
    assert json_codec.dumps(values) == json.dumps(values)


def test_a_value_without_a_form_and_one_that_contains_itself_are_refused() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(TypeError, match="Object of type object is not JSON serializable"):
        json_codec.dumps(object())
    with pytest.raises(ValueError, match="Circular reference"):
        json_codec.dumps(circle)
