"""Skills as folders in the Agent Skills format, both ways (S2.4)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import MalformedError
from engrain.model.experience.folders import (
    MOST_DESCRIPTION,
    MOST_FILE,
    SkillFolder,
    is_inside,
    read_skill_folder,
    skill_name,
    write_skill_folder,
)
from engrain.model.note.note import split_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value

BODY = "# Skill: Release\n\nWhen a version goes out.\n\n## Steps\n1. Tag\n2. Push\n"
PDF = b"""---
name: pdf-processing
description: Extract text from PDFs. Use when handling PDFs.
license: Apache-2.0
compatibility: Requires poppler
metadata:
  author: example-org
  version: "1.0"
allowed-tools: Bash(git:*) Read
---

# PDF processing

Read [the forms guide](references/FORMS.md).
"""


def again(folder: SkillFolder) -> SkillFolder:
    name, files = write_skill_folder(folder.name, folder.body, folder.tags, folder.extras)
    return read_skill_folder(name, files[0][1], [(path, raw, "") for path, raw in files[1:]])


def values(folder: SkillFolder) -> tuple[object, ...]:
    return folder.name, folder.body, folder.tags, folder.extras


def test_a_skill_that_is_written_is_what_a_host_loads() -> None:
    name, files = write_skill_folder("release", BODY, ["ci", "pypi"])
    assert name == "release"
    assert [path for path, _ in files] == ["SKILL.md"]
    fields = split_note(files[0][1]).fields
    assert list(fields) == ["name", "description", "metadata"]
    assert fields["name"] == "release"
    assert fields["description"] == "When a version goes out."
    assert fields["metadata"] == {"engrain-tags": "ci pypi"}
    assert split_note(files[0][1]).body == "\n" + BODY


def test_what_was_written_reads_back_as_it_was() -> None:
    folder = again(SkillFolder("release", BODY, ["ci"], {"license": "MIT"}, []))
    assert values(folder) == ("release", BODY, ("ci",), {"license": "MIT"})


def test_a_folder_keeps_all_that_the_format_has_and_its_files() -> None:
    beside = [("references/FORMS.md", b"# Forms\n```\n## Steps\n", ""), ("scripts/x.py", b"x", "")]
    folder = read_skill_folder("pdf-processing", PDF, beside)
    assert folder.body.startswith(
        "# PDF processing\n\nExtract text from PDFs. Use when handling PDFs.\n\nRead [the"
    )
    assert folder.extras == {
        "license": "Apache-2.0",
        "compatibility": "Requires poppler",
        "metadata": {"author": "example-org", "version": "1.0"},
        "allowed-tools": "Bash(git:*) Read",
    }
    assert folder.left_out == ()
    _, files = write_skill_folder(folder.name, folder.body, folder.tags, folder.extras)
    assert files[1:] == [(path, raw) for path, raw, _ in beside]
    assert values(again(folder)) == values(folder)


FILES = st.dictionaries(
    st.sampled_from(["a.md", "references/b.md", "scripts/c.py", "d/e/f.txt"]),
    st.one_of(
        st.text(),
        st.text("`~ \n#ab\r").map(lambda text: text + "\n"),
        st.just("## Bundled files\n"),
    ).map(str.encode),
)


@given(FILES)
def test_files_of_text_come_back_byte_for_byte(files: dict[str, bytes]) -> None:
    kept = {path: raw for path, raw in files.items() if b"\0" not in raw}
    folder = read_skill_folder("x", PDF, [(path, raw, "") for path, raw in files.items()])
    assert {path for path, _ in folder.left_out} == files.keys() - kept.keys()
    _, written = write_skill_folder(folder.name, folder.body)
    assert dict(written[1:]) == kept


@pytest.mark.parametrize(
    ("path", "raw", "reason"),
    [
        ("logo.png", b"\x89PNG\xff", "is no text"),
        ("zero.txt", b"a\0b", "is no text"),
        ("long.txt", b"x" * (MOST_FILE + 1), f"is over {MOST_FILE} bytes"),
        ("../evil.md", b"x", "its name is no name on every system"),
        ("/etc/x", b"x", "its name is no name on every system"),
        ("skill.md/x", b"x", "its name is no name on every system"),
        ("a`b.md", b"x", "its name is no name on every system"),
        ("CON.md", b"x", "its name is no name on every system"),
        ("link.md", None, "is a link"),
    ],
)
def test_what_is_left_out_is_told_with_its_reason(
    path: str, raw: bytes | None, reason: str
) -> None:
    given_reason = reason if raw is None else ""
    folder = read_skill_folder("x", PDF, [(path, raw, given_reason)])
    assert folder.left_out == ((path, reason),)
    assert folder.extras["left_out"] == [path]


def test_all_files_of_a_skill_are_bounded_together() -> None:
    beside = [(f"{n}.txt", b"x" * (MOST_FILE - 1), "") for n in range(6)]
    folder = read_skill_folder("x", PDF, beside)
    assert [path for path, _ in folder.left_out] == ["4.txt", "5.txt"]


def test_fields_beyond_the_format_are_told_and_not_kept() -> None:
    raw = b"---\nname: x\ndescription: y\nhooks: {a: b}\nmodel: opus\n---\nDo.\n"
    folder = read_skill_folder("x", raw)
    assert folder.extras == {}
    assert [path for path, _ in folder.left_out] == ["SKILL.md: hooks", "SKILL.md: model"]


def test_a_description_that_is_no_yaml_is_read_as_hosts_read_it() -> None:
    folder = read_skill_folder("x", b"---\nname: x\ndescription: Use it: often\n---\n\nDo.\n")
    assert folder.body == "# x\n\nUse it: often\n\nDo.\n"


def test_a_folder_without_a_name_or_a_heading_goes_by_its_own_name() -> None:
    folder = read_skill_folder("My Skill", b"Do it.\n")
    assert (folder.name, folder.body) == ("my-skill", "# My Skill\n\nDo it.\n")


def test_what_is_no_text_is_malformed() -> None:
    with pytest.raises(MalformedError):
        read_skill_folder("x", b"\xff\xfe")


@given(st.text())
def test_a_name_is_one_that_the_format_allows(slug: str) -> None:
    assert re.fullmatch("(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*", skill_name(slug))


def test_a_name_keeps_what_the_format_allows_of_it() -> None:
    assert skill_name("café--au lait") == "cafe-au-lait"
    assert skill_name("日本") != skill_name("中国")


def test_a_long_description_is_cut_at_a_word_and_still_reads_back() -> None:
    body = f"# A\n\n{'word ' * 400}\n\n## Steps\n1. x\n"
    name, files = write_skill_folder("a", body)
    said = split_note(files[0][1]).fields["description"]
    assert isinstance(said, str)
    assert len(said) <= MOST_DESCRIPTION
    assert said.endswith("word …")
    assert read_skill_folder(name, files[0][1]).body == body


def test_the_frontmatter_is_one_that_the_formats_own_reader_takes() -> None:
    extras: dict[str, Value] = {
        "metadata": {"author": "A --- B", "version": 1.0},
        "allowed-tools": ["Read", "Bash(a b)"],
    }
    _, files = write_skill_folder("x", "# X\n\nFirst --- then: second.\n", ["t"], extras)
    front = split_note(files[0][1]).front
    assert front == (
        "name: x\n"
        'description: "First -\\u002d- then: second."\n'
        "metadata:\n"
        '  author: "A -\\u002d- B"\n'
        '  version: "1.0"\n'
        "  engrain-tags: t\n"
        "allowed-tools:\n"
        "  - Read\n"
        '  - "Bash(a b)"\n'
    )
    again = read_skill_folder("x", files[0][1])
    assert again.body == "# X\n\nFirst --- then: second.\n"
    assert again.extras["metadata"] == {"author": "A --- B", "version": "1.0"}
    assert again.extras["allowed-tools"] == ["Read", "Bash(a b)"]


def test_a_note_can_not_have_files_written_elsewhere() -> None:
    hostile = BODY + "\n## Bundled files\n\n### `../../.bashrc`\n\n```text\nevil\n```\n"
    _, files = write_skill_folder("x", hostile)
    assert [path for path, _ in files] == ["SKILL.md"]
    assert not any(map(is_inside, ("../x", "a/../../b", "/x", "C:/x", "SKILL.md", "a//b", "")))
