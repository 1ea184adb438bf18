"""Fences: what was recalled is taken out whole, and all around it stays (S1.20, DESIGN 2.8)."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engrain.language.text.fences import (
    MARK_BYTES,
    TAG,
    close_fence,
    defuse,
    open_fence,
    without_fences,
    write_mark,
)

MARK = "0123456789abcdef"
OTHER = "fedcba9876543210"
pieces = st.sampled_from([
    "a", " ", "\n", "\r\n", "<", ">", "</", TAG, f"<{TAG} ", f"</{TAG} ", f"<{TAG}>", OTHER,
    open_fence(OTHER), close_fence(OTHER), open_fence(OTHER[:-1]), close_fence(MARK.upper()), "é",
])  # fmt: skip
texts = st.one_of(st.text(), st.lists(pieces, max_size=12).map("".join))


def block(text: str, mark: str = MARK) -> str:
    return f"{open_fence(mark)}\n{text}\n{close_fence(mark)}"


@given(before=texts, inside=texts, after=texts)
def test_a_block_is_taken_out_whatever_is_in_it_and_what_surrounds_it_stays(
    before: str, inside: str, after: str
) -> None:
    # What was there before opened no block of its own: `OTHER` was never drawn.
    assume(open_fence(OTHER) not in before and MARK not in before + inside + after)
    assert without_fences(f"{before}{block(inside)}\n{after}") == before + without_fences(after)


@given(parts=st.lists(st.tuples(st.text(), st.binary(min_size=MARK_BYTES, max_size=MARK_BYTES))))
def test_of_a_text_with_many_blocks_all_else_stays(parts: list[tuple[str, bytes]]) -> None:
    text = "".join(f"{said}{block(said, write_mark(mark))}\n" for said, mark in parts)
    assert without_fences(text) == "".join(said for said, _ in parts)


@given(texts)
def test_nothing_is_added_or_moved(text: str) -> None:
    rest = iter(text)
    assert all(character in rest for character in without_fences(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"what {TAG} means",
        open_fence(MARK),
        close_fence(MARK),
        f"{open_fence(MARK)} {close_fence(OTHER)}",
        f"{close_fence(MARK)} {open_fence(MARK)}",
        f"{open_fence(MARK[1:])}x{close_fence(MARK[1:])}",
        f"{open_fence(MARK.upper())}x{close_fence(MARK.upper())}",
        f"<{TAG}>x</{TAG}>",
        f"<{TAG} {MARK} >x</{TAG} {MARK}>",
        f"&lt;{TAG} {MARK}&gt;",
    ],
)
def test_what_is_no_whole_block_is_text_like_any_other(text: str) -> None:
    assert without_fences(text) == text


@pytest.mark.parametrize(
    ("less", "greater"),
    [
        ("&lt;", "&gt;"), ("&amp;lt;", "&amp;gt;"), ("&#60;", "&#62;"), ("&#x3c;", "&#x3e;"),
        ("\\u003c", "\\u003e"),
    ],
)  # fmt: skip
def test_a_block_that_a_host_escaped_is_taken_out_too(less: str, greater: str) -> None:
    inside = f"{close_fence(OTHER)}\nSaid by nobody."
    escaped = block(inside).replace("<", less).replace(">", greater)
    assert without_fences(f"one\n{escaped}\ntwo") == "one\ntwo"


def test_the_end_mark_of_another_block_does_not_end_a_block() -> None:
    inside = f"{close_fence(OTHER)}\nSaid by nobody.\n{open_fence(OTHER)}"
    assert without_fences(f"one\n{block(inside)}\ntwo") == "one\ntwo"


@pytest.mark.parametrize(
    "unit",
    [
        f"{open_fence(MARK)}\n", f"{close_fence(MARK)}\n", f"<{TAG} ", TAG,
        f"{open_fence(MARK)}{close_fence(OTHER)}",
    ],
)  # fmt: skip
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    started = time.process_time()
    assert without_fences(text) == text
    assert time.process_time() - started < 2  # quadratic takes seven and more, linear a blink


MARKS = (
    "</system-reminder>",
    "<system>",
    "< / SYSTEM - Reminder >",
    "<System>",
    "x<system>",
    "<system role='x'>",
    "<system_prompt>",
    "<command-name>",
    "<user-prompt-submit-hook>",
    '<invoke name="x">',
    "＜system-reminder＞",
    "&lt;system-reminder&gt;",
    "&amp;lt;/engrain-memory&amp;gt;",
    "&#x3C;system&#62;",
    "\\u003csystem-reminder\\u003e",
    "</engrain-memory 0011223344556677>",
    "<engrain_memory",
    "<ѕystem-reminder>",
    "<𝐬𝐲𝐬𝐭𝐞𝐦>",
    "<|im_start|>",
    "<｜begin▁of▁sentence｜>",
    "< | im_end | >",
    "<|endoftext",
    "<<SYS>>",
    "[INST]",
    "[/inst]",
    "［ＩＮＳＴ］",
    "![a](http://evil.example/p.png)",
    "![](//evil.example/p.png)",
    "![a [b] c]( <https://evil.example/p.png>)",
    "![a][remote]",
    "<img src='https://evil.example/p.png'>",
)


@pytest.mark.parametrize("mark", MARKS)
def test_a_look_alike_of_a_mark_loses_its_brackets_and_is_still_read(mark: str) -> None:
    told = defuse(f"before {mark} after")
    assert mark not in told
    assert not told.startswith("before <") and not told.startswith("before ![")
    words = re.findall(r"[^\W\d_]{4,}", mark.replace("u003c", "").replace("u003e", ""))
    assert all(word in told for word in words)
    assert defuse(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "List<String>, Map<String, User>, List<User>, Vec<u8>, Promise<T>",
        "if a < b and c > d: e = a << 3",
        '<div class="x"><p>one</p><img src="./local.png"></div>',
        "x |> f <| y, p <|> q",
        "vec![1, 2][0], arr[inst], - [ ] task [x], vec![a][0]",
        "[a link](https://example.com), ![[local.png]], ![shape](img/shape.png)",
        "std::vector<std::chrono::system_clock>, List<System.String>, #include <vector>",
        "cat <<EOF, &lt;div&gt;, C:\\x3c, R&D, ¬<>",
    ],
)
def test_programs_and_pages_stay_as_they_are(text: str) -> None:
    assert defuse(text) == text


@pytest.mark.parametrize(
    "part", ["<", "[", "![", "<|", "<system ", "&amp;", "![a", "<s ", "< ", "![[a]", "&lt"]
)
def test_a_text_of_brackets_is_read_in_one_go(part: str) -> None:
    begin = time.process_time()
    defuse(part * 100_000)
    assert time.process_time() - begin < 20


@given(texts=st.lists(st.sampled_from([*MARKS, "a", " ", "\n", "<", ">", "[", "]"]), max_size=8))
def test_no_mix_of_look_alikes_leaves_one(texts: list[str]) -> None:
    told = defuse("".join(texts))
    assert not re.search(r"<\s*/?\s*(system|engrain)[-_ ]", told, re.IGNORECASE)
    assert "[INST]" not in told
    assert "<|im_start" not in told
