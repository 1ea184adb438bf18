"""What builds the packages; `tests/hosts/test_stranger.py` has the building itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packages import build


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    monkeypatch.setattr(build, "DIST", folder)
    return folder


def test_builds_are_equal_if_names_and_bytes_are(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "a.whl").write_bytes(b"wheel")
    assert build.sums(one) == build.sums(two)
    (two / "a.whl").write_bytes(b"other")
    assert build.sums(one) != build.sums(two)


def test_the_transcript_has_each_step_and_what_is_left_outside_of_the_vault(
    dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "STEPS", build.STEPS[:2])
    build.try_steps(Path(sys.executable).parent, tmp_path / "home")
    text = (dist / "first-steps.txt").read_text()
    assert text.startswith("$ engrain --version\nengrain 0")
    assert "$ engrain init notes\nvault ready: ~/notes" in text
    left = text.partition("-not -path './notes/*'\n")[2].split()
    assert ".config/engrain/config.toml" in left
    assert not any(path.startswith("notes/") for path in left)


def test_a_step_that_fails_ends_the_build_with_what_it_said(
    dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "STEPS", ("engrain recall",))
    with pytest.raises(SystemExit, match=r"\$ engrain recall\n(.*\n)+exit code 2"):
        build.try_steps(Path(sys.executable).parent, tmp_path / "home")
