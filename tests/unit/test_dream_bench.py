"""The seeded corpus of the dream's bench and its scores: what the published figures rest on."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench.dream import Score, exponents, score
from bench.dream_claims import aspects, unseen_half
from bench.dream_copies import link_mentions
from bench.dream_corpus import labels_of, write
from bench.dream_sheets import Sheet
from bench.dream_words import base_notes, read_sections

from engrain.language.text.link_tokens import prose
from engrain.model.links.link import parse_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.tiers import ACTIVE

NOTES = 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpus") / "vault"
    write(place, NOTES, seed=3)
    return place


@pytest.fixture(scope="module")
def entries(folder: Path) -> dict[str, Entry]:
    paths = sorted(folder.rglob("*.md"))
    found = [read_entry(str(path.relative_to(folder)), path.read_bytes()) for path in paths]
    return {entry.id: entry for entry in found}


@pytest.fixture(scope="module")
def labels(folder: Path) -> dict[str, Any]:
    known = json.loads(labels_of(folder).read_text(encoding="utf-8"))
    assert isinstance(known, dict)
    return known


def test_there_are_as_many_notes_and_labels_as_asked_for(
    entries: dict[str, Entry], labels: dict[str, Any]
) -> None:
    assert len(entries) == NOTES == labels["notes"]
    counts = {name: len(labels[name]) for name in ("duplicates", "contradictions", "chains")}
    assert counts == {"duplicates": 20, "contradictions": 10, "chains": 5}
    assert len(labels["links"]) == 10


def test_every_label_names_notes_that_are_there(
    entries: dict[str, Entry], labels: dict[str, Any]
) -> None:
    for name in ("duplicates", "contradictions", "chains", "links", "decoys", "tolerated"):
        for label in labels[name]:
            assert set(label["entries"]) | set(label.get("pointers", ())) <= entries.keys()


def test_no_note_has_anything_wrong_in_its_frontmatter(entries: dict[str, Entry]) -> None:
    assert [entry.path for entry in entries.values() if entry.warnings] == []


def test_one_seed_makes_the_same_bytes_and_another_others(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        write(tmp_path / name, NOTES, seed)

    def read(name: str) -> dict[str, bytes]:
        place = tmp_path / name
        return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*.md")}

    assert read("a") == read("b") != read("c")
    one, other = (labels_of(tmp_path / name).read_bytes() for name in "ab")
    assert one == other


def test_a_copy_is_another_text_in_the_same_words(
    entries: dict[str, Entry], labels: dict[str, Any]
) -> None:
    for label in labels["duplicates"]:
        one, other = (entries[id_] for id_ in label["entries"])
        assert one.project == other.project
        assert (one.text, one.title, one.tags) != (other.text, other.title, other.tags)
        words = [set(re.findall(r"\w+", entry.text.lower())) for entry in (one, other)]
        assert len(words[0] & words[1]) > 0.4 * len(words[0] | words[1])


def test_chains_say_who_takes_whose_place_and_stale_ones_have_something_stale(
    entries: dict[str, Entry], labels: dict[str, Any]
) -> None:
    for label in labels["chains"]:
        members = [entries[id_] for id_ in label["entries"]]
        assert len(members) > 2
        created = [entry.created or 0 for entry in members]
        assert created == sorted(created)
        assert members[-1].status == ACTIVE
        for older, newer in pairwise(members):
            assert newer.supersedes == older.id or older.title in newer.text
        standing = [entry for entry in members[:-1] if entry.status == ACTIVE]
        pointing = [entries[id_] for id_ in label["pointers"]]
        assert standing or pointing


def test_a_missing_link_is_a_mention_and_no_link(
    entries: dict[str, Entry], labels: dict[str, Any]
) -> None:
    for label in labels["links"]:
        where, of = (entries[id_] for id_ in label["entries"])
        aliases = of.fields.get("aliases")
        names = [of.title, *(aliases if isinstance(aliases, list) else ())]
        assert any(str(name).lower() in where.text.lower() for name in names)
        assert of.title not in {link.target for link in parse_links(where.text)}


def test_no_title_is_mentioned_by_chance(entries: dict[str, Entry], labels: dict[str, Any]) -> None:
    common = read_sections("copies")["common"][0].split("; ")
    titles: dict[str, list[str]] = {}
    for entry in entries.values():
        if len(entry.title.split()) > 2 and entry.title not in common:
            titles.setdefault(entry.title.lower(), []).append(entry.id)
    pattern = re.compile("|".join(re.escape(one) for one in sorted(titles, key=len, reverse=True)))
    known = {
        (one, other)
        for name in ("links", "decoys", "chains")
        for label in labels[name]
        for one in (*label["entries"], *label.get("pointers", ()))
        for other in label["entries"]
    }
    for entry in entries.values():
        text = re.sub(r"\[\[[^\]]*\]\]", " ", prose(entry.text)).lower()
        for found in pattern.finditer(text):
            assert any((entry.id, id_) in known for id_ in [*titles[found[0]], entry.id])


def test_the_labels_of_the_unseen_seed_are_made_of_other_frames() -> None:
    count = len(aspects())
    assert not set(unseen_half(0, count)) & set(unseen_half(1, count))
    assert unseen_half(1, count) == unseen_half(2, count)


def test_the_hand_written_notes_are_many_and_each_is_of_its_own() -> None:
    titles = Counter(title for _, title, _, _ in base_notes())
    assert len(titles) > 150
    assert set(titles.values()) == {1}


def test_mentions_by_chance_become_links_and_those_left_stay() -> None:
    def sheet(id_: str, title: str, text: str) -> Sheet:
        return Sheet(id_, 0.0, "fix", title, [text])

    sheets = [
        sheet("a", "Night shift plan", "Nothing."),
        sheet("b", "B", "By the night shift plan, as `night shift plan` says."),
        sheet("c", "C", "By the Night shift plan."),
        sheet("d", "D", "See [[Night shift plan]]."),
    ]
    assert link_mentions(sheets, {("c", "a")}) == 1
    assert [one.text[0] for one in sheets[1:]] == [
        "By the [[Night shift plan|night shift plan]], as `night shift plan` says.",
        "By the Night shift plan.",
        "See [[Night shift plan]].",
    ]


TRUTH: dict[str, list[dict[str, Any]]] = {
    "duplicates": [{"entries": ["a", "b"]}, {"entries": ["c", "d"]}],
    "contradictions": [{"entries": ["a", "c"]}],
    "chains": [{"entries": ["o", "p", "q"], "pointers": ["z"]}],
    "links": [{"entries": ["x", "y"]}],
    "tolerated": [{"kind": "link", "entries": ["o", "p", "q"]}],
}


@pytest.mark.parametrize(
    ("kind", "findings", "precision", "recall"),
    [
        ("duplicate", [("b", "a"), ("c", "x")], 0.5, 0.5),
        ("duplicate", [("a", "b"), ("d", "c")], 1.0, 1.0),
        ("duplicate", [], None, 0.0),
        ("link", [("x", "y"), ("p", "o")], 1.0, 1.0),
        ("link", [("y", "x")], 0.0, 0.0),
    ],
)
def test_findings_are_scored_by_the_labels(
    kind: str, findings: list[tuple[str, ...]], precision: float | None, recall: float
) -> None:
    scored = score(kind, findings, TRUTH)
    assert isinstance(scored, Score)
    assert (scored.precision, scored.recall) == (precision, recall)


def test_the_exponent_tells_how_time_grows() -> None:
    results = [
        {"notes": notes, "dream": {"seconds": seconds}}
        for notes, seconds in ((10, 1.0), (100, 10.0), (1000, 1000.0))
    ]
    assert exponents(results) == [1.0, 2.0]
