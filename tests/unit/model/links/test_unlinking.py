"""Links to what was erased, in every way they are written; the rest of a text stays as it is."""

from __future__ import annotations

import time

import pytest

from engrain.model.links.keys import link_key
from engrain.model.links.unlinking import unlink

GONE = {link_key(name) for name in ("Secret Plan", "secret-plan", "sécret")}
STEM = "erased-01k8"


def find(name: str) -> str | None:
    return STEM if link_key(name) in GONE else None


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("[[Secret Plan]]", f"[[{STEM}]]"),
        ("[[secret plan|what we called it]]", f"[[{STEM}]]"),
        ("[[secret-plan#The heading]]", f"[[{STEM}]]"),
        ("[[Secret Plan#^block|x]]", f"[[{STEM}]]"),
        ("![[Secret Plan]]", f"[[{STEM}]]"),
        ("[[projects/x/Secret Plan.md]]", f"[[{STEM}]]"),
        ("[[elaborates:: Secret Plan]]", f"[[elaborates:: {STEM}]]"),
        ("[[se\u0301cret]]", f"[[{STEM}]]"),
        ("| [[Secret Plan\\|x]] |", f"| [[{STEM}]] |"),
        ("`[[Secret Plan]]`", f"`[[{STEM}]]`"),
        ("[[Other|secret-plan]]", "[[Other]]"),
        ("[the plan](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
        ("[the plan](../fix/Secret%20Plan.md#part)", f"[{STEM}]({STEM}.md)"),
        ("[the plan](<Secret Plan.md> 'Secret Plan')", f"[{STEM}]({STEM}.md)"),
        ("![the plan](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
        ("[a [b] c](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
        ("[x](obsidian://open?vault=v&file=Secret%20Plan)", f"[{STEM}]({STEM}.md)"),
        ("[the plan]: secret-plan.md 'Secret Plan'", f"[{STEM}]: {STEM}.md"),
        (
            "See [this][the plan] or [The Plan].\n\n[the plan]: secret-plan.md\n",
            f"See [{STEM}] or [{STEM}].\n\n[{STEM}]: {STEM}.md\n",
        ),
    ],
)
def test_a_link_to_the_erased_leads_to_the_tombstone_and_says_nothing(
    written: str, left: str
) -> None:
    assert unlink(written, find) == left
    assert unlink(left, find) == left


@pytest.mark.parametrize(
    "text",
    [
        "Secret Plan in prose",
        "[[Secret Plans]]",
        "[[Other]] and [[Other|a label]]",
        "[the plan](https://example.org/secret-plan)",
        "[the plan](mailto:secret-plan)",
        "[x][1]\n\n[1]: other.md",
        "[[\n[[ ]] [] ](",
        "- [ ] a task",
    ],
)
def test_other_text_stays_byte_for_byte(text: str) -> None:
    assert unlink(text, find) == text


@pytest.mark.parametrize("piece", ["[", "[[", "[a", "[a](", "[[a|", "]", "[a]: ", "\\", "[a [b] "])
def test_hostile_text_takes_time_linear_in_it(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.perf_counter()
    unlink(text, find)
    assert time.perf_counter() - started < 5
