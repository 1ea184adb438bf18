"""`engrain status`: show what the vault holds, what runs and what is pending; no note is read."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, Fresh
from engrain.adapters.cli.everyday.setup import UNASKED, read_agreement
from engrain.adapters.hooks.distant import DistantServer, find_server
from engrain.adapters.hooks.losses import describe_cold, read_times
from engrain.adapters.hooks.sending import count_sent
from engrain.adapters.hosts.check import find_wired
from engrain.adapters.mcp.singleton import find_running
from engrain.adapters.present.records import Data, fields, instant_of, local_of
from engrain.adapters.present.text import bold, counted, fact_lines, style
from engrain.api.judging import JudgeRecord
from engrain.api.transcripts import Learned
from engrain.engine.survey import Survey
from engrain.lifecycle.policy import NO, RULES, learned_parts
from engrain.model.errors import EngrainError
from engrain.resolution.settings import Setting

_LATELY = 7 * 86_400.0
_MOST_KINDS = 8
_DRAWN = ("episodes", "statements", "facts")
_PENDING = {
    "inbox": ("in the inbox", "`engrain list --status inbox --all-projects`"),
    "proposals": ("proposed", "`engrain review list`"),
    "conflicts": ("in contradiction with another", "`engrain digest`"),
}


@dataclass(kw_only=True)
class StatusCommand(Fresh, BaseCommand):
    """Show what the vault holds, what runs and what is pending."""

    examples = """
