"""Entries: typed values out of a note, lenient about values and strict about form."""

from __future__ import annotations

import pytest

from engrain.model.errors import MalformedError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import hash_bytes, is_id, path_id
from engrain.model.note.properties import split_heading, text_under
from engrain.model.note.tiers import ORIGINS

PATH = "Memory/fix/pg-lock.md"
FULL = """---
id: 01k8aaaaaaaaaaaaaaaaaaaaaa
kind: decision
slug: pg-advisory-lock
status: superseded
created: 2026-01-31T15:47:00Z
updated: 2026-02-01
tags: [postgres, locks]
project: billing
always_load: true
supersedes: 01k7
derived_from: [01k5, 01k6]
links: [{to: 01k4, relation: elaborates}, {to: 01k3}, "[[bare]]"]
source: {kind: session, ref: s-9, agent: eng-001, trust: operator}
confidence: 0.95
weight: 0
recall_count: 5
last_recalled: 2026-02-03T09:00:00Z
sessions_since_recall: 2
valid_from: 2026-01-01
valid_to: 1769874420000
mine: [1, {a: b}]
---
# Advisory locks
Why it mattered.
"""


def entry(front: str, body: str = "# T\ntext\n", path: str = PATH) -> Entry:
    return read_entry(path, f"---\n{front}---\n{body}".encode())


def test_every_field_is_read() -> None:
    read = read_entry(PATH, FULL.encode())
    expected = {
        "path": PATH, "hash": hash_bytes(FULL.encode()), "tier": "T3", "zone": "live",
        "id": "01k8aaaaaaaaaaaaaaaaaaaaaa", "kind": "decision", "slug": "pg-advisory-lock",
        "status": "superseded", "project": "billing", "tags": ("postgres", "locks"),
        "created": 1769874420.0, "updated": 1769904000.0, "valid_from": 1767225600.0,
        "valid_to": 1769874420.0, "last_recalled": 1770109200.0, "always_load": True,
        "supersedes": "01k7", "derived_from": ("01k5", "01k6"),
        "links": (("01k4", "elaborates"), ("01k3", "related_to"), ("[[bare]]", "related_to")),
        "source": {"kind": "session", "ref": "s-9", "agent": "eng-001", "trust": "operator"},
        "trust": "operator", "confidence": 0.95, "weight": 0.0, "recall_count": 5,
        "sessions_since_recall": 2, "title": "Advisory locks", "text": "Why it mattered.\n",
        "warnings": [],
    }  # fmt: skip
    assert {name: getattr(read, name) for name in expected} == expected
    assert read.fields["mine"] == [1, {"a": "b"}]
    assert read.note.raw == FULL.encode()


def test_a_note_without_frontmatter_is_an_entry_too() -> None:
    read = read_entry("Memory/decision/use-sqlite.md", b"# Use SQLite\nIt is enough.\n")
    assert (read.id, read.kind, read.status) == (
        path_id("Memory/decision/use-sqlite.md"), "decision", "active",
    )  # fmt: skip
    assert (read.slug, read.title, read.text) == ("use-sqlite", "Use SQLite", "It is enough.\n")
    assert (read.tags, read.links, read.source, read.trust) == ((), (), {}, "external")
    assert (read.created, read.updated, read.weight, read.recall_count) == (None, None, None, 0)
    assert read.warnings == []


def test_an_empty_file_is_an_entry_named_by_its_file() -> None:
    read = read_entry("Memory/fix/nothing.md", b"")
    assert (read.title, read.slug, read.text) == ("nothing", "nothing", "")
    assert is_id(read.id)


@pytest.mark.parametrize(
    ("path", "status"),
    [("Memory/_archive/fix/a.md", "archived"), ("Memory/_inbox/a.md", "inbox"), (PATH, "active")],
)
def test_a_status_that_is_not_told_is_that_of_the_folder(path: str, status: str) -> None:
    assert read_entry(path, b"text").status == status


@pytest.mark.parametrize(
    ("path", "front", "always"),
    [
        ("_always-load/a.md", "", True),
        ("Memory/_always-load/a.md", "id: x\n", True),
        ("projects/x/_always-load/deeper/a.md", "", True),
        ("_always-load/a.md", "always_load: true\n", True),
        ("_always-load/a.md", "always_load: false\n", False),
        ("_always-load/a.md", "always_load:\n", True),
        ("_always-load.md", "", False),
        ("Memory/fix/_always-load.md", "", False),
        ("Memory/my_always-load/a.md", "", False),
        ("Memory/fix/a.md", "", False),
        ("Memory/fix/a.md", "always_load: true\n", True),
    ],
)
def test_what_every_session_gets_is_reported_by_the_field_or_by_the_folder(
    path: str, front: str, always: bool
) -> None:
    assert entry(front, path=path).always_load is always


