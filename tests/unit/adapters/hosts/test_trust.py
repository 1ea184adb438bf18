"""Codex's records of trusted hooks: read as it reads them, and taken out with our hooks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from engrain.adapters.hosts.planning import plan_setup, plan_uninstall
from engrain.adapters.hosts.table import HOSTS
from engrain.adapters.hosts.toml_part import TrustRecords
from support.hosts import trust_hooks

EVENTS = {"UserPromptSubmit": "prompt"}
LINE = "/x/engrain hook prompt --host codex"
HOOKS = (
    '{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "mine"}]},'
    ' {"hooks": [{"type": "command", "command": "LINE", "timeout": 10}]}]}}'.replace("LINE", LINE)
)


@pytest.fixture
def part(away: Path) -> TrustRecords:
    (away / "hooks.json").write_text(HOOKS)
    return TrustRecords(str(away / "hooks.json"), EVENTS)


def test_a_record_has_the_place_and_the_hash_that_codex_writes(part: TrustRecords) -> None:
    ((key, event, digest),) = part.list_records()
    assert key.endswith("/hooks.json:user_prompt_submit:1:0")
    assert event == "UserPromptSubmit"
    # Written by Codex 0.169.0 itself.
    assert digest == "sha256:817f63169dda63241589eeecfc1171bcaebc18debdddd76815797938fe1abfb3"


@pytest.mark.parametrize(
    ("record", "trusted"),
    [
        ('trusted_hash = "{}"\n', True),
        ('trusted_hash = "{}"\nenabled = true\n', True),
        ('trusted_hash = "{}"\nenabled = false\n', False),
        ('trusted_hash = "sha256:0"\n', False),
        ("", False),
    ],
)
def test_a_hook_is_trusted_as_it_is_now_or_not(
    part: TrustRecords, record: str, trusted: bool
) -> None:
    ((key, event, digest),) = part.list_records()
    text = f'[hooks.state."{key}"]\n' + record.format(digest)
    assert part.find_untrusted(tomllib.loads(text)) == ([] if trusted else [event])


def test_only_the_records_of_ours_go(part: TrustRecords) -> None:
    ((key, _, _),) = part.list_records()
    other = key.replace(":1:0", ":0:0")
    kept = f'a = 1\n\n[hooks.state]\n\n[hooks.state."{other}"]\ntrusted_hash = "x"\n'
    text = f'{kept}\n[hooks.state."{key}"]\ntrusted_hash = "y"\n\n[b]\nc = 1\n'
    assert part.remove(text, None) == f"{kept}\n[b]\nc = 1\n"
    assert part.add(text) == text


@pytest.mark.parametrize(
    "hooks", ["", "{", "[]", '{"hooks": 1}', '{"hooks": {"UserPromptSubmit": [1]}}']
)
def test_hooks_that_can_not_be_read_have_no_record(away: Path, hooks: str) -> None:
    (away / "hooks.json").write_text(hooks)
    assert list(TrustRecords(str(away / "hooks.json"), EVENTS).list_records()) == []


def test_uninstall_takes_out_what_codex_wrote_about_our_hooks(away: Path) -> None:
    codex, state = HOSTS["codex"], str(away / "state")
    config = away / "home" / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('model = "o"\n')
    plan_setup(codex, {}, state).apply()
    trust_hooks(away / "home")
    assert "trusted_hash" in config.read_text()
    plan_uninstall(codex, {}, state).apply()
    assert config.read_text().strip() == 'model = "o"'
