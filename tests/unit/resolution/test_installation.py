"""The command that adds an extra is right for how Engrain was installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engrain.resolution import installation
from engrain.resolution.installation import compose_install


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages with Engrain, which came from an index."""
    (tmp_path / "engrain-0.1.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", ["/nowhere", str(tmp_path)])
    monkeypatch.setattr(installation, "find_spec", lambda _: "there")
    return tmp_path


def come_from(packages: Path, **origin: object) -> None:
    (packages / "engrain-0.1.0.dist-info" / "direct_url.json").write_text(json.dumps(origin))


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/me/.local/share/pipx/venvs/engrain", "pipx install --force"),
        ("/home/me/.local/share/uv/tools/engrain", "uv tool install --force"),
        ("/srv/app/.venv", f"{sys.executable} -m pip install"),
    ],
)
def test_the_tool_that_made_the_environment_installs_anew(
    prefix: str, command: str, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert compose_install("console") == f"{command} 'engrain[console]'"


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "pipx install --force"),
        ("uv-receipt.toml", "uv tool install --force"),
    ],
)
def test_a_tool_is_known_by_its_file_wherever_its_environments_are(
    mark: str, command: str, packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / mark).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert compose_install("mcp") == f"{command} 'engrain[mcp]'"


def test_a_call_by_uvx_is_repeated_with_the_extra(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", "/home/me/.cache/uv/archive-v0/x1")
    assert compose_install("mcp") == "uvx --from 'engrain[mcp]' engrain"


def test_an_environment_without_pip_is_left_to_uv(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda _: None)
    assert compose_install("mcp") == f"uv pip install --python {sys.executable} 'engrain[mcp]'"


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ({"url": "file:///src/my%20engrain", "dir_info": {}}, "/src/my engrain[local]"),
        (
            {"url": "file:///w/engrain-0.1.0-py3-none-any.whl"},
            "/w/engrain-0.1.0-py3-none-any.whl[local]",
        ),
        (
            {"url": "https://x.example/e.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
            "engrain[local] @ git+https://x.example/e.git@ab12",
        ),
        ({"url": "https://x.example/e.whl"}, "engrain[local] @ https://x.example/e.whl"),
    ],
)
def test_what_came_from_elsewhere_is_installed_from_there(
    origin: dict[str, object], wanted: str, packages: Path
) -> None:
    come_from(packages, **origin)
    assert compose_install("local").endswith(f" install '{wanted}'")
