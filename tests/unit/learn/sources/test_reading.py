"""What is new in the sources of a vault."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.core.store import Store
from engrain.learn.sources.reading import (
    EXTRACT,
    REFLECT,
    KnownTurns,
    ReadCounts,
    SourceReading,
    read_new,
    read_place,
    survey_sources,
)
from engrain.model.errors import NotFoundError
from engrain.model.facts.fact import DOCUMENT, OPERATOR
from engrain.seam.sources import OWN
from support.examples import SHARED_FIXTURE
from support.transcripts import ClaudeCode, Codex
from support.vaults import make_memory


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "config/config.toml"))
    with make_memory(tmp_path) as made:
        yield made


@pytest.fixture
def store(memory: Memory) -> Store:
    return memory._open_store()


@pytest.fixture
def folder(memory: Memory, tmp_path: Path) -> Path:
    """A folder that is a source."""
    made = tmp_path / "notes"
    made.mkdir()
    memory.sources.add(str(made), name="notes")
    return made


def put(folder: Path, name: str, raw: bytes | str) -> Path:
    """A file, written anew."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    return path


def take(store: Store, consumer: str = EXTRACT, read_counts: ReadCounts | None = None) -> list[str]:
    """The texts that are new, and committed."""
    texts = []
    for reading in read_new(store, consumer, read_counts=read_counts):
        texts += [turn.text for turn in reading.turns]
        reading.commit()
    return texts


