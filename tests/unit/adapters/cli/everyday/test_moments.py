"""`--include-superseded` on the command line."""

from __future__ import annotations

import pytest

from unit.adapters.shell import CommandLine


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
