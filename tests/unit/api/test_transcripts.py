"""Learning from sessions: once they or a turn of them ended, where the operator agreed (S1.20)."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engrain import Memory
from engrain.language.text.fences import MARK_BYTES, close_fence, open_fence, write_mark
from engrain.lifecycle.sessions.sessions import END, LEFT_AFTER, STOP, mark_session, start_session
from engrain.resolution import sources as places
from engrain.seam.job_log import JobRun
from engrain.seam.rows import Filter, Row
from support.transcripts import ClaudeCode
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import isolate, store_of

TABS = "Always use tabs for indentation."
HOME = "I work at Harbor House."
GOAL = "Add POST /todos to the API, with validation"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("ENGRAIN_LEARN", "rules")
    folder(tmp_path).mkdir(parents=True)
    with make_memory(tmp_path, clock=clock) as memory:
        yield memory


def folder(tmp_path: Path) -> Path:
    return tmp_path / "claude" / "projects" / "-home-ada-shop"


def session(name: str = "s1", *said: str, goal: str = GOAL, port: int = 5432) -> ClaudeCode:
    """A session in which a check failed, was mended and passed, and then more was said."""
    lines = ClaudeCode(name)
    lines.request(goal)
    lines.run("npm test", f"Error: connect ECONNREFUSED 127.0.0.1:{port}", code=1)
    lines.run("docker compose up -d db", "started")
    lines.run("npm test", "12 passed")
    for text in said:
        lines.request(text)
    return lines


def leave(
    memory: Memory, tmp_path: Path, lines: ClaudeCode, *marks: str, path: Path | None = None
) -> Path:
    """A host's session, with its transcript and these marks."""
    if path is None:
        path = folder(tmp_path) / f"{lines.session}.jsonl"
        path.write_bytes(lines.raw)
    store = store_of(memory)
    now = store.clock.now()
    told = {"host": "claude-code", "transcript": str(path)}
    start_session(
        store.device.journal, lines.session, now, source="startup", project="shop", **told
    )
    for mark in marks:
        mark_session(store.device.journal, lines.session, now + 1, mark, **told)
    return path


def run_job(memory: Memory) -> JobRun:
    return memory.jobs.run(["sessions", "transcripts"])[1]


def counts(memory: Memory) -> dict[str, int]:
    """What the job did, less what it did not."""
    run = run_job(memory)
    assert run.outcome == "ok", run.error
    return {name: count for name, count in run.counts.items() if count}


def titles(memory: Memory, kind: str) -> list[str]:
    return sorted(row.title for row in rows(memory) if row.kind == kind)


def rows(memory: Memory) -> Sequence[Row]:
    """Every active entry, of whichever project."""
    return store_of(memory).index.find(Filter(statuses=("active",)))


def facts(memory: Memory, name: str) -> list[tuple[str, int]]:
    """What is known of somebody, and how often it was met."""
    entity = memory.facts.entity(name).entity
    return [(fact.content, fact.seen) for fact in entity.facts]


def day(tmp_path: Path) -> list[str]:
    """The lines of the days' notes."""
    notes = sorted((tmp_path / "vault").glob("Memory/daily/*.md"))
    texts = [line for note in notes for line in note.read_text().splitlines()]
    return [line for line in texts if line.startswith("- ")]


def vault_text(tmp_path: Path) -> str:
    found = [path for path in (tmp_path / "vault").rglob("*") if path.is_file()]
    return "\n".join(path.read_bytes().decode(errors="replace") for path in found)


