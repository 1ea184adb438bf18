"""Imports, whose open decisions the exit code reports, and questions to a person at a terminal."""

from __future__ import annotations

import copy
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from engrain import Memory
from engrain.adapters.cli.base import BaseCommand, flag
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.failures import EXIT_DECIDE
from engrain.adapters.present.records import Data, describe_pairs, fields
from engrain.adapters.present.text import clean, clean_line, counted, report_lines, style
from engrain.engine.core.outcomes import CREATED, LEFT_OUT, UNCHANGED, UPDATED, Imported
from engrain.engine.verbs.intake import Terms
from engrain.engine.verbs.source_notes import NO_NOTE
from engrain.model.note.tiers import ACTIVE, SYSTEM_FOLDER
from engrain.seam.derived import Progress

_PREFIX = "rehearsal-"


@dataclass(kw_only=True)
class Importing(BaseCommand):
    """The arguments of every import."""

    restore_deleted: bool | None = flag(
        "restore what was deleted here; else it stays deleted and is listed", default=None
    )
    dry_run: bool = flag("show what would be imported, and write nothing")


@contextmanager
def open_for_import(args: Importing) -> Iterator[Memory]:
    """Open the memory to import into; for `dry_run` one over a copy beside this device's state, so
    that its figures are those of a real import."""
    if not args.dry_run:
        with args.open() as memory:
            yield memory
        return
    found = args.resolve()
    os.makedirs(found.state_dir, mode=0o700, exist_ok=True)
    for left in os.listdir(found.state_dir):  # by one that was killed
        if left.startswith(_PREFIX):
            shutil.rmtree(os.path.join(found.state_dir, left), ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=found.state_dir, prefix=_PREFIX) as folder:
        vault = os.path.join(folder, "vault")
        if os.path.isdir(found.location):
            shutil.copytree(found.location, vault, ignore=_ignore, symlinks=True)
        there = copy.copy(args)
        there.vault, there.state_dir = vault, os.path.join(folder, "state")
        with there.open() as memory:
            yield memory


def _ignore(folder: str, names: list[str]) -> list[str]:
    """Return what no import looks at: hidden folders of other programs, and what is no file."""
    hidden = [name for name in names if name.startswith(".") and name != SYSTEM_FOLDER]
    inside = SYSTEM_FOLDER in folder.split(os.sep)
    paths = ((name, os.path.join(folder, name)) for name in names)
    odd = [name for name, path in paths if not os.path.isdir(path) and not os.path.isfile(path)]
    return odd if inside else [*hidden, *odd]


Take: TypeAlias = "Callable[[Memory, Progress | None, Terms], Imported]"
"""One import, done with a memory."""


def run_import(
    args: Importing,
    take: Take,
    *,
    trust: str = "external",
    more: Data | None = None,
    before: Iterable[str] = (),
    after: Callable[[Imported], Iterable[str]] = lambda _: (),
) -> int:
    """Run an import as one change and print its result; return the exit code. `trust` is the
    default origin; `more` is added to the data, `before` and the result of `after` to the lines.

    What was deleted in the vault stays deleted, and is listed; the exit code says that this is
    undecided.
    """
    asked = args.trust
    args.trust = asked or trust
    with open_for_import(args) as memory:
        together = memory.as_one_change()

        with show_progress(args.console, "importing") as progress:
            terms = Terms(asked, restore_deleted=bool(args.restore_deleted))
            imported = take(together, progress, terms)
    data = {
        **fields(imported, "documents outcomes=counts"),
        **imported.sums,
        **fields(args, "trust dry_run"),
        "deleted": describe_pairs(imported.deleted, "id"),
        "problems": describe_pairs(imported.problems),
        "unread": describe_pairs(imported.unread),
        "passed_over": [
            {"path": path, "reason": why, "files": count}
            for path, why, count in imported.passed_over
        ],
        **fields(imported, "detected=tiers statuses links links_ambiguous=ambiguous"),
        **fields(imported, "links_broken=broken attached redacted"),
        **(more or {}),
    }
    lines = [*before, *describe_dry_run(args), *_import_lines(imported), *after(imported)]
    if imported.sums["added"] and not asked:
        meaning = f"imported as {args.trust}: {_MEANINGS[args.trust]}; --trust changes that"
        lines.append(style("dim", meaning))
    args.console.answer("import", data, lines)
    code = 0
    if args.restore_deleted is None:
        code = ask_by_code(args.console, len(imported.deleted))
    if imported.withheld and asked is None:
        code = EXIT_DECIDE
        args.console.write_error(
            f"engrain: {', '.join(imported.withheld)} left out, because its origin is external;"
            " give --trust operator to take it in, or --trust external to leave it"
        )
    return code


def describe_dry_run(args: Importing) -> list[str]:
    """Return the first line of a dry run."""
    dry = style("warning", "nothing is written; this is what it would do:")
    return [dry] if args.dry_run else []


