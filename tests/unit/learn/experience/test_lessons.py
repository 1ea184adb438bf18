"""The one lesson of a task that rules are certain of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.learn.experience.lessons import find_lesson
from support.transcripts import PASSING_TEST, ClaudeCode
from support.vaults import make_memory
from unit.learn.transcripts.reading import find

UVX = "(eval):1: command not found: uvx"
MODULE = "Error: Cannot find module ./pier\nRequire stack: src/ferry.ts"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with make_memory(tmp_path) as made:
        yield made


def asked(text: str = "Fix the failing ferry test.") -> ClaudeCode:
    return ClaudeCode().request(text)


def renamed() -> ClaudeCode:
    session = asked().run("make test-ferry", MODULE, 2)
    return session.edit("src/ferry.ts", "./pier", "./quay").run("make test-ferry", "1 passed")


def take(memory: Memory, session: ClaudeCode, project: str = "ferry") -> int:
    lines = session.raw.splitlines(keepends=True)
    return len(memory.exchange.import_transcript(lines, "a", project=project).lessons)


def filed(memory: Memory, *statuses: str) -> list[str]:
    scope = Scope(kinds=["fix"], all_projects=True, statuses=list(statuses))
    return [row.title for row in memory.list(scope=scope).rows]


LESSONS = {
    "another way to call it": asked().run("uvx ruff", UVX, 127).run("~/.local/bin/uvx ruff", "ok"),
    "something before it": asked()
    .run("pytest", "zsh: command not found: pytest", 127)
    .run("source .venv/bin/activate && pytest", PASSING_TEST),
    "a service that was started": asked()
    .run("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432", 1)
    .run("docker compose up -d db", "started")
    .run("npm test", "12 passed"),
    "a package that was missing": asked()
    .run("python a.py", "ModuleNotFoundError: No module named 'requests'", 1)
    .run("pip install requests", "ok")
    .run("python a.py", "ok"),
    "an edit": renamed(),
    "an edit of the configuration": asked()
    .run("ruff check .", "ruff failed\n  Cause: Failed to parse pyproject.toml", 2)
    .edit("pyproject.toml", "a = {", "a = {}")
    .run("ruff check .", "All checks passed!"),
}


@pytest.mark.parametrize("case", LESSONS)
def test_a_command_that_failed_and_passed_later_is_a_lesson(case: str) -> None:
    (task,) = find(LESSONS[case].raw)
    assert find_lesson(task)


NOTHING = {
    "a test that was to fail first": asked("Add a port to the url of the shop")
    .edit("test_url.py", "", "assert url().port == 80")
    .run("pytest", "E       AttributeError: 'str' object has no attribute 'port'", 1)
    .edit("url.py", "return url", "return Url(url)")
    .run("pytest", PASSING_TEST),
    "an assertion": asked()
    .run("pytest", "E       AssertionError: assert 1 == 2", 1)
    .edit("a.py", "1", "2")
    .run("pytest", PASSING_TEST),
    "the task's own mistake": asked("Add a client for the port")
    .edit("a.py", "x", "y")
    .run("python a.py", "NameError: name 'y' is not defined", 1)
    .edit("a.py", "y", "z")
    .run("python a.py", "ok"),
    "a typing error": asked()
    .run("git stauts", "git: 'stauts' is not a git command", 1)
    .run("git status"),
    "an option that there is not": asked()
    .run("uv venv --path x", "error: unexpected argument '--path' found", 2)
    .run("uv venv x", "ok"),
    "a search that found nothing": asked()
    .run("grep -r pier src", "", 1)
    .run("grep -r quay src", "a"),
    "a file that was looked for": asked()
    .run("cat a.md", "cat: a.md: No such file or directory", 1)
    .run("cat b.md", "b"),
    "a formatter": asked()
    .run(
        "git commit -m x", "ruff.....Failed\n- hook id: ruff\n- files were modified by this hook", 1
    )
    .run("git add .", "")
    .run("git commit -m x", "[main 1234567] x"),
    "nothing in between": asked().run("npm test", MODULE, 1).run("npm test", "12 passed"),
    "what works in another folder": asked()
    .run("cd /a && python -m pytest", "command not found: python", 127)
    .run("cd /b && source .venv/bin/activate && python -m pytest", PASSING_TEST),
    "its help": asked().run("uv venv -p .x", UVX, 127).run("export A=1 && uv venv --help", "Usage"),
    "what was taken back": renamed().request("No, revert that").run("git revert HEAD", "done"),
    "many edits": asked()
    .run("make test-ferry", MODULE, 2)
    .edit("a.ts", "a", "b")
    .edit("b.ts", "a", "b")
    .edit("c.ts", "a", "b")
    .run("make test-ferry", "1 passed"),
    "what the agent saved itself": renamed().call("mcp__engrain__memory_save", "saved", title="x"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_what_teaches_nothing_is_no_lesson(case: str) -> None:
    assert [find_lesson(task) for task in find(NOTHING[case].raw)] in ([None], [None, None])


def test_a_lesson_says_where_what_solved_it_and_shows_its_evidence(memory: Memory) -> None:
    assert take(memory, renamed()) == 1
    assert filed(memory, "inbox") == ["Cannot find module ./pier in ferry"]
    (row,) = memory.list(scope=Scope(kinds=["fix"], statuses=["inbox"], all_projects=True)).rows
    entry = memory.show(row.id).entry
    assert entry.text.strip() == (
        "`make test-ferry` failed in ferry:\n\n> Error: Cannot find module ./pier\n\n"
        "What solved it: edit of `src/ferry.ts`: `./pier → ./quay`; then `make test-ferry` passed."
        "\n\nEvidence: session 0ccf1a04, line 3, solved by line 7."
    )
    assert (row.project, entry.confidence) == ("ferry", 0.7)
    (episode,) = memory.list(scope=Scope(kinds=["episode"], all_projects=True)).rows
    assert entry.derived_from == (episode.id,)


def test_what_is_sure_is_active_and_filed_once(memory: Memory) -> None:
    session = LESSONS["something before it"]
    assert (take(memory, session), take(memory, session)) == (1, 0)
    assert filed(memory, "active") == ["Command not found: pytest in ferry"]
    again = ClaudeCode("another", at=1_789_000_000.0).request("Run the tests")
    again.run("pytest", "zsh: command not found: pytest", 127)
    assert take(memory, again.run("source .venv/bin/activate && pytest", PASSING_TEST)) == 0


def test_a_lesson_that_was_thrown_away_is_not_filed_again(memory: Memory) -> None:
    session = asked().run("pytest", "zsh: command not found: pytest", 127)
    session.run("source .venv/bin/activate && pytest", PASSING_TEST)
    take(memory, session)
    (row,) = memory.list(scope=Scope(kinds=["fix"], all_projects=True)).rows
    memory.forget(row.id)
    session.request("Write a page").run("ls", "a")
    assert take(memory, session) == 0
    assert filed(memory, "active", "inbox") == []


def test_a_lesson_that_waits_and_is_met_in_other_sessions_is_counted(memory: Memory) -> None:
    take(memory, renamed())
    for number in range(2):
        session = ClaudeCode(f"s{number}", at=1_789_000_000.0 + number).request("Fix the ferry")
        session.run("make test-ferry", MODULE, 2).edit("src/ferry.ts", "./pier", "./quay")
        assert take(memory, session.run("make test-ferry", "1 passed")) == 0
    (row,) = memory.list(scope=Scope(kinds=["fix"], statuses=["inbox"], all_projects=True)).rows
    assert memory.show(row.id).entry.fields["seen"] == 3


def test_review_offers_what_is_not_sure(memory: Memory) -> None:
    take(memory, renamed())
    memory.jobs.run(["triage"])
    (proposal,) = memory.review.list()
    assert (proposal.action, proposal.reason) == ("file", "what a task taught")
    memory.review.accept(proposal.id)
    assert filed(memory, "active") == ["Cannot find module ./pier in ferry"]


def test_secrets_do_not_come_into_a_lesson(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    session = asked().run(f"GH_TOKEN={token} gh repo list", "gh: command not found: gh", 127)
    assert take(memory, session.run(f"source x && GH_TOKEN={token} gh repo list", "ok")) == 1
    for file in (tmp_path / "vault").rglob("*.md"):
        assert token not in file.read_text()


def test_the_copy_of_a_session_is_not_met_once_more(memory: Memory) -> None:
    take(memory, renamed())
    session = renamed()
    session.lines = [
        line.replace(b'"sessionId": "0ccf1a04"', b'"sessionId": "1111"') for line in session.lines
    ]
    assert take(memory, session) == 0
    (row,) = memory.list(scope=Scope(kinds=["fix"], statuses=["inbox"], all_projects=True)).rows
    assert "seen" not in memory.show(row.id).entry.fields


def test_a_lesson_that_was_undone_does_not_come_back(memory: Memory) -> None:
    session = asked().run("pytest", "zsh: command not found: pytest", 127)
    session.run("source .venv/bin/activate && pytest", PASSING_TEST)
    assert take(memory, session) == 1
    memory.undo()
    assert filed(memory, "active", "inbox") == []
    assert take(memory, session) == 0
    assert filed(memory, "active", "inbox") == []


def test_a_lesson_that_was_erased_does_not_come_back(memory: Memory) -> None:
    session = asked().run("pytest", "zsh: command not found: pytest", 127)
    session.run("source .venv/bin/activate && pytest", PASSING_TEST)
    take(memory, session)
    (row,) = memory.list(scope=Scope(kinds=["fix"], all_projects=True)).rows
    memory.erase(memory.plan_erasure([row.id]))
    assert take(memory, session) == 0
    assert filed(memory, "active", "inbox") == []
