"""What is written reads back, and what was not asked to change stays byte for byte (S1.10)."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engrain.model.errors import MalformedError
from engrain.model.history.line import BLANK, GENESIS
from engrain.model.history.record import (
    FileChange,
    Record,
    check_link,
    decode_record,
    encode_record,
)
from engrain.model.note.entry import read_entry
from engrain.model.note.field import Field
from engrain.model.note.note import (
    COUNTERS,
    compose_note,
    hash_bytes,
    parse_fields,
    patch_fields,
    read_plain,
    render_fields,
    render_value,
    split_note,
)
from engrain.model.note.reader import read_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value


# Values as a program gives them.
anything = st.text(st.characters(exclude_categories=["Cs"]))
telling = st.text(st.sampled_from("ayn01.:-+_eExtf~#'\"\\ []{},&*!|>%@`\n\t\x85\u2028é日😀"))
dates = st.dates().map(str) | st.from_regex(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T00:00:00Z)?", fullmatch=True
)
texts = (
    anything
    | telling
    | dates
    | st.sampled_from(["yes", "NULL", "0o17", "1e5", "---", "", "=", "<<"])
)
integers = st.integers(min_value=1 - 10**18, max_value=10**18 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
keys = texts.map(lambda key: key[:40])
scalars: st.SearchStrategy[Value] = st.none() | st.booleans() | integers | floats | texts
values: st.SearchStrategy[Value] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=8,
)  # fmt: skip

# Text as a person writes it.
words = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xD7FF, exclude_categories=["Cc", "Zl", "Zp"]),
    max_size=12,
)
plain_words = st.from_regex(r"[a-z][a-z/.-]{0,8}[a-z]", fullmatch=True).filter(
    lambda word: word not in ("true", "false", "null")
)
names = st.sampled_from(
    ["id", "kind", "tags", "mine", "created", "a.b", "Ünï", "日付", "with space", "x-1", *COUNTERS]
)  # fmt: skip


class Block:
    """Some whole lines of frontmatter: a field with its value, or what stands between fields.

    `comments` are those that outlive a change of the field.
    """

    def __init__(self, text: str, key: str = "", value: Value = None, comments: str = "") -> None:
        self.text = text
        self.key = key
        self.value = value
        self.comments = comments.split()

    def __repr__(self) -> str:
        return repr(self.text)


def quote(word: str, style: str) -> str:
    if style == "'":
        return "'" + word.replace("'", "''") + "'"
    return json.dumps(word, ensure_ascii=False)


@st.composite
def written_scalars(draw: st.DrawFn) -> tuple[str, Value]:
    """A scalar's text and its value."""
    number = draw(st.integers(min_value=-999, max_value=99999))
    word = draw(words)
    plain = draw(plain_words)
    forms: list[tuple[str, Value]] = [
        (str(number), number), (f"{number}.50", float(f"{number}.50")), ("NO", "NO"),
        ("true", True), ("~", None), ("12:30:45", "12:30:45"), ("2026-01-31", "2026-01-31"),
        (plain, plain), (quote(word, "'"), word), (quote(word, '"'), word),
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def fields_of(draw: st.DrawFn, key: str, eol: str, margin: str, serial: int) -> Block:
    """One field as people and tools write it."""
    name = key if draw(st.booleans()) else quote(key, "'")
    head = f"{margin}{name}{draw(st.sampled_from(['', ' ']))}:"
    gap = draw(st.sampled_from([" ", "  ", "\t"]))
    ending = draw(st.sampled_from(["", " ", f" # c{serial}"]))
    ending_comment = f" c{serial}" if "#" in ending else ""
    deeper = margin + draw(st.sampled_from([" ", "  ", "     "]))
    note = draw(st.sampled_from(["", f"{deeper}# d{serial}{eol}", f"# d{serial}{eol}"]))
    note_comment = f" d{serial}" if note else ""
    # A counter is a scalar, whoever wrote it.
    forms = ["scalar", "empty", "list", "flow", "map", "literal", "folded"]
    form = draw(st.sampled_from(forms[: 2 if key in COUNTERS else None]))
    if form == "empty":
        return Block(f"{head}{ending}{eol}", key, None, ending_comment)
    if form == "scalar":
        text, value = draw(written_scalars())
        return Block(f"{head}{gap}{text}{ending}{eol}", key, value, ending_comment)
    if form in ("literal", "folded"):
        lines = draw(st.lists(plain_words, min_size=1, max_size=3))
        mark, join, last = ("|", "\n", "\n") if form == "literal" else (">-", " ", "")
        text = eol.join(f"{deeper}{line}" for line in lines)
        return Block(f"{head}{gap}{mark}{eol}{text}{eol}", key, join.join(lines) + last)
    items = draw(st.lists(written_scalars(), min_size=1, max_size=3))
    if form == "list":
        dash = draw(st.sampled_from([margin, deeper])) + "- "
        rows = eol.join(dash + text for text, _ in items)
        whole = f"{head}{ending}{eol}{note}{rows}{eol}"
        return Block(whole, key, [value for _, value in items], ending_comment + note_comment)
    if form == "flow":
        between = draw(st.sampled_from([", ", f" , # ] e{serial}{eol}{deeper}"]))
        text = "[" + between.join(text for text, _ in items) + "]"
        whole = f"{head}{gap}{text}{ending}{eol}"
        return Block(whole, key, [value for _, value in items], ending_comment)
    rows = "".join(f"{deeper}k{place}: {text}{eol}" for place, (text, _) in enumerate(items))
    value = {f"k{place}": item for place, (_, item) in enumerate(items)}
    return Block(f"{head}{ending}{eol}{note}{rows}", key, value, ending_comment + note_comment)


@st.composite
def fronts(draw: st.DrawFn) -> tuple[list[Block], str, str]:
    """Frontmatter as a list of blocks, its line end, and its left margin."""
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    margin = draw(st.sampled_from(["", "", "  ", "   "]))
    blocks: list[Block] = []
    for serial, key in enumerate(draw(st.lists(names, unique=True, max_size=6))):
        between = draw(
            st.sampled_from(["", "", f"{margin}# b{serial} é: [x{eol}", eol, f"{eol}# b{eol}"])
        )
        blocks += [Block(between), draw(fields_of(key, eol, margin, serial))]
    blocks.append(Block(draw(st.sampled_from(["", f"{margin}# the end{eol}", eol]))))
    return blocks, eol, margin


def join(blocks: list[Block]) -> str:
    return "".join(block.text for block in blocks)


def mapping(blocks: list[Block]) -> dict[str, Value]:
    return {block.key: block.value for block in blocks if block.key}


def read(text: str) -> dict[str, Value]:
    return {key: field.value for key, field in parse_fields(text).items()}


def exact(value: Value) -> str:
    """A key by which `1`, `1.0` and `true` differ."""
    return repr(value)


@st.composite
def patches(draw: st.DrawFn, had: list[str]) -> tuple[dict[str, Value], list[str]]:
    """What to set and what to remove."""
    known = st.sampled_from(had) | names if had else names
    changes = draw(st.dictionaries(known, values, max_size=4))
    removed = [key for key in draw(st.lists(known, max_size=3)) if key not in changes]
    return changes, removed


@given(fronts())
def test_frontmatter_as_people_write_it_is_read(front: tuple[list[Block], str, str]) -> None:
    blocks, _, _ = front
    assert exact(read(join(blocks))) == exact(mapping(blocks))


@given(st.data(), fronts())
def test_a_patch_changes_what_it_was_asked_to_and_no_other_line(
    data: st.DataObject, front: tuple[list[Block], str, str]
) -> None:
    blocks, eol, margin = front
    text, had = join(blocks), mapping(blocks)
    changes, removed = data.draw(patches(list(had)))
    out = patch_fields(text, changes, removed, eol)

    wanted = {key: value for key, value in had.items() if key not in removed} | changes
    assert {key: exact(value) for key, value in read(out).items()} == {
        key: exact(value) for key, value in wanted.items()
    }
    assert patch_fields(out, changes, removed, eol) == out

    touched = {key for key in changes if key in had and exact(had[key]) != exact(changes[key])}
    pattern = ""
    for block in blocks:
        if block.key in touched:
            head = re.escape(block.text[: block.text.index(":")])
            pattern += rf"{head}:[^\n]*{eol}(?:[ ]*#[^\n]*{eol})*"
            assert all(f"# {comment}" in out for comment in block.comments)
        elif block.key not in removed or not block.key:
            pattern += re.escape(block.text)
    for key in changes:
        if key not in had:
            indent = margin if had else ""
            pattern += rf"{indent}{re.escape(render_value(key))}: [^\n]*{eol}"
    assert re.fullmatch(pattern, out), (pattern, out)


@given(fronts(), st.binary(max_size=30).map(lambda raw: raw.decode("latin-1").replace("\0", "")))
def test_a_patch_that_asks_for_what_is_there_changes_no_byte(
    front: tuple[list[Block], str, str], body: str
) -> None:
    blocks, eol, _ = front
    note = split_note(f"---{eol}{join(blocks)}---{eol}{body}".encode())
    assert note.patch(note.fields).raw == note.raw
    assert note.patch({}, ["absent"]).raw == note.raw


@given(st.data(), fronts(), st.sampled_from(COUNTERS), values)
def test_counters_never_change_the_substance_and_all_else_does(
    data: st.DataObject, front: tuple[list[Block], str, str], counter: str, value: Value
) -> None:
    blocks, eol, _ = front
    note = split_note(f"---{eol}{join(blocks)}---{eol}body{eol}".encode())
    assert note.patch({counter: value}).substance() == note.substance()
    assert note.patch({}, [counter]).substance() == note.substance()
    key = data.draw(names.filter(lambda name: name not in COUNTERS))
    had = note.fields
    if key not in had or exact(had[key]) != exact(value):
        assert note.patch({key: value}).substance() != note.substance()
    if key in had:
        assert note.patch({}, [key]).substance() != note.substance()
        assert note.patch({}, [key]).substance([key]) == note.substance([key])
    assert note.with_body("body, changed").substance() != note.substance()


@given(values)
def test_every_value_reads_back_as_it_was(value: Value) -> None:
    rendered = render_value(value)
    assert "\n" not in rendered
    assert exact(read(f"key: {rendered}\n")["key"]) == exact(value)
    assert exact(read(f"key: [{rendered}, {{k: {rendered}}}]\n")["key"]) == exact(
        [value, {"k": value}]
    )


@given(texts)
@example("2026-13-45")
@example("1:30")
def test_other_readers_take_a_text_for_the_same_text(text: str) -> None:
    for document in (f"key: {render_value(text)}\n", f"key: [x, {render_value(text)}]\n"):
        other = yaml.safe_load(document)["key"]
        other = other[1] if isinstance(other, list) else other
        if not isinstance(other, str):
            assert re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", text)
            assert other.isoformat().startswith(text[:10])
        else:
            assert other == text


@given(st.dictionaries(keys, values, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_fresh_frontmatter_knows_where_its_fields_stand_without_being_read(
    fields: dict[str, Value], eol: str
) -> None:
    text, spans = render_fields(fields, eol)
    assert places(spans) == places(parse_fields(text))
    note = compose_note(fields, "# T\n")
    assert split_note(note.raw).substance() == note.substance()


def places(spans: dict[str, Field]) -> list[tuple[object, ...]]:
    return [(key, repr(field)) for key, field in spans.items()]


tokens = st.sampled_from(
    ["a", "b-1", "key", "null", "true", "1.5", "-2", "é日", ": ", ":", ", ", ",", "[", "]", "{",
     "}", '"', '"x: y"', "\\", "'", "#", " #", " ", "  ", "\n", "\n", "a: ", "\nb: ", "- ", "&x",
     "*", "!t", "?", "|", ">", "%", "@", "`", "(c)", "it's", "2026-01-31T10:00:00Z", "~", "/p/q",
     "\t", "\r", "\x85", "\u2028", "\ufeff", "\xa0", "\x7f", "=", "<<", "---", "..."]
)  # fmt: skip


@given(
    st.lists(tokens, max_size=14).map("".join) | st.lists(tokens).map(lambda t: f"k: {''.join(t)}")
)
@settings(max_examples=600)
@example("a: b: c\n")
@example("a: [b, {c: d}]")
@example("a: [[b]")
@example("a: b\n c\n")
@example("a: b\na: c\n")
def test_what_is_read_without_libyaml_is_read_as_libyaml_does(text: str) -> None:
    plain = read_plain(text)
    if plain is not None:
        assert places(plain) == places(read_fields(text))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_]{0,8}[a-z]", fullmatch=True).filter(
            lambda key: key not in ("y", "n", "no", "on", "yes", "off", "true", "false", "null")
        ),
        st.from_regex(r"[b-m][b-m0-9./-]{0,9}( [a-z]{1,5})?", fullmatch=True)
        | integers.map(abs)
        | st.lists(st.from_regex(r"[b-m]{1,5}", fullmatch=True), max_size=3),
    )
)
def test_what_engrain_writes_is_read_without_libyaml(fields: dict[str, Value]) -> None:
    text, spans = render_fields(fields)
    found = read_plain(text)
    assert found is not None
    assert places(found) == places(spans)


