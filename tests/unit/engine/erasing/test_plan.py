"""What an erasure reads of a vault, and what it does about changes since it was planned."""

from __future__ import annotations

from pathlib import Path

import pytest

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
