"""`engrain eval`: measure recall on the user's own vault, and compare runs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from engrain.adapters.cli.care.eval_figures import (
    comparison_lines,
    describe_answers,
    describe_comparison,
    describe_predictions,
    describe_report,
    missed_lines,
    report_lines,
    run_lines,
    verdict_lines,
)
from engrain.adapters.cli.options import Answer, Arguments, Command, open_from, take_words
from engrain.adapters.present.records import Data
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.evaluation.measurement import (
    choose_profile,
    list_everything,
    measure_vault,
    read_texts,
)
from engrain.evaluation.question_set import GoldQuestion
from engrain.evaluation.questions import (
    find_expected,
    make_questions,
    read_questions,
    shipped_prompts,
    thin,
)
from engrain.evaluation.summary import (
    ComparedRun,
    MeasurementReport,
    collect_rows,
    compare_runs,
    read_run,
)
from engrain.language.text.instants import format_instant
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import ACTIVE
from engrain.resolution.settings import Setting, default_state_dir, load_settings
from engrain.seam.derived import Progress
from engrain.wiring import make_plain_search


def find_place(folder: str, name: str) -> str:
    """Return where a run of this name is kept; what looks like a path is one. Raises UsageError."""
    if name.endswith(".json") or os.path.basename(name) != name:
        return os.path.expanduser(name)
    if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name[0] == ".":
        raise UsageError(f"{name!r} is no name for a run", remedy="use letters, digits and dashes")
    return os.path.join(folder, f"{name}.json")


def read_saved(folder: str, name: str) -> ComparedRun:
    """Read a run by name or path. Raises NotFoundError, MalformedError."""
    path = find_place(folder, name)
    try:
        raw = read_bytes(path)
    except NotFoundError:
        raise NotFoundError(
            f"no saved run {name!r}", path=path, remedy="`engrain eval runs` lists them"
        ) from None
    try:
        return read_run(raw, name)
    except MalformedError as error:
        error.path = path
        raise


def list_saved(folder: str) -> list[dict[str, object]]:
    """List name, time, question set and path of every run in `folder`, by name."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    runs: list[dict[str, object]] = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            saved = json.loads(read_bytes(path))
            described = {"set": saved["data"]["set"], "saved": saved["saved"], "path": path}
        except (ValueError, LookupError, TypeError, UsageError):
            continue
        runs.append({"name": name.removesuffix(".json"), **described})
    return runs


def read_bytes(path: str) -> bytes:
    """Read a file that was named on the command line. Raises NotFoundError, UsageError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:
        raise NotFoundError(f"{path} is not there", path=path, remedy="name a file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file") from None


def prepare_place(path: str) -> None:
    """Make sure that `path` can be written, before hours are spent. Raises UsageError."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise UsageError(f"{path} can't be written", path=path, remedy="name another file")


def keep_run(path: str, data: Data, rows: Mapping[str, object]) -> None:
    """Save a run under the name of its file: its figures, and the scores of each question, by which
    runs are compared."""
    name = os.path.basename(path).removesuffix(".json")
    now = format_instant(time.time())
    write_json(path, {"format": 1, "name": name, "saved": now, "data": data, "rows": rows})


