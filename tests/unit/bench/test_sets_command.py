from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from bench.sets.__main__ import main

from engrain.adapters.cli.care.eval import read_saved
from engrain.api.sessions import Jobs
from engrain.evaluation.measurement import compare_runs
from engrain.lifecycle.jobs.runner import run_jobs
from engrain.lifecycle.upkeep import indexes
from engrain.model.errors import StorageError
from engrain.seam.job_log import JobRun
from support.check_script import leaves_files_open, load_check, needs_check
from support.conversations import make_beam, make_locomo, make_longmemeval
from unit.adapters.shell import read_part


@dataclass
class Done:
    code: int
    out: str
    err: str


_OWN = [
    {"q": "Which lock does the nightly job take?", "stem": "lock"},
    {"q": "What does rye bread need?", "stem": "bread"},
    {"q": "When does the ferry to Arran leave?", "stem": "ferry"},
]
_FOREIGN = [
    {"src": "composed", "q": "Who painted the opera in Paris?", "nl": "Who painted the opera in?"},
    {"src": "composed", "q": "tune my guitar by ear", "nl": ""},
    {"src": "beam-question", "q": "Did I book Lisbon?", "nl": "Did I book?"},
]
_NOTES = {
    "lock.md": "# Nightly lock\nThe nightly job takes an advisory lock before it reads invoices.\n",
    "below/bread.md": "---\ntitle: Bread\n---\nRye bread needs caraway, patience and a hot oven.\n",
    "ferry.md": "The ferry to Arran leaves Ardrossan at nine, also on Sundays in winter.\n",
}


def make_folder(folder: Path) -> Path:
    """Data sets of three domains."""
    files = {
        "locomo/locomo_dev.json": make_locomo().decode(),
        "beam_dev/beam.json": make_beam().decode(),
        "prompts/own_mine.jsonl": "".join(json.dumps(each) + "\n" for each in _OWN),
        "prompts/foreign_dev.jsonl": "".join(json.dumps(each) + "\n" for each in _FOREIGN),
        **{f"vault-mine/{name}": text for name, text in _NOTES.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "data")


def sets(*words: str) -> Done:
    """Run `python -m bench.sets` in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return Done(code, out.getvalue(), err.getvalue())


def ask(*words: str) -> Done:
    """Run it without what costs most of the time, for all that does not depend on it."""
    return sets(*words, "--no-calibrate", "--no-baselines")


def read_json(done: Done) -> dict[str, object]:
    assert done.code == 0, done.err
    data: dict[str, object] = json.loads(done.out)
    return data


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a whole run says of a folder, which it may only read."""
    here = tmp_path_factory.mktemp("measured")
    folder = make_folder(here / "data")
    before, files = _contents(folder), sorted(here.rglob("*"))
    data = read_json(sets("suite", str(folder), "--json"))
    assert _contents(folder) == before, "data are read in place"
    assert sorted(here.rglob("*")) == files, "nothing is left behind"
    return data


def test_every_domain_is_measured_without_any_vault_configured(measured: dict[str, object]) -> None:
    assert list(read_part(measured, "domains")) == ["talk", "chats", "mine"]
    assert list(read_part(measured, "absent")) == ["code sessions"]
    mine = read_part(measured, "domains", "mine")
    figures = read_part(mine, "note")
    assert (figures["n"], figures["hit@1"]) == (3, 1)
    assert read_part(figures, "served")["n"] == 3
    for metric in ("hit@1", "hit@5", "recall@10", "mrr"):
        ahead = read_part(figures, "ahead", metric)
        assert ahead["of"] in read_part(mine, "baselines")
        assert isinstance(ahead["interval"], list) and len(ahead["interval"]) == 2
    plain = read_part(mine, "rejection", "plain")
    assert (plain["own"], plain["foreign"]) == (3, 3)
    curve = plain["curve"]
    assert isinstance(curve, list) and curve[-1][1] == 1
    assert read_part(mine, "rejection", "without_names")["foreign"] == 2
    assert read_part(measured, "domains", "chats", "rejection", "plain")["foreign"] == 2
    assert read_part(measured, "domains", "talk", "session")["n"] == 6


def test_a_person_gets_tables_and_curves(folder: Path) -> None:
    done = sets("suite", str(folder), "--no-calibrate")
    assert done.code == 0, done.err
    assert "ahead of the best baseline" in done.out
    assert "FTS5 passages, content words" in done.out
    assert "foreign prompts without names" in done.out
    assert "█" in done.out
    assert "code sessions was not asked" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_a_limit_holds_for_each_vault(folder: Path) -> None:
    data = read_json(ask("suite", str(folder), "--limit", "1", "--json"))
    assert read_part(data, "domains", "talk", "turn")["n"] == 2
    assert read_part(data, "domains", "mine", "rejection", "plain")["foreign"] == 1


def test_two_runs_are_compared_domain_by_domain(folder: Path, tmp_path: Path) -> None:
    runs = [str(tmp_path / f"{name}.json") for name in ("before", "after")]
    for path in runs:
        assert ask("suite", str(folder), "--save", path).code == 0
    before, after = map(read_saved, runs)
    parts = compare_runs(before, after).parts
    assert parts["mine: note"]["hit@1"].difference == 0
    assert {"talk: foreign plain", "chats: message as served"} <= set(parts)


def test_only_what_is_there_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "data" / "locomo" / "any.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(make_locomo())
    data = read_json(ask("suite", str(tmp_path / "data"), "--json"))
    assert list(read_part(data, "domains")) == ["talk"]
    assert set(read_part(data, "absent")) == {"chats", "code sessions"}


def test_two_files_of_a_kind_are_two_domains(tmp_path: Path) -> None:
    below = tmp_path / "data" / "locomo"
    below.mkdir(parents=True)
    for name in ("dev.json", "held.json"):
        (below / name).write_bytes(make_locomo())
    data = read_json(ask("suite", str(tmp_path / "data"), "-n", "1", "--json"))
    assert list(read_part(data, "domains")) == ["talk", "talk, held"]


def test_labelled_sessions_of_coding_are_asked(folder: Path, tmp_path: Path) -> None:
    says = ["Why does the migration lock the table?", "It builds the index without CONCURRENTLY."]
    lines = [
        {"type": role, "sessionId": "s", "uuid": str(n), "timestamp": f"2026-09-01T10:00:0{n}Z",
         "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate(zip(("user", "assistant"), says, strict=True))
    ]  # fmt: skip
    (folder / "transcripts").mkdir()
    (folder / "transcripts" / "a.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    sha = sha256(says[1].encode()).hexdigest()[:8]
    label = {"id": "1", "q": "what made the migration lock the table", "kind": "cause",
             "split": "dev", "source": "a.jsonl",
             "evidence": [{"turn": 1, "sha": sha}]}  # fmt: skip
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps(label))
    words = ("suite", str(folder), "--labels", str(labels), "--json")
    data = read_json(ask(*words))
    assert read_part(data, "domains", "code sessions", "turn", "served")["hit@5"] == 1
    assert data["absent"] == {}
    labels.write_text(json.dumps({**label, "split": "none"}))
    done = ask(*words)
    assert (done.code, "labels.jsonl" in done.err) == (1, True)


def test_prompts_that_come_with_engrain_are_asked_where_a_folder_has_none(folder: Path) -> None:
    shutil.rmtree(folder / "prompts")
    (folder / "prompts").mkdir()
    (folder / "prompts" / "own_mine.jsonl").write_text(json.dumps(_OWN[0]))
    data = read_json(ask("suite", str(folder), "--json"))
    foreign = read_part(data, "domains", "mine", "rejection", "plain")["foreign"]
    assert isinstance(foreign, int) and foreign >= 250


@pytest.mark.parametrize(("words", "names"), [((), ["calibrate"]), (("--no-calibrate",), [])])
def test_each_vault_is_calibrated_before_it_is_asked_unless_not_wanted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], names: list[str]
) -> None:
    ran: list[str] = []

    def spy(jobs: Jobs, names: Sequence[str], **more: Any) -> Sequence[JobRun]:
        ran.extend(names)
        return run_jobs(jobs._open_store(), names, **more)

    monkeypatch.setattr(Jobs, "run", spy)
    shutil.rmtree(folder / "locomo")
    assert sets("suite", str(folder), "--no-baselines", *words).code == 0
    assert ran == names * 3, "two chats and a vault of notes"


