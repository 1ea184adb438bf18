"""The demo: a first session that learns, a second that knows, and nothing left behind."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.cli.care.demo import SampleClock, save_sample
from support.vaults import make_memory
from unit.adapters.shell import CommandLine

Step = dict[str, str]


@pytest.fixture
def scratch(bare: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = bare.folder / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def play(cli: CommandLine) -> Any:
    """The steps of the demo's sessions."""
    done = cli("demo", "--json")
    assert done.code == 0, done.out
    data = done.answer["data"]
    assert data["saved"] > 20
    return data["sessions"]


def test_what_the_first_session_learns_the_second_knows_and_is_not_told_again(
    bare: CommandLine, scratch: Path
) -> None:
    first, second = play(bare)
    (lesson,) = (step for step in first if step["event"] == "save")
    told = [step["ids"].count(lesson["id"]) for step in (*first, *second) if "ids" in step]
    assert sum(told) == 1
    assert lesson["id"] in second[0]["ids"]
    known, foreign = (step for step in second if step["event"] == "prompt")
    assert (known["context"], foreign["context"]) == ("", "")
    assert "has what fits it already" in known["note"]
    assert "no memory is about this" in foreign["note"]


def test_a_prompt_of_the_first_session_gets_what_is_in_the_vault(
    bare: CommandLine, scratch: Path
) -> None:
    first, _ = play(bare)
    (prompt,) = (step for step in first if step["event"] == "prompt")
    assert re.match(r"[0-9]+ memor(y|ies): ", prompt["message"])
    assert prompt["context"].startswith("<engrain-memory ")


def test_each_session_begins_and_leaves_marks_to_be_learned_from(
    bare: CommandLine, scratch: Path
) -> None:
    for steps in play(bare):
        assert [steps[0]["event"], *(step["event"] for step in steps[-2:])] == [
            "session-start", "stop", "session-end",
        ]  # fmt: skip
        assert [step["note"] for step in steps[-2:]] == ["marked to be learned from"] * 2
        assert all(0 < int(step["ms"]) < 10_000 for step in steps if step["event"] != "save")


def test_a_person_s_own_settings_have_no_part_in_the_demo(
    bare: CommandLine, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = bare.folder / "config.toml"
    config.write_text('backend = "nowhere"\nvault = "/nowhere"\nproject = "other"\n')
    monkeypatch.setenv("ENGRAIN_CONFIG", str(config))
    monkeypatch.setenv("ENGRAIN_PHASE", "plan")
    monkeypatch.setenv("ENGRAIN_PROJECT", "other")
    assert "among them" in play(bare)[1][0]["note"]


def test_the_demo_leaves_no_file_and_no_process_behind(bare: CommandLine, scratch: Path) -> None:
    play(bare)
    assert list(scratch.iterdir()) == []
    assert not (bare.folder / "home" / ".config").exists()
    assert not (bare.folder / "home" / ".local").exists()
    if sys.platform == "linux":
        assert not list(find_processes(f"TMPDIR={scratch}".encode()))


def find_processes(variable: bytes) -> list[str]:
    """The processes that were started with this in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if variable in environ.read_bytes().split(b"\0"):
                found.append(environ.parent.name)
        except OSError:
            continue  # another's, or gone meanwhile
    return found


def test_the_demo_keeps_its_vault_with_the_lesson_where_it_is_told_to(bare: CommandLine) -> None:
    kept = bare.folder / "kept"
    done = bare("demo", "--keep", str(kept))
    assert done.code == 0
    assert f"ENGRAIN_VAULT={kept}" in done.out
    where = ("--vault", str(kept), "--state-dir", str(bare.folder / "state"))
    listed = bare("list", "--project", "billing", *where).out
    assert "in all" in listed
    lesson = re.search(r"agent saves +created  (.+)", done.out)
    assert lesson
    assert lesson[1] in listed


def test_every_link_of_the_demo_s_vault_leads_to_a_note(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        assert list(save_sample(memory, SampleClock()))
        assert list(memory.check(["broken-link"]).left) == []
