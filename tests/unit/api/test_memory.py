"""The Python API: plain methods that `help` shows, and times in the forms that callers have."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.api import episodes, facts, review, sessions, sources, user_memory, work
from engrain.api import memory as verbs
from engrain.api.holder import Holder
from engrain.engine.core.scope import When
from engrain.model.errors import IndexUnavailableError, LockedError, UsageError
from support.vaults import make_memory
from unit.adapters.shell import SOURCE
from unit.lifecycle.sessions.living import store_of

NAMESPACES = frozenset(
    [
        "facts",
        "sessions",
        "jobs",
        "graph",
        "links",
        "skills",
        "episodes",
        "handoffs",
        "work",
        "sources",
        "exchange",
        "review",
        "trust",
        "personal",
    ]
)
KINDS = [
    kind
    for module in (verbs, episodes, facts, review, sessions, sources, user_memory, work)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Holder) and kind is not Holder
]
REQUIREMENT = re.compile(r"S[1-4]\.\d|DESIGN")


def list_methods() -> Iterator[tuple[str, object]]:
    """Every public method of the memory and of its namespaces."""
    for kind in KINDS:
        for name, method in vars(kind).items():
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", method


def test_help_shows_each_method_with_its_parameters_and_a_sentence() -> None:
    methods = dict(list_methods())
    assert len(methods) > 150
    for name, method in methods.items():
        if not isinstance(method, property):
            assert inspect.isfunction(method), f"{name} is no plain method"
            assert all(inspect.signature(method).parameters), name
        assert (method.__doc__ or "").strip(), name
    shown = pydoc.plain(pydoc.render_doc(Memory.save))
    assert "title: 'str | None' = None" in shown
    assert "memory.save(" in shown


def test_help_says_nothing_of_stores_and_requirements() -> None:
    texts = {name: method.__doc__ or "" for name, method in list_methods()}
    texts |= {kind.__name__: kind.__doc__ or "" for kind in KINDS}
    bad = [
        name
        for name, text in texts.items()
        if re.search(r"\bstores?\b", text) or REQUIREMENT.search(text)
    ]
    assert bad == []


def test_every_namespace_of_a_memory_opens_its_vault(memory: Memory) -> None:
    spaces = [kind for kind in KINDS if kind not in (Memory, user_memory.UserMemory)]
    found = [
        getattr(memory, name)
        for name, value in vars(Memory).items()
        if isinstance(value, property) and name in NAMESPACES
    ]
    assert sorted(type(space).__name__ for space in found) == sorted(
        kind.__name__ for kind in spaces
    )


@pytest.mark.parametrize(
    "when",
    [
        datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
        datetime(2026, 3, 1, 10, 30, tzinfo=timezone(timedelta(hours=1))),
        "2026-03-01T09:30:00Z",
        1772357400.0,
    ],
)
def test_a_time_is_a_datetime_a_text_or_seconds(memory: Memory, when: When) -> None:
    saved = memory.save("The quay is long.", title="Quay", created=when)
    entry = memory.show(saved.id).entry
    assert entry.created == datetime(2026, 3, 1, 9, 30, tzinfo=UTC).timestamp()
    assert [row.id for row in memory.list(scope=Scope(since=when)).rows] == [saved.id]
    later = datetime(2026, 3, 2, tzinfo=UTC)
    assert memory.list(scope=Scope(since=later)).rows == ()
    assert [row.id for row in memory.list(scope=Scope(as_of=later)).rows] == [saved.id]


def test_a_result_shows_its_fields_and_is_made_a_dict(memory: Memory) -> None:
    saved = memory.save("The quay is long.", title="Quay", kind="fix")
    assert f"id={saved.id!r}" in repr(saved)
    assert asdict(saved)["title"] == "Quay"
    (found,) = memory.recall("how long is the quay").results
    assert asdict(found)["row"]["id"] == saved.id
    filed = memory.episodes.save({"context": {"goal": "Mend the quay."}})
    assert "told" in asdict(filed)


def test_a_datetime_without_an_offset_is_local_time(memory: Memory) -> None:
    shown = datetime(2026, 3, 1, 9, 30)
    saved = memory.save("The quay is long.", title="Quay", created=shown)
    assert memory.show(saved.id).entry.created == time.mktime(shown.timetuple())


def test_a_text_that_is_no_time_is_refused_with_what_is_one(memory: Memory) -> None:
    with pytest.raises(UsageError, match="'soon' is no time") as refused:
        memory.save("The quay is long.", created="soon")
    assert "ISO 8601" in (refused.value.remedy or "")
    with pytest.raises(UsageError, match="no time"):
        memory.list(scope=Scope(until="soon"))


def test_a_namespace_answers_for_the_memory_that_it_was_asked_of(memory: Memory) -> None:
    one = memory.as_one_change()
    one.facts.add("Dana", "Dana likes tea.")
    one.work.today("Dana was here.")
    assert len(memory.history()) == 1


def test_a_method_that_was_kept_notices_that_the_vault_has_moved(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        show, saved = memory.show, memory.save("The quay is long.", title="Quay")
        assert show(saved.id).entry.title == "Quay"
        memory.close()
        (tmp_path / "vault").rename(tmp_path / "elsewhere")
        with pytest.raises(Exception, match="vault"):
            show(saved.id)


def test_what_writes_needs_an_index(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = memory.save("The quay is long.", title="Quay")
    upkeep = store_of(memory).upkeep
    monkeypatch.setattr(type(upkeep), "ensure", lambda *_, **__: "it is broken")
    with pytest.raises(IndexUnavailableError, match="it is broken"):
        memory.forget(saved.id)


def test_what_a_job_does_too_waits_for_whoever_runs_jobs_unless_it_is_a_dry_run(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engrain.lifecycle.jobs import runner

    waiting = runner.wait_for_claim
    monkeypatch.setattr(runner, "wait_for_claim", lambda log: waiting(log, 0.0))
    with store_of(memory).device.job_log.claim():
        assert memory.facts.extract(dry_run=True)
        with pytest.raises(LockedError):
            memory.facts.extract()


def test_the_package_loads_no_verb_before_it_is_called() -> None:
    said = (
        "import sys; from engrain import Memory; "
        "print(*(name for name in sys.modules if name.startswith('engrain.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", said],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": SOURCE, "HOME": "/nonexistent"},
    )
    rooms = {tuple(name.split(".")[1:3]) for name in done.stdout.split()}
    assert rooms.isdisjoint({("engine", "verbs"), ("engine", "recall")})
    assert {room[0] for room in rooms} <= {"api", "engine", "model", "language", "seam"}
