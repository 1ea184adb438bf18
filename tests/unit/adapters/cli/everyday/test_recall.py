"""recall, show and list at the command line: how to look, and what is said about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from engrain.engine.recall.profiles import PHASES, PROFILES
from unit.adapters.shell import CommandLine

LONG = "".join(
    f"## Part {name}\n\n" + f"The {name} crane was greased by the harbour crew. " * 20 + "\n\n"
    for name in ("red", "green", "blue")
)
FOREIGN = "Which vineyard near Zaragoza did Marguerite visit before the crane?"


@pytest.fixture
def cranes(cli: CommandLine) -> CommandLine:
    cli.save("The crane was greased.", "--title", "Greased", "--kind", "fix", "--tag", "harbour")
    cli.save("A crane is painted yellow.", "--title", "Painted", "--kind", "decision")
    cli.save("The ferry leaves at noon.", "--title", "Ferry", "--kind", "fix")
    return cli


def recall(cli: CommandLine, *argv: str) -> Any:
    done = cli("recall", *argv, "--json")
    assert done.code == 0, done.err or done.out
    return done.answer["data"]


def titles(data: dict[str, Any]) -> list[str]:
    results = data["results"]
    return [result["title"] for result in results]


def first(data: dict[str, Any]) -> Any:
    results = data["results"]
    return results[0]


# Silence


def test_a_prompt_about_nothing_is_answered_in_words(cranes: CommandLine) -> None:
    done = cranes("recall", FOREIGN)
    assert done.code == 0
    assert done.out.startswith("Nothing surely fits; the nearest:\n")
    assert done.out.splitlines()[-1].startswith("Too weak: 2 ")
    assert done.out.splitlines()[-1].endswith("--profile deep shows them all.")
    data = recall(cranes, FOREIGN)
    assert (data["results"], data["rejected"], data["withheld"]) == ([], True, 2)


def test_who_digs_is_shown_what_was_withheld(cranes: CommandLine) -> None:
    assert set(titles(recall(cranes, FOREIGN, "--profile", "deep"))) == {"Greased", "Painted"}


def test_no_match_at_all_is_said_otherwise(cranes: CommandLine) -> None:
    assert cranes("recall", "splash screen").out == "Nothing in memory matches.\n"


# Options


@pytest.mark.parametrize(
    ("option", "value", "known"),
    [("--profile", "shallow", PROFILES), ("--phase", "planning", PHASES)],
)
def test_what_there_is_none_of_is_one_line_that_names_what_there_is(
    cranes: CommandLine, option: str, value: str, known: dict[str, Any]
) -> None:
    done = cranes("recall", "crane", option, value)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert all(name in done.err for name in known)
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "argv",
    [
        ["--budget", "0"],
        ["--budget", "-5"],
        ["--budget", "many"],
        ["--limit", "0"],
        ["--half-life", "0"],
        ["--half-life", "nan"],
        ["--as-of", "someday"],
    ],
)
def test_a_value_that_makes_no_sense_is_refused(cranes: CommandLine, argv: list[str]) -> None:
    done = cranes("recall", "crane", *argv)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_a_phase_puts_its_kinds_first(cranes: CommandLine) -> None:
    assert titles(recall(cranes, "crane", "--phase", "plan"))[0] == "Painted"
    assert titles(recall(cranes, "crane", "--phase", "work"))[0] == "Greased"


def test_a_plan_and_work_get_other_things_from_the_sample_vault(bare: CommandLine) -> None:
    done = bare("demo", "--keep", str(bare.vault))
    assert done.code == 0, done.err

    def kinds(phase: str) -> list[object]:
        data = recall(
            bare, "invoice numbers gap", "--phase", phase, "--profile", "deep", "--all-projects",
            "--vault", str(bare.vault),
        )  # fmt: skip
        results = data["results"]
        return [result["kind"] for result in results]

    plan, work = kinds("plan"), kinds("work")
    assert plan[0] == "decision"
    assert work.index("fix") < plan.index("fix")
    for phase, found in (("plan", plan), ("work", work)):
        assert all(found.count(kind) <= PHASES[phase].most(str(kind)) for kind in found)


def test_over_the_budget_the_passage_that_answers_is_shown_and_marked(cli: CommandLine) -> None:
    cli.save(LONG, "--title", "Cranes", "--kind", "domain-reference")
    done = cli("recall", "green crane", "--budget", "400")
    assert "an excerpt: `engrain show` prints it all" in done.out
    assert "Part green" in done.out
    found = first(recall(cli, "green crane", "--budget", "400"))
    assert found["part"] is True
    whole = first(recall(cli, "green crane"))
    assert (whole["part"], whole["text"]) == (False, LONG.strip() + "\n")


def test_what_is_found_is_cited_by_the_headings_it_stands_under(cli: CommandLine) -> None:
    rows = "\n".join(f"The {n} berth is kept by its own harbourmaster." for n in range(60))
    text = f"## Setup\n\n{rows}\n\n### Li\x1b[31mnux\n\nThe winch needs a shim.\n{rows}"
    cli.save(text, "--title", "Cranes", "--kind", "domain-reference")
    done = cli("recall", "winch shim", "--budget", "900")
    assert done.out.startswith("1. Cranes > Setup > Li[31mnux  ")
    found = first(recall(cli, "winch shim", "--budget", "900"))
    assert (found["heading"], found["part"]) == ("Setup > Li\x1b[31mnux", True)
    assert first(recall(cli, "winch shim"))["heading"] == found["heading"]


def test_what_stands_under_no_heading_is_cited_by_its_title_alone(cranes: CommandLine) -> None:
    results = recall(cranes, "crane")["results"]
    assert results
    assert all("heading" not in found for found in results)


def test_what_did_not_fit_the_budget_is_counted(cranes: CommandLine) -> None:
    done = cranes("recall", "crane", "--budget", "1")
    assert done.out == "2 more did not fit the budget: raise --budget.\n"
    data = recall(cranes, "crane", "--budget", "1")
    assert (data["results"], data["over_budget"], data["tokens"]) == ([], 2, 0)


def test_what_the_reader_has_already_is_left_out(cranes: CommandLine) -> None:
    found = recall(cranes, "crane")
    had = str(first(found)["id"])
    left = titles(recall(cranes, "crane", "--without", had))
    assert left == titles(found)[1:]
    assert titles(recall(cranes, "crane", "--without", had, "--without", "nobody")) == left


def test_as_of_a_date_what_held_then_is_recalled(cli: CommandLine) -> None:
    cli.save("We use pgbouncer.", "--title", "Pooler", "--created", "2026-03-01")
    assert cli("evolve", "pooler", "We use odyssey.").code == 0
    then = recall(cli, "which pooler", "--as-of", "2026-04-01")
    assert first(then)["text"] == "We use pgbouncer.\n"
    assert first(then)["status"] == "superseded"
    assert first(recall(cli, "which pooler"))["text"] == "We use odyssey.\n"
    assert recall(cli, "which pooler", "--as-of", "2026-02-01")["results"] == []


def test_a_half_life_puts_what_is_new_first(cli: CommandLine) -> None:
    for name, day, text in (
        ("old", "2020-01-01", "The crane was greased twice."),
        ("new", "2026-11-01", "The crane was greased."),
    ):
        note = cli.vault / "Memory" / "fix" / f"{name}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"---\nkind: fix\ncreated: {day}\nupdated: {day}\n---\n# {name}\n{text}\n")
    assert titles(recall(cli, "crane greased twice", "--profile", "deep")) == ["old", "new"]
    assert titles(recall(cli, "crane greased twice", "--profile", "deep", "--half-life", "30")) == [
        "new",
        "old",
    ]


# Why


def test_an_explanation_is_readable(cranes: CommandLine) -> None:
    done = cranes("recall", "crane greased zebra", "--explain", "--limit", "1", "--profile", "deep")
    assert done.code == 0
    lines = done.out.splitlines()
    why = lines[lines.index("Why") :]
    assert "vectors    none" in why
    assert [line.split() for line in why[why.index("words:") + 2 :][:3]] == [
        ["crane", "2"], ["greased", "1"], ["zebra", "0"],
    ]  # fmt: skip
    assert any(line.split()[:2] == ["text", "1"] for line in why)
    assert why[-1].split(maxsplit=2)[1:] == ["Painted", "beyond the limit"]


def test_a_silence_is_explained(cranes: CommandLine) -> None:
    done = cranes("recall", FOREIGN, "--explain")
    assert re.search(r"rejected +yes", done.out)
    assert re.search(r"Zaragoza +0", done.out)


def test_where_nothing_fits_the_nearest_stand_below_a_line_that_says_so(
    cranes: CommandLine,
) -> None:
    lines = cranes("recall", FOREIGN).out.splitlines()
    assert lines[0] == "Nothing surely fits; the nearest:"
    assert [line[:3] for line in lines if line[:1].isdigit()] == ["1. ", "2. "]
    data = recall(cranes, FOREIGN)
    assert data["results"] == []
    assert data["rejected"] is True
    assert len(data["nearest"]) == 2
    assert recall(cranes, "crane greased")["nearest"] == []


def test_an_explanation_as_json_has_the_same_in_it(cranes: CommandLine) -> None:
    data = recall(cranes, "crane greased zebra", "--explain", "--limit", "1", "--profile", "deep")
    why = data["explanation"]
    assert why["words"] == [
        {"word": "crane", "passages": 2},
        {"word": "greased", "passages": 1},
        {"word": "zebra", "passages": 0},
    ]
    assert 0 <= why["signals"]["own"] <= 1
    assert why["lost"] == []
    (result,) = why["results"]
    assert result["id"] == first(data)["id"]
    text = result["channels"]["text"]
    assert (text["rank"], text["factor"]) == (1, PROFILES["deep"].weights["text"])
    assert text["score"] > 0
    (cut,) = why["cut"]
    assert cut["reason"] == "limit"
    assert cut["channels"]["text"]["rank"] == 2
    assert "explanation" not in recall(cranes, "crane")


def test_titles_and_words_that_would_drive_a_terminal_are_shown_harmless(cli: CommandLine) -> None:
    note = cli.vault / "Memory" / "fix" / "evil.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("---\nkind: fix\n---\n# Evil \x1b[31m crane\nThe \x1b]0;x\x07 crane.\n")
    done = cli("recall", "evil \x1b[31m crane", "--explain")
    assert "Evil" in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out


# Settings


def test_a_project_file_may_set_profile_and_budget(
    cranes: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".engrain.toml").write_text('profile = "deep"\n')
    assert titles(recall(cranes, FOREIGN))
    assert recall(cranes, FOREIGN, "--profile", "prompt")["results"] == []
    monkeypatch.setenv("ENGRAIN_BUDGET", "1")
    assert recall(cranes, "crane")["over_budget"] == 2
    assert recall(cranes, "crane", "--budget", "500")["over_budget"] == 0


# `show` and `list`


def test_the_bytes_of_an_entry_are_shown_raw(cranes: CommandLine) -> None:
    (note,) = cranes.vault.rglob("greased.md")
    assert cranes("show", "greased", "--raw").raw == note.read_bytes()


def test_a_list_as_of_a_date_has_what_held_then(cli: CommandLine) -> None:
    cli.save("We use pgbouncer.", "--title", "Pooler", "--created", "2026-03-01")
    assert cli("evolve", "pooler", "We use odyssey.").code == 0
    assert "superseded" in cli("list", "--as-of", "2026-04-01").out
    assert cli("list", "--as-of", "2026-02-01").out == "0 in all\n"
