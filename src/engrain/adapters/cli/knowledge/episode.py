"""`engrain episode`: save, list and show episodes: records of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.git import describe_git
from engrain.adapters.cli.options import (
    Arguments,
    Command,
    one_of,
    open_from,
    read_file,
    read_text,
    read_when,
)
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import Data, describe_listing, describe_outcome
from engrain.adapters.present.text import (
    Style,
    clean,
    clean_line,
    fact_lines,
    listing_lines,
    outcome_lines,
)
from engrain.engine.core.scope import Scope
from engrain.engine.episodes.episode import Filed
from engrain.model.errors import ConflictError, ErasedError, UsageError
from engrain.model.experience.episode import FAILURE, INTERRUPTED, OUTCOMES, SUCCESS, is_failure
from engrain.model.note.documents import list_of, object_of, objects_of

_NEEDS = {"save": "FILE, or - for standard input", "show": "ID"}
_MOST_BYTES = 512 * 1024 * 1024
_COLOURS = {SUCCESS: "good", FAILURE: "bad", INTERRUPTED: "warning"}


def _check(args: Arguments) -> None:
    if args.action in _NEEDS and args.what is None:
        raise UsageError(f"{args.action} which one?", remedy=f"give {_NEEDS[args.action]}")
    if args.action not in _NEEDS and args.what is not None:
        raise UsageError(f"`episode {args.action}` takes no {args.what[:40]!r}")


def _save(args: Arguments, console: Console) -> Answer:
    given = _read(args, console)
    several = isinstance(given, list)
    filed: list[Filed] = []
    problems: list[tuple[int, str]] = []
    with open_from(args) as memory:
        for number, document in enumerate(given if isinstance(given, list) else [given], 1):
            try:
                one = memory.episodes.save(
                    _complete(document, args),
                    project=getattr(args, "project", None),
                    source="cli",
                    ref=args.ref,
                )
                filed.append(one)
            except (ConflictError, ErasedError, UsageError) as error:
                if not several:
                    raise
                problems.append((number, error.message))
        if several:
            memory.episodes.write_index()
    described = [{**describe_outcome(one), "told": list(one.told)} for one in filed]
    data: Data = {"episodes": described}
    data["problems"] = [{"number": number, "message": message} for number, message in problems]
    lines: list[str] = []
    for one in filed:
        lines += outcome_lines(one, console.style)
        lines += [console.style("warning", f"  {clean_line(line)}") for line in one.told]
    lines += [
        console.style("warning", f"left out: episode {number}: {clean_line(message)}")
        for number, message in problems
    ]
    return data if several else described[0], lines, EXIT_ERROR if problems else EXIT_OK


def _read(args: Arguments, console: Console) -> Any:
    """What is to be saved: standard input, or a file. Raises UsageError, NotFoundError."""
    place = "standard input" if args.what == "-" else args.what
    try:
        stdin = args.what == "-"
        text = read_text("-", console) if stdin else read_file(args.what, _MOST_BYTES)
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise UsageError(
            f"not JSON: {error.msg} in line {error.lineno}", path=place, remedy="give one object"
        ) from None
    except (ValueError, RecursionError):
        raise UsageError("not JSON that can be kept", path=place) from None


def _complete(document: Any, args: Arguments) -> Any:
    """An episode with what the command line says of it, and the version that is checked out where
    it is of this moment: one that says when it was tells its version itself."""
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


def _list(args: Arguments, console: Console) -> Answer:
    scope = Scope(
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        since=read_when(args.since),
        until=read_when(args.until),
    )
    with open_from(args) as memory:
        listing = memory.episodes.list(args.outcome, scope=scope, limit=args.limit)
    return describe_listing(listing), listing_lines(listing, console.style)


def _show(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory:
        id_, document, beside = memory.episodes.read(args.what)
    data = {"id": id_, "episode": dict(document), "engrain": dict(beside)}
    return data, _lines(id_, document, beside, console.style)


def _index(args: Arguments, _: Console) -> Answer:
    with open_from(args) as memory:
        memory.episodes.recover()
        written = memory.episodes.write_index()
    line = f"{written} written or removed" if written else "up to date already"
    return {"written": written}, [line]


def _lines(
    id_: str, document: Mapping[str, Any], beside: Mapping[str, Any], style: Style
) -> Iterator[str]:
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
    yield from fact_lines({"id": id_}, style)
    shown = style(_COLOURS[outcome], outcome) if outcome in _COLOURS else outcome
    yield f"{style('dim', 'outcome  ')}{shown}"
    yield from fact_lines(facts, style)
    for name, values in (
        ("constraints", context.get("constraints")),
        ("files", context.get("files_involved")),
        ("made", document.get("artifacts_produced")),
    ):
        if said := ", ".join(clean_line(str(value)) for value in list_of(values)):
            yield f"{style('dim', f'{name:<9}')} {said}"
    yield ""
    for action in objects_of(document.get("action_log")):
        yield _action_line(action, style)
    omitted = object_of(beside.get("omitted"))
    if omitted:
        left = ", ".join(f"{count} {clean_line(str(what))}" for what, count in omitted.items())
        yield style("dim", f"left out: {left}")
    for error in objects_of(document.get("errors_encountered")):
        said = ": ".join(clean(str(error[key])) for key in ("type", "message") if error.get(key))
        yield f"{style('bad', 'error')} {clean_line(said)}"
        if error.get("resolution"):
            yield f"{style('good', '  resolved')} {clean_line(str(error['resolution']))}"


def _action_line(action: Mapping[str, Any], style: Style) -> str:
    at = f"{action.get('t', 0):>8}"
    parts = [clean_line(str(action[key])) for key in ("action", "target") if action.get(key)]
    ended = [clean_line(str(action[key])) for key in ("result", "error") if action.get(key)]
    end = style("bad" if is_failure(action) else "dim", " ".join(ended)) if ended else ""
    return "  ".join(part for part in (style("dim", clean(at)), " ".join(parts), end) if part)


COMMAND = Command(
    [_save, _list, _show, _index],
    f"""
<save|list|show|index>  the action
what=FILE|ID?      save: a file of JSON, one episode or a list of them, or -; show: an id
--outcome {one_of(OUTCOMES)}  save: how it ended; list: only these
--goal TEXT        save: the goal of the task
--commit REV       save: the resulting commit
--ref TEXT         save: its source, such as a session
--trust <operator|agent|tool|external>=agent  save: its origin
--since WHEN       list: began since: a date, or 7d, 12h, 2w
--until WHEN       list: began before
--all-projects     list: of all projects
--include-archive  list: include archived entries
--limit N/int=20   list: at most so many
$ engrain episode save trace.json
$ echo '{{"outcome": "success"}}' | engrain episode save - --goal "Fix the login"
$ engrain episode list --outcome failure --since 7d
$ engrain episode show ep-2026-01-06-001 --json
$ engrain episode index
""",
    check=_check,
)
