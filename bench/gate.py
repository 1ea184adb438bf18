"""What ranking and silence are held to: a change of either is seen to the last digit.

python tasks.py record          write all records anew, after a change that is meant
python tasks.py record sample   what each question of the sample gets (`gate_sample.json`)
python tasks.py record cut      the figures of a cut of the development sets (`gate_table.json`)
python tasks.py record whole    those of the whole sets; takes minutes

`tests/unit/test_gate_bench.py` compares.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.corpus import DATA, SAMPLE
from engrain.evaluation.separation import silenced_at

_HERE = Path(__file__).parent
RANKINGS = _HERE / "gate_sample.json"
TABLE = _HERE / "gate_table.json"
QUESTIONS = SAMPLE / "questions.jsonl"
LABELS = _HERE / "code_sessions.jsonl"
NEEDED = ("locomo", "beam_dev", "vault-dendron", "vault-tldr", "transcripts", "prompts")
"""What the figures are of; without any of it there is nothing to compare."""
_SHOWN = 3
_METRICS = ("n", "hit@1", "hit@5", "recall@10", "mrr")
_SILENCE = ("own", "foreign", "own_silenced", "foreign_silenced", "auc")
_DIGITS = 6
"""What is left of a figure, so that the last bit of a division on another machine is not seen."""
_LOST = 0.03
_CUT = {"locomo/locomo_dev.json": 2, "beam_dev/beam_100k_1-10.json": 2}
"""So many of their conversations are in the cut; vaults and transcripts are whole."""
_CUT_QUESTIONS = 40

Table = dict[str, dict[str, dict[str, float]]]
"""Domain -> unit or condition -> figure."""


def ask_sample(folder: Path) -> dict[str, list[str]]:
    """The slugs that each question of the sample gets, best first, without any model."""
    environment = _environment(folder) | {
        "ENGRAIN_VAULT": str(folder / "vault"),
        "ENGRAIN_STATE_DIR": str(folder / "state"),
        "ENGRAIN_PROJECT": "billing",
    }
    command = [sys.executable, "-m", "engrain", "demo", "--keep", str(folder / "vault")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    script = (
        "import json, sys, engrain\n"
        "with engrain.open_memory() as memory:\n"
        "    for line in open(sys.argv[1], encoding='utf-8'):\n"
        "        question = json.loads(line)['question']\n"
        f"        found = memory.recall(question, limit={_SHOWN}).results\n"
        "        print(json.dumps([question, [one.row.slug for one in found]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(QUESTIONS)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


def measure_whole(folder: Path) -> Table:
    """The figures of the development sets, without any model."""
    return _measure(folder, DATA)


def measure_cut(folder: Path) -> Table:
    """Those of a cut that takes a minute."""
    data = folder / "data"
    for path, most in _CUT.items():
        (data / path).parent.mkdir(parents=True)
        kept = json.loads((DATA / path).read_bytes())[:most]
        (data / path).write_text(json.dumps(kept), encoding="utf-8")
    shutil.copytree(DATA / "prompts", data / "prompts")
    for place in [*sorted(DATA.glob("vault-*")), DATA / "transcripts"]:
        (data / place.name).symlink_to(place)
    return _measure(folder, data, "--limit", str(_CUT_QUESTIONS))


def record(parts: list[str]) -> None:
    """Measure some of the parts anew, all for none, and write them down."""
    measures: dict[str, Callable[[Path], Table]] = {"cut": measure_cut, "whole": measure_whole}
    for part in parts or ["sample", *measures]:
        with tempfile.TemporaryDirectory() as place:
            if part == "sample":
                _write(RANKINGS, ask_sample(Path(place)))
            else:
                table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
                _write(TABLE, table | {part: measures[part](Path(place))})


def _measure(folder: Path, data: Path, *more: str) -> Table:
    command = [sys.executable, "-m", "engrain", "eval", "suite", "--json", "--no-baselines"]
    command += ["--data", str(data), "--labels", str(LABELS), *more]
    done = subprocess.run(command, env=_environment(folder), check=True, capture_output=True)
    return {
        domain: _pick(told) for domain, told in json.loads(done.stdout)["data"]["domains"].items()
    }


def _pick(told: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The figures of a domain that are held: of each unit, as ranked and as served, and of
    silence."""
    units = {
        name: found for name, found in told.items() if isinstance(found, dict) and "n" in found
    }
    ranked = units | {f"{name} as served": found["served"] for name, found in units.items()}
    table = {
        name: {metric: round(found[metric], _DIGITS) for metric in _METRICS}
        for name, found in ranked.items()
        if found
    }
    for condition, found in told["rejection"].items():
        figures = {name: round(found[name], _DIGITS) for name in _SILENCE}
        lost = f"silenced_at_{_LOST:.0%}_lost"
        table[condition] = figures | {lost: round(silenced_at(found["curve"], _LOST), _DIGITS)}
    return table


def _environment(folder: Path) -> dict[str, str]:
    """One in which nothing decides but what is given."""
    config = str(folder / "no-config.toml")
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return kept | {"ENGRAIN_EMBEDDER": "none", "ENGRAIN_CONFIG": config}


def _write(path: Path, value: object) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1:])
