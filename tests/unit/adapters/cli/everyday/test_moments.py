"""`--as-of`, `--known-at` and `--include-superseded` on the command line."""

from __future__ import annotations

import pytest

from unit.adapters.shell import CommandLine

LATER, BEFORE = "2999-01-01", "2001-01-01"


@pytest.fixture
def pooler(cli: CommandLine) -> CommandLine:
    assert (
        cli("save", "The pooler is pgbouncer.", "--title", "Old pooler", "--kind", "fix").code == 0
    )
    assert (
        cli("save", "The pooler is supavisor.", "--title", "New pooler", "--kind", "fix").code == 0
    )
    assert cli("link", "new-pooler", "old-pooler", "--relation", "supersedes").code == 0
    return cli


def test_what_was_superseded_comes_when_it_is_asked_for(pooler: CommandLine) -> None:
    assert "pgbouncer" not in pooler("recall", "which pooler").out
    found = pooler("recall", "which pooler", "--include-superseded").out
    assert "(superseded, fix" in found
    assert "supavisor" in found
    assert "Old pooler [superseded]" in pooler("list").out
    assert "active, but superseded by another entry" in pooler("show", "old-pooler").out
    assert "superseded by another" not in pooler("show", "new-pooler").out


def test_what_was_recorded_later_was_not_known(pooler: CommandLine) -> None:
    assert "supavisor" in pooler("recall", "which pooler", "--known-at", LATER).out
    assert pooler("recall", "which pooler", "--known-at", BEFORE).out.startswith("Nothing")
    assert pooler("list", "--known-at", BEFORE).out.strip().endswith("0 in all")


def test_of_an_entity_only_what_was_known_is_reported(cli: CommandLine) -> None:
    assert cli("fact", "add", "Alice sings.", "--entity", "Alice", "--date", "2020-01-01").code == 0
    for command in (("fact", "list", "alice"), ("entity", "show", "alice")):
        assert "sings" in cli(*command, "--known-at", LATER).out
        failed = cli(*command, "--known-at", BEFORE)
        assert failed.code != 0
        assert "nothing was known of alice on 2001-01-01" in failed.err
    assert "Alice" in cli("entity", "list", "--known-at", LATER).out
    assert "Alice" not in cli("entity", "list", "--known-at", BEFORE).out
