"""What is said of people, companies and projects by name."""

from __future__ import annotations

import pytest

from engrain.language.text.instants import parse_instant
from engrain.learn.extraction.rules import find_facts
from engrain.model.facts.fact import DOCUMENT, FactDraft, Turn

AT = parse_instant("2026-01-14T12:00:00Z")


def drawn(text: str) -> list[FactDraft]:
    return find_facts([Turn("", DOCUMENT, text, AT)])


@pytest.mark.parametrize(
    ("text", "entity", "type_", "content", "edge"),
    [
        ("Alice moved to Berlin.", "Alice", "person", "Alice moved to Berlin.",
         ("lives_in", "Berlin")),
        ("Carol works at Initech since last month.", "Carol", "person",
         "Carol works at Initech since December 2025.", ("works_at", "Initech")),
        ("Acme raised $5M in March 2025.", "Acme", "company", "Acme raised $5M in March 2025.",
         ("funding", "$5M")),
        ("Initech was acquired by Globex.", "Initech", "company",
         "Initech was acquired by Globex.", ("owned_by", "Globex")),
        ("Apollo's deadline is 1 May 2026.", "Apollo", "", "Apollo's deadline is 1 May 2026.",
         ("deadline", "1 May 2026")),
        ("The deadline for Apollo is 1 May 2026.", "Apollo", "",
         "The deadline for Apollo is 1 May 2026.", ("deadline", "1 May 2026")),
        ("The Apollo project is due on 3 June 2026.", "Project Apollo", "project",
         "Project Apollo is due on 3 June 2026.", ("deadline", "3 June 2026")),
        ("We decided that Project Apollo uses Postgres.", "Project Apollo", "project",
         "Project Apollo uses Postgres.", ("uses", "Postgres")),
        ("We agreed to use Postgres for Apollo.", "Apollo", "project",
         "We agreed to use Postgres for Apollo.", ("uses", "Postgres")),
        ("Decision: Project Apollo switched to Postgres.", "Project Apollo", "project",
         "Project Apollo switched to Postgres.", ("uses", "Postgres")),
        ("Acme was founded in 2019.", "Acme", "company", "Acme was founded in 2019.",
         ("founded", "2019")),
        ("Alice no longer works at Acme.", "Alice", "person", "Alice no longer works at Acme.",
         None),
    ],
)  # fmt: skip
def test_a_subject_is_named(
    text: str, entity: str, type_: str, content: str, edge: tuple[str, str] | None
) -> None:
    (draft,) = drawn(text)
    assert (draft.entity, draft.entity_type, draft.content, draft.edge) == (
        entity, type_, content, edge,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Painting is fun.",
        "Everyone moved on.",
        "This is based in reality.",
        "Tests moved to the new folder.",
        "Alice will send the report by Friday.",
        "Has Alice moved to Berlin?",
        "Maybe Alice moved to Berlin.",
        "Python uses indentation.",
        "Currently shipped the tool.",
        "Mark: I am an engineer.",
    ],
)
def test_what_names_no_subject_or_states_nothing_gives_nothing(text: str) -> None:
    assert drawn(text) == []


def test_a_name_that_is_known_is_one_whatever_it_looks_like() -> None:
    turn = Turn("", DOCUMENT, "Meeting moved to Berlin.", AT)
    assert find_facts([turn]) == []
    (draft,) = find_facts([turn], ["Meeting"])
    assert draft.entity == "Meeting"


def test_a_project_goes_by_its_whole_name() -> None:
    first, second = drawn("Apollo's deadline is 1 May 2026.\n\nProject Apollo uses Postgres.")
    assert (first.entity, first.entity_type) == ("Project Apollo", "project")
    assert second.entity == "Project Apollo"
