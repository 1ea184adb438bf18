"""Measuring one vault: what it comes to, when it is done again, and what recall makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory
from engrain.adapters.cli.everyday.explanation import describe_explanation, explanation_lines
from engrain.adapters.present.text import unstyle
from engrain.engine.core.store import Store
from engrain.engine.recall import rejection
from engrain.engine.recall.rejection import THRESHOLD
from engrain.engine.recall.silence import calibration
from engrain.engine.recall.silence.calibration import (
    CHANGING,
    OUT_OF_TIME,
    Calibration,
    calibrate,
    choose_threshold,
    keep_calibration,
    read_calibration,
)
from engrain.engine.recall.silence.own_questions import read_foreign
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import store_of

WHO = ["baker", "notary", "plumber", "weaver", "gardener", "printer", "welder", "surveyor"]
DOES = ["repairs", "measures", "delivers", "inspects", "paints"]
WHAT = ["boilers", "ledgers", "looms", "hedges", "rafters", "gaskets"]
OWN = "which looms does the weaver inspect?"
FOREIGN = read_foreign()[3]
FEW_PROMPTS = 60


@pytest.fixture(autouse=True)
def few_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the prompts do for what is not about them."""
    monkeypatch.setattr(calibration, "list_foreign", lambda: read_foreign()[:FEW_PROMPTS])


def fill(memory: Memory, many: int, start: int = 0) -> None:
    for n in range(start, start + many):
        who, does, what = WHO[n % 8], DOES[n % 5], WHAT[n % 6]
        text = f"The {who} {does} seventeen {what} on the northern estate before harvest."
        memory.save(f"{text} Room {n} holds the spare tools.", title=f"{who} {n}", kind="fix")


def kept(store: Store, model: str = "") -> Calibration:
    found = read_calibration(store.index, model)
    assert found is not None
    return found


def lower(store: Store, threshold: float) -> None:
    """Keep another threshold, as if the vault had come to that."""
    found = kept(store)
    found.threshold = threshold
    keep_calibration(store.index, "", found)


class TestMeasuring:
    def test_keeps_a_threshold_and_what_it_was_found_from(self, memory: Memory) -> None:
        fill(memory, 30)
        store = store_of(memory)
        done = calibrate(store)
        found = kept(store)
        assert list(done.found) == [""]
        assert (found.own, found.foreign, found.entries) == (30, FEW_PROMPTS, 30)
        assert found.area > 0.95
        assert found.told_apart
        assert found.threshold == done.found[""].threshold

    def test_comes_to_the_same_again(self, memory: Memory) -> None:
        fill(memory, 30)
        store = store_of(memory)
        first = calibrate(store).found[""]
        store.index.put_figures("silence:", {})
        again = calibrate(store).found[""]
        assert (first.threshold, first.area) == (again.threshold, again.area)

    def test_of_hardly_any_entries_leaves_the_prior(self, memory: Memory) -> None:
        fill(memory, 3)
        store = store_of(memory)
        calibrate(store)
        assert (kept(store).threshold, kept(store).own) == (THRESHOLD, 3)
        assert calibrate(store).kept == [""]

    def test_of_an_empty_vault_leaves_the_prior(self, memory: Memory) -> None:
        store = store_of(memory)
        calibrate(store)
        assert (kept(store).threshold, kept(store).own) == (THRESHOLD, 0)

    def test_tells_what_is_due_and_keeps_nothing_when_dry(self, memory: Memory) -> None:
        fill(memory, 10)
        store = store_of(memory)
        assert calibrate(store, dry_run=True).due == [""]
        assert store.index.figures("") == {}


class TestAgain:
    def test_it_is_measured_when_it_has_grown_by_a_fifth(self, memory: Memory) -> None:
        fill(memory, 20)
        calibrate(store_of(memory))
        fill(memory, 4, start=20)
        assert calibrate(store_of(memory)).kept == [""]
        fill(memory, 1, start=24)
        assert list(calibrate(store_of(memory)).found) == [""]

    def test_it_is_measured_when_a_month_has_passed(self, tmp_path: Path) -> None:
        clock = FakeClock()
        with make_memory(tmp_path, clock=clock) as memory:
            fill(memory, 10)
            calibrate(store_of(memory))
            clock.at += 31 * 86_400
            assert list(calibrate(store_of(memory)).found) == [""]

    def test_a_rebuild_keeps_what_was_found(self, memory: Memory) -> None:
        fill(memory, 30)
        before = calibrate(store_of(memory)).found[""].threshold
        memory.reindex()
        assert kept(store_of(memory)).threshold == before


