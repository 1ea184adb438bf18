"""`engrain status`: what the vault holds, what runs, and what is pending; no note is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, resolve_from
from engrain.adapters.hosts.check import find_wired
from engrain.adapters.mcp.singleton import Running, find_running
from engrain.adapters.present.records import Data, fields, instant_of
from engrain.adapters.present.text import Style, clean_line, counted, fact_lines
from engrain.engine.survey import Survey
from engrain.lifecycle.jobs.runner import JobState
from engrain.resolution.selector import Resolution

_MOST_KINDS = 8
_PENDING = {
    "inbox": ("in the inbox", "`engrain list --status inbox`"),
    "proposals": ("proposed", "`engrain review list`"),
    "conflicts": ("contradicting each other", "`engrain digest`"),
}


def _status(args: argparse.Namespace, console: Console) -> Answer:
    place = resolve_from(args)
    with open_from(args) as memory:
        survey, jobs, project = memory.survey(), memory.jobs.status(), memory.project
    hosts = find_wired(os.environ)
    server = find_running(place)
    ran = [state.status.started for state in jobs if state.status]
    data: Data = {
        "vault": {
            "id": survey.vault,
            **fields(place, "path=location backend"),
            "project": project,
            **fields(survey, "entries kinds tiers problems scanned@"),
        },
        "hosts": [{"host": name, "wired": wired} for name, wired in hosts.items()],
        "server": {"running": server is not None, **(server.describe() if server else {})},
        "jobs": {
            "due": [state.job.name for state in jobs if state.due],
            "failed": _list_failed(jobs),
            "last": instant_of(max(ran) if ran else None),
        },
        "recall": {
            "threshold": round(survey.threshold, 4),
            **fields(survey, "embedder? calibrated@"),
        },
        "pending": fields(survey, "inbox proposals conflicts"),
    }
    return data, _lines(place, survey, hosts, server, jobs, console.style)


def _list_failed(jobs: Sequence[JobState]) -> list[str]:
    return [one.job.name for one in jobs if one.status and one.status.outcome == "failed"]


def _lines(
    place: Resolution,
    survey: Survey,
    hosts: Mapping[str, bool],
    server: Running | None,
    jobs: Sequence[JobState],
    style: Style,
) -> Iterator[str]:
    kinds = sorted(survey.kinds.items(), key=lambda kind: -kind[1])
    told = ", ".join(f"{count} {kind}" for kind, count in kinds[:_MOST_KINDS])
    more = f", {sum(count for _, count in kinds[_MOST_KINDS:])} of other kinds"
    wired = [name for name, there in hosts.items() if there]
    due = [state.job.name for state in jobs if state.due]
    waiting = f"; {len(due)} due: `engrain jobs run`" if due else "; none is due"
    ran = [state.status.started for state in jobs if state.status]
    last = f"last ran {instant_of(max(ran))}" if ran else "never ran here"
    calibrated = f"calibrated {instant_of(survey.calibrated)}" if survey.calibrated else "built in"
    yield style("title", clean_line(place.location))
    facts = {
        "entries": f"{survey.entries} active: {survey.tiers['T2']} shared (T2), "
        f"{survey.tiers['T3']} the agent's own (T3)",
        "kinds": told + (more if kinds[_MOST_KINDS:] else ""),
        "backend": place.backend,
        "scanned": instant_of(survey.scanned),
        "hosts": ", ".join(wired) or "none is wired: `engrain setup --all`",
        "server": f"{server.url or server.socket}, process {server.pid}" if server else "none runs",
        "jobs": f"{last}{waiting}",
        "recall": f"embedder {survey.embedder or 'none'}, silent below {survey.threshold:.2f}"
        f" ({calibrated})",
    }
    yield from fact_lines(facts, style)
    if failed := _list_failed(jobs):
        yield style("bad", f"failed   {', '.join(failed)}: `engrain jobs log`")
    if survey.problems:
        files = counted(survey.problems, "file")
        yield style("warning", f"{files} can't be read: `engrain doctor`")
    pending = {name: getattr(survey, name) for name in _PENDING}
    for name, count in pending.items():
        if count:
            what, hint = _PENDING[name]
            yield style("warning", f"{count} {what}: {hint}")
    if not any(pending.values()):
        yield style("dim", "nothing is pending")


COMMAND = Command(
    _status,
    """
$ engrain status
$ engrain status --json
""",
)
