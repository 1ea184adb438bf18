"""Any history, undone change by change from its end, leaves every file as it was made.

Random saves of things derived from one another, edits, links, evolutions, forgettings, restorings,
archivings, promotions, pins, proposals, decisions and cascades, each checked against the bytes of
every note before it; then all is undone, the newest change first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.engine.core.moving import demote_entry, promote_entry
from engrain.engine.history.history import load_change
from engrain.model.note.entry import read_entry
from support.vaults import make_memory

TITLES = ("Nightly lock", "Queues", "Café ☕")
LONG = "Take [[Nightly lock]] at 5. " + "Nothing much happened on that day at all. " * 15
TEXTS = ("Take it first.", LONG, "# Heading\n\nUnder [[Queues]].", "日本語\n\n- a\n- b")

Step = tuple[str, int, int]
# An acceptance is a change and a decision; a new proposal makes an older one stale.
TWO_CHANGES = ("propose", "accept")
VERBS = (
    "save", "save", "derive", "derive", "edit", "evolve", "forget", "restore", "link", "undo",
    "archive", "archive", "promote", "demote", "pin", "unpin", "propose", "accept", "reject",
    "cascade",
)  # fmt: skip
steps = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=14
)


def notes(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in vault.rglob("*.md")}


def take(memory: Memory, step: Step, ids: list[str]) -> None:
    """Do one step; one that has nothing to act on, or that is refused, changes nothing."""
    verb, which, what = step
    if verb in ("save", "derive") or not ids:
        tags = ["a"] if which % 2 else None
        sources = [ids[what % len(ids)]] if ids and verb == "derive" else []
        saved = memory.save(
            TEXTS[what], title=TITLES[which % 3], kind="fix", tags=tags, derived_from=sources
        )
        ids.append(saved.id)
        return
    id_ = ids[which % len(ids)]
    store = memory._ready()
    verbs: dict[str, Callable[[], object]] = {
        "edit": lambda: memory.edit(
            id_, expect=memory.show(id_).entry.hash, text=TEXTS[what], tags=["b"]
        ),
        "evolve": lambda: ids.append(memory.evolve(id_, TEXTS[what]).id),
        "forget": lambda: memory.forget(id_),
        "restore": lambda: memory.restore(id_),
        "link": lambda: memory.link(id_, ids[what % len(ids)], "elaborates"),
        "undo": memory.undo,
        "archive": lambda: memory.archive(id_),
        "promote": lambda: promote_entry(store, id_),
        "demote": lambda: demote_entry(store, id_),
        "pin": lambda: memory.pin(id_),
        "unpin": lambda: memory.pin(id_, False),
        "propose": lambda: memory.review.propose("archive" if what % 2 else "promote", id_),
        "accept": lambda: memory.review.accept(memory.review.list()[0].id),
        "reject": lambda: memory.review.reject(memory.review.list()[0].id),
        "cascade": lambda: memory.undo(memory.history(id_)[-1].change, cascade=True),
    }
    try:
        verbs[verb]()
    except (ConflictError, NotFoundError, UsageError, IndexError):
        return


@pytest.mark.parametrize("examples", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_undoing_every_change_from_the_newest_on_passes_through_every_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    for name in ("VAULT", "STATE_DIR", "BACKEND", "AGENT", "PROJECT"):
        monkeypatch.delenv(f"ENGRAIN_{name}", raising=False)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.chdir(tmp_path)

    @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
        if step[0] not in TWO_CHANGES:
            assert len(new) <= 1
        if not new:
            assert notes(vault) == before
        for name in sorted(new, key=number):
            states[name] = before
            before = after_change(memory, name, before)
        assert before == notes(vault)
    names = sorted(states, key=number, reverse=True)
    assert set(names) == {change.change for change in memory.history()}
    final = notes(vault)
    undone = []
    for name in names:
        undone.append(memory.undo(name).change)
        assert_back(notes(vault), states[name])
    assert memory.list().total == 0
    assert all(report.wrong is None for report in memory.trust.survey().chains)
    for name in reversed(undone):
        memory.undo(name)
    assert notes(vault) == final
    (report,) = memory.trust.survey().chains
    assert (report.links, report.wrong) == (3 * len(names), None)


def number(name: str) -> int:
    return int(name.rpartition("-")[2])


def after_change(memory: Memory, name: str, before: dict[str, bytes]) -> dict[str, bytes]:
    """What every note was after a change, as the history tells."""
    after = dict(before)
    for file in load_change(memory._ready(), name).files or ():
        after.pop(file.path, None)
        if file.after is not None:
            after[file.path] = file.after
    return after


def assert_back(found: dict[str, bytes], wanted: dict[str, bytes]) -> None:
    """Every file has its bytes again; one that the undone change made is forgotten softly."""
    assert {path: found[path] for path in wanted} == wanted
    for path in found.keys() - wanted.keys():
        assert read_entry(path, found[path]).status == "deleted"
