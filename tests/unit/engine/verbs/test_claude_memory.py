"""Files of Claude Code's memory as its versions write them, read as memories."""

from __future__ import annotations

import pytest

from engrain.engine.verbs.claude_memory import NativeMemory, read_memories
from engrain.model.errors import MalformedError

EARLY = """---
name: Testing policy
description: integration tests hit a real database
type: feedback
---
Integration tests must hit a real database.
"""
LATE = """---
name: feedback_testing
description: "Integration tests hit a real database: no mocks"
metadata:\x20
  node_type: memory
  type: feedback
  originSessionId: 9bcb5645-bb7a-4eb5-8136-ff774166a95e
  modified: 2026-07-30T07:40:18.191Z
---

Integration tests must hit a real database.
"""
FENCED = """<engrain-memory 0123456789abcdef>
Recalled from the user's memory vault.

Testing policy
</engrain-memory 0123456789abcdef>
"""


def read(text: str, path: str = "feedback_testing.md") -> NativeMemory:
    """The only memory in a file."""
    (memory,) = read_memories(path, text.encode())
    return memory


def items(text: str) -> list[tuple[str | None, str]]:
    """Title and text of what an index says itself."""
    return [(item.title, item.text) for item in read_memories("MEMORY.md", text.encode())]


def test_a_file_of_an_early_version() -> None:
    memory = read(EARLY)
    assert (memory.ref, memory.slug) == ("feedback_testing.md", "feedback_testing")
    assert (memory.title, memory.description) == (
        "Testing policy", "integration tests hit a real database",
    )  # fmt: skip
    assert memory.text == "Integration tests must hit a real database."
    assert (memory.kind, memory.kind_tier, memory.created) == ("feedback", "explicit", None)


def test_a_file_of_a_late_version_is_called_by_what_describes_it() -> None:
    memory = read(LATE)
    assert memory.title == "Integration tests hit a real database: no mocks"
    assert (memory.kind, memory.created) == ("feedback", 1785397218.191)


def test_without_a_description_the_name_is_the_title_and_without_both_the_text() -> None:
    assert read("---\nname: release_freeze-plan\n---\nText.\n").title == "release freeze plan"
    assert read("Text.\n").title is None
    assert read("---\nname: [a]\ndescription: 7\n---\nText.\n").title is None


def test_a_title_is_no_longer_than_one_may_be() -> None:
    assert (
        read(f"---\nname: a\ndescription: {'word ' * 100}\n---\nText.\n").title
        == "word " * 39 + "…"
    )


@pytest.mark.parametrize(
    ("type_", "text", "kind", "personal"),
    [
        ("user", "Ten years of Go.", "preference", True),
        ("feedback", "No summaries.", "feedback", False),
        ("reference", "Bugs are in Linear.", "domain-reference", False),
        ("project", "A freeze from Thursday.", "memory", False),
        ("project", "We decided on a freeze.", "decision", False),
        ("project", "Root cause: two clocks.", "fix", False),
        ("somethingnew", "Text.", "memory", False),
        ("", "Text.", "memory", False),
    ],
)
def test_its_types_are_kinds_and_a_project_memory_is_what_its_text_says(
    type_: str, text: str, kind: str, personal: bool
) -> None:
    memory = read(f"---\nname: a b\ntype: {type_}\n---\n{text}\n", "note.md")
    assert (memory.kind, memory.personal) == (kind, personal)


def test_the_revision_is_of_what_it_says_and_not_of_when() -> None:
    first = read(LATE)
    assert read(LATE.replace("07-30", "08-30")).revision == first.revision
    assert read(LATE.replace("no mocks", "none")).revision != first.revision
    assert read(LATE.replace("must hit", "hit")).revision != first.revision
    assert read(LATE.replace("type: feedback", "type: user")).revision != first.revision
    assert read(LATE.replace("\n", "\r\n")).revision == first.revision


def test_what_was_injected_is_not_among_it() -> None:
    assert read(EARLY + FENCED).text == read(EARLY).text
    assert read_memories("a.md", FENCED.encode()) == []
    assert items(f"# Memory\n{FENCED}- port 8081\n") == [(None, "port 8081")]
    unclosed = FENCED.replace("</engrain-memory 0", "</engrain-memory 1")
    assert read(unclosed).text == unclosed.strip()


@pytest.mark.parametrize("text", ["", "\n \n", "---\nname: a\ntype: user\n---\n\n", "\ufeff"])
def test_a_file_without_text_has_no_memory(text: str) -> None:
    assert read_memories("a.md", text.encode()) == []


@pytest.mark.parametrize("raw", [b"\xff\xfe\0", b"\xe9", b"---\nnever closed\n", b"a\0b"])
def test_what_can_not_be_read_is_an_error(raw: bytes) -> None:
    with pytest.raises(MalformedError):
        read_memories("a.md", raw)


# The index


def test_the_index_has_the_items_that_link_to_no_file() -> None:
    text = """# Memory

- [Testing](feedback_testing.md) — real database
- [[release-freeze]] is on
- See the [runbook](https://example.org/runbook) first

Prose is about the list.

## Staging ##
- Port 8081
  behind the VPN
* Deploys from `main`
### Data
1. not an item of it
+ [schema](docs/schema.md#keys)
+ Anonymised
# Other
- Last
"""
    assert items(text) == [
        (None, "See the [runbook](https://example.org/runbook) first"),
        ("Staging: Port 8081", "Port 8081\n  behind the VPN"),
        ("Staging: Deploys from `main`", "Deploys from `main`"),
        ("Data: Anonymised", "Anonymised"),
        (None, "Last"),
    ]


def test_a_link_under_an_item_makes_it_one_of_the_file() -> None:
    assert items("- Testing\n  - [policy](feedback_testing.md)\n- Alone\n") == [(None, "Alone")]


def test_each_item_is_a_source_of_its_own_by_its_text() -> None:
    one, two = read_memories("team/MEMORY.md", b"- port 8081\n- port 8082\n")
    assert one.ref.startswith("team/MEMORY.md#")
    assert one.ref != two.ref
    assert read_memories("team/MEMORY.md", b"- port 8082\n")[0].ref == two.ref
