"""The job that has an agent or a model judge the sessions that ended, within the day's limits and
while it does not fail (DESIGN section 18).

A session is asked about once, and again only if it goes on; without an answer it is left to what
the rules found. The rules run first, so that the judge sees what they filed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from engrain.engine.core.attesting import least
from engrain.engine.core.store import Actor, Store
from engrain.learn.judging import PERSON, SessionJudge, SessionVerdict, read_session
from engrain.learn.sources.stream import Stream
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.judge import (
    PURPOSE,
    choose_judge,
    find_pause,
    list_spends,
    list_spends_today,
    note_failure,
)
from engrain.lifecycle.policy import AGENT, MODEL, read_judge_rule, read_learn
from engrain.lifecycle.sessions.folding import Marked, MarkedSessions
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.note.documents import count_of, object_of
from engrain.model.note.strength import DAY
from engrain.model.run_result import RunResult
from engrain.seam.llm import Broken

_STALE = 3 * DAY
"""A session that ended so long ago is left to the rules."""


@dataclass(slots=True, eq=False)
class JudgeRecord:
    """What was judged on this device: who judges, the `sessions` and the tokens in all and since
    midnight (UTC), the operations that were filed and refused by name, and why it `pauses`, "" if
    it does not."""

    who: str
    sessions: int = 0
    tokens: int = 0
    sessions_today: int = 0
    tokens_today: int = 0
    filed: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    pauses: str = ""


def survey_judge(store: Store) -> JudgeRecord:
    """Report what was judged on this device."""
    kept = object_of(store.device.local.read_note(PURPOSE))
    who = read_learn(store.settings)
    every, today = list_spends(store), list_spends_today(store)
    return JudgeRecord(
        who,
        len(every),
        sum(spend.taken + spend.given for spend in every),
        len(today),
        sum(spend.taken + spend.given for spend in today),
        _counts(kept.get("filed")),
        _counts(kept.get("refused")),
        find_pause(store, read_judge_rule(store.settings)) if who in (AGENT, MODEL) else "",
    )


def judge_sessions(store: Store, run: Run) -> RunResult:
    """Have the sessions that are over judged, if an agent or a model is to do it."""
    if read_learn(store.settings) not in (AGENT, MODEL):
        return RunResult()
    rule = read_judge_rule(store.settings)
    marked = MarkedSessions(store, PURPOSE)
    counts: Counter[str] = Counter()
    lines: list[str] = []
    if run.asked and not run.dry_run:
        marked.write_fields(failed=None)
    for session in marked.list():
        if not session.over:
            continue
        if run.out_of_time():
            return RunResult(counts, lines, unfinished=True)
        if pause := find_pause(store, rule):
            lines.append(f"not judged: {pause}")
            break
        if run.dry_run:
            lines.append(f"judge session {session.name}")
            continue
        if session.at >= store.clock.now() - _STALE:
            lines += _judge_one(store, session, marked, counts)
        marked.mark(session)
    return RunResult(counts, lines)


def _judge_one(
    store: Store, session: Marked, marked: MarkedSessions, counts: Counter[str]
) -> Iterator[str]:
    """Judge one session; yield what there is to report."""
    try:
        done = _ask(store, session)
    except (Broken, EngrainError, OSError) as error:
        reason = error.message if isinstance(error, EngrainError) else str(error)
        yield f"session {session.name} is left to the rules: {reason}"
        if not isinstance(error, OSError | MalformedError):
            note_failure(store, reason)
        return
    if done is None:
        return
    counts["judged"] += 1
    counts["judged entries"] += len(done.ids)
    counts["refused"] += sum(done.refused.values())
    filed = Counter(_counts(marked.kept.get("filed"))) + done.filed
    refused = Counter(_counts(marked.kept.get("refused"))) + done.refused
    marked.write_fields(failed=None, filed=dict(filed), refused=dict(refused), host=session.host)
    yield from (f"judged {id_}: session {session.name}" for id_ in done.ids)
    yield from (f"refused {n}: {reason}" for reason, n in done.refused.items())


def _ask(store: Store, session: Marked) -> SessionVerdict | None:
    """Return what became of a session, None where there is nothing to ask about."""
    sources = store.device.sources
    source = sources.session(session.host, session.transcript)
    (file,) = sources.files(source)
    if isinstance(file, OSError):
        raise file
    stream = Stream(sources.read(source, file.name), file.name)
    text = read_session(stream.records(), stream.passed)
    spoken = any(line.who == PERSON for line in text.lines)
    if not spoken or (text.cwd and sources.is_off(text.cwd)):
        return None
    project = session.project or (sources.find_project(text.cwd) if text.cwd else None) or ""
    acting = store.acting_as(Actor(store.actor.agent, least("agent", store.actor.trust)))
    acting.project = None  # entries belong to the session's own project
    llm = choose_judge(store, read_learn(store.settings), session.host)
    return SessionJudge(acting, llm, store.entropy.draw).judge(text, session.name, project)


def _counts(value: object) -> dict[str, int]:
    return {name: count_of(count) for name, count in object_of(value).items()}
