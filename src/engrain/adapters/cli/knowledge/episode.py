"""`engrain episode`: save, list and show episodes: records of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engrain.adapters.cli.base import AllProjects, Answer, MemoryCommand, argument, flag, option
from engrain.adapters.cli.files import describe_git, read_file
from engrain.adapters.cli.knowledge.stats import TaskFigures
from engrain.adapters.cli.reading import read_text, read_when
from engrain.adapters.present.records import Data, describe_listing, describe_outcome
from engrain.adapters.present.text import (
    clean,
    clean_line,
    fact_lines,
    listing_lines,
    outcome_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.model.errors import ConflictError, ErasedError, UsageError
from engrain.model.experience.episode import FAILURE, INTERRUPTED, OUTCOMES, SUCCESS, is_failure
from engrain.model.note.documents import list_of, object_of, objects_of

_MOST_BYTES = 512 * 1024 * 1024
_COLOURS = {SUCCESS: "good", FAILURE: "bad", INTERRUPTED: "warning"}


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
        raise UsageError("not JSON that can be kept", path=place) from None


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
        return describe_listing(listing), listing_lines(listing)


@dataclass(kw_only=True)
class ShowEpisode(MemoryCommand):
    """Show an episode."""

    examples = "engrain episode show ep-2026-01-06-001 --json"
    id: str = argument("an id", "ID")

    def run_in(self, memory: Memory) -> Answer:
        id_, document, beside = memory.episodes.read(self.id)
        data = {"id": id_, "episode": dict(document), "engrain": dict(beside)}
        return data, _lines(id_, document, beside)


def _lines(id_: str, document: Mapping[str, Any], beside: Mapping[str, Any]) -> Iterator[str]:
    context = object_of(document.get("context"))
    outcome = clean_line(str(document.get("outcome") or "unknown"))
    yield style("title", clean_line(str(context.get("goal") or id_)))
    facts = {
        "began": document.get("timestamp"),
        "lasted": f"{document.get('duration_seconds')} s",
        "agent": document.get("agent"),
        "task": document.get("task_id"),
        "phase": context.get("phase"),
        "project": beside.get("project"),
        "commit": document.get("git_commit"),
    }
    yield from fact_lines({"id": id_})
    shown = style(_COLOURS[outcome], outcome) if outcome in _COLOURS else outcome
    yield f"{style('dim', 'outcome  ')}{shown}"
    yield from fact_lines(facts)
    for name, values in (
        ("constraints", context.get("constraints")),
        ("files", context.get("files_involved")),
        ("made", document.get("artifacts_produced")),
    ):
        if said := ", ".join(clean_line(str(value)) for value in list_of(values)):
            yield f"{style('dim', f'{name:<9}')} {said}"
    yield ""
    for action in objects_of(document.get("action_log")):
        yield _action_line(action)
    omitted = object_of(beside.get("omitted"))
    if omitted:
        left = ", ".join(f"{count} {clean_line(str(what))}" for what, count in omitted.items())
        yield style("dim", f"left out: {left}")
    for error in objects_of(document.get("errors_encountered")):
        said = ": ".join(clean(str(error[key])) for key in ("type", "message") if error.get(key))
        yield f"{style('bad', 'error')} {clean_line(said)}"
        if error.get("resolution"):
            yield f"{style('good', '  resolved')} {clean_line(str(error['resolution']))}"


def _action_line(action: Mapping[str, Any]) -> str:
    at = f"{action.get('t', 0):>8}"
    parts = [clean_line(str(action[key])) for key in ("action", "target") if action.get(key)]
    ended = [clean_line(str(action[key])) for key in ("result", "error") if action.get(key)]
    end = style("bad" if is_failure(action) else "dim", " ".join(ended)) if ended else ""
    return "  ".join(part for part in (style("dim", clean(at)), " ".join(parts), end) if part)


COMMAND = {"list": ListEpisodes, "save": SaveEpisode, "show": ShowEpisode, "stats": TaskFigures}