def write_json(path: str, value: object) -> None:
    """Write a value as a JSON file, in place of what was there."""
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(value, file, ensure_ascii=True, indent=1)
        file.write("\n")


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the path of the file to errors about its content."""
    try:
        yield
    except MalformedError as error:
        error.path = error.path or path
        raise


def _load(args: Arguments) -> dict[str, Setting]:
    flags = {name: getattr(args, name) for name in ("state_dir", "profile")}
    return load_settings(flags, os.environ, os.getcwd())


def find_folder(args: Arguments) -> str:
    """Return the folder of saved runs; no vault need be configured."""
    state = _load(args)["state_dir"].value or default_state_dir(os.environ)
    return os.path.join(os.path.abspath(os.path.expanduser(state)), "evaluations")


OWN_VAULT = "this vault"
_OWN_QUESTIONS = 200


def _prepare(args: Arguments) -> str | None:
    """Return the file in which the run will be kept, None for none. Raises UsageError if it can't
    be written."""
    path = find_place(find_folder(args), args.save) if args.save else None
    for each in (path, args.predictions):
        if each:
            prepare_place(each)
    return path


def _measure(
    args: Arguments,
    memory: Memory,
    questions: Sequence[GoldQuestion],
    name: str,
    progress: Progress | None,
) -> MeasurementReport:
    """Ask the user's own vault, and the plain full-text search that recall is measured against
    unless that is not wanted."""
    measured = measure_vault(
        memory,
        questions,
        choose_profile(_load(args)["profile"].value),
        all_projects=args.all_projects,
        make_search=None if args.baselines is False else make_plain_search,
        progress=progress,
    )
    return MeasurementReport(name, measured)


def _run_suite(args: Arguments) -> Answer:
    """Ask the vault questions that are made from its entries."""
    choose_profile(_load(args)["profile"].value)
    kept = _prepare(args)
    with open_from(args) as memory, args.console.progress(OWN_VAULT) as progress:
        memory.scan()
        rows = memory.list(scope=Scope(all_projects=args.all_projects)).rows
        names = {row.id: row.id for row in rows if row.status == ACTIVE}
        own = make_questions(read_texts(memory, names), args.limit or _OWN_QUESTIONS)
        if not own:
            raise UsageError(
                "no entry of this vault has enough text to ask about", remedy="save some"
            )
        questions = [*own, *thin(shipped_prompts(), args.limit)]
        report = _measure(args, memory, questions, OWN_VAULT, progress)
    data: Data = {"set": "suite", "data": None, "domains": {OWN_VAULT: describe_report(report)}}
    data["absent"] = {}
    if kept:
        rows_by_part = {f"{OWN_VAULT}: {part}": rows for part, rows in collect_rows(report).items()}
        keep_run(kept, data, rows_by_part)
    return data | {"saved": kept}, verdict_lines(OWN_VAULT, report)


def _run_questions(args: Arguments) -> Answer:
    """Ask the vault the questions of a file."""
    path = args.files[0]
    choose_profile(_load(args)["profile"].value)
    kept = _prepare(args)
    raw = read_bytes(path)
    with naming(path), args.console.progress("asking") as progress:
        asked = read_questions(raw)[: args.limit]
        with open_from(args) as memory:
            questions = find_expected(asked, list_everything(memory))
            report = _measure(args, memory, questions, os.path.basename(path), progress)
    data = describe_report(report)
    if args.predictions:
        write_json(args.predictions, describe_predictions(report))
    if kept:
        keep_run(kept, data, collect_rows(report))
    data |= {"predictions": args.predictions, "saved": kept, "questions": describe_answers(report)}
    lines = [*report_lines(report), *missed_lines(report)]
    for label, written in (("predictions", args.predictions), ("saved", kept)):
        lines += [f"{label}: {written}"] if written else []
    return data, lines


_FILES = {"suite": "", "run": "FILE", "compare": "BEFORE AFTER", "runs": ""}


def _compare(args: Arguments) -> Answer:
    folder = find_folder(args)
    before, after = (read_saved(folder, name) for name in args.files)
    comparison = compare_runs(before, after)
    return describe_comparison(comparison), comparison_lines(comparison)


def _list_runs(args: Arguments) -> Answer:
    runs = list_saved(find_folder(args))
    return {"runs": runs}, run_lines(runs)


COMMAND = Command(
    {"suite": _run_suite, "run": _run_questions, "compare": _compare, "runs": _list_runs},
    """
<suite|run|compare|runs>  questions made from your entries, your own questions, or saved runs
files=FILE*        the file of questions; for compare, two saved runs
--profile P        the recall profile to measure
--[no-]baselines   also measure full text and vectors by themselves (default: yes)
--limit,-n N/count   at most so many questions
--all-projects     ask your vault of all projects
--predictions OUT  write the ranked ids of each question there, as JSON
--save NAME        keep the run under a name, or as a file if it is a path
$ engrain eval suite
$ engrain eval suite --save before
$ engrain eval run questions.jsonl --save before
$ engrain eval run questions.jsonl --profile deep --save after
$ engrain eval compare before after
$ engrain eval runs --json
""",
    opens=None,
    check=take_words("eval", _FILES, "files"),
)