def test_a_calibration_that_fails_ends_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StorageError("the disk is gone")

    monkeypatch.setattr(indexes, "calibrate", fail)
    done = sets("suite", str(folder))
    assert done.code != 0
    assert "can't be calibrated" in done.err


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("locomo/locomo_dev.json", "no JSON"),
        ("beam_dev/beam.json", "no JSON"),
        ("prompts/own_mine.jsonl", "line 1 is no JSON"),
        ("prompts/foreign_dev.jsonl", "line 1 is no JSON"),
    ],
)
def test_a_broken_file_is_named_before_anything_is_asked(
    folder: Path, broken: str, said: str
) -> None:
    (folder / broken).write_text("{")
    done = sets("suite", str(folder))
    assert done.code == 1
    assert said in done.err
    assert os.path.basename(broken) in done.err
    assert len(done.err.splitlines()) <= 2


def test_a_folder_that_is_missing_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    done = sets("suite", str(tmp_path / "nowhere"))
    assert (done.code, done.err.count("\n")) == (1, 1)
    (tmp_path / "empty").mkdir()
    done = sets("suite", str(tmp_path / "empty"))
    assert (done.code, "no data set is in" in done.err) == (1, True)


@pytest.fixture
def locomo(tmp_path: Path) -> str:
    path = tmp_path / "locomo.json"
    path.write_bytes(make_locomo())
    return str(path)


def test_locomo_is_measured_without_any_vault_configured(locomo: str) -> None:
    data = read_json(sets("locomo", locomo, "--json"))
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


@needs_check
@leaves_files_open
def test_predictions_scored_by_others_give_the_same_figures(locomo: str, tmp_path: Path) -> None:
    out = tmp_path / "out" / "ranked.json"
    data = read_json(ask("locomo", locomo, "--json", "--predictions", str(out)))
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


def test_a_person_gets_a_table(locomo: str) -> None:
    done = sets("locomo", locomo, "--no-calibrate")
    assert done.code == 0, done.err
    assert "recall@10" in done.out
    assert "FTS5, all words (6)" in done.out
    assert "area under the curve" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_longmemeval_is_measured_within_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval.json"
    path.write_bytes(make_longmemeval())
    data = read_json(ask("longmemeval", str(path), "--json", "--limit", "2"))
    assert read_part(data, "session")["n"] == 2
    assert data["rejection"] == {}
    data = read_json(ask("longmemeval", str(path), "--json", "--unit", "turn"))
    assert "session" not in data
    assert read_part(data, "rejection", "plain")["foreign"] == 1
