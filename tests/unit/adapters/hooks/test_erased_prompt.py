"""An erased entry's name goes out of what was noted of prompts, too (DESIGN section 7)."""

from __future__ import annotations

import pytest

from support.canary import PARTS, WORD, findings
from support.hosts import make_payload
from unit.adapters.hooks.running import Desk, git


def stop(desk: Desk, session: str = "s-1") -> None:
    desk.tell("stop", make_payload("claude-code", "stop", session, str(desk.here)))


def goal_of(desk: Desk) -> str:
    (place,) = desk.vault.rglob("CONTINUITY.md")
    return place.read_text(encoding="utf-8")


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


@pytest.mark.parametrize("opening", ["Write down that", "Did you know that"])
def test_words_of_a_prompt_that_was_kept_go_with_the_entry_they_are_about(
    filled: Desk, opening: str
) -> None:
    git(filled.here, "init")
    filled.ask(f"{opening} the tenant of the third floor is {WORD}.")
    stop(filled)
    assert findings(filled.vault)
    id_ = filled.save("The lease", f"The tenant of the third floor is {WORD}, says the lease.")
    filled.ask(f"and does {WORD} pay in time?", "s-2")
    stop(filled, "s-2")
    filled.ask("what is in the harbour?", "s-3")
    stop(filled, "s-3")
    filled.ask(f"is {WORD.upper()} at home?", "s-4")
    stop(filled, "s-4")
    done = filled.run("erase", id_, "--yes")
    assert done.code == 0
    assert findings(filled.vault, filled.state) == []
    assert all(part not in done.out for part in PARTS)
    assert filled.run("check", "history").code == 0
    stop(filled, "s-3")
    assert "what is in the harbour?" in goal_of(filled)


def test_a_goal_that_a_phase_took_along_goes_out_of_progress(filled: Desk) -> None:
    git(filled.here, "init")
    id_ = filled.save("The lease", f"The tenant of the third floor is {WORD}, says the lease.")
    filled.ask(f"Find out where {WORD} lives.")
    stop(filled)
    assert filled.run("project", "begin", "work").code == 0
    assert filled.run("project", "end", "work", "--summary", "All is built.").code == 0
    (progress,) = filled.vault.rglob("progress.md")
    assert WORD in progress.read_text(encoding="utf-8")
    assert filled.run("erase", id_, "--yes").code == 0
    assert findings(filled.vault, filled.state) == []
    assert "All is built." in progress.read_text(encoding="utf-8")
    assert filled.run("check", "history").code == 0


def test_a_goal_that_is_about_something_else_stays(filled: Desk) -> None:
    git(filled.here, "init")
    filled.ask("What is in the harbour today?")
    stop(filled)
    id_ = filled.save("The lease", f"The tenant is {WORD}, says the lease.")
    assert filled.run("erase", id_, "--yes").code == 0
    assert "What is in the harbour today?" in goal_of(filled)
