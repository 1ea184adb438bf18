"""Notes: print(parse(x)) = x, and what the substance is (S1.10, DESIGN section 6). Identifiers:
their order and form."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import MalformedError
from engrain.model.note.note import (
    COUNTERS,
    ID_LENGTH,
    MAX_NOTE_BYTES,
    compose_note,
    encode,
    hash_bytes,
    is_id,
    make_id,
    path_id,
    split_note,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value


BOM = b"\xef\xbb\xbf"
NOTE = b"---\nid: 01k8\nupdated: 2026-01-31 # when\n---\n# Title\n"


def substance(raw: bytes | str) -> str:
    return split_note(raw.encode() if isinstance(raw, str) else raw).substance()


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        (b"", ("", "", "", "")),
        (b"# Only a body\n", ("", "", "", "# Only a body\n")),
        (b"---\na: 1\n---\nbody", ("---\n", "a: 1\n", "---\n", "body")),
        (b"---\n---\n", ("---\n", "", "---\n", "")),
        (b"---\na: 1\n---", ("---\n", "a: 1\n", "---", "")),
        (b"---\r\na: 1\r\n---\r\nb\r\n", ("---\r\n", "a: 1\r\n", "---\r\n", "b\r\n")),
        (b"--- \na: 1\n---\t\nb", ("--- \n", "a: 1\n", "---\t\n", "b")),
        (BOM + b"---\na: 1\n---\nb", ("\ufeff---\n", "a: 1\n", "---\n", "b")),
        (BOM + b"body", ("", "", "", "\ufeffbody")),
        (b"\n---\na: 1\n---\n", ("", "", "", "\n---\na: 1\n---\n")),
        (b"text\n---\nmore\n---\n", ("", "", "", "text\n---\nmore\n---\n")),
        (b"----\nrule\n", ("", "", "", "----\nrule\n")),
        (b"---\na: |\n  ---\n---\n---\n", ("---\n", "a: |\n  ---\n", "---\n", "---\n")),
        (b"---\na: --- b\n---\n", ("---\n", "a: --- b\n", "---\n", "")),
    ],
)
def test_a_file_is_split_where_its_fences_stand(
    raw: bytes, parts: tuple[str, str, str, str]
) -> None:
    note = split_note(raw)
    assert (note.head, note.front, note.fence, note.body) == parts
    assert note.raw == raw


@pytest.mark.parametrize(
    ("raw", "reason", "line"),
    [
        (b"---\na: 1\n", "unclosed", 1),
        (b"---", "unclosed", 1),
        (b"---\na: 1\n ---\n", "unclosed", 1),
        (BOM + b"---\r\na: 1\r\n", "unclosed", 1),
        ("---\na: 1\n---\n".encode("utf-16"), "encoding", 1),
        ("text".encode("utf-16-be"), "nul", 1),
        (b"\xfe\xff\x00a", "encoding", 1),
        (b"one\ntwo \xff\n", "encoding", 2),
        (b"one\n\xed\xa0\x80\n", "encoding", 2),
        (b"caf\xe9", "encoding", 1),
        (b"one\ntwo\nthree \0\n", "nul", 3),
        (b"x" * (MAX_NOTE_BYTES + 1), "too-large", 0),
    ],
)
def test_what_is_no_note_is_refused_with_its_reason_and_line(
    raw: bytes, reason: str, line: int
) -> None:
    with pytest.raises(MalformedError) as caught:
        split_note(raw)
    assert (caught.value.reason, caught.value.line) == (reason, line)


def test_a_note_at_its_size_is_read() -> None:
    assert len(split_note(b"x" * MAX_NOTE_BYTES).raw) == MAX_NOTE_BYTES


def test_bad_frontmatter_is_reported_when_it_is_looked_at_and_the_bytes_still_stand() -> None:
    raw = b"---\na: &x 1\n---\nbody"
    note = split_note(raw)
    assert note.raw == raw
    with pytest.raises(MalformedError) as caught:
        _ = note.fields
    assert (caught.value.reason, caught.value.line) == ("alias", 2)


def test_the_hash_of_bytes_is_their_sha_256() -> None:
    assert hash_bytes(b"x") == sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    ("raw", "out"),
    [
        (
            b"---\nb: 1\nmine: [ x ] # c\n---\nbody\n",
            b"---\nb: 2\nmine: [ x ] # c\nid: i7\n---\nbody\n",
        ),
        (b"---\r\nb: 1\r\n---\r\nx\r\ny", b"---\r\nb: 2\r\nid: i7\r\n---\r\nx\r\ny"),
        (BOM + b"---\nb: 1\n---\nx", BOM + b"---\nb: 2\nid: i7\n---\nx"),
        (b"---\n---\nx", b"---\nb: 2\nid: i7\n---\nx"),
        (b"x\n", b"---\nb: 2\nid: i7\n---\nx\n"),
        (b"x\r\n", b"---\r\nb: 2\r\nid: i7\r\n---\r\nx\r\n"),
        (BOM + b"x", BOM + b"---\nb: 2\nid: i7\n---\nx"),
        (b"", b"---\nb: 2\nid: i7\n---\n"),
    ],
)
def test_a_patch_leaves_all_else_as_it_stood(raw: bytes, out: bytes) -> None:
    patched = split_note(raw).patch({"b": 2, "id": "i7"})
    assert patched.raw == out
    assert split_note(patched.raw).fields == patched.fields


def test_a_field_can_be_removed() -> None:
    assert split_note(NOTE).patch({}, ["updated"]).raw == b"---\nid: 01k8\n---\n# Title\n"


@pytest.mark.parametrize(
    ("raw", "out"),
    [
        (NOTE, NOTE.replace(b"# Title\n", b"one\ntwo\n")),
        (b"---\r\na: 1\r\n---\r\nx\r\n", b"---\r\na: 1\r\n---\r\none\r\ntwo\r\n"),
        (BOM + b"x", BOM + b"one\ntwo\n"),
        (b"x\r\n", b"one\r\ntwo\r\n"),
    ],
)
def test_a_new_body_takes_the_line_ends_of_its_note(raw: bytes, out: bytes) -> None:
    assert split_note(raw).with_body("one\ntwo\n").raw == out
    assert split_note(raw).with_body("one\r\ntwo\n").raw == out


def test_a_value_can_be_had_as_it_is_written() -> None:
    assert split_note(b"---\nid: 1.10 # c\n---\n").written("id") == "1.10"


@pytest.mark.parametrize("key", COUNTERS)
def test_counters_are_not_of_the_substance(key: str) -> None:
    note = split_note(NOTE)
    counted = note.patch({key: 3})
    assert counted.raw != note.raw
    assert counted.substance() == note.substance()
    assert counted.patch({key: 4}).substance() == note.substance()


@pytest.mark.parametrize("raw", [b"# Plain\n", BOM + b"plain", b"x\r\ny\r\n", b"", b"---\n---\nx"])
def test_counting_a_note_without_frontmatter_is_not_of_the_substance(raw: bytes) -> None:
    note = split_note(raw)
    assert note.patch({"recall_count": 1, "last_recalled": "2026-01-31"}).substance() == (
        note.substance()
    )


@pytest.mark.parametrize(
    "changes", [{"tags": ["x"]}, {"status": "deleted"}, {"mine": None}, {"id": "i9"}]
)
def test_every_other_field_is_of_the_substance(changes: dict[str, Value]) -> None:
    assert split_note(NOTE).patch(changes).substance() != split_note(NOTE).substance()


def test_the_body_and_its_line_ends_are_of_the_substance() -> None:
    assert len({substance(NOTE + end) for end in (b"", b"\n", b"\r\n", b" ")}) == 4


def test_more_fields_can_be_left_out_of_the_substance() -> None:
    one, other = split_note(NOTE), split_note(NOTE.replace(b"01k8", b"02k9"))
    assert one.substance() != other.substance()
    assert one.substance(["id"]) == other.substance(["id"])


@pytest.mark.parametrize(
    "front",
    [
        "updated: x\ralways_load: {}\n",
        "updated: x\u2028always_load: {}\n",
        "updated: x # c\x85always_load: {}\n",
        "updated: x # c\u2029always_load: {}\n",
        "{{updated: x, always_load: {}}}\n",
        "{{always_load: {}, updated: x}}\n",
        "{{updated: x,\nalways_load: {}}}\n",
        "{{always_load: {},\nupdated: x}}\n",
        "always_load: {}\u2028updated: x\n",
        "updated:\u2028  x\u2028always_load: {}\n",
        "updated: |\u2028  x\u2028always_load: {}\n",
        "? updated\n: x\n? always_load\n: {}\n",
        "weight: 1\nupdated: x\rlast_recalled: y\ralways_load: {}\n",
    ],
)
def test_nothing_hides_in_the_line_of_a_counter(front: str) -> None:
    raws = [f"---\n{front.format(value)}---\nbody\n".encode() for value in ("true", "false")]
    assert [split_note(raw).fields["always_load"] for raw in raws] == [True, False]
    assert substance(raws[0]) != substance(raws[1])


def test_a_body_that_looks_like_frontmatter_is_not_the_frontmatter_it_looks_like() -> None:
    real = b"---\nalways_load: true\n---\nbody\n"
    assert substance(b"---\nupdated: x\n---\n" + real) != substance(real)
    assert substance(b"---\n---\n" + real) != substance(real)


def test_a_note_made_afresh_reads_back() -> None:
    fields: dict[str, Value] = {"id": "01k8", "tags": ["a", "b: c"], "source": {"trust": "agent"}}
    note = compose_note(fields, "# Title\n")
    assert note.raw.startswith(b"---\nid: 01k8\n")
    again = split_note(note.raw)
    assert (again.fields, again.body) == (fields, "# Title\n")


times = st.floats(min_value=0, max_value=253402300799)
entropies = st.binary(min_size=10, max_size=10)


@given(times, entropies)
def test_an_id_has_the_form_of_one(at: float, entropy: bytes) -> None:
    made = make_id(at, entropy)
    assert is_id(made)
    assert made[0] <= "7"


@given(times, times, entropies, entropies)
def test_ids_sort_by_when_they_were_made(
    one: float, other: float, first: bytes, second: bytes
) -> None:
    if round(one * 1_000_000) < round(other * 1_000_000):
        assert make_id(one, first) < make_id(other, second)


@given(times, st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_two_made_in_one_microsecond_differ_by_their_random_bytes(
    at: float, first: bytes, second: bytes
) -> None:
    one, other = (make_id(at, bytes(2) + drawn) for drawn in (first, second))
    assert (one == other) == (first == second)


def test_an_id_is_laid_out_as_a_ulid_in_lower_case() -> None:
    # The example of the ULID specification: 01ARYZ6S41 is 1469918176385 milliseconds.
    assert make_id(1469918176.385, bytes(10)) == "01aryz6s41" + "0" * 16
    assert make_id(1469918176.385, b"\xff" * 10) == "01aryz6s4100" + "z" * 14
    assert make_id(1469918176.3855, b"\xff" * 10) == "01aryz6s41fm" + "z" * 14


def test_a_time_before_the_epoch_counts_as_the_epoch() -> None:
    assert make_id(-5.0, bytes(10)) == "0" * ID_LENGTH


@pytest.mark.parametrize(("number", "text"), [(0, "00"), (31, "0z"), (32, "10"), (1023, "zz")])
def test_a_number_is_written_most_significant_digit_first(number: int, text: str) -> None:
    assert encode(number, 2) == text


@given(st.text(st.characters()))
def test_any_path_gives_an_id_that_no_time_gives(path: str) -> None:
    made = path_id(path)
    assert is_id(made)
    assert made > make_id(253402300799, b"\xff" * 10)
    assert made == path_id(path)


def test_two_paths_give_two_ids() -> None:
    assert len({path_id(path) for path in ("a.md", "b.md", "x/a.md", "A.md", "\udcff.md")}) == 5


@pytest.mark.parametrize(
    "text",
    ["", "0" * 25, "0" * 27, "O" * 26, "0" * 25 + "u", "0" * 12 + "-" + "0" * 13, "0" * 25 + "\n",
     "٠" * 26],
)  # fmt: skip
def test_what_has_another_form_is_no_id(text: str) -> None:
    assert not is_id(text)
