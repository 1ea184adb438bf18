"""The operator's notes on the operator's word: asked for and linked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory, UsageError
from engrain.model.errors import ConfigError
from support.vaults import make_memory

DAY = b"# A day\n\nwith words\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's notes, configured."""
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    root = tmp_path / "notes"
    (root / "Journal").mkdir(parents=True)
    (root / "Journal" / "day.md").write_bytes(DAY)
    monkeypatch.setenv("ENGRAIN_PERSONAL_ROOT", str(root))
    return root


@pytest.fixture
def memory(tmp_path: Path, root: Path) -> Iterator[Memory]:
    with make_memory(tmp_path, name="notes/Agent") as memory:
        yield memory


def logged(memory: Memory) -> list[tuple[str, str, str]]:
    return [(use.verb, use.place, use.outcome) for use in memory.personal.uses()]


def test_the_notes_are_given_to_one_who_says_that_the_operator_asked(memory: Memory) -> None:
    assert memory.personal.open(authorize=True).read("Journal/day.md").raw == DAY
    with pytest.raises(UsageError) as raised:
        memory.personal.open(verb="read", place="Journal/day.md")
    assert "authorize=True" in str(raised.value.remedy)
    assert logged(memory) == [
        ("read", "Journal/day.md", "done"),
        ("read", "Journal/day.md", "usage"),
    ]


def test_without_a_root_there_are_none(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGRAIN_PERSONAL_ROOT")
    with pytest.raises(ConfigError):
        memory.personal.open(authorize=True)
    with pytest.raises(UsageError):
        memory.personal.open()
