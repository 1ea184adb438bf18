"""eval: measure recall on a question set, keep the figures, compare them."""

from __future__ import annotations

import os
import tempfile
import time
from argparse import BooleanOptionalAction
from contextlib import contextmanager

from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.cli.saved_runs import (
    find_folder,
    find_place,
    list_saved,
    prepare_place,
    read_bytes,
    read_saved,
    write_json,
)
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
from engrain.evaluation.haystack import UNITS
from engrain.model.errors import MalformedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from engrain.adapters.cli.console import Console
    from engrain.evaluation.haystack import QuestionSet
    from engrain.evaluation.summary import Report
    from engrain.face.memory import Memory
    from engrain.seam.rows import Row

# Action -> how many words stand behind it.
_ACTIONS = {"locomo": 1, "longmemeval": 1, "run": 1, "compare": 2, "runs": 0}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=tuple(_ACTIONS), help="a known set, your own, or saved runs"
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="the set's file; for compare, two saved runs"
    )
    parser.add_argument("--profile", metavar="P", help="the recall profile to measure")
    parser.add_argument(
        "--unit", choices=(*UNITS, "both"), default="both", help="what one entry is; default both"
    )
    parser.add_argument(
        "--baselines",
        action=BooleanOptionalAction,
        default=True,
        help="also measure full text only and vectors only (default: yes)",
    )
    parser.add_argument(
        "--limit",
        "-n",
        type=int,
        metavar="N",
        help="at most so many questions; of LoCoMo, so many of each conversation",
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
    return _measure(args, console)


def _measure(args: argparse.Namespace, console: Console) -> int:
    from engrain.evaluation.asking import choose_profile
    from engrain.evaluation.summary import Report

    folder, profile_name = _settle(args)
    profile = choose_profile(profile_name)
    raw = read_bytes(args.files[0])
    kept = find_place(folder, args.save) if args.save else None
    for path in filter(None, (kept, args.predictions)):
        prepare_place(path)
    with _naming(args.files[0]), console.progress("asking") as progress:
        if args.action == "run":
            from engrain.evaluation.measurement import measure_vault
            from engrain.evaluation.questions import find_expected, read_questions

            asked = read_questions(raw)[: args.limit]
            with open_from(args) as memory:
                measured = measure_vault(
                    memory,
                    find_expected(asked, _list_everything(memory)),
                    profile,
                    all_projects=args.all_projects,
                    baselines=args.baselines,
                    progress=progress,
                )
            report = Report(os.path.basename(args.files[0]), measured)
        else:
            from engrain.evaluation.measurement import measure_set

            units = UNITS if args.unit == "both" else (args.unit,)
            known = _read_set(args.action, raw, args.limit)
            measured = measure_set(
                known,
                profile,
                _open_temporary,
                units=units,
                baselines=args.baselines,
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
    from engrain.evaluation.comparison import compare_runs

    folder, _ = _settle(args)
    before, after = (read_saved(folder, name) for name in args.files)
    comparison = compare_runs(before, after)
    if console.as_json:
        console.write_json(envelope("eval", describe_comparison(comparison)))
    else:
        console.write_lines(comparison_lines(comparison, console.style))
    return EXIT_OK


def _list_runs(args: argparse.Namespace, console: Console) -> int:
    runs = list_saved(_settle(args)[0])
    if console.as_json:
        console.write_json(envelope("eval", {"runs": runs}))
    else:
        console.write_lines(run_lines(runs))
    return EXIT_OK


def _read_set(action: str, raw: bytes, limit: int | None) -> QuestionSet:
    if action == "locomo":
        from engrain.evaluation.locomo import read_locomo

        return read_locomo(raw, limit)
    from engrain.evaluation.longmemeval import read_longmemeval

    return read_longmemeval(raw, limit)


@contextmanager
def _open_temporary() -> Iterator[Memory]:
    """A memory over an empty vault, configured as the user's, that is gone after the block."""
    from engrain.wiring import open_memory

    with tempfile.TemporaryDirectory(prefix="engrain-eval-", ignore_cleanup_errors=True) as folder:
        vault, state = os.path.join(folder, "vault"), os.path.join(folder, "state")
        with open_memory(
            vault, state_dir=state, backend="device-local", create=True, keys_dir=f"{state}/keys"
        ) as memory:
            yield memory


def _list_everything(memory: Memory) -> Sequence[Row]:
    """Every entry, of whatever status and project, so that its name can be looked up."""
    from engrain.engine.scope import Scope
    from engrain.model.tiers import STATUSES

    return memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Name the file that is wrong: whoever reads the bytes does not know it."""
    try:
        yield
    except MalformedError as error:
        error.path = error.path or path
        raise


def _settle(args: argparse.Namespace) -> tuple[str, str | None]:
    """The folder of saved runs and the profile in use; no vault need be configured."""
    from engrain.resolution.settings import default_state_dir, load_settings

    flags = {name: getattr(args, name, None) for name in ("state_dir", "profile")}
    settings = load_settings(flags, os.environ, os.getcwd())
    state = settings["state_dir"].value or default_state_dir(os.environ)
    folder = find_folder(os.path.abspath(os.path.expanduser(state)))
    return folder, settings["profile"].value


COMMANDS = {
    "eval": Command(
        _arguments,
        _eval,
        "engrain eval locomo locomo10.json --predictions ranked.json",
        "engrain eval longmemeval longmemeval_s.json --limit 20 --unit session",
        "engrain eval run questions.jsonl --save before",
        "engrain eval run questions.jsonl --profile deep --save after",
        "engrain eval compare before after",
        "engrain eval runs --json",
    ),
}
