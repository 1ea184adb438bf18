"""Forward learning: approved places, what is new there, and questions asked of them (S1.20)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engrain.engine.core.store import Store
    from engrain.learn.forward.candidates import Candidate
    from engrain.learn.forward.research import Answer
    from engrain.learn.forward.run import Learned
    from engrain.lifecycle.jobs.job import Report, Run
    from engrain.seam.outside import Approved


class Learning(Base):
    """Nothing outside is looked at but what the operator approved, and nothing that is found there
    is more than a candidate that waits for their word."""

    def approve_source(
        self,
        place: str,
        *,
        name: str = "",
        kind: str = "",
        match: Sequence[str] = (),
        hosts: Sequence[str] = (),
        private: bool = False,
    ) -> Approved:
        """Approve a feed or a page by its URL, a folder or a repository by its path; `kind` is
        `feed`, `url`, `folder` or `repository`, else the place tells. `hosts` are others that its
        server may lead to, `private` allows its name to stand for an address of your network.
        Raises UsageError, ForbiddenPathError, FetchError, ConfigError, StorageError."""
        from engrain.seam.outside import Approved

        approved = Approved(name, kind, place, match=match, hosts=hosts, private=private)
        return self._open_store().outside.add(approved)

    def approved_sources(self) -> Sequence[Approved]:
        """The approved places. Raises ConfigError."""
        return self._open_store().outside.list()

    def disapprove_source(self, name: str) -> Approved:
        """Look at a place no more; what was brought from it stays. Raises NotFoundError."""
        from engrain.learn.forward.run import cursor_place

        store = self._open_store()
        removed = store.outside.remove(name)
        store.local.drop_cursors(cursor_place(name))
        return removed

    def learn(
        self,
        source: str | None = None,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        tell: Callable[[int], object] = lambda _: None,
    ) -> Learned:
        """Bring what is new and matters from the approved places, or from one, into the inbox, and
        ask the operator about it. With `dry_run` it is only told. Raises NotFoundError,
        ConfigError, IndexUnavailableError."""
        from engrain.learn.forward.run import learn

        store = self._ready(scan=True)
        refused = _list_refused(store)
        done = learn(store, source, limit=limit, refused=refused, dry_run=dry_run, tell=tell)
        if not dry_run:
            ask_operator(store, done)
        return done

    def research(
        self,
        question: str,
        source: str | None = None,
        *,
        limit: int | None = None,
        keep: bool = False,
        tell: Callable[[int], object] = lambda _: None,
    ) -> tuple[Answer, list[Candidate]]:
        """What the approved places have now that answers a question; with `keep` the findings that
        are not known go into the inbox. Raises UsageError, NotFoundError, ConfigError,
        IndexUnavailableError."""
        from engrain.learn.forward.research import keep_findings, research
        from engrain.learn.forward.settings import wants_model

        store = self._ready(scan=True) if keep else self._open_store()
        answer = research(store, question, source, limit=limit, tell=tell)
        llm = store.llm("learn") if wants_model(store.settings) else None
        if llm is not None:
            from engrain.learn.forward.by_model import summarize

            summarize(answer, llm, store.entropy.draw)
        kept = keep_findings(store, answer, _list_refused(store)) if keep else []
        if kept:
            _propose(store, {one.id: one.reason for one in kept if one.id})
        return answer, kept


def ask_operator(store: Store, done: Learned) -> None:
    """Propose what a run brought, and what waits without anybody having been asked about it."""
    from engrain.learn.forward.candidates import list_waiting
    from engrain.lifecycle.reviewing.staging import list_proposals

    told = {one.id: f"{one.source.name}: {one.reason}" for one in done.candidates if one.id}
    waiting = [row.id for row in list_waiting(store)]
    if told or waiting:
        asked = {one.target for one in list_proposals(store)}
        asked |= {one.target for one in list_proposals(store, decided=True)}
        left = {id_: "brought from outside" for id_ in waiting if id_ not in asked}
        _propose(store, {**left, **told})


def run(store: Store, run: Run) -> Report:
    """The job: what is new in the approved places. Where none is approved it does nothing."""
    from engrain.learn.forward.run import learn
    from engrain.lifecycle.jobs.job import Report

    if not store.outside.list():
        return Report({"sources": 0})
    store.require_index(scan=True)
    refused = _list_refused(store)
    done = learn(store, refused=refused, dry_run=run.dry_run, out_of_time=run.out_of_time)
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
    from engrain.lifecycle.reviewing.proposals import REJECTED
    from engrain.lifecycle.reviewing.staging import list_proposals
    from engrain.lifecycle.upkeep.triage import FILE

    found = list_proposals(store, FILE, decided=True)
    return {one.target for one in found if one.decision == REJECTED}


def _propose(store: Store, reasons: dict[str, str]) -> None:
    from engrain.engine.core.store import JOBS, Actor
    from engrain.lifecycle.reviewing.staging import propose
    from engrain.lifecycle.upkeep.triage import FILE
    from engrain.model.errors import ConflictError, NotFoundError

    own = store.acting_as(Actor(JOBS))
    for id_, reason in reasons.items():
        try:
            propose(own, FILE, id_, reason)
        except (ConflictError, NotFoundError):
            continue  # it changed just now; the next run asks