@pytest.mark.parametrize(
    ("front", "name", "value", "told"),
    [
        ("status: gone\n", "status", "active", True),
        ("created: soon\n", "created", None, True),
        ("created: 2026-13-45\n", "created", None, True),
        ("created: 12:30:45\n", "created", None, True),
        ("created: true\n", "created", None, True),
        ("created:\n", "created", None, False),
        ("confidence: 1.5\n", "confidence", None, True),
        ("confidence: high\n", "confidence", None, True),
        ("confidence: true\n", "confidence", None, True),
        ("confidence: 1\n", "confidence", 1.0, False),
        ("weight: .nan\n", "weight", None, True),
        ("weight: .inf\n", "weight", None, True),
        ("recall_count: -1\n", "recall_count", 0, True),
        ("recall_count: 2.5\n", "recall_count", 0, True),
        ("recall_count: 99999999999999999999\n", "recall_count", 0, True),
        ("recall_count: true\n", "recall_count", 0, True),
        ("always_load: yes\n", "always_load", False, False),
        ("always_load: 1\n", "always_load", False, False),
        ("project: [a]\n", "project", None, True),
        ("project:\n", "project", None, False),
        ("project: ''\n", "project", None, False),
        ("kind: NO\n", "kind", "NO", False),
        ("kind: hunch\n", "kind", "hunch", False),
        ("slug: 1.10\n", "slug", "1.10", False),
        ("project: 007 # bond\n", "project", "007", False),
        ("id: 123e45\n", "id", "123e45", False),
        ("id: 123456789012345678901234567890\n", "id", "123456789012345678901234567890", False),
        ("title: 0x1F\n", "title", "0x1F", False),
        ("tags: one, two three\n", "tags", ("one", "two", "three"), False),
        ("tags: 2024\n", "tags", ("2024",), False),
        ("tags: [2024, true, a b]\n", "tags", ("2024", "true", "a b"), False),
        ("tags:\n", "tags", (), False),
        ("tags: {a: b}\n", "tags", (), True),
        ("derived_from: 01k5\n", "derived_from", ("01k5",), False),
        ("links: 01k5\n", "links", (), True),
        ("links: [{relation: x}, 5, [a]]\n", "links", (), False),
        ("links: [{to: a, relation: }]\n", "links", (("a", "related_to"),), False),
        ("source: the web\n", "source", {"ref": "the web"}, False),
        ("updated: soon\ncreated: 1970-01-02\n", "updated", 86400.0, True),
    ],
)
def test_a_wrong_value_is_left_out_and_reported(
    front: str, name: str, value: object, told: bool
) -> None:
    read = entry(front)
    assert getattr(read, name) == value
    assert [warning.split()[0] for warning in read.warnings] == [front.split(":")[0]] * told


@pytest.mark.parametrize("trust", ORIGINS)
def test_a_claimed_origin_is_read(trust: str) -> None:
    assert entry(f"source: {{trust: {trust}}}\n").trust == trust


@pytest.mark.parametrize(
    "source",
    ["", "{}", "{trust: }", "{trust: OPERATOR}", "{trust: [operator]}", "{trust: true}",
     "operator", "[operator]"],
)  # fmt: skip
def test_any_other_claim_of_origin_is_external(source: str) -> None:
    assert entry(f"source: {source}\n").trust == "external"


@pytest.mark.parametrize(
    ("front", "body", "title", "text"),
    [
        ("", "# Heading\n\nbody\n", "Heading", "body\n"),
        ("", "\n\n#   Heading  \r\n\r\nbody", "Heading", "body"),
        ("", "\ufeff# Heading\nbody", "Heading", "body"),
        ("", "## Second\nbody", "pg-lock", "## Second\nbody"),
        ("", "#tag\nbody", "pg-lock", "#tag\nbody"),
        ("", "# \nbody", "pg-lock", "# \nbody"),
        ("", "text\n# Later\n", "pg-lock", "text\n# Later\n"),
        ("title: Told\n", "# Heading\nbody", "Told", "# Heading\nbody"),
        ("title: Heading\n", "# Heading\nbody", "Heading", "body"),
        ("", "# Only", "Only", ""),
    ],
)
def test_the_title_is_reported_or_the_heading_or_the_files_name(
    front: str, body: str, title: str, text: str
) -> None:
    read = entry(front, body)
    assert (read.title, read.text) == (title, text)


def test_a_heading_is_split_from_its_body() -> None:
    assert split_heading("# A\n\nb") == ("A", "b")
    assert split_heading("b") == (None, "b")
    assert text_under("A", "# A\nb") == "b"
    assert text_under("B", "# A\nb") == "# A\nb"


@pytest.mark.parametrize("raw", [b"---\na: *x\n---\n", b"---\nopen\n", b"\0", b"\xff"])
def test_a_file_that_can_not_be_read_is_reported_with_its_path(raw: bytes) -> None:
    with pytest.raises(MalformedError) as caught:
        read_entry(PATH, raw)
    assert caught.value.path == PATH
    assert caught.value.line == (2 if b"*x" in raw else 1)
