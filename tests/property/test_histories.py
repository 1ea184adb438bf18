"""Any history, undone change by change from its end, leaves every file as it was made.

Random saves, edits, links, evolutions, forgettings and restorings, each checked against the bytes
of every note before it; then all is undone, the newest change first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.model.entry import read_entry
from support.vaults import make_memory

TITLES = ("Nightly lock", "Queues", "Café ☕")
TEXTS = ("Take it first.", "Two of them.", "# Heading\n\nUnder [[Queues]].", "日本語\n\n- a\n- b")

Step = tuple[str, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(("save", "save", "edit", "evolve", "forget", "restore", "link", "undo")),
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=12,
)


def notes(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in vault.rglob("*.md")}


def take(memory: Memory, step: Step, ids: list[str]) -> None:
    """Do one step; one that has nothing to act on, or that is refused, changes nothing."""
    verb, which, what = step
    if verb == "save" or not ids:
        tags = ["a"] if which % 2 else None
        saved = memory.save(TEXTS[what], title=TITLES[which % 3], kind="fix", tags=tags)
        ids.append(saved.id)
        return
    id_ = ids[which % len(ids)]
    verbs: dict[str, Callable[[], object]] = {
        "edit": lambda: memory.edit(
            id_, expect=memory.show(id_).entry.hash, text=TEXTS[what], tags=["b"]
        ),
        "evolve": lambda: ids.append(memory.evolve(id_, TEXTS[what]).id),
        "forget": lambda: memory.forget(id_),
        "restore": lambda: memory.restore(id_),
        "link": lambda: memory.link(id_, ids[what % len(ids)], "elaborates"),
        "undo": memory.undo,
    }
    try:
        verbs[verb]()
    except (ConflictError, NotFoundError, UsageError):
        return


def test_undoing_every_change_from_the_newest_on_passes_through_every_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VAULT", "STATE_DIR", "BACKEND", "AGENT", "PROJECT"):
        monkeypatch.delenv(f"ENGRAIN_{name}", raising=False)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.chdir(tmp_path)

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(steps)
    def check(steps: list[Step]) -> None:
        with (
            tempfile.TemporaryDirectory(dir=tmp_path) as folder,
            make_memory(Path(folder)) as memory,
        ):
            check_history(memory, Path(folder) / "vault", steps)

    check()


def check_history(memory: Memory, vault: Path, steps: list[Step]) -> None:
    ids: list[str] = []
    states: dict[str, dict[str, bytes]] = {}  # what stood before each change
    for step in steps:
        before = notes(vault)
        known = set(states)
        take(memory, step, ids)
        new = {change.change for change in memory.history()} - known
        assert len(new) <= 1
        if not new:
            assert notes(vault) == before
        states.update(dict.fromkeys(new, before))
    names = list(dict.fromkeys(change.change for change in memory.history()))
    assert set(names) == set(states)
    final = notes(vault)
    undone = []
    for name in names:
        undone.append(memory.undo(name).change)
        assert_back(notes(vault), states[name])
    assert memory.list().total == 0
    assert all(report.wrong is None for report in memory.verify())
    for name in reversed(undone):
        memory.undo(name)
    assert notes(vault) == final
    (report,) = memory.verify()
    assert (report.links, report.wrong) == (3 * len(names), None)


def assert_back(found: dict[str, bytes], wanted: dict[str, bytes]) -> None:
    """Every file has its bytes again; one that the undone change made is forgotten softly."""
    assert {path: found[path] for path in wanted} == wanted
    for path in found.keys() - wanted.keys():
        assert read_entry(path, found[path]).status == "deleted"
