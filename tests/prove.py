"""Run the experiments behind the promises, at the scale at which they mean something.

    python3 tasks.py prove                  all of them: hours on two cores
    python3 tasks.py prove --quick          the same experiments with few trials: minutes
    python3 tasks.py prove kills power      some of them
    python3 tasks.py prove soak --hours 8   a longer soak

One line a part, and `bench/out/prove.json` with the machine, the date, and what was skipped and
why. `docs/testing.md` says what each part shows, and what it does not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.measure import describe_machine

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench/out"
_COUNTED = re.compile(r"(\d+) (passed|failed|skipped|error)")


@dataclass
class Part:
    """An experiment: what it tries, and the tests or the program that tries it."""

    name: str
    trials: str
    words: tuple[str, ...]
    is_program: bool = False


def faults(*names: str) -> tuple[str, ...]:
    """Return the files of the fault tests of some names."""
    return tuple(f"tests/faults/test_{name}.py" for name in names)


PARTS = (
    Part("kills", "1,000 kills at random moments of 13 verbs; every mutating system call of six",
         faults("kill", "fact_kill", "import_killed", "transcripts_kill")),
    Part("power", "500 cuts of a real ext4, and 160 in other ways; three controls that must lose",
         faults("power")),
    Part("calls", "the n-th system call fails, for every n, in saving and in recovery",
         faults("failing_calls", "failing_recovery")),
    Part("writers", "processes and threads that save, claim and evolve the same at once",
         (*faults("crowd", "fact_crowd", "claim_race"), "tests/property/test_two_writers.py",
          "tests/unit/backends/test_lock.py")),
    Part("moment", "another program writes at every moment of a change",
         faults("moment")),
    Part("sync", "two devices with conflict copies, late segments, copied disks",
         ("tests/property/test_two_devices.py", "tests/property/test_arrival.py",
          "tests/property/test_copied_disks.py", "tests/property/test_three_way.py")),
    Part("git", "60 rounds of two clones that commit, pull and push", faults("git")),
    Part("index", "random operations, after which the index equals the rebuilt one",
         ("tests/property/test_index_equals_rebuilt.py", "tests/property/test_looks.py")),
    Part("flips", "200 flipped bits in each of three derived and four durable files",
         ("tests/unit/engine/test_flipped_bits.py", *faults("flipped_files"))),
    Part("disks", "ext2, ext4, xfs, btrfs, vfat, folding case, overlay, tmpfs; full, read-only",
         (*faults("file_systems"), "tests/faults/test_escape.py")),
    Part("obstacles", "twelve obstacles in seventeen places", faults("obstacles")),
    Part("malformed", "2,000 bad files beside 500 good ones; frontmatter by Hypothesis",
         (*faults("malformed"), "tests/property/test_round_trip.py")),
    Part("undo", "random histories, undone change by change",
         ("tests/property/test_histories.py",)),
    Part("isolation", "users, projects and the operator's own notes",
         ("tests/property/test_users.py", *faults("personal_escape"))),
    Part("poison", "200 payloads beside 500 honest entries", ("tests/property/test_poisoning.py",)),
    Part("erase", "canaries in every encoding, after every kill", faults("erase")),
    Part("mcp", "600 half-open connections, hostile heads and origins",
         ("tests/unit/adapters/mcp/test_crowd.py", "tests/unit/adapters/mcp/test_guard.py")),
    Part("outside", "system calls of every program: no connection, no file elsewhere",
         ("tests/unit/test_outside.py",)),
    Part("patterns", "regular expressions that grow with the square",
         ("tests/house/test_patterns.py",)),
    *(Part(f"fuzz-{reader}", "ten minutes of fuzzing", (reader,), True)
      for reader in ("note", "record", "hook", "mcp")),
    Part("planted", "bugs planted one at a time, of which 95 in 100 must be caught", (), True),
    Part("soak", "half an hour of everything, or as long as asked", faults("soak")),
)  # fmt: skip


def main(words: list[str]) -> int:
    """Run the parts that are named, all of them if none is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="names of parts")
    parser.add_argument("--quick", action="store_true", help="few trials")
    parser.add_argument("--hours", type=float, default=0.5, help="how long the soak lasts")
    args = parser.parse_args(words)
    if unknown := set(args.parts) - {part.name for part in PARTS}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    OUT.mkdir(parents=True, exist_ok=True)
    told = OUT / "prove.json"
    found = json.loads(told.read_text())["parts"] if told.exists() else {}
    failed = 0
    for part in PARTS:
        if part.name not in (args.parts or [one.name for one in PARTS if one.name != "soak"]):
            continue
        row = run(part, args.quick, args.hours)
        found[part.name] = row
        failed += row["code"] != 0
        print(f"{part.name:<10} {row['result']}  ({row['seconds']} s)", flush=True)
        told.write_text(json.dumps({"machine": describe_machine(), "parts": found}, indent=2))
    return 1 if failed else 0


def run(part: Part, quick: bool, hours: float) -> dict[str, object]:
    """Run a part; return its exit code, its last line, and what was skipped and why."""
    environment = dict(os.environ, ENGRAIN_TEST_SOAK_S=str(hours * 3600), PYTHONPATH=str(ROOT))
    started = time.monotonic()
    done = subprocess.run(
        find_command(part, quick), cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.strip()] or [done.stderr[-200:]]
    counts = {what: int(number) for number, what in _COUNTED.findall(lines[-1])}
    (OUT / f"prove-{part.name}.log").write_text(done.stdout + done.stderr)
    return {
        **asdict(part),
        "quick": quick,
        "code": done.returncode,
        "result": lines[-1].strip("= "),
        "skipped": [line for line in lines if line.startswith("SKIPPED")],
        "counts": counts,
        "seconds": round(time.monotonic() - started),
        "date": time.strftime("%Y-%m-%d"),
    }


def find_command(part: Part, quick: bool) -> list[str]:
    """Return the command of a part."""
    if part.name == "planted":
        return [sys.executable, "tests/planted.py", *(["--every", "6"] if quick else [])]
    if part.is_program:
        return [sys.executable, "tests/faults/fuzz.py", *part.words, "10" if quick else "600"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *part.words]
    if quick and part.name != "soak":
        return [*command, "-m", "not long"]
    return [*command, "--hypothesis-profile=thorough"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
