"""What goes out by a layout comes in elsewhere and goes out again the same, whatever it says."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engrain import Memory
from engrain.interchange.living import FIELDS
from engrain.model.note.note import compose_note
from support.layouts import (
    ALICE,
    DAY,
    FACT,
    INDEX,
    documents_of,
    take_living,
    take_workspace,
    write_living,
    write_workspace,
)
from support.vaults import make_memory

FEW = settings(max_examples=25)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
MARKUP = st.sampled_from(
    [
        "## When",
        "# T",
        "- a\n- b",
        "---",
        "---\n",
        "```\n",
        "[[x]]",
        "yes",
        "1.0",
        "\r\n",
        "~",
        ": ",
    ]
)
WORDS = st.lists(TEXT | MARKUP, max_size=4).map("".join)
NUMBERS = st.integers(-(10**15), 10**15) | st.floats(-1e6, 1e6, allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
FACTS = st.lists(
    st.fixed_dictionaries(
        {"id": TEXT | st.integers(), "content": WORDS},
        optional={key: WORDS | VALUES for key in FACT if key not in ("id", "content")}
        | {"status": st.sampled_from(["active", "historical", "gone"]), "x": VALUES},
    )
    | VALUES,
    max_size=5,
)
FOLDERS = st.sampled_from(["alice", "Alice", "ACME corp", "_x", "Ä", "index"]) | TEXT.filter(
    lambda name: bool(name) and "/" not in name
)


@FEW
@given(
    facts=st.dictionaries(FOLDERS, FACTS, max_size=3),
    index=st.dictionaries(FOLDERS, VALUES | st.fixed_dictionaries(
        {"name": WORDS, "type": WORDS, "aliases": st.lists(WORDS, max_size=3)}
    ), max_size=3),
    day=WORDS,
)  # fmt: skip
def test_a_workspace_goes_round(facts: dict[str, Any], index: dict[str, Any], day: str) -> None:
    tree: dict[str, Any] = {
        ALICE.replace("alice", folder): json.dumps(said) for folder, said in facts.items()
    }
    tree |= {INDEX: json.dumps(index), DAY: day}
    first, second = _go_round(
        lambda memory, files: take_workspace(memory, files), write_workspace, tree
    )
    assert documents_of(second) == documents_of(first)


FRONTS = st.dictionaries(
    st.sampled_from([*FIELDS, "weight", "kind", "status", "mood", "engrain", "imported", "title"]),
    VALUES
    | st.fixed_dictionaries({"kind": st.sampled_from(["fix", "value", "entity", "Ä/.."])})
    | st.lists(TEXT, max_size=3),
    max_size=8,
)
NAMES = st.builds(
    "{}/{}.md".format,
    st.sampled_from(["core", "active", "archive", "procedural"]),
    st.sampled_from(["a", "A", "identity", "values", "Über uns", "index", "_index", "x y"]),
)


ODD = {"id": {"kind": "fix"}, "emotional_weight": {"kind": "fix"}}
ESTIMATED = {
    "archive/index.md": ({}, ""),
    "core/values.md": ({}, "0000"),
    "archive/_index.md": (ODD, ""),
}


@FEW
@given(notes=st.dictionaries(NAMES, st.tuples(FRONTS, WORDS), max_size=4))
@example(notes=ESTIMATED)
def test_a_living_memory_goes_round(notes: dict[str, tuple[dict[str, Any], str]]) -> None:
    tree = {name: compose_note(front, body).raw for name, (front, body) in notes.items()}
    first, second = _go_round(lambda memory, files: take_living(memory, files), write_living, tree)
    assert second == first


def _go_round(
    take: Callable[[Memory, dict[str, Any]], object],
    write: Callable[[Memory], dict[str, bytes]],
    tree: dict[str, Any],
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The export of a vault that took a tree in, and that of one that took that export in."""
    with tempfile.TemporaryDirectory() as folder:
        with make_memory(Path(folder)) as memory:
            take(memory, tree)
            first = write(memory)
        with make_memory(Path(folder), name="other", device="other-state") as other:
            take(other, first)
            return first, write(other)
