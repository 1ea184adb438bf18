"""Mentions: whole titles of notes where a link may stand, and nothing else."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.mentions import Titles, linkable


def find(body: str, *names: str) -> list[str]:
    looked_for = Titles()
    for owner, name in enumerate(names):
        looked_for.add(name, owner)
    return [body[one.start : one.end] for one in looked_for.find(body)]


@pytest.mark.parametrize(
    "body",
    [
        "# Nightly backup job\n",
        "Nightly backup job\n===\n",
        "`nightly backup job`",
        "```\nnightly backup job\n```\n",
        "    nightly backup job\n",
        "<!-- nightly backup job -->",
        "%% nightly backup job %%",
        "[[nightly backup job]]",
        "[[x|nightly backup job]]",
        "[nightly backup job](x.md)",
        "[nightly backup job](https://x.example/a_(b))",
        "[nightly backup job][1]",
        "[1]: x nightly backup job",
        "| nightly backup job | 3 |",
        '<img alt="nightly backup job">',
        "{{nightly backup job}}",
        "nightly\nbackup job",
        "nightly. Backup job",
        "nightly `x` backup job",
    ],
)
def test_where_a_link_does_not_belong_there_is_none(body: str) -> None:
    assert find(body, "Nightly backup job") == []


@pytest.mark.parametrize(
    "body",
    [
        "pgBouncer-config",
        "old-pgBouncer",
        "pgBouncer.ini",
        "/etc/pgBouncer/x",
        "https://x.example/pgBouncer",
        "me@pgBouncer.example",
        "#pgBouncer",
        "@pgBouncer",
        "pgBouncers",
        "pgBouncer 2",
        "pgBouncer v2",
        "pgBouncer (v1.22)",
    ],
)
def test_part_of_something_longer_is_no_mention(body: str) -> None:
    assert find(f"It runs {body} now.", "pgBouncer") == []


def test_the_longest_name_is_meant() -> None:
    names = ("Retry budget", "Retry budget of the gateway", "Gateway pool")
    assert find("the retry budget of the gateway is 3", *names) == ["retry budget of the gateway"]


def test_a_name_may_end_in_a_bracket() -> None:
    name = "Sizing of the balancer (revised)"
    assert find(f'"{name}" is old.', name) == [name]
    assert find("(a nightly ledger job) runs", "Nightly ledger job") == ["nightly ledger job"]


def test_what_stands_between_capitalised_words_is_part_of_their_name() -> None:
    assert find("the Payments Retry Policy", "Retry Policy") == []
    assert find("the Retry Policy Board", "Retry Policy") == []
    assert find("See Retry Policy.", "Retry Policy") == ["Retry Policy"]


@pytest.mark.parametrize(
    "part", ["[", "[[", "a.", "a/", "<", "{{", "`", "a@", "![[a|", "# ", "(", "a b ", "\\", "[a]("]
)
def test_reading_takes_time_linear_in_the_text(part: str) -> None:
    names = Titles()
    names.add("a b c d", 0)
    times = []
    for count in (20_000, 80_000):
        body = part * count
        start = perf_counter()
        list(names.find(body))
        times.append(perf_counter() - start)
    assert times[1] < 16 * max(times[0], 0.01)


@given(st.text(alphabet="a[]()|`<>{}#@/\\ \n-:=~%!.*_é設", max_size=300))
def test_what_is_blanked_keeps_every_other_character_in_its_place(body: str) -> None:
    fit = linkable(body)
    assert len(fit) == len(body)
    assert all(new in (old, " ") for new, old in zip(fit, body, strict=True))


def test_code_that_is_blanked_is_not_looked_through_again_from_each_of_its_lines() -> None:
    body = "```\n~~~\n" * 60_000  # a minute, were it so
    assert linkable(body).isspace()


def test_a_title_is_found_with_its_capitals_but_for_the_first_letter() -> None:
    body = "A nightly backup job, a Nightly backup job, a NIGHTLY backup job, a nightly-backup job"
    found = ["nightly backup job", "Nightly backup job"]
    assert find(body, "Nightly backup job") == found
    assert find("pgbouncer and pgBouncer", "pgBouncer") == ["pgBouncer"]


@pytest.mark.parametrize(
    "title",
    ["2026-03-01", "March 2026", "deployment", "Deployment", "The", "of the gate", "42", ""],
)
def test_a_common_word_and_a_date_are_no_titles(title: str) -> None:
    assert find(f"It is {title} that counts.", title) == []


def test_a_title_of_two_notes_means_neither() -> None:
    assert find("the nightly job", "Nightly job", "Nightly job") == []


def test_titles_in_other_scripts_are_found() -> None:
    assert find("Это Ночная проверка журнала.", "Ночная проверка") == ["Ночная проверка"]
    assert find("この設計書類は", "設計書") == ["設計書"]
