"""What is done in the browser leaves the records and the files that the commands leave."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.model.facts.fact import FactDraft
from support.vaults import START
from unit.adapters.shell import CommandLine
from unit.adapters.web.visiting import Browser

FIELDS = (
    "change", "op", "entry", "locator", "agent", "trust", "undoes", "reason", "attested", "part_of",
)  # fmt: skip
LONG = "The pooler drops prepared statements. " + "Nothing much happened on that day at all. " * 30
TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Known:
    """What the steps of a test are about: ids and the names of changes."""

    def __init__(self, memory: Memory) -> None:
        self.pooler = memory.show("pooler").entry.id
        self.making = memory.history(self.pooler)[-1].change
        self.proposals = {one.target: one.id for one in memory.review.list()}
        self.disputed = next(
            fact.id for fact in memory.facts.entity("alice").entity.active if fact.disputes
        )


@pytest.fixture
def away_with_two(cli: CommandLine, away: Path) -> Path:
    """A vault with something to undo, to decide and to settle, and a copy of it."""
    with open_memory(away / "vault", state_dir=away / "state") as memory:
        pooler = memory.save(LONG, title="Pooler", kind="fix")
        other = memory.save(LONG + "Then.", title="Release", kind="decision")
        memory.save("Derived.", title="From the pooler", derived_from=[pooler.id])
        for id_ in (pooler.id, other.id):
            memory.review.propose("archive", id_, "not recalled in 9 sessions")
        for town in ("Rome", "Oslo"):
            said = f"Alice lives in {town}."
            memory.facts.add_all([FactDraft("Alice", said, ref=town, at=START)])
    shutil.copytree(away / "vault", away / "copy")
    return away


def read_records(memory: Memory) -> list[tuple[object, ...]]:
    return [
        tuple(getattr(change, name) for name in FIELDS) for change in memory.history(None, 1000)
    ]


def read_files(vault: Path) -> dict[str, bytes]:
    notes = (path for path in vault.rglob("*") if path.is_file() and ".engrain" not in path.parts)
    return {str(one.relative_to(vault)): TIME.sub(b"T", one.read_bytes()) for one in notes}


def undo(browser: Browser, known: Known) -> None:
    page = browser.get("/undo", name=known.making)
    assert "From the pooler" in page.text
    form = page.form("/undo")
    assert browser.send("/undo", form, cascade="yes", reason="by mistake").status == 200


def accept(browser: Browser, known: Known) -> None:
    form = browser.get("/inbox").form("/inbox", id=known.proposals[known.pooler])
    assert "1 accepted" in browser.send("/inbox", form, action="accept").text


def reject(browser: Browser, known: Known) -> None:
    form = browser.get("/proposal", id=known.proposals[known.pooler]).form("/inbox")
    browser.send("/inbox", form, action="reject", reason="still in use")


def accept_all(browser: Browser, known: Known) -> None:
    form = browser.get("/inbox", kind="archive").form("/inbox", kind="archive")
    assert "2 accepted" in browser.send("/inbox", form, action="accept-all").text


def settle(browser: Browser, known: Known) -> None:
    form = browser.get("/person", name="alice").form("/person", fact=known.disputed)
    assert browser.send("/person", form, action="settle").status == 200


def forget(browser: Browser, known: Known) -> None:
    form = browser.get("/entry", id=known.pooler).form("/entry/act")
    browser.send("/entry/act", form, action="forget", reason="old")


STEPS: list[tuple[Callable[[Browser, Known], None], Callable[[Known], list[str]]]] = [
    (undo, lambda known: ["undo", known.making, "--cascade", "--reason", "by mistake"]),
    (accept, lambda known: ["review", "accept", known.proposals[known.pooler]]),
    (
        reject,
        lambda known: [
            "review", "reject", known.proposals[known.pooler], "--reason", "still in use",
        ],
    ),
    (accept_all, lambda known: ["review", "accept", "--all", "--kind", "archive"]),
    (settle, lambda known: ["fact", "settle", "alice", known.disputed]),
    (forget, lambda known: ["forget", known.pooler, "--reason", "old"]),
]  # fmt: skip


@pytest.mark.parametrize(("act", "command"), STEPS, ids=[act.__name__ for act, _ in STEPS])
def test_the_browser_leaves_what_the_command_leaves(
    cli: CommandLine,
    away_with_two: Path,
    act: Callable[[Browser, Known], None],
    command: Callable[[Known], list[str]],
) -> None:
    away = away_with_two
    with open_memory(away / "vault", state_dir=away / "state") as memory:
        known = Known(memory)
        before = read_records(memory)
        act(Browser(memory), known)
        by_browser = read_records(memory)
    done = cli(*command(known), "--vault", str(away / "copy"))
    assert done.code == 0, done.err
    with open_memory(away / "copy", state_dir=away / "state") as memory:
        assert read_records(memory) == by_browser
    assert len(by_browser) > len(before)
    assert read_files(away / "vault") == read_files(away / "copy")
