"""What an entry is counts as evidence, and not only what it says: the code of an error, a whole
title, the time and the kind that are asked for (DESIGN 18)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import titles

NOW = 1_795_950_000.0  # Sunday, 29 November 2026, 11:00 UTC
DAY = 86_400.0
OTHERS = (
    ("Ferries", "The ferry sails at noon. The type of the argument is nothing to the captain."),
    ("Gardens", "Roses want sun. A number of parameters decide how a rose grows."),
    ("Maps", "A map shows roads; an error in a map costs an hour."),
    ("Deploy on Fridays", "We do not deploy on Fridays after noon."),
)
FIXES = (
    ("Cold pool", "ECONNREFUSED on boot: the proxy starts late, wait for port 6432."),
    ("Worker memory", "Exit code 137 in the worker: raise the limit to 2Gi."),
    ("Slugs", "P2002 on import means the slug exists; upsert instead."),
    ("Undefined table", "42P01 after restore: run the script for the search path."),
    ("Billing calls", "DEADLINE_EXCEEDED from billing: the sidecar waits 1 s, set 5 s."),
    ("Oracle at night", "ORA-01555 in the nightly job: raise undo_retention to 3600."),
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = make_memory(tmp_path, clock=FakeClock(NOW))
    for title, text in OTHERS:
        memory.save(text, title=title, created=NOW - 90 * DAY)
    return memory


@pytest.mark.parametrize(
    ("pasted", "fix"),
    [
        ("Error: connect ECONNREFUSED 127.0.0.1:6432\n    at TCPConnectWrap.x (net:1494)", 0),
        ("container exited with exit code 137, why?", 1),
        ("Invalid `prisma.post.create()` invocation: Unique constraint failed code: 'P2002'", 2),
        ('ERROR:  relation "orders" does not exist (SQLSTATE 42P01)', 3),
        ("rpc error: code = DEADLINE_EXCEEDED desc = context deadline exceeded", 4),
        ("SQL error: ORA-01555: snapshot too old: rollback segment number 10 too small", 5),
    ],
)
def test_the_code_of_an_error_stands_for_its_line(memory: Memory, pasted: str, fix: int) -> None:
    for title, text in FIXES:
        memory.save(text, title=title, kind="fix")
    assert titles(memory.recall(pasted)) == [FIXES[fix][0]]
    hurried = memory.recall(pasted, deadline=time.monotonic() + 60)
    assert titles(hurried) == [FIXES[fix][0]]


def test_a_code_of_many_entries_is_a_word_as_others(memory: Memory) -> None:
    for number in range(9):
        memory.save(f"E0502 was met again in part {number} of the parser.", title=f"Part {number}")
    assert not memory.recall("error[E0502]: cannot borrow stack as mutable twice here").results


def test_an_entry_whose_whole_title_is_asked_for_comes_first(memory: Memory) -> None:
    memory.save("Lamps and water.", title="The Quiet Harbour")
    memory.save(
        "In the harbour are quiet rates; who wrote them asks the harbour. All is quiet.",
        title="Harbour, quiet",
    )
    assert titles(memory.recall("who wrote The Quiet Harbour?"))[0] == "The Quiet Harbour"
    assert titles(memory.recall("what is in the quiet harbour"))[0] == "The Quiet Harbour"


@pytest.fixture
def diary(memory: Memory) -> Memory:
    for title, text, kind, days in (
        ("Queue", "We chose Redis streams for the queue.", "decision", 1),
        ("Cache", "Cache for ten minutes.", "fix", 1),
        ("Names", "Tables are named in the plural.", "decision", 9),
        ("Retro", "The retro moves to Thursday.", "decision", 76),
    ):
        memory.save(text, title=title, kind=kind, created=NOW - days * DAY)
    return memory


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what did we decide yesterday?", {"Queue"}),
        ("what did I fix yesterday?", {"Cache"}),
        ("what was agreed last week?", {"Names"}),
        ("anything new from yesterday?", {"Queue", "Cache"}),
        ("what have we decided in September?", {"Retro"}),
        ("remind me what we agreed on 2026-09-14", {"Retro"}),
        ("which decisions did we take in September?", {"Retro"}),
        ("what did we do in September?", {"Retro"}),
        ("what have we noted yesterday?", {"Queue", "Cache"}),
        ("what did we decide in January?", set()),
        ("fix the bug I introduced yesterday in the parser", set()),
    ],
)
def test_a_time_asked_for_is_evidence(diary: Memory, question: str, found: set[str]) -> None:
    assert set(titles(diary.recall(question))) == found
    assert set(titles(diary.recall(question, deadline=time.monotonic() + 60))) == found


def test_a_question_for_a_time_is_not_answered_by_the_words_of_the_time(diary: Memory) -> None:
    diary.save("It fails on the last of a month.", title="Rounding", kind="fix", created=NOW - DAY)
    diary.save("Ship by rail.", title="Freight", kind="decision", created=NOW - 40 * DAY)
    question = "what did we decide last month?"
    assert titles(diary.recall(question)) == ["Freight"]
    assert titles(diary.recall(question, deadline=time.monotonic() + 60)) == ["Freight"]


def test_a_prompt_that_names_a_time_and_asks_nothing_gets_nothing(diary: Memory) -> None:
    assert not diary.recall("we do it in September", deadline=time.monotonic() + 60).results
