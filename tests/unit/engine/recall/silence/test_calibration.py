"""The threshold that fits one vault: how it is found, when again, and what recall makes of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from shutil import rmtree
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory
from engrain.adapters.cli.everyday.recall import describe_explanation
from engrain.engine.core.store import Store
from engrain.engine.recall import rejection
from engrain.engine.recall.rejection import CALIBRATE, THRESHOLD
from engrain.engine.recall.silence import calibration
from engrain.engine.recall.silence.calibration import (
    AGAIN,
    CHANGING,
    FARTHEST,
    GROWTH,
    LEAST_QUESTIONS,
    LONGEST,
    LOST,
    OUT_OF_TIME,
    PRIOR_ENTRIES,
    SILENCED,
    TOLD_APART,
    TOO_SLOW,
    Calibration,
    calibrate,
    choose_threshold,
    describe_reason,
    measure_area,
    read_calibration,
    save_calibration,
)
from engrain.engine.recall.silence.own_questions import read_foreign
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import store_of

VALUES = st.lists(st.floats(0, 3), min_size=LEAST_QUESTIONS, max_size=60)
HIGH = st.lists(st.floats(1, 3), min_size=LEAST_QUESTIONS, max_size=60)
LOW = st.lists(st.floats(0, 0.9), min_size=LEAST_QUESTIONS, max_size=60)
ENTRIES = st.integers(0, 100_000)
PRIORS = st.floats(0.1, 3)
MANY = 10**9

OWN = [THRESHOLD + 0.2 + i / 100 for i in range(100)]
FOREIGN = [i / 100 for i in range(100)]


def share_below(values: list[float], threshold: float) -> float:
    return sum(value < threshold for value in values) / len(values)


def make(**changes: float) -> Calibration:
    values = {
        "threshold": 0.8, "own": 200, "foreign": 575, "entries": 100, "area": 0.97, "at": 1e9,
        "stamp": 7, "silent": 0.9,
    }  # fmt: skip
    return Calibration(**(values | changes))


class TestThreshold:
    @given(own=VALUES, foreign=VALUES, entries=ENTRIES, one=PRIORS, other=PRIORS)
    def test_a_greater_prior_never_makes_it_less(
        self, own: list[float], foreign: list[float], entries: int, one: float, other: float
    ) -> None:
        less, more = sorted((one, other))
        lower = choose_threshold(own, foreign, entries, less)
        assert lower <= choose_threshold(own, foreign, entries, more) + 1e-9

    @given(own=VALUES, foreign=VALUES, entries=ENTRIES)
    def test_it_lies_within_bounds_and_the_order_of_the_samples_says_nothing(
        self, own: list[float], foreign: list[float], entries: int
    ) -> None:
        found = choose_threshold(own, foreign, entries)
        least, most = FARTHEST
        assert least * THRESHOLD - 1e-9 <= found <= most * THRESHOLD + 1e-9
        assert found == choose_threshold(own[::-1], foreign[::-1], entries)

    @given(own=HIGH, foreign=LOW, prior=PRIORS)
    def test_of_a_large_vault_it_loses_few_own_questions_or_says_that_it_can_not(
        self, own: list[float], foreign: list[float], prior: float
    ) -> None:
        found = choose_threshold(own, foreign, MANY, prior)
        at_least = FARTHEST[0] * prior
        assert share_below(own, found - 1e-6) <= LOST or found <= at_least + 1e-6

    @given(own=HIGH)
    def test_where_own_and_foreign_are_alike_it_is_never_under_the_prior(
        self, own: list[float]
    ) -> None:
        assert measure_area(own, own) < TOLD_APART
        assert choose_threshold(own, own, 500) >= THRESHOLD

    def test_where_there_is_room_it_is_the_prior_or_what_silences_enough(self) -> None:
        assert choose_threshold(OWN, FOREIGN, MANY) == THRESHOLD
        higher = [value + THRESHOLD - 0.9 for value in FOREIGN]
        found = choose_threshold(OWN, higher, MANY)
        assert found > THRESHOLD
        assert share_below(higher, found + 1e-6) == SILENCED
        assert share_below(OWN, found) == 0

    def test_where_there_is_none_own_questions_come_first(self) -> None:
        foreign = [value + THRESHOLD - 0.5 for value in FOREIGN]
        found = choose_threshold(OWN, foreign, MANY)
        assert share_below(OWN, found + 1e-6) == pytest.approx(LOST, abs=0.011)
        assert share_below(foreign, found) < SILENCED

    def test_what_can_not_be_told_apart_is_silenced(self) -> None:
        same = [THRESHOLD + i / 1000 for i in range(100)]
        assert share_below(same, choose_threshold(same, same, MANY) + 1e-6) == SILENCED

    @pytest.mark.parametrize("entries", [1, 5, 10])
    def test_a_small_vault_is_near_the_prior_and_a_large_one_near_its_own_figure(
        self, entries: int
    ) -> None:
        own = [value - 0.4 for value in OWN]
        foreign = [value / 2 for value in FOREIGN]
        figure = choose_threshold(own, foreign, MANY)
        assert figure < THRESHOLD - 0.1, "it loses few of the own questions"
        near = abs(choose_threshold(own, foreign, entries) - THRESHOLD)
        assert near <= (THRESHOLD - figure) * entries / PRIOR_ENTRIES
        assert choose_threshold(own, foreign, 1000) == pytest.approx(figure, abs=0.05)

    def test_too_few_questions_leave_the_prior(self) -> None:
        few = OWN[: LEAST_QUESTIONS - 1]
        assert choose_threshold(few, FOREIGN, MANY) == THRESHOLD
        assert choose_threshold([], [], 0) == THRESHOLD
        assert choose_threshold(OWN, [], MANY) == THRESHOLD

    def test_prompts_without_a_word_in_common_do_not_lower_it(self) -> None:
        assert choose_threshold(OWN, [0.0] * 100, MANY) == THRESHOLD
        low = [value - 0.25 for value in OWN]
        assert choose_threshold(low, [0.0] * 100, MANY) == pytest.approx(low[2])


class TestArea:
    def test_it_counts_pairs_in_order_and_equal_ones_half(self) -> None:
        assert measure_area([2, 3], [0, 1]) == 1
        assert measure_area([0, 1], [2, 3]) == 0
        assert measure_area([1, 1], [1, 1]) == 0.5
        assert measure_area([1, 3], [0, 2]) == 0.75

    @given(own=VALUES, foreign=VALUES)
    def test_turned_round_it_is_the_rest(self, own: list[float], foreign: list[float]) -> None:
        assert measure_area(own, foreign) + measure_area(foreign, own) == pytest.approx(1)


class TestStaleness:
    @pytest.mark.parametrize(
        ("entries", "stale"),
        [(100, False), (120, False), (121, True), (80, False), (79, True), (0, True)],
    )
    def test_a_vault_that_grew_or_shrank_is_measured_again(self, entries: int, stale: bool) -> None:
        assert GROWTH == 0.2
        assert make().is_stale(entries, 1e9, 7) is stale

    def test_so_is_one_after_a_month_or_for_another_formula(self) -> None:
        assert not make().is_stale(100, 1e9 + LONGEST - 1, 7)
        assert make().is_stale(100, 1e9 + LONGEST, 7)
        assert make().is_stale(100, 1e9, 8)

    def test_a_clock_that_was_set_back_makes_it_stale(self) -> None:
        assert make().is_stale(100, 1e9 - 1, 7)


class TestReason:
    def test_it_says_what_the_threshold_rests_on(self) -> None:
        assert (
            describe_reason(None, 10)
            == "prior: the vault has 10 entries and was not calibrated yet"
        )
        assert describe_reason(None, 1).startswith("prior: the vault has 1 entry ")
        assert describe_reason(make(own=3), 3) == (
            "prior: 3 entries make too few questions to calibrate on"
        )
        assert describe_reason(make(), 100) == (
            "calibrated on 200 own questions and 575 foreign prompts on 2001-09-09"
        )

    def test_it_says_when_own_questions_can_not_be_told_from_foreign_ones(self) -> None:
        assert "the two are too alike (area 0.70)" in describe_reason(make(area=0.7), 100)


WHO = ["baker", "notary", "plumber", "weaver", "gardener", "printer", "welder", "surveyor"]
DOES = ["repairs", "measures", "delivers", "inspects", "paints"]
WHAT = ["boilers", "ledgers", "looms", "hedges", "rafters", "gaskets"]
QUESTION = "which looms does the weaver inspect?"
PROMPT = read_foreign()[3]
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
    save_calibration(store.index, "", found)


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

    def test_a_recall_asks_for_the_job_and_does_not_wait_for_it(self, memory: Memory) -> None:
        fill(memory, 10)
        memory.recall(QUESTION, scan=False)
        memory.recall(QUESTION, deadline=1e12)
        assert CALIBRATE not in store_of(memory).device.job_log.requests()
        asked = memory.recall(QUESTION, explain=True)
        assert asked.explanation is not None and asked.explanation.silence is not None
        assert asked.explanation.silence.threshold == THRESHOLD
        assert read_calibration(store_of(memory).index, "") is None
        assert CALIBRATE in store_of(memory).device.job_log.requests()
        memory.jobs.run([CALIBRATE])
        assert kept(store_of(memory)).own == 10
        memory.recall(QUESTION)
        assert CALIBRATE not in store_of(memory).device.job_log.requests()

    @pytest.mark.parametrize("many", [9, 13])
    def test_a_small_one_and_a_large_one_wait_for_the_jobs_hour(
        self, memory: Memory, many: int
    ) -> None:
        fill(memory, many)
        memory.recall(QUESTION)
        assert CALIBRATE not in store_of(memory).device.job_log.requests()

    def test_a_state_that_can_not_be_written_hinders_no_recall(
        self, memory: Memory, tmp_path: Path
    ) -> None:
        fill(memory, 10)
        memory.recall(QUESTION, scan=False)
        store_of(memory).device.job_log.request("scan", 0)
        [requests] = [file.parent for file in tmp_path.rglob("scan") if not file.stat().st_size]
        rmtree(requests)
        requests.write_text("a file where the folder should be")
        assert memory.recall(QUESTION).given

    def test_embedding_measures_it_for_each_model(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
        fill(memory, 10)
        memory.embed()
        model = memory.recall(QUESTION).model
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


class TestTooSlow:
    """The measuring clock of these tests ticks by itself."""

    @staticmethod
    def ticking(step: float) -> Callable[[], float]:
        ticks = count()
        return lambda: next(ticks) * step

    def test_it_is_given_up_for_a_day(self, tmp_path: Path) -> None:
        clock = FakeClock()
        with make_memory(tmp_path, clock=clock) as memory:
            fill(memory, 10)
            store = store_of(memory)
            assert calibrate(store, monotonic=self.ticking(1)).put_off == {"": TOO_SLOW}
            assert read_calibration(store.index, "") is None
            clock.at += AGAIN - 60
            assert calibrate(store).put_off == {"": TOO_SLOW}
            clock.at += 120
            assert list(calibrate(store).found) == [""]

    def test_attempts_that_were_cut_short_add_up(self, memory: Memory) -> None:
        fill(memory, 10)
        store = store_of(memory)
        outcomes: list[str] = []
        for _ in range(5):
            cut = partial(next, iter([False] * 5), True)
            done = calibrate(store, out_of_time=cut, monotonic=self.ticking(3))
            outcomes += done.put_off.values()
        assert outcomes[0] == OUT_OF_TIME
        assert outcomes[-1] == TOO_SLOW

    def test_so_do_those_whose_process_was_killed(self, memory: Memory) -> None:
        fill(memory, 10)
        store = store_of(memory)

        def die() -> bool:
            raise KeyboardInterrupt

        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                calibrate(store, out_of_time=die)
        assert calibrate(store).put_off == {"": TOO_SLOW}

    def test_a_vault_that_has_changed_is_tried_at_once(self, memory: Memory) -> None:
        fill(memory, 10)
        store = store_of(memory)
        calibrate(store, monotonic=self.ticking(1))
        fill(memory, 10, start=10)
        assert list(calibrate(store_of(memory)).found) == [""]
        assert store_of(memory).index.figures(rejection.tried_key()) == {}

    def test_the_job_says_so_and_is_done(self, memory: Memory) -> None:
        fill(memory, 10)
        calibrate(store_of(memory), monotonic=self.ticking(1))
        [done] = memory.jobs.run([CALIBRATE])
        assert done.outcome == "ok"
        assert list(done.lines) == [f"words alone: put off, {TOO_SLOW}"]

    @pytest.mark.parametrize("size", [80_000, 250_000])
    @pytest.mark.parametrize("sign", ["[", "`", "<", "![](", "[[a|", "#", "a"])
    def test_a_note_of_one_sign_hinders_neither_the_job_nor_a_recall(
        self, memory: Memory, vault: Path, size: int, sign: str
    ) -> None:
        fill(memory, 10)
        large = f"---\ntitle: Large\n---\n{sign * (size // len(sign))}\n"
        (vault / "large.md").write_text(large)
        began = process_time()
        memory.recall(QUESTION)
        calibrate(store_of(memory))
        assert read_calibration(store_of(memory).index, "") is not None
        assert process_time() - began < 30


class TestRecall:
    def test_holds_its_value_against_the_vaults_own_threshold(self, memory: Memory) -> None:
        fill(memory, 30)
        store = store_of(memory)
        calibrate(store)
        assert memory.recall(QUESTION).given
        lower(store, 9.0)
        silent = memory.recall(QUESTION)
        assert silent.rejected
        assert silent.relevance < 0.5
        lower(store, 0.01)
        assert not memory.recall("who paints the moon?").rejected

    def test_explains_the_value_the_threshold_and_why_it_is_that(self, memory: Memory) -> None:
        fill(memory, 30)
        before = memory.recall(QUESTION, explain=True)
        assert before.explanation is not None and before.explanation.silence is not None
        assert before.explanation.silence.threshold == THRESHOLD
        assert before.explanation.silence.reason.startswith("prior: the vault has 30 entries")
        found = calibrate(store_of(memory)).found[""]
        after = memory.recall(QUESTION, explain=True)
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
        assert silence.reason.startswith("calibrated on")

    @pytest.mark.parametrize("profile", ["task", "tiered"])
    def test_explains_it_in_every_profile(self, memory: Memory, profile: str) -> None:
        fill(memory, 3)
        explanation = memory.recall(QUESTION, explain=True, profile=profile).explanation
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
        explanation = memory.recall(PROMPT, explain=True).explanation
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
        assert memory.recall(QUESTION).model == model
        lower(store, 9.0)
        assert not memory.recall(QUESTION).rejected, "of the words alone"
        found = kept(store, model)
        assert found.threshold == pytest.approx(
            choose_threshold([3.0] * 20, [0.0] * 9, 20), abs=THRESHOLD
        )
        found.threshold = 99.0
        save_calibration(store.index, model, found)
        assert memory.recall(QUESTION).rejected
