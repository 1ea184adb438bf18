"""What two sessions of every client must show: what the model was offered and given, what was
saved, and what the second session knew. A client's own test file is a subclass:

    class TestCodex(SessionsContract):
        client = CLIENTS["codex"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from hosts.clients import Client, Home, Session
from hosts.model import Call, serving

KNOWN = "It is flaky because of two clocks: pass one in."
LEARNED = "The tenant had no VAT id: pass an empty string."
FIRST = "The dunning test is flaky again, please mend it."
SECOND = "When should I change the password of our database?"
NOTES = {
    "Database password rotation": "Rotate the database credentials every quarter.",
    "Deploys on Fridays": "Never deploy on a Friday: nobody is there to roll back.",
    "Car insurance claim": "Call the insurer within a week after an accident.",
    "Sourdough": "Feed the starter twice a day.",
}
"""Imported, so that no session begins with them. The second prompt asks for the first."""
UNLOCK = "Free it with `crane unlock`."
CRANE = f"---\nkind: fix\n---\n# E4711 means that the crane is locked\n\n{UNLOCK}\n"
"""Imported too, and asked for by nothing but the error that names it."""
BROKEN = "echo error E4711: the crane is locked >&2; exit 3"
TOOLS = ["memory_append", "memory_forget", "memory_recall", "memory_search"]


@dataclass
class Seen:
    """A home and the two sessions that were in it."""

    home: Home
    first: Session
    second: Session


class SessionsContract:
    client: Client
    options: Sequence[str] = ()
    """Of the client's command line, besides those of every session."""
    beside: Sequence[str] = ()
    """Hosts that are wired in the same home."""

    @classmethod
    def wire(cls, home: Home) -> None:
        """Connect the client to a memory."""
        for host in (cls.client.host, *cls.beside):
            home.engrain("setup", host)

    @pytest.fixture(scope="class")
    @classmethod
    def seen(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
        """A session that has a memory, fails at a tool and saves what it learned; then another."""
        tool, argument = cls.client.shell
        failing = Call(tool, {argument: "ls /nowhere", "description": "list"})
        saving = {"title": "Invoice export fails", "text": LEARNED, "kind": "fix"}
        with serving() as model:
            home = Home(tmp_path_factory.mktemp(cls.client.host), cls.client, model)
            cls.wire(home)
            home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=KNOWN)
            for title, text in NOTES.items():
                (home.notes / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
            home.engrain("import", str(home.notes))
            fixes = home.path / "fixes"
            fixes.mkdir()
            (fixes / "crane.md").write_text(CRANE)
            home.engrain("import", "--trust", "operator", str(fixes))
            script = (failing, Call("memory_append", saving), "All done.")
            first = home.ask(FIRST, *script, options=cls.options)
            breaking = Call(tool, {argument: BROKEN, "description": "lift"})
            second = home.ask_in_time(SECOND, breaking, "All done.", options=cls.options)
            yield Seen(home, first, second)

    def test_both_sessions_end_well_and_every_tool_was_there(self, seen: Seen) -> None:
        for session in (seen.first, seen.second):
            assert session.code == 0, session.err
            assert session.missing == []
            assert "All done." in session.out

    def test_the_first_request_offers_our_tools(self, seen: Seen) -> None:
        for session in (seen.first, seen.second):
            names = [name.rpartition("memory_")[2] for name in session.turns[0].own_tools]
            assert sorted(f"memory_{name}" for name in names) == TOOLS

    def test_the_first_request_has_what_the_start_gives(self, seen: Seen) -> None:
        assert KNOWN in seen.first.turns[0].text

    def test_a_prompt_gets_what_it_says_in_other_words(self, seen: Seen) -> None:
        rotation, *others = NOTES.values()
        assert rotation not in seen.first.turns[-1].text
        assert seen.second.turns[0].text.count(rotation) == 1
        assert not any(other in seen.second.turns[0].text for other in others)

    def test_a_call_that_fails_gets_the_fix_that_knows_its_error(self, seen: Seen) -> None:
        assert UNLOCK not in seen.second.turns[0].text
        assert seen.second.turns[-1].text.count(UNLOCK) == 1

    def test_what_a_tool_saved_is_in_the_vault(self, seen: Seen) -> None:
        (found,) = seen.home.vault.glob("Memory/*/invoice-export-fails.md")
        assert found.parent.name == "fix"
        assert LEARNED in found.read_text()

    def test_the_second_session_knows_what_the_first_one_learned(self, seen: Seen) -> None:
        assert LEARNED in seen.second.turns[0].text

    def test_nothing_is_given_twice(self, seen: Seen) -> None:
        for session in (seen.first, seen.second):
            assert session.turns[-1].text.count(KNOWN) == 1

    def test_nothing_of_ours_is_in_a_title(self, seen: Seen) -> None:
        for asked in [*seen.first.aside, *seen.second.aside]:
            assert "engrain-memory" not in asked.text
            assert KNOWN not in asked.text
