"""A host wired and unwired: byte for byte as it was, whoever writes there, all or nothing."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.hosts import commands, table
from engrain.adapters.hosts.planning import plan_setup, plan_uninstall
from engrain.adapters.hosts.table import ENTRY_HOSTS, HOSTS
from engrain.model.errors import ConfigError, ConflictError, EngrainError
from unit.adapters.hosts.test_json_text import INDENT, JSON

CLAUDE = HOSTS["claude-code"]

OTHERS = json.dumps(
    {
        "model": "opus",
        "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "say 'fértig'"}]}],
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": "http://x"}]}],
            "Future": [{"unknown": True}],
        },
        "permissions": {"allow": []},
    },
    ensure_ascii=False,
)
STYLES = {
    "four spaces": json.dumps(json.loads(OTHERS), indent=4, ensure_ascii=False) + "\n",
    "tabs, no final newline": json.dumps(json.loads(OTHERS), indent="\t"),
    "CRLF": (json.dumps(json.loads(OTHERS), indent=2) + "\n").replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + json.dumps(json.loads(OTHERS), indent=2, ensure_ascii=False),
    "one line": OTHERS,
    "nothing in it": "",
    "an empty object": "{ }\n",
}


def set_up(name: str, environ: Mapping[str, str], state: Path) -> bool:
    plan = plan_setup(HOSTS[name], environ, str(state))
    plan.apply()
    return plan.changed


def take_out(name: str, environ: Mapping[str, str], state: Path) -> str | None:
    return plan_uninstall(HOSTS[name], environ, str(state)).apply()


def snapshot(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Every path below, with what a file holds and its mode."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def home(away: Path) -> Path:
    return away / "home"


@pytest.fixture
def state(away: Path) -> Path:
    return away / "state"


@pytest.mark.parametrize("style", STYLES)
def test_a_file_of_other_peoples_hooks_comes_back_byte_for_byte(
    home: Path, state: Path, style: str
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(STYLES[style].encode())
    settings.chmod(0o640)
    before = snapshot(home)
    assert set_up("claude-code", {}, state)
    assert "session-start" in settings.read_text()
    assert settings.stat().st_mode & 0o777 == 0o640
    wired = {path: os.stat(path).st_mtime_ns for path in home.rglob("*")}
    assert not set_up("claude-code", {}, state)
    assert {path: os.stat(path).st_mtime_ns for path in home.rglob("*")} == wired
    assert take_out("claude-code", {}, state) is None
    assert snapshot(home) == before
    assert not state.exists() or not list(state.rglob("*"))


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_without_any_file_is_left_without_any(home: Path, state: Path, name: str) -> None:
    assert set_up(name, {}, state)
    assert not set_up(name, {}, state)
    texts = [path.read_text() for path in home.rglob("*") if path.is_file()]
    has_rules = name not in ENTRY_HOSTS or ENTRY_HOSTS[name].rules != ""
    assert any("session-start" in text for text in texts) == (name not in ENTRY_HOSTS)
    assert any("--stdio" in text for text in texts) == (name != "pi")
    assert any("# Engrain: memory" in text for text in texts) == has_rules
    take_out(name, {}, state)
    assert snapshot(home) == {}


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), INDENT, st.booleans())
def test_any_settings_come_back_byte_for_byte(
    document: dict[str, object], indent: int | str | None, escape: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {"CLAUDE_CONFIG_DIR": str(folder / "claude")}
        (folder / "claude").mkdir()
        for file in ("settings.json", ".claude.json"):
            raw = json.dumps(document, indent=indent, ensure_ascii=escape).encode()
            (folder / "claude" / file).write_bytes(raw)
        before = snapshot(folder / "claude")
        set_up("claude-code", environ, folder / "state")
        settings = json.loads((folder / "claude" / "settings.json").read_bytes())
        assert {**settings, "hooks": None} == {**document, "hooks": None}
        take_out("claude-code", environ, folder / "state")
        assert snapshot(folder / "claude") == before


def test_what_others_wrote_since_stays_and_only_ours_goes(home: Path, state: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(STYLES["four spaces"])
    set_up("claude-code", {}, state)
    changed = settings.read_text().replace('"opus"', '"another"')
    settings.write_text(changed)
    servers = home / ".claude.json"
    document = json.loads(servers.read_text())
    servers.write_text(json.dumps({**document, "theirs": 1}))
    copies = take_out("claude-code", {}, state)
    assert settings.read_text() == STYLES["four spaces"].replace('"opus"', '"another"')
    assert json.loads(servers.read_text()) == {"theirs": 1}
    assert copies
    assert changed.encode() in [path.read_bytes() for path in Path(copies).iterdir()]
    assert Path(copies).stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in Path(copies).iterdir()} == {0o600}


def test_setup_after_others_wrote_keeps_what_they_wrote(home: Path, state: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(STYLES["four spaces"])
    set_up("claude-code", {}, state)
    wanted = STYLES["four spaces"].replace('"opus"', '"another"')
    settings.write_text(settings.read_text().replace('"opus"', '"another"'))
    assert not set_up("claude-code", {}, state)
    assert take_out("claude-code", {}, state) is None
    assert settings.read_text() == wanted


def test_without_the_record_ours_is_still_known(home: Path, state: Path, away: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(STYLES["four spaces"])
    before = snapshot(home)
    set_up("claude-code", {}, state)
    take_out("claude-code", {}, away / "another state")
    left = snapshot(home)
    assert left.pop(".claude/skills", None) is None
    assert {path: held for path, held in left.items() if "skills" not in path} == before


@pytest.mark.parametrize("name", HOSTS)
def test_a_moved_installation_is_renewed_in_place(
    home: Path, state: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context() as then:
        for module in (commands, table):
            then.setattr(module, "hook_program", lambda _: ["/gone/engrain"])
        then.setattr(table, "mcp_command", lambda: ["/gone/engrain", "mcp", "--stdio"])
        set_up(name, {}, state)
    old = snapshot(home)
    assert set_up(name, {}, state)
    new = snapshot(home)
    assert old.keys() == new.keys()
    assert old != new
    assert not any(b"/gone/engrain" in held[0] for held in new.values() if held)
    assert not set_up(name, {}, state)
    take_out(name, {}, state)
    assert snapshot(home) == {}


@pytest.mark.parametrize("broken", ['{"hooks": ', "[]", '{"a": 1} // no comments here', "\xff"])
def test_a_file_that_can_not_be_read_is_refused_and_nothing_of_the_host_is_touched(
    home: Path, state: Path, broken: str
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{}")
    (home / ".claude.json").write_bytes(broken.encode("latin-1"))
    before = snapshot(home)
    with pytest.raises(ConfigError) as caught:
        set_up("claude-code", {}, state)
    assert caught.value.path == str(home / ".claude.json")
    assert caught.value.remedy
    assert snapshot(home) == before
    assert not state.exists()


def test_when_a_later_file_can_not_be_written_the_earlier_are_put_back(
    home: Path, state: Path
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(STYLES["tabs, no final newline"])
    (home / ".claude" / "skills").symlink_to("/proc")  # where nobody may make a folder
    before = (home / ".claude" / "settings.json").read_bytes()
    with pytest.raises(EngrainError, match="no file was changed"):
        set_up("claude-code", {}, state)
    assert (home / ".claude" / "settings.json").read_bytes() == before
    assert not (home / ".claude.json").exists()
    (home / ".claude" / "skills").unlink()
    assert set_up("claude-code", {}, state)
    take_out("claude-code", {}, state)
    assert (home / ".claude" / "settings.json").read_bytes() == before


def test_a_file_that_another_program_changes_meanwhile_is_left_to_it(
    home: Path, state: Path
) -> None:
    plan = plan_setup(CLAUDE, {}, str(state))
    (home / ".claude.json").write_text('{"theirs": 1}')
    with pytest.raises(ConflictError):
        plan.apply()
    assert snapshot(home) == {".claude.json": (b'{"theirs": 1}', 0o100644)}


def test_a_linked_file_stays_linked(home: Path, state: Path) -> None:
    (home / "dotfiles").mkdir()
    real = home / "dotfiles" / "claude.json"
    real.write_text(STYLES["four spaces"])
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    set_up("claude-code", {}, state)
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "session-start" in real.read_text()
    take_out("claude-code", {}, state)
    assert (home / ".claude" / "settings.json").is_symlink()
    assert real.read_text() == STYLES["four spaces"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling link"])
def test_what_is_no_file_is_refused(home: Path, state: Path, kind: str) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(home / "nowhere")
    with pytest.raises(ConfigError) as caught:
        set_up("claude-code", {}, state)
    assert caught.value.path == str(path)
    assert not (home / ".claude.json").exists()


def test_the_hosts_folder_may_be_elsewhere_and_is_remembered(
    home: Path, state: Path, away: Path
) -> None:
    environ = {"CLAUDE_CONFIG_DIR": str(away / "elsewhere"), "CODEX_HOME": str(away / "codex")}
    set_up("claude-code", environ, state)
    set_up("codex", environ, state)
    assert sorted(path.name for path in (away / "elsewhere").iterdir()) == [
        ".claude.json",
        "settings.json",
        "skills",
    ]
    assert (away / "codex" / "hooks.json").is_file()
    assert snapshot(home / ".claude") == {}
    take_out("claude-code", {}, state)  # the environment has forgotten it
    take_out("codex", environ, state)
    assert not (away / "elsewhere").exists()
    assert not (away / "codex").exists()


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/engrain.ts"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("pi", "PI_CODING_AGENT_DIR", "extensions/engrain.ts"),
    ],
)
def test_a_variable_of_the_host_says_where_its_folder_is(
    away: Path, state: Path, name: str, variable: str, file: str
) -> None:
    environ = {variable: str(away / "there")}
    set_up(name, environ, state)
    assert (away / "there" / file).is_file()
    take_out(name, environ, state)
    assert not (away / "there").exists()


def test_opencodes_configuration_with_comments_keeps_them(home: Path, state: Path) -> None:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    text = '{\n  // the model\n  "model": "x", /* mine */\n  "mcp": {\n  },\n}\n'
    (folder / "opencode.jsonc").write_text(text)
    set_up("opencode", {}, state)
    wired = (folder / "opencode.jsonc").read_text()
    assert "// the model" in wired
    assert '"type": "local"' in wired
    assert not (folder / "opencode.json").exists()
    (folder / "opencode.jsonc").write_text(wired.replace('"x"', '"y"'))
    take_out("opencode", {}, state)
    assert "// the model" in (folder / "opencode.jsonc").read_text()
    assert "engrain" not in (folder / "opencode.jsonc").read_text()


def test_a_skill_of_that_name_that_was_there_comes_back(home: Path, state: Path) -> None:
    skill = home / ".claude" / "skills" / "engrain" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: something else\n---\n")
    set_up("claude-code", {}, state)
    assert "# Engrain" in skill.read_text()
    take_out("claude-code", {}, state)
    assert skill.read_text() == "---\nname: something else\n---\n"


SHARED = Path(".agents/skills/engrain/SKILL.md")


def test_hosts_that_read_one_folder_share_a_skill_until_the_last_leaves(
    home: Path, state: Path
) -> None:
    plans = [plan_setup(HOSTS[name], {}, str(state)) for name in ("codex", "gemini")]
    for plan in plans:
        plan.apply()
    codex = plan_uninstall(HOSTS["codex"], {}, str(state), others=[HOSTS["gemini"]])
    assert str(home / SHARED) not in [change.path for change in codex.changes]
    codex.apply()
    assert (home / SHARED).exists()
    take_out("gemini", {}, state)
    assert snapshot(home) == {}


def test_hosts_that_leave_together_take_the_shared_skill_with_them(home: Path, state: Path) -> None:
    for name in HOSTS:
        set_up(name, {}, state)
    plans = [plan_uninstall(host, {}, str(state)) for host in HOSTS.values()]
    for plan in plans:
        plan.apply()
    assert snapshot(home) == {}


def test_the_skill_that_opencode_would_find_twice_has_no_name_for_it(
    home: Path, state: Path
) -> None:
    set_up("claude-code", {}, state)
    set_up("opencode", {}, state)
    skills = [path.read_text() for path in sorted(home.rglob("SKILL.md"))]
    assert ["\nname: engrain\n" in text for text in skills] == [True, False]