class TestFirst:
    @pytest.fixture(autouse=True)
    def from_ten_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rejection, "FIRST_ENTRIES", range(10, 13))

    def test_a_vault_is_measured_before_the_first_recall_that_can_wait(
        self, memory: Memory
    ) -> None:
        fill(memory, 10)
        memory.recall(OWN, scan=False)
        memory.recall(OWN, deadline=1e12)
        assert read_calibration(store_of(memory).index, "") is None
        memory.recall(OWN)
        first = kept(store_of(memory))
        assert first.own == 10
        fill(memory, 2, start=10)
        memory.recall(OWN)
        assert kept(store_of(memory)).at == first.at, "the rest is the job's"

    @pytest.mark.parametrize("many", [9, 13])
    def test_a_small_one_and_a_large_one_wait_for_the_job(self, memory: Memory, many: int) -> None:
        fill(memory, many)
        memory.recall(OWN)
        assert read_calibration(store_of(memory).index, "") is None

    def test_embedding_measures_it_for_each_model(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
        fill(memory, 10)
        memory.embed()
        model = memory.recall(OWN).model
        assert model
        assert kept(store_of(memory), model).own == 10


class TestPutOff:
    def test_without_time_nothing_is_kept(self, memory: Memory) -> None:
        fill(memory, 10)
        store = store_of(memory)
        left = iter([False] * 20)
        done = calibrate(store, out_of_time=lambda: next(left, True))
        assert done.put_off == {"": OUT_OF_TIME}
        assert read_calibration(store.index, "") is None

    def test_while_the_vault_is_filled_nothing_is_kept(self, memory: Memory) -> None:
        """An import that goes on saves entries between two questions."""
        fill(memory, 10)
        store = store_of(memory)
        imported = self.save_meanwhile(memory, store)
        done = calibrate(store, out_of_time=imported)
        assert done.put_off == {"": CHANGING}
        assert read_calibration(store.index, "") is None
        assert list(calibrate(store_of(memory)).found) == [""]

    @staticmethod
    def save_meanwhile(memory: Memory, store: Store) -> Callable[[], bool]:
        left = iter(range(10, 16))

        def save_one() -> bool:
            if (n := next(left, None)) is not None:
                fill(memory, 1, start=n)
                store.upkeep.flush()
            return False

        return save_one


class TestRecall:
    def test_holds_its_value_against_the_vaults_own_threshold(self, memory: Memory) -> None:
        fill(memory, 30)
        store = store_of(memory)
        calibrate(store)
        assert memory.recall(OWN).given
        lower(store, 9.0)
        silent = memory.recall(OWN)
        assert silent.rejected
        assert silent.relevance < 0.5
        lower(store, 0.01)
        assert not memory.recall("who paints the moon?").rejected

    def test_explains_the_value_the_threshold_and_why_it_is_that(self, memory: Memory) -> None:
        fill(memory, 30)
        before = memory.recall(OWN, explain=True)
        assert before.explanation is not None and before.explanation.silence is not None
        assert before.explanation.silence.threshold == THRESHOLD
        assert before.explanation.silence.reason.startswith("prior: the vault has 30 entries")
        found = calibrate(store_of(memory)).found[""]
        after = memory.recall(OWN, explain=True)
        assert after.explanation is not None and after.explanation.silence is not None
        silence = after.explanation.silence
        assert silence.threshold == found.threshold
        assert silence.reason.startswith(f"calibrated on 30 own questions and {FEW_PROMPTS} ")
        told = describe_explanation(after)["silence"]
        assert told == {
            "value": round(silence.value, 4),
            "threshold": round(silence.threshold, 4),
            "reason": silence.reason,
        }
        lines = "\n".join(map(unstyle, explanation_lines(after)))
        assert f"against a threshold of {silence.threshold:.2f} (calibrated on" in lines

    @pytest.mark.parametrize("profile", ["task", "tiered"])
    def test_explains_it_in_every_profile(self, memory: Memory, profile: str) -> None:
        fill(memory, 3)
        explanation = memory.recall(OWN, explain=True, profile=profile).explanation
        assert explanation is not None and explanation.silence is not None
        assert explanation.silence.threshold == THRESHOLD

    def test_of_a_vault_like_the_foreign_prompts_is_careful_and_doctor_says_so(
        self, memory: Memory
    ) -> None:
        for number, prompt in enumerate(read_foreign()[:FEW_PROMPTS]):
            memory.save(prompt, title=f"Prompt {number}", kind="fix")
        assert not [one for one in memory.diagnose() if one.subject == "silence"]
        found = calibrate(store_of(memory)).found[""]
        assert not found.told_apart
        assert found.threshold > THRESHOLD
        [finding] = [one for one in memory.diagnose() if one.subject == "silence"]
        assert finding.level == "warning"
        assert "do not show whether" in finding.message
        explanation = memory.recall(FOREIGN, explain=True).explanation
        assert explanation is not None and explanation.silence is not None
        assert "the two are too alike" in explanation.silence.reason


def test_with_vectors_each_model_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    with make_memory(tmp_path) as memory:
        fill(memory, 20)
        memory.embed()
        store = store_of(memory)
        done = calibrate(store)
        [words, model] = done.found
        assert words == ""
        assert memory.recall(OWN).model == model
        lower(store, 9.0)
        assert not memory.recall(OWN).rejected, "of the words alone"
        found = kept(store, model)
        assert found.threshold == pytest.approx(
            choose_threshold([3.0] * 20, [0.0] * 9, 20), abs=THRESHOLD
        )
        found.threshold = 99.0
        keep_calibration(store.index, model, found)
        assert memory.recall(OWN).rejected
