"""`docs/operate.md`: its settings are ours."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from engrain.model.settings import KEYS
from engrain_team.https import settings

ROOT = Path(__file__).resolve().parents[5]


def test_the_page_names_settings_that_there_are() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "operate.md").read_text(), re.DOTALL)
    named = {
        f"{table}.{name}"
        for block in blocks
        for table, values in tomllib.loads(block).items()
        if isinstance(values, dict)
        for name in values
    }
    assert {"serve.url", "serve.issuer", "serve.jwks", "remote.url"} <= named
    assert named <= KEYS.keys() | settings.KEYS.keys()


def test_the_page_names_every_setting_of_the_server() -> None:
    page = (ROOT / "docs" / "operate.md").read_text()
    for key in settings.KEYS.values():
        assert f"| `{key.name}` | {key.meaning} | `{key.variable}` |" in page
