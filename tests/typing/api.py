"""The public names as a caller uses them: read by the type checker in strict mode, never run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import assert_type

from engrain import (
    AsyncMemory,
    ConflictError,
    EngrainError,
    Entry,
    MalformedError,
    Memory,
    NotFoundError,
    Scope,
    UsageError,
    VaultUnavailableError,
    open_async_memory,
    open_memory,
)
from engrain.check.run import CheckResult
from engrain.engine.core.outcomes import Imported, Outcome
from engrain.engine.core.recalled import Recall, Recalled, TaskRecall
from engrain.engine.diagnosis import Finding
from engrain.engine.entities.facts import FactOutcome
from engrain.engine.entities.files import FiledEntity
from engrain.engine.graph import Graph
from engrain.engine.history.undo import Undone
from engrain.engine.verbs.listing import Listing, ShownEntry
from engrain.lifecycle.reviewing.staging import Decision, Proposal
from engrain.lifecycle.sessions.folding import OpenSession
from engrain.model.run_result import RunResult
from engrain.seam.batches import Change
from engrain.seam.clock import Clock, Entropy
from engrain.seam.job_log import JobRun
from engrain.seam.personal import Use
from engrain.seam.rows import Row


class Noon(Clock):
    def now(self) -> float:
        return 1_790_000_000.0


class Zeros(Entropy):
    def draw(self, size: int) -> bytes:
        return bytes(size)


def open_somewhere(folder: os.PathLike[str]) -> Memory:
    assert_type(open_memory(), Memory)
    assert_type(open_memory("~/memory", create=True), Memory)
    return open_memory(
        folder,
        state_dir=folder,
        backend="device-local",
        project="billing",
        agent="eng-001",
        trust="operator",
        create=True,
        clock=Noon(),
        entropy=Zeros(),
    )


async def use_without_waiting(folder: os.PathLike[str]) -> None:
    async with open_async_memory(folder, create=True, threads=2) as memory:
        assert_type(memory, AsyncMemory)
        assert_type(await memory.save("Use an advisory lock.", kind="fix"), Outcome)
        assert_type(await memory.recall("lock", limit=3), Recall)
        assert_type(await memory.list(), Listing)


def write_for_one_of_many(memory: Memory) -> Outcome:
    ada = memory.for_user("ada")
    assert_type(ada.recall("lock"), Recall)
    return ada.save("I am allergic to nuts.")


def write(memory: Memory) -> str:
    saved = memory.save(
        "Use an advisory lock.",
        title="Nightly lock",
        kind="fix",
        tags=["postgres"],
        project=None,
        status="active",
        slug="nightly-lock",
        created=1_790_000_000.0,
        valid_from=None,
        valid_to=None,
        confidence=0.9,
        derived_from=("01k8",),
        source="session",
        ref="https://example.org",
    )
    assert_type(saved, Outcome)
    assert_type(saved.id, str)
    assert_type(saved.hash, str)
    assert_type(saved.outcome, str)
    assert_type(saved.other, str | None)
    assert_type(memory.edit(saved.id, expect=saved.hash, text="Other words."), Outcome)
    assert_type(memory.evolve(saved.id, "Newer words.", reason="it changed"), Outcome)
    assert_type(memory.forget(saved.id), Outcome)
    assert_type(memory.restore(saved.id), Outcome)
    assert_type(memory.link(saved.id, "other", "elaborates"), Outcome)
    assert_type(memory.undo(), Undone)
    assert_type(memory.undo("k3v9x2mq-12").entries, tuple[str, ...])
    assert_type(memory.import_folder("notes", name="handbook", tags=["docs"]), Imported)
    return saved.id


def read(memory: Memory, reference: str) -> list[str]:
    scope = Scope(kinds=["fix"], tags=("postgres",), all_projects=True, since=0.0)
    recall = memory.recall("nightly lock", limit=3, scope=scope)
    assert_type(recall, Recall)
    assert_type(recall.results, tuple[Recalled, ...])
    assert_type(recall.degraded, str | None)
    for found in recall.results:
        assert_type(found.row, Row)
        assert_type(found.row.score, float)
        assert_type(found.text, str)
    assert_type(memory.list(limit=None), Listing)
    assert_type(memory.list().total, int)
    shown = memory.show(reference)
    assert_type(shown, ShownEntry)
    assert_type(shown.entry, Entry)
    assert_type(shown.entry.created, float | None)
    assert_type(shown.entry.tags, tuple[str, ...])
    assert_type(memory.history(reference, limit=5), list[Change])
    assert_type(memory.read_at(reference, 1_790_000_000.0), bytes)
    return [found.text for found in recall.results]


def explore(memory: Memory, reference: str) -> None:
    assert_type(memory.recall("nightly lock", session=memory.sessions.current()), Recall)
    assert_type(memory.before_task("mend the lock", action="run_test"), TaskRecall)
    with memory.sessions.open(project="billing") as session:
        assert_type(session, OpenSession)
        assert_type(session.recall("nightly lock"), Recall)
    assert_type(memory.facts.add("Dana", "Dana likes tea.", at=0.0), FactOutcome)
    assert_type(memory.facts.entities("person"), list[FiledEntity])
    assert_type(memory.jobs.run(["scan"], dry_run=True), list[JobRun])
    assert_type(memory.graph.path(reference, "other", hops=3), tuple[Graph, list[int]])
    assert_type(memory.skills.find("release", limit=2), list[Recalled])
    assert_type(memory.handoffs.create("any", "The lock is mended."), Outcome)
    assert_type(memory.work.set_plan("1. Mend the lock"), Outcome)
    assert_type(memory.review.list("archive"), list[Proposal])
    assert_type(memory.review.accept(reference), Decision)
    assert_type(memory.personal.uses(since=0.0), Sequence[Use])
    assert_type(memory.exchange.import_layout("loki", [], name="agent"), Imported)
    assert_type(memory.as_one_change().trust.attest(reference), Outcome)
    memory.facts.add("Dana")  # type: ignore[call-arg]
    memory.recall(3)  # type: ignore[arg-type]
    memory.review.no_such_name()  # type: ignore[attr-defined]


def keep(memory: Memory) -> None:
    def show(done: int, total: int | None) -> None:
        assert done <= (total or done)

    assert_type(memory.check(), CheckResult)
    assert_type(memory.diagnose(), list[Finding])
    assert_type(memory.reindex(show), RunResult)
    assert_type(memory.scan(), RunResult)
    memory.close()


def handle(memory: Memory) -> str:
    try:
        with memory as opened:
            assert_type(opened, Memory)
            return write(opened)
    except MalformedError as error:
        return f"{error.path}:{error.line}: {error.reason}"
    except (ConflictError, NotFoundError, UsageError, VaultUnavailableError) as error:
        assert_type(error.remedy, str | None)
        return error.message
    except EngrainError as error:
        return error.code
