"""Trees of all four seeds, built by hand: imported without and with trust, again, undone, again and
exported, with every document as it was and every outcome counted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.outcomes import Imported
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import UsageError
from engrain.model.note.note import split_note
from support.layouts import (
    ALICE,
    FACT,
    INDEX,
    OLD_FACT,
    SEED_LIVING,
    SEED_VAULT,
    WORKSPACE,
    as_bytes,
    take_living,
    take_workspace,
    write_living,
    write_workspace,
)
from support.loki import TREE, list_lost
from support.vaults import make_memory
from unit.interchange.trees import take_in, write_out

EVERYTHING = Scope(all_projects=True, include_archive=True)


class Seed:
    """One seed's tree: how it is taken in, how many documents it has, and what it says when it is
    written out again, in a form in which two trees can be compared."""

    def __init__(
        self,
        name: str,
        documents: int,
        take: Callable[[Memory, Path, Terms], Imported],
        before: Callable[[], Any],
        after: Callable[[Memory, Path], Any],
    ) -> None:
        self.name = name
        self.documents = documents
        self.take = take
        self.before = before
        self.after = after


def facts_and_texts(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What a workspace says: facts, daily notes and MEMORY.md. Summaries, the index and the page
    about the layout are made of these by whoever writes them."""
    return {
        name: json.loads(raw) if name.endswith(".json") else raw
        for name, raw in files.items()
        if name.endswith("/items.json") or name == "MEMORY.md" or name.startswith("memory/20")
    }


def folder_of(tmp: Path) -> Path:
    folder = tmp / "handbook"
    for name, text in SEED_VAULT.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def texts_of_folder(_: Memory, tmp: Path) -> dict[str, str]:
    """The bodies of the notes: their frontmatter is Engrain's here, with theirs in it."""
    root = tmp / "vault/Memory/domain-reference/handbook"
    return {
        path.relative_to(root).as_posix(): split_note(path.read_bytes()).body
        for path in sorted(root.rglob("*.md"))
        if path.name != "_index.md"
    }


SEEDS = [
    Seed(
        "memory pillar",
        3,
        lambda memory, tmp, terms: memory.import_folder(str(folder_of(tmp)), terms=terms),
        lambda: {name: split_note(text.encode()).body for name, text in SEED_VAULT.items()},
        texts_of_folder,
    ),
    Seed(
        "loki",
        17,
        lambda memory, _, terms: take_in(memory, TREE, terms=terms),
        list,
        lambda memory, _: list_lost(TREE, write_out(memory)),
    ),
    Seed(
        "living",
        5,
        lambda memory, _, terms: take_living(memory, SEED_LIVING, terms=terms),
        lambda: say_when(SEED_LIVING),
        lambda memory, _: say_when(write_living(memory)),
    ),
    Seed(
        "three layers",
        7,
        lambda memory, _, terms: take_workspace(memory, WORKSPACE, terms=terms),
        lambda: facts_and_texts(as_bytes(WORKSPACE)),
        lambda memory, _: facts_and_texts(write_workspace(memory)),
    ),
]


