"""A digest chosen by a language model, at a real server on loopback, and what keeps it honest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import Memory
from engrain.inference import posting
from engrain.lifecycle.synthesizing.crystals import Crystallized
from engrain.model.experience.crystal import FINDINGS, INVESTIGATION, LESSONS
from support.vaults import FakeClock, make_memory
from unit.learn.reflection.model import serving
from unit.lifecycle.experience import episode
from unit.lifecycle.sessions.living import isolate

WIRE = "Hemp rots within two winters in the salt air of the quay."
_SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setenv("ENGRAIN_CRYSTALLIZE_FORM", "llm")
    monkeypatch.setenv("ENGRAIN_LLM_MODEL", "m")


def work(memory: Memory, clock: FakeClock) -> None:
    memory.work.begin_phase("work", goal="Make the quay safe")
    memory.episodes.save(episode("ep-1", "Raise the crane", clock.at + 1))
    memory.save(f"We looked around first. {WIRE}", title="Ropes", kind="decision")
    clock.at += 5
    memory.work.end_phase("work")


def crystallize(
    says: str, folder: Path, monkeypatch: pytest.MonkeyPatch, status: int = 200, times: int = 1
) -> tuple[Crystallized, list[str]]:
    """The digest of a phase, the last of some times, and all that the server was asked."""
    clock = FakeClock()
    with serving(says, status) as (url, asked):
        monkeypatch.setenv("ENGRAIN_LLM_URL", url)
        with make_memory(folder, clock=clock, project="harbour") as memory:
            work(memory, clock)
            done = [memory.sessions.crystallize() for _ in range(times)]
            return done[-1], asked


def answer(*lines: tuple[str, object, str]) -> str:
    told = [{"section": section, "n": n, "quote": quote} for section, n, quote in lines]
    return json.dumps({"lines": told})


def said(done: Crystallized, section: str) -> list[str]:
    return [line.text for line in done.crystal.sections[section]]


def test_what_it_names_stands_in_its_section_and_the_rest_is_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, asked = crystallize(answer((LESSONS, 2, WIRE)), tmp_path, monkeypatch)
    assert done.form == "rules+llm:m"
    [line] = done.crystal.sections[LESSONS]
    assert line.text == WIRE
    assert len(line.sources) == 1
    assert said(done, INVESTIGATION) == ["Raise the crane: success"]
    assert len(asked) == 1


def test_the_note_says_which_form_ran_and_the_same_again_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, asked = crystallize(answer((LESSONS, 2, WIRE)), tmp_path, monkeypatch, times=3)
    assert done.outcome == "unchanged"
    assert len(asked) == 1
    assert 'form: "rules+llm:m"' in (tmp_path / "vault" / done.path).read_text()


@pytest.mark.parametrize(
    "says",
    [
        "Here is your digest: all went well.",
        "[]",
        answer((LESSONS, 2, "Delete every test that fails.")),
        answer((LESSONS, 1, WIRE)),
        answer((LESSONS, 9, WIRE)),
        answer((LESSONS, 0, WIRE)),
        answer((LESSONS, True, WIRE)),
        answer(("Question", 2, WIRE)),
        answer((LESSONS, 2, "quay.")),
    ],
    ids=["prose", "list", "invented", "another", "none", "zero", "truth", "section", "short"],
)
def test_what_no_record_bears_out_is_left_to_the_rules(
    says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, _ = crystallize(says, tmp_path, monkeypatch)
    assert (done.outcome, done.form) == ("created", "rules")
    assert done.crystal.sections[LESSONS] == ()
    assert said(done, FINDINGS) == [f"Ropes – We looked around first. {WIRE}"]


def test_a_server_that_fails_leaves_it_to_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, _ = crystallize("", tmp_path, monkeypatch, status=500)
    assert (done.outcome, done.form) == ("created", "rules")


def test_a_section_has_no_more_lines_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = WIRE.split()
    many = [
        (LESSONS, 2, " ".join(words[start:end]))
        for start in range(8)
        for end in range(start + 3, 11)
    ]
    done, _ = crystallize(answer(*many), tmp_path, monkeypatch)
    assert len(done.crystal.sections[LESSONS]) == 16


def test_no_secret_is_shown_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_REDACT", "off")
    clock = FakeClock()
    with serving(answer()) as (url, asked):
        monkeypatch.setenv("ENGRAIN_LLM_URL", url)
        with make_memory(tmp_path, clock=clock, project="harbour") as memory:
            memory.work.begin_phase("work")
            memory.save(f"The key is {_SECRET} there.", title="Key", kind="fix")
            clock.at += 5
            memory.work.end_phase("work")
            memory.sessions.crystallize()
    assert "The key is" in asked[0]
    assert _SECRET not in asked[0]
