"""`engrain eval`: measure recall on a question set, and compare runs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from engrain.adapters.cli.care.eval_figures import (
    collect_suite_rows,
    comparison_lines,
    describe_answers,
    describe_comparison,
    describe_predictions,
    describe_report,
    describe_suite,
    missed_lines,
    report_lines,
    run_lines,
    suite_lines,
    verdict_lines,
)
from engrain.adapters.cli.care.eval_vaults import (
    Evaluation,
    find_folder,
    keep_run,
    list_saved,
    naming,
    prepare_place,
    read_bytes,
    read_saved,
    write_json,
)
from engrain.adapters.cli.options import Answer, Arguments, Command, open_from, take_words
from engrain.engine.core.scope import Scope
from engrain.evaluation.benchmarks import read_locomo, read_longmemeval
from engrain.evaluation.measurement import list_everything, read_texts
from engrain.evaluation.question_set import UNITS, Question
from engrain.evaluation.questions import (
    Domain,
    find_expected,
    leave_out,
    make_chats,
    make_notes,
    make_questions,
    make_talk,
    read_code_sessions,
    read_foreign,
    read_questions,
    shipped_prompts,
    thin,
    with_foreign,
    with_limit,
)
from engrain.evaluation.summary import Report, collect_rows, compare_runs
from engrain.learn.sources.formats import open_source
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.fact import Turn
from engrain.model.note.tiers import ACTIVE

_CODE = "code sessions"
_LAYOUT = "see `engrain eval --help` for what it may hold"


@dataclass(slots=True, eq=False)
class DataSets:
    """What a folder holds: the domains that can be asked, and by name why others can't."""

    domains: list[Domain] = field(default_factory=list, init=False)
    absent: dict[str, str] = field(default_factory=dict, init=False)

    def read(self, path: str, make: Callable[[bytes], Domain]) -> None:
        """Add the domain of a file; a second one of a kind goes by its file's name too."""
        with naming(path):
            domain = make(read_bytes(path))
        if any(domain.name == other.name for other in self.domains):
            domain.name += f", {os.path.basename(path).rpartition('.')[0]}"
        self.domains.append(domain)


def read_data_sets(folder: str, labels: str | None = None) -> DataSets:
    """Read every question of a folder, so that a broken file is known before anything is asked.

    `labels` is a file of labelled questions over `transcripts`, where it is not in the folder.
    Raises NotFoundError, UsageError where there is nothing to ask, MalformedError with the path.
    """
    folder = os.path.abspath(os.path.expanduser(folder))
    if not os.path.isdir(folder):
        raise NotFoundError(f"{folder} is no folder", path=folder, remedy="name a folder of data")
    found = DataSets()
    prompts: list[Question] = []
    for path in _find(folder, "prompts/foreign*.jsonl"):
        with naming(path):
            prompts += read_foreign(read_bytes(path))
    prompts = prompts or shipped_prompts()
    make: Callable[[bytes], Domain]
    for name, pattern, make in (
        ("talk", "locomo/*.json", make_talk),
        ("chats", "beam*/*.json", partial(make_chats, prompts=prompts)),
    ):
        paths = _find(folder, pattern)
        if not paths:
            found.absent[name] = f"no {pattern}"
        for path in paths:
            found.read(path, make)
    for vault in _find(folder, "vault-*/"):
        name = os.path.basename(vault.rstrip(os.sep)).removeprefix("vault-")
        path = os.path.join(folder, "prompts", f"own_{name}.jsonl")
        if os.path.exists(path):
            found.read(path, partial(make_notes, name, vault, prompts=prompts))
        else:
            found.absent[f"vault-{name}"] = f"no prompts/own_{name}.jsonl"
    _read_code(found, folder, labels, prompts)
    if not found.domains:
        raise UsageError(f"no data set is in {folder}", path=folder, remedy=_LAYOUT)
    return found


