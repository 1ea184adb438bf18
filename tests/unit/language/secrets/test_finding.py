"""`model.secrets`: what is a secret is replaced, and what only looks like one is left alone."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.secrets.finding import redact
from engrain.language.secrets.rules import RULES
from engrain.model.links.link import parse_links
from support.secret_contexts import CONTEXTS, make_texts
from support.secret_kinds import BASE64, TOKENS, draw, make_kinds
from unit.model.secret_corpus import make_block, make_decoys

SEED = 20260904
KINDS = make_kinds()
NAMED = {name: kind for name, kind in KINDS.items() if kind[0] != "token"}
"""The kinds that only the words around them tell."""
FALSE = 0.02


def make_some(random: Random) -> list[str]:
    """Texts with secrets in many places."""
    return [text for *_, text in make_texts(random, NAMED, CONTEXTS, 1)]


def test_every_rule_is_met_and_told_by_its_name() -> None:
    random = Random(SEED)
    block = make_block(random, "RSA PRIVATE KEY")
    azure = draw(random, ((BASE64, 86),))
    texts = [f"The key of the bastion:\n\n{block}\n\nKeep it.", f"AccountKey={azure}==;"]
    texts += make_some(random)
    texts += [f"It is {draw(random, parts)} now." for parts in TOKENS.values()]
    assert not any(line in redact(texts[0])[0] for line in block.splitlines()[1:-1])
    assert azure not in redact(texts[1])[0]
    assert {rule for text in texts for rule in redact(text)[1]} == {rule.name for rule in RULES}


def test_a_text_is_judged_alike_whatever_words_were_met_before() -> None:
    texts = make_some(Random(SEED))[::10]
    once = [redact(text) for text in texts]
    assert [redact(text) for text in reversed(texts)] == once[::-1]


def test_of_three_hundred_decoys_next_to_none_is_touched() -> None:
    corpus = make_decoys(Random(SEED), 7)
    assert len(corpus) >= 300
    touched = [text for text in corpus if redact(text) != (text, ())]
    assert len(touched) < FALSE * len(corpus), touched


def test_the_placeholder_names_the_rule_and_nothing_around_it_changes() -> None:
    secret = "ghp_" + "aB3dE6gH9" * 4
    text = f"See [[the build]] and `{secret}`, then [the page](https://a.test/p).\n- next\n"
    redacted, rules = redact(text)
    assert redacted == text.replace(secret, "[redacted: github-token]")
    assert rules == ("github-token",)
    assert [link.target for link in parse_links(redacted)] == [
        link.target for link in parse_links(text)
    ]


def test_letters_that_are_longer_in_lower_case_move_no_secret() -> None:
    secret = "ghp_" + "aB3dE6gH9" * 4
    assert redact(f"İİİ says: {secret} is it")[0] == "İİİ says: [redacted: github-token] is it"


def test_several_are_reported_in_the_order_they_stand_in() -> None:
    stripe, hugging = "sk_live_" + "aB3dE6gH9" * 3, "hf_" + "aQcWeRgTiZ" * 3 + "klmn"
    assert redact(f"{stripe} and {hugging} and {stripe}")[1] == (
        "stripe-key",
        "huggingface-token",
        "stripe-key",
    )


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("(password=Tr0ub4dor&3)", "(password=[redacted: password])"),
        ("**password: Tr0ub4dor&3**", "**password: [redacted: password]**"),
        ("password=Tr0ub4dor&3, user=x", "password=[redacted: password], user=x"),
        ('"password": "two parts, 1 secret"', '"password": "two parts, 1 secret"'),
        ("token: password=Tr0ub4dor&3", "token: password=[redacted: password]"),
        ("pin: 1234, PASSWORD: 48392017", "pin: 1234, PASSWORD: [redacted: password]"),
        ("https://a:Tr0ub4dor@h.test/p?q", "https://a:[redacted: url-password]@h.test/p?q"),
    ],
)
def test_what_stands_around_a_value_stays(text: str, redacted: str) -> None:
    assert redact(text)[0] == redacted


def test_a_block_goes_whole_and_one_that_was_cut_short_as_far_as_it_goes() -> None:
    lines = "\n".join("aB3dE6gH9kL2" * 5 for _ in range(3))
    whole = (
        f"Before.\n-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\nAfter."
    )
    assert redact(whole)[0] == "Before.\n[redacted: private-key]\nAfter."
    cut = f"-----BEGIN PRIVATE KEY-----\n{lines}\n\nThe rest did not fit.\n-----\nMore."
    assert redact(cut)[0] == "[redacted: private-key]\n\nThe rest did not fit.\n-----\nMore."


def test_a_value_beyond_what_is_looked_at_goes_to_its_end() -> None:
    long = "aB3dE6gH9" * 100
    assert redact(f"api_key={long} next")[0] == "api_key=[redacted: secret] next"


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["password", "=", ": ", '"', "[redacted: jwt]", "://a:", "@h", "sk-ant-", "AKIA", "İ",
         "eyJ", "token is ", "-----BEGIN PRIVATE KEY-----", "\n", ".", "a1B2c3D4e5F6g7H8" * 3]
    ),
    st.builds(
        lambda seed, name: KINDS[name][1](Random(seed)),
        st.integers(0, 10_000),
        st.sampled_from(sorted(KINDS)),
    ),
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_is_redacted_is_left_alone_the_second_time(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, ())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_text_without_a_secret_comes_back_as_it_is(text: str) -> None:
    redacted, rules = redact(text)
    assert bool(rules) == (redacted != text)


@pytest.mark.parametrize(
    "part",
    ["password=", "token=token", "eyJ", "eyJ-", "eyJaaaaaaaaaaaaa.", "://a:",
     "-----BEGIN PRIVATE KEY-----\n", "glpat-xxxxxxxxxxxxxxxxxxxx-", "sk-ant-", "curl -u ",
     "bearer aaaaaaaaaaaaaaaa ", "M" * 23 + ".", "api key for x of y ", '"password": "',
     "İtoken: "],
)  # fmt: skip
def test_a_long_hostile_text_takes_no_more_than_its_share_of_time(part: str) -> None:
    """A pattern that backtracks would take hours, not the seconds this allows on a slow machine."""
    begun = process_time()
    redact((part * (60_000 // len(part) + 1))[:60_000])
    assert process_time() - begun < 6


@pytest.mark.parametrize(
    ("before", "length"), [("Bearer ", 40), ("token=", 5000), ("at ", 5000), ("-", 40), ("-", 900)]
)
def test_a_token_with_a_long_header_is_found(before: str, length: int) -> None:
    part = "aB3dE5_g" * (length // 8)
    text, told = redact(f"The line {before}eyJ{part}.eyJ{part}.{part} is it.")
    assert part not in text
    assert "jwt" in told
