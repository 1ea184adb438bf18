"""synthesize at the command line."""

from __future__ import annotations

import json
import re

from unit.adapters.shell import CommandLine


def put_entity(cli: CommandLine, slug: str, name: str, *contents: str) -> None:
    folder = cli.vault / "Memory" / "entities" / slug
    folder.mkdir(parents=True)
    items = [{"id": f"f{n}", "content": content} for n, content in enumerate(contents)]
    whole = {"name": name, "entityType": "person", "items": items}
    (folder / "items.json").write_text(json.dumps(whole))


def test_what_was_written_is_told_and_then_there_is_nothing_new(cli: CommandLine) -> None:
    put_entity(cli, "alice", "Alice", "Alice plays chess.", "Alice has a dog.")
    done = r"  written the summary of alice\n"
    shown = cli("synthesize", "--dry-run")
    assert re.fullmatch(r"1 summary written  would be, of 1 entity\n" + done, shown.out)
    assert re.fullmatch(r"1 summary written  of 1 entity\n" + done, cli("synthesize").out)
    assert cli("synthesize").out == "nothing new  of 1 entity\n"
    text = (cli.vault / "Memory/entities/alice/summary.md").read_text()
    assert "Alice has a dog. Alice plays chess." in text
    index = json.loads((cli.vault / "Memory/entities/index.json").read_text())
    assert next(iter(index)) == "_generated"


def test_one_entity_is_named_and_a_program_gets_counts(cli: CommandLine) -> None:
    put_entity(cli, "alice", "Alice", "Alice plays chess.")
    put_entity(cli, "bob", "Bob", "Bob plays chess.")
    data = cli("synthesize", "--entity", "Bob", "--json").answer["data"]
    assert isinstance(data, dict)
    assert (data["dry_run"], data["unfinished"]) == (False, False)
    assert (data["counts"]["entities"], data["counts"]["summaries"]) == (1, 1)
    assert cli("synthesize", "--entity", "Carol").code == 3


def test_a_name_can_not_drive_the_terminal(cli: CommandLine) -> None:
    put_entity(cli, "alice", "Al\x1b[31mice", "Al\x1b[31mice plays chess.")
    assert "\x1b" not in cli("synthesize").out


def test_of_much_the_beginning_is_shown(cli: CommandLine) -> None:
    for number in range(40):
        put_entity(cli, f"p{number}", f"P{number}", f"P{number} plays chess.")
    out = cli("synthesize").out
    assert out.count("written the summary") == 30
    assert out.endswith("  and 10 more; --json has them\n")