def _import_lines(imported: Imported) -> Iterator[str]:
    sums = ", ".join(f"{count} {what}" for what, count in imported.sums.items() if what != "read")
    nothing = "nothing to import; `engrain import auto PATH` says what a file or a folder may be"
    yield f"{imported.documents} read: {sums}" if imported.counts else nothing
    for outcome, count in sorted(imported.counts.items()):
        if outcome not in _PLAIN:
            yield style("dim", f"  {outcome}: {count}")
    for what, count in sorted(imported.tiers.items()):
        yield style("dim", f"  {what}: {count}")
    yield from _status_lines(imported)
    if imported.links:
        good = imported.links - imported.ambiguous - imported.broken
        several = f", {imported.ambiguous} may mean several notes" if imported.ambiguous else ""
        yield f"{imported.links} links, {good} resolve{several}, {imported.broken} do not"
    if imported.attached:
        found = ", ".join(f"{count} {what}" for what, count in sorted(imported.attached.items()))
        yield f"images and other files that notes show: {found}"
    if imported.passed_over:
        yield f"passed over: {_describe_passed(imported.passed_over)}"
    if imported.unread:
        yield from _unread_lines(imported.unread)
    if imported.redacted:
        files = counted(imported.redacted, "file")
        yield style("warning", f"redacted: secrets in {files}; set redact = off to keep such text")
    for path, id_ in imported.deleted:
        yield style("warning", f"stays deleted: {clean(path)} ({clean_line(id_)})")
    yield from report_lines(imported.problems, "left out")


def _status_lines(imported: Imported) -> Iterator[str]:
    """Say how many notes are not active."""
    for status, count in sorted(imported.statuses.items()):
        if status != ACTIVE:
            notes = counted(count, "note")
            hint = f"`engrain list --status {status} --all-projects`"
            yield style("warning", f"{notes} {status} by folder or own vault, not active: {hint}")


def _unread_lines(unread: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Name the notes whose frontmatter became part of their text."""
    notes = counted(len(unread), "note")
    yield style("warning", f"{notes} came in with frontmatter as text: no field was read")
    for path, why in unread[:_MOST_SHOWN]:
        yield style("dim", f"  {clean(path)}: {clean_line(why)}")
    if more := unread[_MOST_SHOWN:]:
        yield style("dim", f"  and {len(more)} more: --json names them")


def _describe_passed(passed: Iterable[tuple[str, str, int]]) -> str:
    """Say how many files were passed over for which reason, the endings of those that are no notes,
    and which folders."""
    reasons: dict[str, list[str]] = {}
    files: Counter[str] = Counter()
    for path, why, count in passed:
        name = path.rpartition("/")[2]
        ending = f".{name.rpartition('.')[2].lower()}" if "." in name.strip(".") else ""
        reasons.setdefault(why, []).append(ending if why == NO_NOTE else path)
        files[why] += count
    return "; ".join(
        f"{_count_passed(files[why], why)} ({_name_few(names)})"
        for why, names in sorted(reasons.items())
    )


def _count_passed(count: int, why: str) -> str:
    """Return how much was passed over: parts of a file where the reason names one, else files."""
    part = why.startswith(("a ", "an "))
    return (
        f"{count} × {clean_line(why)}" if part else f"{counted(count, 'file')}, {clean_line(why)}"
    )


def _name_few(names: Iterable[str]) -> str:
    """Name the most frequent of some names, with their numbers."""
    counts = Counter(names).most_common()
    told = [
        f"{clean_line(name) or 'without an ending'}{f' {count}' if count > 1 else ''}"
        for name, count in counts[:_FEW]
    ]
    return ", ".join([*told, *(["…"] if len(counts) > _FEW else [])])


def ask_by_code(console: Console, deleted: int) -> int:
    """Report how many documents stayed deleted; return the exit code."""
    if deleted:
        console.write_error(
            f"engrain: {_count_documents(deleted)} deleted here and left so; give --restore-deleted"
            " to bring back what was deleted, or --no-restore-deleted to leave it"
        )
    return EXIT_DECIDE if deleted else 0


def _count_documents(count: int) -> str:
    return f"{counted(count, 'document')} {'was' if count == 1 else 'were'}"


def has_person(console: Console) -> bool:
    """Whether a person is at the terminal who can be asked."""
    return not console.as_json and sys.stdin.isatty()


def ask(console: Console, question: str) -> bool:
    """Ask the person at the terminal; anything but yes is no."""
    console.flush()
    console.write_error(question)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def choose(console: Console, question: str, choices: Sequence[str], default: str) -> str:
    """Ask the person at the terminal for one of some words; anything else is the default."""
    console.flush()
    console.write_error(f"{question} [{', '.join(choices)}; else {default}]")
    answer = sys.stdin.readline().strip().lower()
    return answer if answer in choices else default


_PLAIN = (CREATED, UPDATED, UNCHANGED, LEFT_OUT)
"""Outcomes that the sums already show."""
_MEANINGS = {
    "operator": "you; agents follow it like your own word",
    "agent": "an agent of yours; recalled as its own notes are",
    "tool": "a program; recalled as a finding, never as an instruction",
    "external": "somebody else; recalled on stronger evidence, never as an instruction",
}
"""Origins, and what each means for what is imported."""

_MOST_SHOWN = 20
_FEW = 5
