"""What is found of a note besides its text: other names, properties, tags."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, Scope
from unit.engine.core.vault_files import put, titles

OTHERS = {
    "ferry": "The ferry leaves at nine from the northern pier.",
    "mill": "The mill grinds rye on Mondays and oats on Fridays.",
    "whale": "A whale surfaced near the pier at dawn.",
}
NOTES = {
    "celebration": "---\naliases:\n  - Harvest Moon Festival\n  - HMF\n---\n"
    "# Autumn celebration\n\nLanterns are hung along the river.\n",
    "kubernetes": "---\nalias: k8s, kube\n---\n# Kubernetes\n\nThe cluster runs in Frankfurt.\n",
    "muller": '---\naliases: ["Robert M\u00fcller", Bob]\n---\n'
    "# R. M\u00fcller\n\nCall before noon.\n",
    "tokyo": "---\naliases: [\u6771\u4eac\u652f\u5e97]\n---\n# Branch office\n\nOpen until six.\n",
    "film": '---\ncategories:\n  - "[[Films]]"\n'
    'director:\n  - "[[Mira Tollan]]"\nyear: 1974\n---\n',
    "cage": "---\nsummary: The ostrich cage needs two keys\n---\n# Cage\n\nSee the plan.\n",
    "crate": "---\nsize:\n  label: harpsichord\n---\n# Crate\n\nStands in the hall.\n",
}


@pytest.fixture
def filled(memory: Memory, vault: Path) -> Memory:
    for name, text in OTHERS.items():
        put(vault, f"Memory/memory/{name}.md", f"# {name.title()}\n{text}\n")
    for name, text in NOTES.items():
        put(vault, f"Memory/memory/{name}.md", text)
    return memory


@pytest.mark.parametrize(("question", "title"), [
    ("HMF", "Autumn celebration"),
    ("when is the harvest moon festival?", "Autumn celebration"),
    ("where does our k8s run", "Kubernetes"),
    ("kube", "Kubernetes"),
    ("when can I call Bob?", "R. M\u00fcller"),
    ("\u6771\u4eac\u652f\u5e97", "Branch office"),
    ("films directed by Mira Tollan", "film"),
    ("which film is from 1974", "film"),
    ("how many keys does the ostrich cage need", "Cage"),
    ("where is the harpsichord", "Crate"),
])  # fmt: skip
def test_another_name_or_a_property_finds_the_note(
    filled: Memory, question: str, title: str
) -> None:
    assert titles(filled.recall(question))[:1] == [title]


def test_what_is_found_by_a_property_is_shown_with_it(filled: Memory) -> None:
    (film, *_) = filled.recall("films directed by Mira Tollan").results
    assert film.text == "categories: Films\ndirector: Mira Tollan\nyear: 1974"
    (cage, *_) = filled.recall("how many keys does the ostrich cage need").results
    assert cage.text == "See the plan.\n\nsummary: The ostrich cage needs two keys"
    assert not cage.part


@pytest.fixture
def tagged(memory: Memory, vault: Path) -> Memory:
    for name, text in {
        "garden": "# Garden\n\nPrune the roses. #chores/garden\n",
        "kitchen": "---\ntags: [home]\n---\n# Kitchen\n\n"
        "Descale the oven. #Chores/Kitchen #yearly\n",
        "roof": "---\ntags: [Chores]\n---\n# Roof\n\nCount the tiles.\n",
        "other": "---\ntags: [chores2, choresx/a]\n---\n# Other\n\nCount the roses.\n",
    }.items():
        put(vault, f"Memory/memory/{name}.md", text)
    return memory


@pytest.mark.parametrize(("tag", "found"), [
    ("chores", {"Garden", "Kitchen", "Roof"}),
    ("CHORES", {"Garden", "Kitchen", "Roof"}),
    ("#chores/", {"Garden", "Kitchen", "Roof"}),
    ("chores/kitchen", {"Kitchen"}),
    ("yearly", {"Kitchen"}),
    ("home", {"Kitchen"}),
    ("chore", set()),
    ("garden", set()),
])  # fmt: skip
def test_a_tag_finds_what_is_below_it_whatever_the_case(
    tagged: Memory, tag: str, found: set[str]
) -> None:
    scope = Scope(tags=(tag,))
    assert {row.title for row in tagged.list(scope=scope).rows} == found
    asked = tagged.recall("count descale prune roses oven tiles", scope=scope, profile="deep")
    assert set(titles(asked)) == found


def test_a_tag_in_a_question_finds_what_is_below_it(tagged: Memory) -> None:
    assert set(titles(tagged.recall("#chores", profile="deep"))) >= {"Garden", "Kitchen", "Roof"}
