"""links check at the command line."""

from __future__ import annotations

import pytest

from engrain.adapters.cli.links.links import WORDS
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_USAGE
from engrain.engine.links.checking import REASONS
from unit.adapters.shell import CommandLine


@pytest.fixture
def vault(cli: CommandLine) -> CommandLine:
    """A note with a link that is right, one that is broken, and one in code."""
    (cli.vault / "one.md").write_text("# One\n\n[[two]]\n[[nobody|x]]\n`[[example]]`\n")
    (cli.vault / "two.md").write_text("# Two\n")
    (cli.vault / "alone.md").write_text("# Alone\n")
    return cli


def test_check_tells_counts_then_each_link_with_its_reason(vault: CommandLine) -> None:
    done = vault("links", "check")
    assert done.code == 0
    assert done.out == (
        "2 links: 1 resolved, 0 ambiguous, 1 broken; 50.0% lead to a note\n"
        "written [[target|label]]\n"
        "1 no such note\n"
        "one.md:4  [[nobody|x]]  no such note\n"
        "orphans, notes without a link to or from another: 1\n"
        "  Alone  alone.md\n"
    )


def test_check_gives_a_program_all_of_it(vault: CommandLine) -> None:
    data = vault("links", "check", "--json").answer["data"]
    assert isinstance(data, dict)
    links, orphans = data.pop("links"), data.pop("orphans")
    assert data == {
        "links_in_all": 2,
        "resolved": 1,
        "ambiguous": 0,
        "broken": 1,
        "moved": 0,
        "personal": 0,
        "share": 0.5,
        "order": "target|label",
        "reasons": {"no-note": 1},
        "listed": 1,
        "orphans_in_all": 1,
        "same_titles": [],
    }
    assert [(one["line"], one["target"], one["state"], one["reason"]) for one in links] == [
        (4, "nobody", "broken", "no-note")
    ]
    assert [one["path"] for one in orphans] == ["alone.md"]


def test_one_state_and_a_limit_narrow_what_is_listed(vault: CommandLine) -> None:
    done = vault("links", "check", "--state", "broken", "--limit", "0")
    assert done.out.splitlines()[3:] == ["0 of 1 listed: --limit N lists more"]
    assert "alone.md" in vault("links", "check", "--state", "orphans").out


def test_a_check_that_finds_is_a_failure_only_where_it_is_strict(vault: CommandLine) -> None:
    assert vault("links", "check", "--json").code == 0
    assert vault("links", "check", "--strict").code == EXIT_ERROR
    (vault.vault / "nobody.md").write_text("# Nobody\n")
    assert vault("links", "check", "--strict").code == 0


@pytest.mark.parametrize(
    "argv",
    [
        ["check", "--limit", "-1"],
        ["check", "an-id"],
        ["check", "--propose"],
        ["suggest", "--strict"],
        ["check", "--state", "lost"],
    ],
)
def test_what_does_not_fit_is_refused(vault: CommandLine, argv: list[str]) -> None:
    assert vault("links", *argv).code == EXIT_USAGE


def test_what_a_note_says_drives_no_terminal(cli: CommandLine) -> None:
    (cli.vault / "one.md").write_text("[[no\x07bo\u202edy]]\n")
    out = cli("links", "check").out
    assert "[[nobody]]" in out
    assert "\x07" not in out


def test_every_reason_has_words() -> None:
    assert sorted(WORDS) == sorted(REASONS)
