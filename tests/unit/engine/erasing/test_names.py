"""By what traces of the erased are known, and what is left alone."""

from __future__ import annotations

import pytest

from engrain.engine.erasing.names import LEAST_TOLD, ErasedNames
from engrain.model.history.record import body_digest, compose_tombstone, is_tombstone
from engrain.model.note.entry import Entry, read_entry

ID = "01k8gone"
BODY = "# Pooler drops statements\nIt forgets what was prepared.\n"


def entry(body: str = BODY, *, id_: str = ID, slug: str = "pooler") -> Entry:
    raw = f"---\nid: {id_}\nslug: {slug}\naliases: [PgBouncer woes]\n---\n{body}"
    return read_entry(f"Memory/fix/{slug}.md", raw.encode())


@pytest.fixture
def names() -> ErasedNames:
    found = ErasedNames([ID])
    found.learn(entry())
    found.exempt_names(())
    return found


@pytest.mark.parametrize(
    "name", ["Pooler drops statements", "pooler", "a/b/Pooler.md", "PGBOUNCER woes", ID]
)
def test_a_link_by_any_of_its_names_is_found(names: ErasedNames, name: str) -> None:
    assert names.names_one(name)


@pytest.mark.parametrize("name", ["", "poolers", "Pooler drops", "statements", f"erased-{ID}"])
def test_other_names_are_nobody_s(names: ErasedNames, name: str) -> None:
    assert not names.names_one(name)


def test_a_name_with_a_slash_is_one_name_and_its_last_part_is_none() -> None:
    names = ErasedNames([ID])
    names.learn(
        read_entry(
            "Memory/fix/theme.md",
            b"---\nid: 01k8gone\naliases: [Dark/light mode]\n---\n# CI/CD\nText.\n",
        )
    )
    names.exempt_names(())
    assert all(map(names.names_one, ("dark/Light mode", "ci/cd", "a/theme")))
    assert not any(map(names.names_one, ("light mode", "cd", "a/light mode")))


def test_a_name_that_another_entry_has_too_is_left_alone() -> None:
    names = ErasedNames([ID])
    names.learn(entry())
    names.exempt_names({"pooler"})
    assert not names.names_one("pooler")
    assert names.names_one("Pooler drops statements")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("since pooler-drops-statements was wrong", True),
        ("since POOLER *drops*  statements", True),
        (f"see {ID}", True),
        ("the pooler", False),
        ("pooler drops statementsoup", False),
    ],
)
def test_a_mention_is_one_of_words_long_enough_to_be_its_own(
    names: ErasedNames, text: str, told: bool
) -> None:
    assert len("pooler") < LEAST_TOLD
    assert names.mentioned_in(text) is told


def test_an_id_that_is_a_common_word_is_mentioned_by_a_proposal_alone() -> None:
    names = ErasedNames(["one"])
    names.exempt_names(())
    assert not names.mentioned_in("this one is not it")
    proposal = {"proposal": {"action": "archive", "target": "one"}}
    assert names.proposed_in("Memory/_dream-staging/a.md", "", proposal)
    assert not names.proposed_in("Memory/_dream-staging/a.md", "one", {})


def test_a_text_is_known_however_its_lines_are_broken(names: ErasedNames) -> None:
    assert names.had(body_digest(BODY.replace("\n", "\r\n") + "\n\n"))
    assert not names.had(body_digest(BODY + "More."))
    short = ErasedNames([ID])
    short.learn(entry("# Todo\n"))
    assert not short.had(body_digest("# Todo\n"))


def test_a_tombstone_says_nothing_but_the_id_and_the_time() -> None:
    raw = compose_tombstone(ID, 1.0)
    assert is_tombstone(read_entry(f"Memory/fix/erased-{ID}.md", raw))
    lines = raw.decode().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["---", "id", "status", "erased", "---"]


def test_a_note_that_says_something_is_no_tombstone() -> None:
    raw = compose_tombstone(ID, 1.0) + b"It says something.\n"
    assert not is_tombstone(read_entry(f"Memory/fix/erased-{ID}.md", raw))
