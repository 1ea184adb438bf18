"""`engrain episode`: save, list and show episodes: records of tasks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from engrain.adapters.cli.base import AllProjects, Answer, MemoryCommand, argument, flag, option
from engrain.adapters.cli.files import describe_git, read_file
from engrain.adapters.cli.reading import count_elsewhere, read_text, read_when
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import Data, describe_listing, describe_outcome, fields
from engrain.adapters.present.text import (
    clean_line,
    elsewhere_lines,
    listing_lines,
    outcome_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.listing import Listing
from engrain.lifecycle.sessions.statistics import WINDOW_DAYS, Statistics
from engrain.model.errors import ConflictError, ErasedError, UsageError
from engrain.model.experience.episode import OUTCOMES
from engrain.model.note.documents import object_of

_MOST_BYTES = 512 * 1024 * 1024


@dataclass(kw_only=True)
class SaveEpisode(MemoryCommand):
    """Save one episode, or a list of them."""

    examples = """
engrain episode save trace.json
echo '{"outcome": "success"}' | engrain episode save - --goal "Fix the login"
"""
    file: str = argument("JSON: one episode or a list of them; or -", "FILE")
    outcome: str | None = option("how it ended", choices=OUTCOMES)
    goal: str | None = option("the goal of the task", "TEXT")
    commit: str | None = option("the resulting commit", "REV")
    ref: str | None = option("its source, such as a session", "TEXT")
    trust: Literal["operator", "agent", "tool", "external"] = option("its origin", default="agent")

    def run_in(self, memory: Memory) -> Answer:
        given = _read(self.file)
        several = isinstance(given, list)
        described: list[Data] = []
        problems: list[Data] = []
        lines: list[str] = []
        left: list[str] = []
        project = self.project
        for number, document in enumerate(given if isinstance(given, list) else [given], 1):
            try:
                one = memory.episodes.save(
                    _complete(document, self), project=project, source="cli", ref=self.ref
                )
            except (ConflictError, ErasedError, UsageError) as error:
                if not several:
                    raise
                problems.append({"number": number, "message": error.message})
                message = f"left out: episode {number}: {clean_line(error.message)}"
                left.append(style("warning", message))
                continue
            described.append({**describe_outcome(one), "told": list(one.told)})
            lines += outcome_lines(one)
            lines += [style("warning", f"  {clean_line(line)}") for line in one.told]
        if several:
            memory.episodes.write_index()
        lines += left
        data: Data = {"episodes": described, "problems": problems}
        return data if several else described[0], lines, bool(problems)


def _read(file: str) -> Any:
    """Read what is to be saved, from standard input or a file. Raises UsageError, NotFoundError."""
    is_piped = file == "-"
    place = "standard input" if is_piped else file
    try:
        text = read_text("-") if is_piped else read_file(file, _MOST_BYTES)
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise UsageError(
            f"not JSON: {error.msg} in line {error.lineno}", path=place, remedy="give one object"
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(
            "the JSON is nested too deeply or has an invalid value", path=place
        ) from None


def _complete(document: Any, args: SaveEpisode) -> Any:
    """Return an episode with what the command line says of it, and with the commit that is checked
    out, unless it has a timestamp, and so happened before."""
    if not isinstance(document, dict):
        return document
    document = dict(document)
    if args.goal is not None:
        document["context"] = {**object_of(document.get("context")), "goal": args.goal}
    if args.outcome is not None:
        document["outcome"] = args.outcome
    if args.commit is not None:
        document["git_commit"] = args.commit
    elif not document.get("git_commit") and not document.get("timestamp"):
        document["git_commit"] = describe_git().get("commit", "")[:12] or None
    return document


@dataclass(kw_only=True)
class ListEpisodes(AllProjects, MemoryCommand):
    """List episodes."""

    examples = "engrain episode list --outcome failure --since 7d"
    outcome: str | None = option("only these", choices=OUTCOMES)
    since: str | None = option("began since: a date, or 7d, 12h, 2w", "WHEN")
    until: str | None = option("began before", "WHEN")
    include_archive: bool = flag("include archived entries")
    limit: int = option("at most so many", "N", default=20)

    def run_in(self, memory: Memory) -> Answer:
        scope = Scope(
            since=read_when(self.since),
            until=read_when(self.until),
            all_projects=self.all_projects,
            include_archive=self.include_archive,
        )
        listing = memory.episodes.list(self.outcome, scope=scope, limit=self.limit)

        def ask(wider: Scope) -> Listing:
            return memory.episodes.list(self.outcome, scope=wider, limit=1)

        elsewhere = count_elsewhere(listing, scope, ask)
        lines = [*listing_lines(listing), *elsewhere_lines(elsewhere)]
        return {**describe_listing(listing), "elsewhere": elsewhere}, lines


@dataclass(kw_only=True)
class ShowEpisode(MemoryCommand):
    """Show an episode."""

    examples = "engrain episode show ep-2026-01-06-001 --json"
    id: str = argument("an id", "ID")

    def run_in(self, memory: Memory) -> Answer:
        id_, document, beside = memory.episodes.read(self.id)
        data = {"id": id_, "episode": dict(document), "engrain": dict(beside)}
        return data, outline_lines({**document, **beside})


@dataclass(kw_only=True)
class TaskFigures(AllProjects, MemoryCommand):
    """Show what tasks cost, how they ended, and how useful the memory was."""

    examples = """
engrain episode stats
engrain episode stats --days 30 --all-projects --json
"""
    days: int | None = option(f"the last N days, else {WINDOW_DAYS}", "N")

    def run_in(self, memory: Memory) -> Answer:
        days = WINDOW_DAYS if self.days is None else self.days
        return _describe(memory.episodes.statistics(days=days, all_projects=self.all_projects))


def _describe(found: Statistics) -> Data:
    cost = found.cost
    return {
        "period": f"rolling_{found.days}_days",
        **fields(found, "since@ until@"),
        "summary": fields(
            cost, "tasks_completed=tasks success_rate% avg_recovery_rate=recovery_rate%"
        ),
        "efficiency": {
            **fields(cost, "tasks outcomes retry_count=retries errors tokens success_rate%"),
            "wall_time_seconds": round(cost.seconds, 3),
            **fields(cost, "median_seconds=seconds_median% recovery_rate%"),
        },
        "access": fields(found.access, "entries sessions recalled used never_recalled=never"),
        "models": [
            fields(one, "purpose model questions tokens_in=taken tokens_out=given")
            for one in found.spending
        ],
    }


COMMAND = {"list": ListEpisodes, "save": SaveEpisode, "show": ShowEpisode, "stats": TaskFigures}
