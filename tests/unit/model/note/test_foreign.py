"""Notes of other tools, whose text stays whatever their frontmatter is. Kind, status and tags of a
note that doesn't say them (S1.22)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import MalformedError
from engrain.model.note.field import MAX_FRONTMATTER
from engrain.model.note.foreign import (
    Detected,
    detect_kind,
    detect_status,
    detect_tags,
    read_foreign,
    set_aside,
)
from engrain.model.note.tiers import KINDS

UNREAD = {
    "a title with a colon": "---\ntitle: Fix: the gate\ntags: [gate]\n---\n# Gate\nwombat\n",
    "a template": "---\ntitle: {{title}}\ncreated: {{date}}\n---\nwombat\n",
    "a template of Templater": "---\n<%* tR += 'x' %>\ntitle: <% tp.file.title %>\n---\nwombat\n",
    "a list at the top": "---\n- a\n- b\n---\nwombat\n",
    "a text at the top": "---\njust words\n---\nwombat\n",
    "a rule at the top": "---\n\nIt starts with a rule.\n\n---\n\nwombat\n",
    "a rule alone": "---\n\nwombat\n",
    "the end as in Pandoc": "---\ntitle: x\n...\nwombat\n",
    "a tab": "---\ntitle: x\n\tkey: y\n---\nwombat\n",
    "a key twice": "---\ntitle: x\ntitle: y\n---\nwombat\n",
    "an anchor": "---\na: &a 1\nb: *a\n---\nwombat\n",
    "an unclosed bracket": "---\ntags: [a, b\n---\nwombat\n",
    "an unclosed quote": '---\ntitle: "x\n---\nwombat\n',
    "no closing fence": "---\ntitle: x\nwombat\n",
    "an at sign": "---\nauthor: @ada\n---\nwombat\n",
    "a per cent sign": "---\n%: 1\n---\nwombat\n",
    "two documents": "---\na: 1\n--- \nb: 2\n---\nwombat\n",
    "TOML": '+++\ntitle = "x"\n+++\n\n# Gate\n\nwombat\n',
    "a key that is a list": "---\n? [a]\n: 1\n---\nwombat\n",
    "too much of it": f"---\na: {'x' * MAX_FRONTMATTER}\n---\nwombat\n",
    "too deep": f"---\na: {'[' * 40}{']' * 40}\n---\nwombat\n",
}
READ = {
    "JSON": '---\n{ "title": "Nest", "tags": ["bird"] }\n---\nwombat\n',
    "JSON on lines": '---\n{\n  "title": "Nest",\n  "tags": ["bird"]\n}\n---\nwombat\n',
    "nothing": "---\n---\nwombat\n",
    "a comment": "---\n# nothing\n---\nwombat\n",
    "tags of YAML": "---\na: !!str 1\n---\nwombat\n",
    "indented fields": "---\n  title: x\n  tags: [a]\n---\nwombat\n",
    "no frontmatter": "wombat\n",
}


def variants(text: str) -> list[str]:
    """The same text with Windows' line ends, and with a byte order mark."""
    return [text, text.replace("\n", "\r\n"), "\ufeff" + text]


@pytest.mark.parametrize("form", UNREAD)
def test_frontmatter_that_can_not_be_read_is_kept_as_text(form: str) -> None:
    for text in variants(UNREAD[form]):
        found = read_foreign(text.encode())
        if form == "two documents" and not found.unread:
            continue  # a fence with a blank behind it is one
        assert found.unread
        made = found.note.patch({"id": "x", "status": "active"})
        assert made.fields == {"id": "x", "status": "active"}
        assert made.body == text.removeprefix("\ufeff")


@pytest.mark.parametrize("form", READ)
def test_other_forms_are_read(form: str) -> None:
    for text in variants(READ[form]):
        found = read_foreign(text.encode())
        assert found.unread == ""
        made = found.note.patch({"id": "x"}, ["title"])
        assert made.fields["id"] == "x"
        assert "title" not in made.fields
        assert "wombat" in made.body


def test_the_heading_under_unread_frontmatter_is_reported() -> None:
    assert read_foreign(UNREAD["a title with a colon"].encode()).heading == "Gate"
    assert read_foreign(UNREAD["TOML"].encode()).heading == "Gate"
    assert read_foreign(b"---\nIntro.\n---\n# Part 2\n").heading is None


@pytest.mark.parametrize("raw", [b"a\0b", b"\xff\xfea\0", b"\xff"])
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError):
        read_foreign(raw)


