"""Pi itself, which has no MCP: two sessions, the second of which goes on with the first."""

from __future__ import annotations

from pathlib import Path

from hosts.clients import CLIENTS, Home
from hosts.contract import BROKEN, CRANE, FIRST, KNOWN, NOTES, SECOND, UNLOCK
from hosts.model import Call, serving


def test_its_sessions_get_the_start_the_prompts_and_the_failed_calls_memories(
    tmp_path: Path,
) -> None:
    rotation = next(iter(NOTES))
    with serving() as model:
        home = Home(tmp_path, CLIENTS["pi"], model)
        home.engrain("setup", "pi")
        home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=KNOWN)
        (home.notes / f"{rotation}.md").write_text(f"# {rotation}\n\n{NOTES[rotation]}\n")
        (home.notes / "crane.md").write_text(CRANE)
        home.engrain("import", "--trust", "operator", str(home.notes))
        breaking = Call("bash", {"command": BROKEN})
        first = home.ask(FIRST, breaking, "All done.")
        assert (first.code, first.missing) == (0, []), first.err
        start, behind = first.turns
        assert start.text.count(KNOWN) == 1
        assert UNLOCK not in start.text
        assert behind.text.count(KNOWN) == 1
        assert behind.text.count(UNLOCK) == 1
        second = home.ask(SECOND, "All done.", options=["--continue"])
        (asked,) = second.turns
        assert asked.text.count(NOTES[rotation]) == 1
        assert asked.text.count(KNOWN) == 1
        home.engrain("setup", "pi", "--remove")
        assert not (home.path / ".pi" / "agent" / "extensions").exists()
