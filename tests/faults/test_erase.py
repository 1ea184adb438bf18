"""An entry erased leaves no byte: not in the vault, its history, its index or anything derived, in
whatever encoding; killed at any call the next scan finishes; and what comes back goes again."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.language.text.folding import fold
from engrain.model.errors import ConflictError, ErasedError, NotFoundError
from faults.erase_child import ACKNOWLEDGED
from faults.test_kill import CALLS
from support.canary import TITLE, WORD, encodings, findings
from support.strace import needs_strace, run_killed
from support.vaults import FakeClock, make_memory

CHILD = Path(__file__).with_name("erase_child.py").read_text(encoding="utf-8")
_MOST = 2000
INNOCENT = "A note about something else entirely, which stays."


@pytest.fixture(autouse=True)
def _config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and settings lie below the test's own folder, which is searched like the rest."""
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "config" / "config.toml"))
    monkeypatch.chdir(tmp_path)


def text() -> str:
    lines = [f"{name}: {written}" for name, written in encodings().items()]
    return "What was said there.\n\n" + "\n".join(lines) + "\n"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check_sound(memory: Memory) -> None:
    assert [report.wrong for report in memory.trust.survey().chains] == [None] * len(
        memory.trust.survey().chains
    )


def live(folder: Path, clock: FakeClock) -> tuple[str, str, str]:
    """All that may happen to an entry; its id, that of a note that links to it, and a bystander."""
    vault = folder / "vault"
    with make_memory(folder, clock=clock) as memory:
        entry = memory.save(text(), title=TITLE, kind="fix", tags=[fold(WORD)]).id
        other = memory.save(INNOCENT, title="Bystander", kind="fix").id
        stem = Path(memory.show(entry).locator).stem
        linking = memory.save(
            f"See [[{entry}]] and [[Bystander]].", title="Neighbour", kind="decision"
        ).id
        child = memory.save(f"So {WORD} again.", title=f"Child of {WORD}", derived_from=[entry])
        memory.save(f"And {WORD} again.", title=f"{WORD} 3", derived_from=[child.id], kind="fix")
        shown = memory.show(entry)
        memory.edit(entry, expect=shown.entry.hash, text=text() + f"\nEdited, {WORD}.\n")
        memory.recall(f"what of {WORD}")
        newer = memory.evolve(entry, text() + "\nNewer.\n", reason=f"because of {WORD}").id
        memory.forget(other, reason=f"replaced by {TITLE}")
        memory.restore(other)
        proposed = memory.review.propose("archive", newer, f"{WORD} fades")
        assert proposed
        memory.review.reject(proposed.id, f"{TITLE} is needed")
        assert memory.review.propose("attest", newer, f"{WORD} is hot")
        with memory.sessions.open() as session:
            session.recall(f"what of {WORD}")
        put(
            vault / f"Memory/fix/{stem}.sync-conflict-20261121-114834-KRSSNR3.md",
            f"# {TITLE}\n\n{text()}",
        )
        put(vault / "Memory/fix/elsewhere.md", (vault / shown.locator).read_text(encoding="utf-8"))
        memory.scan()
        memory.embed()
        memory.archive(newer, reason=f"{TITLE} is over")
    return newer, linking, other


def erase(memory: Memory, *references: str) -> None:
    memory.erase(memory.plan_erasure(references))


def test_no_byte_of_an_erased_entry_is_left_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    clock = FakeClock()
    newer, linking, other = live(tmp_path, clock)
    places = {found.split()[0] for found in findings(tmp_path)}
    assert places == {"name", "bytes", "payload", "rows"}
    with make_memory(tmp_path, clock=clock) as memory:
        old = memory.show(newer).entry.supersedes
        assert old
        plan = memory.plan_erasure([newer, old])
        why = {file.why for file in plan.files}
        assert why == {"asked", "derived", "copy", "proposal"}
        erased = memory.erase(plan)
        assert {newer, old} <= set(erased.ids)
        assert findings(tmp_path) == []
        check_sound(memory)
        note = memory.show(linking).entry
        assert note.text.strip() == f"See [[{old}]] and [[Bystander]]."
        assert memory.show(other).entry.text.strip() == INNOCENT
        assert not memory.review.list()
        assert not memory.review.list(decided=True)
        assert memory.recall("something else entirely").results[0].row.id == other
        before = len(memory.history())
        memory.scan()
        assert len(memory.history()) == before
    with make_memory(tmp_path, clock=clock) as memory:
        memory.reindex()
        check_sound(memory)
    assert findings(tmp_path) == []


