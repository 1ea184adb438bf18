"""An erased entry's name goes out of what was noted of prompts, too (DESIGN section 7)."""

from __future__ import annotations

from unit.adapters.hooks.running import Desk, git


def test_no_journal_tells_what_was_erased(filled: Desk) -> None:
    git(filled.here, "init")
    title = "Walrus of the northern lighthouse"
    id_ = filled.save(title, "It limps on ice.")
    filled.ask(f"what of the {title.lower()}?")
    filled.ask("and what of the harbour?")
    assert filled.run("erase", id_, "--yes").code == 0
    asked = [event["text"] for event in filled.journal("s-1") if event["event"] == "asked"]
    assert asked == ["", "and what of the harbour?"]
    for path in filled.state.rglob("*"):
        assert path.is_dir() or title.lower().encode() not in path.read_bytes().lower(), path
