"""The episodes of a transcript in the vault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.listing import Listing
from engrain.learn.experience.filing import TranscriptRead
from engrain.learn.transcripts.hosts import open_transcript
from engrain.model.errors import MalformedError
from support.real_data import DATA, needs
from support.transcripts import FAILING_TEST, PASSING_TEST, ClaudeCode, Codex, fix_the_port
from support.vaults import make_memory
from unit.learn.transcripts.reading import find, find_one

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with make_memory(tmp_path) as made:
        yield made


def take(memory: Memory, raw: bytes, project: str | None = None) -> TranscriptRead:
    return memory.exchange.import_transcript(
        raw.splitlines(keepends=True), "a-file", project=project
    )


def listed(memory: Memory, kind: str = "episode") -> Listing:
    return memory.list(scope=Scope(kinds=[kind], all_projects=True), limit=100)


def test_episodes_are_filed_by_day_with_a_tools_trust(memory: Memory, tmp_path: Path) -> None:
    read = take(memory, fix_the_port(ClaudeCode()))
    assert (read.host, read.outcomes) == ("claude-code", {"created": 1})
    (file,) = (tmp_path / "vault/Memory/episodic/2026-08-29").glob("ep-*.json")
    document = json.loads(file.read_text())
    own = document["engrain"]
    assert own["source"]["kind"] == "transcript"
    assert own["source"]["ref"] == "0ccf1a04"
    assert own["source"]["trust"] == "tool"
    assert own["metrics"]["calls"] == 4
    shown = memory.show(document["id"])
    assert (shown.origin, shown.entry.kind) == ("tool", "episode")
    assert "success" in shown.entry.tags


def test_what_is_less_trusted_than_a_tool_stays_so(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external") as memory:
        take(memory, fix_the_port(ClaudeCode()))
        (row,) = listed(memory).rows
        assert memory.show(row.id).origin == "external"


def test_taking_the_same_in_again_changes_nothing(memory: Memory) -> None:
    raw = fix_the_port(Codex())
    take(memory, raw)
    before = len(list(memory.history()))
    assert take(memory, raw).outcomes == {"unchanged": 1}
    assert len(list(memory.history())) == before


def test_a_transcript_that_has_gone_on_brings_its_last_episode_up_to_date(memory: Memory) -> None:
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    take(memory, session.raw)
    session.edit("a.py", "a", "b").run("pytest", PASSING_TEST)
    session.request("Write a changelog").run("git commit -m x", "[main 1234567] x")
    assert take(memory, session.raw).outcomes == {"updated": 1, "created": 1}
    rows = listed(memory).rows
    found = {row.title: memory.show(row.id).entry for row in rows}
    assert sorted(found) == ["Test it", "Write a changelog"]
    assert found["Test it"].tags == ("success",)
    metrics = found["Test it"].fields["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["calls"] == 3
    changes = memory.history(found["Test it"].id)
    assert [(change.op, change.trust) for change in changes] == [
        ("import", "tool"),
        ("save", "tool"),
    ]


def test_a_part_of_a_transcript_does_not_cut_what_is_there(memory: Memory) -> None:
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    part = session.raw
    session.edit("a.py", "a", "b").run("pytest", PASSING_TEST)
    take(memory, session.raw)
    assert take(memory, part).outcomes == {"unchanged": 1}
    without_result = b"".join(session.lines[:-1])
    assert take(memory, without_result).outcomes == {"unchanged": 1}


def test_what_was_forgotten_stays_forgotten(memory: Memory) -> None:
    raw = fix_the_port(ClaudeCode())
    take(memory, raw)
    (row,) = listed(memory).rows
    memory.forget(row.id)
    assert take(memory, raw).outcomes == {"forgotten": 1}
    assert listed(memory).total == 0


def test_what_was_erased_stays_erased(memory: Memory) -> None:
    raw = fix_the_port(ClaudeCode())
    take(memory, raw)
    (row,) = listed(memory).rows
    memory.erase(memory.plan_erasure([row.id]))
    assert take(memory, raw).outcomes == {"erased": 1}


def test_secrets_in_a_session_do_not_come_into_the_vault(memory: Memory, tmp_path: Path) -> None:
    session = ClaudeCode().request(f"Use the token {TOKEN}").run(f"curl -H {TOKEN} x", "no", 1)
    session.said(f"The token {TOKEN} is wrong.").run(f"curl -H {TOKEN} x", "yes")
    take(memory, session.raw)
    assert take(memory, session.raw).outcomes == {"unchanged": 1}
    for file in (tmp_path / "vault").rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes()


def test_the_project_is_that_of_the_sessions_folder(memory: Memory) -> None:
    asked = []

    def find_project(folder: str) -> str | None:
        asked.append(folder)
        return "shop"

    session = ClaudeCode().request("Test it").run("ls", "a").request("Again").run("ls", "a")
    lines = session.raw.splitlines(keepends=True)
    memory.exchange.import_transcript(lines, "a", find_project=find_project)
    rows = listed(memory).rows
    assert {row.project for row in rows} == {"shop"}
    assert asked == ["/home/ada/shop"]


def test_a_project_that_is_named_holds(memory: Memory) -> None:
    lines = fix_the_port(ClaudeCode()).splitlines(keepends=True)
    memory.exchange.import_transcript(lines, "a", project="mine", find_project=lambda _: "shop")
    (row,) = listed(memory).rows
    assert row.project == "mine"


def test_a_file_that_is_no_transcript_is_refused(memory: Memory) -> None:
    with pytest.raises(MalformedError, match="not a transcript of a known host"):
        take(memory, b"a note\n")


def test_two_transcripts_with_the_same_failure_and_fix_are_one_lesson(memory: Memory) -> None:
    take(memory, fix_the_port(ClaudeCode(), "Add the port to the url"))
    take(memory, fix_the_port(Codex(), "The shop's url lacks its port"))
    ids = {row.id for row in listed(memory).rows}
    memory.episodes.consolidate(since=0.0)
    (row,) = listed(memory, "anti-pattern").rows
    (lesson,) = listed(memory, "learning").rows
    for found in (row, lesson):
        sources = memory.show(found.id).entry.fields["derived_from"]
        assert isinstance(sources, list)
        assert ids <= set(map(str, sources))


@needs("transcripts/claude-code")
def test_all_real_transcripts_are_taken_in_and_again_change_nothing(memory: Memory) -> None:
    files = sorted((DATA / "transcripts/claude-code").rglob("*.jsonl"))
    assert len(files) >= 13
    for outcome in ("created", "unchanged"):
        counts = {
            file.name: take(memory, file.read_bytes(), project="shop").outcomes for file in files
        }
        assert sum(sum(count.values()) for count in counts.values()) == 14
        assert {name for count in counts.values() for name in count} == {outcome}
    commits = [
        json.loads(memory.show(row.id).entry.note.raw)["git_commit"] for row in listed(memory).rows
    ]
    assert "f0bf20a" in commits


@pytest.mark.parametrize(("session", "host"), [(ClaudeCode(), "claude-code"), (Codex(), "codex")])
def test_the_host_is_told_by_a_line_whatever_stands_before_it(
    session: ClaudeCode | Codex, host: str
) -> None:
    raw = b"// by hand\n" + session.request("Look").raw
    found, lines = open_transcript(raw.splitlines(keepends=True))
    assert found.name == host
    assert b"".join(line or b"" for line in lines) == raw


@pytest.mark.parametrize("raw", [b"", b"a note\n", b'[1]\n{"a": 1}\n', b"\x00\xff\n" * 100])
def test_any_other_file_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError):
        open_transcript(raw.splitlines(keepends=True))


def begun() -> ClaudeCode:
    return ClaudeCode().request("Do it")


def pending() -> ClaudeCode:
    session = begun()
    session.begin("Bash", command="pytest")
    return session


OUTCOMES = {
    "the last test passed": ("success", begun().run("pytest", PASSING_TEST)),
    "the last test failed": ("failure", begun().edit("a.py", "a", "b").run("pytest", "x", 1)),
    "a failed command after it does not matter": (
        "success",
        begun().run("pytest", PASSING_TEST).run("rm a", "rm: cannot remove 'a'", 1),
    ),
    "it was committed all the same": (
        "partial",
        begun().run("pytest", FAILING_TEST, 1).run("git commit -m x", "[main 1234567] x"),
    ),
    "the last command went well": ("success", begun().run("./deploy", "done")),
    "the last command failed": ("failure", begun().run("./deploy", "no", 1)),
    "another command was not mended": (
        "partial",
        begun().run("./migrate", "no", 1).run("./deploy", "done"),
    ),
    "a file was changed": ("success", begun().edit("a.py", "a", "b")),
    "the change failed": ("failure", begun().call("Edit", "no", failed=True, file_path="a")),
    "nothing was run or changed": ("unknown", begun().call("Read", "x", file_path="a")),
    "a result is still to come": ("unknown", pending()),
    "the user stopped it": ("interrupted", begun().run("pytest", PASSING_TEST).interrupt()),
    "the service failed": (
        "interrupted",
        begun().run("pytest", PASSING_TEST).said("API Error: 500", isApiErrorMessage=True),
    ),
    "the service failed, and it went on": (
        "success",
        begun().said("API Error: 500", isApiErrorMessage=True).run("pytest", PASSING_TEST),
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_the_outcome_is_reported_by_the_rule(case: str) -> None:
    outcome, session = OUTCOMES[case]
    assert find_one(session.raw)["outcome"] == outcome


def test_a_call_that_the_user_refused_is_no_error() -> None:
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    session = begun().call("Bash", said, failed=True, command="rm -rf /").interrupt()
    document = find_one(session.raw)
    assert document["action_log"][0]["result"] == "refused"
    assert document["errors_encountered"] == []
    assert document["outcome"] == "interrupted"


def test_a_command_in_the_background_has_no_result_yet() -> None:
    text = "Command running in background with ID: b5798f9. Output is being written to: /tmp/x"
    assert (
        "result" not in find_one(begun().call("Bash", text, command="serve").raw)["action_log"][0]
    )


def test_of_a_very_long_task_the_ends_are_kept_and_the_rest_is_counted() -> None:
    session = begun()
    for n in range(3000):
        session.call("Read", "x", file_path=f"{n}.py")
    (found,) = find(session.raw)
    log = found.document()["action_log"]
    assert log[0]["target"] == "0.py"
    assert log[-1]["target"] == "2999.py"
    assert len(log) + found.beside()["omitted"]["actions"] == 3000
    assert found.beside()["metrics"]["calls"] == 3000


def test_an_id_is_the_same_at_every_reading_and_another_for_each_request() -> None:
    session = begun().run("ls", "a")
    (first,) = find(session.raw)
    session.request("Write a new test").run("ls", "a")
    again = [found.document()["id"] for found in find(session.raw)]
    assert again[0] == first.document()["id"]
    assert again[1] != again[0]
    assert again[0].startswith("ep-2026-08-29-")


def test_two_sessions_with_the_same_request_are_two_episodes() -> None:
    ids = {
        find_one(ClaudeCode(name).request("Do it").run("ls", "a").raw)["id"] for name in ("a", "b")
    }
    assert len(ids) == 2


def test_a_goal_is_cut_and_of_one_line() -> None:
    goal = find_one(ClaudeCode().request("many words\n" * 5000).run("ls", "a").raw)["context"][
        "goal"
    ]
    assert 590 < len(goal) <= 600
    assert "\n" not in goal


def test_clocks_that_go_back_make_no_negative_times() -> None:
    session = begun()
    session.at -= 1000
    document = find_one(session.run("ls", "a").raw)
    assert document["duration_seconds"] == 0
    assert document["action_log"][0]["t"] == 0


def test_a_result_of_no_call_and_a_call_before_any_request_are_nothing() -> None:
    session = ClaudeCode().call("Read", "x", file_path="a").request("Do it").end("toolu_x", "?")
    assert [task.calls for task in find(session.raw)] == [0]
