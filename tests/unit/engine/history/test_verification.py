"""Devices and the vault's key: who attests what, and what becomes of it when a key is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.model.history.line import VaultKey, seal_line
from engrain.resolution.device import Keys, find_keys
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, log_of, put

EVERYTHING = Scope(all_projects=True, include_inbox=True, include_archive=True)

On = Callable[..., Memory]


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[On]:
    """One vault from several devices, each with a configuration of its own."""
    opened: list[Memory] = []

    def open_on(device: str, trust: str = "agent") -> Memory:
        monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / f"{device}-config" / "config.toml"))
        for memory in opened:
            memory.close()
        seed = len(opened)
        opened.append(make_memory(tmp_path, device=device, trust=trust, seed=seed))
        return opened[-1]

    yield open_on
    for memory in opened:
        memory.close()


def keys_of(memory: Memory) -> Keys:
    found = find_keys(os.environ, memory._open_store().backend.describe())
    assert found is not None
    return found


def origins(memory: Memory) -> dict[str, tuple[str, bool]]:
    memory.scan()
    rows = memory.list(scope=EVERYTHING).rows
    return {row.title: (row.source, row.attested) for row in rows}


def test_a_device_without_the_key_attests_nothing_and_believes_nothing(on: On) -> None:
    on("laptop").save("x", title="Ours", kind="fix")
    desktop = on("desktop")
    desktop.save("y", title="Theirs", kind="fix")
    assert origins(desktop) == {"Ours": ("external", False), "Theirs": ("external", False)}
    found = desktop.trust.survey()
    assert (found.has_key, found.unattested) == (False, {"T2": 0, "T3": 2})
    assert {chain.links: chain.attested for chain in found.chains} == {1: 0}
    laptop = on("laptop")
    assert origins(laptop) == {"Ours": ("agent", True), "Theirs": ("external", False)}
    found = laptop.trust.survey()
    assert found.has_key
    assert sorted(chain.attested for chain in found.chains) == [0, 1]


def test_a_device_that_joins_attests_and_believes(on: On) -> None:
    laptop = on("laptop")
    laptop.save("x", title="Ours", kind="fix")
    vault, secret = laptop.vault, keys_of(laptop).secret(laptop.vault)
    assert secret is not None
    desktop = on("desktop")
    assert desktop.trust.recognise_key(VaultKey(secret).holds) is True
    assert desktop.trust.recognise_key(VaultKey(bytes(32)).holds) is False
    keys_of(desktop).put(vault, secret)
    desktop.reindex()
    desktop.save("y", title="Theirs", kind="fix")
    both = {"Ours": ("agent", True), "Theirs": ("agent", True)}
    assert origins(desktop) == both
    assert origins(on("laptop")) == both


def test_nothing_can_be_recognised_where_nothing_bears_a_code(on: On) -> None:
    assert on("laptop").trust.recognise_key(VaultKey(bytes(32)).holds) is None


# -- the history is what is believed, and forging it is found --------------------------------------


@pytest.mark.parametrize("trust", ["operator", "tool"])
def test_a_record_with_another_origin_is_found_and_not_believed(
    on: On, tmp_path: Path, trust: str
) -> None:
    laptop = on("laptop", "external")
    laptop.save("x", title="Page", kind="fix")
    (change,) = [change.change for change in laptop.history()]
    log = log_of(tmp_path / "vault", change)
    said = log.read_bytes()
    log.write_bytes(said.replace(b'"trust":"external"', b'"trust":"%b"' % trust.encode()))
    assert log.read_bytes() != said
    delete_index(tmp_path / "laptop")
    laptop = on("laptop")
    assert origins(laptop) == {"Page": ("external", False)}
    assert "not made with this vault's key" in str(laptop.trust.survey().chains[0].wrong)


def test_a_record_that_another_key_signed_is_sound_and_not_believed(on: On, tmp_path: Path) -> None:
    laptop = on("laptop")
    laptop.save("x", title="Page", kind="fix")
    (change,) = [change.change for change in laptop.history()]
    log = log_of(tmp_path / "vault", change)
    line, payload, _ = log.read_bytes().split(b"\n")
    bare = line[: line.rindex(b',"mac"')] + b"}"
    forged = seal_line(
        bare.replace(b'"trust":"agent"', b'"trust":"operator"'), VaultKey(bytes(32)).sign
    )
    log.write_bytes(forged + b"\n" + payload + b"\n")
    delete_index(tmp_path / "laptop")
    laptop = on("laptop")
    assert origins(laptop) == {"Page": ("external", False)}
    (report,) = laptop.trust.survey().chains
    assert (report.wrong, report.links, report.attested) == (None, 1, 0)


def test_a_code_that_was_damaged_is_missed(on: On, tmp_path: Path) -> None:
    laptop = on("laptop")
    laptop.save("x", title="Page", kind="fix")
    (change,) = [change.change for change in laptop.history()]
    log = log_of(tmp_path / "vault", change)
    log.write_bytes(log.read_bytes().replace(b',"mac":', b',"mad":'))
    assert "bore a code" in str(on("laptop").trust.survey().chains[0].wrong)


def test_a_chain_copied_under_another_name_is_not_believed(on: On, tmp_path: Path) -> None:
    laptop = on("laptop", "operator")
    saved = laptop.save("x", title="Rule", kind="fix")
    (change,) = [change.change for change in laptop.history()]
    log = log_of(tmp_path / "vault", change)
    copy = log.parent.parent / "zzzzzzzz"
    log.parent.rename(copy)
    delete_index(tmp_path / "laptop")
    assert origins(on("laptop"))[saved.title] == ("external", False)


# -- a key that is lost ----------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["kept", "deleted", "rebuilt"])
def test_with_a_new_key_every_entry_keeps_the_origin_that_its_records_tell(
    on: On, tmp_path: Path, index: str
) -> None:
    for trust in ("operator", "tool", "external", "agent"):
        on("laptop", trust).save("x", title=trust, kind="fix")
    laptop = on("laptop")
    laptop.evolve("tool", "Evolved.", title="evolved")
    put(tmp_path / "vault", "Memory/fix/p.md", "---\nsource: {trust: agent}\n---\n# planted\nx\n")
    put(tmp_path / "vault", "preferences/h.md", "# by hand\nx\n")
    before = origins(laptop)
    Path(keys_of(laptop).path(laptop.vault)).unlink()
    if index == "deleted":
        delete_index(tmp_path / "laptop")
        laptop = on("laptop")
    elif index == "rebuilt":
        laptop.reindex()
    keys_of(laptop).make(laptop.vault)
    assert laptop.trust.attest_again() == 5
    assert origins(laptop) == before
    assert before["planted"] == ("external", False)
    laptop.reindex()
    assert origins(laptop) == before
    assert laptop.trust.survey().chains[0].wrong is None


def test_attesting_anew_leaves_every_byte(on: On, tmp_path: Path) -> None:
    laptop = on("laptop")
    for number in range(70):
        laptop.save(f"Body {number}.", title=f"Note {number}", kind="fix")
    vault = tmp_path / "vault"
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    keys_of(laptop).make(laptop.vault)
    steps: list[tuple[int, int | None]] = []
    assert laptop.trust.attest_again(lambda *step: steps.append(step)) == 70
    assert (len(steps), steps[-1]) == (71, (70, 70))
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    assert [change.op for change in laptop.history()].count("attest") == 70
    assert set(origins(laptop).values()) == {("agent", True)}


def test_all_entries_from_outside_are_attested_in_the_operators_name(on: On) -> None:
    laptop = on("laptop", "external")
    for number in range(3):
        laptop.save(f"Body {number}.", title=f"Note {number}", kind="fix")
    ids, left = laptop.trust.attest_all("Read, and true.")
    assert (len(ids), left) == (3, [])
    assert set(origins(laptop).values()) == {("operator", True)}
    assert [change.op for change in laptop.history()].count("attest") == 3


def cut_last(log: Path) -> None:
    """Lose the last change of a segment, its record and its payload."""
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-2]))


@pytest.mark.parametrize("opens_first", [False, True])
def test_a_lost_end_is_missed_without_an_index_too(
    on: On, tmp_path: Path, opens_first: bool
) -> None:
    memory = on("laptop")
    saved = [memory.save(f"Text {n}.", title=f"Note {n}", kind="fix") for n in range(3)]
    last = memory.history(saved[-1].id)[0].change
    memory.close()
    cut_last(log_of(tmp_path / "vault", last))
    delete_index(tmp_path / "laptop")
    memory = on("laptop")
    if opens_first:
        memory.save("More.", title="More", kind="fix")  # this device goes on under another id
    wrong = {report.device: report.wrong for report in memory.trust.survey().chains}
    former = last.rpartition("-")[0]
    assert wrong.pop(former) is not None
    assert set(wrong.values()) <= {None}
    # On another device, which has no index of it either, the record that names the end tells it.
    desktop = on("desktop")
    found = {report.device: report.wrong for report in desktop.trust.survey().chains}
    assert str(found[former]).startswith("the change 3 at its end is missing, which the change ")


def test_a_whole_chain_that_is_lost_is_missed(on: On, tmp_path: Path) -> None:
    memory = on("laptop")
    change = memory.history(memory.save("Text.", title="Note", kind="fix").id)[0].change
    memory.close()
    log_of(tmp_path / "vault", change).unlink()
    delete_index(tmp_path / "laptop")
    reports = on("laptop").trust.survey().chains
    assert [report.wrong for report in reports if report.wrong] != []
    assert any("the state of this device names" in str(report.wrong) or
               "which the change" in str(report.wrong) for report in reports)  # fmt: skip


def test_a_change_that_an_undo_names_is_missed(on: On, tmp_path: Path) -> None:
    on("laptop").save("Text.", title="Note", kind="fix")
    desktop = on("desktop", "operator")
    saved = desktop.save("Theirs.", title="Theirs", kind="fix")
    change = desktop.history(saved.id)[0].change
    on("laptop", "operator").undo(change)
    cut_last(log_of(tmp_path / "vault", change))
    tablet = on("tablet")
    wrong = {report.device: report.wrong for report in tablet.trust.survey().chains if report.wrong}
    assert list(wrong) == [change.rpartition("-")[0]]
    assert "at its end is missing, which the change" in str(wrong.popitem()[1])
