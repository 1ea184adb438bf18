"""The planting of bugs: where they may stand, and that a test which fails is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

import planted

SOURCE = '''def add(one: int, two: int) -> int:
    """Return the sum
    if one < two and
    return True."""
    if one < 0:
        print("below")
    return one + two if two > 0 else one  # two > 0
'''
TEST = "from engrain.model.adding import add\n\ndef test_a_sum():\n    assert add(1, 2) == 3\n"
BELOW = ("model/adding.py", 6, '        print("below")', "        pass")
TURNED = "    return one + two if two >= 0 else one  # two > 0"
WRONG = "    return one - two if two > 0 else one"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one module with one test, in the place of ours."""
    monkeypatch.setattr(planted, "ROOT", tmp_path)
    monkeypatch.setattr(planted, "TABLE", tmp_path / "planted.tsv")
    files = {"src/engrain/__init__.py": "", "src/engrain/model/adding.py": SOURCE}
    files |= {"tests/unit/model/test_adding.py": TEST, "tests/contracts/notes.txt": ""}
    wider = planted.find_tests("model/adding.py")[-1]
    files |= {name: "def test(): pass\n" for name in wider if name.endswith(".py")}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_conditions_and_calls_are_changed_and_docstrings_and_comments_are_not(
    project: Path,
) -> None:
    line = SOURCE.splitlines()[6]
    assert sorted(planted.list_bugs("model/adding.py")) == [
        ("model/adding.py", 5, "    if one < 0:", "    if one <= 0:"),
        BELOW,
        ("model/adding.py", 7, line, TURNED),
    ]


def test_the_bug_that_a_test_notices_is_caught_and_the_other_is_not(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("model/adding.py", 7, SOURCE.splitlines()[6], WRONG), BELOW]
    (project / "planted.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    assert planted.main([]) == 1
    caught, missed, share = capsys.readouterr().out.splitlines()
    assert caught.startswith("caught\tmodel/adding.py:7")
    assert missed.startswith("MISSED\tmodel/adding.py:6")
    assert share == "1 of 2 planted bugs are caught"


def test_nothing_is_shown_where_the_whole_source_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "planted.tsv").write_text("\t".join(map(str, BELOW)))
    (project / "tests/unit/model/test_adding.py").write_text("def test(): assert False\n")
    assert planted.main([]) == 1
    assert "nothing is shown" in capsys.readouterr().out