def test_a_session_that_ended_is_learned_from_once(memory: Memory, tmp_path: Path) -> None:
    leave(memory, tmp_path, session("s1", TABS, HOME), STOP, END)
    assert memory.sessions.has_unlearned()
    assert counts(memory) == {
        "sessions": 1, "episodes": 1, "lessons": 1, "statements": 1, "facts": 1, "lines": 1
    }  # fmt: skip
    assert not memory.sessions.has_unlearned()
    assert counts(memory) == {}
    (row,) = [row for row in rows(memory) if row.kind == "episode"]
    document = memory.episodes.read(row.id)[1]
    assert (row.title, row.project, document["outcome"]) == (GOAL, "shop", "success")
    (error,) = document["errors_encountered"]
    assert "ECONNREFUSED" in error["message"]
    assert "docker compose up -d db" in error["resolution"]
    assert titles(memory, "preference") == [TABS.rstrip(".")]
    assert facts(memory, "operator") == [("The operator works at Harbor House.", 0)]
    (line,) = day(tmp_path)
    left = line.partition("[shop] claude-code: ")[2].split("; ")
    assert {one.rpartition("|")[2] for one in left} == {
        "Connect ECONNREFUSED 127.0.0.1:5432 in shop]]",
        "Always use tabs for indentation]]",
        "The operator works at Harbor House ([[operator]]) (session s1)",
    }
    assert memory.sessions.learned().counts == {
        **dict.fromkeys(("sessions", "episodes", "lessons", "statements", "facts", "lines"), 1),
        "problems": 0,
    }


def test_without_the_operators_word_no_transcript_is_read(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ENGRAIN_LEARN")
    with make_memory(tmp_path, clock=FakeClock()) as unasked:
        leave(unasked, tmp_path, session("s1", TABS, HOME), END)
        runs = {run.name: run for run in unasked.jobs.run()}
        assert not unasked.sessions.has_unlearned()
        assert not any(runs["transcripts"].counts.values())
        assert not rows(unasked)
        assert day(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "value", "left_out"),
    [
        ("ENGRAIN_TRANSCRIPTS_EPISODES", "off", "episodes"),
        ("ENGRAIN_TRANSCRIPTS_FACTS", "off", "facts"),
        ("ENGRAIN_TRANSCRIPTS_DAILY", "off", "lines"),
    ],
)
def test_each_part_is_switched_off_by_one_setting(
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    left_out: str,
) -> None:
    monkeypatch.setenv(name, value)
    with make_memory(tmp_path, clock=FakeClock()) as other:
        leave(other, tmp_path, session("s1", TABS, HOME), END)
        made = {"sessions", "episodes", "lessons", "statements", "facts", "lines"}
        lessons = {"lessons"} if left_out == "episodes" else set()
        assert set(counts(other)) == made - {left_out} - lessons


def test_sessions_that_failed_alike_become_a_mistake_in_the_same_round(
    memory: Memory, tmp_path: Path
) -> None:
    memory.jobs.run()
    leave(memory, tmp_path, session("s1"), END)
    leave(memory, tmp_path, session("s2", goal="Add DELETE /todos to it", port=5433), END)
    memory.jobs.request(["transcripts"])
    runs = {run.name: run for run in memory.jobs.run()}
    assert runs["transcripts"].counts["episodes"] == 2
    assert runs["consolidate"].counts["anti-patterns"] == 1
    assert "ECONNREFUSED" in titles(memory, "anti-pattern")[0]


def test_one_that_goes_on_is_brought_up_to_date_and_has_one_line(
    memory: Memory, tmp_path: Path, clock: FakeClock
) -> None:
    lines = session("s1", TABS)
    leave(memory, tmp_path, lines, END)
    counts(memory)
    clock.at += 60
    lines.request("Add PUT /todos").run("npm test", "13 passed").request(HOME)
    leave(memory, tmp_path, lines, END)
    assert counts(memory) == {"sessions": 1, "episodes": 1, "facts": 1}
    assert len(day(tmp_path)) == 1
    assert memory.sessions.learned().counts["sessions"] == 1


def test_an_open_one_is_learned_from_between_two_turns_and_gets_its_line_at_the_end(
    memory: Memory, tmp_path: Path
) -> None:
    lines = session("s1")
    path = leave(memory, tmp_path, lines)
    assert counts(memory) == {}  # its turn goes on
    store = store_of(memory)
    told = {"host": "claude-code", "transcript": str(path)}
    mark_session(store.device.journal, "s1", store.clock.now(), STOP, **told)
    assert counts(memory) == {"sessions": 1, "episodes": 1, "lessons": 1}
    assert day(tmp_path) == []
    mark_session(store.device.journal, "s1", store.clock.now() + 60, END, **told)
    assert counts(memory) == {"sessions": 1, "lines": 1}


def test_a_session_that_left_nothing_has_no_line(memory: Memory, tmp_path: Path) -> None:
    leave(memory, tmp_path, ClaudeCode("s1").request("what is 2 + 2?").said("4"), END)
    assert counts(memory) == {"sessions": 1}
    assert day(tmp_path) == []


