"""Ours in other people's hooks: added once, renewed in place, taken out alone."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.hosts import commands
from engrain.adapters.hosts.commands import hook_command
from engrain.adapters.hosts.parts import Hooks, HostEntry

EVENTS = {"SessionStart": "session-start", "Stop": "stop", "SessionEnd": "session-end"}
CLAUDE = Hooks("claude-code", EVENTS, form="exec")
GEMINI = Hooks("gemini", EVENTS, form="line", second=1000, comments=True)
CURSOR = Hooks("cursor", {"stop": "stop"}, form="flat", comments=True, required=("version", 1))
TIMEOUT = re.compile(r'"timeout": \d+')
SERVER = HostEntry(["mcpServers"], {"command": "/bin/engrain", "args": ["mcp"]}, comments=True)

OTHERS = {
    "hooks": {
        "Stop": [
            {"matcher": "", "hooks": [{"type": "command", "command": "say done"}]},
            {"hooks": []},
        ],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": "http://x"}]}],
        "Future": {"unknown": True},
    },
    "unknown": None,
}


def test_each_event_gets_our_command_with_a_timeout_but_for_the_end() -> None:
    hooks = json.loads(CLAUDE.add(""))["hooks"]
    command, *args = hook_command("stop", "claude-code")
    assert hooks["Stop"] == [
        {"hooks": [{"type": "command", "command": command, "args": args, "timeout": 10}]}
    ]
    assert "timeout" not in hooks["SessionEnd"][0]["hooks"][0]
    assert json.loads(GEMINI.add(""))["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 10_000


def test_hooks_have_a_name_and_an_end_of_their_own_where_the_host_takes_them() -> None:
    part = Hooks("gemini", EVENTS, form="line", second=1000, last=3, name="engrain")
    stop, end = (
        json.loads(part.add(""))["hooks"][name][0]["hooks"][0] for name in ("Stop", "SessionEnd")
    )
    assert (stop["name"], stop["timeout"], end["timeout"]) == ("engrain", 10_000, 3000)
    unnamed = GEMINI.add("")
    renewed = part.add(unnamed)
    assert json.loads(renewed)["hooks"]["Stop"][0]["hooks"][0] == {**stop, "timeout": 10_000}
    assert part.add(renewed) == renewed


def test_what_a_server_needs_by_now_is_added_and_what_a_person_chose_stays() -> None:
    part = HostEntry(
        ["mcpServers"], {"command": "e", "args": ["a"], "alwaysLoad": True}, comments=False
    )
    old = '{"mcpServers": {"engrain": {"command": "/old/e", "args": ["a"]}}}'
    assert json.loads(part.add(old)) == json.loads(part.add(""))
    chosen = '{"mcpServers": {"engrain": {"command": "e", "args": ["a"], "alwaysLoad": false}}}'
    assert part.add(chosen) == chosen


def test_a_matcher_is_written_and_taken_out_with_its_group() -> None:
    part = Hooks(
        "claude-code", {"PostToolUse": "tool"}, form="exec", matchers={"PostToolUse": {"Edit": ()}}
    )
    theirs = '{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"command": "x"}]}]}}'
    for text in ("{}", theirs):
        added = part.add(text)
        group = json.loads(added)["hooks"]["PostToolUse"][-1]
        assert (list(group), group["matcher"]) == (["matcher", "hooks"], "Edit")
        assert part.add(added) == added
        assert part.remove(added, text) == text


def test_a_hook_of_one_group_becomes_a_group_for_each_pattern_and_a_handler_for_each_rule() -> None:
    events = {"PostToolUse": "tool"}
    old = Hooks("claude-code", events, form="exec", matchers={"PostToolUse": {"Bash|Edit": ()}})
    rules = ("Bash(tail *)", "Bash(true)")
    matchers = {"PostToolUse": {"Edit": (), "Bash": rules}}
    part = Hooks("claude-code", events, form="exec", matchers=matchers)
    added = part.add(old.add("{}"))
    groups = json.loads(added)["hooks"]["PostToolUse"]
    assert [group["matcher"] for group in groups] == ["Edit", "Bash"]
    assert [[one.get("if") for one in group["hooks"]] for group in groups] == [[None], [*rules]]
    assert part.add(added) == added == part.add("{}")
    assert part.remove(added, "{}") == "{}"


def test_cursor_has_its_version_and_no_groups() -> None:
    document = json.loads(CURSOR.add(""))
    assert document["version"] == 1
    assert list(document["hooks"]["stop"][0]) == ["command", "timeout"]
    assert json.loads(CURSOR.remove(CURSOR.add(""), None)) == {}


@pytest.mark.parametrize("part", [CLAUDE, GEMINI, CURSOR, SERVER])
@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
def test_ours_is_added_once_and_taken_out_alone(
    part: Hooks | HostEntry, indent: int | str | None
) -> None:
    text = json.dumps(OTHERS, indent=indent)
    added = part.add(text)
    assert part.add(added) == added
    assert part.remove(added, text) == text


@pytest.mark.parametrize("base", ['{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"mcpServers": {}}'])
def test_what_was_there_empty_stays_and_what_we_made_goes(base: str) -> None:
    for part in (CLAUDE, SERVER):
        assert part.remove(part.add(base), base) == base


@pytest.mark.parametrize("part", [CLAUDE, GEMINI, CURSOR])
@pytest.mark.parametrize(
    "program",
    [
        ["/old place/engrain"],
        ["/old/python", "-m", "engrain"],
        ["/old/python", "-I", "-S", "/old/engrain/__main__.py"],
    ],
)
def test_another_installations_program_is_renewed_in_place_and_a_persons_timeout_kept(
    part: Hooks, program: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(OTHERS, indent=2)
    with monkeypatch.context() as then:
        then.setattr(commands, "hook_program", lambda _: program)
        old = TIMEOUT.sub('"timeout": 3', part.add(text))
    new = TIMEOUT.sub('"timeout": 3', part.add(text))
    assert old != new
    assert part.add(old) == new
    assert part.remove(old, text) == text


@pytest.mark.parametrize("part", [CLAUDE, GEMINI])
def test_a_hook_written_in_the_other_form_is_renewed_too(part: Hooks) -> None:
    host = "claude-code" if part is CLAUDE else "gemini"
    words = ["/old/engrain", "hook", "stop", "--host", host]
    line = {"command": " ".join(words)}
    split = {"command": words[0], "args": words[1:]}
    wanted = json.loads(part.add(""))["hooks"]["Stop"][0]["hooks"][0]
    for old in (line, split):
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", **old}]}]}})
        (group,) = json.loads(part.add(text))["hooks"]["Stop"]
        assert {**group["hooks"][0], "timeout": wanted["timeout"]} == wanted


def test_ours_in_a_group_of_others_goes_without_the_group() -> None:
    document = json.loads(CLAUDE.add(""))
    document["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "theirs"})
    left = json.loads(CLAUDE.remove(json.dumps(document), None))
    assert left == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}


def test_comments_survive_both_ways() -> None:
    text = '// mine\n{\n  "hooks": { // all of them\n    "Stop": [], // none\n  },\n}\n'
    added = GEMINI.add(text)
    assert [note in added for note in ("// mine", "// all of them", "// none")] == [True] * 3
    assert GEMINI.add(added) == added
    assert GEMINI.remove(added, text) == text


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 1}'])
def test_hooks_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (object|list)"):
        CLAUDE.add(text)


def test_a_server_that_a_person_reaches_by_its_address_is_theirs() -> None:
    text = '{"mcpServers": {"engrain": {"url": "http://127.0.0.1:9/mcp"}}}'
    assert SERVER.add(text) == text
    assert SERVER.remove(text, None) == text


def test_a_servers_environment_is_kept_when_its_program_is_renewed() -> None:
    text = '{"mcpServers": {"engrain": {"command": "/old/engrain", "env": {"A": "b"}}}}'
    entry = json.loads(SERVER.add(text))["mcpServers"]["engrain"]
    assert entry == {"command": "/bin/engrain", "env": {"A": "b"}, "args": ["mcp"]}


GAP = st.lists(st.sampled_from([" ", "\n", "\r\n", "\t", "// c\n", "/* d */"]), max_size=2).map(
    "".join
)
NOTES = re.compile(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', re.DOTALL)


@st.composite
def commented(draw: st.DrawFn, value: object) -> str:
    """A value as JSONC: with blanks and comments anywhere, and commas at the end."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key)}{draw(GAP)}:{draw(GAP)}{draw(commented(item))}"
            for key, item in value.items()
        ]
    else:
        items = [draw(commented(item)) for item in value]
    text = ""
    for number, item in enumerate(items, 1):
        comma = number < len(items) or draw(st.booleans())
        text += draw(GAP) + item + draw(GAP) + ("," if comma else "")
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + text + draw(GAP) + closing


