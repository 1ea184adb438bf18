"""The manual's sessions, run as they are written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from transcripts.transcript import matches, read_steps, run_steps

FOLDER = Path(__file__).parent
TRANSCRIPTS = sorted(FOLDER.glob("*.transcript"))

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed here")


@needs_bash
@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_goes_as_the_manual_says(path: Path, tmp_path: Path) -> None:
    if "git init" in path.read_text() and shutil.which("git") is None:
        pytest.skip("git is not installed here")
    steps = read_steps(path.read_text())
    printed = run_steps(steps, tmp_path / "home")
    assert len(printed) == len(steps), f"the shell ended at line {steps[len(printed)].line}"
    for step, actual in zip(steps, printed, strict=True):
        if not matches(step.expected, actual):
            wanted, got = "\n".join(step.expected), "\n".join(actual)
            pytest.fail(
                f"{path.name}:{step.line}: $ {step.command}\nexpected:\n{wanted}\n\ngot:\n{got}"
            )


def test_every_promised_session_is_there() -> None:
    assert len(TRANSCRIPTS) >= 6


@pytest.mark.parametrize(
    ("expected", "actual", "match"),
    [
        (["a [...] c"], ["a b c"], True),
        (["a [...] c"], ["a b d"], False),
        (["[...]"], [], True),
        (["a", "[...]", "c"], ["a", "b", "b", "c"], True),
        (["a", "[...]", "c"], ["a", "b"], False),
        (["a"], ["a", "b"], False),
        ([], ["Traceback"], False),
        (["a.c"], ["abc"], False),
        (["[...]", "[exit 3]"], ["no entry", "[exit 3]"], True),
        (["[...]"], ["[exit 3]"], False),
        (["found"], ["found", "[exit 1]"], False),
    ],
)
def test_wildcards_match_what_they_should(
    expected: list[str], actual: list[str], match: bool
) -> None:
    assert matches(expected, actual) is match


def test_prose_commands_and_output_are_told_apart() -> None:
    text = "Prose.\n\n    $ one\n    > more\n    out\n\n    # still out\n    $ two\n\nProse.\n"
    first, second = read_steps(text)
    assert (first.line, first.command, first.expected) == (
        3,
        "one\nmore",
        ["out", "", "# still out"],
    )
    assert (second.line, second.command, second.expected) == (8, "two", [])


@needs_bash
def test_a_session_that_goes_otherwise_is_caught(tmp_path: Path) -> None:
    steps = read_steps("    $ echo one; false\n    two\n")
    (printed,) = run_steps(steps, tmp_path / "home")
    assert printed == ["one", "[exit 1]"]
    assert not matches(steps[0].expected, printed)
