"""Whatever is asked is answered: nothing in a query is an operator, a bomb or too long."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.core.recalled import Recall
from engrain.engine.recall.profiles import PROFILES
from engrain.language.telling import MOST as HEAD
from support.examples import SHARED_FIXTURE
from support.vaults import make_memory
from unit.engine.core.vault_files import titles

NOTES = {
    "Lock": "The nightly job takes the advisory lock before it reads the ledger.",
    "Café": "The café in Köln is closed on Mondays, says Zoë.",
    "連接": "数据库连接池耗尽后服务停止响应",
    "قفل": "قفل قاعدة البيانات",
    "Rocket": "Ship it 🚀 today 👩‍👩‍👧 please",
    "각": "결제 데이터베이스가 잠겼습니다",
}
PIECES = [
    "a", "A", "lock ", "Lock ", "LOCK AND ", "the ", "((((((a+)+)+)+", "((((", '"', "'", "#", "#a ",
    "*", "NEAR(lock, 3) ", "^", "- ", "\\", "%", "\0", "\n", "\u202e", "\ud800", "é", "e\u0301",
    "数", "数据 ", "ق", "🚀", "👩‍👩‍👧", "Ada's ", "Ada Ada ", "a.'-", "[[a]] ", "{", "2023-05-08 ",
    "between May and ", "last week ", "01k8zq3v5jq8t2m4n6p7r9s0tv ", "? ", "?", ".", "\t",
]  # fmt: skip
STRANGE = [
    "", " \t\r\n", "\0", "?!", "*", "NEAR(", "lock NEAR/2 ledger", "AND OR NOT", '"lock', "lock*",
    "title:lock", "-lock", "(lock", "lock)", "^lock", "{lock}", "lock; DROP TABLE texts; --",
    "((((((a+)+)+)+", "\ud800\udfff", "\u202elock\u2066", "\ufeff", "the of and to", "' OR 1=1 --",
]  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("hostile"), project="hostile") as memory:
        for title, text in NOTES.items():
            memory.save(text, title=title, kind="fix")
        yield memory


def shape(found: Recall) -> tuple[object, ...]:
    return (
        [(one.row.id, one.row.score, one.text) for one in found.results],
        found.rejected, found.withheld, found.relevance,
    )  # fmt: skip


@pytest.mark.parametrize("query", STRANGE, ids=ascii)
@pytest.mark.parametrize("profile", list(PROFILES))
def test_a_strange_query_is_answered(filled: Memory, query: str, profile: str) -> None:
    found = filled.recall(query, profile=profile, explain=True)
    assert found.degraded is None
    if "lock" in query and profile not in ("task", "tiered"):
        assert titles(found) == ["Lock"] or found.rejected


@pytest.mark.parametrize("query", ["", " \t\r\n", "\0", "?!", "*", "((((", "\ud800"], ids=ascii)
def test_a_query_without_a_word_finds_nothing(filled: Memory, query: str) -> None:
    found = filled.recall(query, profile="deep")
    assert (found.results, found.rejected, found.degraded) == ((), False, None)


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
@pytest.mark.parametrize("size", [1_000_000, 10_000_000])
def test_a_query_of_megabytes_is_answered_like_its_head(
    filled: Memory, piece: str, size: int
) -> None:
    query = (piece * (size // len(piece) + 1))[:size]
    whole = filled.recall(query, scan=False, profile="deep")
    assert whole.degraded is None
    assert shape(whole) == shape(filled.recall(query[:HEAD], scan=False, profile="deep"))


def test_what_stands_behind_the_head_changes_nothing(filled: Memory) -> None:
    head = "advisory lock of the nightly job".ljust(HEAD)
    assert shape(filled.recall(head + "café in Köln " * 1000)) == shape(filled.recall(head))
    assert titles(filled.recall(head + "café")) == ["Lock"]


@given(st.text(max_size=200))
@settings(suppress_health_check=SHARED_FIXTURE, max_examples=25)
def test_any_text_is_answered_the_same_twice(filled: Memory, query: str) -> None:
    one, other = (filled.recall(query, scan=False) for _ in range(2))
    assert one.degraded is None
    assert shape(one) == shape(other)


@given(st.lists(st.sampled_from([*PIECES, *STRANGE]), max_size=30).map("".join))
@settings(suppress_health_check=SHARED_FIXTURE, max_examples=25)
def test_any_mixture_of_what_is_strange_is_answered(filled: Memory, query: str) -> None:
    assert filled.recall(query, scan=False, profile="deep", explain=True).degraded is None


# Scripts


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("连接", "連接"),
        ("数据库 服务", "連接"),
        ("قاعدة البيانات", "قفل"),
        ("데이터베이스", "각"),
        ("🚀", "Rocket"),
        ("👩‍👩‍👧", "Rocket"),
        ("cafe koln", "Café"),
        ("CAFÉ", "Café"),
    ],
)
def test_every_script_is_found(filled: Memory, query: str, title: str) -> None:
    assert title in titles(filled.recall(query))


@pytest.mark.parametrize(
    "query", ["café in Köln", "Was sagt Zoë?", "각", "데이터베이스", "#Köln", "닫힌 café"]
)
def test_composed_and_decomposed_letters_are_the_same(filled: Memory, query: str) -> None:
    composed = filled.recall(unicodedata.normalize("NFC", query), profile="deep")
    decomposed = filled.recall(unicodedata.normalize("NFD", query), profile="deep")
    assert composed.results
    assert titles(composed) == titles(decomposed)
    assert [one.row.score for one in composed.results] == pytest.approx(
        [one.row.score for one in decomposed.results]
    )


# Profiles of one's own


def test_a_profile_of_ones_own_answers_within_the_same_bounds(filled: Memory) -> None:
    profile = replace(PROFILES["prompt"], weights={"text": 1.0, "whole": 0.5})
    found = filled.recall("advisory lock of the nightly job", profile=profile, explain=True)
    assert titles(found)[0] == "Lock"
    assert all(one.row.score > 0 for one in found.results)
    assert filled.recall("lock ledger", profile=profile, budget=1).over_budget == 1
