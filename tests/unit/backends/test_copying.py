"""The copy of a folder: what it takes, and what happens to it while it is made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from engrain.backends.adopting import copy_folder


def test_it_has_plain_files_alone_with_their_modes_and_times(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not of the vault")
    vault = tmp_path / "vault"
    (vault / "below").mkdir(parents=True)
    (vault / "below" / "a.md").write_bytes(b"a")
    os.chmod(vault / "below" / "a.md", 0o640)
    os.utime(vault / "below" / "a.md", (5, 5))
    (vault / "link").symlink_to(outside / "secret")
    (vault / "links").symlink_to(outside)
    os.mkfifo(vault / "pipe")
    assert list(copy_folder(str(vault), nullcontext())) == [("vault/below/a.md", 0o640, 5.0, b"a")]


@pytest.mark.parametrize("aged", [False, True])
def test_it_is_as_the_folder_was_once_writers_were_kept_out(tmp_path: Path, aged: bool) -> None:
    for name in ("changed", "gone", "same"):
        (tmp_path / name).write_bytes(b"1")
        if aged:
            os.utime(tmp_path / name, (5, 5))

    @contextmanager
    def held() -> Iterator[None]:
        """The last writer ends, then others are kept out; one comes as soon as they are let in."""
        (tmp_path / "changed").write_bytes(b"2")
        os.utime(tmp_path / "changed", (5, 5))
        (tmp_path / "gone").unlink()
        (tmp_path / "new").write_bytes(b"3")
        yield
        (tmp_path / "same").write_bytes(b"4")

    files = {Path(path).name: raw for path, _, _, raw in copy_folder(str(tmp_path), held())}
    assert files == {"changed": b"2", "new": b"3", "same": b"1"}