def test_a_second_reading_finds_nothing(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n\nTwo.\n")
    put(folder, "below/b.txt", "Three.\n")
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == ["One.", "Two.", "Three."]
    assert (read_counts.files, read_counts.turns) == (2, 3)
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == []
    assert read_counts.files == 0


def test_a_reading_says_where_it_comes_from(store: Store, folder: Path) -> None:
    put(folder, "below/2026-03-01.md", "One.\n")
    (reading,) = read_new(store, EXTRACT)
    assert (reading.source.name, reading.format, reading.conversation.ref) == (
        "notes",
        "notes",
        "below/2026-03-01.md",
    )
    assert reading.source.trust == "external"


def test_what_is_not_committed_comes_again(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n")
    for _ in range(2):
        assert [turn.text for one in read_new(store, EXTRACT) for turn in one.turns] == ["One."]
    assert take(store) == ["One."]


def test_each_consumer_has_cursors_of_its_own(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n")
    assert take(store, EXTRACT) == ["One."]
    assert take(store, REFLECT) == ["One."]
    assert take(store, EXTRACT) == take(store, REFLECT) == []


def test_of_a_text_that_was_edited_only_what_changed_comes(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n\nTwo.\n")
    take(store)
    put(folder, "a.md", "Zero.\n\nOne.\n\nTwo and a half.\n\nThree.\n")
    assert take(store) == ["Zero.", "Two and a half.", "Three."]


def test_of_a_session_that_went_on_only_that_is_read(store: Store, folder: Path) -> None:
    made = ClaudeCode().request("I moved.").said("Noted.")
    put(folder, "s.jsonl", made.raw)
    take(store)
    done = len(made.raw)
    made.request("I work at Acme.")
    put(folder, "s.jsonl", made.raw)
    cursor = store.device.local.cursors(EXTRACT, "notes")["s.jsonl"]
    assert isinstance(cursor, dict)
    assert cursor["offset"] == done
    (reading,) = read_new(store, EXTRACT)
    assert [turn.text for turn in reading.turns] == ["I work at Acme."]
    assert (reading.conversation.ref, reading.conversation.cwd) == (made.session, made.cwd)


def test_whose_session_it_is_is_known_where_only_the_first_line_says_it(
    store: Store, folder: Path
) -> None:
    made = Codex().request("I moved.")
    put(folder, "rollout-1.jsonl", made.raw)
    take(store)
    made.request("I work at Acme.")
    put(folder, "rollout-1.jsonl", made.raw)
    (reading,) = read_new(store, EXTRACT)
    assert (reading.conversation.ref, reading.conversation.cwd) == (made.session, made.cwd)


def test_a_session_that_was_written_anew_is_read_from_its_beginning(
    store: Store, folder: Path
) -> None:
    put(folder, "s.jsonl", ClaudeCode().request("I moved.").said("Noted.").raw)
    take(store)
    put(folder, "s.jsonl", ClaudeCode().request("I was born in Rome.").request("Bye.").raw * 2)
    assert take(store) == ["I was born in Rome.", "Bye."]


def test_two_files_with_one_session_are_read_once(store: Store, folder: Path) -> None:
    made = ClaudeCode().request("I moved.").said("Noted.")
    put(folder, "a.jsonl", made.raw)
    put(folder, "b.jsonl", made.request("I work at Acme.").raw)
    assert take(store) == ["I moved.", "Noted.", "I work at Acme."]


def test_the_same_words_at_another_time_of_a_session_are_another_turn(
    store: Store, folder: Path
) -> None:
    put(folder, "a.jsonl", ClaudeCode().request("Use tabs.").said("Ok.").request("Use tabs.").raw)
    assert take(store) == ["Use tabs.", "Ok.", "Use tabs."]


def test_a_file_that_moved_is_read_without_doubling_a_session(store: Store, folder: Path) -> None:
    path = put(folder, "a.jsonl", ClaudeCode().request("I moved.").raw)
    take(store)
    path.rename(folder / "b.jsonl")
    assert take(store) == []


def test_state_that_is_lost_only_means_that_all_is_read_again(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    put(folder, "a.md", "One.\n")
    take(store)
    store.device.local.close()
    for file in (tmp_path / "state").rglob("state.sqlite*"):
        file.unlink()
    assert take(store) == ["One."]


def test_a_file_that_can_not_be_read_stops_no_other_and_is_reported_until_it_changes(
    store: Store, folder: Path
) -> None:
    put(folder, "a.json", '[{"role": "user", "content": "One."}, {"ro')
    put(folder, "b.txt", b"\x00\x01binary")
    put(folder, "c.md", "Two.\n")
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == ["Two."]
    told = [(problem.file, problem.message) for problem in read_counts.problems]
    assert [file for file, _ in told] == ["a.json", "b.txt"]
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == []
    assert [(problem.file, problem.message) for problem in read_counts.problems] == told
    assert read_counts.files == 0
    messages = [{"role": "user", "content": text} for text in ("One.", "Three.")]
    put(folder, "a.json", json.dumps(messages))
    assert take(store) == ["One.", "Three."]


def test_a_source_that_disappears_is_reported_and_the_others_are_read(
    memory: Memory, store: Store, folder: Path, tmp_path: Path
) -> None:
    put(tmp_path, "other/b.md", "Two.\n")
    memory.sources.add(str(tmp_path / "other"))
    put(folder, "a.md", "One.\n")
    folder.rename(tmp_path / "elsewhere")
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == ["Two."]
    (problem,) = read_counts.problems
    assert (problem.source, problem.message) == (
        "notes",
        "it is not there any more, or not just now",
    )
    (tmp_path / "elsewhere").rename(folder)
    assert take(store) == ["One."]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_read_is_reported(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n").chmod(0)
    put(folder, "b.md", "Two.\n")
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == ["Two."]
    assert [problem.file for problem in read_counts.problems] == ["a.md"]


def test_when_the_time_is_over_the_next_run_reads_the_rest(store: Store, folder: Path) -> None:
    turns = [{"role": "user", "content": f"Text {number}."} for number in range(1200)]
    put(folder, "a.jsonl", "".join(json.dumps(turn) + "\n" for turn in turns))
    put(folder, "b.md", "Last.\n")
    texts: list[str] = []
    runs = 0
    while True:
        runs += 1
        left = 2
        read_counts = ReadCounts()

        def out_of_time() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        for reading in read_new(store, EXTRACT, out_of_time=out_of_time, read_counts=read_counts):
            texts += [turn.text for turn in reading.turns]
            reading.commit()
        if not read_counts.unfinished:
            break
    assert runs > 2
    assert texts == [*(turn["content"] for turn in turns), "Last."]


def test_times_in_the_future_are_reported(store: Store, folder: Path) -> None:
    line = {"role": "user", "content": "Hi.", "timestamp": "2199-01-01T00:00:00Z"}
    put(folder, "a.json", json.dumps([line]))
    read_counts = ReadCounts()
    (reading,) = read_new(store, EXTRACT, read_counts=read_counts)
    (turn,) = reading.turns
    assert turn.at is not None
    assert turn.at <= store.clock.now()
    assert read_counts.passed == {"future": 1}


def test_one_source_is_read_by_its_name(memory: Memory, store: Store, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        put(tmp_path, f"{name}/x.md", f"Of {name}.\n")
        memory.sources.add(str(tmp_path / name))
    texts = [turn.text for one in read_new(store, EXTRACT, "b") for turn in one.turns]
    assert texts == ["Of b."]
    with pytest.raises(NotFoundError, match="no source 'c'"):
        list(read_new(store, EXTRACT, "c"))


def test_a_place_is_read_whatever_was_read_before(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    path = put(folder, "a.md", "One.\n")
    take(store)
    for _ in range(2):
        readings: list[SourceReading] = []
        for reading in read_place(store, store.device.sources.place(str(path))):
            readings.append(reading)
            reading.commit()
        assert [turn.text for one in readings for turn in one.turns] == ["One."]
    assert readings[0].conversation.ref == "a.md"


def test_how_far_a_source_was_read_is_reported(store: Store, folder: Path) -> None:
    put(folder, "a.md", "One.\n")
    put(folder, "b.txt", b"\x00")
    (standing,) = survey_sources(store)
    assert (standing.files, standing.new, standing.read_at) == (2, 2, None)
    take(store)
    put(folder, "c.md", "Two.\n")
    (standing,) = survey_sources(store)
    assert (standing.files, standing.new, dict(standing.formats)) == (3, 1, {"notes": 1})
    assert standing.read_at is not None
    assert [problem.file for problem in standing.problems] == ["b.txt"]


def test_the_vaults_own_daily_notes_are_a_source_as_trusted_as_who_wrote_them(
    store: Store, memory: Memory, tmp_path: Path
) -> None:
    memory.work.today("Ada moved to Berlin.")
    (reading,) = read_new(store, EXTRACT)
    assert (reading.source.name, reading.source.trust, reading.format) == (OWN, "agent", "notes")
    assert [(turn.role, turn.text) for turn in reading.turns] == [
        (DOCUMENT, "Ada moved to Berlin.")
    ]
    at = reading.turns[0].at
    assert at is not None
    assert abs(at - store.clock.now()) < 120
    assert take(store) == ["Ada moved to Berlin."]
    assert take(store) == []
    memory.work.today("Bob works at Acme.")
    assert [turn.text for one in read_new(store, EXTRACT, OWN) for turn in one.turns] == [
        "Bob works at Acme."
    ]


def test_what_the_operator_notes_of_a_day_is_their_own_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "config/config.toml"))
    put(tmp_path, "journal/2026-03-01.md", "- I moved to Berlin.\n")
    with make_memory(tmp_path, trust="operator", project="apollo") as memory:
        memory.work.today("I work at Acme.")
        memory.sources.add(str(tmp_path / "journal"), trust="operator")
        readings = list(read_new(memory._open_store(), EXTRACT))
        assert {(turn.role, turn.text) for one in readings for turn in one.turns} == {
            (OPERATOR, "I moved to Berlin."),
            (OPERATOR, "I work at Acme."),
        }


RUNS = count()


def session(number: int) -> bytes:
    if number == 2:
        messages = [{"role": "user", "content": f"I moved to Zürich {turn}."} for turn in range(6)]
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages).encode()
    made: ClaudeCode | Codex = Codex() if number % 2 else ClaudeCode()
    for turn in range(3):
        made.request(f"I moved to Zürich {turn} – “yes”.")
        made.run("ls", "a\nb")
        made.said(f"Noted {turn}.")
    return made.raw


def test_a_file_that_is_not_utf_8_is_a_problem_of_its_own(store: Store, folder: Path) -> None:
    put(folder, "a.md", "Käthe lebt in Zürich.\n".encode("cp1252"))
    put(folder, "b.md", b"Ada lives in Rome.\n")
    read_counts = ReadCounts()
    assert take(store, read_counts=read_counts) == ["Ada lives in Rome."]
    assert [(one.file, one.message) for one in read_counts.problems] == [
        ("a.md", "text that is not UTF-8")
    ]


@settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
@given(number=st.integers(0, 2), share=st.floats(0, 1), again=st.floats(0, 1))
def test_a_session_that_is_cut_at_any_byte_and_read_in_runs_reads_as_in_one(
    store: Store, folder: Path, number: int, share: float, again: float
) -> None:
    raw = session(number)
    cuts = sorted((round(share * len(raw)), round(again * len(raw))))
    consumer = f"run {next(RUNS)}"
    for file in folder.iterdir():
        file.unlink()
    texts: list[str] = []
    for end in (*cuts, len(raw)):
        put(folder, f"rollout-{number}.jsonl", raw[:end])
        texts += take(store, consumer)
    assert texts == take(store, f"once {consumer}")
    assert len(texts) == 6


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=5), max_size=5))
def test_the_turns_that_were_read_are_known_and_no_other(batches: list[list[int]]) -> None:
    known, kept = KnownTurns(), b""
    for batch in batches:
        kept += known.add(batch)
    again = KnownTurns(kept)
    for digest in (digest for batch in batches for digest in batch):
        assert digest in known
        assert digest in again
    assert (1 << 63) + 12345 not in KnownTurns()
