from __future__ import annotations

import json
from pathlib import Path

import pytest

import engrain
from unit.adapters.shell import CommandLine, read_data, read_part

SAMPLE = Path(engrain.__file__).parent / "sample"


@pytest.fixture
def questions(cli: CommandLine, tmp_path: Path) -> str:
    cli.save("Use advisory locks for the nightly job.", "--title", "Nightly lock")
    cli.save("Rye bread needs caraway.", "--title", "Rye bread")
    path = tmp_path / "questions.jsonl"
    lines: list[dict[str, object]] = [
        {"id": "lock", "question": "lock of the nightly job", "expected": ["nightly-lock"]},
        {"id": "rye", "question": "caraway", "expected": ["Rye bread"]},
        {"id": "tides", "question": "zzyzx", "foreign": True},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_an_own_set_is_asked_of_the_own_vault(cli: CommandLine, questions: str) -> None:
    data = read_data(cli("eval", "run", questions, "--json"))
    assert read_part(data, "entry")["hit@1"] == 1
    answers = data["questions"]
    assert [answer["id"] for answer in answers] == ["lock", "rye"]
    assert all(answer["ranked"][0] in answer["expected"] for answer in answers)


def test_what_was_missed_is_named(cli: CommandLine, questions: str) -> None:
    with open(questions, "a", encoding="utf-8") as file:
        file.write('{"question": "qwertz", "expected": ["rye-bread"]}\n')
    done = cli("eval", "run", questions)
    assert done.code == 0, done.err
    assert "  4  qwertz" in done.out


def test_saved_runs_are_compared(cli: CommandLine, questions: str, tmp_path: Path) -> None:
    before, after = (str(tmp_path / "runs" / name) for name in ("before.json", "after.json"))
    for path in (before, after):
        assert read_data(cli("eval", "run", questions, "--save", path, "--json"))["saved"] == path
    assert json.loads(Path(before).read_text())["name"] == "before"
    data = read_data(cli("eval", "compare", before, after, "--json"))
    assert (data["before"], data["after"]) == ("before", "after")
    assert read_part(data, "parts", "entry", "mrr")["difference"] == 0
    told = cli("eval", "compare", before, after).out.splitlines()
    assert any(line.startswith("entry as served, 2 questions") for line in told)
    assert sum(line.split()[:1] == ["mrr"] and line.endswith("the same") for line in told) == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run", "nowhere.json"), 3, "nowhere.json is not there"),
        (("run", "."), 2, ". is a folder"),
        (("compare", "a.json", "b.json"), 3, "a.json is not there"),
        (("run", "nowhere.jsonl", "--profile", "none"), 2, "no profile named 'none'"),
        (("run", "a", "--limit", "0"), 2, "invalid count value: '0'"),
    ],
)
def test_a_wrong_call_is_reported_in_one_line(
    cli: CommandLine, words: tuple[str, ...], code: int, said: str
) -> None:
    done = cli("eval", *words)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_run_that_can_not_be_written_is_reported_before_anything_is_asked(
    cli: CommandLine, questions: str, tmp_path: Path
) -> None:
    (tmp_path / "there.json").mkdir()
    done = cli("eval", "run", questions, "--save", str(tmp_path / "there.json"))
    assert done.code == 2
    assert "is a folder" in done.err


def test_the_questions_of_the_sample_are_about_the_sample(cli: CommandLine) -> None:
    vault = str(cli.folder / "demo")
    assert cli("demo", "--keep", vault).code == 0
    path = str(SAMPLE / "questions.jsonl")
    data = read_data(cli("eval", "run", path, "--vault", vault, "--project", "billing", "--json"))
    assert read_part(data, "entry")["n"] == 44
    assert read_part(data, "silence")["foreign"] == 15


def test_a_wrong_line_is_reported_with_its_file(cli: CommandLine, questions: str) -> None:
    with open(questions, "a", encoding="utf-8") as file:
        file.write('{"question": "why", "expected": ["not-there"]}\n')
    done = cli("eval", "run", questions)
    assert done.code == 1
    assert "line 4: no entry 'not-there'" in done.err
    assert "questions.jsonl" in done.err


def test_a_named_embedder_that_cannot_run_fails_every_evaluation(
    cli: CommandLine, questions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "api")
    done = cli("eval", "run", questions)
    assert done.code != 0
    assert len(done.err.strip().splitlines()) <= 2
    assert "embedder is api, which can't run" in done.err
