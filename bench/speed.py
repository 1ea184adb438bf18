"""Every command beside its floor, for this checkout and, in turn with it, for an earlier one.

python tasks.py bench --speed                        1k, 10k and 100k notes
python tasks.py bench --speed --sizes 1000           other sizes
python tasks.py bench --speed --before PYTHON        also what PYTHON's environment has installed
python tasks.py bench --speed --json                 JSON instead of a table

Cold rows are ratios of whole processes to `python -c pass`, that of `--version` to a console script
of the same launcher that only prints. Warm rows are measured in processes of
their own: recall beside a bare full-text query over the same texts, save beside a bare durable
write, an import beside a bare pipeline that parses, hashes, indexes one column, logs and flushes
every 500 notes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import engrain
from bench import prose
from bench.desk import EVENTS, time_process
from bench.measure import describe_machine, percentile
from engrain.adapters.hosts.check import make_payload
from engrain.adapters.hosts.commands import hook_command

COLD_RUNS = 40
ROUNDS = 3
"""Processes of each warm measurement; the median of theirs is given."""
HOST = "claude-code"
_SOURCE = str(Path(engrain.__file__).parent.parent)
_CHILD = Path(__file__).with_name("speed_child.py")
_ENTRY = "from engrain.__main__ import main"
_PRINTS = "def main(): print('engrain 0.1.0')"

Figures = dict[str, dict[str, float]]
"""Row -> label of a checkout -> figure."""


class Checkout:
    """An installed engrain and, in a folder of its own, a vault and a project."""

    def __init__(self, label: str, python: str, folder: Path) -> None:
        self.label = label
        self.python = python
        self.script = str(Path(python).with_name("engrain"))
        self.folder = folder
        code = "import engrain, os; print(os.path.dirname(os.path.dirname(engrain.__file__)))"
        self.source = subprocess.check_output([python, "-c", code], text=True).strip()
        self.vault, self.state = folder / "vault", folder / "state" / "engrain"
        self.project = folder / "billing"
        (self.project / ".git").mkdir(parents=True)
        config = folder / "config" / "engrain" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'vault = "{self.vault}"\nembedder = "none"\n')
        kept = {name: value for name, value in os.environ.items() if name[:8] != "ENGRAIN_"}
        self.environment = {
            **kept,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
        }

    def measure(self, what: str, *arguments: str) -> dict[str, float]:
        """What the child says of one warm measurement."""
        done = subprocess.run(
            [self.python, str(_CHILD), what, str(self.vault), str(self.state), *arguments],
            check=True,
            stdout=subprocess.PIPE,
            env=self.environment,
        )
        answer: dict[str, float] = json.loads(done.stdout)
        return answer

    def run(self, *arguments: str) -> float:
        """Seconds of a command of ours, run in the project."""
        return time_process([self.script, *arguments], b"", self.environment, self.project)[0]

    def hook(self, event: str, session: str, prompt: str = "") -> float:
        """Seconds of a hook, as `setup` installs it."""
        payload = make_payload(HOST, EVENTS[event], event, session, str(self.project))
        if prompt:
            payload["prompt"] = prompt
        command = [self.python, *hook_command(event, HOST)[1:]]
        ours, theirs = sys.prefix, str(Path(self.python).parent.parent)
        command = [part.replace(ours, theirs).replace(_SOURCE, self.source) for part in command]
        sent = json.dumps(payload).encode()
        return time_process(command, sent, self.environment, self.project)[0]


def measure(size: int, pythons: Mapping[str, str], folder: Path) -> Figures:
    """Every row at one size: each checkout's figures, and their floors under `floor`."""
    notes = folder / "notes"
    prose.write_folder(notes, size)
    checkouts = [Checkout(label, python, folder / label) for label, python in pythons.items()]
    figures: Figures = {}
    _measure_import(checkouts, notes, figures)
    _measure_cold(checkouts, figures)
    for what in ("recall", "save", "reindex"):
        answers: dict[str, list[dict[str, float]]] = {}
        for _ in range(ROUNDS if what != "reindex" else 1):
            for checkout in checkouts:
                answers.setdefault(checkout.label, []).append(checkout.measure(what, str(notes)))
        for label, rounds in answers.items():
            for row in rounds[0]:
                value = statistics.median(each[row] for each in rounds)
                figures.setdefault(row, {})[label] = value
    return figures


