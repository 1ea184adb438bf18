"""Plant one bug after another in a copy of the project, and see whether a test fails.

    python tests/planted.py                 every bug of planted.tsv; a line for each
    python tests/planted.py --every 6       every sixth
    python tests/planted.py --make 60       draw a new table from the modules that keep promises

A row of the table is a file, the number of a line, the line and what it becomes. A bug is first
met by the tests that mirror its module; the ones it survives by the tests of its folder and by the
quick fault tests. At least 95 in 100 must be caught: the exit code says so. A copy without a bug
comes first, as the control: where a test fails in it, nothing would be shown.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests/planted.tsv"
SHARE = 0.95
LIMIT_S = 300
LEFT = (".git", ".venv", ".venv-site", "site", "dist", "out", "__pycache__", ".*_cache")
"""What is not copied."""
WIDER = ("kill", "malformed", "crowd", "flipped_files", "git", "moment", "erase")
"""Fault tests that meet what the tests of a folder did not."""

MODULES = (
    "backends/applying.py", "backends/confined.py", "backends/folder.py", "backends/lock.py",
    "backends/placing.py", "backends/protocol.py", "backends/segments.py", "backends/forks.py",
    "model/history/record.py", "model/history/line.py", "model/merging.py",
    "model/note/note.py", "engine/erasing/erasure.py", "engine/history/removals.py",
    "language/secrets/finding.py", "engine/history/undo.py", "engine/history/verification.py",
    "index/sqlite_index.py", "lifecycle/policy.py",
    "index/succession.py",
)  # fmt: skip
_SWAPPED = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " and ": " or ", " or ": " and ", " is not None": " is None", " not in ": " in ",
    "return True": "return False", "return False": "return True", "if not ": "if ",
}  # fmt: skip


def list_bugs(file: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield what can be planted in a file: a comparison turned, a condition negated, a call left
    out. A line of a docstring is never changed."""
    text = (ROOT / "src/engrain" / file).read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if node.lineno == node.end_lineno:
                line = lines[node.lineno - 1]
                yield file, node.lineno, line, f"{line[: node.col_offset]}pass"
        elif isinstance(node, ast.If | ast.Return | ast.While) and node.lineno:
            line = lines[node.lineno - 1]
            for old, new in _SWAPPED.items():
                if old in line.partition("  #")[0]:
                    yield file, node.lineno, line, line.replace(old, new, 1)
                    break


def make(count: int, seed: int) -> None:
    """Draw bugs from all modules, as many from each, and write the table."""
    chance = random.Random(seed)
    modules = [one for one in MODULES if (ROOT / "src/engrain" / one).exists()]
    drawn = []
    for number in range(count):
        file = modules[number % len(modules)]
        left = [bug for bug in sorted(set(list_bugs(file))) if bug not in drawn]
        drawn.append(chance.choice(left))
    rows = ("\t".join((file, str(n), old, new)) for file, n, old, new in sorted(drawn))
    TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def find_tests(file: str) -> list[list[str]]:
    """Return the tests that meet a bug in a file, the nearest first."""
    folder = f"tests/unit/{Path(file).parent}"
    nearest = f"{folder}/test_{Path(file).name}"
    wider = [f"tests/faults/test_{name}.py" for name in WIDER]
    steps = [[nearest]] if (ROOT / nearest).exists() else []
    return [*steps, [folder], [*wider, "tests/contracts", "tests/property/test_round_trip.py"]]


def passes(copy: Path, tests: Sequence[str]) -> bool:
    """Return whether some tests pass in a copy of the project, at the second time at the latest:
    what another program disturbed shows nothing. Tests that hang don't pass."""
    environment = dict(os.environ, PYTHONPATH=f"{copy / 'src'}:{copy}")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not long", "-n", "2", *tests]
    for _ in range(2):
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, timeout=LIMIT_S,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        if done.returncode in (0, 4, 5):  # 4 and 5: no test was found
            return True
    return False


def is_caught(copy: Path, file: str) -> bool:
    """Return whether a test of a file fails in a copy of the project."""
    return not all(passes(copy, tests) for tests in find_tests(file))


def find_failing(copy: Path, files: Iterable[str]) -> Sequence[str]:
    """Return the first tests of some files that fail in a copy without a bug."""
    folders = {str(Path(file).parent) for file in files}
    steps = {tuple(tests) for folder in folders for tests in find_tests(f"{folder}/__init__.py")}
    return next((tests for tests in sorted(steps) if not passes(copy, tests)), ())


def main(words: list[str]) -> int:
    """Plant the bugs of the table; 1 if fewer are caught than must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--make", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(words)
    if args.make:
        make(args.make, args.seed)
        return 0
    table = TABLE.read_text(encoding="utf-8").splitlines()[:: args.every]
    rows = [row.split("\t") for row in table]
    caught = tried = 0
    with tempfile.TemporaryDirectory(prefix="engrain-planted-") as away:
        copy = Path(away) / ROOT.name
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT))
        if failing := find_failing(copy, (row[0] for row in rows)):
            print(f"nothing is shown, since without a bug these fail too: {' '.join(failing)}")
            return 1
        for file, number, old, new in rows:
            path = copy / "src/engrain" / file
            whole = path.read_text(encoding="utf-8")
            lines = whole.splitlines()
            if old not in lines:
                print(f"gone\t{file}\t{old.strip()}", flush=True)
                continue
            at = int(number) - 1
            lines[at if lines[at : at + 1] == [old] else lines.index(old)] = new
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            tried += 1
            found = is_caught(copy, file)
            caught += found
            path.write_text(whole, encoding="utf-8")
            word = "caught" if found else "MISSED"
            print(f"{word}\t{file}:{number}\t{old.strip()} -> {new.strip()}", flush=True)
    print(f"{caught} of {tried} planted bugs are caught")
    return 0 if caught >= SHARE * tried else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
