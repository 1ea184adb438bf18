"""Sessions as a terminal shows them."""

from __future__ import annotations

from support.real_data import DATA, needs
from support.sources import Read

SCREEN = """claude
╭──────────╮
│ Welcome  │
╰──────────╯

> Use tabs in this project,
  not spaces.

⏺ I'll change the
  settings.

⏺ Read(setup.cfg)
  ⎿  Read 12 lines

> /compact
  ⎿  Compacted

⏺ Update(setup.cfg)
  ⎿  I moved to Rome.

⏺ Done.

$ ls
  somewhere else
"""


def test_what_is_asked_and_said_is_told_from_what_tools_do() -> None:
    read = Read(SCREEN, "day-004.md")
    assert read.format == "terminal"
    assert [(role, text.replace("\n", " ")) for _, role, text in read.said] == [
        ("operator", "Use tabs in this project, not spaces."),
        ("agent", "I'll change the settings."),
        ("agent", "Done."),
    ]


def test_a_list_with_quotes_is_no_such_session() -> None:
    assert Read("> Ship it.\n\n● One.\n● Two.\n", "a.md").format == "notes"


@needs("transcripts/console")
def test_real_screens_give_turns_of_both_and_nothing_of_a_frame() -> None:
    for file in sorted((DATA / "transcripts/console").glob("*.md")):
        read = Read(file.read_bytes(), file.name)
        assert read.format == "terminal"
        assert {role for _, role, _ in read.said} == {"operator", "agent"}
        lines = [line for text in read.texts for line in text.split("\n")]
        assert not any(line.startswith(("⎿", "╭", "│")) for line in lines)
