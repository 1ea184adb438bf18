"""Measure the spine and print its figures as JSON.

python tasks.py bench                       1k and 10k entries
python tasks.py bench --sizes 1000,100000   other sizes
python tasks.py bench --table               as the table of docs/performance.md
"""

from __future__ import annotations

import argparse
import compileall
import json
import tempfile
from pathlib import Path

import engrain
from bench import report, spine
from bench.measure import describe_machine


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000", help="entries, comma-separated")
    parser.add_argument("--folder", type=Path, help="work here instead of a temp folder")
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    args = parser.parse_args()
    # Cold processes are measured as they run once installed: compiled.
    compileall.compile_dir(Path(engrain.__file__).parent, quiet=1)
    sizes = [int(size) for size in args.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        results = spine.run(sizes, args.folder or Path(temp))
    if args.table:
        print(report.render(describe_machine(), results))
    else:
        print(json.dumps({"machine": describe_machine(), "spine": results}, indent=2))


if __name__ == "__main__":
    main()