def test_what_stays_keeps_the_origin_it_had(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        linking = memory.save(INNOCENT, title="Neighbour", kind="fix").id
    with make_memory(tmp_path) as memory:
        erase(memory, entry)
        rows = {row.id: row for row in memory.list().rows}
        assert (rows[linking].source, rows[linking].attested) == ("operator", True)
        memory.scan()
        rows = {row.id: row for row in memory.list().rows}
        assert (rows[linking].source, rows[linking].attested) == ("operator", True)


def test_an_erased_entry_is_reported_as_such_and_nothing_brings_it_back(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        saved = memory.history(entry)[0].change
        erase(memory, entry)
        for verb in (memory.show, memory.forget, memory.restore):
            with pytest.raises(ErasedError, match=r"erased on 20"):
                verb(entry)
        with pytest.raises(ErasedError):
            memory.plan_erasure([entry])
        with pytest.raises(NotFoundError):
            memory.show(TITLE)
        for change in memory.history(entry):
            with pytest.raises(ConflictError, match="erased"):
                memory.undo(change.change)
        with pytest.raises(NotFoundError):
            memory.undo()
        (tmp_path / f"vault/Memory/fix/erased-{entry}.md").unlink()
        with pytest.raises(ErasedError):
            memory.restore(entry)
        ops = [change.op for change in memory.history(entry)]
        assert ops == ["external", "erase", "erasing", "save"], "the tombstone's end is recorded"
        assert memory.history(entry)[-1].change == saved
        again = memory.save(text(), title=TITLE, kind="fix")
        assert (again.outcome, again.id == entry) == ("created", False)
        memory.scan()
        assert memory.show(again.id).entry.title == TITLE


def test_a_predecessor_keeps_the_name_that_it_shares_with_an_erased_successor(
    tmp_path: Path,
) -> None:
    with make_memory(tmp_path) as memory:
        old = memory.save("The old text of it.", title="Shared name here", kind="fix").id
        linking = memory.save("See [[Shared name here]].", title="Neighbour", kind="fix").id
        new = memory.evolve(old, f"The new text says {WORD}.").id
        plan = memory.plan_erasure([new])
        assert [note.id for note in plan.relatives] == [old]
        memory.erase(plan)
        assert findings(tmp_path) == []
        assert memory.show(old).entry.text.strip() == "The old text of it."
        assert memory.show(linking).entry.text.strip() == "See [[Shared name here]]."
        check_sound(memory)
        memory.scan()
        assert memory.history(old)[0].op == "attest"


@pytest.mark.parametrize(
    "name",
    [
        "Memory/fix/{stem}.md",
        "Memory/fix/{stem} (conflicted copy).md",
        "Memory/decision/renamed.md",
    ],
)
def test_what_comes_back_is_erased_by_the_next_scan(tmp_path: Path, name: str) -> None:
    with make_memory(tmp_path) as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        shown = memory.show(entry)
        raw = (tmp_path / "vault" / shown.locator).read_text(encoding="utf-8")
        erase(memory, entry)
        put(tmp_path / "vault" / name.format(stem=Path(shown.locator).stem), raw)
        memory.scan()
        assert findings(tmp_path) == []
        check_sound(memory)
        before = len(memory.history())
        memory.scan()
        assert len(memory.history()) == before


def test_a_history_put_back_from_a_backup_is_blanked_again(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        (log,) = (tmp_path / "vault/.engrain/history").rglob("*.log")
        before = log.read_bytes()
        erase(memory, entry)
        after = log.read_bytes()
        log.write_bytes(before + after[len(before) :])
        assert findings(tmp_path)
        check_sound(memory)
        memory.scan()
        assert findings(tmp_path) == []
        check_sound(memory)


def test_a_store_in_memory_erases_too(tmp_path: Path) -> None:
    with make_memory(tmp_path, backend="ram") as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        erase(memory, entry)
        check_sound(memory)
        assert [report.erased for report in memory.trust.survey().chains] == [2]
        assert findings(tmp_path) == []


def test_a_note_that_links_to_it_stays_as_it_is_and_is_told_of(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        entry = memory.save(INNOCENT, title="The green door", kind="fix").id
        linking = memory.save("See [[The green door]].", title="Neighbour", kind="fix")
        plan = memory.plan_erasure([entry])
        assert list(plan.mentions) == [linking.locator]
        erased = memory.erase(plan)
        assert any(place.startswith(f"{linking.locator}:") for place in erased.unreachable)
        assert memory.show(linking.id).entry.text.strip() == "See [[The green door]]."


def test_a_cycle_of_derivation_is_erased_whole(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for name, source in (("one", "three"), ("two", "one"), ("three", "two")):
            put(
                tmp_path / f"vault/Memory/fix/{name}.md",
                f"---\nid: {name}\nderived_from: [{source}]\n---\n# {WORD} {name}\n{WORD}\n",
            )
        memory.scan()
        plan = memory.plan_erasure(["two"])
        assert set(plan.ids) == {"one", "two", "three"}
        memory.erase(plan)
        assert findings(tmp_path) == []


@pytest.mark.parametrize("edits", [True, False])
@pytest.mark.parametrize("device", ["laptop", "desktop"])
def test_another_device_erases_it_from_its_own_history(
    tmp_path: Path, device: str, edits: bool
) -> None:
    """Two devices on one vault, which they share by a synchroniser that is always done."""
    with make_memory(tmp_path, device="laptop", seed=1) as laptop:
        entry = laptop.save(text(), title=TITLE, kind="fix").id
    with make_memory(tmp_path, device="desktop", seed=2) as desktop:
        desktop.save(INNOCENT, title="Neighbour", kind="fix")
        if edits:
            shown = desktop.show(entry)
            desktop.edit(entry, expect=shown.entry.hash, text=text() + "Edited there.\n")
    with make_memory(tmp_path, device=device, seed=3) as memory:
        erase(memory, entry)
        # The other's chain is the other's to erase.
        assert bool(findings(tmp_path)) == (edits or device == "desktop")
    for other in ("laptop", "desktop", "laptop"):
        with make_memory(tmp_path, device=other, seed=4) as memory:
            memory.scan()
            check_sound(memory)
    assert findings(tmp_path) == []
    with make_memory(tmp_path, device="laptop", seed=5) as memory:
        before = len(memory.history())
        memory.scan()
        assert len(memory.history()) == before


def test_a_forged_erasure_of_another_device_is_not_followed(tmp_path: Path) -> None:
    """One who can write the vault but has no key makes nobody blank a history."""
    with make_memory(tmp_path) as memory:
        entry = memory.save(INNOCENT, title="Bystander", kind="fix").id
    config = os.environ["ENGRAIN_CONFIG"]
    os.environ["ENGRAIN_CONFIG"] = str(tmp_path / "stranger" / "config.toml")
    try:
        with make_memory(tmp_path, device="stranger", seed=9) as memory:
            memory.scan()
            raw = (tmp_path / "vault/Memory/fix/bystander.md").read_bytes()
            erase(memory, entry)
    finally:
        os.environ["ENGRAIN_CONFIG"] = config
    (tmp_path / f"vault/Memory/fix/erased-{entry}.md").unlink()
    (tmp_path / "vault/Memory/fix/bystander.md").write_bytes(raw)
    with make_memory(tmp_path) as memory:
        memory.scan()
        assert memory.show("Memory/fix/bystander.md").entry.text.strip() == INNOCENT
        check_sound(memory)


def prepare(folder: Path) -> str:
    with make_memory(folder) as memory:
        entry = memory.save(text(), title=TITLE, kind="fix").id
        memory.save(f"From {WORD}.", title=f"Of {WORD}", kind="fix", derived_from=[entry])
        memory.list()
    return entry


@needs_strace
@pytest.mark.parametrize("growth", [1.8, pytest.param(1.35, marks=pytest.mark.long)])
def test_killed_before_any_mutating_call_an_erasure_is_finished_by_repeating_it(
    tmp_path: Path, growth: float
) -> None:
    """Before the first calls of a kind, then before ever fewer: an index writes hundreds of
    pages."""
    kills = 0
    numbers = sorted({round(growth**n) for n in range(26) if growth**n < _MOST})
    for call in CALLS:
        for n in numbers:
            folder = tmp_path / "run"
            entry = prepare(folder)
            code = run_killed(
                call, n, CHILD, folder / "vault", folder / "state", entry, follow=True
            )
            died = code != ACKNOWLEDGED
            kills += died
            where = f"killed before {call} {n}"
            with open_memory(
                folder / "vault", state_dir=folder / "state", backend="device-local"
            ) as memory:
                check_sound(memory)
                memory.scan()
                if any((folder / "vault").rglob("erased-*.md")):
                    assert findings(folder) == [], f"{where}: the scan left something"
                with contextlib.suppress(ErasedError):
                    erase(memory, entry)
                assert findings(folder) == [], where
                check_sound(memory)
            shutil.rmtree(folder)
            if not died:
                break
        else:
            pytest.fail(f"never got through {_MOST} calls of {call}")
    assert kills > 20
