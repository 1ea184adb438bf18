"""Sentences that say the same fall into a bucket together."""

from __future__ import annotations

from engrain.language.copies.shared_statements import (
    ALIKE,
    buckets_of,
    list_statements,
    share,
    states,
)
from engrain.language.text.sentences import Sentence

ONE = Sentence("The connection pooler drops prepared statements after a failover.")
OTHER = Sentence("After a failover, the connection pooler drops our prepared statements")


def test_the_same_words_in_another_order_are_the_same_statement() -> None:
    assert share(ONE, OTHER) == 1.0 >= ALIKE
    assert list(buckets_of(ONE)) == list(buckets_of(OTHER))


def test_a_word_that_turns_it_around_tells_them_apart() -> None:
    turned = Sentence("The connection pooler never drops prepared statements after a failover.")
    assert share(ONE, turned) == 0.0
    assert not set(buckets_of(ONE)) & set(buckets_of(turned))


def test_a_sentence_of_few_words_states_nothing() -> None:
    assert states(ONE)
    assert not states(Sentence("Use port 5433."))
    assert not states(Sentence(" ".join(f"word{number}" for number in range(50))))


def test_code_and_what_was_recalled_states_nothing() -> None:
    text = (
        "The relay restarts itself every night at two.\n"
        "```sh\nrestart the relay every night now\n~~~\nand again every single night\n```\n"
        "<engrain-memory 0123456789abcdef>\nThe watchdog kills the relay after a minute.\n"
        "</engrain-memory 0123456789abcdef>\n"
        "The exporter signs each file with its key.\n"
    )
    assert [one.text for one in list_statements(text)] == [
        "The relay restarts itself every night at two.",
        "The exporter signs each file with its key.",
    ]