def test_one_that_crashed_is_learned_from_when_it_was_quiet_for_long(
    memory: Memory, tmp_path: Path
) -> None:
    leave(memory, tmp_path, session("s1"))
    now = store_of(memory).clock.now()
    (journal,) = (tmp_path / "state").rglob("s1.jsonl")
    os.utime(journal, (now - LEFT_AFTER - 60, now - LEFT_AFTER - 60))
    assert counts(memory)["lines"] == 1


def test_a_line_that_somebody_removed_or_a_note_that_is_gone_does_not_come_back(
    memory: Memory, tmp_path: Path, clock: FakeClock
) -> None:
    lines = session("s1")
    leave(memory, tmp_path, lines, END)
    counts(memory)
    memory.forget(next(row.id for row in rows(memory) if row.kind == "daily"))
    clock.at += 60
    leave(memory, tmp_path, lines.request("Now go on with PUT."), END)
    assert counts(memory) == {"sessions": 1}
    assert titles(memory, "daily") == []


def test_what_it_makes_is_reported_by_the_digest_and_can_be_undone(
    memory: Memory, tmp_path: Path
) -> None:
    leave(memory, tmp_path, session("s1", TABS, HOME), END)
    counts(memory)
    learned = memory.review.digest().sections["learned"]
    assert {item.title for item in learned} >= {GOAL, TABS.rstrip("."), "operator"}
    for change in {item.change for item in learned}:
        memory.undo(change)
    assert not rows(memory)


def test_nothing_has_more_trust_than_what_it_was_drawn_from(memory: Memory, tmp_path: Path) -> None:
    leave(memory, tmp_path, session("s1", TABS, HOME), END)
    counts(memory)
    trust = {row.kind: row.source for row in rows(memory)}
    assert trust == {
        "episode": "tool",
        "fix": "tool",
        "preference": "agent",
        "entity": "agent",
        "daily": "agent",
    }