VALUES = [
    "0042", "1.10", "1e3", "2024-01-05", "yes", "No", "on", "off", "12:30", "~", "'quoted: #1'",
    '"a \\"b\\" \\u00e9"', "0o17", "0x1F", "123456789012345678901234567890", "007", "+1", ".5",
    "2024-01-05T10:00:00+02:00", "héllo 🎉", "a: b" and "a # no comment"[:1], "[a, 0042, 1.10]",
    "{a: 1.10, b: [x]}", "|\n  first\n   second\n\n  third", ">-\n  folded\n  text",
    "\n  - 0042\n  - '1.10'", "\n  inner: 0042\n  more:\n    - yes", "1_000", "True", "null", "''",
    "NaN", ".inf", "-0", "1.0", "00:00:00", "!!str 0042", "text  with   blanks", "[[Home]]",
    '"[[Home]]"', "https://example.com/a?b=c#d", "", "0042 # mine",
]  # fmt: skip


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("value", VALUES)
def test_what_is_set_aside_keeps_its_text(value: str, eol: str) -> None:
    text = f"---\nid: {value}\ntitle: T\nstatus: 1.10\n---\nBody\n".replace("\n", eol)
    given = read_foreign(text.encode()).note
    made = set_aside(given.patch({"id": "new", "status": "active"}), given, ["id", "status"])
    assert made.fields["imported"] == {key: given.fields[key] for key in ("id", "status")}
    assert (made.fields["id"], made.fields["status"]) == ("new", "active")
    aside = made.front[made.front.index("imported:") :]
    for line in value.splitlines():
        assert line.strip() in aside
    assert "1.10" in aside
    assert made.raw.decode().endswith(f"---{eol}Body{eol}")


def test_one_value_on_a_line_is_written_on_one_line() -> None:
    given = read_foreign(b"---\nid: 0042\ncreated: 2024-01-05\n---\n").note
    made = set_aside(given.patch({}, ["id", "created"]), given, ["id", "created"])
    assert made.front == "imported: {id: 0042, created: 2024-01-05}\n"


STEPS = "\n\n1. Stop the job.\n2. Start it again.\n"


def test_an_explicit_kind_decides_over_folder_and_text() -> None:
    found = detect_kind(" fix ", "ideas/idea-x.md", "Decision: no.", "memory")
    assert found == Detected("fix", "explicit")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("fixes/pg-lock.md", "fix"),
        ("fix/pg-lock.md", "fix"),
        ("Memory/fix/pg-lock.md", "fix"),
        ("preferences/tabs.md", "preference"),
        ("Decisions/2026/queue.md", "decision"),
        ("daily/monday.md", "daily"),
        ("Memory/_idea-incubator/x.md", "idea"),
        ("Memory/learnings/x.md", "learning"),
        ("entities/acme.md", "entity"),
        ("projects/billing/designs/ledger.md", "design"),
        ("Anti Patterns/x.md", "anti-pattern"),
        ("ideas/fixes/x.md", "fix"),
        ("docs/adr/use-postgres.md", "decision"),
        ("fix-pg-lock", "fix"),
        ("notes/Bugfix pg lock.md", "fix"),
        ("decision-queue", "decision"),
        ("adr-0001-use-postgres.md", "decision"),
        ("ADR 12 use postgres.md", "decision"),
        ("howto-deploy", "procedural"),
        ("how-to-deploy", "procedural"),
        ("pref-tabs", "preference"),
        ("idea-cache", "idea"),
        ("2026-01-31", "daily"),
        ("journal/2026-01-31.md", "daily"),
        ("projects/billing/roadmap.md", "roadmap"),
        ("projects/billing/_harness/PLAN.md", "plan"),
    ],
)
def test_a_folder_or_slug_tells_the_kind(path: str, kind: str) -> None:
    assert detect_kind(None, path, "Decided: no.", "memory") == Detected(kind, "convention")


@pytest.mark.parametrize(
    "path",
    [
        "Memory/x.md",
        "Memory/core/x.md",
        "projects/billing/x.md",
        "fixture.md",
        "fixing-a-bike",
        "prefix-tree",
        "ideal-gas",
        "2026-13-01",
        "2026-01-31-meeting",
        "adrenaline",
        "notes/harness/x.md",
    ],
)
def test_a_path_that_only_resembles_a_rule_tells_nothing(path: str) -> None:
    assert detect_kind(None, path, "", "memory") == Detected("memory", "default")


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"memory"}))
def test_a_folder_named_as_a_kind_tells_it(kind: str) -> None:
    assert detect_kind("", f"{kind}/x.md", "", "memory") == Detected(kind, "convention")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Idea: cache the parse.", "idea"),
        ("# Idea: cache the parse", "idea"),
        ("**Lesson learned:** measure first.", "insight"),
        ("Feedback: shorter answers.", "feedback"),
        ("Anti-pattern: retry without a limit", "anti-pattern"),
        ("# Queue\n\n## Decision\n\nOne table.", "decision"),
        ("Decision: one table.", "decision"),
        ("After a week,\nwe decided on one table.", "decision"),
        ("Decided to keep one table.", "decision"),
        ("Deploys hung. Root cause: a lock was held.", "fix"),
        ("The root cause was a held lock.", "fix"),
        ("It hung until we saw it was fixed by a timeout.", "fix"),
        ("The fix is a timeout.", "fix"),
        ("# How to restart the job" + STEPS, "procedural"),
        ("# Release workflow" + STEPS, "workflow"),
        ("Always use tabs here.", "preference"),
        ("In this repository, never push to main.", "preference"),
        ("The user prefers short answers.", "preference"),
        ("Prefer short answers.", "preference"),
        ("The fix was a timeout. Always use one.", "fix"),
    ],
)
def test_text_that_says_what_it_is_tells_the_kind(text: str, kind: str) -> None:
    assert detect_kind(None, "x", text, "memory") == Detected(kind, "text")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Decision trees split on one feature.",
        "No idea: it never happened again.",
        "A root cause analysis takes a day.",
        "How to think about locks. It depends.",
        "It always does that, and never mind.",
        "Their preferred stock fell.",
        "Some workflow, without steps.",
        "x" * 2_001 + "\nDecision: too late.",
        "We talked. " * 30 + "You should always use tabs.",
    ],
)
def test_text_that_only_resembles_a_rule_tells_nothing(text: str) -> None:
    assert detect_kind(None, "x", text, "insight") == Detected("insight", "default")


