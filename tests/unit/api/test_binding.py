"""Methods of the API are functions of the floors: loaded when they are called, documented once."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.api import memory as verbs
from engrain.api import namespaces
from engrain.api.binding import Holder
from engrain.engine.verbs.save import save
from engrain.model.errors import IndexUnavailableError, LockedError
from support.vaults import make_memory
from unit.adapters.shell import SOURCE
from unit.lifecycle.sessions.living import store_of

KINDS = [
    kind
    for module in (verbs, namespaces)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Holder) and kind is not Holder
]


def list_methods() -> Iterator[tuple[str, object]]:
    """Every public method of the memory and of its namespaces."""
    for kind in KINDS:
        for name in vars(kind):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", getattr(kind, name)


def test_every_method_has_a_docstring_that_begins_with_a_sentence() -> None:
    methods = dict(list_methods())
    assert len(methods) > 150
    bad = [name for name, method in methods.items() if not (method.__doc__ or "").strip()]
    assert bad == []


def test_a_method_has_the_signature_and_the_docstring_of_its_function(memory: Memory) -> None:
    own = list(inspect.signature(save).parameters.values())
    assert list(inspect.signature(memory.save).parameters.values()) == own[1:]
    assert memory.save.__doc__ == save.__doc__
    assert memory.save.__name__ == "save"


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
    with store_of(memory).job_log.claim():
        assert memory.review.triage(dry_run=True).counts
        with pytest.raises(LockedError):
            memory.review.triage()


def test_a_method_loads_its_module_when_it_is_called() -> None:
    said = (
        "import sys; from engrain import Memory; import engrain.api.namespaces; "
        "print(*(name for name in sys.modules if name.startswith('engrain.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", said],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": SOURCE, "HOME": "/nonexistent"},
    )
    assert set(done.stdout.split()) == {
        "engrain.api",
        "engrain.api.binding",
        "engrain.api.memory",
        "engrain.api.namespaces",
    }