def test_no_secret_of_a_transcript_enters_the_vault(memory: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"
    lines = session("s1", f"Always log in with {secret} from now on.", goal=f"Log in by {secret}")
    lines.run(f"curl -H '{secret}' api", f"Error: 401 for {secret}", code=1)
    leave(memory, tmp_path, lines, END)
    assert counts(memory)["episodes"] >= 1
    assert secret not in vault_text(tmp_path)


@pytest.mark.parametrize("escape", [str, html.escape])
def test_what_we_put_into_a_session_is_not_learned_from_it(
    memory: Memory, tmp_path: Path, escape: type[str]
) -> None:
    mark = write_mark(b"\x0f" * MARK_BYTES)
    block = f"{open_fence(mark)}\nNever deploy on Fridays. I live in Oslo.\n{close_fence(mark)}\n"
    leave(memory, tmp_path, session("s1", goal=f"{escape(block)}{GOAL}"), END)
    assert counts(memory) == {"sessions": 1, "episodes": 1, "lessons": 1, "lines": 1}
    assert "Fridays" not in vault_text(tmp_path)
    assert "Oslo" not in vault_text(tmp_path)


def test_only_what_a_host_keeps_among_its_transcripts_is_read(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "claude" / "elsewhere.jsonl"
    elsewhere.write_bytes(session("s1").raw)
    link = folder(tmp_path) / "link.jsonl"
    link.symlink_to(elsewhere)
    other = folder(tmp_path) / "notes.md"
    other.write_bytes(session("s1").raw)
    inside = tmp_path / "vault" / "Memory" / "s9.jsonl"
    inside.parent.mkdir(parents=True, exist_ok=True)
    inside.write_bytes(session("s9").raw)
    climbing = folder(tmp_path) / ".." / ".." / "elsewhere.jsonl"
    for number, path in enumerate([elsewhere, link, other, inside, climbing, Path("/etc/passwd")]):
        leave(memory, tmp_path, session(f"x{number}"), END, path=path)
    assert counts(memory) == {"sessions": 6, "problems": 6}
    assert titles(memory, "episode") == []
    monkeypatch.setattr(places, "_MOST_BYTES", 100)
    leave(memory, tmp_path, session("large"), END)
    run = run_job(memory)
    assert run.counts["problems"] == 1
    assert "is over 0 MiB" in run.lines[0]


def test_a_host_whose_transcripts_nobody_reads_is_reported_once(
    memory: Memory, tmp_path: Path
) -> None:
    store = store_of(memory)
    now = store.clock.now()
    mark_session(store.device.journal, "c1", now, END, host="cursor", transcript="/tmp/chat.jsonl")
    run = run_job(memory)
    assert [line for line in run.lines if "no transcripts of cursor are read" in line]
    assert counts(memory) == {}


def test_a_transcript_that_is_gone_or_none_is_reported_once_and_stops_no_other(
    memory: Memory, tmp_path: Path
) -> None:
    leave(memory, tmp_path, session("gone"), END, path=folder(tmp_path) / "gone.jsonl")
    broken = folder(tmp_path) / "broken.jsonl"
    broken.write_bytes(b"\0\1\2 no transcript")
    leave(memory, tmp_path, session("broken"), END, path=broken)
    leave(memory, tmp_path, session("good"), END)
    run = run_job(memory)
    assert (run.counts["episodes"], run.counts["problems"]) == (1, 2)
    assert [line for line in run.lines if "gone.jsonl is not there" in line]
    assert counts(memory) == {}


def test_a_dry_run_reads_and_settles_nothing(memory: Memory, tmp_path: Path) -> None:
    leave(memory, tmp_path, session("s1"), END)
    memory.jobs.run(["sessions"])
    told = memory.jobs.run(["transcripts"], dry_run=True)[0]
    assert (told.counts["sessions"], told.lines) == (1, ("learn from session s1",))
    assert titles(memory, "episode") == []
    assert counts(memory)["episodes"] == 1


def test_a_session_and_a_source_that_holds_it_say_the_same_once(
    memory: Memory, tmp_path: Path
) -> None:
    memory.sources.add_host("claude-code")
    leave(memory, tmp_path, session("s1", TABS, HOME), END)
    memory.jobs.run(["transcripts", "extract", "reflect"])
    assert facts(memory, "operator") == [("The operator works at Harbor House.", 0)]
    assert titles(memory, "preference") == [TABS.rstrip(".")]


def test_the_lines_of_sessions_are_no_source_of_facts(memory: Memory, tmp_path: Path) -> None:
    leave(memory, tmp_path, session("s1", goal="Bob Stone moved to Lisbon last month."), END)
    assert counts(memory)["facts"] == 1
    memory.jobs.run(["extract"])
    assert [seen for _, seen in facts(memory, "bob-stone")] == [0]


def test_the_operators_own_call_reflects_on_sessions_without_agreement(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_LEARN", "no")
    with make_memory(tmp_path, clock=FakeClock()) as other:
        leave(other, tmp_path, session("s1", TABS), END)
        leave(other, tmp_path, session("gone"), END, path=folder(tmp_path) / "gone.jsonl")
        done, read_counts = other.sessions.reflect()
        assert [one.outcome for one in done.routed if one.news] == ["created"]
        assert [problem.source for problem in read_counts.problems] == ["session gone"]
        done, read_counts = other.sessions.reflect()
        assert (done.routed, read_counts.problems) == ([], [])


def test_the_job_reflect_reads_the_sources(memory: Memory, tmp_path: Path) -> None:
    memory.sources.add_host("claude-code")
    (folder(tmp_path) / "s1.jsonl").write_bytes(session("s1", TABS).raw)
    assert memory.jobs.run(["reflect"])[0].counts["created"] == 1
    assert memory.jobs.run(["reflect"])[0].counts["sessions"] == 0


def test_what_a_sessions_sub_agents_did_belongs_to_it(memory: Memory, tmp_path: Path) -> None:
    below = ClaudeCode("s1", agent="a1").request("Look").run("make check", "Error: no", 1)
    (folder(tmp_path) / "s1/subagents").mkdir(parents=True)
    (folder(tmp_path) / "s1/subagents/agent-a1.jsonl").write_bytes(below.raw)
    leave(memory, tmp_path, session("s1"), END)
    assert counts(memory)["episodes"] == 1
    (row,) = (row for row in rows(memory) if row.kind == "episode")
    assert "make check" in memory.show(row.id).entry.text