@pytest.mark.parametrize(
    ("explicit", "path", "found"),
    [
        ("proposed", "_inbox/x.md", Detected("proposed", "explicit")),
        (None, "Memory/_inbox/x.md", Detected("inbox", "convention")),
        (None, "_archive/x.md", Detected("archived", "convention")),
        (None, "Notes/Archive/2020/x.md", Detected("archived", "convention")),
        (None, "Memory/_dream-staging/x.md", Detected("proposed", "convention")),
        (None, "x.md", Detected("active", "default")),
        (None, "archive.md", Detected("active", "default")),
    ],
)
def test_status_is_explicit_or_by_folder(explicit: str | None, path: str, found: Detected) -> None:
    assert detect_status(explicit, path) == found


@pytest.mark.parametrize(
    ("explicit", "path", "text", "found"),
    [
        (["#Locks", " pg ", "pg", ""], "a/x.md", "#b", (("Locks", "pg"), "explicit")),
        ([], "Databases/My SQL/x.md", "#b", (("databases", "my-sql"), "convention")),
        (None, "dendron.ref.commands.md", "", (("dendron", "ref"), "convention")),
        (None, "a/a.b.md", "", (("a",), "convention")),
        (None, "a/b/c/d/e/f/x.md", "", (("a", "b", "c", "d", "e"), "convention")),
        (None, "projects/billing/designs/x.md", "", (("billing",), "convention")),
        (None, "Memory/_inbox/fixes/archive/x.md", "#b", (("b",), "text")),
        (None, "2026/v1.2.x.md", "", ((), "default")),
        (None, "Dr. No.md", "", ((), "default")),
        (None, ".obsidian/x.md", "", ((), "default")),
        (None, "x", "#PostgreSQL and\n#locks, #locks.", (("postgresql", "locks"), "text")),
        (None, "x", "#project/Billing #हिन्दी", (("project/billing", "हिन्दी"), "text")),
        (None, "x", "（ #日本語。", (("日本語",), "text")),
        (None, "x", "# Title\n#123 #fff #00ff7f a#b [x](#c) ##d #", ((), "default")),
        (None, "x", "`#a` %%#b%% <!-- #c -->\n```\n#include\n```\n", ((), "default")),
        (None, "x", "#" + "a" * 81, ((), "default")),
    ],
)  # fmt: skip
def test_tags_are_explicit_or_topics_of_the_path_or_hashtags(
    explicit: list[str] | None, path: str, text: str, found: tuple[tuple[str, ...], str]
) -> None:
    assert detect_tags(explicit, path, text) == found


def test_ten_hashtags_are_enough() -> None:
    tags, tier = detect_tags(None, "x", " ".join(f"#tag{n}" for n in range(20)))
    assert tags == tuple(f"tag{n}" for n in range(10))
    assert tier == "text"


@given(st.text(), st.text())
def test_any_path_and_text_have_a_kind_a_status_and_tags(path: str, text: str) -> None:
    assert detect_kind(None, path, text, "memory").value in KINDS
    assert detect_status(None, path).value
    tags, tier = detect_tags(None, path, text)
    assert len(tags) <= 10
    assert bool(tags) == (tier != "default")
    assert all(tag and tag == tag.strip() and "#" not in tag for tag in tags)


@pytest.mark.parametrize(
    "unit", ["#a ", "#a/", "# ", "\n ", "always ", "1. \n", "how to ", "workflow "]
)
def test_hostile_text_is_looked_at_in_linear_time(unit: str) -> None:
    text = "how to" + unit * (1_000_000 // len(unit))
    started = time.process_time()
    detect_kind(None, "x", text, "memory")
    detect_tags(None, "x", text)
    assert time.process_time() - started < 5
