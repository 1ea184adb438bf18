"""Whatever two users save, change and ask for, neither meets an entry of the other."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import ConflictError, NotFoundError, Scope, UsageError
from engrain.api.user_memory import UserMemory
from support.vaults import make_memory

USERS = ("ada", "ben")
WORDS = ("quay", "tide", "rope", "anchor", "lamp")

users = st.sampled_from(USERS)
words = st.sampled_from(WORDS)
kinds = st.sampled_from(["memory", "preference", "fix", "decision", "idea"])
acts = st.one_of(
    st.tuples(st.just("save"), users, st.lists(words, min_size=1, max_size=3), kinds),
    st.tuples(st.just("share"), users, st.lists(words, min_size=1, max_size=3), kinds),
    st.tuples(st.sampled_from(["forget", "evolve", "restore"]), users, st.integers(0, 20)),
    st.tuples(st.just("ask"), users, words),
)
SCOPES = (
    Scope(),
    Scope(include_archive=True, include_superseded=True, include_inbox=True),
    Scope(statuses=["deleted", "superseded", "archived", "active"]),
    Scope(as_of="2030-01-01"),
)
PROFILES = ("prompt", "task", "associative", "deep", "tiered")


def check(memory: UserMemory, word: str, owners: dict[str, str], limit: int) -> None:
    """Assert that no way of reading gives this user an entry of another."""
    seen = {row.id for scope in SCOPES for row in memory.list(scope=scope).rows}
    for profile in PROFILES:
        recall = memory.recall(f"the {word} at night", profile=profile, limit=limit)
        seen |= {found.row.id for found in (*recall.results, *recall.nearest)}
        assert recall.elsewhere == 0
    assert {owners[id_] for id_ in seen} <= {memory.user, ""}
    for id_, owner in owners.items():
        if owner not in (memory.user, ""):
            try:
                memory.read(id_)
            except NotFoundError:
                continue
            raise AssertionError(f"{memory.user} reads an entry of {owner}")


@settings(max_examples=12)
@given(st.lists(acts, min_size=3, max_size=14), st.integers(1, 3))
def test_users_never_meet_each_others_entries(steps: list[tuple], limit: int) -> None:  # type: ignore[type-arg]
    with tempfile.TemporaryDirectory() as folder, make_memory(Path(folder)) as whole:
        owners: dict[str, str] = {}
        for number, (act, user, *given_) in enumerate(steps):
            memory = whole.for_user(user)
            if act in ("save", "share"):
                said, kind = given_
                text = f"The {' and the '.join(said)} at night."
                if act == "save":
                    saved = memory.save(text, title=said[0], kind=kind)
                    assert owners.get(saved.other or "", user) in (user, "")
                    owners.setdefault(saved.id, user)
                else:
                    owners.setdefault(whole.save(text, title=said[0], kind=kind).id, "")
            elif act == "ask":
                check(memory, given_[0], owners, limit)
            elif owners:
                reference = sorted(owners)[given_[0] % len(owners)]
                allowed = owners[reference] == user
                try:
                    if act == "evolve":
                        newer = memory.evolve(reference, f"The rope holds number {number}.")
                        owners[newer.id] = user
                    else:
                        getattr(memory, act)(reference)
                except ConflictError:
                    continue  # its state forbids it
                except (NotFoundError, UsageError):
                    assert not allowed
                else:
                    assert allowed
        for user in USERS:
            check(whole.for_user(user), "rope", owners, limit)


def test_a_user_is_not_starved_by_the_entries_of_many_others(tmp_path: Path) -> None:
    with make_memory(tmp_path) as whole:
        for number in range(60):
            whole.for_user(f"user-{number}").save(
                f"My rope is at pier {number}.", title=f"Rope {number}"
            )
        found = whole.for_user("user-7").recall("where is my rope", limit=1)
        assert [one.row.title for one in found.results] == ["Rope 7"]