def read_transcripts(folder: str) -> dict[str, list[Turn]]:
    """Return the turns of every transcript below a folder, by its name there."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        if os.path.isfile(path) and os.path.basename(path) != "LICENSE":
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            with naming(path):
                _, conversations = open_source([read_bytes(path)], name)
            found[name] = [turn for one in conversations for turn in one.turns]
    return found


def _read_code(
    found: DataSets, folder: str, labels: str | None, prompts: Sequence[Question]
) -> None:
    paths = [labels] if labels else _find(folder, "prompts/code_sessions*.jsonl")
    transcripts = os.path.join(folder, "transcripts")
    if not paths:
        found.absent[_CODE] = "no labelled questions: name them with --labels"
    elif not os.path.isdir(transcripts):
        found.absent[_CODE] = "no transcripts/"
    else:
        turns = read_transcripts(transcripts)
        foreign = leave_out(prompts, "code")
        for path in paths:
            found.read(
                path,
                lambda raw: Domain(_CODE, with_foreign(read_code_sessions(raw, turns), foreign)),
            )


def _find(folder: str, pattern: str) -> list[str]:
    return sorted(glob.glob(os.path.join(glob.escape(folder), *pattern.split("/"))))


OWN_VAULT = "this vault"
_OWN_QUESTIONS = 200


def run_suite(args: Arguments) -> Answer:
    """Measure what `--data` holds, or the vault; keep the run if that is wanted."""
    evaluation = Evaluation(args)
    absent: dict[str, str] = {}
    reports: dict[str, Report] = {}
    if args.data is None:
        reports[OWN_VAULT] = _measure_own(args, evaluation)
        lines = verdict_lines(OWN_VAULT, reports[OWN_VAULT])
    else:
        sets = read_data_sets(args.data, args.labels)
        absent = sets.absent
        for domain in sets.domains:
            known, name = with_limit(domain.known, args.limit), domain.name
            with args.console.progress(name) as progress:
                reports[name] = evaluation.measure_set(known, name, domain.units, progress)
        lines = suite_lines(reports, absent)
    data = describe_suite(reports, absent, args.data)
    if evaluation.kept:
        keep_run(evaluation.kept, data, collect_suite_rows(reports))
    return data | {"saved": evaluation.kept}, lines


def _measure_own(args: Arguments, evaluation: Evaluation) -> Report:
    with open_from(args) as memory, args.console.progress(OWN_VAULT) as progress:
        memory.scan()
        rows = memory.list(scope=Scope(all_projects=args.all_projects)).rows
        names = {row.id: row.id for row in rows if row.status == ACTIVE}
        own = make_questions(read_texts(memory, names), args.limit or _OWN_QUESTIONS)
        if not own:
            raise UsageError(
                "no entry of this vault has enough text to ask about",
                remedy="save some, or measure data sets with --data FOLDER",
            )
        questions = [*own, *thin(shipped_prompts(), args.limit)]
        return evaluation.measure_vault(memory, questions, OWN_VAULT, progress)


_FILES = {
    "suite": "",
    "locomo": "FILE",
    "longmemeval": "FILE",
    "run": "FILE",
    "compare": "BEFORE AFTER",
    "runs": "",
}


def _measure(args: Arguments) -> Answer:
    evaluation = Evaluation(args)
    raw = read_bytes(args.files[0])
    if args.predictions:
        prepare_place(args.predictions)
    with naming(args.files[0]), args.console.progress("asking") as progress:
        if args.action == "run":
            asked = read_questions(raw)[: args.limit]
            name = os.path.basename(args.files[0])
            with open_from(args) as memory:
                questions = find_expected(asked, list_everything(memory))
                report = evaluation.measure_vault(memory, questions, name, progress)
        else:
            units = UNITS if args.unit == "both" else (args.unit,)
            read_set = read_locomo if args.action == "locomo" else read_longmemeval
            known = read_set(raw, args.limit)
            report = evaluation.measure_set(known, known.name, units, progress)
    data = describe_report(report)
    kept = evaluation.kept
    if args.predictions:
        write_json(args.predictions, describe_predictions(report))
    if kept:
        keep_run(kept, data, collect_rows(report))
    data |= {"predictions": args.predictions, "saved": kept}
    lines = [*report_lines(report)]
    if report.of_own_vault:
        data["questions"] = describe_answers(report)
        lines += missed_lines(report)
    for label, path in (("predictions", args.predictions), ("saved", kept)):
        lines += [f"{label}: {path}"] if path else []
    return data, lines


def _compare(args: Arguments) -> Answer:
    folder = find_folder(args)
    before, after = (read_saved(folder, name) for name in args.files)
    comparison = compare_runs(before, after)
    return describe_comparison(comparison), comparison_lines(comparison)


def _list_runs(args: Arguments) -> Answer:
    runs = list_saved(find_folder(args))
    return {"runs": runs}, run_lines(runs)


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
--limit,-n N/count   at most so many questions; of LoCoMo and in the suite, so many of each vault
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
    opens=None,
    check=take_words("eval", _FILES, "files"),
)
