"""An import of 5,000 foreign notes, by real commands: later starts stay as they were, and a
question about one of them finds it."""

from __future__ import annotations

import re

from support.hosts import make_payload
from unit.adapters.hooks.blocks import mark_of, titles
from unit.adapters.hooks.running import Desk, git

NOTES = 5000
WORDS = ("heron", "quay", "lantern", "barley", "granite", "saffron", "pulley", "walnut", "ferry")


def bare(context: str) -> str:
    """A block without its mark, which is drawn anew each time."""
    return re.sub(rf"{mark_of(context)}|(?<=\[){mark_of(context)[:4]}", "", context)


def test_an_import_changes_no_later_start_and_is_found(filled: Desk) -> None:
    git(filled.here, "init")
    filled.put("_always-load/style.md", "# Style\nNo emoji in commit messages.\n")
    filled.save("The report", "I promised the report.", kind="commitment")
    filled.ask("Fix the nightly billing job: it locks in postgres")
    filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
    before = filled.start("s-1").context
    assert {"Style", "The report", "Nightly billing lock"} <= {*titles(before)}
    folder = filled.folder / "foreign"
    folder.mkdir()
    for number in range(NOTES):
        one, other = WORDS[number % 9], WORDS[number // 9 % 9]
        text = f"The {one} of the nightly {other} costs {number} crowns in Postgres.\n"
        (folder / f"n{number}.md").write_text(f"# {one} {other} {number}\n{text}")
    done = filled.run("import", str(folder))
    assert done.code == 0, done.err
    assert bare(filled.start("s-2").context) == bare(before)
    found = titles(filled.ask("what does the saffron of the nightly ferry cost?", "s-3").context)
    assert found[0].startswith("saffron ferry")
    assert titles(filled.ask("how does the nightly billing job lock?", "s-4").context) == [
        "Nightly billing lock"
    ]
    assert filled.losses() == []
