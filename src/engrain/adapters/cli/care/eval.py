"""`engrain eval`: measure recall by questions about the user's own vault, and compare runs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, argument, count, flag, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.outline import outline_lines, table_lines
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import choose_profile
from engrain.evaluation.measurement import (
    ENTRY,
    ComparedRun,
    Measured,
    MetricChange,
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


def save_run(path: str, data: Data, rows: Mapping[str, object]) -> None:
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
            "configuration": {
                **fields(measured, "profile=profile.name embedder?"),
                "fusion": "calibrated",
                "degraded": measured.degraded,
            },
        }
        if kept:
            save_run(kept, data, collect_rows(measured))
        answers = _describe_answers(measured)
        missed = {one["id"]: one["question"] for one in answers if not one["recall@10"]}
        lines = outline_lines({**data, "saved": kept, "nothing expected was found for": missed})
        return {**data, "saved": kept, "questions": answers}, lines


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
        named = f"{clean_line(comparison.before)} -> {clean_line(comparison.after)}"
        lines = [style("title", named)]
        for part, metrics in comparison.parts.items():
            rows = [
                {"metric": metric, **fields(one, _DIFFERENCE), "verdict": _judge(one)}
                for metric, one in metrics.items()
            ]
            alone = comparison.alone[part]
            left = f", {alone} asked in one run only" if alone else ""
            lines += [
                "",
                style("dim", f"{clean_line(part)}, {comparison.shared[part]} questions{left}"),
            ]
            lines += table_lines(rows, f"metric {_DIFFERENCE} verdict", "")
        return data, lines


def _judge(change: MetricChange) -> str:
    if not change.difference:
        return "the same"
    if change.chance >= _CERTAIN:
        return "may be chance"
    return "better" if change.difference > 0 else "worse"


COMMAND = {"run": RunEval, "compare": CompareEval}
