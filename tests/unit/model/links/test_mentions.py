"""Mentions: whole words that name a note, where a link may stand, and nothing else."""

from __future__ import annotations

from time import perf_counter
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.mentions import Names, best_mentions, count_capitals, linkable


def find(body: str, *names: str) -> list[str]:
    looked_for = Names()
    for owner, name in enumerate(names):
        looked_for.add(name, owner)
    return [body[one.start : one.end] for one in looked_for.find(body)]


@pytest.mark.parametrize(
    "body",
    [
        "We read the nightly backup job again.",
        "The Nightly Backup Job failed.",
        "See nightly-backup job, please.",
        "the nightly backup job's log",
    ],
)
def test_a_name_is_found_whatever_its_case_and_what_joins_its_words(body: str) -> None:
    (found,) = find(body, "Nightly backup job")
    assert found.lower().replace("-", " ") == "nightly backup job"


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


def test_two_words_with_a_stroke_between_them_are_no_path() -> None:
    assert find("Use pgBouncer/Postgres.", "Postgres") == []
    assert find("Ask the docs / the Nightly backup job.", "Nightly backup job")


def test_the_longest_name_is_meant() -> None:
    names = ("Retry budget", "Retry budget of the gateway", "Gateway")
    assert find("the retry budget of the gateway is 3", *names) == ["retry budget of the gateway"]


def test_a_bracket_that_is_opened_in_a_name_is_closed_in_it() -> None:
    name = "Sizing of the balancer (revised)"
    assert find(f'"{name}" is old.', name) == [name]
    assert find("(a nightly ledger job) runs", "Nightly ledger job") == ["nightly ledger job"]


def test_what_stands_between_capitalised_words_is_part_of_their_name() -> None:
    assert find("the Payments Retry Policy", "Retry Policy") == []
    assert find("the Retry Policy Board", "Retry Policy") == []
    assert find("See Retry Policy.", "Retry Policy") == ["Retry Policy"]


@pytest.mark.parametrize(
    "name", ["2026-03-01", "March 2026", "deployment", "The", "of the", "Of", "42", "--", ""]
)
def test_a_common_word_and_a_date_are_no_names(name: str) -> None:
    names = Names()
    names.add(name, 0)
    assert list(names.find(f"It is {name} that counts.")) == []


def test_a_capital_at_the_beginning_of_a_sentence_tells_nothing() -> None:
    names = Names()
    names.add("Gateway", 0)
    body = "Gateway first.\n- Gateway\nThe Gateway, and the gateway."
    assert [one.capital for one in names.find(body)] == [False, False, True, False]


def test_of_several_mentions_the_one_is_best_for_which_most_speaks() -> None:
    names = Names()
    names.add("Gateway", 0)
    (best,) = best_mentions(names.find("Gateway first. The Gateway. The Gateway."))
    assert best.start == 19


def test_quotes_and_words_that_lead_to_a_note_are_told() -> None:
    names = Names()
    names.add("Nightly backup job", 0)
    one, two, three = names.find(
        'In "nightly backup job" it is; as described in the nightly backup job; the nightly backup'
        " job"
    )
    assert (one.quoted, one.cued) == (True, False)
    assert (two.quoted, two.cued) == (False, True)
    assert (three.quoted, three.cued) == (False, False)


def test_names_in_other_scripts_and_forms_of_unicode_are_found() -> None:
    assert find("Это Ночная проверка журнала.", "Ночная проверка") == ["Ночная проверка"]
    assert find("この設計書類は", "設計書") == ["設計書"]
    title = "Café Müller notes"
    assert find(f"in {normalize('NFD', title)}.", title) == [normalize("NFD", title)]


def test_a_name_of_several_has_all_of_them_as_owners() -> None:
    names = Names()
    for owner in (3, 5, 3):
        names.add("Nightly job", owner)
    (found,) = names.find("the nightly job")
    assert found.name.owners == (3, 5)


@pytest.mark.parametrize(
    "part", ["[", "[[", "a.", "a/", "<", "{{", "`", "a@", "![[a|", "# ", "(", "a b ", "\\", "[a]("]
)
def test_reading_takes_time_linear_in_the_text(part: str) -> None:
    names = Names()
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


def test_capitals_are_counted_within_sentences_and_not_in_code() -> None:
    body = "The Harbour has a Lantern; `see Quay there`.\n\n# Head Line\n\nEverybody knows that."
    assert count_capitals(body) == (2, 4)


def test_code_that_is_blanked_is_not_looked_through_again_from_each_of_its_lines() -> None:
    body = "```\n~~~\n" * 60_000  # a minute, were it so
    assert linkable(body).isspace()
