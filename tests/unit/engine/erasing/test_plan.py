"""What an erasure reads of a vault, and what it does about changes since it was planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import NotFoundError
from support.vaults import make_memory, write_as

TEXT = "The pooler forgets every statement that was prepared before noon."


def test_an_erasure_reads_each_note_once_to_plan_it_and_once_to_index_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memory(tmp_path) as memory:
        doomed = memory.save(TEXT, title="Pooler forgets").id
        others = [memory.save(f"Another note, of {n} words.", title=f"Note {n}") for n in range(20)]
        backend = memory._open_store().backend
        read, read_one = list[str](), backend.read

        def count(locator, *rest):  # type: ignore[no-untyped-def]
            read.append(locator)
            return read_one(locator, *rest)

        monkeypatch.setattr(backend, "read", count)
        plan = memory.plan_erasure([doomed])
        planning = list(read)
        memory.erase(plan)
    for other in others:
        assert planning.count(other.locator) == 1
        assert read.count(other.locator) <= 2


def test_a_link_that_was_written_after_the_plan_is_rewritten_too(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        doomed = memory.save(TEXT, title="Pooler forgets").id
        plan = memory.plan_erasure([doomed])
        late = memory.save("See [[Pooler forgets]].", title="Late")
        memory.erase(plan)
        assert memory.show(late.id).entry.text.strip() == f"See [[erased-{doomed}]]."


def test_a_title_that_an_entry_got_after_the_plan_is_known_too(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        doomed = memory.save(TEXT, title="Pooler forgets")
        linking = memory.save("See [[Amnesia of the pooler]].", title="Early")
        plan = memory.plan_erasure([doomed.id])
        path = tmp_path / "vault" / doomed.locator
        path.write_text(path.read_text().replace("Pooler forgets", "Amnesia of the pooler"))
        memory.erase(plan)
        assert memory.show(linking.id).entry.text.strip() == f"See [[erased-{doomed.id}]]."
        with pytest.raises(NotFoundError):
            memory.show("amnesia-of-the-pooler")


def test_what_a_session_said_goes_if_it_quotes_the_erased_and_stays_if_what_was_derived(
    tmp_path: Path,
) -> None:
    front = "---\nid: {}\nstatus: inbox\nsource: {{kind: session}}\n---\n# {}\n\n{}\n"
    derived_text = "Restart him nightly at three oclock sharp."
    with make_memory(tmp_path) as memory:
        doomed = memory.save(TEXT, title="Pooler forgets").id
        derived = memory.save(derived_text, title="Restarts", derived_from=[doomed]).id
        for id_, text in (("quoting", TEXT), ("alike", derived_text)):
            note = front.format(id_, id_.title(), f"They said: {text}")
            write_as(memory, "agent", f"Memory/inbox/{id_}.md", note)
        plan = memory.plan_erasure([doomed])
        assert {file.id: file.why for file in plan.files} == {
            doomed: "asked",
            derived: "derived",
            "quoting": "copy",
        }
