"""Measure the spine, or recall, and print the figures as JSON.

python tasks.py bench                       1k and 10k entries
python tasks.py bench --sizes 1000,100000   other sizes
python tasks.py bench --table               as the table of docs/performance.md
python tasks.py bench --recall              recall, at 1k, 10k and 100k entries if none are given
"""

from __future__ import annotations

import argparse
import compileall
import json
import tempfile
from pathlib import Path

import engrain
from bench import recall, report, spine
from bench.measure import describe_machine

SPINE_SIZES = "1000,10000"
RECALL_SIZES = "1000,10000,100000"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", help="entries, comma-separated")
    parser.add_argument("--recall", action="store_true", help="measure recall, not the spine")
    parser.add_argument("--static-folder", help="token vectors for recall; without, words alone")
    parser.add_argument("--folder", type=Path, help="work here instead of a temp folder")
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    args = parser.parse_args()
    # Cold processes are measured as they run once installed: compiled.
    compileall.compile_dir(Path(engrain.__file__).parent, quiet=1)
    given = args.sizes or (RECALL_SIZES if args.recall else SPINE_SIZES)
    sizes = [int(size) for size in given.split(",")]
    part = "recall" if args.recall else "spine"
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        folder = args.folder or Path(temp)
        if args.recall:
            results = recall.run(sizes, folder, args.static_folder)
        else:
            results = spine.run(sizes, folder)
    machine = describe_machine()
    if args.table:
        rows = report.RECALL if args.recall else report.SPINE
        print(report.render(machine, results, rows))
    else:
        print(json.dumps({"machine": machine, part: results}, indent=2))


if __name__ == "__main__":
    main()
