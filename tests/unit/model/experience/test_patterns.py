"""Patterns and anti-patterns as notes (S2.4)."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.patterns import (
    AntiPattern,
    Pattern,
    compose_anti_pattern,
    compose_pattern,
    read_anti_pattern,
    read_pattern,
)
from engrain.model.links.link import parse_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import compose_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value

SEED = Pattern(
    "sem-001",
    "Express route handlers require explicit return types in strict mode",
    category="typescript",
    conditions=[
        "Using TypeScript strict mode",
        "Writing Express route handlers",
        "Handler doesn't return a value",
    ],
    correct_approach="Add `: void` to handler signature: `(req, res): void =>`",
    incorrect_approach="Omitting return type annotation",
    confidence=0.95,
    source_episodes=["ep-2026-01-06-001", "ep-2026-01-05-012"],
    usage_count=8,
    last_used="2026-01-06T14:00:00Z",
    links=[("sem-005", "related_to"), ("sem-012", "supersedes")],
)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
awkward = st.one_of(
    texts,
    st.sampled_from(
        ["", " ", "- a", "a\n## Do\nb", "# x", "## When", "7", "true", "a\r\nb", "---"]
    ),
)
fractions = st.floats(0, 1).map(lambda number: round(number, 4))
links = st.lists(st.tuples(st.sampled_from(["sem-1", "01k8"]), st.just("related_to")), max_size=2)


def read_back(kind: str, fields: Mapping[str, Value], body: str) -> Entry:
    return read_entry(f"Memory/{kind}/x.md", compose_note(fields, body).raw)


def test_the_seeds_pattern_is_a_note_a_person_can_read() -> None:
    fields, body = compose_pattern(SEED, ["ep-2026-01-06-001"])
    assert body == (
        "# Express route handlers require explicit return types in strict mode\n"
        "\n## When\n- Using TypeScript strict mode\n- Writing Express route handlers\n"
        "- Handler doesn't return a value\n"
        "\n## Do\nAdd `: void` to handler signature: `(req, res): void =>`\n"
        "\n## Avoid\nOmitting return type annotation\n"
    )
    assert not {"pattern", "conditions", "correct_approach", "incorrect_approach"} & set(fields)
    assert fields["derived_from"] == ["ep-2026-01-06-001"]


@given(
    st.builds(
        Pattern,
        st.just("sem-001"),
        awkward,
        category=texts,
        conditions=st.lists(awkward, max_size=3),
        correct_approach=awkward,
        incorrect_approach=awkward,
        confidence=fractions,
        source_episodes=st.lists(st.sampled_from(["ep-1", "ep-2"]), unique=True),
        usage_count=st.integers(0, 10**6),
        last_used=st.sampled_from([None, "2026-01-06T14:00:00Z", "2026-01-06T14:00:00.5Z"]),
        links=links,
    )
)
def test_every_field_of_a_pattern_comes_back_from_its_note(pattern: Pattern) -> None:
    assert read_pattern(read_back("pattern", *compose_pattern(pattern))) == pattern


@given(
    st.builds(
        AntiPattern,
        st.just("anti-001"),
        awkward,
        why=awkward,
        prevention=awkward,
        sources=st.lists(st.sampled_from(["ep-1", "ep-2"]), unique=True),
        confidence=fractions,
        actions=st.lists(st.sampled_from(["run_test", "edit_file"]), unique=True),
        signature=texts,
        usage_count=st.integers(0, 9),
        last_used=st.none(),
        links=links,
    )
)
def test_every_field_of_an_anti_pattern_comes_back_from_its_note(anti: AntiPattern) -> None:
    back = read_anti_pattern(read_back("anti-pattern", *compose_anti_pattern(anti)))
    assert back == anti


def test_the_frontmatter_wins_over_the_body() -> None:
    fields, body = compose_pattern(SEED)
    entry = read_back("pattern", {**fields, "correct_approach": "Another"}, body)
    assert read_pattern(entry).correct_approach == "Another"


def test_what_a_person_mends_in_the_body_is_read() -> None:
    fields, body = compose_pattern(SEED)
    entry = read_back("pattern", fields, body.replace("Omitting return", "Leaving out the return"))
    assert read_pattern(entry).incorrect_approach == "Leaving out the return type annotation"


def test_a_note_written_by_hand_is_a_pattern_whose_text_says_what_to_do() -> None:
    entry = read_entry("Memory/pattern/x.md", b"# Rebase first\n\nThen push.\n")
    pattern = read_pattern(entry)
    assert (pattern.pattern, pattern.correct_approach) == ("Rebase first", "Then push.")
    assert (pattern.confidence, pattern.source_episodes) == (None, ())


def test_fields_of_a_wrong_type_are_empty() -> None:
    raw = b"---\nconditions: 3\nsource_episodes: x\nusage_count: -1\nlast_used: {}\n---\n# P\n"
    pattern = read_pattern(read_entry("Memory/pattern/x.md", raw))
    assert (pattern.conditions, pattern.source_episodes) == ((), ())
    assert (pattern.usage_count, pattern.last_used) == (0, None)


def test_a_title_that_is_cut_leaves_no_code_open_that_held_a_link() -> None:
    said = "``` E " + "word " * 30 + "[[index]] " + "word " * 30 + "```"
    _, body = compose_anti_pattern(AntiPattern("a", said))
    title = body.partition("\n")[0].removeprefix("# ")
    assert "[[index]]" in title
    assert list(parse_links(title)) == []
