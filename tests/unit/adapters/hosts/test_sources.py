"""What is shipped beside the code: the skill, the plugins and the registry's entry."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import engrain
from engrain.adapters.hosts import commands
from engrain.adapters.hosts.table import HOSTS, make_plugin

ROOT = Path(__file__).parents[4]
PACKAGE = Path(engrain.__file__).parent / "adapters" / "hosts"
PLUGIN = ROOT / "plugins" / "claude-code"
SKILL = (PACKAGE / "skill" / "SKILL.md").read_text()


def read_json(path: Path) -> dict[str, object]:
    value = json.loads(path.read_text())
    assert isinstance(value, dict)
    return value


def test_the_plugins_skill_is_the_one_that_setup_installs() -> None:
    assert (PLUGIN / "skills" / "engrain" / "SKILL.md").read_text() == SKILL


def test_the_skill_keeps_to_the_standards_limits() -> None:
    front = yaml.safe_load(SKILL.split("---\n")[1])
    assert front["name"] == "engrain"
    assert 100 < len(front["description"]) <= 1024
    assert len(SKILL.split()) < 600


@pytest.mark.parametrize(
    "tool", ["memory_search", "memory_recall", "memory_append", "memory_forget"]
)
def test_the_skill_names_every_tool(tool: str) -> None:
    assert tool in SKILL


def test_the_plugin_has_the_hooks_that_setup_installs_with_the_program_from_the_path(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "hook_program", lambda _: ["engrain"])
    monkeypatch.setattr(commands, "program", lambda: ["engrain"])
    (settings, *_) = HOSTS["claude-code"].files({"CLAUDE_CONFIG_DIR": str(away)})
    wired = json.loads(settings.add(None) or b"")["hooks"]
    shipped = read_json(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert wired == shipped


def test_the_manifests_agree_on_name_and_version() -> None:
    manifest = read_json(PLUGIN / ".claude-plugin" / "plugin.json")
    market = read_json(ROOT / ".claude-plugin" / "marketplace.json")
    server = read_json(ROOT / "server.json")
    assert isinstance(market["plugins"], list)
    (listed,) = market["plugins"]
    assert (ROOT / listed["source"]).resolve() == PLUGIN
    assert listed["name"] == manifest["name"] == "engrain"
    assert isinstance(server["packages"], list)
    (package,) = server["packages"]
    versions = {listed["version"], manifest["version"], server["version"], package["version"]}
    assert versions == {engrain.__version__}


def test_the_registrys_entry_starts_the_server_over_standard_streams() -> None:
    server = read_json(ROOT / "server.json")
    assert server["name"] == "io.github.engrain/engrain"
    assert len(str(server["description"])) <= 100
    assert isinstance(server["packages"], list)
    (package,) = server["packages"]
    words = [word.get("value") or word["name"] for word in package["packageArguments"]]
    assert words == ["mcp", "--stdio"]
    assert package["transport"] == {"type": "stdio"}


TRIAL = """
import plugin from "./engrain.mjs"
const parts = [{ type: "text", text: String.raw`"why \\"so\\"?"` }]
const hooks = await plugin.server({ directory: "/project", client: {} })
const message = () => hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts })
const event = (type, properties) => hooks.event({ event: { type, properties } })
await event("session.created", { info: { id: "child", parentID: "s" } })
const task = [{ type: "text", text: "look" }]
const output = { message: { id: "m" }, parts: task }
const look = () => hooks["chat.message"]({ sessionID: "child" }, output)
await look()
await look()
await message()
await message()
await hooks["experimental.session.compacting"]({ sessionID: "s" })
await message()
await event("session.idle", { sessionID: "s" })
await event("session.deleted", { info: { id: "s" } })
const registered = {}
const close = await plugin.setup({
  session: { hook: async (name, run) => { registered[name] = run } },
  event: { subscribe: async function* () {
    yield { type: "session.execution.succeeded", data: { sessionID: "t" } }
  } },
})
const asked = { sessionID: "t", prompt: { text: "how?" } }
await registered.prompt(asked)
await registered.compaction({ sessionID: "t" })
await new Promise((resolve) => setTimeout(resolve, 300))
close()
const kept = [{ info: {}, parts }, { info: {}, parts: [{ type: "text", text: "else" }] }]
const messages = [...kept]
await hooks["experimental.chat.messages.transform"]({}, { messages })
console.log(JSON.stringify({ parts, task, asked, messages, other: messages[1] === kept[1] }))
"""
PROGRAM = """
import json, sys
payload = json.load(sys.stdin)
with open("seen", "a") as file:
    print(json.dumps([sys.argv[2], payload]), file=file)
print(json.dumps({"context": sys.argv[2] + " context"} if "stop" != sys.argv[2] else {}))
"""


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed here")
    return found


def test_the_opencode_plugin_hands_over_every_moment_and_what_comes_back(
    away: Path, node: str
) -> None:
    # Plain JavaScript, which is TypeScript too: so any node can run it.
    (away / "program.py").write_text(PROGRAM)
    (away / "engrain.mjs").write_text(make_plugin("opencode", [sys.executable, "program.py"]))
    (away / "trial.mjs").write_text(TRIAL)
    done = subprocess.run(
        [node, "trial.mjs"], cwd=away, capture_output=True, check=False, timeout=60
    )
    assert done.stderr.decode() == ""
    answer = json.loads(done.stdout)
    seen = [json.loads(line) for line in (away / "seen").read_text().splitlines()]
    first = [(event, payload) for event, payload in seen if payload["session_id"] == "s"]
    assert [event for event, _ in first] == [
        "subagent",
        "session-start",
        "prompt",
        "prompt",
        "pre-compact",
        "session-start",
        "prompt",
        "stop",
        "session-end",
    ]
    assert [payload.get("source") for event, payload in first if event == "session-start"] == [
        "startup",
        "compact",
    ]
    assert {payload["cwd"] for _, payload in first} == {"/project"}
    assert [part["text"] for part in answer["task"]] == ["look", "subagent context"]
    assert first[2][1]["prompt"] == 'why "so"?'
    own, *added = answer["parts"]
    assert own == {"type": "text", "text": r'"why \"so\"?"'}
    assert [part["text"] for part in added] == [
        "session-start context\n\nprompt context",
        "prompt context",
        "session-start context\n\nprompt context",
    ]
    assert all(part["synthetic"] and part["id"].startswith("prt") for part in added)
    # A title is made of the message as it is kept; what goes to the model has ours.
    assert [part["ignored"] for part in added] == [True, True, True]
    given = answer["messages"][0]["parts"][1:]
    assert given == [{**part, "ignored": False} for part in added]
    assert answer["other"]
    assert answer["asked"]["prompt"]["text"] == "how?\n\nsession-start context\n\nprompt context"
    second = sorted(event for event, payload in seen if payload["session_id"] == "t")
    assert second == ["pre-compact", "prompt", "session-start", "stop"]
    assert "child" not in {payload["session_id"] for _, payload in seen}


def test_the_opencode_plugin_adds_nothing_when_the_program_is_gone(away: Path, node: str) -> None:
    (away / "engrain.mjs").write_text(make_plugin("opencode", ["/gone/engrain"]))
    (away / "trial.mjs").write_text(TRIAL)
    done = subprocess.run(
        [node, "trial.mjs"], cwd=away, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert len(json.loads(done.stdout)["parts"]) == 1
