"""Extraction from files into a real vault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from bench.facts import write_chats

from engrain import Memory
from engrain.learn.extraction.run import Extracted
from engrain.lifecycle.jobs.runner import wait_for_claim
from engrain.model.errors import LockedError, NotFoundError
from support.conversations import make_locomo
from support.transcripts import ClaudeCode
from support.vaults import make_memory

MEETING = "Alice works at Acme.\n\nWe decided that Project Apollo uses Postgres.\n"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "config/config.toml"))
    with make_memory(tmp_path) as made:
        yield made


def extract(memory: Memory, *paths: Path, **options: object) -> Extracted:
    done, _ = memory.facts.extract([str(path) for path in paths], **options)  # type: ignore[arg-type]
    return done


def talk(tmp_path: Path, *said: tuple[str, str], name: str = "talk.json") -> Path:
    path = tmp_path / name
    messages = [
        {"speaker": speaker, "text": text, "timestamp": f"2026-01-{4 * number:02}T10:00:00Z"}
        for number, (speaker, text) in enumerate(said, 1)
    ]
    path.write_text(json.dumps(messages))
    return path


def contents(memory: Memory, entity: str) -> list[str]:
    return [fact.content for fact in memory.facts.entity(entity).entity.facts]


def test_the_second_run_over_the_same_adds_and_changes_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "talks.json").write_bytes(make_locomo())
    path = write_chats(tmp_path / "talks.json", tmp_path)
    first = extract(memory, path)
    assert first.outcomes["created"] == sum(first.outcomes.values()) == len(first.drawn) >= 1
    assert len(first.conversations) == 4
    before = [change.op for change in memory.history(limit=100)]
    again = extract(memory, path)
    assert dict(again.outcomes) == {"unchanged": len(first.drawn)}
    assert [change.op for change in memory.history(limit=100)] == before


def test_a_fact_says_where_it_is_from_and_has_the_trust_of_its_source(
    memory: Memory, tmp_path: Path
) -> None:
    path = talk(tmp_path, ("Iris", "I moved to Berlin last month."))
    extract(memory, path)
    (fact,) = memory.facts.entity("Iris").entity.facts
    assert fact.source == "conversation"
    assert fact.source_ref is not None and "talk" in fact.source_ref
    assert fact.created_at == "2026-01-04T10:00:00Z"
    assert fact.valid_from == "2025-12-01T00:00:00Z"
    assert fact.trust == "external"
    assert fact.edge is not None and fact.edge.predicate == "lives_in"


def test_the_operator_may_say_whose_words_a_file_has(memory: Memory, tmp_path: Path) -> None:
    path = talk(tmp_path, ("Iris", "I live in Berlin."))
    extract(memory, path, trust="operator")
    (fact,) = memory.facts.entity("Iris").entity.facts
    assert fact.trust == "operator"


def test_what_changed_later_turns_historical(memory: Memory, tmp_path: Path) -> None:
    path = talk(tmp_path, ("Iris", "I live in Berlin."), ("Iris", "I moved to Lisbon yesterday."))
    done = extract(memory, path)
    assert done.outcomes["superseding"] == 1
    entity = memory.facts.entity("Iris").entity
    assert [fact.content for fact in entity.active] == ["Iris moved to Lisbon on 7 January 2026."]
    assert [fact.content for fact in entity.historical] == ["Iris lives in Berlin."]


def test_a_dry_run_tells_and_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    path = talk(tmp_path, ("Iris", "I live in Berlin."))
    done = extract(memory, path, dry_run=True)
    assert dict(done.outcomes) == {"found": 1}
    (drawn,) = done.drawn
    assert (drawn.draft.content, drawn.outcome) == ("Iris lives in Berlin.", None)
    with pytest.raises(NotFoundError):
        memory.facts.entity("Iris")


def test_a_session_of_an_agent_is_the_agents_word_on_its_operator(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ClaudeCode()
    session.request("I live in Lisbon. I prefer tabs over spaces. Please fix the port.")
    session.said("I live in a data center, and you work at Acme.")
    path = tmp_path / "session.jsonl"
    path.write_bytes(session.raw)
    extract(memory, path)
    (fact,) = memory.facts.entity("operator").entity.facts
    assert (fact.content, fact.trust) == ("The operator lives in Lisbon.", "agent")
    with make_memory(tmp_path, name="other", device="other-state") as strict:
        extract(strict, path, trust="external")
        (fact,) = strict.facts.entity("operator").entity.facts
        assert fact.trust == "external"
    monkeypatch.setenv("ENGRAIN_OPERATOR_NAME", "Dana Weiss")
    with make_memory(tmp_path) as named:
        extract(named, path)
        assert contents(named, "Dana Weiss") == ["Dana Weiss lives in Lisbon."]


def test_a_source_is_read_on_from_where_it_was_read_to(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "meetings"
    folder.mkdir()
    (folder / "2026-01-05 standup.md").write_text(MEETING)
    memory.sources.add(str(folder), name="standups")
    done, _ = memory.facts.extract()
    assert done.outcomes["created"] == 2
    done, read_counts = memory.facts.extract(source="standups")
    assert (done.turns, dict(done.outcomes), read_counts.files) == (0, {}, 0)
    (folder / "2026-01-06 standup.md").write_text("Alice works at Acme.\n")
    done, _ = memory.facts.extract(source="standups")
    assert dict(done.outcomes) == {"reinforced": 1}


def test_a_dry_run_leaves_what_is_new_in_a_source_for_the_next(
    memory: Memory, tmp_path: Path
) -> None:
    memory.sources.add(str(talk(tmp_path, ("Iris", "I live in Berlin."))), name="talk")
    assert memory.facts.extract(dry_run=True)[0].outcomes["found"] == 1
    assert memory.facts.extract()[0].outcomes["created"] == 1


def test_the_job_draws_what_is_new_and_tells_of_no_text(memory: Memory, tmp_path: Path) -> None:
    memory.sources.add(str(talk(tmp_path, ("Iris", "I live in Berlin."))), name="talk")
    (first,) = memory.jobs.run(["extract"])
    assert (first.outcome, first.counts["created"], first.counts["turns"]) == ("ok", 1, 1)
    assert len(first.lines) == 1
    assert "Berlin" not in "".join(first.lines)
    (second,) = memory.jobs.run(["extract"])
    assert second.counts["turns"] == 0
    assert second.lines == ()


def test_two_extractions_wait_for_one_another(memory: Memory, tmp_path: Path) -> None:
    path = talk(tmp_path, ("Iris", "I live in Berlin."))
    store = memory._open_store()
    with store.device.job_log.claim(), pytest.MonkeyPatch.context() as patch:
        hasty = partial(wait_for_claim, seconds=0.1)
        patch.setattr("engrain.lifecycle.jobs.runner.wait_for_claim", hasty)
        with pytest.raises(LockedError):
            extract(memory, path)
    assert extract(memory, path).outcomes["created"] == 1


def test_a_source_that_there_is_not_is_refused(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.facts.extract(source="nowhere")


def test_what_has_a_secret_in_it_is_neither_told_nor_kept(memory: Memory, tmp_path: Path) -> None:
    secret = "AKIA" + "Q7RT5WXZ2LMN4PKD"
    path = talk(tmp_path, ("Iris", f"I work at {secret}."), ("Iris", "I live in Berlin."))
    for dry_run in (True, False):
        done = extract(memory, path, dry_run=dry_run)
        assert [drawn.draft.content for drawn in done.drawn] == ["Iris lives in Berlin."]
        assert dict(done.refused) == {"a secret stands in it": 1}


def test_a_secret_in_what_was_said_never_reaches_the_vault(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    extract(memory, talk(tmp_path, ("Iris", f"I live in Berlin with {token} in my pocket.")))
    kept = [path.read_text() for path in (tmp_path / "vault").rglob("*") if path.is_file()]
    assert not any(token in text for text in kept)
