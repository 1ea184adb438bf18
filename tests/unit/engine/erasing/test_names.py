"""By what traces of the erased are known, and what is left alone."""

from __future__ import annotations

import time

import pytest

from engrain.engine.erasing.names import LEAST_TOLD, ErasedNames, unlink
from engrain.model.history.tombstone import compose_tombstone, is_tombstone, text_message
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import link_key

ID = "01k8gone"
BODY = "# Pooler drops statements\nIt forgets what was prepared.\n"


def entry(body: str = BODY, *, id_: str = ID, slug: str = "pooler") -> Entry:
    raw = f"---\nid: {id_}\nslug: {slug}\naliases: [PgBouncer woes]\n---\n{body}"
    return read_entry(f"Memory/fix/{slug}.md", raw.encode())


def sign(message: bytes) -> str:
    return hash_bytes(b"key" + message)


@pytest.fixture
def names() -> ErasedNames:
    found = ErasedNames([ID], sign)
    found.learn(entry())
    found.keep((), ())
    return found


@pytest.mark.parametrize(
    "name", ["Pooler drops statements", "pooler", "a/b/Pooler.md", "PGBOUNCER woes", ID]
)
def test_a_link_by_any_of_its_names_is_found(names: ErasedNames, name: str) -> None:
    assert names.owner(name) == ID
    assert names.find(name) == f"erased-{ID}"


@pytest.mark.parametrize("name", ["", "poolers", "Pooler drops", "statements", f"erased-{ID}"])
def test_other_names_are_nobody_s(names: ErasedNames, name: str) -> None:
    assert names.owner(name) is None


@pytest.mark.parametrize("known", [True, False])
def test_a_name_with_a_slash_is_one_name_and_its_last_part_is_none(known: bool) -> None:
    erased = read_entry(
        "Memory/fix/theme.md",
        b"---\nid: 01k8gone\naliases: [Dark/light mode]\n---\n# CI/CD\nText.\n",
    )
    names = ErasedNames([ID], sign)
    names.learn(erased)
    names.keep((), ())
    if not known:  # a device that has the tombstone alone
        told = names.codes(ID)
        names = ErasedNames([ID], sign)
        names.learn_codes(
            read_entry("Memory/fix/erased.md", f"---\nid: {ID}\nnames: {told}\n---\n".encode())
        )
        names.keep((), ())
    assert [names.owner(name) for name in ("dark/Light mode", "ci/cd", "a/theme")] == [ID] * 3
    assert [names.owner(name) for name in ("light mode", "cd", "a/light mode")] == [None] * 3


def test_a_name_that_another_entry_has_too_is_left_alone() -> None:
    names = ErasedNames([ID], sign)
    names.learn(entry())
    names.keep({"pooler"}, {hash_bytes(text_message(BODY) or b"")})
    assert names.owner("pooler") is None
    assert names.owner("Pooler drops statements") == ID
    assert not names.says(BODY)


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
    names = ErasedNames(["one"], sign)
    names.keep((), ())
    assert not names.mentioned_in("this one is not it")
    proposal = {"proposal": {"action": "archive", "target": "one"}}
    assert names.proposed_in("Memory/_dream-staging/a.md", "", proposal)
    assert not names.proposed_in("Memory/_dream-staging/a.md", "one", {})


def test_a_text_is_known_however_its_lines_are_broken(names: ErasedNames) -> None:
    assert names.says(BODY.replace("\n", "\r\n") + "\n\n")
    assert not names.says(BODY + "More.")
    short = ErasedNames([ID], sign)
    short.learn(entry("# Todo\n"))
    short.keep((), ())
    assert not short.says("# Todo\n")


def test_a_tombstone_gives_the_names_to_a_holder_of_the_key_alone(names: ErasedNames) -> None:
    raw = compose_tombstone(ID, 1.0, names.seals(ID), names.codes(ID))
    tombstone = read_entry(f"Memory/fix/erased-{ID}.md", raw)
    assert is_tombstone(tombstone)
    assert b"ooler" not in raw
    for key, owner in ((sign, ID), (lambda message: hash_bytes(message), None)):
        other = ErasedNames([ID], key)
        other.learn_codes(tombstone)
        other.keep((), ())
        assert other.owner("Pooler drops statements") == owner
        assert other.owner("something else") is None


def test_one_without_a_key_leaves_no_code() -> None:
    names = ErasedNames([ID], lambda _: "")
    names.learn(entry())
    names.keep((), ())
    assert (names.seals(ID), names.codes(ID)) == ([], [])
    raw = compose_tombstone(ID, 1.0, [], [])
    assert raw.startswith(f"---\nid: {ID}\nstatus: deleted\nerased: 1970-01-01".encode())


def test_a_note_that_says_something_is_no_tombstone() -> None:
    raw = compose_tombstone(ID, 1.0) + b"It says something.\n"
    assert not is_tombstone(read_entry(f"Memory/fix/erased-{ID}.md", raw))


GONE = {link_key(name) for name in ("Secret Plan", "secret-plan", "sécret")}
STEM = "erased-01k8"


def find(name: str) -> str | None:
    return STEM if link_key(name) in GONE else None


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("[[Secret Plan]]", f"[[{STEM}]]"),
        ("[[secret plan|what we called it]]", f"[[{STEM}]]"),
        ("[[secret-plan#The heading]]", f"[[{STEM}]]"),
        ("[[Secret Plan#^block|x]]", f"[[{STEM}]]"),
        ("![[Secret Plan]]", f"[[{STEM}]]"),
        ("[[projects/x/Secret Plan.md]]", f"[[{STEM}]]"),
        ("[[elaborates:: Secret Plan]]", f"[[elaborates:: {STEM}]]"),
        ("[[se\u0301cret]]", f"[[{STEM}]]"),
        ("| [[Secret Plan\\|x]] |", f"| [[{STEM}]] |"),
        ("`[[Secret Plan]]`", f"`[[{STEM}]]`"),
        ("[the plan](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
        ("[the plan](../fix/Secret%20Plan.md#part)", f"[{STEM}]({STEM}.md)"),
        ("[the plan](<Secret Plan.md> 'Secret Plan')", f"[{STEM}]({STEM}.md)"),
        ("![the plan](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
        ("[a [b] c](secret-plan.md)", f"[{STEM}]({STEM}.md)"),
    ],
)
def test_a_link_to_the_erased_leads_to_the_tombstone_and_says_nothing(
    written: str, left: str
) -> None:
    assert unlink(written, find) == left
    assert unlink(left, find) == left


@pytest.mark.parametrize(
    "text",
    [
        "Secret Plan in prose",
        "[[Secret Plans]]",
        "[[Other]] and [[Other|a label]]",
        "[the plan](https://example.org/secret-plan)",
        "[the plan](mailto:secret-plan)",
        "[x][1]\n\n[1]: other.md",
        "[[\n[[ ]] [] ](",
        "- [ ] a task",
    ],
)
def test_other_text_stays_byte_for_byte(text: str) -> None:
    assert unlink(text, find) == text


@pytest.mark.parametrize("piece", ["[", "[[", "[a", "[a](", "[[a|", "]", "[a]: ", "\\", "[a [b] "])
def test_hostile_text_takes_time_linear_in_it(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.perf_counter()
    unlink(text, find)
    assert time.perf_counter() - started < 5
