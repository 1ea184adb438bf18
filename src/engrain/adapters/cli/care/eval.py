"""eval: measure recall on question sets, keep the figures, compare them."""

from __future__ import annotations

import argparse
import os
import time
from argparse import BooleanOptionalAction

from engrain.adapters.cli.care.evaluation.saved_runs import (
    find_place,
    list_saved,
    prepare_place,
    read_bytes,
    read_saved,
    write_json,
)
from engrain.adapters.cli.care.evaluation.suite import run_suite
from engrain.adapters.cli.care.evaluation.vaults import (
    choose_calibration,
    choose_search,
    naming,
    open_temporary,
    settle,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.evaluation import (
    comparison_lines,
    describe_answers,
    describe_comparison,
    describe_predictions,
    describe_report,
    describe_run,
    missed_lines,
    report_lines,
    run_lines,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.evaluation.asking import choose_profile, list_everything
from engrain.evaluation.comparison import compare_runs
from engrain.evaluation.haystack import UNITS, QuestionSet
from engrain.evaluation.locomo import read_locomo
from engrain.evaluation.longmemeval import read_longmemeval
from engrain.evaluation.measurement import measure_set, measure_vault
from engrain.evaluation.questions import find_expected, read_questions
from engrain.evaluation.summary import Report
from engrain.model.errors import UsageError

# Action -> how many words stand behind it.
_ACTIONS = {"suite": 0, "locomo": 1, "longmemeval": 1, "run": 1, "compare": 2, "runs": 0}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_ACTIONS),
        help="all domains, a known set, your own questions, or saved runs",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="the set's file; for compare, two saved runs"
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="for suite: a folder with any of locomo/, beam_dev/, vault-NAME/ and prompts/ with"
        " own_NAME.jsonl and foreign.jsonl, transcripts/; without it your own vault is asked"
        " questions made from its entries",
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="for suite: labelled questions over transcripts/; else prompts/code_sessions.jsonl",
    )
    parser.add_argument(
        "--calibrate",
        action=BooleanOptionalAction,
        default=True,
        help="calibrate the silence of each temporary vault before it is asked (default: yes)",
    )
    parser.add_argument("--profile", metavar="P", help="the recall profile to measure")
    parser.add_argument(
        "--unit", choices=(*UNITS, "both"), default="both", help="what one entry is; default both"
    )
    parser.add_argument(
        "--baselines",
        action=BooleanOptionalAction,
        default=True,
        help="also measure full text and vectors by themselves (default: yes)",
    )
    parser.add_argument(
        "--limit",
        "-n",
        type=int,
        metavar="N",
        help="at most so many questions; of LoCoMo and in the suite, so many of each vault",
    )
    parser.add_argument(
        "--all-projects", action="store_true", help="ask your own vault whatever the project"
    )
    parser.add_argument(
        "--predictions", metavar="OUT", help="write the ranked ids of each question there, as JSON"
    )
    parser.add_argument(
        "--save", metavar="NAME", help="keep the run under a name, or as a file if it is a path"
    )


def _eval(args: argparse.Namespace, console: Console) -> int:
    wanted = _ACTIONS[args.action]
    if len(args.files) != wanted:
        raise UsageError(
            f"`eval {args.action}` takes {wanted} words behind it, not {len(args.files)}",
            remedy="see `engrain eval --help`",
        )
    if args.limit is not None and args.limit < 1:
        raise UsageError(f"a limit of {args.limit} asks nothing", remedy="give --limit 1 or more")
    if args.action == "compare":
        return _compare(args, console)
    if args.action == "runs":
        return _list_runs(args, console)
    if args.action == "suite":
        return run_suite(args, console)
    return _measure(args, console)


def _measure(args: argparse.Namespace, console: Console) -> int:
    folder, profile_name = settle(args)
    profile = choose_profile(profile_name)
    raw = read_bytes(args.files[0])
    kept = find_place(folder, args.save) if args.save else None
    for path in filter(None, (kept, args.predictions)):
        prepare_place(path)
    with naming(args.files[0]), console.progress("asking") as progress:
        if args.action == "run":
            asked = read_questions(raw)[: args.limit]
            with open_from(args) as memory:
                measured = measure_vault(
                    memory,
                    find_expected(asked, list_everything(memory)),
                    profile,
                    all_projects=args.all_projects,
                    make_search=choose_search(args),
                    progress=progress,
                )
            report = Report(os.path.basename(args.files[0]), measured)
        else:
            units = UNITS if args.unit == "both" else (args.unit,)
            known = _read_set(args.action, raw, args.limit)
            measured = measure_set(
                known,
                profile,
                open_temporary,
                units=units,
                settle=choose_calibration(args),
                make_search=choose_search(args),
                progress=progress,
            )
            report = Report(known.name, measured, known.skipped)
    return _tell(args, console, report, kept)


def _tell(args: argparse.Namespace, console: Console, report: Report, kept: str | None) -> int:
    """Write what was asked for: predictions, the run, and the figures."""
    if args.predictions:
        write_json(args.predictions, describe_predictions(report))
    if kept:
        name = os.path.basename(kept).removesuffix(".json")
        write_json(kept, describe_run(report, name, time.time()))
    if console.as_json:
        data = describe_report(report)
        data |= {"predictions": args.predictions, "saved": kept}
        if report.of_own_vault:
            data["questions"] = describe_answers(report)
        console.write_json(envelope("eval", data))
        return EXIT_OK
    console.write_lines(report_lines(report, console.style))
    if report.of_own_vault:
        console.write_lines(missed_lines(report, console.style))
    for label, path in (("predictions", args.predictions), ("saved", kept)):
        if path:
            console.write_lines([f"{label}: {path}"])
    return EXIT_OK


def _compare(args: argparse.Namespace, console: Console) -> int:
    folder, _ = settle(args)
    before, after = (read_saved(folder, name) for name in args.files)
    comparison = compare_runs(before, after)
    if console.as_json:
        console.write_json(envelope("eval", describe_comparison(comparison)))
    else:
        console.write_lines(comparison_lines(comparison, console.style))
    return EXIT_OK


def _list_runs(args: argparse.Namespace, console: Console) -> int:
    runs = list_saved(settle(args)[0])
    if console.as_json:
        console.write_json(envelope("eval", {"runs": runs}))
    else:
        console.write_lines(run_lines(runs))
    return EXIT_OK


def _read_set(action: str, raw: bytes, limit: int | None) -> QuestionSet:
    if action == "locomo":
        return read_locomo(raw, limit)
    return read_longmemeval(raw, limit)


COMMANDS = {
    "eval": Command(
        _arguments,
        _eval,
        "engrain eval suite",
        "engrain eval suite --data ../data --save before",
        "engrain eval locomo locomo10.json --predictions ranked.json",
        "engrain eval longmemeval longmemeval_s.json --limit 20 --unit session",
        "engrain eval run questions.jsonl --save before",
        "engrain eval run questions.jsonl --profile deep --save after",
        "engrain eval compare before after",
        "engrain eval runs --json",
    ),
}
