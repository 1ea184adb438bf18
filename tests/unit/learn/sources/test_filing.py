"""Chats filed turn by turn, so that a turn is found by what was said around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, Scope, UsageError
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import ForbiddenPathError, NotFoundError
from support.vaults import make_memory

SAID = [
    ("user", "Which bakery in Ghent sells the rye with caraway?"),
    ("assistant", "The one beside the tram stop."),
    ("user", "Thanks, and until when?"),
    ("assistant", "Until six."),
]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def write_chat(folder: Path, said: list[tuple[str, str]], at: float = 1_750_000_000) -> str:
    """An export of one conversation, in the shape of Claude's."""
    messages = [
        {"uuid": f"m{n}", "sender": who, "text": text, "created_at": at + n}
        for n, (who, text) in enumerate(said)
    ]
    export = [{"uuid": "conversation-one", "name": "Bread", "chat_messages": messages}]
    path = folder / "conversations.json"
    path.write_text(json.dumps(export))
    return str(path)


def entries(memory: Memory) -> list[Any]:
    rows = memory.list(limit=1000, scope=Scope(all_projects=True)).rows
    return sorted((memory.show(row.id).entry for row in rows), key=lambda entry: entry.created)


def test_each_turn_is_an_entry_that_tells_who_said_it_when_and_where(
    memory: Memory, tmp_path: Path
) -> None:
    done = memory.exchange.import_chats([write_chat(tmp_path, SAID)])
    assert done.counts == {"created": 4}
    found = entries(memory)
    assert [entry.title for entry in found] == [
        "User: Which bakery in Ghent sells the rye with caraway?",
        "Assistant: The one beside the tram stop.",
        "User: Thanks, and until when?",
        "Assistant: Until six.",
    ]
    assert [entry.text.strip() for entry in found] == [text for _, text in SAID]
    assert {entry.kind for entry in found} == {"memory"}
    assert [entry.created for entry in found] == [1_750_000_000 + n for n in range(4)]
    assert {(entry.source["kind"], entry.source["ref"]) for entry in found} == {
        ("conversation", "conversation-one")
    }


def test_a_turn_is_found_by_what_was_asked_before_it(memory: Memory, tmp_path: Path) -> None:
    memory.exchange.import_chats([write_chat(tmp_path, SAID)])
    apart = memory.save("The blue one, I think.", kind="memory")
    found = [one.row for one in memory.recall("rye bakery in Ghent").results]
    assert "Assistant: The one beside the tram stop." in [row.title for row in found]
    assert apart.id not in [row.id for row in found]


def test_importing_again_adds_what_was_said_since(memory: Memory, tmp_path: Path) -> None:
    memory.exchange.import_chats([write_chat(tmp_path, SAID[:2])])
    done = memory.exchange.import_chats([write_chat(tmp_path, SAID)])
    assert done.counts == {"unchanged": 2, "created": 2}
    assert len(entries(memory)) == 4


def test_what_was_edited_or_deleted_here_stays_so(memory: Memory, tmp_path: Path) -> None:
    chat = write_chat(tmp_path, SAID)
    memory.exchange.import_chats([chat])
    edited, deleted, *_ = entries(memory)
    memory.edit(edited.id, text="Which bakery has rye?", expect=edited.hash)
    memory.forget(deleted.id)
    again = memory.exchange.import_chats([chat])
    assert again.counts == {"unchanged": 3, "stays deleted": 1}
    assert [id_ for _, id_ in again.deleted] == [deleted.id]
    assert memory.show(edited.id).entry.text.strip() == "Which bakery has rye?"
    back = memory.exchange.import_chats([chat], terms=Terms(restore_deleted=True))
    assert back.counts == {"unchanged": 3, "restored": 1}


def test_turns_without_a_time_keep_their_order(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("".join(f"Ada: Point {n}.\nBob: Noted {n}.\n" for n in range(6)))
    memory.exchange.import_chats([str(path)])
    found = entries(memory)
    assert [entry.text.strip() for entry in found[:3]] == [
        "Ada: Point 0.",
        "Bob: Noted 0.",
        "Ada: Point 1.",
    ]
    assert len({entry.created for entry in found}) == 12


def test_a_secret_is_not_taken_in(memory: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    done = memory.exchange.import_chats(
        [write_chat(tmp_path, [("user", f"Use {secret} to push.")])]
    )
    assert done.redacted == 1
    (entry,) = entries(memory)
    assert secret not in entry.text + entry.title


def test_it_comes_from_outside_unless_somebody_vouches(tmp_path: Path) -> None:
    memory = make_memory(tmp_path, trust="operator")
    chat = write_chat(tmp_path, SAID)
    memory.exchange.import_chats([chat], terms=Terms("external"))
    rows = memory.list(scope=Scope(all_projects=True)).rows
    assert {row.source for row in rows} == {"external"}
    done = memory.exchange.import_chats([chat], terms=Terms("operator"))
    assert done.counts == {"trust changed": 4}
    rows = memory.list(scope=Scope(all_projects=True)).rows
    assert {row.source for row in rows} == {"operator"}


def test_notes_are_no_chat_and_a_broken_file_stops_no_other(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_chat(folder, SAID)
    (folder / "broken.json").write_text('[{"role": "user", "content": "Hi')
    (folder / "plain.md").write_text("# Plan\n\nBuy flour.\n\nBake.\n")
    done = memory.exchange.import_chats([str(folder)])
    assert done.counts == {"created": 4, "left out": 2}
    told = dict(done.problems)
    assert "nobody speaks in it" in told["plain.md"]
    assert "broken.json" in told


def test_what_is_not_there_or_hidden_is_refused_before_anything_is_read(
    memory: Memory, tmp_path: Path
) -> None:
    chat = write_chat(tmp_path, SAID)
    with pytest.raises((NotFoundError, UsageError, ForbiddenPathError)):
        memory.exchange.import_chats([chat, str(tmp_path / "nowhere.json")])
    assert entries(memory) == []


def test_an_enormous_turn_is_taken_in_by_its_ends(memory: Memory, tmp_path: Path) -> None:
    done = memory.exchange.import_chats(
        [write_chat(tmp_path, [("user", "word " * 500_000), SAID[1]])]
    )
    assert done.counts == {"created": 2}
