"""What a host's own settings have against our hooks is told, not overruled."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.adapters.hosts.check import find_obstacles
from engrain.adapters.hosts.table import HOSTS


@pytest.mark.parametrize(
    ("name", "file", "text", "said"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        (
            "gemini",
            ".gemini/settings.json",
            '{"hooksConfig": {"enabled": false}} // off',
            "hooksConfig.enabled",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            '{"enabledPlugins": {"engrain@engrain": true, "other@x": true}}',
            "runs twice",
        ),
    ],
)
def test_an_obstacle_is_reported(away: Path, name: str, file: str, text: str, said: str) -> None:
    path = away / "home" / file
    path.parent.mkdir()
    path.write_text(text)
    (found,) = find_obstacles(HOSTS[name], {})
    assert said in found


@pytest.mark.parametrize(
    "text", [None, "{", '{"disableAllHooks": false}', '{"enabledPlugins": []}']
)
def test_settings_that_say_nothing_against_it_are_no_obstacle(away: Path, text: str | None) -> None:
    if text is not None:
        (away / "home" / ".claude").mkdir()
        (away / "home" / ".claude" / "settings.json").write_text(text)
    assert [find_obstacles(host, {}) for host in HOSTS.values()] == [[]] * len(HOSTS)