def _measure_import(checkouts: Sequence[Checkout], notes: Path, figures: Figures) -> None:
    """Import into each vault, then time the next stop hook."""
    for checkout in checkouts:
        for row, value in checkout.measure("import", str(notes)).items():
            figures.setdefault(row, {})[checkout.label] = value
        first = checkout.hook("stop", "just-imported")
        figures.setdefault("stop just after an import, s", {})[checkout.label] = first


def _measure_cold(checkouts: Sequence[Checkout], figures: Figures) -> None:
    """Whole processes, all in turn with a bare interpreter."""
    questions = prose.make_questions(COLD_RUNS + 2)
    bare = checkouts[0].folder.parent / "bare"
    bare.write_text(Path(checkouts[-1].script).read_text().replace(_ENTRY, _PRINTS))
    bare.chmod(0o755)
    rows: dict[str, Callable[[Checkout, int], float]] = {
        "prompt": lambda c, n: c.hook("prompt", f"prompt-{n}", questions[n]),
        "session start": lambda c, n: c.hook("session-start", f"start-{n}"),
        "stop": lambda c, n: c.hook("stop", f"start-{n}"),
        "`engrain recall`": lambda c, n: c.run("recall", questions[n]),
        "`engrain list --limit 5`": lambda c, _: c.run("list", "--limit", "5"),
        "`engrain save`": lambda c, n: c.run("save", f"Saved note number {n}."),
        "`engrain --version`": lambda c, _: c.run("--version"),
    }
    floors = {
        "`python -c pass`": [checkouts[0].python, "-c", "pass"],
        "a console script that prints": [str(bare)],
    }
    took: dict[tuple[str, str], list[float]] = {}
    for number in range(COLD_RUNS + 2):
        for name, command in floors.items():
            seconds = time_process(command, b"", checkouts[0].environment, None)[0]
            took.setdefault((name, "floor"), []).append(seconds)
        for name, action in rows.items():
            for checkout in checkouts:
                took.setdefault((name, checkout.label), []).append(action(checkout, number))
    floor = took["`python -c pass`", "floor"][2:]
    for (name, label), taken in took.items():
        kept = taken[2:]
        if label == "floor":
            figures.setdefault(f"{name}, ms", {})[label] = statistics.median(kept) * 1000
            continue
        below = took["a console script that prints", "floor"][2:] if "--version" in name else floor
        figures.setdefault(name, {})[label] = statistics.median(kept) / statistics.median(below)
        tail = percentile(kept, 0.95) / percentile(below, 0.95)
        figures.setdefault(f"{name}, p95", {})[label] = tail


def render(results: Mapping[int, Figures], labels: Sequence[str]) -> str:
    """The figures as a table: of each size the checkouts in turn."""
    sizes = list(results)
    lines = ["| | " + " | ".join(f"{size:,} notes" for size in sizes) + " |"]
    lines.append("|---" * (len(sizes) + 1) + "|")
    for row in results[sizes[0]]:
        cells = []
        for size in sizes:
            found = results[size].get(row, {})
            cells.append(" → ".join(f"{found[label]:.4g}" for label in labels if label in found))
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="bench --speed", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000", help="notes, comma-separated")
    parser.add_argument(
        "--before", help="the interpreter of an environment with an earlier engrain"
    )
    parser.add_argument("--folder", type=Path, help="work here instead of a temp folder")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    pythons = {"before": args.before} if args.before else {}
    pythons["now"] = sys.executable
    compile_ = (
        "import compileall, engrain, engrain_hook; compileall.compile_dir(engrain.__path__[0],"
        " quiet=1); compileall.compile_file(engrain_hook.__file__, quiet=1)"
    )
    for python in pythons.values():
        subprocess.run([python, "-c", compile_], check=True)
    results = {}
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        for size in map(int, args.sizes.split(",")):
            print(f"{size} notes …", file=sys.stderr)
            below = (args.folder or Path(temp)) / str(size)
            shutil.rmtree(below, ignore_errors=True)
            below.mkdir(parents=True)
            results[size] = measure(size, pythons, below)
            shutil.rmtree(below)
    machine = describe_machine()
    if args.json:
        print(json.dumps({"machine": machine, "speed": results}, indent=2))
        return
    words = ", ".join(f"{name} {value}" for name, value in machine.items())
    labels = ["floor", *pythons]
    print(f"Machine: {words}. Text: {prose.sentences()[0]}.\n\n{render(results, labels)}")
