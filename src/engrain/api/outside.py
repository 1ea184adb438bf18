"""Forward learning: approved places, what is new there, and questions asked of them (S1.20)."""

from __future__ import annotations

from collections.abc import Callable

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.learn.forward import research as researching
from engrain.learn.forward import run as learning
from engrain.learn.forward.candidates import Candidate, list_waiting
from engrain.learn.forward.research import Answer, keep_findings, summarize
from engrain.learn.forward.run import Learned, wants_model
from engrain.lifecycle.ageing.decay import FILE
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.reviewing.proposals import REJECTED
from engrain.lifecycle.reviewing.staging import list_proposals, propose
from engrain.model.errors import ConflictError, NotFoundError


def learn(
    store: Store,
    source: str | None = None,
    *,
    limit: int | None = None,
    dry_run: bool = False,
    tell: Callable[[int], object] = lambda _: None,
) -> Learned:
    """Bring what is new and matters from the approved places, or from one, into the inbox, and ask
    the operator about it. With `dry_run` nothing is written. Raises NotFoundError, ConfigError,
    IndexUnavailableError."""
    refused = _list_refused(store)
    done = learning.learn(store, source, limit=limit, refused=refused, dry_run=dry_run, tell=tell)
    if not dry_run:
        ask_operator(store, done)
    return done


def research(
    store: Store,
    question: str,
    source: str | None = None,
    *,
    limit: int | None = None,
    keep: bool = False,
    tell: Callable[[int], object] = lambda _: None,
) -> tuple[Answer, list[Candidate]]:
    """Find what the approved places have now that answers a question; with `keep` the findings
    that are not known go into the inbox. Raises UsageError, NotFoundError, ConfigError,
    IndexUnavailableError."""
    if keep:
        store.require_index(scan=True)
    answer = researching.research(store, question, source, limit=limit, tell=tell)
    llm = store.llm("learn") if wants_model(store.settings) else None
    if llm is not None:
        summarize(answer, llm, store.entropy.draw)
    kept = keep_findings(store, answer, _list_refused(store)) if keep else []
    if kept:
        _propose(store, {one.id: one.reason for one in kept if one.id})
    return answer, kept


def ask_operator(store: Store, done: Learned) -> None:
    """Propose what a run brought, and what waits without anybody having been asked about it."""
    reasons = {one.id: f"{one.source.name}: {one.reason}" for one in done.candidates if one.id}
    waiting = [row.id for row in list_waiting(store)]
    if reasons or waiting:
        asked = {one.target for one in list_proposals(store)}
        asked |= {one.target for one in list_proposals(store, decided=True)}
        left = {id_: "brought from outside" for id_ in waiting if id_ not in asked}
        _propose(store, {**left, **reasons})


def run(store: Store, run: Run) -> Report:
    """The job: what is new in the approved places. Where none is approved it does nothing."""
    if not store.outside.list():
        return Report({"sources": 0})
    store.require_index(scan=True)
    refused = _list_refused(store)
    done = learning.learn(store, refused=refused, dry_run=run.dry_run, out_of_time=run.out_of_time)
    if not run.dry_run:
        ask_operator(store, done)
    counts = {
        "sources": len(done.sources),
        "new": sum(one.new for one in done.sources),
        "changed": sum(one.changed for one in done.sources),
        "kept": len(done.candidates),
        "failed": sum(bool(one.error) for one in done.sources),
    }
    lines = [f"{one.outcome} {one.id}: source {one.source.name}" for one in done.candidates]
    lines += [f"left out {one.source.name}: {one.error}" for one in done.sources if one.error]
    return Report(counts, lines, unfinished=done.unfinished)


def _list_refused(store: Store) -> set[str]:
    """What the operator said no to, by id."""
    found = list_proposals(store, FILE, decided=True)
    return {one.target for one in found if one.decision == REJECTED}


def _propose(store: Store, reasons: dict[str, str]) -> None:
    own = store.acting_as(Actor(JOBS))
    for id_, reason in reasons.items():
        try:
            propose(own, FILE, id_, reason)
        except (ConflictError, NotFoundError):
            continue  # it changed just now; the next run asks
