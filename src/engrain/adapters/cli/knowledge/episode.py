"""`engrain episode`: save, list and show episodes: records of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engrain.adapters.cli.files import describe_git, read_file
from engrain.adapters.cli.options import Answer, Arguments, Command, one_of, read_scope, read_text
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


def _save(memory: Memory, args: Arguments) -> Answer:
    given = _read(args)
    several = isinstance(given, list)
    described: list[Data] = []
    problems: list[Data] = []
    lines: list[str] = []
    left: list[str] = []
    project = args.project
    for number, document in enumerate(given if isinstance(given, list) else [given], 1):
        try:
            one = memory.episodes.save(
                _complete(document, args), project=project, source="cli", ref=args.ref
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


def _read(args: Arguments) -> Any:
    """Read what is to be saved, from standard input or a file. Raises UsageError, NotFoundError."""
    is_piped = args.what == "-"
    place = "standard input" if is_piped else args.what
    try:
        text = read_text("-") if is_piped else read_file(args.what, _MOST_BYTES)
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise UsageError(
            f"not JSON: {error.msg} in line {error.lineno}", path=place, remedy="give one object"
        ) from None
    except (ValueError, RecursionError):
        raise UsageError("not JSON that can be kept", path=place) from None


def _complete(document: Any, args: Arguments) -> Any:
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


def _list(memory: Memory, args: Arguments) -> Answer:
    listing = memory.episodes.list(args.outcome, scope=read_scope(args), limit=args.limit)
    return describe_listing(listing), listing_lines(listing)


def _show(memory: Memory, args: Arguments) -> Answer:
    id_, document, beside = memory.episodes.read(args.what)
    data = {"id": id_, "episode": dict(document), "engrain": dict(beside)}
    return data, _lines(id_, document, beside)


def _index(memory: Memory, _: Arguments) -> Answer:
    memory.episodes.recover()
    written = memory.episodes.write_index()
    line = f"{written} written or removed" if written else "up to date already"
    return {"written": written}, [line]


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
