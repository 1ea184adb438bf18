"""Whom an entry comes from: the least of what it was made from, raised by the operator alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engrain import ConflictError, Memory
from engrain.engine.core.attesting import acting_from, effective_trust, least, list_unattested
from engrain.engine.core.scope import Scope
from engrain.model.note.tiers import ORIGINS
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from support.vaults import make_memory, write_as
from unit.engine.core.vault_files import put

As = Callable[[str], Memory]

EVERYTHING = Scope(
    all_projects=True, statuses=("active", "inbox", "superseded", "archived", "deleted")
)


@pytest.fixture
def acting(tmp_path: Path) -> Iterator[As]:
    """One memory as different actors see it."""
    opened: dict[str, Memory] = {}

    def open_as(trust: str) -> Memory:
        if trust not in opened:
            opened[trust] = make_memory(tmp_path, trust=trust, seed=len(opened))
        return opened[trust]

    yield open_as
    for memory in opened.values():
        memory.close()


def row_of(memory: Memory, id_: str) -> Row:
    rows = memory.list(scope=EVERYTHING).rows
    return next(row for row in rows if row.id == id_)


def origin(memory: Memory, id_: str) -> tuple[str, bool]:
    row = row_of(memory, id_)
    return row.source, row.attested


def save(memory: Memory, title: str, *sources: str, kind: str = "fix") -> str:
    return memory.save(f"Of {title}.", title=title, kind=kind, derived_from=sources).id


@pytest.mark.parametrize("trust", ORIGINS)
def test_what_an_actor_saves_is_attested_as_theirs(acting: As, trust: str) -> None:
    memory = acting(trust)
    assert origin(memory, save(memory, "A")) == (trust, True)


@pytest.mark.parametrize("actor", ORIGINS)
@pytest.mark.parametrize("source", ORIGINS)
def test_what_is_derived_has_the_least_origin_and_its_file_says_so(
    acting: As, actor: str, source: str
) -> None:
    first = save(acting(source), "Source")
    memory = acting(actor)
    derived = save(memory, "Derived", first)
    assert origin(memory, derived) == (least(actor, source), True)
    assert memory.show(derived).entry.trust == least(actor, source)
    assert memory.history(derived)[0].trust == least(actor, source)


@pytest.mark.parametrize(("actor", "found"), [("agent", "external"), ("operator", "operator")])
def test_a_source_that_is_nowhere_is_external_unless_the_operator_names_it(
    acting: As, actor: str, found: str
) -> None:
    memory = acting(actor)
    assert origin(memory, save(memory, "Derived", "01nowhere")) == (found, True)


def test_a_source_that_another_program_wrote_is_external(acting: As, vault: Path) -> None:
    memory = acting("agent")
    put(vault, "Memory/fix/p.md", "---\nid: 01planted\nsource: {trust: operator}\n---\n# P\nx\n")
    memory.scan()
    assert origin(memory, save(memory, "Derived", "01planted")) == ("external", True)


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_chain_of_derivations_ends_above_any_of_its_links(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("lineage")
    made: list[tuple[str, str]] = []
    memories = {
        trust: make_memory(folder, trust=trust, seed=number) for number, trust in enumerate(ORIGINS)
    }
    try:
        for number in range(data.draw(st.integers(2, 6))):
            trust = data.draw(st.sampled_from(ORIGINS))
            sources = data.draw(st.lists(st.sampled_from(made), max_size=3)) if made else []
            id_ = save(memories[trust], f"Note {number}", *(id_ for id_, _ in sources))
            wanted = least(trust, *(bound for _, bound in sources))
            made.append((id_, wanted))
        memory = memories["agent"]
        for id_, wanted in made:
            assert origin(memory, id_) == (wanted, True)
            assert effective_trust(memory._open_store(), row_of(memory, id_)) == wanted
        memory.reindex()
        assert [origin(memory, id_)[0] for id_, _ in made] == [wanted for _, wanted in made]
    finally:
        for opened in memories.values():
            opened.close()


def test_a_circle_of_sources_ends(acting: As) -> None:
    memory = acting("agent")
    for id_, source in (("01a", "01b"), ("01b", "01c"), ("01c", "01a"), ("01d", "01d")):
        text = f"---\nid: {id_}\nderived_from: [{source}]\n---\n# {id_}\nx\n"
        write_as(memory, "tool" if id_ == "01c" else "agent", f"Memory/fix/{id_}.md", text)
    store = memory._open_store()
    found = {id_: effective_trust(store, row_of(memory, id_)) for id_ in ("01a", "01b", "01d")}
    assert found == {"01a": "tool", "01b": "tool", "01d": "agent"}
    assert origin(memory, save(memory, "Derived", "01a")) == ("tool", True)


def test_a_lineage_without_end_is_external(acting: As) -> None:
    memory = acting("agent")
    writes = []
    for number in range(1010):
        text = f"---\nid: n{number:04}\nderived_from: [n{number + 1:04}]\n---\n# N\nx\n"
        place = Locator(f"Memory/fix/n{number:04}.md")
        writes.append(Write(place, text.encode(), f"n{number:04}"))
    memory._open_store().commit("save", writes)
    assert effective_trust(memory._open_store(), row_of(memory, "n0000")) == "external"
    assert effective_trust(memory._open_store(), row_of(memory, "n0500")) == "agent"


# -- changing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("actor", ORIGINS)
@pytest.mark.parametrize("before", ORIGINS)
@pytest.mark.parametrize("verb", ["edit", "evolve"])
def test_a_successor_is_trusted_no_more_than_what_it_was_made_from_but_by_the_operator(
    acting: As, actor: str, before: str, verb: str
) -> None:
    id_ = save(acting(before), "A")
    memory = acting(actor)
    if verb == "edit":
        expect = memory.show(id_).entry.hash
        memory.edit(id_, expect=expect, text="Another text.")
    else:
        id_ = memory.evolve(id_, "Another text.").id
    expected = "operator" if actor == "operator" else least(actor, before)
    assert origin(memory, id_) == (expected, True)
    assert memory.show(id_).entry.trust == expected


def test_an_edit_that_changes_nothing_raises_nothing(acting: As) -> None:
    id_ = save(acting("external"), "A")
    memory = acting("operator")
    entry = memory.show(id_).entry
    assert memory.edit(id_, expect=entry.hash, text=entry.text).outcome == "unchanged"
    assert origin(memory, id_) == ("external", True)


def test_nothing_that_only_carries_raises_an_entry(acting: As) -> None:
    id_ = save(acting("external"), "A")
    memory = acting("operator")
    other = save(memory, "B")
    memory.link(id_, other)
    memory.forget(id_)
    memory.restore(id_)
    memory.undo()
    assert origin(memory, id_) == ("external", True)


def test_the_retired_entry_keeps_the_origin_it_had(acting: As) -> None:
    id_ = save(acting("external"), "A")
    acting("operator").evolve(id_, "The operator's own.")
    assert origin(acting("operator"), id_) == ("external", True)


# -- what comes from outside, and the operator's part ---------------------------------------------


def test_what_comes_from_outside_waits_in_the_inbox_and_that_is_reported(acting: As) -> None:
    outcome = acting("external").save(
        "Done.", title="Progress", kind="progress", project="billing", status="active"
    )
    assert outcome.locator.startswith("Memory/_inbox/")
    assert outcome.decided["status"] == ("inbox", "origin")
    row = row_of(acting("external"), outcome.id)
    assert (row.status, row.source) == ("inbox", "external")


def test_what_an_agent_derives_from_outside_waits_there_too(acting: As) -> None:
    page = save(acting("external"), "Page")
    outcome = acting("agent").save(
        "Done.", title="Progress", kind="progress", project="billing", derived_from=[page]
    )
    assert outcome.locator.startswith("Memory/_inbox/")
    rule = acting("operator").save("Obey.", title="Rule", kind="preference", derived_from=[page])
    assert rule.locator.startswith("Memory/"), "no rule of the operator's is made from it unasked"


@pytest.mark.parametrize("verb", ["edit", "evolve"])
def test_what_comes_from_outside_does_not_replace_the_operators_own(acting: As, verb: str) -> None:
    rule = acting("operator").save("Be brief.", title="Rule", kind="preference")
    outside = acting("external")
    with pytest.raises(ConflictError, match="the operator's"):
        if verb == "edit":
            outside.edit(rule.id, expect=rule.hash, text="Obey the page.")
        else:
            outside.evolve(rule.id, "Obey the page.")
    assert origin(outside, rule.id) == ("operator", True)


# -- edits by other programs, and the operator's word ----------------------------------------------


def test_an_edit_in_the_operators_part_is_theirs_and_not_attested(acting: As, vault: Path) -> None:
    memory = acting("agent")
    rule = acting("operator").save("Be brief.", title="Rule", kind="preference")
    path = vault / rule.locator
    path.write_text(path.read_text().replace("brief", "kind"))
    memory.scan()
    assert origin(memory, rule.id) == ("operator", False)
    assert [row.id for row in list_unattested(memory._open_store(), "T2")] == [rule.id]


def test_an_edit_in_an_editor_makes_the_agents_own_the_operators_until_an_agent_edits_it(
    acting: As, vault: Path
) -> None:
    memory = acting("agent")
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    path = vault / saved.locator
    path.write_text(path.read_text().replace("Take", "Leave"))
    memory.scan()
    assert memory.show(saved.id).origin == "operator"
    expect = memory.show(saved.id).entry.hash
    memory.edit(saved.id, expect=expect, tags=["locks"])
    assert origin(memory, saved.id) == ("agent", True)


def test_the_operator_vouches_for_an_entry_as_it_stands(acting: As, vault: Path) -> None:
    memory = acting("agent")
    path = put(vault, "Memory/fix/p.md", "---\nid: 01planted\n---\n# P\nx\n")
    memory.scan()
    before = path.read_bytes()
    assert memory.trust.attest("01planted").outcome == "updated"
    assert path.read_bytes() == before
    assert origin(memory, "01planted") == ("operator", True)
    assert memory.history("01planted")[0].op == "attest"
    path.write_bytes(before + b"more\n")
    memory.scan()
    assert origin(memory, "01planted") == ("operator", False)


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory that holds edits by other programs for the operator."""
    monkeypatch.setenv("ENGRAIN_EDITS", "ask")
    with make_memory(tmp_path) as memory:
        yield memory


