"""Records: JSON that is a note like any other (DESIGN section 4)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import MalformedError
from engrain.model.links.link import parse_links
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import OWN, JsonNote, parse_note

PLACE = "Memory/episodic/2026-01-06/task-001.json"
EPISODE = {
    "id": "ep-2026-01-06-001",
    "task_id": "task-042",
    "timestamp": "2026-01-06T10:30:00Z",
    "context": {"goal": "Implement POST /api/todos", "constraints": ["no deps"]},
    "action_log": [{"t": 0, "action": "run_test", "result": "fail", "error": "if [[ -f x ]]"}],
    "outcome": "success",
    "errors_encountered": [{"type": "TypeError", "message": "m", "resolution": "r `x`"}],
}


def note(document: object = EPISODE, path: str = PLACE) -> JsonNote:
    found = parse_note(json.dumps(document).encode(), path)
    assert isinstance(found, JsonNote)
    return found


def test_a_record_has_the_fields_of_every_entry() -> None:
    entry = read_entry(PLACE, json.dumps(EPISODE).encode())
    assert (entry.id, entry.kind, entry.slug) == ("ep-2026-01-06-001", "episode", "task-001")
    assert (entry.title, entry.status, entry.tier) == ("Implement POST /api/todos", "active", "T3")
    assert entry.tags == ("success",)
    assert entry.created == 1767695400.0
    assert "`TypeError`" in entry.text


def test_what_a_trace_quotes_is_no_link() -> None:
    assert "[[ -f x ]]" in note().body
    assert parse_links(note().body) == []


def test_an_unchanged_record_keeps_its_bytes() -> None:
    raw = b'\xef\xbb\xbf{"id": "a",\r\n "n": 1.50, "context": {}}'
    found = parse_note(raw, PLACE)
    assert found.raw == raw
    assert found.patch({}) is found
    assert found.patch({"id": "a"}) is found


def test_a_patch_leaves_the_document_alone() -> None:
    patched = note().patch({"status": "archived", "tags": ["x"]})
    assert patched.document == EPISODE
    whole = json.loads(patched.raw)
    assert whole.pop(OWN) == {"status": "archived", "tags": ["x"]}
    assert whole == EPISODE
    assert list(json.loads(patched.raw))[-1] == OWN
    assert patched.fields["tags"] == ["x", "success"]
    again = parse_note(patched.raw, PLACE).patch({}, ["tags", "status"])
    assert json.loads(again.raw) == EPISODE


def test_counters_are_no_substance() -> None:
    before = note()
    assert before.patch({"recall_count": 3, "updated": "2026"}).substance() == before.substance()
    assert before.patch({"status": "archived"}).substance() != before.substance()
    assert before.with_document({**EPISODE, "outcome": "failure"}).substance() != before.substance()


def test_formatting_is_no_substance() -> None:
    spread = parse_note(json.dumps(EPISODE, indent=7).encode(), PLACE)
    assert spread.substance() == note().substance()


@pytest.mark.parametrize(
    ("raw", "reason", "line"),
    [
        (b"", "json", 1),
        (b'{"id": "a",\n "b": }', "json", 2),
        (b"[1]", "json", 1),
        (b'"text"', "json", 1),
        (b'{"a": NaN}', "json", 1),
        (b'{"a": 1e400}', "json", 1),
        (b'{"a": ' + b"[" * 100_000 + b"}", "json", 1),
        (b'{"a": ' + b"[" * 80 + b"]" * 80 + b"}", "json", 1),
        (b'{"engrain": 3}', "json", 1),
        (b'{"a": "\xff"}', "encoding", 1),
        (b'{"a": "\\ud800"}', "encoding", 1),
        (b'{"a": "\\u0000"}', "nul", 1),
    ],
)
def test_what_is_no_record_says_why(raw: bytes, reason: str, line: int) -> None:
    with pytest.raises(MalformedError) as caught:
        parse_note(raw, PLACE)
    assert (caught.value.reason, caught.value.line) == (reason, line)


def test_json_elsewhere_is_no_record() -> None:
    with pytest.raises(MalformedError):
        parse_note(b"{}", "Memory/fix/a.json")


def test_a_record_has_no_text_to_be_rewritten() -> None:
    with pytest.raises(MalformedError):
        note().with_body("other")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(document=st.dictionaries(st.text(), _VALUES, max_size=6))
def test_any_document_comes_back_equal(document: dict[str, object]) -> None:
    document.pop(OWN, None)
    for kind in ("episode", "learning", "handoff", "ledger", "checkpoint", "features"):
        made = JsonNote(kind, document, {"kind": kind, "status": "active"})
        try:
            again = parse_note(made.raw, PLACE)
        except MalformedError as error:
            assert error.reason in ("encoding", "nul")
            continue
        assert isinstance(again, JsonNote)
        assert again.document == document
        assert read_entry(PLACE, made.raw).title
