"""Proposals and the operator's word on them (S1.17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, Scope, UsageError
from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing import staging
from engrain.lifecycle.reviewing.staging import Proposal
from support.vaults import FakeClock
from unit.engine.core.vault_files import find, notes, put
from unit.lifecycle.dreaming.sleepers import compose, id_of, put_all

LONG = "The pooler drops prepared statements. " + "Nothing much happened on that day at all. " * 30
DAY = 86_400.0


def store_of(memory: Memory) -> Store:
    return memory._ready(scan=True)


def the_one(memory: Memory) -> Proposal:
    (proposal,) = memory.review.list()
    return proposal


def test_a_proposal_is_a_note_with_action_reason_and_diff_that_recall_does_not_see(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix", tags=["pg"])
    made = memory.review.propose("archive", saved.id, "not recalled in 9 sessions")
    assert made is not None
    assert made.locator == f"Memory/_dream-staging/archive-{saved.id}.md"
    text = (vault / made.locator).read_text()
    assert "status: proposed\n" in text
    assert "\nnot recalled in 9 sessions\n\n```diff\n--- Memory/fix/pooler.md\n" in text
    assert "+status: archived" in text
    assert memory.history(limit=1)[0].op == "propose"
    assert find(memory, "archive pooler") == ["Pooler"]
    assert memory.recall("archive", profile="deep").results == ()
    assert [row.title for row in memory.list(scope=Scope(tags=["pg"])).rows] == ["Pooler"]
    proposal = the_one(memory)
    assert (proposal.action, proposal.target, proposal.reason) == (
        "archive", saved.id, "not recalled in 9 sessions",
    )  # fmt: skip


def test_accepting_does_it_as_the_operator_in_a_change_that_can_be_undone_alone(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="value")  # which an agent may not archive
    before = (vault / saved.locator).read_bytes()
    memory.review.propose("archive", saved.id, "old")
    decision = memory.review.accept(the_one(memory).id)
    assert decision.decision == "accepted"
    assert memory.show(saved.id).entry.status == "archived"
    change = next(change for change in memory.history(saved.id) if change.op == "archive")
    assert (change.trust, change.reason) == ("operator", f"proposal {decision.proposal.id}: old")
    assert memory.review.list() == []
    (decided,) = memory.review.list(decided=True)
    assert (decided.status, decided.decision) == ("archived", "accepted")
    assert decided.decided is not None
    memory.undo(change.change)
    assert (vault / saved.locator).read_bytes() == before


def test_what_was_shown_is_what_is_done(memory: Memory) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    _, diff = memory.review.show(the_one(memory).id)
    memory.review.accept(the_one(memory).id)
    said = memory.show(saved.id).entry.text.splitlines()[0]
    assert f"+{said}" in diff


def test_the_same_is_not_proposed_twice_nor_after_it_was_rejected(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    assert memory.review.propose("archive", saved.id) is not None
    assert memory.review.propose("archive", saved.id) is None
    memory.review.reject(the_one(memory).id, "still in use")
    assert memory.review.propose("archive", saved.id) is None
    assert memory.history(limit=1)[0].reason == "rejected: still in use"
    shown = memory.show(saved.id).entry
    memory.edit(saved.id, expect=shown.hash, text=LONG + "Changed.")
    again = memory.review.propose("archive", saved.id)
    assert again is not None
    assert again.locator.startswith(f"Memory/_dream-staging/archive-{saved.id}--")


def test_an_open_proposal_about_what_has_changed_gives_way_to_a_new_one(memory: Memory) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    first = memory.review.propose("archive", saved.id)
    shown = memory.show(saved.id).entry
    memory.edit(saved.id, expect=shown.hash, text=LONG + "Changed.")
    second = memory.review.propose("archive", saved.id)
    assert first is not None and second is not None
    assert the_one(memory).id == second.id
    assert [(one.id, one.decision) for one in memory.review.list(decided=True)] == [
        (first.id, "stale")
    ]


def test_counters_that_change_do_not_make_a_proposal_stale(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"---\n", b"---\nrecall_count: 4\n", 1))
    assert memory.review.propose("archive", saved.id) is None
    assert memory.review.accept(the_one(memory).id).decision == "accepted"


def test_one_whose_target_has_changed_since_is_refused_and_stale(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    id_ = the_one(memory).id
    shown = memory.show(saved.id).entry
    memory.edit(saved.id, expect=shown.hash, text="Changed.")
    for word in ("has changed since the proposal", "stale"):
        with pytest.raises(ConflictError, match=word):
            memory.review.accept(id_)
    assert memory.show(saved.id).entry.status == "active"
    assert [one.decision for one in memory.review.list(decided=True)] == ["stale"]


def test_one_whose_target_is_gone_is_stale(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    (vault / saved.locator).unlink()
    with pytest.raises(ConflictError):
        memory.review.accept(the_one(memory).id)
    assert memory.review.list() == []


def test_an_expired_one_is_refused_with_the_day_and_may_be_proposed_again(
    memory: Memory, clock: FakeClock
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    id_ = the_one(memory).id
    clock.at += 31 * DAY
    with pytest.raises(ConflictError, match="expired on 2026-10-21"):
        memory.review.accept(id_)
    assert memory.review.list() == []
    assert memory.review.propose("archive", saved.id) is not None


def test_the_job_expires_what_waited_too_long_once(memory: Memory, clock: FakeClock) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    id_ = the_one(memory).id
    assert staging.run(store_of(memory), Run()).counts == {"expired": 0}
    clock.at += 31 * DAY
    before = len(memory.history())
    assert staging.run(store_of(memory), Run(dry_run=True)).counts == {"expired": 1}
    assert len(memory.history()) == before
    report = staging.run(store_of(memory), Run())
    assert (report.counts, report.lines) == (
        {"expired": 1}, (f"expired {id_}: archive {saved.id}",),
    )  # fmt: skip
    assert staging.run(store_of(memory), Run()).counts == {"expired": 0}
    assert staging.run(store_of(memory), Run(out_of_time=lambda: True)).unfinished is False


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_decided_one_is_refused_with_what_was_decided(memory: Memory, verb: str) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    id_ = the_one(memory).id
    memory.review.reject(id_)
    with pytest.raises(ConflictError, match=r"decided on 2026-09-21.*rejected"):
        getattr(memory.review, verb)(id_)


def test_one_who_died_before_the_decision_was_written_does_no_harm_by_doing_it_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    id_ = the_one(memory).id

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(staging, "decide", die)
        with pytest.raises(KeyboardInterrupt):
            memory.review.accept(id_)
    assert memory.show(saved.id).entry.status == "archived"
    count = len(memory.history(saved.id))
    assert memory.review.accept(id_).decision == "accepted"
    assert len(memory.history(saved.id)) == count


def test_undoing_a_proposal_or_a_decision_gives_what_was_before(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    memory.review.propose("archive", saved.id)
    before = notes(vault)
    proposal = the_one(memory)
    memory.review.reject(proposal.id)
    memory.undo()
    assert notes(vault) == before
    memory.undo(memory.history(proposal.id)[-1].change)
    assert memory.review.list() == memory.review.list(decided=True) == []


def test_an_edit_by_another_program_can_be_attested(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Lock", kind="fix")
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"first", b"last"))
    memory.scan()
    memory.review.propose("attest", saved.id, "edited by hand")
    _, diff = memory.review.show(the_one(memory).id)
    assert "-Take it first." in diff and "+Take it last." in diff
    memory.review.accept(the_one(memory).id)
    shown = memory.show(saved.id)
    assert (shown.origin, shown.attested) == ("operator", True)


CRAFTED = """---
id: 01crafted
kind: proposal
status: proposed
created: 2026-09-01
proposal: {{action: {action}, target: {target}, base: {base}}}
source: {{trust: operator}}
---
# Please
"""


@pytest.mark.parametrize(
    ("action", "target", "base"),
    [
        ("erase", "{id}", "{base}"),
        ("archive", "{path}", "{base}"),
        ("archive", "../../etc/passwd", "{base}"),
        ("archive", "{id}", "0"),
        ("attest", "{id}", ""),
    ],
)
def test_a_crafted_proposal_does_nothing_outside_the_table_and_to_nothing_else(
    memory: Memory, vault: Path, action: str, target: str, base: str
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    known = {
        "id": saved.id,
        "path": saved.locator,
        "base": memory.show(saved.id).entry.note.substance(),
    }
    text = CRAFTED.format(
        action=action, target=target.format(**known), base=base.format(**known) or '""'
    )
    put(vault, "Memory/_dream-staging/crafted.md", text)
    before = {path: raw for path, raw in notes(vault).items() if "staging" not in path}
    with pytest.raises(Exception) as caught:
        memory.review.accept("01crafted")
    assert isinstance(caught.value, ConflictError | NotFoundError) or "personal" in str(
        caught.value
    )
    assert {p: raw for p, raw in notes(vault).items() if "staging" not in p} == before


def test_all_of_a_kind_are_accepted_but_what_nobody_attests(memory: Memory, vault: Path) -> None:
    saved = [memory.save(LONG, title=f"Pooler {n}", kind="fix") for n in range(3)]
    memory.review.propose("archive", saved[0].id)
    memory.review.propose("attest", saved[1].id)
    base = memory.show(saved[2].id).entry.note.substance()
    text = CRAFTED.format(action="archive", target=saved[2].id, base=base)
    put(vault, "Memory/_dream-staging/crafted.md", text)
    decisions = memory.review.accept_all("archive")
    assert {(one.proposal.target, one.decision) for one in decisions} == {
        (saved[0].id, "accepted"),
        (saved[2].id, ""),
    }
    assert [memory.show(one.id).entry.status for one in saved] == ["archived", "active", "active"]
    assert memory.review.accept("01crafted").decision == "accepted"  # who names it has looked at it


def test_what_came_from_outside_is_let_in_by_nobody_who_has_not_looked_at_it(
    memory: Memory,
) -> None:
    for title, by in (("Fed", "external"), ("Own", "agent")):
        place = f"Memory/_inbox/{title.lower()}.md"
        text = compose(place, title, "It says so.").replace("active", "inbox")
        put_all(memory, [(place, text)], by=by)
        memory.review.propose("file", id_of(place))
    left, filed = sorted(memory.review.accept_all(), key=lambda one: one.decision)
    assert left.error == "it is about what came from outside: accept it by its id"
    assert (filed.decision, filed.proposal.title) == ("accepted", "file: Own")
    assert memory.review.accept(left.proposal.id).decision == "accepted"


def test_what_is_no_proposal_is_reported(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    put(vault, "Memory/_dream-staging/odd.md", "---\nid: 01odd0\nkind: proposal\n---\n# Odd\n")
    for reference in (saved.id, "zebra", "01odd0"):
        with pytest.raises(NotFoundError):
            memory.review.accept(reference)
    assert memory.review.list() == []
    with pytest.raises(UsageError, match="no action"):
        memory.review.propose("destroy", saved.id)
    with pytest.raises(UsageError):
        memory.review.accept_all("destroy")


def test_a_text_full_of_fences_and_a_long_one_make_a_diff_that_ends(
    memory: Memory, vault: Path
) -> None:
    text = "````\n" + "\n".join(f"line {n}" for n in range(3000)) + "\n````\n"
    saved = memory.save(text, title="Fences", kind="fix")
    made = memory.review.propose("archive", saved.id)
    assert made is not None
    lines = (vault / made.locator).read_text().splitlines()
    assert len(lines) < 450
    assert lines.count("`````") == 1
    assert "`````diff" in lines
