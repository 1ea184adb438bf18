"""`engrain eval`: measure recall on a question set, and compare runs."""

from __future__ import annotations

import os
import time

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.evaluation.figures import (
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
from engrain.adapters.cli.care.evaluation.suite import run_suite
from engrain.adapters.cli.care.evaluation.vaults import (
    choose_calibration,
    choose_search,
    find_place,
    list_saved,
    naming,
    open_temporary,
    prepare_place,
    read_bytes,
    read_saved,
    settle,
    write_json,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from
from engrain.evaluation.benchmarks import read_locomo, read_longmemeval
from engrain.evaluation.measurement import (
    choose_profile,
    list_everything,
    measure_set,
    measure_vault,
)
from engrain.evaluation.question_set import UNITS, QuestionSet
from engrain.evaluation.questions import find_expected, read_questions
from engrain.evaluation.summary import Report, compare_runs
from engrain.model.errors import UsageError

# Action -> how many words stand behind it.
_WORDS = {"suite": 0, "locomo": 1, "longmemeval": 1, "run": 1, "compare": 2, "runs": 0}


def _check(args: Arguments) -> None:
    wanted = _WORDS[args.action]
    if len(args.files) != wanted:
        raise UsageError(
            f"`eval {args.action}` takes {wanted} arguments, not {len(args.files)}",
            remedy="see `engrain eval --help`",
        )
    if args.limit is not None and args.limit < 1:
        raise UsageError(f"a limit of {args.limit} asks nothing", remedy="give --limit 1 or more")


def _measure(args: Arguments, console: Console) -> Answer:
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


def _tell(args: Arguments, console: Console, report: Report, kept: str | None) -> Answer:
    """Write what was asked for: predictions, the run, and the figures."""
    if args.predictions:
        write_json(args.predictions, describe_predictions(report))
    if kept:
        name = os.path.basename(kept).removesuffix(".json")
        write_json(kept, describe_run(report, name, time.time()))
    data = describe_report(report) | {"predictions": args.predictions, "saved": kept}
    lines = [*report_lines(report, console.style)]
    if report.of_own_vault:
        data["questions"] = describe_answers(report)
        lines += missed_lines(report, console.style)
    for label, path in (("predictions", args.predictions), ("saved", kept)):
        lines += [f"{label}: {path}"] if path else []
    return data, lines


def _compare(args: Arguments, console: Console) -> Answer:
    folder, _ = settle(args)
    before, after = (read_saved(folder, name) for name in args.files)
    comparison = compare_runs(before, after)
    return describe_comparison(comparison), comparison_lines(comparison, console.style)


def _list_runs(args: Arguments, _: Console) -> Answer:
    runs = list_saved(settle(args)[0])
    return {"runs": runs}, run_lines(runs)


def _read_set(action: str, raw: bytes, limit: int | None) -> QuestionSet:
    if action == "locomo":
        return read_locomo(raw, limit)
    return read_longmemeval(raw, limit)


COMMAND = Command(
    {
        "suite": run_suite,
        "locomo": _measure,
        "longmemeval": _measure,
        "run": _measure,
        "compare": _compare,
        "runs": _list_runs,
    },
    f"""
<suite|locomo|longmemeval|run|compare|runs>  all domains, a known set, your own questions, or saved
                   runs
files=FILE*        the set's file; for compare, two saved runs
--data FOLDER      for suite: a folder with any of locomo/, beam_dev/, vault-NAME/ and prompts/
                   with own_NAME.jsonl and foreign.jsonl, transcripts/; without it your own vault is
                   asked questions made from its entries
--labels FILE      for suite: labelled questions over transcripts/; else
                   prompts/code_sessions.jsonl
--[no-]calibrate   calibrate the silence of each temporary vault before it is asked (default: yes)
--profile P        the recall profile to measure
--unit <{"|".join(UNITS)}|both>=both  what one entry is; default both
--[no-]baselines   also measure full text and vectors by themselves (default: yes)
--limit,-n N/int   at most so many questions; of LoCoMo and in the suite, so many of each vault
--all-projects     ask your own vault of all projects
--predictions OUT  write the ranked ids of each question there, as JSON
--save NAME        keep the run under a name, or as a file if it is a path
$ engrain eval suite
$ engrain eval suite --data ../data --save before
$ engrain eval locomo locomo10.json --predictions ranked.json
$ engrain eval longmemeval longmemeval_s.json --limit 20 --unit session
$ engrain eval run questions.jsonl --save before
$ engrain eval run questions.jsonl --profile deep --save after
$ engrain eval compare before after
$ engrain eval runs --json
""",
    check=_check,
)