pieces = st.sampled_from(
    ["---\n", "---\r\n", "---", "--- \n", "\ufeff", "a: 1\n", "b: [x]\r\n", "\n", "\r", "text", "é",
     "# T\n", "updated: x\n", "tags:\n- y\n", "\u2028", "'", '"', "{", "|\n", "&a ", "*a", "!!str ",
     "? ", "...\n", "\x01", ": ", "- ", "  ", "\t", "日", "😀", "id: 0x1F\n", "always_load: true"]
)  # fmt: skip


@given(st.binary() | st.lists(pieces).map(lambda parts: "".join(parts).encode()))
@example(b"\xef\xbb\xbf---\r\n---")
def test_a_note_that_is_split_joins_to_its_bytes(raw: bytes) -> None:
    try:
        note = split_note(raw)
    except MalformedError:
        return
    assert note.raw == raw


@given(st.lists(pieces, max_size=12).map("".join), values)
def test_any_frontmatter_is_read_and_patched_whole_or_refused(text: str, value: Value) -> None:
    raw = f"---\n{text}\n---\nbody".encode()
    try:
        entry = read_entry("Memory/fix/a.md", raw)
    except MalformedError:
        return
    assert entry.note.raw == raw
    assert len(entry.note.substance()) == 64
    for changes, removed in (({"tags": value}, ["updated"]), ({"new": value}, ["a"])):
        try:
            out = entry.note.patch(changes, removed)
        except MalformedError:
            continue
        wanted = {key: item for key, item in entry.fields.items() if key not in removed} | changes
        assert exact(dict(sorted(out.fields.items()))) == exact(dict(sorted(wanted.items())))
        assert out.body == entry.note.body


