"""Notes of other tools, whose text stays whatever their frontmatter is."""

from __future__ import annotations

import pytest

from engrain.model.errors import MalformedError
from engrain.model.note.field import MAX_FRONTMATTER
from engrain.model.note.foreign import read_foreign, set_aside

UNREAD = {
    "a title with a colon": "---\ntitle: Fix: the gate\ntags: [gate]\n---\n# Gate\nwombat\n",
    "a template": "---\ntitle: {{title}}\ncreated: {{date}}\n---\nwombat\n",
    "a template of Templater": "---\n<%* tR += 'x' %>\ntitle: <% tp.file.title %>\n---\nwombat\n",
    "a list at the top": "---\n- a\n- b\n---\nwombat\n",
    "a text at the top": "---\njust words\n---\nwombat\n",
    "a rule at the top": "---\n\nIt starts with a rule.\n\n---\n\nwombat\n",
    "a rule alone": "---\n\nwombat\n",
    "the end as in Pandoc": "---\ntitle: x\n...\nwombat\n",
    "a tab": "---\ntitle: x\n\tkey: y\n---\nwombat\n",
    "a key twice": "---\ntitle: x\ntitle: y\n---\nwombat\n",
    "an anchor": "---\na: &a 1\nb: *a\n---\nwombat\n",
    "an unclosed bracket": "---\ntags: [a, b\n---\nwombat\n",
    "an unclosed quote": '---\ntitle: "x\n---\nwombat\n',
    "no closing fence": "---\ntitle: x\nwombat\n",
    "an at sign": "---\nauthor: @ada\n---\nwombat\n",
    "a per cent sign": "---\n%: 1\n---\nwombat\n",
    "two documents": "---\na: 1\n--- \nb: 2\n---\nwombat\n",
    "TOML": '+++\ntitle = "x"\n+++\n\n# Gate\n\nwombat\n',
    "a key that is a list": "---\n? [a]\n: 1\n---\nwombat\n",
    "too much of it": f"---\na: {'x' * MAX_FRONTMATTER}\n---\nwombat\n",
    "too deep": f"---\na: {'[' * 40}{']' * 40}\n---\nwombat\n",
}
READ = {
    "JSON": '---\n{ "title": "Nest", "tags": ["bird"] }\n---\nwombat\n',
    "JSON on lines": '---\n{\n  "title": "Nest",\n  "tags": ["bird"]\n}\n---\nwombat\n',
    "nothing": "---\n---\nwombat\n",
    "a comment": "---\n# nothing\n---\nwombat\n",
    "tags of YAML": "---\na: !!str 1\n---\nwombat\n",
    "indented fields": "---\n  title: x\n  tags: [a]\n---\nwombat\n",
    "no frontmatter": "wombat\n",
}


def variants(text: str) -> list[str]:
    """The same text with Windows' line ends, and with a byte order mark."""
    return [text, text.replace("\n", "\r\n"), "\ufeff" + text]


@pytest.mark.parametrize("form", UNREAD)
def test_frontmatter_that_can_not_be_read_is_kept_as_text(form: str) -> None:
    for text in variants(UNREAD[form]):
        found = read_foreign(text.encode())
        if form == "two documents" and not found.unread:
            continue  # a fence with a blank behind it is one
        assert found.unread
        made = found.note.patch({"id": "x", "status": "active"})
        assert made.fields == {"id": "x", "status": "active"}
        assert made.body == text.removeprefix("\ufeff")


@pytest.mark.parametrize("form", READ)
def test_other_forms_are_read(form: str) -> None:
    for text in variants(READ[form]):
        found = read_foreign(text.encode())
        assert found.unread == ""
        made = found.note.patch({"id": "x"}, ["title"])
        assert made.fields["id"] == "x"
        assert "title" not in made.fields
        assert "wombat" in made.body


def test_the_heading_under_unread_frontmatter_is_told() -> None:
    assert read_foreign(UNREAD["a title with a colon"].encode()).heading == "Gate"
    assert read_foreign(UNREAD["TOML"].encode()).heading == "Gate"
    assert read_foreign(b"---\nIntro.\n---\n# Part 2\n").heading is None


@pytest.mark.parametrize("raw", [b"a\0b", b"\xff\xfea\0", b"\xff"])
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError):
        read_foreign(raw)


VALUES = [
    "0042", "1.10", "1e3", "2024-01-05", "yes", "No", "on", "off", "12:30", "~", "'quoted: #1'",
    '"a \\"b\\" \\u00e9"', "0o17", "0x1F", "123456789012345678901234567890", "007", "+1", ".5",
    "2024-01-05T10:00:00+02:00", "héllo 🎉", "a: b" and "a # no comment"[:1], "[a, 0042, 1.10]",
    "{a: 1.10, b: [x]}", "|\n  first\n   second\n\n  third", ">-\n  folded\n  text",
    "\n  - 0042\n  - '1.10'", "\n  inner: 0042\n  more:\n    - yes", "1_000", "True", "null", "''",
    "NaN", ".inf", "-0", "1.0", "00:00:00", "!!str 0042", "text  with   blanks", "[[Home]]",
    '"[[Home]]"', "https://example.com/a?b=c#d", "", "0042 # mine",
]  # fmt: skip


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("value", VALUES)
def test_what_is_set_aside_keeps_its_text(value: str, eol: str) -> None:
    text = f"---\nid: {value}\ntitle: T\nstatus: 1.10\n---\nBody\n".replace("\n", eol)
    given = read_foreign(text.encode()).note
    made = set_aside(given.patch({"id": "new", "status": "active"}), given, ["id", "status"])
    assert made.fields["imported"] == {key: given.fields[key] for key in ("id", "status")}
    assert (made.fields["id"], made.fields["status"]) == ("new", "active")
    aside = made.front[made.front.index("imported:") :]
    for line in value.splitlines():
        assert line.strip() in aside
    assert "1.10" in aside
    assert made.raw.decode().endswith(f"---{eol}Body{eol}")


def test_one_value_on_a_line_is_written_on_one_line() -> None:
    given = read_foreign(b"---\nid: 0042\ncreated: 2024-01-05\n---\n").note
    made = set_aside(given.patch({}, ["id", "created"]), given, ["id", "created"])
    assert made.front == "imported: {id: 0042, created: 2024-01-05}\n"
