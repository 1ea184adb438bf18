"""What ranking and silence are held to: a change of either is seen to the last digit.

python tasks.py record          write all records anew, after a change that is meant
python tasks.py record sample   what each question of the sample gets (`gate_sample.json`)
python tasks.py record cut      the figures of a cut of the development sets (`gate_table.json`)
python tasks.py record whole    those of the whole sets, and the table of docs/performance.md

`tests/unit/test_gate_bench.py` compares.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.corpus import DATA, SAMPLE
from bench.sets.separation import silenced_at

_HERE = Path(__file__).parent
RANKINGS = _HERE / "gate_sample.json"
TABLE = _HERE / "gate_table.json"
QUESTIONS = SAMPLE / "questions.jsonl"
LABELS = _HERE / "code_sessions.jsonl"
DOCUMENT = _HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- made by `tasks.py record` -->", "<!-- end -->"
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
_QUICK = ("--no-baselines", "--no-calibrate")

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
    return _measure(folder, data, *_QUICK, "--limit", str(_CUT_QUESTIONS))


def record(parts: list[str]) -> None:
    """Measure some of the parts anew, all for none, and write them down."""
    measures: dict[str, Callable[[Path], Table]] = {"cut": measure_cut, "whole": measure_whole}
    for part in parts or ["sample", *measures]:
        with tempfile.TemporaryDirectory() as place:
            if part == "sample":
                _write(RANKINGS, ask_sample(Path(place)))
            else:
                table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
                table |= {part: measures[part](Path(place))}
                _write(TABLE, table)
        if part == "whole":
            before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
            after = rest.partition(END)[2]
            text = f"{before}{BEGIN}\n{render(table[part])}\n{END}{after}"
            DOCUMENT.write_text(text, encoding="utf-8")


def _measure(folder: Path, data: Path, *more: str) -> Table:
    command = [sys.executable, "-m", "bench.sets", "suite", str(data), "--json"]
    command += ["--labels", str(LABELS), *more]
    done = subprocess.run(
        command, cwd=_HERE.parent, env=_environment(folder), check=True, capture_output=True
    )
    return {domain: _pick(told) for domain, told in json.loads(done.stdout)["domains"].items()}


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
    for name, found in units.items():
        if found["ahead"]:
            table[f"{name} ahead"] = _pick_leads(found["ahead"])
    for condition, found in told["rejection"].items():
        figures = {name: round(found[name], _DIGITS) for name in _SILENCE}
        lost = f"silenced_at_{_LOST:.0%}_lost"
        table[condition] = figures | {lost: round(silenced_at(found["curve"], _LOST), _DIGITS)}
    return table


def _pick_leads(ahead: dict[str, Any]) -> dict[str, float]:
    """How far recall is ahead of the best baseline, with the ends of the interval."""
    figures: dict[str, float] = {}
    for metric in set(_METRICS).intersection(ahead):
        found = ahead[metric]
        low, high = found["interval"]
        parts = {"": found["difference"], " low": low, " high": high, " baseline": found["before"]}
        figures |= {f"{metric}{part}": round(value, _DIGITS) for part, value in parts.items()}
    return dict(sorted(figures.items()))


def render(table: Table) -> str:
    """The table of docs/performance.md."""
    lines = [
        "| | questions | hit@1 | ahead of the best full text | hit@5 | R@10 | MRR "
        "| silent | … names removed | own lost | AUC | … names removed |",
        "|---|" + "---|" * 11,
    ]
    for domain, parts in table.items():
        for unit in [part for part in parts if f"{part} ahead" in parts]:
            served = parts.get(f"{unit} as served")
            cells = [f"{parts[unit]['n']:.0f}", *_cells(served or parts[unit], _METRICS[1:])]
            cells.insert(2, _lead_cell(parts[f"{unit} ahead"]))
            cells += _silence_cells(parts) if served else [""] * 5
            lines.append(f"| {domain}, {unit} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _lead_cell(lead: dict[str, float]) -> str:
    low, high = lead["hit@1 low"], lead["hit@1 high"]
    return f"{_signed(lead['hit@1'])} [{_signed(low)}, {_signed(high)}]"


def _silence_cells(parts: dict[str, dict[str, float]]) -> list[str]:
    plain = parts["plain"]
    bare = parts.get("foreign_without_names") or parts["without_names"]
    silent, lost, area = _cells(plain, ("foreign_silenced", "own_silenced", "auc"))
    silent_bare, area_bare = _cells(bare, ("foreign_silenced", "auc"))
    return [silent, silent_bare, lost, area, area_bare]


def _cells(figures: dict[str, float], names: Sequence[str]) -> list[str]:
    return [_short(figures[name]) for name in names]


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", "−")


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