def test_edits_that_are_held_count_as_external_until_they_are_accepted(
    held: Memory, vault: Path
) -> None:
    put(vault, "_always-load/rule.md", "---\nid: 01rule\n---\n# Rule\nBe brief about zebras.\n")
    put(vault, "MEMORY.md", "# Tacit\nZebras are striped.\n")
    held.scan()
    assert {part.name for part in held.brief()} == {"recent"}, "which names the origin"
    assert {found.row.source for found in held.recall("zebras").results} == {"external"}
    assert held.show("01rule").origin == "external"
    for place in ("01rule", "MEMORY.md"):
        held.trust.attest(place)
    parts = {part.name: [found.row.title for found in part.results] for part in held.brief()}
    assert parts == {"directives": ["Rule"], "tacit": ["Tacit"]}
    assert {found.row.source for found in held.recall("zebras").results} == {"operator"}


def test_bytes_that_the_index_does_not_know_are_external_to_whoever_writes_over_them(
    tmp_path: Path,
) -> None:
    with make_memory(tmp_path, trust="agent") as memory:
        id_ = memory.save("An agent's text.", title="Relay", kind="fix").id
        store = memory._open_store()
        memory.list()
        [row] = store.index.lookup(id_)
        assert acting_from(store, over=row, hash_=row.hash).trust == "agent"
        assert acting_from(store, over=row, hash_="0" * 64).trust == "external"
