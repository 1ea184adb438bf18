"""A vault of every format that was ever written is opened by the present version: nothing in it is
lost, its history verifies, and work goes on. An index of the present format is used as it is, and
one of another is rebuilt. What is in `tests/upgrade` is never made anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from engrain import Memory, open_memory
from engrain.engine.core.scope import Scope
from engrain.engine.reindexing import compare_index
from engrain.index.connection import SCHEMA
from engrain.model.note.tiers import STATUSES
from upgrade.make_index import open_repeatably

UPGRADE = Path(__file__).parents[1] / "upgrade"
FORMATS = sorted(UPGRADE.glob("format-*"))
INDEXES = {int(path.stem.partition("-")[2]): path for path in UPGRADE.glob("index-*.sql")}
QUESTIONS = (
    "why do prepared statements fail behind the pooler?",
    "in which unit is money stored?",
    "when may I deploy?",
    "where does Ann work?",
)
OTHERS = {
    "older": f"PRAGMA user_version={SCHEMA - 1}; ALTER TABLE passages DROP COLUMN whole;",
    "newer": "PRAGMA user_version=999; ALTER TABLE entries ADD COLUMN mood TEXT; DROP TABLE links;",
}
"""What makes an index of the present format one of another: its number, and other tables."""


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


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A vault whose index can be replaced, as its folder is known."""
    folder = Path(shutil.copytree(UPGRADE / "format-1", tmp_path / "old"))
    with open_repeatably(folder) as memory:
        memory.list()
    return folder


def put_index(folder: Path, dump: Path, more: str = "") -> None:
    """Put an index that was written as SQL in the place of a device's."""
    (current,) = folder.glob("state/vaults/*/index/current")
    for path in current.parent.iterdir():
        path.unlink()
    connection = apsw.Connection(str(current.with_name("index-1-1-0.sqlite")))
    connection.execute(dump.read_text(encoding="utf-8") + more).fetchall()
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.close()
    current.write_text("1-1-0")


def is_kept(folder: Path) -> bool:
    (current,) = folder.glob("state/vaults/*/index/current")
    return current.read_text() == "1-1-0"


def answer(memory: Memory) -> list[list[tuple[str, str, float]]]:
    """What each question gets: titles, texts and scores."""
    found = [memory.recall(question).results for question in QUESTIONS]
    return [[(one.row.title, one.text, round(one.row.score, 3)) for one in each] for each in found]


def read_vault(folder: Path) -> dict[str, bytes]:
    files = (path for path in (folder / "vault").rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def compare_with_rebuilt(memory: Memory) -> list[str]:
    """The tables that a rebuilt index would have otherwise, and the questions that it answers
    otherwise."""
    kept = answer(memory)
    differing = [one.table for one in compare_index(memory._open_store())]
    memory.reindex()
    assert all(kept)
    return differing + [
        question
        for question, before, after in zip(QUESTIONS, kept, answer(memory), strict=True)
        if before != after
    ]


def test_the_present_format_of_the_index_is_among_them() -> None:
    """Else run `python tests/upgrade/make_index.py`."""
    assert SCHEMA in INDEXES


def test_an_index_of_the_present_format_is_used_as_it_is(copy: Path) -> None:
    """Whoever changes what an index contains raises `SCHEMA`, or this fails."""
    put_index(copy, INDEXES[SCHEMA])
    with open_repeatably(copy) as memory:
        assert all(answer(memory))
        assert is_kept(copy)
        assert compare_with_rebuilt(memory) == []


@pytest.mark.parametrize("change", ["UPDATE entries SET weight = 0.9", "DELETE FROM names"])
def test_an_index_with_other_content_would_be_noticed(copy: Path, change: str) -> None:
    put_index(copy, INDEXES[SCHEMA], change)
    with open_repeatably(copy) as memory:
        assert compare_with_rebuilt(memory) != []


@pytest.mark.parametrize("which", [*OTHERS, *(n for n in INDEXES if n != SCHEMA)])
def test_an_index_of_another_format_is_rebuilt_and_nothing_is_lost(
    copy: Path, which: str | int
) -> None:
    if isinstance(which, int):
        put_index(copy, INDEXES[which])
    else:
        put_index(copy, INDEXES[SCHEMA], OTHERS[which])
    before = read_vault(copy)
    with open_repeatably(copy) as memory:
        assert all(answer(memory))
        assert not is_kept(copy)
        assert read_vault(copy).items() >= before.items()
        assert compare_with_rebuilt(memory) == []
        assert memory.check(deep=True).sound
