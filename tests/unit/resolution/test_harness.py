"""Which store working memory means: the vault, and without one this device's own (S1.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.model.errors import StateLocationError, VaultUnavailableError
from engrain.resolution.selector import HARNESS, resolve, resolve_harness


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "ENGRAIN_CONFIG": str(tmp_path / "no-config.toml"),
        "ENGRAIN_STATE_DIR": str(tmp_path / "state"),
    }


def test_with_a_vault_it_is_the_vault(environ: dict[str, str], tmp_path: Path) -> None:
    environ["ENGRAIN_VAULT"] = str(tmp_path / "vault")
    found = resolve_harness({}, environ, str(tmp_path))
    same = resolve({}, environ, str(tmp_path))
    assert (found.location, found.backend, found.reasons) == (
        same.location, same.backend, same.reasons,
    )  # fmt: skip
    assert not found.fallback


def test_without_one_it_is_a_store_among_this_devices_state(
    environ: dict[str, str], tmp_path: Path
) -> None:
    found = resolve_harness({"project": "harbour"}, environ, str(tmp_path))
    assert found.location == str(tmp_path / "state" / HARNESS)
    assert (found.backend, found.fallback, found.project) == ("device-local", True, "harbour")
    assert "no vault is configured" in found.reasons[0]


def test_a_backend_that_is_configured_for_no_vault_means_nothing(
    environ: dict[str, str], tmp_path: Path
) -> None:
    environ["ENGRAIN_BACKEND"] = "obsidian-vault"
    assert resolve_harness({}, environ, str(tmp_path)).backend == "device-local"


def test_never_in_a_folder_that_something_synchronises(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / ".stfolder").mkdir()
    with pytest.raises(StateLocationError):
        resolve_harness({}, environ, str(tmp_path))
    assert not (tmp_path / "state").exists()


class TestAMemory:
    @pytest.fixture(autouse=True)
    def nothing_around(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ENGRAIN_VAULT", raising=False)
        monkeypatch.setenv("ENGRAIN_STATE_DIR", str(tmp_path / "state"))
        monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)

    def open(self) -> Memory:
        return open_memory(project="harbour", harness=True)

    def test_keeps_working_memory_and_the_next_one_has_it(self, tmp_path: Path) -> None:
        with self.open() as memory:
            memory.work.write_continuity(goal="build the quay wall")
            assert memory.where == str(tmp_path / "state" / HARNESS)
        with self.open() as memory:
            found = memory.work.read_continuity()
            assert found is not None
            assert found.goal == "build the quay wall"

    def test_has_history_and_undo_like_any(self) -> None:
        with self.open() as memory:
            memory.work.add_progress("One.")
            memory.work.add_progress("Two.")
            memory.undo()
            assert [text for _, text in memory.work.progress()] == ["One."]
            assert all(chain.wrong is None for chain in memory.verify())

    def test_of_a_vault_that_can_not_be_had_is_an_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_VAULT", str(tmp_path / "gone"))
        with pytest.raises(VaultUnavailableError):
            self.open()
        assert not (tmp_path / "state" / HARNESS).exists()

    def test_without_harness_is_an_error_as_ever(self) -> None:
        with pytest.raises(VaultUnavailableError):
            open_memory(project="harbour")

    def test_a_vault_that_is_configured_later_is_used_from_then_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        open_memory(tmp_path / "vault", create=True).close()
        with self.open() as memory:
            memory.work.add_progress("Here.")
            monkeypatch.setenv("ENGRAIN_VAULT", str(tmp_path / "vault"))
            memory.work.add_progress("There.")
            assert [text for _, text in memory.work.progress()] == ["There."]
