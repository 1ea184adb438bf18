"""Secrets are kept out of the vault by every verb that writes (RELIABILITY 4, "Secrets")."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from zlib import decompress

import pytest

from engrain import Memory
from support.vaults import make_memory
from unit.engine.core.vault_files import notes, put

SECRET = "ghp_" + "aB3dE6gH9" * 4
PASSWORD = "Tr0ub4dor" + "&3xy"


def everything(folder: Path) -> bytes:
    """Every byte below a folder, file names, and history payloads unpacked."""
    found = []
    for path in sorted(folder.rglob("*")):
        found.append(str(path.relative_to(folder)).encode())
        if path.is_file():
            found.append(path.read_bytes())
        if path.suffix == ".log" and path.parent.parent.name == "history":
            for line in path.read_bytes().splitlines():
                for file in json.loads(line).get("files", ()):
                    found.append(decompress(b64decode(file["bytes"])))
    return b"\n".join(found)


def assert_gone(memory: Memory, folder: Path, *secrets: str) -> None:
    memory.scan()
    memory.close()
    for secret in secrets:
        kept = everything(folder).lower()
        assert b"redacted" in kept
        assert secret.lower().encode() not in kept


def test_a_saved_text_reaches_no_file_index_or_history_with_its_secret(
    memory: Memory, tmp_path: Path
) -> None:
    done = memory.save(f"# Deploy with {SECRET}\n\npassword = {PASSWORD}\n")
    assert done.redacted == ("github-token", "password")
    assert done.title == "Deploy with [redacted: github-token]"
    assert_gone(memory, tmp_path, SECRET, PASSWORD)


@pytest.mark.parametrize("field", ["title", "slug", "ref", "project", "source"])
def test_a_secret_in_a_field_is_replaced_there(memory: Memory, tmp_path: Path, field: str) -> None:
    done = memory.save("Body.", **{"title": "Title", field: f"x {SECRET}"})  # type: ignore[arg-type]
    assert done.redacted == ("github-token",)
    assert_gone(memory, tmp_path, SECRET)


def test_a_secret_in_a_tag_or_a_source_is_replaced_there(memory: Memory, tmp_path: Path) -> None:
    memory.save("Body.", title="One", tags=["ops", SECRET], derived_from=[SECRET])
    assert_gone(memory, tmp_path, SECRET)


def test_saving_it_again_finds_what_was_saved(memory: Memory) -> None:
    first = memory.save(f"The token is {SECRET}.", title="Token")
    again = memory.save(f"The token is {SECRET}.", title="Token")
    assert (again.outcome, again.id) == ("unchanged", first.id)
    assert again.redacted == ("github-token",)


def test_an_edit_and_a_successor_have_none(memory: Memory, tmp_path: Path) -> None:
    entry = memory.save("Old.", title="How to deploy", kind="fix")
    edited = memory.edit(
        entry.id, expect=entry.hash, text=f"Use {SECRET}.", title=f"By {SECRET}", tags=[SECRET]
    )
    assert edited.redacted == ("github-token",)
    evolved = memory.evolve(
        entry.id, f"Use {SECRET} now.", title=f"With {SECRET}", tags=[SECRET], reason=f"{PASSWORD=}"
    )
    assert evolved.redacted == ("github-token", "password")
    assert_gone(memory, tmp_path, SECRET, PASSWORD)


def test_the_reasons_of_all_verbs_have_none(memory: Memory, tmp_path: Path) -> None:
    entry = memory.save("Old.", title="How to deploy", kind="fix")
    memory.forget(entry.id, f"it had {SECRET}")
    memory.undo(reason=f"{SECRET} is revoked")
    assert [change.reason for change in memory.history(limit=2)] == [
        "[redacted: github-token] is revoked",
        "it had [redacted: github-token]",
    ]
    assert_gone(memory, tmp_path, SECRET)


def test_notes_are_imported_redacted_and_counted(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "other" / "notes"
    put(source, "plain.md", "# Plain\nNothing here.\n")
    put(source, "body.md", f"# Body\ntoken {SECRET}, see [[plain]]\n")
    put(source, f"x {SECRET}/{SECRET}.md", "# In the name\n")
    put(
        source,
        "front.md",
        f"---\n# was {SECRET}\ntitle: The key\npassword: {PASSWORD}\npin_password: 48291734\n"
        f"aliases: [a, {SECRET}]\nmore:\n  deep: {SECRET}\n---\nText.\n",
    )
    done = memory.import_folder(str(source))
    assert (done.counts, done.redacted, done.problems) == ({"created": 4}, 3, [])
    front = memory.show("front").entry
    assert front.fields["password"] == "[redacted: password]"
    assert front.fields["pin_password"] == "[redacted: password]"
    assert front.fields["aliases"] == ["a", "[redacted: github-token]"]
    assert done.broken == 0
    again = memory.import_folder(str(source))
    assert again.counts == {"unchanged": 4}
    memory.close()
    for folder in ("vault", "state"):
        kept = everything(tmp_path / folder)
        for secret in (SECRET, PASSWORD, "48291734"):
            assert secret.encode() not in kept, folder


def test_a_note_whose_frontmatter_can_not_be_redacted_is_left_out_and_reported(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    source = tmp_path / "other"
    put(source, "key.md", f"---\n{SECRET}: 1\n---\nText.\n")
    done = memory.import_folder(str(source))
    assert done.counts == {"left out": 1}
    assert done.problems == [("key.md", "its frontmatter has a secret that is no value")]
    assert notes(vault) == {}


def test_the_memories_of_a_host_are_taken_in_redacted(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "other"
    text = f"---\nname: {SECRET} works\ndescription: for {SECRET}\n---\nUse {SECRET}.\n"
    put(source, "deploy.md", text)
    done = memory.exchange.import_claude_memory(str(source), name=f"p/{SECRET}")
    assert (done.counts, done.redacted) == ({"created": 1}, 1)
    assert memory.exchange.import_claude_memory(str(source), name=f"p/{SECRET}").counts == {
        "unchanged": 1
    }
    memory.close()
    for folder in ("vault", "state"):
        assert SECRET.encode() not in everything(tmp_path / folder)


def test_what_is_switched_off_lets_text_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_REDACT", "off")
    with make_memory(tmp_path) as memory:
        done = memory.save(f"Use {SECRET}.", title="Token")
        assert done.redacted == ()
        assert SECRET in memory.show(done.id).entry.text


def test_ordinary_text_is_saved_byte_for_byte(memory: Memory, vault: Path) -> None:
    text = (
        "Commit 3f786850e387550fdab836ed7e6dc881de23001b, [[links]] and `tokens: 4096`.\r\n\n- a\n"
    )
    done = memory.save(text, title="Plain")
    assert done.redacted == ()
    assert notes(vault)[done.locator].decode().endswith(text.replace("\r\n", "\n"))


def test_a_secret_in_the_name_of_a_field_is_replaced_there(memory: Memory, tmp_path: Path) -> None:
    memory.handoffs.save_checkpoint("noon", {SECRET: {"deep": [{SECRET: 1}]}}, bare=True)
    assert_gone(memory, tmp_path, SECRET)


def test_a_secret_in_a_name_reaches_no_path(memory: Memory, tmp_path: Path) -> None:
    memory.handoffs.save_checkpoint(f"cp-{SECRET}", "noon", bare=True)
    memory.handoffs.create("any", "Done.", agent=f"a-{SECRET}", id=f"h-{SECRET}")
    waiting = memory.handoffs.list()[0]
    memory.handoffs.claim(waiting.id, f"b-{SECRET}")
    memory.handoffs.save_ledger(f"c-{SECRET}", task="one")
    memory.handoffs.save_ledger(f"c-{SECRET}", task="two")
    assert memory.handoffs.load_checkpoint(f"cp-{SECRET}").snapshot == {"given": "noon"}
    assert memory.handoffs.show_ledger(f"c-{SECRET}")["current_task"] == "two"
    assert_gone(memory, tmp_path, SECRET)


def test_a_secret_in_the_acting_agents_name_is_in_no_record_of_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_AGENT", f"agent-{SECRET}")
    with make_memory(tmp_path, project="harbour") as memory:
        memory.work.write_continuity(goal="Open the harbour", phase="work")
        memory.work.add_progress("The gates are open.")
        assert_gone(memory, tmp_path, SECRET)