def read_notes(text: str) -> list[str]:
    return [found.group(1) for found in NOTES.finditer(text) if found.group(1)]


@pytest.mark.parametrize("part", [GEMINI, CURSOR, SERVER])
@given(st.data())
def test_a_document_commented_anywhere_keeps_its_values_and_comments(
    part: Hooks | HostEntry, data: st.DataObject
) -> None:
    document = data.draw(
        st.fixed_dictionaries(
            {"other": st.sampled_from([1, "// no", {"a": ["b", {}]}, []])},
            optional={
                "hooks": st.sampled_from([{}, OTHERS["hooks"], {"stop": [{"command": "t"}]}]),
                "mcpServers": st.sampled_from([{}, {"theirs": {"command": "t"}}]),
            },
        )
    )
    text = data.draw(commented(document))
    added = part.add(text)
    assert part.add(added) == added
    assert read_notes(added) == read_notes(text)
    left = part.remove(added, text)
    assert part.read(left).read(left) == document
    assert read_notes(left) == read_notes(text)


def test_a_command_that_the_host_shows_is_short_and_an_older_one_is_renewed() -> None:
    events = {"PreCompact": "pre-compact"}
    old = Hooks("claude-code", events, form="exec")
    part = Hooks("claude-code", events, form="exec", shown=["PreCompact"])
    added = part.add(old.add("{}"))
    (group,) = json.loads(added)["hooks"]["PreCompact"]
    (handler,) = group["hooks"]
    words = [handler["command"], *handler["args"]]
    assert words[-4:] == ["hook", "pre-compact", "--host", "claude-code"]
    assert not any("import" in word for word in words)
    assert part.remove(added, "{}") == "{}"
