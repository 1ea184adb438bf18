"""The file of what was erased: what was written is read back, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import StorageError, UsageError
from engrain_team.commands.admin import read_tombstones, write_tombstones
from engrain_team.postgres.admin import Erased


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "erased.json"
    found = [Erased("team", "01vault", ["a", "b"]), Erased("ops", "02vault", [])]
    write_tombstones(str(path), found)
    assert read_tombstones(str(path)) == found
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "nothing",
        '{"v": 1}',
        '{"v": 2, "erased": []}',
        '{"v": 1, "erased": [{"namespace": 1, "vault": "x", "ids": []}]}',
        '{"v": 1, "erased": [{"namespace": "n", "vault": "x", "ids": [""]}]}',
        "[" * 100_000,
    ],
)
def test_any_other_file_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "erased.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="no file of tombstones") as caught:
        read_tombstones(str(path))
    assert "\n" not in caught.value.message


def test_a_file_that_is_not_there_or_can_not_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_tombstones(str(tmp_path / "nothing"))
    (tmp_path / "full").write_text("")
    with pytest.raises(StorageError):
        write_tombstones(str(tmp_path / "full" / "erased.json"), [])
