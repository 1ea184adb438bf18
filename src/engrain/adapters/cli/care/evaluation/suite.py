"""eval suite: recall on every kind of text there is data for, or on the user's own vault."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.evaluation.tables import (
    describe_suite,
    describe_suite_run,
    suite_lines,
    verdict_lines,
)
from engrain.adapters.cli.care.evaluation.vaults import (
    choose_calibration,
    choose_search,
    find_place,
    naming,
    open_temporary,
    prepare_place,
    read_bytes,
    settle,
    write_json,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, open_from
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import Profile
from engrain.evaluation.measurement import choose_profile, measure_set, measure_vault, read_texts
from engrain.evaluation.question_set import Question
from engrain.evaluation.questions import (
    Domain,
    leave_out,
    make_chats,
    make_notes,
    make_questions,
    make_talk,
    read_code_sessions,
    read_foreign,
    shipped_prompts,
    thin,
    with_foreign,
    with_limit,
)
from engrain.evaluation.summary import Report
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
    _read_one(found, folder, "talk", "locomo/*.json", make_talk)
    _read_one(found, folder, "chats", "beam*/*.json", lambda raw: make_chats(raw, prompts))
    _read_vaults(found, folder, prompts)
    _read_code(found, folder, labels, prompts)
    if not found.domains:
        raise UsageError(f"no data set is in {folder}", path=folder, remedy=_LAYOUT)
    return found


def read_transcripts(folder: str) -> dict[str, list[Turn]]:
    """The turns of every transcript below a folder, by its name there."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        if os.path.isfile(path) and os.path.basename(path) != "LICENSE":
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            with naming(path):
                _, conversations = open_source([read_bytes(path)], name)
            found[name] = [turn for one in conversations for turn in one.turns]
    return found


def _read_one(
    found: DataSets, folder: str, name: str, pattern: str, make: Callable[[bytes], Domain]
) -> None:
    paths = _find(folder, pattern)
    if not paths:
        found.absent[name] = f"no {pattern}"
    for path in paths:
        found.read(path, make)


def _read_vaults(found: DataSets, folder: str, prompts: Sequence[Question]) -> None:
    for vault in _find(folder, "vault-*/"):
        name = os.path.basename(vault.rstrip(os.sep)).removeprefix("vault-")
        path = os.path.join(folder, "prompts", f"own_{name}.jsonl")
        if os.path.exists(path):
            found.read(path, partial(make_notes, name, vault, prompts=prompts))
        else:
            found.absent[f"vault-{name}"] = f"no prompts/own_{name}.jsonl"


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


def run_suite(args: Arguments, console: Console) -> Answer:
    """Measure what `--data` holds, or the vault; keep the run if that is wanted."""
    folder, profile_name = settle(args)
    profile = choose_profile(profile_name)
    kept = find_place(folder, args.save) if args.save else None
    if kept:
        prepare_place(kept)
    absent: dict[str, str] = {}
    if args.data is None:
        reports = {OWN_VAULT: _measure_own(args, console, profile)}
        lines = verdict_lines(OWN_VAULT, reports[OWN_VAULT], console.style)
    else:
        reports, absent = _measure_data(args, console, profile)
        lines = suite_lines(reports, absent, console.style)
    data = describe_suite(reports, absent, args.data)
    if kept:
        name = os.path.basename(kept).removesuffix(".json")
        write_json(kept, describe_suite_run(reports, data, name, time.time()))
    return data | {"saved": kept}, lines


def _measure_data(
    args: Arguments, console: Console, profile: Profile
) -> tuple[dict[str, Report], dict[str, str]]:
    """A report of each domain that a folder has data for, and why others have none."""
    sets = read_data_sets(args.data, args.labels)
    reports = {}
    for domain in sets.domains:
        known = with_limit(domain.known, args.limit)
        with console.progress(domain.name) as progress:
            measured = measure_set(
                known,
                profile,
                open_temporary,
                units=domain.units,
                settle=choose_calibration(args),
                make_search=choose_search(args),
                progress=progress,
            )
        reports[domain.name] = Report(domain.name, measured, known.skipped)
    return reports, sets.absent


def _measure_own(args: Arguments, console: Console, profile: Profile) -> Report:
    """The user's own vault, asked questions made from its entries and foreign prompts."""
    with open_from(args) as memory, console.progress(OWN_VAULT) as progress:
        memory.scan()
        rows = memory.list(scope=Scope(all_projects=args.all_projects)).rows
        names = {row.id: row.id for row in rows if row.status == ACTIVE}
        own = make_questions(read_texts(memory, names), args.limit or _OWN_QUESTIONS)
        if not own:
            raise UsageError(
                "no entry of this vault has enough text to ask about",
                remedy="save some, or measure data sets with --data FOLDER",
            )
        measured = measure_vault(
            memory,
            [*own, *thin(shipped_prompts(), args.limit)],
            profile,
            all_projects=args.all_projects,
            make_search=choose_search(args),
            progress=progress,
        )
    return Report(OWN_VAULT, measured)
