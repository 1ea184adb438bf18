"""`engrain eval`: measure recall by questions about the user's own vault, and compare runs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, argument, count, flag, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style
from engrain.engine.core.scope import Scope
from engrain.evaluation.measurement import (
    ENTRY,
    METRICS,
    ComparedRun,
    Comparison,
    Measured,
    Ranking,
    choose_profile,
    collect_rows,
    compare_runs,
    mean_scores,
    measure_vault,
    read_run,
    silenced_share,
)
from engrain.evaluation.questions import find_expected, read_questions
from engrain.language.text.instants import format_instant
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import STATUSES
from engrain.resolution.settings import load_settings

_LABEL, _COLUMN = 34, 11
_CERTAIN = 0.05
_DIFFERENCE = "before after difference better worse chance"


def read_saved(path: str) -> ComparedRun:
    """Read a saved run. Raises NotFoundError, MalformedError."""
    raw = read_bytes(path)
    with naming(path):
        return read_run(raw, path)


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
    run = {"format": 1, "name": name, "saved": format_instant(time.time()), "data": data}
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({**run, "rows": rows}, file, ensure_ascii=True, indent=1)
        file.write("\n")


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the path of the file to errors about its content."""
    try:
        yield
    except MalformedError as error:
        error.path = error.path or path
        raise


@dataclass(kw_only=True)
class RunEval(BaseCommand):
    """Ask your vault the questions of a file."""

    examples = """
engrain eval run questions.jsonl --save before.json
engrain eval run questions.jsonl --profile deep --save after.json
"""
    file: str = argument("the file of questions", "FILE")
    profile: str | None = option("the recall profile to measure", "P")
    limit: int | None = option("at most so many questions", "N", type=count, short="-n")
    all_projects: bool = flag("ask your vault of all projects")
    save: str | None = option("save the run there, for compare", "FILE")

    def run(self) -> Answer:
        """Ask the vault the questions of a file."""
        path = self.file
        settings = load_settings({"profile": self.profile}, os.environ, os.getcwd())
        profile = choose_profile(settings["profile"].value)
        kept = self.save
        if kept:
            prepare_place(kept)
        raw = read_bytes(path)
        with naming(path), show_progress(self.console, "asking") as progress:
            asked = read_questions(raw)[: self.limit]
            with self.open() as memory:
                everything = memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows
                measured = measure_vault(
                    memory,
                    find_expected(asked, everything),
                    profile,
                    all_projects=self.all_projects,
                    progress=progress,
                )
        if not measured.ranked:
            raise UsageError("no question that expects an entry was asked", remedy="raise --limit")
        data: Data = {
            "set": os.path.basename(path),
            ENTRY: {
                "n": len(measured.ranked),
                **mean_scores(measured.ranked),
                "served": mean_scores(measured.served),
            },
            "silence": {
                "own": len(measured.served),
                "foreign": len(measured.foreign),
                "own_silenced": silenced_share(measured.served),
                "foreign_silenced": silenced_share(measured.foreign),
            },
            "configuration": fields(
                measured, "profile=profile.name embedder? fusion=profile.fusion degraded"
            ),
        }
        if kept:
            keep_run(kept, data, collect_rows(measured))
        data |= {"saved": kept, "questions": _describe_answers(measured)}
        lines = _run_lines(data["set"], measured)
        return data, [*lines, *([f"saved: {kept}"] if kept else [])]


def _describe_answers(measured: Measured) -> list[Data]:
    """Return what was expected and what came, question by question."""
    return [
        {
            "unit": ENTRY,
            **fields(ranking.question, "id question=text"),
            "expected": sorted(ranking.question.gold),
            "ranked": list(ranking.ids),
            **ranking.scores,
        }
        for ranking in measured.ranked
    ]


def _run_lines(name: object, measured: Measured) -> Iterator[str]:
    """Yield the figures of one run, and the questions whose entries were not found."""
    profile, embedder = measured.profile.name, measured.embedder
    by = f"embedder {embedder}" if embedder else "no embedder"
    yield style("title", f"{clean_line(str(name))}: profile {profile}, {by}")
    heads = "".join(f"{metric:>{_COLUMN}}" for metric in METRICS)
    yield from ("", style("dim", f"{ENTRY:<{_LABEL}}{heads}"))
    yield _figures_line("recall, nothing withheld", measured.ranked)
    yield _figures_line("recall", measured.served)
    if measured.foreign:
        foreign, own = silenced_share(measured.foreign), silenced_share(measured.served)
        yield (
            f"got nothing: {foreign:.1%} of {len(measured.foreign)} foreign questions, "
            f"{own:.1%} of {len(measured.served)} own ones"
        )
    if measured.degraded:
        yield style("warning", f"some recalls were degraded: {clean_line(measured.degraded)}")
    missed = [one.question for one in measured.ranked if not one.scores["recall@10"]]
    if missed:
        yield from ("", style("warning", "nothing that was expected was found for"))
    for question in missed:
        yield f"  {clean_line(question.id)}: {clean_line(question.text)}"


def _figures_line(label: str, rankings: Sequence[Ranking]) -> str:
    values = "".join(f"{value:>{_COLUMN}.3f}" for value in mean_scores(rankings).values())
    return f"{f'{label} ({len(rankings)})':<{_LABEL}}{values}"


@dataclass(kw_only=True)
class CompareEval(BaseCommand):
    """Compare two saved runs."""

    examples = "engrain eval compare before.json after.json"
    before: str = argument("a saved run", "BEFORE")
    after: str = argument("a later one of the same questions", "AFTER")

    def run(self) -> Answer:
        comparison = compare_runs(read_saved(self.before), read_saved(self.after))
        data: Data = {
            **fields(comparison, "before after"),
            "parts": {
                part: {
                    "n": comparison.shared[part],
                    "alone": comparison.alone[part],
                    **{metric: fields(found, _DIFFERENCE) for metric, found in metrics.items()},
                }
                for part, metrics in comparison.parts.items()
            },
        }
        return data, _comparison_lines(comparison)


def _comparison_lines(comparison: Comparison) -> Iterator[str]:
    before, after = clean_line(comparison.before), clean_line(comparison.after)
    yield style("title", f"{before} -> {after}")
    for part, metrics in comparison.parts.items():
        alone = comparison.alone[part]
        left = f", {alone} asked in one run only" if alone else ""
        yield ""
        yield style("dim", f"{clean_line(part)}, {comparison.shared[part]} questions{left}")
        for metric, found in metrics.items():
            line = (
                f"  {clean_line(metric):<12}{found.before:>8.3f} -> {found.after:.3f}"
                f"{found.difference:>+9.3f}  {found.better} better, {found.worse} worse"
            )
            if not found.difference:
                yield line + "  the same"
            elif found.chance >= _CERTAIN:
                yield line + "  may be chance"
            else:
                yield style("good" if found.difference > 0 else "bad", line)


COMMAND = {"run": RunEval, "compare": CompareEval}