engrain status
engrain status --json
"""

    def run(self) -> Answer:
        distant = find_server({"vault": self.vault, "state_dir": self.state_dir})
        return _describe_distant(distant) if distant else self._describe_vault()

    def _describe_vault(self) -> Answer:
        place = self.resolve()
        with self.open() as memory:
            survey, jobs, project = memory.survey(), memory.jobs.status(), memory.project
            learned, parts = memory.sessions.learned(), learned_parts(memory.settings)
            waiting, judged = memory.sessions.has_unlearned(), memory.sessions.judged()
        agreement = read_agreement()
        hosts = find_wired(os.environ)
        hooks = read_times(place.state_dir, time.time() - _LATELY)
        server = find_running(place)
        ran = [state.status.started for state in jobs if state.status]
        due = [state.job.name for state in jobs if state.due]
        failed = [one.job.name for one in jobs if one.status and one.status.outcome == "failed"]
        last = max(ran) if ran else None
        data: Data = {
            "vault": {
                "id": survey.vault,
                **fields(place, "path=location backend"),
                "project": project,
                "off": place.off,
                **fields(survey, "entries kinds tiers problems scanned@"),
            },
            "hosts": [{"host": name, "wired": wired} for name, wired in hosts.items()],
            "hooks": [
                {"event": one.event, "answered": one.count, "cold": one.count - one.warm}
                for one in hooks
            ],
            "server": {"running": server is not None, **(server.describe() if server else {})},
            "jobs": {"due": due, "failed": failed, "last": instant_of(last)},
            "learning": {
                "on": bool(parts),
                "asked": agreement.origin != UNASKED,
                "parts": sorted(parts),
                "waiting": waiting,
                "learned": learned.counts,
                "judge": {
                    **fields(judged, "by=who sessions tokens sessions_today tokens_today"),
                    **fields(judged, "filed refused pauses"),
                },
                **fields(learned, "last=at@"),
            },
            "recall": fields(survey, "threshold% embedder? works=recall calibrated@"),
            "pending": fields(survey, "inbox proposals conflicts"),
        }
        when = f"calibrated {local_of(survey.calibrated)}" if survey.calibrated else "built in"
        facts = {
            "memory": place.off and f"off here, {place.off}",
            "entries": f"{survey.entries} active: {survey.tiers['T2']} shared (T2), "
            f"{survey.tiers['T3']} the agent's own (T3)",
            "kinds": _describe_kinds(survey.kinds),
            "backend": place.backend,
            "scanned": local_of(survey.scanned),
            "hosts": ", ".join(name for name, wired in hosts.items() if wired)
            or "none is connected: `engrain setup --all`",
            "hooks": describe_cold(hooks),
            "server": f"{server.url or server.socket}, process {server.pid}"
            if server
            else "none runs",
            "jobs": _describe_jobs(local_of(last), due, failed),
            "learning": _describe_learning(learned, parts, agreement, waiting=waiting),
            "judge": _describe_judge(judged),
            "recall": f"{survey.recall}; silent below {survey.threshold:.2f} ({when})",
        }
        title = bold(place.location)
        lines = [title, *fact_lines(facts), *_pending_lines(survey)]
        return data, lines


def _describe_distant(server: DistantServer) -> Answer:
    """Describe a memory on another machine, which is asked once."""
    try:
        answers, said = True, server.describe()
    except EngrainError as error:
        answers, said = False, error.message
    hosts = [name for name, wired in find_wired(os.environ).items() if wired]
    hooks = read_times(server.state_dir, time.time() - _LATELY)
    sent = count_sent(server.state_dir) if server.learns else None
    remote = {"url": server.url, "answers": answers, "said": said, "sent": sent}
    data: Data = {"remote": remote, "hosts": hosts}
    agreed = "off: `engrain setup HOST --learn rules` agrees to it"
    facts = {
        "server": said,
        "hosts": ", ".join(hosts),
        "hooks": describe_cold(hooks),
        "learning": agreed if sent is None else f"{sent} entries sent",
    }
    return data, [bold(server.url), *fact_lines(facts)]


def _describe_jobs(last: str | None, due: Sequence[str], failed: Sequence[str]) -> str:
    text = f"last ran {last}" if last else "none has run on this device yet"
    text += f"; {len(due)} are due: `engrain jobs run`" if due else "; none is due"
    return text + (f"; failed: {', '.join(failed)}, see `engrain jobs log`" if failed else "")


def _describe_kinds(counts: Mapping[str, int]) -> str:
    kinds = sorted(counts.items(), key=lambda kind: -kind[1])
    parts = [f"{count} {kind}" for kind, count in kinds[:_MOST_KINDS]]
    if left := sum(count for _, count in kinds[_MOST_KINDS:]):
        parts.append(f"{left} of other kinds")
    return ", ".join(parts)


def _describe_learning(
    learned: Learned, parts: Collection[str], agreement: Setting, *, waiting: bool
) -> str:
    if not parts:
        if agreement.origin == UNASKED:
            return "off, as you were not asked yet: `engrain setup HOST --learn rules` turns it on"
        return f"off, from {agreement.origin}"
    text = counted(learned.counts.get("sessions", 0), "session")
    drawn = {name: learned.counts.get(name, 0) for name in _DRAWN if name in parts}
    text += "".join(f", {counted(count, name[:-1])}" for name, count in drawn.items())
    return text + ("; more wait for the next jobs" if waiting else "")


def _describe_judge(judged: JudgeRecord) -> str:
    if not judged.sessions and judged.who in (RULES, NO):
        return judged.who.removeprefix(NO)
    told = f"{judged.who}; {counted(judged.sessions, 'session')} judged, {judged.tokens} tokens"
    told += f" (today {judged.sessions_today} and {judged.tokens_today})"
    filed, refused = sum(judged.filed.values()), sum(judged.refused.values())
    told += f"; {filed} of {counted(filed + refused, 'operation')} filed"
    if judged.refused:
        reasons = (f"{count} {reason}" for reason, count in judged.refused.items())
        told += f", refused: {', '.join(reasons)}"
    return told + (f"; {judged.pauses}" if judged.pauses else "")


def _pending_lines(survey: Survey) -> Iterator[str]:
    if survey.problems:
        files = counted(survey.problems, "file")
        yield style("warning", f"{files} can't be read: `engrain check`")
    pending = {name: getattr(survey, name) for name in _PENDING}
    for name, (what, hint) in _PENDING.items():
        if pending[name]:
            yield style("warning", f"{pending[name]} {what}: {hint}")
    if not any(pending.values()):
        yield style("dim", "nothing is pending")


COMMAND = StatusCommand
