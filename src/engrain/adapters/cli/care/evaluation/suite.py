"""eval suite: recall on every kind of text there is data for, or on the user's own vault."""

from __future__ import annotations

import os
import time

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.evaluation.data_sets import read_data_sets
from engrain.adapters.cli.care.evaluation.saved_runs import find_place, prepare_place, write_json
from engrain.adapters.cli.care.evaluation.tables import (
    describe_suite,
    describe_suite_run,
    suite_lines,
    verdict_lines,
)
from engrain.adapters.cli.care.evaluation.vaults import (
    choose_calibration,
    choose_search,
    open_temporary,
    settle,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, open_from
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import Profile
from engrain.evaluation.domains import with_limit
from engrain.evaluation.measurement import choose_profile, measure_set, measure_vault, read_texts
from engrain.evaluation.questions import make_questions, shipped_prompts, thin
from engrain.evaluation.summary import Report
from engrain.model.errors import UsageError
from engrain.model.note.tiers import ACTIVE

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
