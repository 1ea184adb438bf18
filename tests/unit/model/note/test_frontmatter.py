"""Frontmatter: what is read, what is refused, and what a rewrite leaves alone (S1.10)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import date, datetime
from itertools import pairwise

import pytest
import yaml

from engrain.model.errors import MalformedError, UsageError
from engrain.model.note.field import MAX_DEPTH, MAX_FRONTMATTER, resolve_scalar
from engrain.model.note.note import (
    own_lines,
    parse_fields,
    patch_fields,
    remove_fields,
    render_fields,
    render_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value


def read(text: str) -> dict[str, Value]:
    return {key: field.value for key, field in parse_fields(text).items()}


def patch(text: str, changes: Mapping[str, Value], *removed: str, eol: str = "\n") -> str:
    return patch_fields(text, changes, removed, eol)


def refusal(text: str) -> MalformedError:
    with pytest.raises(MalformedError) as caught:
        parse_fields(text)
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("y", "y"),
        ("12:30:45", "12:30:45"), ("2026-13-45", "2026-13-45"),
        ("2026-01-31", "2026-01-31"), ("2026-01-31T15:47:00Z", "2026-01-31T15:47:00Z"),
        ("true", True), ("True", True), ("FALSE", False), ("tRUE", "tRUE"),
        ("null", None), ("~", None), ("", None), ("None", "None"),
        ("0", 0), ("-7", -7), ("+7", 7), ("007", 7), ("0o17", 15), ("0x1F", 31), ("0b11", "0b11"),
        ("1_000", "1_000"), ("1,5", "1,5"), ("0.62", 0.62), (".5", 0.5), ("5.", 5.0),
        ("1e3", 1000.0), ("1.2.3", "1.2.3"), ("१२", "१२"),
        (".nan", ".nan"), (".inf", ".inf"), ("-.inf", "-.inf"), ("nan", "nan"), ("1e999", "1e999"),
        ("=", "="), ("a:b", "a:b"), ("a#b", "a#b"), ("日本", "日本"),
    ],
)  # fmt: skip
def test_a_plain_scalar_is_read_by_the_core_schema(plain: str, value: Value) -> None:
    got = read(f"key: {plain}\n")["key"]
    assert got == value
    assert type(got) is type(value)
    assert resolve_scalar(plain) == value


@pytest.mark.parametrize("digits", ["1" * 19, "9" * 5000, "0x" + "f" * 16, "-" + "1" * 30])
def test_a_number_too_long_to_keep_exactly_stays_text(digits: str) -> None:
    assert read(f"key: {digits}\n") == {"key": digits}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'NO'", "NO"), ('"5"', "5"), ("'it''s'", "it's"), (r'"a\tb\u00e9"', "a\tbé"),
        ("!!str 5", "5"), ("!!python/object/apply:os.system [id]", ["id"]),
        ("!!python/name:os.system x", "x"), ("!secret {a: 1}", {"a": 1}),
        ("[a, 'b, c', 3]", ["a", "b, c", 3]), ("{a: [1], b: {c: ~}}", {"a": [1], "b": {"c": None}}),
        ("|\n  one\n  two\n", "one\ntwo\n"), (">-\n  one\n  two\n", "one two"),
        ("\n  - a\n  - b: 1\n    c: 2\n", ["a", {"b": 1, "c": 2}]),
        ("one\n  two\n", "one two"), ("# nothing\n", None), ("[]", []), ("{}", {}),
    ],
)  # fmt: skip
def test_a_value_of_any_form_is_read_and_a_tag_makes_no_object(text: str, value: Value) -> None:
    assert read(f"before: 1\nkey: {text}\nafter: 2\n") == {"before": 1, "key": value, "after": 2}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "~\n", "---\n", "null\n"])
def test_nothing_but_comments_is_no_fields(text: str) -> None:
    assert read(text) == {}


@pytest.mark.parametrize(
    "written",
    ["a b", "a.b", "é", "日本", "1", "null", "true", "<<", "'a: b'", '"a\\"b"', "'it''s'", "a#b"],
)
def test_a_key_of_any_form_is_its_text(written: str) -> None:
    key = next(node.value for node in yaml.parse(written) if isinstance(node, yaml.ScalarEvent))
    assert read(f"{written}: x\nnext: y\n") == {key: "x", "next": "y"}


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", 4),
        ("a: 1\n'a': 3\n", "duplicate-key", 3),
        ("a: {b: 1, b: 2}\n", "duplicate-key", 2),
        ("a: &x 1\n", "alias", 2),
        ("ok: 1\na: *x\n", "alias", 3),
        ("a: &x [1]\nb: [*x, *x]\n", "alias", 2),
        ("&x a: 1\n", "alias", 2),
        ("&x {a: 1}\n", "alias", 2),
        ("*x : 1\n", "alias", 2),
        ("? [a]\n: 1\n", "key", 2),
        ("{a: 1}: 2\n", "key", 2),
        ("- a\n- b\n", "not-a-mapping", 2),
        ("only words\n", "not-a-mapping", 2),
        ("42\n", "not-a-mapping", 2),
        ("a: 1\n--- # more\nb: 2\n", "yaml", 3),
        ("a: 1\n...\nb: 2\n", "yaml", 4),
        ("a: [1\n", "yaml", 3),
        ("a: 'open\n", "yaml", 3),
        ("a: b: c\n", "yaml", 2),
        ("a:\n\tb: 1\n", "yaml", 3),
        ("ok: 1\nd: @x\n", "yaml", 3),
        ("%YAML 9.9\n---\na: 1\n", "yaml", 2),
        ("ok: 1\nb: \x07\n", "yaml", 3),
        ("é: 日本\nü: 日本\nb: \x1b[31m\n", "yaml", 4),
        ('a: "\\ud800"\n', "yaml", 2),
        ("\ufeffa: 1\n", "yaml", 2),
    ],
)  # fmt: skip
def test_what_is_refused_tells_its_reason_and_line(text: str, reason: str, line: int) -> None:
    error = refusal(text)
    assert (error.reason, error.line) == (reason, line)


def test_the_line_counts_from_the_beginning_of_the_file() -> None:
    with pytest.raises(MalformedError) as caught:
        parse_fields("ok: 1\nb: 'open\n")
    assert caught.value.line == 4


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}, *{old}]\n" for old, new in pairwise("abcdefghi")
    )
    assert refusal(bomb).reason == "alias"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "\n[", "? "])
def test_deep_nesting_is_refused_soon(opening: str) -> None:
    began = time.process_time()
    refusal("a:\n " + opening * ((MAX_FRONTMATTER - 10) // len(opening)))
    assert time.process_time() - began < 2


def test_nesting_is_allowed_to_its_cap_and_no_further() -> None:
    def nested(depth: int) -> str:
        return "a: " + "[" * (depth - 1) + "]" * (depth - 1) + "\n"

    assert list(read(nested(MAX_DEPTH - 1))) == ["a"]
    assert refusal(nested(MAX_DEPTH + 1)).reason == "depth"


def test_frontmatter_over_its_size_is_refused_and_at_its_size_is_read() -> None:
    full = "a: " + "x" * (MAX_FRONTMATTER - 4) + "\n"
    assert list(read(full)) == ["a"]
    assert refusal(full + "\n").reason == "frontmatter-too-large"


def test_a_great_many_keys_are_read_in_good_time() -> None:
    began = time.process_time()
    assert len(parse_fields("".join(f"{number:x}: é\n" for number in range(8000)))) == 8000
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "key", "line", "value"),
    [
        ("a: 1\nb: [x, # ]\n  y]\nc: 2\n", "b", "b:", "[x, # ]\n  y]"),
        ("b: {x: 1, # }\n  y: 2} # end\n", "b", "b:", "{x: 1, # }\n  y: 2}"),
        ("😀: 日本\nb: '日 # x' # y\n", "b", "b:", "'日 # x'"),
        ("a: 1\r\nb: |\r\n  x\r\n\r\nc: 1\r\n", "b", "b:", "|\r\n  x"),
        ("  b:   v  # c\n", "b", "  b:", "v"),
        ("'x: y': v\n", "x: y", "'x: y':", "v"),
        ("b: # c\nc: 1\n", "b", "b:", ""),
        ("{a: 1, b: 2}\n", "b", "b:", "2"),
    ],
)
def test_a_field_knows_where_its_text_stands(text: str, key: str, line: str, value: str) -> None:
    field = parse_fields(text)[key]
    assert text[field.start : field.colon] == line
    assert text[field.value_start : field.value_end] == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"), (True, "true"), (False, "false"), (0, "0"), (-3, "-3"), (0.95, "0.95"),
        ("plain words", "plain words"), ("postgres", "postgres"), ("a/b+c.d-e", "a/b+c.d-e"),
        ("", '""'), (" a", '" a"'), ("a ", '"a "'), ("a  b", '"a  b"'), ("a: b", '"a: b"'),
        ("a #b", '"a #b"'), ("#b", '"#b"'), ("[[x]]", '"[[x]]"'), ("it's", '"it\'s"'),
        ('say "x"', r'"say \"x\""'), ("back\\slash", r'"back\\slash"'), ("a\nb", r'"a\nb"'),
        ("no", '"no"'), ("Yes", '"Yes"'), ("NULL", '"NULL"'), ("y", '"y"'), ("~", '"~"'),
        ("5", '"5"'), ("1.0", '"1.0"'), ("1e5", '"1e5"'), ("0x1F", '"0x1F"'), ("1_000", '"1_000"'),
        ("12:30:45", '"12:30:45"'), ("-", '"-"'), ("---", '"---"'), ("...", '"..."'),
        ("=", '"="'), ("<<", '"<<"'), ("*a", '"*a"'), ("&a", '"&a"'), ("!a", '"!a"'),
        ("%a", '"%a"'),
        ("2026-01-31", "2026-01-31"), ("2026-01-31T15:47:00Z", "2026-01-31T15:47:00Z"),
        ("2024-02-29", "2024-02-29"), ("2026-02-29", '"2026-02-29"'),
        ("2100-02-29", '"2100-02-29"'),
        ("2026-13-45", '"2026-13-45"'), ("0000-01-01", '"0000-01-01"'),
        ("2026-01-31T24:00:00Z", '"2026-01-31T24:00:00Z"'),
        ("日本語", "日本語"), ("é", "é"), ("\x85", r'"\u0085"'), ("\u2028", r'"\u2028"'),
        ("\ufeff", r'"\ufeff"'), ("\x00", r'"\u0000"'), ("\x7f", r'"\u007f"'), ("😀", '"😀"'),
        ([], "[]"), (["a", 1, "b, c"], '[a, 1, "b, c"]'), ({}, "{}"),
        ({"to": "x", "no": [None]}, '{to: x, "no": [null]}'),
    ],
)  # fmt: skip
def test_a_value_is_written_on_one_line_and_quoted_only_where_it_must_be(
    value: Value, text: str
) -> None:
    assert render_value(value) == text
    assert read(f"key: {text}\n") == {"key": value}


@pytest.mark.parametrize("text", ["2026-13-45", "2026-02-29", "2026-01-31", "9999-12-31T23:59:59Z"])
def test_another_reader_never_fails_on_what_looks_like_a_date(text: str) -> None:
    other = yaml.safe_load(f"key: {render_value(text)}")["key"]
    assert isinstance(other, str | date | datetime)


@pytest.mark.parametrize(
    "value", ["\udcff", "a\ud800", float("nan"), float("inf"), -float("inf"), 10**18, -(10**30)]
)
def test_what_would_not_read_back_is_refused(value: Value) -> None:
    nested: list[Value] = ["fine", {"tag": value}]
    for held in (value, nested):
        with pytest.raises(UsageError):
            render_value(held)


def test_fresh_frontmatter_has_a_line_a_field_in_the_order_given() -> None:
    text, _ = render_fields({"id": "1a", "tags": ["a"], "a: b": None}, "\r\n")
    assert text == 'id: "1a"\r\ntags: [a]\r\n"a: b": null\r\n'


def test_fresh_frontmatter_over_its_size_is_refused() -> None:
    with pytest.raises(UsageError):
        render_fields({"tags": ["long"] * MAX_FRONTMATTER})


@pytest.mark.parametrize(
    ("text", "changes", "out"),
    [
        ("a: 1 # why\nb: 2\n", {"a": 5}, "a: 5 # why\nb: 2\n"),
        ("a:    1   # why\n", {"a": 5}, "a:    5   # why\n"),
        ("a:\nb: 2\n", {"a": "x"}, "a: x\nb: 2\n"),
        ("a: # why\nb: 2\n", {"a": "x"}, "a: x # why\nb: 2\n"),
        ("a: 'x' # c\n", {"a": "y z"}, "a: y z # c\n"),
        ("'a': 1\n", {"a": 2}, "'a': 2\n"),
        ("'a: b' : 1\n", {"a: b": 2}, "'a: b' : 2\n"),
        ("a: |\n  x\n  # text\nb: 2\n", {"a": "z"}, "a: z\nb: 2\n"),
        ("a:\n  |\n  # text\nb: 2\n", {"a": "z"}, "a: z\nb: 2\n"),
        ("a: >-\n  x\n\n# c\nb: 2\n", {"a": "z"}, "a: z\n\n# c\nb: 2\n"),
        ("a: one\n  two\nb: 2\n", {"a": "z"}, "a: z\nb: 2\n"),
        ("a:\n  - x\n  - y\nb: 2\n", {"a": ["z"]}, "a: [z]\nb: 2\n"),
        ("a:\n- x\n- y # out\nb: 2\n", {"a": ["z"]}, "a: [z] # out\nb: 2\n"),
        ("a: # why\n  - x\nb: 2\n", {"a": ["z"]}, "a: [z] # why\nb: 2\n"),
        ("a:\n  # in\n  - x\n# out\nb: 2\n", {"a": []}, "a: []\n  # in\n# out\nb: 2\n"),
        ("a: [x, # ]\n  y] # out\nb: 2\n", {"a": ["z"]}, "a: [z] # out\nb: 2\n"),
        ("a: {x: 1, # }\n  y: 2}\n", {"a": {"q": "r"}}, "a: {q: r}\n"),
        ("a:\r\n- x\r\nb: 2\r\n", {"a": "z"}, "a: z\r\nb: 2\r\n"),
        ("a: !!str 5\n", {"a": "6"}, 'a: "6"\n'),
        ("--- # c\na: 1\n", {"a": 2}, "--- # c\na: 2\n"),
        ("a: 1\n...\n", {"a": 2}, "a: 2\n...\n"),
        ("{a: 1, b: 2}\n", {"a": 2}, "{a: 2, b: 2}\n"),
        ("? a\n: 1\n", {"a": 2}, "? a\n: 2\n"),
        ("a: x\u2028b: 1\n", {"a": "z"}, "a: z\u2028b: 1\n"),
        ("a: 1\rb: 2\r", {"a": 5}, "a: 5\rb: 2\r"),
    ],
)
def test_a_changed_field_replaces_its_own_value(
    text: str, changes: dict[str, Value], out: str
) -> None:
    assert patch(text, changes) == out


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("", "n: 1\n"),
        ("# c\n", "# c\nn: 1\n"),
        ("a: 1\n\n", "a: 1\n\nn: 1\n"),
        ("a: 1", "a: 1\nn: 1\n"),
        ("  a: 1\n  b: 2\n", "  a: 1\n  b: 2\n  n: 1\n"),
        ("a: |+\n  x\n\n", "a: |+\n  x\n\nn: 1\n"),
        ("a:\n  - x\n  # in\n", "a:\n  - x\n  # in\nn: 1\n"),
    ],
)
def test_a_new_field_goes_behind_the_others(text: str, out: str) -> None:
    # `n` is a boolean to readers of YAML 1.1, so it is written in quotes.
    assert patch(text, {"n": 1}) == out.replace("n: 1", '"n": 1')


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("x: 1\na: 2\n", "x: 1\n"),
        ("a: 2 # c\n# stays\nx: 1\n", "# stays\nx: 1\n"),
        ("a:\n  - p\n  # in\n  - q # c\nx: 1\n", "x: 1\n"),
        ("a: |\n  p\n\nx: 1\n", "\nx: 1\n"),
        ("a:\r\nx: 1\r\n", "x: 1\r\n"),
        ("x: 1\na: [p, # ]\n  q]", "x: 1\n"),
        ("x: 1\n", "x: 1\n"),
    ],
)
def test_a_removed_field_takes_its_own_lines_along(text: str, out: str) -> None:
    assert patch(text, {}, "a") == out


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n", "a: 1.0 # c\n", "a: 'x'\n", "a: [x, 'y']\n", "a:\n  - x\n  - y\n", "a: ~\n",
        "a:\n",
        "a: |\n  x\n", "a: {b: 0o17, c: True}\n", "a: 0x1F\n",
    ],
)  # fmt: skip
def test_a_field_that_has_the_value_already_keeps_its_form(text: str) -> None:
    assert patch(text, read(text)) == text


@pytest.mark.parametrize(("had", "given"), [("1", True), ("true", 1), ("0", False), ("1", 1.0)])
def test_a_number_is_not_taken_for_the_truth_value_it_equals(had: str, given: Value) -> None:
    out = patch(f"always_load: {had}\n", {"always_load": given})
    assert type(read(out)["always_load"]) is type(given)


@pytest.mark.parametrize(
    ("text", "changes", "removed"),
    [
        ("{a: 1}\n", {"b": 2}, ()),
        ("{a: 1}\n", {}, ("a",)),
        ("{a: 1, b: 2}\n", {}, ("b",)),
        ("~\n", {"b": 2}, ()),
        ("a: 1\n...\n", {"b": 2}, ()),
        ("? a\n: 1\n", {}, ("a",)),
        ("a: x\u2028b: 1\n", {}, ("a",)),
        ("a: 1\rb: 2\n", {}, ("a",)),
        ("z: |+\n  x\na: 1\n\n", {}, ("a",)),
    ],
)
def test_what_can_not_be_patched_safely_is_refused(
    text: str, changes: dict[str, Value], removed: tuple[str, ...]
) -> None:
    with pytest.raises(MalformedError) as caught:
        patch(text, changes, *removed)
    assert caught.value.reason == "unpatchable"
    assert caught.value.remedy


def test_a_value_that_is_nested_too_deep_to_be_read_back_is_refused() -> None:
    value: Value = 1
    for _ in range(MAX_DEPTH + 1):
        value = [value]
    with pytest.raises(MalformedError):
        patch_fields("a: 1\n", {"b": value}, [], "\n")


def test_a_patch_that_would_grow_frontmatter_over_its_size_is_refused() -> None:
    with pytest.raises(MalformedError) as caught:
        patch("a: 1\n", {"b": "x" * MAX_FRONTMATTER})
    assert caught.value.reason == "frontmatter-too-large"


def test_the_lines_of_a_field_are_its_own_only_when_nothing_else_stands_in_them() -> None:
    text = "a: 1 # c\nb: x\u2028c: 2\n"
    fields = parse_fields(text)
    assert own_lines(text, fields["a"]) == (0, 9)
    assert own_lines(text, fields["b"]) is None
    assert remove_fields(text, fields.values()) == "b: x\u2028"
