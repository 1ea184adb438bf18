"""How many model tokens a text costs (S1.1).

The counts are of real tokenizers: the largest of o200k, cl100k, Llama 3's and Claude 2's.
"""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text import tokens
from engrain.language.text.tokens import estimate_tokens

COUNTED = [
    (
        "English",
        49,
        "We moved the nightly import to a queue, because the lock on the orders"
        " table was held for eleven minutes and every other writer timed out. S"
        "ince then nobody has seen a deadlock, although the graphs still show a"
        " small peak around three.",
    ),
    (
        "markdown",
        92,
        "## Setup\n\n- [ ] Install the **client** (see [the guide](https://exampl"
        "e.org/guide#linux))\n- [x] Copy `config.toml` to `~/.config/app/`\n\n> Do"
        "n't run it as root.\n\n| name | default |\n|------|---------|\n| port | 80"
        "80    |\n| host | 0.0.0.0 |\n",
    ),
    (
        "Python",
        71,
        "def read_rows(path: str, *, limit: int = 100) -> list[dict[str, str]]:"
        '\n    """The first rows of a file."""\n    with open(path, newline="") a'
        "s file:\n        reader = csv.DictReader(file)\n        return [row for "
        "_, row in zip(range(limit), reader)]\n",
    ),
    (
        "JSON",
        67,
        '{"id": "01HZX3", "tags": ["db", "lock"], "created": "2024-05-08T09:30:'
        '00Z", "score": 0.8731, "links": [{"to": "queue", "kind": "related_to"}'
        '], "draft": false}',
    ),
    (
        "German",
        60,
        "Die nächtliche Sicherung wurde verschoben, weil die Datenbankverbindun"
        "g während der Abschlussbuchungen regelmäßig abgebrochen ist. Seitdem l"
        "äuft sie ohne Fehlermeldung durch, auch an Feiertagen.",
    ),
    (
        "Russian",
        71,
        "Мы перенесли ночную загрузку в очередь, потому что блокировка таблицы "
        "держалась одиннадцать минут и остальные процессы не могли ничего запис"
        "ать.",
    ),
    (
        "Japanese",
        73,
        "夜間の取り込みはキューに移しました。表のロックが十一分も続き、ほかの書き込みがすべて時間切れになったからです。それ以来、問題は起きていません"
        "。",
    ),
    (
        "Chinese",
        53,
        "我们把夜间导入改成了队列，因为订单表上的锁持续了十一分钟，其他写入全部超时。从那以后再也没有出现过死锁。",
    ),
    (
        "Korean",
        71,
        "야간 가져오기를 대기열로 옮겼습니다. 주문 테이블의 잠금이 십일 분 동안 "
        "유지되어 다른 쓰기가 모두 시간 초과되었기 때문입니다.",
    ),
    (
        "Arabic",
        113,
        "نقلنا الاستيراد الليلي إلى قائمة انتظار لأن القفل على جدول الطلبات است"
        "مر إحدى عشرة دقيقة وتوقفت جميع عمليات الكتابة الأخرى.",
    ),
    (
        "Hindi",
        116,
        "हमने रात का आयात कतार में डाल दिया क्योंकि तालिका का ताला ग्यारह मिनट "
        "तक लगा रहा और बाकी सब लिखने वाले रुक गए।",
    ),
    ("emoji", 71, "🎉🚀✅👍🏽🔥❤️🐛🧠📚🦊☕️🙏🏿👩\u200d💻🎉🚀✅👍🏽🔥❤️🐛"),
    ("hex", 44, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    (
        "base64",
        62,
        "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIFRoZSBxdWljayBicm93biBmb3gganVtcH"
        "Mgb3ZlciB0aGUgbGF6eSBkb2cu",
    ),
    (
        "URL",
        46,
        "https://github.com/example-org/engine/blob/3f2a91c/src/engine/recall/r"
        "ank.py#L120-L148?plain=1&utm_source=mail",
    ),
    (
        "numbers",
        60,
        "1024, 65536, 3.14159, -40.5, 2,147,483,647, 0x7f, 1e-9, 99.95 %, 12:30:45, 192.168.10.254",
    ),
]


@pytest.mark.parametrize(("kind", "count", "text"), COUNTED, ids=[row[0] for row in COUNTED])
def test_the_estimate_leans_above_what_tokenizers_count(kind: str, count: int, text: str) -> None:
    assert 0.95 * count <= estimate_tokens(text) <= 1.5 * count


def test_an_empty_text_costs_nothing_and_any_other_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
    assert estimate_tokens("a") == 1


def test_a_long_word_costs_more_than_a_short_one() -> None:
    costs = [estimate_tokens("word " * 10 + "a" * length) for length in (4, 12, 40, 400)]
    assert costs == sorted(set(costs))


def test_a_drawn_line_costs_less_than_as_many_different_signs() -> None:
    assert estimate_tokens("-" * 80) < estimate_tokens("-=" * 40) / 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_on_two_lines_cost_about_what_they_cost_apart(one: str, other: str) -> None:
    together = estimate_tokens(one + "\n" + other)
    assert abs(together - estimate_tokens(one) - estimate_tokens(other)) <= 4


@given(st.text())
def test_no_text_costs_more_than_four_tokens_a_character(text: str) -> None:
    assert 0 <= estimate_tokens(text) <= 4 * len(text)


@pytest.mark.parametrize("unit", ["a", "A", "Aa", "1", "#", " ", "\n", " \n", "日", "😀"])
def test_estimating_takes_linear_time_whatever_is_repeated(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    estimate_tokens(text)
    assert time.process_time() - began < 2


@given(st.text(alphabet="aZ9 \n\t\xa0.-’é", max_size=80))
def test_pieces_are_those_of_their_plain_patterns(text: str) -> None:
    plain = (r"[A-Z]{1,8}(?![a-z])", r"[0-9]{1,3}", r"\n\s{0,15}|[^\S\n]{2,16}")
    for pattern, (_, piece) in zip(plain, tokens._PIECES, strict=False):
        assert [found.span() for found in piece.finditer(text)] == [
            found.span() for found in re.finditer(pattern, text)
        ]


@given(st.text(alphabet="abzAZ9 \n\t\x1c.-é字\ud800", max_size=80), st.integers(1, 70))
def test_all_words_and_pieces_cost_what_each_of_them_costs(text: str, length: int) -> None:
    for said in (text, text + "A" + "q" * length, text * 9, text + "9" * length + "-" * length):
        words, counts = tokens._compare_signs(said)
        assert words == round(100 * tokens._add_words(said))
        for count, (_, piece) in zip(counts, tokens._PIECES, strict=True):
            assert count in (None, len(piece.findall(said)))


def test_prose_is_not_searched_for_pieces() -> None:
    _, counts = tokens._compare_signs("In May 2026, the API (and its URL) moved.\n\n- It's *new*.")
    assert counts == [2, 2, 1, 8]


def test_half_a_token_is_rounded_as_the_sum_of_fractions_falls() -> None:
    for text in ("Engineers" * 3 + "1 !ab", "9!9!9!9!9!", "A1 B2 C3 word wordy"):
        costs = tokens._add_words(text) + sum(
            each / 100 * len(piece.findall(text)) for each, piece in tokens._PIECES
        )
        assert estimate_tokens(text) == round(costs)
