"""What stays out of an import of a folder, and why."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engrain.resolution.source_tree import LeavingOut
from unit.engine.core.vault_files import put


def make_repository(folder: Path, ignored: str) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    put(folder, ".gitignore", ignored)


def test_what_git_ignores_stays_out(tmp_path: Path) -> None:
    for name in ("a.md", "build/b.md", "build/deep/c.md", "docs/d.md", "docs/tmp.md", "ü/e.md"):
        put(tmp_path, name, "x")
    put(tmp_path, "docs/.gitignore", "tmp.md\n")
    make_repository(tmp_path, "build/\nü\n")
    left = LeavingOut(str(tmp_path))
    assert left("a.md") is None
    assert left("docs/d.md") is None
    assert left("build/b.md") == ("build/", "git ignores it")
    assert left("build/deep/c.md") == ("build/", "git ignores it")
    assert left("docs/tmp.md") == ("docs/tmp.md", "git ignores it")
    assert left("ü/e.md") == ("ü/", "git ignores it")


def test_a_part_of_a_repository_is_asked_about_too(tmp_path: Path) -> None:
    put(tmp_path, "docs/drafts/a.md", "x")
    put(tmp_path, "docs/b.md", "x")
    make_repository(tmp_path, "drafts\n")
    left = LeavingOut(str(tmp_path / "docs"))
    assert left("drafts/a.md") == ("drafts/", "git ignores it")
    assert left("b.md") is None


def test_a_repository_inside_has_its_own_rules(tmp_path: Path) -> None:
    put(tmp_path, "code/app/out/a.md", "x")
    put(tmp_path, "code/app/b.md", "x")
    make_repository(tmp_path / "code" / "app", "out\n")
    left = LeavingOut(str(tmp_path))
    assert left("code/app/out/a.md") == ("code/app/out/", "git ignores it")
    assert left("code/app/b.md") is None


def test_what_git_has_comes_in_though_a_rule_names_it(tmp_path: Path) -> None:
    make_repository(tmp_path, "*.md\n")
    put(tmp_path, "kept.md", "x")
    put(tmp_path, "other.md", "x")
    subprocess.run(["git", "-C", str(tmp_path), "add", "-f", "kept.md"], check=True)
    left = LeavingOut(str(tmp_path))
    assert left("kept.md") is None
    assert left("other.md") == ("other.md", "git ignores it")


def test_a_folder_that_git_ignores_as_a_whole_comes_in(tmp_path: Path) -> None:
    make_repository(tmp_path, "*\n")
    put(tmp_path, "notes/a.md", "x")
    assert LeavingOut(str(tmp_path / "notes"))("a.md") is None


def test_without_git_all_but_packages_comes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "build/a.md", "x")
    put(tmp_path, "app/node_modules/x/README.md", "x")
    make_repository(tmp_path, "build\n")
    monkeypatch.setenv("PATH", "")
    left = LeavingOut(str(tmp_path))
    assert left("build/a.md") is None
    what, why = left("app/node_modules/x/README.md") or ("", "")
    assert (what, bool(why)) == ("app/node_modules/", True)


@pytest.mark.parametrize(("pattern", "path", "what"), [
    ("drafts", "drafts/a.md", "drafts/"),
    ("drafts/", "a/drafts/b.md", "a/drafts/"),
    ("*.tmp.md", "a/b.tmp.md", "a/b.tmp.md"),
    ("a/drafts", "a/drafts/b.md", "a/drafts/"),
    ("./a/drafts/**", "a/drafts/b.md", "a/drafts/"),
    ("**/old", "old/a.md", "old/"),
    ("**/old", "x/y/old/a.md", "x/y/old/"),
    ("20*", "2023/a.md", "2023/"),
    ("a.md", "x/a.md", "x/a.md"),
    ("drafts", "drafts.md", None),
    ("a/drafts", "b/a/drafts/c.md", None),
    ("Drafts", "drafts/a.md", None),
])  # fmt: skip
def test_a_pattern_is_a_name_or_a_path(
    tmp_path: Path, pattern: str, path: str, what: str | None
) -> None:
    left = LeavingOut(str(tmp_path), [pattern])(path)
    assert (left and left[0]) == what
    assert left is None or left[1].startswith("--exclude ")


def test_what_is_hidden_is_named(tmp_path: Path) -> None:
    for name in (".obsidian/a.md", ".draft.md", "b/.trash/c.md", "b/d.md"):
        put(tmp_path, name, "x")
    assert LeavingOut(str(tmp_path)).hidden == [".obsidian/", ".draft.md", "b/.trash/"]


def test_a_setting_of_the_folder_runs_no_program(tmp_path: Path) -> None:
    make_repository(tmp_path, "build\n")
    put(tmp_path, "a.md", "x")
    script = put(tmp_path, "hook.sh", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand"):
        subprocess.run(["git", "-C", str(tmp_path), "config", key, str(script)], check=True)
    LeavingOut(str(tmp_path))
    assert not (tmp_path / "ran").exists()
