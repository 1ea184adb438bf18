from __future__ import annotations

import json
from pathlib import Path

import pytest

import engrain
from support.check_script import leaves_files_open, load_check, needs_check
from support.conversations import make_locomo, make_longmemeval
from unit.adapters.shell import CommandLine, read_data, read_part

SAMPLE = Path(engrain.__file__).parent / "sample"


@pytest.fixture
def locomo(tmp_path: Path) -> str:
    path = tmp_path / "locomo.json"
    path.write_bytes(make_locomo())
    return str(path)


@pytest.fixture
def questions(cli: CommandLine, tmp_path: Path) -> str:
    cli.save("Use advisory locks for the nightly job.", "--title", "Nightly lock")
    cli.save("Rye bread needs caraway.", "--title", "Rye bread")
    path = tmp_path / "questions.jsonl"
    lines: list[dict[str, object]] = [
        {"id": "lock", "question": "lock of the nightly job", "expected": ["nightly-lock"]},
        {"id": "rye", "question": "caraway", "expected": ["Rye bread"], "category": "bread"},
        {"id": "tides", "question": "zzyzx", "foreign": True},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_locomo_is_measured_without_any_vault_configured(bare: CommandLine, locomo: str) -> None:
    data = read_data(bare("eval", "locomo", locomo, "--json"))
    for unit in ("turn", "session"):
        figures = read_part(data, unit)
        assert figures["n"] == 6
        for metric in ("recall@1", "recall@5", "recall@10", "hit@1", "hit@5", "hit@10"):
            assert isinstance(figures[metric], float)
        assert isinstance(figures["ndcg@10"], float) and isinstance(figures["mrr"], float)
        assert set(read_part(figures, "by_category")) == {"multi-hop", "single-hop", "temporal"}
        assert set(read_part(figures, "by_conversation")) == {"conv-1", "conv-2"}
        assert set(read_part(figures, "latency_ms")) == {"p50", "p95"}
        assert read_part(data, "baselines", "FTS5, all words", unit)["n"] == 6
    assert data["skipped"] == 1
    assert set(read_part(data, "rejection")) == {"plain", "foreign_without_names", "without_names"}
    assert read_part(data, "rejection", "plain")["foreign"] == 6
    assert read_part(data, "configuration")["profile"] == "prompt"


def test_locomo_leaves_nothing_behind(cli: CommandLine, locomo: str) -> None:
    before = sorted(cli.folder.rglob("*"))
    assert cli("eval", "locomo", locomo, "--no-baselines", "--unit", "turn").code == 0
    assert sorted(cli.folder.rglob("*")) == before


@needs_check
@leaves_files_open
def test_predictions_scored_by_others_give_the_same_figures(
    bare: CommandLine, locomo: str, tmp_path: Path
) -> None:
    out = tmp_path / "out" / "ranked.json"
    data = read_data(bare("eval", "locomo", locomo, "--json", "--predictions", str(out)))
    predictions = json.loads(out.read_text())
    check = load_check()
    conversations = check.load(locomo, check=False)
    for unit in ("turn", "session"):
        scores = [
            check.score(predictions[unit][question["qid"]], question[f"gold_{unit}"])
            for conversation in conversations
            for question in conversation["qa"]
            if question["category"] != 5 and question[f"gold_{unit}"]
        ]
        assert len(scores) == len(predictions[unit]) == 6
        for ours, theirs in (
            ("recall@10", "recall@10"),
            ("hit@1", "R_any@1"),
            ("ndcg@10", "NDCG@10"),
            ("mrr", "MRR@10"),
        ):
            mean = sum(score[theirs] for score in scores) / len(scores)
            assert read_part(data, unit)[ours] == pytest.approx(mean)


def test_a_person_gets_a_table(bare: CommandLine, locomo: str) -> None:
    done = bare("eval", "locomo", locomo)
    assert done.code == 0, done.err
    assert "recall@10" in done.out
    assert "FTS5, all words (6)" in done.out
    assert "area under the curve" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_longmemeval_is_measured_within_a_limit(bare: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "longmemeval.json"
    path.write_bytes(make_longmemeval())
    data = read_data(bare("eval", "longmemeval", str(path), "--json", "--limit", "2"))
    assert read_part(data, "session")["n"] == 2
    assert data["rejection"] == {}
    data = read_data(bare("eval", "longmemeval", str(path), "--json", "--unit", "turn"))
    assert "session" not in data
    assert read_part(data, "rejection", "plain")["foreign"] == 1


def test_an_own_set_is_asked_of_the_own_vault(cli: CommandLine, questions: str) -> None:
    data = read_data(cli("eval", "run", questions, "--json"))
    assert read_part(data, "entry")["hit@1"] == 1
    answers = data["questions"]
    assert isinstance(answers, list)
    assert [answer["id"] for answer in answers] == ["lock", "rye"]
    assert all(answer["ranked"][0] in answer["expected"] for answer in answers)


def test_what_was_missed_is_named(cli: CommandLine, questions: str) -> None:
    with open(questions, "a", encoding="utf-8") as file:
        file.write('{"question": "qwertz", "expected": ["rye-bread"]}\n')
    done = cli("eval", "run", questions, "--no-baselines")
    assert done.code == 0, done.err
    assert "  4: qwertz" in done.out


def test_saved_runs_are_listed_and_compared(cli: CommandLine, questions: str) -> None:
    for name in ("before", "after"):
        assert cli("eval", "run", questions, "--save", name).code == 0
    runs = read_data(cli("eval", "runs", "--json"))["runs"]
    assert isinstance(runs, list)
    assert [run["name"] for run in runs] == ["after", "before"]
    data = read_data(cli("eval", "compare", "before", "after", "--json"))
    assert read_part(data, "parts", "entry", "mrr")["difference"] == 0
    assert "the same" in cli("eval", "compare", "before", "after").out
    assert "before" in cli("eval", "runs").out


def test_a_run_is_saved_as_a_file_where_a_path_is_given(
    cli: CommandLine, questions: str, tmp_path: Path
) -> None:
    path = tmp_path / "runs" / "first.json"
    assert cli("eval", "run", questions, "--save", str(path)).code == 0
    assert json.loads(path.read_text())["name"] == "first"
    assert cli("eval", "compare", str(path), str(path)).code == 0
    assert "No run is saved yet" in cli("eval", "runs").out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("locomo",), 2, "takes FILE"),
        (("compare", "a"), 2, "takes BEFORE and AFTER"),
        (("locomo", "nowhere.json"), 3, "nowhere.json is not there"),
        (("locomo", "."), 2, ". is a folder"),
        (("compare", "a", "b"), 3, "no saved run 'a'"),
        (("run", "nowhere.jsonl", "--profile", "none"), 2, "no profile 'none'"),
        (("runs", "--limit", "0"), 2, "invalid count value: '0'"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(
    cli: CommandLine, words: tuple[str, ...], code: int, said: str
) -> None:
    done = cli("eval", *words)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_wrong_name_for_a_run_is_refused_before_anything_is_asked(
    cli: CommandLine, questions: str
) -> None:
    done = cli("eval", "run", questions, "--save", ".hidden")
    assert done.code == 2
    assert "is no name for a run" in done.err


def test_an_answer_that_can_not_be_written_is_told_before_anything_is_asked(
    cli: CommandLine, questions: str, tmp_path: Path
) -> None:
    done = cli("eval", "run", questions, "--predictions", str(tmp_path))
    assert done.code == 2
    assert "is a folder" in done.err


def test_the_questions_of_the_sample_are_about_the_sample(cli: CommandLine) -> None:
    vault = str(cli.folder / "demo")
    assert cli("demo", "--keep", vault).code == 0
    path = str(SAMPLE / "questions.jsonl")
    data = read_data(cli("eval", "run", path, "--vault", vault, "--project", "billing", "--json"))
    assert read_part(data, "entry")["n"] == 44
    assert read_part(data, "rejection", "plain")["foreign"] == 15
    # Two of them share no word with their note, others only a tag or another form of a word.
    found = read_part(data, "baselines", "FTS5, content words", "entry")["hit@10"]
    assert isinstance(found, float) and found >= 39 / 44


def test_a_wrong_line_is_told_with_its_file(cli: CommandLine, questions: str) -> None:
    with open(questions, "a", encoding="utf-8") as file:
        file.write('{"question": "why", "expected": ["not-there"]}\n')
    done = cli("eval", "run", questions)
    assert done.code == 1
    assert "line 4: no entry 'not-there'" in done.err
    assert "questions.jsonl" in done.err


def test_what_is_no_saved_run_is_refused(cli: CommandLine, locomo: str) -> None:
    done = cli("eval", "compare", locomo, locomo)
    assert done.code == 1
    assert "the run is no object" in done.err


def test_a_named_embedder_that_cannot_run_fails_every_evaluation(
    cli: CommandLine, locomo: str, questions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "api")
    for words in (("locomo", locomo), ("run", questions)):
        done = cli("eval", *words)
        assert done.code != 0
        assert len(done.err.strip().splitlines()) <= 2
        assert "embedder is api, which can't run" in done.err
