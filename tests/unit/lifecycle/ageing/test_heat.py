"""`heat`: what is recalled in session after session is loaded in every one (S1.16)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.core.moving import pin_entry, promote_entry
from engrain.engine.core.store import JOBS
from engrain.lifecycle.ageing.heat import Warmth, choose_promoted, run
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.policy import HeatRule
from engrain.model.errors import ConfigError
from engrain.model.run_result import RunResult
from support.vaults import START, FakeClock, make_memory
from unit.engine.core.vault_files import notes, put
from unit.lifecycle.sessions.living import DAY, entry_of, store_of, with_settings

RULE = HeatRule(window=20, hits=5, cold=2, floor=0, tokens=400)
WINDOW = 8
SMALL = {"heat.window": str(WINDOW), "heat.hits": "3", "heat.cold": "1", "heat.floor": "0"}


def warm(id_: str, hits: int, *, project: str = "", known: int = 20, tokens: int = 50,
         weight: float = 0.0, promoted: bool = False, pinned: bool = False) -> Warmth:  # fmt: skip
    return Warmth(id_, project, hits=hits, known=known, tokens=tokens, weight=weight,
                  promoted=promoted, pinned=pinned)  # fmt: skip


# -- the policy ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "promoted", "chosen"),
    [(5, False, True), (4, False, False), (4, True, True), (2, True, True), (1, True, False)],
)
def test_an_entry_is_hot_at_five_hits_and_cold_under_two(
    hits: int, promoted: bool, chosen: bool
) -> None:
    assert choose_promoted([warm("a", hits, promoted=promoted)], RULE) == (["a"] if chosen else [])


def test_before_a_whole_window_has_passed_nothing_promoted_is_cold() -> None:
    assert choose_promoted([warm("a", 0, known=19, promoted=True)], RULE) == ["a"]
    assert choose_promoted([warm("a", 0, known=20, promoted=True)], RULE) == []


def test_the_warmest_of_what_is_cold_stay_down_to_the_floor() -> None:
    rule = HeatRule(20, 5, 2, 2, 400)
    cold = [warm(id_, hits, promoted=True) for id_, hits in (("a", 0), ("b", 1), ("c", 0))]
    assert choose_promoted(cold, rule) == ["b", "a"]
    assert choose_promoted([*cold, warm("d", 9)], rule) == ["d", "b"]
    assert choose_promoted([warm("never", 1), warm("promoted", 0)], rule) == []


def test_where_the_tokens_end_the_hottest_are_loaded_and_pins_before_them() -> None:
    rule = HeatRule(20, 5, 2, 0, 100)
    entries = [warm("a", 5), warm("b", 9), warm("c", 7)]
    assert choose_promoted(entries, rule) == ["b", "c"]
    assert choose_promoted([*entries, warm("p", 0, pinned=True)], rule) == ["p", "b"]
    assert choose_promoted([warm("big", 9, tokens=101), warm("small", 5)], rule) == ["small"]


def test_each_projects_session_has_the_tokens_for_itself() -> None:
    rule = HeatRule(20, 5, 2, 0, 100)
    entries = [warm(f"{name}{n}", 9 - n, project=name) for name in "xy" for n in range(3)]
    assert sorted(choose_promoted(entries, rule)) == ["x0", "x1", "y0", "y1"]
    shared = [*entries, warm("all", 10)]
    assert sorted(choose_promoted(shared, rule)) == ["all", "x0", "y0"]
    assert sorted(choose_promoted([*entries, warm("late", 5)], rule)) == ["x0", "x1", "y0", "y1"]


warmths = st.lists(
    st.builds(
        Warmth,
        st.uuids().map(str),
        st.sampled_from(["", "x", "y"]),
        hits=st.integers(0, 20),
        known=st.integers(0, 20),
        tokens=st.integers(1, 200),
        weight=st.floats(0, 1),
        promoted=st.booleans(),
        pinned=st.booleans(),
    ),
    max_size=12,
)
rules = st.builds(
    lambda hits, cold, floor, tokens: HeatRule(20, hits, min(cold, hits - 1), floor, tokens),
    st.integers(1, 20), st.integers(0, 19), st.integers(0, 5), st.integers(0, 600),
)  # fmt: skip


@given(entries=warmths, rule=rules)
def test_whatever_is_warm_no_projects_session_gets_more_than_the_tokens_but_for_pins(
    entries: list[Warmth], rule: HeatRule
) -> None:
    chosen = choose_promoted(entries, rule)
    assert len(chosen) == len(set(chosen))
    by_id = {one.id: one for one in entries}
    assert set(chosen) <= set(by_id)
    for project in ("x", "y", "z"):
        got = [by_id[id_] for id_ in chosen if by_id[id_].project in ("", project)]
        pinned = sum(one.tokens for one in got if one.pinned)
        assert sum(one.tokens for one in got) <= max(rule.tokens, pinned)
    assert {one.id for one in entries if one.pinned} <= set(chosen)
    assert chosen == choose_promoted(entries[::-1], rule)


@given(entries=warmths, rule=rules)
def test_where_all_have_room_pins_stay_and_each_is_chosen_by_its_own_hits(
    entries: list[Warmth], rule: HeatRule
) -> None:
    rule = HeatRule(rule.window, rule.hits, rule.cold, rule.floor, 10**6)
    chosen = set(choose_promoted(entries, rule))
    sure = set()
    for one in entries:
        stays = one.promoted and (one.hits >= rule.cold or one.known < rule.window)
        if one.pinned or one.hits >= rule.hits or stays:
            sure.add(one.id)
        elif not one.promoted:
            assert one.id not in chosen
    assert sure <= chosen
    cold = {one.id for one in entries if one.promoted} - sure
    assert len(chosen) == max(len(sure), min(rule.floor, len(sure | cold)))


def replay(sequence: Sequence[bool], rule: HeatRule) -> list[bool]:
    """Whether an entry that some sessions hit is promoted after each of them."""
    promoted, states = False, []
    for end in range(1, len(sequence) + 1):
        last = sequence[max(0, end - rule.window) : end]
        one = warm("a", sum(last), known=len(last), promoted=promoted)
        promoted = bool(choose_promoted([one], rule))
        states.append(promoted)
    return states


def changes(states: Sequence[bool]) -> list[int]:
    return [n for n in range(1, len(states)) if states[n] != states[n - 1]]


@given(sequence=st.lists(st.booleans(), max_size=120), dense=st.integers(1, 6))
def test_no_sequence_of_hits_makes_an_entry_come_and_go_within_a_window(
    sequence: list[bool], dense: int
) -> None:
    hits = [hit and n % dense == 0 for n, hit in enumerate(sequence)]
    rule = HeatRule(WINDOW, 4, 1, 0, 400)
    states = replay(hits, rule)
    turns = changes([False, *states])
    for one, later in pairwise(turns):
        # All its hits must leave the window before it goes, and four come before it is back.
        assert later - one >= (rule.window if states[one - 1] else rule.hits)


@given(hits=st.lists(st.integers(RULE.cold, RULE.hits - 1), min_size=1), promoted=st.booleans())
def test_between_cold_and_hot_an_entry_never_changes(hits: list[int], promoted: bool) -> None:
    state = promoted
    for count in hits:
        state = bool(choose_promoted([warm("a", count, promoted=state)], RULE))
        assert state is promoted


def test_of_two_as_hot_as_each_other_the_one_that_is_there_stays() -> None:
    rule = HeatRule(20, 5, 2, 0, 50)
    for id_ in ("a", "b"):
        entries = [warm(other, 7, promoted=other == id_) for other in ("a", "b")]
        assert choose_promoted(entries, rule) == [id_]


# -- the job -------------------------------------------------------------------------------------


def save(memory: Memory, title: str, **more: object) -> str:
    text = f"Zebras called {title} wander."
    options: dict[str, object] = {"kind": "fix", "project": "", **more}
    return memory.save(text, title=title, **options).id  # type: ignore[arg-type]


def hit(memory: Memory, count: int, *ids: str, project: str = "") -> None:
    local = store_of(memory).device.local
    first = len(local.sessions())
    for number in range(first, first + count):
        local.end_session(f"hit-{number}", project, START + number, ids)


def heat(memory: Memory, more: dict[str, str] | None = None, **how: bool) -> RunResult:
    return run(with_settings(store_of(memory), {**SMALL, **(more or {})}), Run(**how))  # type: ignore[arg-type]


def place(memory: Memory, id_: str) -> str:
    return memory.show(id_).locator


def test_a_hot_entry_moves_to_what_every_session_gets_and_back_when_it_is_cold(
    memory: Memory,
) -> None:
    id_ = save(memory, "Lock")
    linking = memory.save("See [[lock]].", title="Linking", project="").id
    home = place(memory, id_)
    hit(memory, 2, id_)
    assert heat(memory).counts == {"demoted": 0, "promoted": 0}
    hit(memory, 1, id_)
    report = heat(memory)
    assert report.counts == {"demoted": 0, "promoted": 1}
    assert report.lines == (f"promoted {id_}: recalled in 3 of the last {WINDOW} sessions",)
    assert place(memory, id_) == "Memory/_always-load/lock.md"
    assert entry_of(memory, id_).always_load
    assert [row.id for row, _ in memory.show(id_).links_to] == [linking]
    change = memory.history(id_)[0]
    assert (change.op, change.agent, change.trust) == ("promote", JOBS, "agent")
    assert change.reason == f"recalled in 3 of the last {WINDOW} sessions"

    hit(memory, WINDOW - 1)
    assert heat(memory).counts["demoted"] == 0  # one of its hits is in the window still
    hit(memory, 1)
    report = heat(memory)
    assert report.counts == {"demoted": 1, "promoted": 0}
    assert place(memory, id_) == home
    entry = entry_of(memory, id_)
    assert (entry.id, entry.kind, entry.slug, entry.always_load) == (id_, "fix", "lock", False)
    assert [row.id for row, _ in memory.show(id_).links_to] == [linking]
    assert list(dict.fromkeys(change.op for change in memory.history(id_))) == [
        "demote", "promote", "save",
    ]  # fmt: skip


@pytest.mark.parametrize("status", ["active", "inbox"])
def test_what_a_later_statement_contradicts_is_not_loaded(memory: Memory, status: str) -> None:
    id_ = save(memory, "Lock")
    later = save(memory, "Key", status=status)
    memory.link(later, id_, "contradicts")
    hit(memory, 3, id_)
    assert heat(memory).counts == {"demoted": 0, "promoted": 0}
    memory.link(later, id_, "contradicts", remove=True)
    assert heat(memory).counts == {"demoted": 0, "promoted": 1}


def test_what_only_learning_made_is_loaded_once_somebody_used_it(memory: Memory) -> None:
    id_ = save(memory, "Lock", source="session")
    hit(memory, 3, id_)
    assert heat(memory).counts == {"demoted": 0, "promoted": 0}
    local = store_of(memory).device.local
    local.end_session("used", "", START + 9, [id_], [id_])
    assert heat(memory).counts == {"demoted": 0, "promoted": 1}


def test_the_job_is_done_once(memory: Memory, vault: Path) -> None:
    ids = [save(memory, f"Lock {number}") for number in range(2)]
    hit(memory, 3, *ids)
    assert heat(memory).counts["promoted"] == 2
    after = notes(vault)
    report = heat(memory)
    assert not report.lines
    assert notes(vault) == after


def test_a_dry_run_tells_all_and_changes_nothing(memory: Memory, vault: Path) -> None:
    id_ = save(memory, "Lock")
    hit(memory, 3, id_)
    before = notes(vault)
    report = heat(memory, dry_run=True)
    assert report.counts["promoted"] == 1
    assert len(report.lines) == 1
    assert notes(vault) == before


def test_hits_count_by_the_sessions_of_its_own_scope(memory: Memory) -> None:
    id_ = save(memory, "Lock", project="billing")
    hit(memory, 3, id_, project="billing")
    hit(memory, 3 * WINDOW, project="orchard")
    assert heat(memory).counts["promoted"] == 1
    hit(memory, WINDOW, project="orchard")
    assert heat(memory).counts["demoted"] == 0
    hit(memory, WINDOW, project="billing")
    assert heat(memory).counts["demoted"] == 1


def test_a_new_promotion_has_a_window_to_prove_itself_on_a_device_that_knows_no_hits(
    memory: Memory,
) -> None:
    id_ = save(memory, "Lock")
    promote_entry(store_of(memory), id_)
    hit(memory, WINDOW - 1)
    assert heat(memory).counts["demoted"] == 0
    hit(memory, 1)
    assert heat(memory).counts["demoted"] == 1


def test_what_is_pinned_stays_however_cold(memory: Memory) -> None:
    id_ = save(memory, "Lock")
    pin_entry(store_of(memory), id_)
    hit(memory, 3 * WINDOW)
    assert not heat(memory).lines
    assert entry_of(memory, id_).always_load
    pin_entry(store_of(memory), id_, on=False)
    assert heat(memory).counts["demoted"] == 1


def test_the_floor_stays_however_cold(memory: Memory) -> None:
    ids = [save(memory, f"Lock {number}") for number in range(3)]
    hit(memory, 3, *ids)
    heat(memory)
    hit(memory, 3 * WINDOW)
    assert heat(memory, {"heat.floor": "2"}).counts["demoted"] == 1
    assert sum(entry_of(memory, id_).always_load for id_ in ids) == 2


def test_what_is_too_long_is_never_promoted(memory: Memory) -> None:
    id_ = memory.save("Zebras wander. " * 400, title="Long", kind="fix", project="").id
    hit(memory, 3, id_)
    assert not heat(memory).lines
    assert not entry_of(memory, id_).always_load


def test_a_lower_ceiling_makes_room(memory: Memory) -> None:
    ids = [save(memory, f"Lock {number}") for number in range(3)]
    hit(memory, 3, *ids)
    hit(memory, 1, ids[1])
    heat(memory)
    assert heat(memory, {"heat.tokens": "50"}).counts["demoted"] == 2
    assert entry_of(memory, ids[1]).always_load


def test_what_nobody_vouches_for_is_not_loaded(memory: Memory, vault: Path) -> None:
    memory.list()
    put(vault, "Memory/fix/outside.md", "---\nid: 01out\nkind: fix\n---\n# Outside\nObey.\n")
    memory.scan()
    hit(memory, 3, "01out")
    before = notes(vault)
    report = heat(memory)
    assert report.counts == {"demoted": 0, "promoted": 0}
    assert notes(vault)["Memory/fix/outside.md"] == before["Memory/fix/outside.md"]


@pytest.mark.parametrize("kind", ["episode", "entity", "daily"])
def test_what_no_session_could_load_whole_is_not_promoted(memory: Memory, kind: str) -> None:
    id_ = save(memory, "Thing", kind=kind)
    hit(memory, 5, id_)
    assert not heat(memory).lines


def test_the_operators_folders_and_the_inbox_are_left_alone(memory: Memory, vault: Path) -> None:
    memory.list()
    put(vault, "fixes/mine.md", "---\nid: 01mine\nkind: fix\n---\n# Mine\n")
    put(vault, "Memory/_inbox/x.md", "---\nid: 01in\nkind: fix\n---\n# In\n")
    put(vault, "always/y.md", "---\nid: 01al\nkind: fix\nalways_load: true\n---\n# Always\n")
    memory.scan()
    before = notes(vault)
    hit(memory, 5, "01mine", "01in")
    hit(memory, 3 * WINDOW)
    assert not heat(memory).lines
    assert notes(vault) == before


def test_an_entry_that_is_broken_is_left_and_costs_no_other(memory: Memory, vault: Path) -> None:
    broken, hot = save(memory, "Broken"), save(memory, "Hot")
    hit(memory, 3, broken, hot)
    (vault / "Memory" / "fix" / "broken.md").write_bytes(b"---\nid: [\n")
    assert heat(memory).counts["promoted"] == 1
    assert entry_of(memory, hot).always_load


def test_a_rule_that_would_flap_is_reported_before_anything_moves(memory: Memory) -> None:
    id_ = save(memory, "Lock")
    hit(memory, 3, id_)
    with pytest.raises(ConfigError, match="would flap"):
        heat(memory, {"heat.cold": "3"})
    assert not entry_of(memory, id_).always_load


def test_what_another_device_promoted_is_its_own_to_cool_for_a_season(
    memory: Memory, clock: FakeClock, tmp_path: Path
) -> None:
    id_ = save(memory, "Lock")
    hit(memory, 5, id_)
    heat(memory)
    assert place(memory, id_) == "Memory/_always-load/lock.md"
    with make_memory(tmp_path, device="other", clock=clock, seed=9) as other:
        hit(other, WINDOW)
        heat(other)
        assert place(other, id_) == "Memory/_always-load/lock.md"
        clock.at += 91 * DAY
        heat(other)
        assert place(other, id_) != "Memory/_always-load/lock.md"
