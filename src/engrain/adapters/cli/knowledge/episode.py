"""episode: save, list, show, index."""

from __future__ import annotations

import argparse
import json
from typing import Any

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.git import describe_git
from engrain.adapters.cli.options import Command, open_from, read_file, read_text, read_when
from engrain.adapters.present.episodes import (
    describe_episode,
    describe_filed,
    describe_saved,
    episode_lines,
    problem_lines,
    told_lines,
)
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import describe_listing, envelope
from engrain.adapters.present.text import listing_lines, outcome_lines
from engrain.engine.core.scope import Scope
from engrain.engine.episodes.episode import Filed
from engrain.model.errors import ConflictError, ErasedError, UsageError
from engrain.model.experience.episode import OUTCOMES
from engrain.model.note.documents import object_of

_NEEDS = {"save": "FILE, or - for standard input", "show": "ID"}
_MOST_BYTES = 512 * 1024 * 1024


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("save", "list", "show", "index"), help="what to do")
    parser.add_argument(
        "what",
        nargs="?",
        metavar="FILE|ID",
        help="save: a file of JSON, one episode or a list of them, or -; show: an id",
    )
    parser.add_argument("--outcome", choices=OUTCOMES, help="save: how it ended; list: only these")
    parser.add_argument("--goal", metavar="TEXT", help="save: what it was for")
    parser.add_argument("--commit", metavar="REV", help="save: the version that came of it")
    parser.add_argument("--ref", metavar="TEXT", help="save: where it comes from")
    parser.add_argument(
        "--trust", choices=("operator", "agent", "tool", "external"), default="agent",
        help="save: whom it comes from",
    )  # fmt: skip
    parser.add_argument("--since", metavar="WHEN", help="list: began since: a date, or 7d, 12h, 2w")
    parser.add_argument("--until", metavar="WHEN", help="list: began before")
    parser.add_argument("--all-projects", action="store_true", help="list: whatever the project")
    parser.add_argument("--include-archive", action="store_true", help="list: archived ones too")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="list: at most so many")


def _episode(args: argparse.Namespace, console: Console) -> int:
    if args.action in _NEEDS and args.what is None:
        raise UsageError(f"{args.action} which one?", remedy=f"give {_NEEDS[args.action]}")
    if args.action not in _NEEDS and args.what is not None:
        raise UsageError(f"`episode {args.action}` takes no {args.what[:40]!r}")
    return _ACTIONS[args.action](args, console)


def _save(args: argparse.Namespace, console: Console) -> int:
    given = _read(args, console)
    several = isinstance(given, list)
    filed: list[Filed] = []
    problems: list[tuple[int, str]] = []
    with open_from(args) as memory:
        for number, document in enumerate(given if isinstance(given, list) else [given], 1):
            try:
                one = memory.save_episode(
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
            memory.write_episode_index()
    if console.as_json:
        data = describe_saved(filed, problems) if several else describe_filed(filed[0])
        console.write_json(envelope("episode", data))
    else:
        for one in filed:
            console.write_lines(outcome_lines(one, console.style))
            console.write_lines(told_lines(one, console.style))
        console.write_lines(problem_lines(problems, console.style))
    return EXIT_ERROR if problems else EXIT_OK


def _read(args: argparse.Namespace, console: Console) -> Any:
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


def _complete(document: Any, args: argparse.Namespace) -> Any:
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


def _list(args: argparse.Namespace, console: Console) -> int:
    scope = Scope(
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        since=read_when(args.since),
        until=read_when(args.until),
    )
    with open_from(args) as memory:
        listing = memory.episodes(args.outcome, scope=scope, limit=args.limit)
    return console.answer(
        "episode", describe_listing(listing), listing_lines(listing, console.style)
    )


def _show(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        found = memory.episodes.read(args.what)
    return console.answer("episode", describe_episode(*found), episode_lines(*found, console.style))


def _index(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        memory.recover_episodes()
        written = memory.write_episode_index()
    return console.answer(
        "episode",
        {"written": written},
        [f"{written} written or removed" if written else "up to date already"],
    )


_ACTIONS = {"save": _save, "list": _list, "show": _show, "index": _index}

COMMANDS = {
    "episode": Command(
        _arguments,
        _episode,
        "engrain episode save trace.json",
        'echo \'{"outcome": "success"}\' | engrain episode save - --goal "Fix the login"',
        "engrain episode list --outcome failure --since 7d",
        "engrain episode show ep-2026-01-06-001 --json",
        "engrain episode index",
    )
}
