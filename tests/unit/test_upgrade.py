"""A vault of every format that was ever written is opened by the present version: nothing in it is
lost, its history verifies, and work goes on. The folders of `tests/upgrade` are never made anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.engine.core.scope import Scope
from engrain.model.note.tiers import STATUSES

FORMATS = sorted((Path(__file__).parents[1] / "upgrade").glob("format-*"))


@pytest.fixture(params=FORMATS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(request.param, tmp_path / "old"))


def open_old(folder: Path) -> Memory:
    return open_memory(
        folder / "vault", state_dir=folder / "state", keys_dir=folder / "keys",
        backend="obsidian-vault", trust="operator", project="main",
    )  # fmt: skip


def test_a_vault_of_an_older_format_is_whole(folder: Path) -> None:
    with open_old(folder) as memory:
        rows = memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows
        assert {(row.title, row.status) for row in rows} >= {
            ("Pooler drops prepared statements", "active"),
            ("Money in minor units", "active"),
            ("Deploys", "active"),
            ("Deploys", "superseded"),
            ("Slip", "deleted"),
        }
        found = memory.recall("why do prepared statements fail behind the pooler?")
        assert found.results[0].row.title == "Pooler drops prepared statements"
        assert not found.results[0].row.title.startswith("Slip")
        assert all(report.wrong is None for report in memory.trust.survey().chains)
        assert memory.check(deep=True).sound


def test_work_goes_on_in_a_vault_of_an_older_format(folder: Path) -> None:
    with open_old(folder) as memory:
        entry = memory.show("money-in-minor-units").entry
        memory.edit(entry.id, expect=entry.hash, text="Money is stored as cents.")
        memory.undo()
        assert "smallest unit" in memory.show(entry.id).entry.text
        saved = memory.save("Saved by the present version.", title="Present", kind="fix")
        assert all(report.wrong is None for report in memory.trust.survey().chains)
    with open_old(folder) as memory:
        assert memory.show(saved.id).entry.title == "Present"