def say_when(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Notes with their times as the seed writes them, without a zone."""
    return {
        name: re.sub(rb"(?m)^(\w+: )['\"](20[\d:T-]+)['\"]$", rb"\1\2", raw)
        for name, raw in files.items()
    }


def origins(memory: Memory) -> dict[str, str]:
    """Whom each live entry comes from; pages that the vault makes itself are none of the tree's."""
    rows = memory.list(scope=EVERYTHING, limit=1000).rows
    return {row.locator: memory.show(row.id).origin for row in rows}


def check_counts(seed: Seed, imported: Imported, **counts: int) -> None:
    assert imported.documents == seed.documents, imported.problems
    assert imported.counts == {name.replace("_", " "): count for name, count in counts.items()}


@pytest.fixture
def operated(tmp_path: Path) -> Any:
    with make_memory(tmp_path, trust="operator") as memory:
        yield memory


@pytest.mark.parametrize("seed", SEEDS, ids=[seed.name for seed in SEEDS])
def test_imported_without_and_with_trust_again_undone_and_again(tmp_path: Path, seed: Seed) -> None:
    withheld = {"left_out": 1} if seed.name == "three layers" else {}  # MEMORY.md
    whole = seed.documents - len(withheld)
    with make_memory(tmp_path) as agent:
        check_counts(seed, seed.take(agent, tmp_path, Terms()), created=whole, **withheld)
        assert set(origins(agent).values()) == {"external"}
        check_counts(seed, seed.take(agent, tmp_path, Terms()), unchanged=whole, **withheld)
    with make_memory(tmp_path, trust="operator", seed=8) as memory:
        trusted = seed.take(memory, tmp_path, Terms("operator"))
        more = {"created": 1} if withheld else {}
        check_counts(seed, trusted, trust_changed=whole, **more)
        assert set(origins(memory).values()) == {"operator"}
        again = seed.take(memory, tmp_path, Terms("operator"))
        check_counts(seed, again, unchanged=seed.documents)
        assert seed.after(memory, tmp_path) == seed.before()
        memory.undo()
        assert set(origins(memory).values()) == {"external"}
        seed.take(memory, tmp_path, Terms("operator", restore_deleted=True))
        assert set(origins(memory).values()) == {"operator"}
        assert seed.after(memory, tmp_path) == seed.before()
        assert all(report.wrong is None for report in memory.trust.survey().chains)


@pytest.mark.parametrize("seed", SEEDS, ids=[seed.name for seed in SEEDS])
def test_what_was_undone_stays_deleted_is_listed_and_comes_back_when_asked_for(
    operated: Memory, tmp_path: Path, seed: Seed
) -> None:
    seed.take(operated, tmp_path, Terms())
    before = origins(operated)
    imported = operated.undo()
    assert origins(operated) == {}
    gone = len(imported.entries)
    told = seed.take(operated, tmp_path, Terms())
    assert told.documents == seed.documents
    assert told.counts == {"stays deleted": seed.documents}
    assert len(told.deleted) == seed.documents <= gone  # pages of facts are written beside
    asked = seed.take(operated, tmp_path, Terms(restore_deleted=True))
    assert asked.counts == {"restored": seed.documents}
    assert origins(operated) == before
    assert seed.after(operated, tmp_path) == seed.before()


@pytest.mark.parametrize("seed", SEEDS, ids=[seed.name for seed in SEEDS])
def test_trust_that_is_named_is_the_trust_that_is_given(
    operated: Memory, tmp_path: Path, seed: Seed
) -> None:
    for trust in ("agent", "tool", "operator", "external"):
        seed.take(operated, tmp_path, Terms(trust))
        rows = {place: told for place, told in origins(operated).items() if place != "MEMORY.md"}
        assert set(rows.values()) == {trust}


def test_nobody_gives_more_trust_than_they_have(memory: Memory) -> None:
    with pytest.raises(UsageError, match="who writes as agent can't vouch as operator"):
        take_living(memory, SEED_LIVING, terms=Terms("operator"))
    assert memory.list().total == 0


def test_the_trust_of_what_was_edited_here_or_never_came_stays(operated: Memory) -> None:
    edited, own = "abc12345", operated.save("All of The meeting.", title="Mine")
    take_living(operated, SEED_LIVING, terms=Terms("external"))
    operated.edit(edited, expect=operated.show(edited).entry.hash, text="I know better.")
    take_living(operated, SEED_LIVING, terms=Terms("external"))
    assert operated.show(edited).origin == "operator"
    assert operated.show(own.id).origin == "operator"


def test_facts_get_the_trust_that_is_named(operated: Memory) -> None:
    def trusts() -> set[str]:
        raw = operated.show("Memory/entities/alice/items.json").entry.note.raw
        return {fact["trust"] for fact in json.loads(raw)["engrain"]["facts"].values()}

    tree = {ALICE: [OLD_FACT, FACT], INDEX: WORKSPACE[INDEX]}
    take_workspace(operated, tree, terms=Terms("external"))
    assert trusts() == {"external"}
    assert take_workspace(operated, tree, terms=Terms("operator")).counts == {"trust changed": 1}
    assert trusts() == {"operator"}


def test_a_document_keeps_the_date_that_it_says_then_that_of_its_file(
    memory: Memory, tmp_path: Path
) -> None:
    at = 1_500_000_000.0
    terms = Terms(date_of=lambda _: at)
    take_living(memory, {"active/plain.md": "# Plain\n\nNo date.\n", **SEED_LIVING}, terms=terms)
    plain = next(row for row in memory.list(limit=20).rows if row.title == "Plain")
    assert plain.created == at
    assert memory.show("def45678").entry.created == 1_769_767_200.0
    take_in(memory, TREE, terms=terms)
    assert memory.show("anti-3").entry.created == at
    assert memory.show("ep-2026-01-06-001").entry.created != at
    memory.import_folder(str(folder_of(tmp_path)), terms=terms)
    assert memory.show("dates").entry.created == at
    assert memory.show("pg-lock").entry.created == 1_769_874_420.0
    assert take_workspace(memory, WORKSPACE, terms=terms).counts["created"] == 6
    day = 1_769_558_400.0  # 2026-01-28, by the name of the note
    assert memory.show("Memory/daily/2026-01-28.md").entry.created == day
