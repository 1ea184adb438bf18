"""Measure recall on published question sets, each in temporary vaults.

python -m bench.sets suite ../data          every set of a folder: any of locomo/, beam_dev/,
                                            vault-NAME/ and prompts/ with own_NAME.jsonl and
                                            foreign.jsonl, transcripts/
python -m bench.sets locomo locomo10.json   LoCoMo, by category and conversation
python -m bench.sets longmemeval FILE       LongMemEval
python -m bench.sets suite ../data --save before.json; engrain eval compare before.json after.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.sets.asking import calibrate_vault, measure_set, open_temporary
from bench.sets.benchmarks import read_locomo, read_longmemeval
from bench.sets.figures import (
    TABLE,
    describe_predictions,
    describe_report,
    domain_lines,
    report_lines,
)
from bench.sets.folder import read_data_sets
from bench.sets.haystacks import UNITS, QuestionSet
from bench.sets.measurement import FOREIGN_NAMELESS, NAMELESS, PLAIN
from bench.sets.plain_search import make_plain_search
from bench.sets.questions import with_limit
from bench.sets.summary import MeasurementReport, collect_rows
from engrain.adapters.cli.care.eval import naming, prepare_place, read_bytes, save_run
from engrain.adapters.present.text import unstyle
from engrain.engine.recall.profiles import choose_profile
from engrain.model.errors import EngrainError

_NAME = 19


def _overview_lines(reports: Mapping[str, MeasurementReport]) -> Iterator[str]:
    heads = ("hit@1", "hit@5", "R@10", "MRR", "silent", "no names", "lost", "AUC", "no names")
    yield f"{'recall':<{_NAME}}" + "".join(f"{head:>9}" for head in heads)
    for name, report in reports.items():
        for unit, found in report.units.items():
            figures = report.served.get(unit)
            cells = [(figures or found.whole).means[metric] for metric in TABLE]
            silence = report.silence if figures else {}
            silences = [silence.get(PLAIN), silence.get(FOREIGN_NAMELESS) or silence.get(NAMELESS)]
            columns = [f"{cell:.3f}" for cell in cells]
            columns += [f"{each.foreign_silenced:.3f}" if each else "" for each in silences]
            columns += [f"{each.own_silenced:.3f}" if each else "" for each in silences[:1]]
            columns += [f"{each.area:.3f}" if each else "" for each in silences]
            yield f"{f'{name}, {unit}':<{_NAME}}" + "".join(f"{cell:>9}" for cell in columns)


def measure(
    args: argparse.Namespace, known: QuestionSet, name: str, units: Sequence[str]
) -> MeasurementReport:
    """Ask a question set; its vaults are calibrated first, unless that is not wanted."""
    measured = measure_set(
        known,
        choose_profile(args.profile),
        open_temporary,
        units=units,
        settle=calibrate_vault if args.calibrate else lambda _: None,
        make_search=make_plain_search if args.baselines else None,
    )
    return MeasurementReport(name, measured, known.skipped)


def run_suite(args: argparse.Namespace) -> tuple[dict[str, object], list[str]]:
    """Measure every set of a folder."""
    sets = read_data_sets(args.path, args.labels)
    reports: dict[str, MeasurementReport] = {}
    for domain in sets.domains:
        known = with_limit(domain.known, args.limit)
        reports[domain.name] = measure(args, known, domain.name, domain.units)
    described = {name: describe_report(report) for name, report in reports.items()}
    data = {"set": "suite", "data": args.path, "domains": described, "absent": sets.absent}
    if args.save:
        rows = {
            f"{name}: {part}": questions
            for name, report in reports.items()
            for part, questions in collect_rows(report).items()
        }
        save_run(args.save, data, rows)
    lines = [line for name, report in reports.items() for line in domain_lines(name, report)]
    lines += _overview_lines(reports)
    lines += [f"{name} was not asked: {reason}" for name, reason in sets.absent.items()]
    return data, lines


def run_set(args: argparse.Namespace) -> tuple[dict[str, object], list[str]]:
    """Measure one file of LoCoMo or LongMemEval."""
    read_set = read_locomo if args.action == "locomo" else read_longmemeval
    with naming(args.path):
        known = read_set(read_bytes(args.path), args.limit)
    report = measure(args, known, known.name, UNITS if args.unit == "both" else (args.unit,))
    data = describe_report(report)
    if args.predictions:
        Path(args.predictions).write_text(json.dumps(describe_predictions(report), indent=1) + "\n")
    if args.save:
        save_run(args.save, data, collect_rows(report))
    return data, list(report_lines(report))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one measurement; return the exit code."""
    parser = argparse.ArgumentParser(
        "bench.sets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("suite", "locomo", "longmemeval"))
    parser.add_argument("path", help="a folder of data for suite, else a file")
    parser.add_argument("--labels", help="for suite: labelled questions over transcripts/")
    parser.add_argument("--profile", help="the recall profile to measure")
    parser.add_argument("--unit", choices=(*UNITS, "both"), default="both")
    parser.add_argument("--limit", "-n", type=int, help="questions of each vault at most")
    parser.add_argument("--predictions", help="write the ranked ids of each question there")
    parser.add_argument("--save", help="keep the run in this file, for `engrain eval compare`")
    parser.add_argument("--json", action="store_true")
    for name in ("calibrate", "baselines"):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args(argv)
    try:
        for path in filter(None, (args.save, args.predictions)):
            prepare_place(path)
        data, lines = run_suite(args) if args.action == "suite" else run_set(args)
    except EngrainError as error:
        print(f"bench.sets: {error.path or args.path}: {error}", file=sys.stderr)
        return 1
    print(json.dumps(data) if args.json else unstyle("\n".join(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
