"""Plain statements about work are read: who does what, and what was promised by when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain.language.lexicons import read_lines
from engrain.learn.extraction.rules import find_facts
from engrain.learn.extraction.work import find_promises, read_work
from engrain.model.facts.fact import AGENT, OPERATOR, FactDraft, Turn
from support.vaults import FakeClock, make_memory

SAID = 1_795_950_000.0  # Sunday, 29 November 2026


def read(text: str, role: str = OPERATOR) -> list[FactDraft]:
    return find_facts([Turn("", role, text, SAID)])


@pytest.mark.parametrize("example", [row[0] for row in read_lines("extraction", "work").values()])
def test_every_row_reads_its_example(example: str) -> None:
    assert list(read_work(example, SAID))


@pytest.mark.parametrize(
    ("said", "entity", "edge"),
    [
        (
            "Priya leads the payments team since October, by the way.",
            "Payments team",
            "owner Priya",
        ),
        ("Anna took over the payments team from Priya.", "Payments team", "owner Anna"),
        ("Kim is responsible for the on-call rota.", "On-call rota", "owner Kim"),
        ("Tom is the new CFO of Acme.", "Acme", "cfo Tom"),
        ("Lena was hired by Globex.", "Lena", "works_at Globex"),
        ("Dana now works at Nordwind as head of logistics.", "Dana", "works_at Nordwind"),
        ("Sam joined the platform team.", "Sam", "member_of platform team"),
        ("Our CTO is Jonas Weber.", "Jonas Weber", "job_title CTO"),
    ],
)
def test_who_does_what_is_a_fact(said: str, entity: str, edge: str) -> None:
    [draft] = read(said)
    assert (draft.entity, " ".join(draft.edge or ())) == (entity, edge)


@pytest.mark.parametrize(
    "said",
    [
        "Who leads the payments team?",
        "It runs the linter team script.",
        "Nobody owns the parser.",
        'The page says "Kim maintains the parser".',
        "CI runs the tests.",
        "If Anna took over the payments team, ask her.",
    ],
)
def test_what_nobody_states_is_none(said: str) -> None:
    assert not read(said)


def test_what_the_agent_says_is_none() -> None:
    assert not read("Priya leads the payments team.", AGENT)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("We promised Nordwind the CSV export by 18 December.", "2026-12-18"),
        ("I promised Ben to send the report by Friday.", "2026-12-04"),
        ("We have to deliver the audit to Acme by 1 March.", "2027-03-01"),
    ],
)
def test_a_promise_with_a_day_is_a_commitment(tmp_path: Path, said: str, due: str) -> None:
    [promise] = find_promises(Turn("", OPERATOR, said, SAID))
    assert promise.due == due
    memory = make_memory(tmp_path, clock=FakeClock(SAID))
    talk = tmp_path / "talk.jsonl"
    line = '{"role": "user", "content": "%s", "timestamp": "2026-11-29T11:00:00Z"}\n'
    talk.write_text(line % said)
    for _ in range(2):
        memory.facts.extract([str(talk)])
    assert [str(one.entry.fields["due"]) for one in memory.work.commitments()] == [due]


@pytest.mark.parametrize(
    "said", ["We promised it.", "Did we promise it by Friday?", "See you by 5"]
)
def test_a_promise_without_a_day_and_a_question_are_none(said: str) -> None:
    assert not list(find_promises(Turn("", OPERATOR, said, SAID)))


def test_a_promise_in_a_session_belongs_to_the_project_of_that(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    line = {
        "type": "user",
        "sessionId": "s1",
        "uuid": "u1",
        "cwd": str(folder),
        "timestamp": "2026-11-29T11:00:00Z",
        "message": {"role": "user", "content": "We promised Nordwind the export by 18 December."},
    }
    talk = tmp_path / "session.jsonl"
    talk.write_text(json.dumps(line) + "\n")
    memory = make_memory(tmp_path, clock=FakeClock(SAID))
    memory.facts.extract([str(talk)])
    assert [one.entry.project for one in memory.work.commitments(all_projects=True)] == ["shop"]