hashes = st.none() | st.binary(min_size=1, max_size=2).map(hash_bytes)
surrogates_too = st.text(st.characters())
files = st.builds(
    FileChange, surrogates_too, surrogates_too, hashes, hashes, st.none() | st.binary(max_size=200)
)
records = st.builds(
    Record,
    surrogates_too,
    st.integers(min_value=1, max_value=10**12),
    st.floats(min_value=0, max_value=4e9),
    surrogates_too,
    st.lists(surrogates_too, max_size=3),
    st.lists(files, max_size=3),
    reason=surrogates_too,
    agent=surrogates_too,
    trust=surrogates_too,
    undoes=st.none() | surrogates_too,
)


@given(records, surrogates_too)
def test_a_record_reads_back_as_it_was(record: Record, salt: str) -> None:
    line, payload = encode_record(record, GENESIS, salt)
    assert b"\n" not in line + payload
    assert decode_record(line, payload) == record
    assert check_link(line, payload, GENESIS, record.n) is None
    assert check_link(line, BLANK, GENESIS, record.n) is None


@given(records, st.data())
def test_no_bit_of_the_history_can_be_flipped_unseen(record: Record, data: st.DataObject) -> None:
    def flip(raw: bytes) -> bytes:
        bit = data.draw(st.integers(min_value=0, max_value=len(raw) * 8 - 1))
        return (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(len(raw), "big")

    line, payload = encode_record(record, GENESIS, "salt")
    after, its_payload = encode_record(
        Record("d", record.n + 1, 0.0, "save", [], []), hash_bytes(line), "salt"
    )
    assert check_link(line, flip(payload), GENESIS, record.n)
    flipped = flip(line)
    assert check_link(flipped, payload, GENESIS, record.n) or check_link(
        after, its_payload, hash_bytes(flipped), record.n + 1
    )


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_real_note_survives_a_life_of_changes(mark: str, eol: str) -> None:
    front = [
        "# mine",
        "id: 01k8",
        "tags:",
        "- a  # first",
        "- b",
        "",
        "odd :   'x'",
        "recall_count: 1",
    ]
    body = ["# Title", "", "text\twith  spaces ", "---", "more"]
    raw = (mark + eol.join(["---", *front, "---", *body])).encode()
    note = split_note(raw)
    counted = note.patch({"recall_count": 2, "last_recalled": "2026-01-31T00:00:00Z"})
    tagged = counted.patch({"tags": ["a", "b", "c"], "status": "deleted"})
    back = tagged.patch({"tags": ["a", "b"], "recall_count": 1}, ["status", "last_recalled"])
    expected = raw.decode().replace(f"tags:{eol}- a  # first{eol}- b{eol}", f"tags: [a, b]{eol}")
    assert back.raw.decode() == expected
    assert counted.substance() == note.substance()
